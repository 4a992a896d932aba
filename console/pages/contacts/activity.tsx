import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ActivityEntry, ContactList } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { type Names, useNames } from '../../parts/choose/names.ts';
import { lists } from '../../parts/choose/things.ts';
import { type Happened, Timeline } from '../../parts/data/details.tsx';
import type { Tone } from '../../parts/data/state.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { LoadFailure } from '../../parts/page/loaded.tsx';
import { Empty, SkeletonLines } from '../../parts/page/notice.tsx';
import { to } from '../../router.ts';

const LIMIT = 25;

/** Mails, opens, clicks, events and changes of a person, newest first, some at a time. */
export function Activity({ contactId }: { contactId: string }) {
  const entries = useSignal<readonly ActivityEntry[] | null>(null);
  const next = useSignal<string | null>(null);
  const error = useSignal<unknown>(null);
  const changed = entries.value?.flatMap(({ change }) =>
    change ? [...change.joinedListIds, ...change.leftListIds] : [],
  );
  const { name } = useNames(lists, changed ?? []);

  async function load(before: string | null, signal?: AbortSignal): Promise<void> {
    try {
      const query = { limit: LIMIT, ...(before !== null && { before }) };
      const page = await api.contacts.activity(contactId, query, signal && { signal });
      entries.value = [...(before === null ? [] : (entries.peek() ?? [])), ...page.activity];
      next.value = page.next;
      error.value = null;
    } catch (fault) {
      if (!signal?.aborted) error.value = fault;
    }
  }
  useEffect(() => {
    const gone = new AbortController();
    void load(null, gone.signal);
    return () => gone.abort();
  }, [contactId]);

  if (error.value !== null)
    return (
      <LoadFailure
        error={error.value}
        hasOld={entries.value !== null}
        onRetry={() => load(entries.value && next.value)}
      />
    );
  if (entries.value === null) return <SkeletonLines />;
  if (entries.value.length === 0)
    return <Empty title="Nothing happened yet">Mails, opens, clicks and changes of this person come here.</Empty>;
  return (
    <>
      <Timeline entries={entries.value.map((entry, index) => happened(entry, String(index), name))} />
      {next.value && (
        <p>
          <Button onClick={() => load(next.value)}>Older</Button>
        </p>
      )}
    </>
  );
}

const words: Record<ActivityEntry['type'], readonly [string, Tone?]> = {
  'email.scheduled': ['Mail was scheduled'],
  'email.cancelled': ['Mail was cancelled'],
  'email.queued': ['Mail was queued'],
  'email.sent': ['Mail was sent'],
  'email.delivered': ['Mail was delivered', 'good'],
  'email.deferred': ['The relay asked to wait', 'warn'],
  'email.delayed': ['The receiving server is slow', 'warn'],
  'email.bounced': ['Mail bounced', 'bad'],
  'email.failed': ['Mail failed', 'bad'],
  'email.suppressed': ['Mail was not sent: suppressed', 'warn'],
  'email.unknown': ['Mail may or may not have arrived', 'warn'],
  'email.retried': ['Mail was tried again'],
  'email.opened': ['Opened', 'good'],
  'email.clicked': ['Clicked', 'good'],
  'email.unsubscribed': ['Unsubscribed', 'warn'],
  'email.spam_reported': ['Marked as spam', 'bad'],
  event: ['Event'],
  'contact.created': ['Added'],
  'contact.updated': ['Changed'],
  'suppression.added': ['Suppressed', 'warn'],
  'consent.recorded': ['Consent was recorded', 'good'],
};

function happened(entry: ActivityEntry, key: string, name: Names<ContactList>['name']): Happened {
  const [word, tone] = words[entry.type];
  const { email, event, change, suppression, at } = entry;
  if (email)
    return {
      key,
      at,
      tone,
      title: (
        <>
          {word}
          {email.automated && <span class="dim"> by a machine</span>}
        </>
      ),
      under: (
        <>
          <a class="link" href={to('/emails', { email: email.emailId })}>
            {email.subject ?? 'Mail without a subject'}
          </a>
          {email.url && <span> {email.url}</span>}
          {email.reason && <span> {email.reason}</span>}
        </>
      ),
    };
  if (event) return { key, at, title: event.eventName, under: JSON.stringify(event.properties) };
  if (change) return { key, at, title: word, under: changes(change, name) };
  return { key, at, tone, title: word, under: suppression?.evidence ?? suppression?.reason.toLowerCase() };
}

function changes(change: NonNullable<ActivityEntry['change']>, name: Names<ContactList>['name']): ComponentChildren {
  const lines = [
    ...change.fields.map(({ field, from, to: value }) =>
      from === null ? `${field}: ${value}` : `${field}: ${from} became ${value === null ? 'empty' : value}`,
    ),
    ...(change.fieldCount > change.fields.length
      ? [`and ${change.fieldCount - change.fields.length} fields more`]
      : []),
    ...change.joinedListIds.map((id) => `joined ${name(id)}`),
    ...change.leftListIds.map((id) => `left ${name(id)}`),
  ];
  return (
    <>
      {lines.join(', ')}
      {change.importId && (
        <>
          {' '}
          by{' '}
          <a class="link" href={to('/imports', { import: change.importId })}>
            an import
          </a>
        </>
      )}
      {change.automationId && (
        <>
          {' '}
          by{' '}
          <a class="link" href={to(`/automations/${change.automationId}`)}>
            an automation
          </a>
        </>
      )}
    </>
  );
}
