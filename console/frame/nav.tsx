import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { count } from '../parts/data/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/over/menu.tsx';
import { place, to } from '../router.ts';
import { current, role, session } from '../session.ts';
import { type Theme, theme } from '../theme.ts';
import { groups, isCurrent } from './navigation.ts';
import { openPalette } from './palette.tsx';
import { askAndSignOut } from './sign-out.ts';
import { marks } from './summary.ts';

/** Left of the work; under 900 px a popover that the top bar opens. */
export function Nav() {
  const ref = useRef<HTMLElement>(null);
  const { path } = place.value;
  // A chosen page is what the person wants to see then.
  useLayoutEffect(() => {
    if (ref.current?.matches(':popover-open')) ref.current.hidePopover();
  }, [path]);
  return (
    <nav class="nav" id="nav" ref={ref} popover="auto" aria-label="Console">
      <ProjectSwitch />
      <button class="find" type="button" onClick={() => openPalette()}>
        <Icon name="search" />
        <span class="grow">Find or do</span>
        <kbd>Ctrl K</kbd>
      </button>
      {groups.map((group) => (
        <NavGroup key={group.label} {...group} path={path} />
      ))}
      <Person />
    </nav>
  );
}

function NavGroup({ label, entries, path }: (typeof groups)[number] & { path: string }) {
  const id = useId();
  return (
    <div>
      {label && <h2 id={id}>{label}</h2>}
      <ul aria-labelledby={label ? id : undefined}>
        {entries.map((entry) => {
          const mark = marks.value[entry.path];
          return (
            <li key={entry.path}>
              <a href={to(entry.path)} aria-current={isCurrent(entry, path) ? 'page' : undefined}>
                <Icon name={entry.icon} />
                <span class="cut">{entry.label}</span>
                {mark && (
                  <span class={`count t-${mark.tone}`}>
                    {count(mark.n)}
                    <span class="sr"> {mark.meaning}</span>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function ProjectSwitch() {
  const found = current.value;
  const all = session.value?.organizations.flatMap(({ projects }) => projects) ?? [];
  const inside = (
    <>
      <span class="mark">
        <Icon name="mark" />
      </span>
      <span class="grow cut">
        <span class="strong">{found?.project.name ?? 'No project'}</span>
        <br />
        <span class="dim small">{found?.organization.name ?? 'Everpost'}</span>
      </span>
    </>
  );
  if (all.length < 2) return <div class="project alone">{inside}</div>;
  return (
    <button class="project" type="button" aria-haspopup="dialog" onClick={() => openPalette('projects')}>
      {inside}
      <Icon name="updown" />
      <span class="sr">Change project</span>
    </button>
  );
}

const themes: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'Light or dark as the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

function Person() {
  const email = session.value?.email ?? '';
  return (
    <div class="row push">
      <span class="badge" aria-hidden="true">
        {initials(email)}
      </span>
      <span class="grow cut small">
        <span title={email}>{email}</span>
        <br />
        <span class="dim">{role.value}</span>
      </span>
      <Menu
        label="You and this browser"
        isSmall
        items={[
          ...themes.map(({ value, label }) => ({
            label,
            icon: theme.value === value ? ('check' as const) : ('blank' as const),
            onPick: () => {
              theme.value = value;
            },
          })),
          { label: 'Sign out', icon: 'signout', onPick: askAndSignOut },
        ]}
      />
    </div>
  );
}

/** Of 'ada.moreau@harbour.example': AM. */
function initials(email: string): string {
  const [local = ''] = email.split('@');
  const [first = '', second = ''] = local.split(/[._-]/);
  return `${first[0] ?? ''}${second[0] ?? first[1] ?? ''}`.toUpperCase();
}
