import type { ObjectId } from 'mongodb';
import { ttlCache } from '../base/cache.ts';
import { type Deps, oncePerCore } from '../base/deps.ts';

/** The readers of a project's events. */
export interface EventReaders {
  webhooks: Array<{ _id: ObjectId; types: Set<string> }>;
  /** /stream is open, or was within the last hour. */
  streamed: boolean;
}

type ReaderDeps = Pick<Deps, 'state' | 'db' | 'signals' | 'clock'>;

const CHANNEL = 'event-readers';
const NO_READERS: EventReaders = { webhooks: [], streamed: false };

const cache = oncePerCore(({ signals }: ReaderDeps, onClose) => {
  const readers = ttlCache<EventReaders>({ keptMs: 2_000, sizeMax: 10_000 });
  onClose(signals.subscribe(CHANNEL, (projectId) => readers.delete(projectId)));
  return readers;
});

/** Needed for every event, so the answer is cached for two seconds; a change is announced to every process at once over Redis. */
export function eventReaders(deps: ReaderDeps, projectId: ObjectId): Promise<EventReaders> {
  return cache(deps).get(projectId.toHexString(), () => read(deps, projectId));
}

/** To be called after a write that changed the readers. */
export function readersChanged(deps: ReaderDeps, projectId: ObjectId): void {
  cache(deps).delete(projectId.toHexString());
  deps.signals.publish(CHANNEL, projectId.toHexString());
}

async function read({ db, clock }: ReaderDeps, projectId: ObjectId): Promise<EventReaders> {
  const [webhooks, stream] = await Promise.all([
    db.webhooks.find({ projectId, isActive: true }, { projection: { events: 1 } }).toArray(),
    db.eventStreams.findOne({ _id: projectId, projectId, openUntil: { $gt: clock.now() } }, { projection: { _id: 1 } }),
  ]);
  if (webhooks.length === 0 && !stream) return NO_READERS;
  return { webhooks: webhooks.map(({ _id, events }) => ({ _id, types: new Set(events) })), streamed: stream !== null };
}
