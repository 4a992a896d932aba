import type { Request } from './calls.ts';

/** Requests a second of each sort. */
export interface Mix {
  mails?: number;
  /** Calls, each for five single mails. */
  batches?: number;
  /** Calls, each for ten marketing mails. */
  bulks?: number;
  contacts?: number;
  /** Files, each of fifty people. */
  imports?: number;
  /** Of people who are added without a confirmation. */
  forms?: number;
  /** Of people of their own, into an automation of one mail. */
  events?: number;
}

export type Sort = keyof Mix;

/** The promises of the answers with 2xx. */
export interface Acknowledged {
  mails: string[];
  bulks: string[];
  /** First names by address; null: no name was given. */
  contacts: Map<string, string | null>;
  events: string[];
}

/** The things of a project that its traffic needs. */
export interface Stage {
  sender: string;
  groupId: string;
  formId: string;
  mailTo: (n: number) => string;
}

interface TrafficRequest extends Pick<Request, 'path' | 'body' | 'headers'> {
  note(data: Record<string, unknown>): void;
}

export const BULK_SIZE = 10;
const BATCH_SIZE = 5;
const IMPORT_ROWS = 50;
export const EVENT = 'drill_event';
/** A site that may send the form by itself. */
export const SITE = 'https://shop.example.com';

/** The n-th request of each sort. */
export function requestsOf(
  { sender, groupId, formId, mailTo }: Stage,
  acked: Acknowledged,
): Record<Sort, (n: number) => TrafficRequest> {
  const from = { email: sender };
  const mail = (to: string) => ({ to: { email: to }, from, subject: `Mail to ${to}`, text: 'Once.' });
  return {
    mails: (n) => ({
      path: '/mails/send',
      body: mail(mailTo(n)),
      note: ({ emailId }) => acked.mails.push(String(emailId)),
    }),
    batches: (n) => ({
      path: '/mails/batch',
      body: { mails: Array.from({ length: BATCH_SIZE }, (_, index) => mail(`a${n}x${index}@in.test`)) },
      note({ results }) {
        for (const { emailId } of results as Array<{ emailId: string }>) acked.mails.push(emailId);
      },
    }),
    bulks: (n) => ({
      path: '/mails/bulk',
      body: {
        ...{ from, subject: 'News', html: '<p>Once.</p>', unsubscribeGroupId: groupId },
        recipients: Array.from({ length: BULK_SIZE }, (_, index) => ({ email: `b${n}x${index}@in.test` })),
      },
      note: ({ batchId }) => acked.bulks.push(String(batchId)),
    }),
    contacts: (n) => ({
      path: '/contacts/email',
      body: { email: `c${n}@in.test`, firstName: `C${n}` },
      note: () => acked.contacts.set(`c${n}@in.test`, `C${n}`),
    }),
    imports(n) {
      const people = Array.from({ length: IMPORT_ROWS }, (_, index) => [`i${n}x${index}@in.test`, `I${n}`] as const);
      return {
        path: '/contacts/import',
        body: ['email,firstName', ...people.map((row) => row.join(','))].join('\n'),
        headers: { 'Content-Type': 'text/csv' },
        note() {
          for (const [email, name] of people) acked.contacts.set(email, name);
        },
      };
    },
    forms: (n) => ({
      path: `/../f/${formId}`,
      body: { email: `f${n}@in.test`, fields: {} },
      // A client may send few forms an hour, so each comes from an address of its own.
      headers: { Origin: SITE, 'X-Forwarded-For': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` },
      note: () => acked.contacts.set(`f${n}@in.test`, null),
    }),
    events: (n) => ({
      path: '/events/send',
      body: { eventName: EVENT, email: `e${n}@in.test` },
      note: () => acked.events.push(`e${n}@in.test`),
    }),
  };
}
