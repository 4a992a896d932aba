import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { IconName } from './parts/icon.tsx';
import type { Path } from './paths.ts';
import { place, setQuery, to } from './router.ts';
import { can } from './session.ts';

export interface Act {
  label: string;
  /** It is offered to those whose role may call this. */
  operation: string;
  path: Path;
  icon: IconName;
  /** It begins in a dialog of that page, which waits for it with `useAct`. */
  isDialog?: boolean;
  /** Other words that the palette finds it by. */
  words?: string;
}

/** Everything that is begun from a button of a page. */
export const acts: readonly Act[] = [
  {
    label: 'New campaign',
    operation: 'campaigns.create',
    path: '/campaigns/new',
    icon: 'campaign',
    words: 'send mail',
  },
  {
    label: 'New automation',
    operation: 'automations.create',
    path: '/automations',
    icon: 'automation',
    isDialog: true,
  },
  { label: 'New template', operation: 'templates.create', path: '/templates', icon: 'template', isDialog: true },
  { label: 'Add a person', operation: 'contacts.create', path: '/contacts', icon: 'contacts', isDialog: true },
  { label: 'Import a file', operation: 'contacts.import', path: '/imports', icon: 'import', isDialog: true },
  { label: 'New list', operation: 'contactLists.create', path: '/lists', icon: 'segment', isDialog: true },
  { label: 'New segment', operation: 'contactLists.create', path: '/lists/new', icon: 'segment', words: 'filter' },
  { label: 'New form', operation: 'forms.create', path: '/forms/new', icon: 'form', words: 'subscribe sign up' },
  {
    ...{ label: 'Suppress addresses', operation: 'suppressionGroups.suppress', path: '/suppressions' },
    ...{ icon: 'suppress', isDialog: true, words: 'block unsubscribe' },
  },
  {
    ...{ label: 'New suppression group', operation: 'suppressionGroups.create', path: '/suppressions/groups' },
    ...{ icon: 'suppress', isDialog: true, words: 'unsubscribe' },
  },
  {
    ...{ label: 'New sender', operation: 'senders.create', path: '/settings/senders' },
    ...{ icon: 'email', isDialog: true, words: 'from address name' },
  },
  {
    ...{ label: 'New field', operation: 'customFields.create', path: '/settings/fields' },
    ...{ icon: 'form', isDialog: true, words: 'custom property contacts' },
  },
  {
    ...{ label: 'New event', operation: 'events.create', path: '/settings/events' },
    ...{ icon: 'automation', isDialog: true, words: 'track custom' },
  },
  {
    label: 'Add a domain',
    operation: 'domains.create',
    path: '/domains',
    icon: 'domain',
    isDialog: true,
    words: 'dns',
  },
  { label: 'New webhook', operation: 'webhooks.create', path: '/webhooks', icon: 'webhook', isDialog: true },
  {
    ...{ label: 'New migration', operation: 'migrations.startProviderA', path: '/migrations' },
    ...{ icon: 'migrate', isDialog: true, words: 'provider sendgrid resend copy' },
  },
  { label: 'New key', operation: 'apiKeys.create', path: '/keys', icon: 'key', isDialog: true, words: 'api secret' },
  {
    ...{ label: 'Invite a member', operation: 'members.create', path: '/members' },
    ...{ icon: 'member', isDialog: true, words: 'add colleague role people' },
  },
];

/** In the query of an address: the operation whose dialog is to be open. */
const ASKED = 'do';

/** The address where an act begins, with its dialog open. */
export function addressOf({ operation, path, isDialog = false }: Act) {
  return to(path, isDialog ? { [ASKED]: operation } : {});
}

/** The address where the first act that calls this operation begins. */
export function beginning(operation: string): ReturnType<typeof to> {
  const act = acts.find((one) => one.operation === operation);
  return act ? addressOf(act) : to('/');
}

/** Calls `start` when an address asks for the act, once: it is taken out of the address, so that a reload does not ask again. */
export function useAct(operation: string, start: () => void): void {
  const isAsked = place.value.query.get(ASKED) === operation;
  useLayoutEffect(() => {
    if (!isAsked) return;
    setQuery({ [ASKED]: null });
    if (can(operation)) start();
  }, [isAsked]);
}

/** An act of a button in the head of the open page, for those whose role may. */
export interface PageAct extends Pick<Act, 'label' | 'icon'> {
  operation?: string;
  run: () => unknown;
}

export const pageActs = signal<readonly PageAct[]>([]);

/** The palette offers them while the page is open. */
export function usePageActs(offered: readonly PageAct[]): void {
  useLayoutEffect(() => {
    pageActs.value = offered.filter(({ operation }) => operation === undefined || can(operation));
  });
  useLayoutEffect(
    () => () => {
      pageActs.value = [];
    },
    [],
  );
}
