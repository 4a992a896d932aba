import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useAct } from '../../acts.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Page } from '../../parts/page/page.tsx';
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

/** A listing under Settings, with the button that makes an entry and the dialog that makes or changes one. */
export function SettingsListing<T extends object>({
  title,
  making,
  operation,
  editing,
  children,
  dialog,
}: {
  title: string;
  making: string;
  operation: string;
  editing: Signal<T | 'new' | null>;
  children: ComponentChildren;
  /** `entry` is null for a new one. */
  dialog: (entry: T | null, close: () => void) => ComponentChildren;
}) {
  const begin = () => {
    editing.value = 'new';
  };
  const close = () => {
    editing.value = null;
  };
  useAct(operation, begin);
  const entry = editing.value;
  return (
    <Page
      title={title}
      crumb={{ label: 'Settings', path: '/settings' }}
      isFlush
      actions={
        <Button kind="first" icon="plus" operation={operation} onClick={begin}>
          {making}
        </Button>
      }
    >
      {children}
      {entry && dialog(entry === 'new' ? null : entry, close)}
    </Page>
  );
}
