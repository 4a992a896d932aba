import type { Collections } from '../../../base/collections.ts';
import { batchesById } from '../../../base/database/batches.ts';
import { normalizeEmail } from '../../../base/text/addresses.ts';
import type { ProjectEvent } from '../../../events/model.ts';
import type { InboundMessage } from '../../../inbound/model.ts';
import { addressesAt } from '../../../people/addresses.ts';
import type { Person, PersonalData, Shown } from '../model.ts';
import { named, pick, rowsOf } from '../rows.ts';

/** A mail that came in may have megabytes. */
const INBOUND_AT_ONCE = 2;
const MIGRATIONS_AT_ONCE = 50;
/** Fields of events with addresses of other people. */
const OF_OTHERS = new Set(['to', 'cc', 'replyTo']);

type Db = { db: Collections };

/** Mail that came in, the event log, and notes of imports and migrations. */
export const otherSources = {
  inboundMessages: {
    section: 'inboundMessages',
    rows: named('from.email', 'receivedAt', ({ db }, which) =>
      rowsOf(
        db.inboundMessages
          .find(which, { hint: 'sender', batchSize: INBOUND_AT_ONCE })
          .sort({ receivedAt: -1, _id: -1 }),
        shownInbound,
      ),
    ),
    removal: { by: 'job', how: 'erased at once, of former addresses too (core/inbound/removals.ts)' },
  },
  projectEvents: {
    section: 'eventLog',
    rows: named('data.email', 'createdAt', ({ db }, which) =>
      rowsOf(
        db.projectEvents.find({ ...which, $and: [{ 'data.email': { $exists: true } }] }, { hint: 'email' }),
        shownEvent,
      ),
    ),
    removal: { by: 'expiry', field: 'eraseAt', after: '12 hours, when webhooks have sent it' },
  },
  webhookDeliveries: { nameless: 'The id of an event, and what the endpoint answered: a status.' },
  eventStreams: { nameless: 'Types of events.' },
  webhooks: { nameless: 'URLs and secrets of the organization.' },
  previousWebhookSecrets: { nameless: 'Secrets.' },
  webhookHeaders: { nameless: 'Sealed headers that members gave.' },
  imports: { nameless: 'Names of columns, and numbers.' },
  importChunks: {
    leftOut: 'A file while it is imported.',
    removal: { by: 'expiry', field: 'createdAt', after: '30 days; when the import is over, if that is sooner' },
  },
  importErrors: {
    section: 'importErrors',
    rows: named('address', 'createdAt', ({ db }, which) =>
      rowsOf(db.importErrors.find({ ...which, $and: [{ address: { $exists: true } }] }, { hint: 'address' }), (error) =>
        pick(error, 'importId', 'row', 'email', 'message', 'createdAt'),
      ),
    ),
    removal: {
      by: 'job',
      how: 'the address and the reason are erased after 12 hours (core/people/imports/erase-errors.ts)',
    },
  },
  migrations: {
    section: 'migrationNotes',
    rows: async function* ({ db }: Db, { projectId, addresses }: Person) {
      const options = { size: MIGRATIONS_AT_ONCE, projection: { phases: 1, createdAt: 1 } };
      for await (const migrations of batchesById(db.migrations, { projectId }, options))
        for (const { _id: migrationId, phases, createdAt } of migrations) {
          const own = new Set<string | null>(addressesAt(addresses, createdAt));
          const notes = phases.flatMap(({ name, errors, review }) =>
            [...errors, ...review]
              .filter(({ item }) => own.has(normalizeEmail(item)))
              .map(({ item, message }) => ({ migrationId, phase: name, item, message })),
          );
          yield* notes;
        }
    },
    removal: { by: 'job', how: 'the address is erased when the migration is over (core/migrations/erase-notes.ts)' },
  },
  migrationUnsubscribed: {
    section: 'migrationMarks',
    rows: async function* ({ db }: Db, { projectId, addresses }: Person) {
      const options = { size: MIGRATIONS_AT_ONCE, projection: { createdAt: 1 } };
      for await (const migrations of batchesById(db.migrations, { projectId }, options)) {
        const ids = migrations.flatMap(({ _id, createdAt }) =>
          addressesAt(addresses, createdAt).map((email) => `${_id.toHexString()}:${email}`),
        );
        const found = await db.migrationUnsubscribed.find({ _id: { $in: ids }, projectId }).toArray();
        yield* found.map(({ migrationId, email, lists }) => ({
          migrationId,
          email,
          mark: lists ? Object.keys(lists).join(', ') : 'unsubscribed',
        }));
      }
    },
    removal: { by: 'expiry', field: 'expiresAt', after: '30 days; when the migration is over, if that is sooner' },
  },
  migrationLinks: { nameless: 'Ids of lists, groups and templates.' },
  migrationPlans: { nameless: 'Numbers.' },
  migrationSecrets: { nameless: 'Sealed keys of the organization.' },
  providerPaces: { nameless: 'Hashes of keys, and times.' },
} satisfies Record<string, PersonalData>;

/** Without its other recipients; headers repeat them. */
function shownInbound(message: InboundMessage): Shown {
  const { attachments } = message;
  return {
    ...pick(message, 'from', 'subject', 'text', 'html', 'domainName', 'messageId', 'threadId', 'status', 'receivedAt'),
    attachments: attachments.map(({ fileName, contentType, sizeBytes }) => ({ fileName, contentType, sizeBytes })),
  };
}

function shownEvent({ _id: id, type, createdAt, data }: ProjectEvent): Shown {
  const own = Object.entries(data).filter(([name]) => !OF_OTHERS.has(name));
  return { id, type, createdAt, data: Object.fromEntries(own) };
}
