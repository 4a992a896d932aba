import type { LinkRewrite } from '../compose/plain-text.ts';

const MARK = '#everpost-link-';
const LOOK =
  'display:inline-block;margin:0 2px;padding:0 6px;border-radius:9px;font:600 11px/18px system-ui,sans-serif;text-decoration:none;letter-spacing:0;vertical-align:middle';
const CLICKED = 'background:#3b3fc4;color:#fff';
const NOT_CLICKED = 'background:#e4e4e9;color:#3d3d45';

/** A link keeps its address, with its number behind it, by which the figure finds it. */
export function markedLink(figures: ReadonlyMap<number, number>, link: LinkRewrite['link'] | undefined) {
  return (url: string, number: number | undefined): string | null => {
    const target = link?.(url) ?? null;
    return number !== undefined && figures.has(number) ? `${target ?? url}${MARK}${number}` : target;
  };
}

/** The figures as styles, which leave the markup of the mail as it is. */
export function withFigures(html: string, figures: ReadonlyMap<number, number>): string {
  const rules = [...figures].map(([number, people]) => {
    const colours = people > 0 ? CLICKED : NOT_CLICKED;
    const text = people.toLocaleString('en-US');
    return `a[href$="${MARK}${number}"]::after{content:"${text}";${LOOK};${colours}}`;
  });
  return rules.length === 0 ? html : `${html}<style>${rules.join('')}</style>`;
}
