/** One path each, 16 px, drawn with a stroke of 1.5. */
const icons = {
  alert: 'M8 2 14.5 13.5h-13zM8 6.5v3M8 11.6v.01',
  automation:
    'M2.25 3.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0M2.25 12.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0M10.25 5.5a1.75 1.75 0 1 0 3.5 0a1.75 1.75 0 1 0 -3.5 0M4 5.25v5.5M12 7.25c0 2.5-3.5 2-6.5 4',
  campaign: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5z',
  check: 'M3 8.5 6.5 12 13 4.5',
  blank: '',
  chevron: 'M6 4l4 4-4 4',
  clock: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M8 4.5V8l2.5 1.5',
  close: 'M4 4l8 8M12 4l-8 8',
  contacts:
    'M3.5 5a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0M1.5 13.5c.4-2.6 2.2-4 4.5-4s4.1 1.4 4.5 4M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.8c1.4.6 2.3 1.9 2.5 3.7',
  copy: 'M7 5.5h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-5a1.5 1.5 0 0 1 -1.5 -1.5v-5a1.5 1.5 0 0 1 1.5 -1.5zM3.5 10.5h-1v-8h8v1',
  domain:
    'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M2 8h12M8 2c2 1.8 2.8 3.8 2.8 6S10 12.2 8 14c-2-1.8-2.8-3.8-2.8-6S6 3.8 8 2',
  down: 'M4 6l4 4 4-4',
  download: 'M8 2v8M5 7l3 3 3-3M2.5 10v3.5h11V10',
  edit: 'M3 13l.7-2.8 7-7 2.1 2.1-7 7z',
  email: 'M2 3.5h12v9H2zM2 4.5 8 9l6-4.5',
  external: 'M6.5 3H3v10h10V9.5M9 3h4v4M13 3 7.5 8.5',
  form: 'M2.5 2.5h11v11h-11zM5 5.5h6M5 8h6M5 10.5h3',
  goal: 'M3.5 14V2M3.5 2.5h9l-2 3 2 3h-9',
  health: 'M8 1.8 13.5 4v4c0 3.2-2.2 5.2-5.5 6.4C4.7 13.2 2.5 11.2 2.5 8V4zM5.5 8l2 2 3-3.5',
  import: 'M8 10V2M5 5l3-3 3 3M2.5 10v3.5h11V10',
  inbound: 'M2 9l2-6h8l2 6v4.5H2zM2 9h3.5l1 2h3l1-2H14',
  key: 'M2 11a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M7.2 8.8l6.3-6.3M11 5l2 2',
  mark: 'M3 12.5V6.8L8 3l5 3.8v5.7M6 12.5V9h4v3.5',
  member: 'M5 5a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M2.5 14c.6-3 2.7-4.5 5.5-4.5s4.9 1.5 5.5 4.5',
  menu: 'M2 4h12M2 8h12M2 12h12',
  migrate: 'M2 5h11M10 2l3 3-3 3M14 11H3M6 8l-3 3 3 3',
  more: 'M3.5 8v.01M8 8v.01M12.5 8v.01',
  now: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  pause: 'M5.5 3v10M10.5 3v10',
  play: 'M5 3l8 5-8 5z',
  plus: 'M8 3v10M3 8h10',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.5L13 6M13 3v3h-3',
  report: 'M2.5 2.5v11h11M5.5 11V8M8.5 11V4.5M11.5 11V6.5',
  search: 'M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M10.5 10.5 14 14',
  segment: 'M2 3h12L9.5 8.5V13l-3-1.5v-3z',
  settings: 'M2 5h6M12 5h2M2 11h2M8 11h6M8 5a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M4 11a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  signout: 'M6.5 2.5H3v11h3.5M7 8h7M11 5l3 3-3 3',
  stop: 'M4 4h8v8H4z',
  sun: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7',
  suppress: 'M2 8a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M3.8 3.8l8.4 8.4',
  template: 'M2.5 2.5h11v11h-11zM2.5 6.5h11M6.5 6.5v7',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9',
  updown: 'M5 6l3-3 3 3M5 10l3 3 3-3',
  webhook: 'M6 2v3M10 2v3M4 5h8v2.5a4 4 0 0 1-8 0zM8 11.5V14',
} as const;

export type IconName = keyof typeof icons;

/** For a drawing that holds icons among other shapes. */
export function iconPath(name: IconName): string {
  return icons[name];
}

/** Always with a word next to it, or inside a control that has a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  );
}
