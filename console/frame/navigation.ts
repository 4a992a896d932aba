import type { IconName } from '../parts/icon.tsx';
import type { Path } from '../paths.ts';
import { hasPage } from '../routes.ts';

export interface Entry {
  label: string;
  path: Path;
  icon: IconName;
  /** Other words that the palette finds it by. */
  words?: string;
}

export interface Group {
  label: string | null;
  entries: readonly Entry[];
}

const all: readonly Group[] = [
  { label: null, entries: [{ label: 'Now', path: '/', icon: 'now', words: 'home start live lanes relay today' }] },
  {
    label: 'Send',
    entries: [
      { label: 'Campaigns', path: '/campaigns', icon: 'campaign', words: 'newsletter broadcast' },
      { label: 'Automations', path: '/automations', icon: 'automation', words: 'flows journeys steps' },
      { label: 'Templates', path: '/templates', icon: 'template', words: 'html editor' },
      { label: 'Emails', path: '/emails', icon: 'email', words: 'mails messages log timeline' },
      {
        label: 'Reports',
        path: '/reports',
        icon: 'report',
        words: 'series statistics reputation providers complaints',
      },
    ],
  },
  {
    label: 'Audience',
    entries: [
      { label: 'Contacts', path: '/contacts', icon: 'contacts', words: 'people subscribers' },
      { label: 'Lists and segments', path: '/lists', icon: 'segment', words: 'filter' },
      { label: 'Forms', path: '/forms', icon: 'form', words: 'subscribe sign up opt-in embed' },
      { label: 'Imports', path: '/imports', icon: 'import', words: 'csv upload' },
      { label: 'Suppressions', path: '/suppressions', icon: 'suppress', words: 'unsubscribed bounced blocked' },
    ],
  },
  {
    label: 'Deliver',
    entries: [
      { label: 'Domains', path: '/domains', icon: 'domain', words: 'dns dkim spf dmarc records senders' },
      { label: 'Inbound', path: '/inbound', icon: 'inbound', words: 'replies threads received' },
      { label: 'Webhooks', path: '/webhooks', icon: 'webhook', words: 'deliveries replay' },
    ],
  },
  {
    label: 'Project',
    entries: [
      { label: 'Migrations', path: '/migrations', icon: 'migrate', words: 'provider sendgrid resend copy' },
      { label: 'Keys', path: '/keys', icon: 'key', words: 'api secrets' },
      { label: 'Members', path: '/members', icon: 'member', words: 'people roles invite sessions' },
      {
        label: 'Settings',
        path: '/settings',
        icon: 'settings',
        words: 'logo colour look name postal address language consent',
      },
      { label: 'Health', path: '/health', icon: 'health', words: 'status workers queues' },
    ],
  },
];

/** The groups of the navigation, without pages that are not there. */
export const groups: readonly Group[] = all
  .map(({ label, entries }) => ({ label, entries: entries.filter(({ path }) => hasPage(path)) }))
  .filter(({ entries }) => entries.length > 0);

export const entries: readonly Entry[] = groups.flatMap(({ entries: some }) => some);

/** Whether the page at `path` belongs to this entry. */
export function isCurrent(entry: Entry, path: string): boolean {
  return entry.path === '/' ? path === '/' : path === entry.path || path.startsWith(`${entry.path}/`);
}
