import type { ObjectId } from 'mongodb';
import { eventTypes, type StreamedEventType, streamOnlyTypes } from '../../schemas/events/webhooks.ts';
import { invalid } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { wakeUps } from '../base/work/wake-ups.ts';
import type { EventsDeps } from './deps.ts';
import { eventChannel } from './events.ts';
import { listen } from './listeners.ts';
import type { ProjectEvent } from './model.ts';

const RENEW_EVERY_MS = 300_000;
/** How often the log is read without Redis. */
const LOOK_EVERY_MS = 500;
const SIGN_OF_LIFE_MS = 15_000;
/** Transactions end in another order than they begin: events of this many last milliseconds are read again. */
const OVERLAP_MS = 5_000;
/** Read only when the reader has taken the events before, so a slow one costs no memory. */
const TOGETHER_MAX = 500;

interface Position {
  after: Date;
  seen: Map<string, number>;
}

interface Watch {
  types: ReadonlySet<StreamedEventType>;
  signal: AbortSignal;
}

/**
 * Every event of the project from now on, or from the one after `lastEventId`; null is a keep-alive. After a reconnect some of
 * the last seconds may be repeated: an event is the same by its id.
 */
export async function watchEvents(
  deps: EventsDeps,
  project: Pick<Project, '_id'>,
  { lastEventId, ...watch }: Watch & { lastEventId: string },
): Promise<AsyncGenerator<ProjectEvent | null>> {
  // Once the reader hears that the stream is open, nothing that is written may count as older.
  const position = await startAt(deps, project._id, lastEventId);
  return eventsAfter(deps, project, position, watch);
}

async function* eventsAfter(
  deps: EventsDeps,
  project: Pick<Project, '_id'>,
  position: Position,
  { types, signal }: Watch,
): AsyncGenerator<ProjectEvent | null> {
  let renewedAt = performance.now();
  let spokeAt = performance.now();
  for await (const _wakeUp of wakeUps(deps, eventChannel(project._id), { everyMs: LOOK_EVERY_MS, signal })) {
    let isMore: boolean;
    do {
      const fresh = await readFresh(deps, project._id, position, types);
      isMore = fresh.isMore;
      for (const event of fresh.events) {
        if (signal.aborted) return;
        yield event;
      }
      if (fresh.events.length > 0) spokeAt = performance.now();
      if (performance.now() - spokeAt > SIGN_OF_LIFE_MS) {
        spokeAt = performance.now();
        yield null;
      }
      if (performance.now() - renewedAt > RENEW_EVERY_MS) {
        renewedAt = performance.now();
        await listen(deps, project._id, types);
      }
    } while (isMore && !signal.aborted);
  }
}

/** Without a choice all that webhooks can ask for. Figures that change many times a second have to be named in full. */
export function wantedTypes(types: string | undefined): ReadonlySet<StreamedEventType> {
  if (types === undefined || types.trim() === '') return new Set(eventTypes);
  const names = types.split(',').map((name) => name.trim());
  const of = (name: string): StreamedEventType[] => [
    ...eventTypes.filter((type) => type === name || (name.endsWith('*') && type.startsWith(name.slice(0, -1)))),
    ...streamOnlyTypes.filter((type) => type === name),
  ];
  const unknown = names.find((name) => of(name).length === 0);
  if (unknown !== undefined)
    throw invalid('types names an event that there is not.', 'types: must name events, comma separated');
  return new Set(names.flatMap(of));
}

/** The id of a moment: a reader that loses its connection before the first event resumes there. */
export function positionId({ clock }: Pick<EventsDeps, 'clock'>): string {
  return `since-${clock.now().getTime()}`;
}

async function startAt(deps: EventsDeps, projectId: ObjectId, lastEventId: string): Promise<Position> {
  const [, since] = /^since-(\d{13})$/.exec(lastEventId) ?? [];
  if (since) return { after: new Date(Number(since)), seen: new Map() };
  const _id = parseId(lastEventId);
  const last = _id && (await deps.db.projectEvents.findOne({ _id, projectId }));
  const position: Position = { after: last?.writtenAt ?? deps.clock.now(), seen: new Map() };
  if (last) position.seen.set(last._id.toHexString(), last.writtenAt.getTime());
  else await markSeen(deps, projectId, position);
  return position;
}

/** A new reader does not get events written just before. */
async function markSeen({ db }: EventsDeps, projectId: ObjectId, { after, seen }: Position): Promise<void> {
  const before = { projectId, writtenAt: { $gte: new Date(after.getTime() - OVERLAP_MS) } };
  const known = db.projectEvents.find(before, { projection: { writtenAt: 1 }, hint: 'written' });
  for (const { _id, writtenAt } of await known.toArray()) seen.set(_id.toHexString(), writtenAt.getTime());
}

/** `isMore`: there may be later events already, also where none of these is of a wanted type. */
async function readFresh(
  { db }: EventsDeps,
  projectId: ObjectId,
  position: Position,
  wanted: ReadonlySet<StreamedEventType>,
): Promise<{ events: ProjectEvent[]; isMore: boolean }> {
  const from = new Date(position.after.getTime() - OVERLAP_MS);
  const ids = await db.projectEvents
    .find({ projectId, writtenAt: { $gte: from } }, { projection: { _id: 1, writtenAt: 1 }, hint: 'written' })
    .sort({ writtenAt: 1, _id: 1 })
    .limit(position.seen.size + TOGETHER_MAX)
    .toArray();
  const fresh = ids.filter(({ _id }) => !position.seen.has(_id.toHexString())).slice(0, TOGETHER_MAX);
  if (fresh.length === 0) return { events: [], isMore: false };
  for (const { _id, writtenAt } of fresh) position.seen.set(_id.toHexString(), writtenAt.getTime());
  position.after = new Date(Math.max(position.after.getTime(), fresh.at(-1)!.writtenAt.getTime()));
  for (const [id, at] of position.seen) if (at < position.after.getTime() - 2 * OVERLAP_MS) position.seen.delete(id);
  const events = await db.projectEvents
    .find({ _id: { $in: fresh.map(({ _id }) => _id) }, projectId, type: { $in: [...wanted] } })
    .sort({ writtenAt: 1, _id: 1 })
    .toArray();
  return { events, isMore: fresh.length === TOGETHER_MAX };
}
