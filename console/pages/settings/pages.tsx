import type { Path } from '../../paths.ts';
import { place, to } from '../../router.ts';

const pages: readonly { path: Path; label: string }[] = [
  { path: '/settings', label: 'The project' },
  { path: '/settings/senders', label: 'Senders' },
  { path: '/settings/fields', label: 'Fields' },
  { path: '/settings/events', label: 'Events' },
  { path: '/suppressions/groups', label: 'Suppression groups' },
];

/** Links between the pages of what the mails of a project share. */
export function SettingsPages() {
  return (
    <nav class="tabs" aria-label="Settings">
      {pages.map(({ path, label }) => (
        <a key={path} href={to(path)} aria-current={place.value.path === path ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
