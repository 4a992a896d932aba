import type { Document, ObjectId } from 'mongodb';
import { eventTypes, type StreamedEventType, streamedTypes } from '../../schemas/events/webhooks.ts';
import { repeatOnDuplicate } from '../base/database/idempotent-insert.ts';
import { oncePerCore } from '../base/deps.ts';
import { HOUR_MS } from '../base/time/durations.ts';
import { ttlCache } from '../base/work/cache.ts';
import type { EventsDeps } from './deps.ts';
import type { EventStreamRow } from './model.ts';

/** The readers of a project's events. */
export interface EventReaders {
  webhooks: Array<{ _id: ObjectId; types: Set<string> }>;
  /** The types that streams ask for, open ones and those of the last hour. */
  streamed: ReadonlySet<string>;
}

type ReaderDeps = Pick<EventsDeps, 'state' | 'db' | 'signals' | 'clock'>;

const CHANNEL = 'event-readers';
const NO_READERS: EventReaders = { webhooks: [], streamed: new Set() };
/** Events are kept for this long after the last reader disconnected, so that it finds those that it missed. */
const LISTENED_MS = HOUR_MS;

const cache = oncePerCore(({ signals }: ReaderDeps, onClose) => {
  const readers = ttlCache<EventReaders>({ keptMs: 2_000, sizeMax: 10_000 });
  onClose(signals.subscribe(CHANNEL, (projectId) => readers.delete(projectId)));
  return readers;
});

/** Needed for every event, so the answer is cached for two seconds; a change is announced to every process at once over Redis. */
export function eventReaders(deps: ReaderDeps, projectId: ObjectId): Promise<EventReaders> {
  return cache(deps).get(projectId.toHexString(), () => read(deps, projectId));
}

export function isRead({ streamed, webhooks }: EventReaders, type: string): boolean {
  return streamed.has(type) || webhooks.some(({ types }) => types.has(type));
}

/** To be called after a write that changed the readers. */
export function readersChanged(deps: ReaderDeps, projectId: ObjectId): void {
  cache(deps).delete(projectId.toHexString());
  deps.signals.publish(CHANNEL, projectId.toHexString());
}

/** Events of figures, which the next one replaces, are kept for as long as a stream may resume. */
export function figuresUntil({ clock }: Pick<EventsDeps, 'clock'>): Date {
  return new Date(clock.now().getTime() + LISTENED_MS);
}

/** Records that a stream reads events of these types, so that they are kept. */
export async function listen(
  deps: ReaderDeps,
  projectId: ObjectId,
  types: Iterable<StreamedEventType> = eventTypes,
): Promise<void> {
  const now = deps.clock.now();
  const openUntil = new Date(now.getTime() + LISTENED_MS);
  const asked = Object.fromEntries([...types].map((type) => [keyOf(type), openUntil]));
  // A former version has written no types, and its streams have all of them.
  const ofAll = Object.fromEntries(eventTypes.map((type) => [keyOf(type), '$openUntil']));
  const before = { $ifNull: ['$types', { $cond: [{ $gt: ['$openUntil', now] }, ofAll, {}] }] };
  // Of several first streams that open at once one inserts the document.
  await repeatOnDuplicate(() =>
    deps.db.eventStreams.updateOne(
      { _id: projectId, projectId },
      [{ $set: { types: { $mergeObjects: [before, asked] } } }, { $set: { openUntil } }],
      { upsert: true },
    ),
  );
  readersChanged(deps, projectId);
}

async function read({ db, clock }: ReaderDeps, projectId: ObjectId): Promise<EventReaders> {
  const now = clock.now();
  const [webhooks, stream] = await Promise.all([
    db.webhooks.find({ projectId, isActive: true }, { projection: { events: 1 } }).toArray(),
    db.eventStreams.findOne({ _id: projectId, projectId, openUntil: { $gt: now } }),
  ]);
  if (webhooks.length === 0 && !stream) return NO_READERS;
  return {
    webhooks: webhooks.map(({ _id, events }) => ({ _id, types: new Set(events) })),
    streamed: stream ? typesOf(stream, now) : NO_READERS.streamed,
  };
}

function typesOf({ types }: EventStreamRow, now: Date): ReadonlySet<string> {
  if (!types) return new Set(eventTypes);
  return new Set(streamedTypes.filter((type) => (types[keyOf(type)] ?? now) > now));
}

/** A key of a document has no dots. */
function keyOf(type: string): string {
  return type.replaceAll('.', ',');
}

/** The process that publishes the figures of a project, and its readers; null: no stream was ever open. A lost write costs a lease. */
export function changeFiguresLease(
  { db }: Pick<EventsDeps, 'db'>,
  projectId: ObjectId,
  update: Document[],
): Promise<EventStreamRow | null> {
  return db.eventStreams.findOneAndUpdate({ _id: projectId, projectId }, update, {
    returnDocument: 'after',
    writeConcern: { w: 1 },
  });
}
