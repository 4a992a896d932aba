import { createHash } from 'node:crypto';
import { type Filter, ObjectId } from 'mongodb';
import type { StreamedEventType } from '../../schemas/events/webhooks.ts';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import type { Session } from '../base/model.ts';
import { wakeQueue } from '../jobs/queue.ts';
import type { EventsDeps } from './deps.ts';
import { type EventReaders, eventReaders, isRead } from './listeners.ts';
import type { ProjectEvent, WebhookDelivery } from './model.ts';

export interface NewEvent {
  type: StreamedEventType;
  data: Record<string, unknown>;
  /** Identifies the event: a repeat with the same key is the same event. */
  key: string;
  at?: Date;
  /** Not set: it is kept for 30 days. */
  eraseAt?: Date;
}

export const WEBHOOK_DELIVERIES = 'webhook-deliveries';

export function eventChannel(projectId: ObjectId): string {
  return `events:${projectId.toHexString()}`;
}

/**
 * Stores events that have a reader: an active webhook that wants the type, or a stream that asks for it, or did within the last hour.
 * With a session the event belongs to the change that it reports, and `announceEvents` is to be called after the commit.
 */
export async function publishEvents(
  deps: EventsDeps,
  projectId: ObjectId,
  events: NewEvent[],
  session?: Session,
): Promise<void> {
  if (events.length === 0) return;
  const readers = await eventReaders(deps, projectId);
  const wanted = events.filter(({ type }) => isRead(readers, type));
  if (wanted.length === 0) return;
  const rows = wanted.map((event) => rowOf(deps, projectId, event));
  if (session) return writeRows(deps, rows, readers, session);
  announceEvents(deps, projectId, await writeAlone(deps, rows, readers));
}

export function publishEvent(
  deps: EventsDeps,
  session: Session | undefined,
  projectId: ObjectId,
  type: StreamedEventType,
  data: Record<string, unknown>,
  key: string,
): Promise<void> {
  return publishEvents(deps, projectId, [{ type, data, key }], session);
}

/** Wakes streams, and deliveries unless only a stream reads, as most batches of a campaign; nothing depends on it. */
export function announceEvents(deps: Pick<EventsDeps, 'signals'>, projectId: ObjectId, isDelivered = true): void {
  deps.signals.publish(eventChannel(projectId), '');
  if (isDelivered) wakeQueue(deps, WEBHOOK_DELIVERIES, projectId);
}

export function newDelivery(
  event: Pick<ProjectEvent, '_id' | 'projectId' | 'type'>,
  webhookId: ObjectId,
  at: Date,
  replay: string | null = null,
): WebhookDelivery {
  const { _id: eventId, projectId, type } = event;
  return {
    _id: hashId('delivery', eventId.toHexString(), webhookId.toHexString(), replay ?? ''),
    projectId,
    webhookId,
    eventId,
    type,
    status: 'pending',
    attempts: 0,
    firstTryAt: null,
    tries: [],
    isReplay: replay !== null,
    createdAt: at,
    endedAt: null,
    // A minute behind, so that it is due at once however the clocks differ.
    dueAt: new Date(at.getTime() - 60_000),
  };
}

/** All twelve bytes follow from the parts, so a repeat makes the same id. */
export function hashId(...parts: string[]): ObjectId {
  return new ObjectId(createHash('sha256').update(parts.join('\u0000')).digest().subarray(0, 12));
}

function rowOf({ clock }: EventsDeps, projectId: ObjectId, { type, data, key, at, eraseAt }: NewEvent): ProjectEvent {
  const now = clock.now();
  const _id = hashId('event', projectId.toHexString(), type, key);
  return { _id, projectId, type, createdAt: at ?? now, writtenAt: now, ...(eraseAt ? { eraseAt } : {}), data };
}

/**
 * Events and deliveries are written together or not at all; when only a stream reads, the events are enough. Says whether a webhook reads
 * them.
 */
async function writeAlone(deps: EventsDeps, rows: ProjectEvent[], readers: EventReaders): Promise<boolean> {
  const isDelivered = rows.some(({ type }) => readers.webhooks.some(({ types }) => types.has(type)));
  if (isDelivered) await inTransaction(deps, (session) => writeRows(deps, rows, readers, session));
  else {
    await deps.db.projectEvents.insertMany(rows, { ordered: false }).catch((error) => {
      if (!isDuplicateKey(error)) throw error;
    });
  }
  return isDelivered;
}

async function writeRows(
  { db, clock }: EventsDeps,
  rows: ProjectEvent[],
  { webhooks }: EventReaders,
  session: Session,
): Promise<void> {
  const distinct = new Map(rows.map((row) => [row._id.toHexString(), row]));
  const projectId = rows[0]!.projectId;
  const ids = [...distinct.values()].map(({ _id }) => _id);
  const known = await db.projectEvents
    .find({ _id: { $in: ids }, projectId }, { session, projection: { _id: 1 } })
    .toArray();
  for (const { _id } of known) distinct.delete(_id.toHexString());
  const fresh = [...distinct.values()];
  if (fresh.length === 0) return;
  const deliveries = fresh.flatMap((event) =>
    webhooks.filter(({ types }) => types.has(event.type)).map(({ _id }) => newDelivery(event, _id, clock.now())),
  );
  await db.projectEvents.insertMany(fresh, { session });
  const missing = await withoutKnown(db, projectId, deliveries, session);
  if (missing.length > 0) await db.webhookDeliveries.insertMany(missing, { session });
}

/** A delivery may be kept for longer than its event, which is then written again with a repeat of its key. */
async function withoutKnown(
  { webhookDeliveries }: EventsDeps['db'],
  projectId: ObjectId,
  deliveries: WebhookDelivery[],
  session: Session,
): Promise<WebhookDelivery[]> {
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(({ _id }) => _id);
  const known = await webhookDeliveries
    .find({ _id: { $in: ids }, projectId }, { session, projection: { _id: 1 } })
    .toArray();
  const keys = new Set(known.map(({ _id }) => _id.toHexString()));
  return deliveries.filter(({ _id }) => !keys.has(_id.toHexString()));
}

/** Personal data of these events leaves the log at that time. */
export async function eraseEventsAt(
  { db }: Pick<EventsDeps, 'db'>,
  which: Filter<ProjectEvent>,
  eraseAt: Date,
  session?: Session,
): Promise<void> {
  await db.projectEvents.updateMany(which, { $set: { eraseAt } }, session ? { session } : {});
}
