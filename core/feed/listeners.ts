import type { ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';

/** The readers of a project's events. */
export interface EventReaders {
  webhooks: Array<{ _id: ObjectId; types: Set<string> }>;
  /** /stream is open, or was within the last hour. */
  streamed: boolean;
}

type ReaderDeps = Pick<Deps, 'db' | 'signals' | 'clock'>;

const CHANNEL = 'event-readers';
const KEPT_MS = 2_000;
const KEPT_MAX = 10_000;
const NO_READERS: EventReaders = { webhooks: [], streamed: false };

type Kept = { readMs: number; value: Promise<EventReaders> };
const kept = new WeakMap<object, Map<string, Kept>>();

/** Needed for every event, so the answer is cached for two seconds; a change is announced to every process at once over Redis. */
export function eventReaders(deps: ReaderDeps, projectId: ObjectId): Promise<EventReaders> {
  const known = cacheOf(deps);
  const key = projectId.toHexString();
  const entry = known.get(key);
  if (entry && performance.now() - entry.readMs < KEPT_MS) return entry.value;
  if (known.size >= KEPT_MAX) known.clear();
  const value = read(deps, projectId);
  known.set(key, { readMs: performance.now(), value });
  value.catch(() => known.delete(key));
  return value;
}

/** To be called after a write that changed the readers. */
export function readersChanged(deps: ReaderDeps, projectId: ObjectId): void {
  cacheOf(deps).delete(projectId.toHexString());
  deps.signals.publish(CHANNEL, projectId.toHexString());
}

function cacheOf(deps: ReaderDeps): Map<string, Kept> {
  const known = kept.get(deps.db);
  if (known) return known;
  const made = new Map<string, Kept>();
  kept.set(deps.db, made);
  deps.signals.subscribe(CHANNEL, (projectId) => made.delete(projectId));
  return made;
}

async function read({ db, clock }: ReaderDeps, projectId: ObjectId): Promise<EventReaders> {
  const [webhooks, stream] = await Promise.all([
    db.webhooks.find({ projectId, isActive: true }, { projection: { events: 1 } }).toArray(),
    db.eventStreams.findOne({ _id: projectId, projectId, openUntil: { $gt: clock.now() } }, { projection: { _id: 1 } }),
  ]);
  if (webhooks.length === 0 && !stream) return NO_READERS;
  return { webhooks: webhooks.map(({ _id, events }) => ({ _id, types: new Set(events) })), streamed: stream !== null };
}
