import type { ObjectId } from 'mongodb';
import { dueProjects } from '../jobs/due-projects.ts';
import { AT_ONCE_MS } from '../messages/messages.ts';
import type { Lane, SendingDeps } from '../outbox/relay.ts';
import { isOrphan } from '../outbox/states.ts';

/** A read begins at the front of a project's queue at least this often. */
const WHOLE_EVERY_MS = 1_000;
/** Mails are stored in another order than they are due, as the clocks of their processes and the times of their requests differ. */
const DISORDER_MS = 5_000;

/** Where the last read of a project's queue ended. */
interface Place {
  from: Date | null;
  /** When a read began at the front, by the monotonic clock. */
  wholeAtMs: number;
  /** The last read found as much as it asked for. */
  isBehind: boolean;
}

interface Due {
  orphans: ObjectId[];
  open: ObjectId[];
}

/**
 * Finds the due mails of a lane. The index keeps an entry of each mail that has left the queue for minutes, and a read from the front
 * passes over all of them: behind a backlog of 20,000 that was most of what a mail cost MongoDB. So a read begins where the last one
 * ended.
 *
 * - behind: the read before this one found as much as it asked for; this one begins where that one ended
 * - quiet: it begins a few seconds before that place, for mails that are stored in another order than they are due
 * - whole: it begins at the front, once a second, for mails that are due for longer than that
 */
export class DueMails {
  #deps: Pick<SendingDeps, 'db' | 'clock'>;
  #lane: Lane;
  #now: () => number;
  #places = new Map<string, Place>();

  constructor(deps: Pick<SendingDeps, 'db' | 'clock'>, lane: Lane, now: () => number) {
    this.#deps = deps;
    this.#lane = lane;
    this.#now = now;
  }

  projects(now: Date): Promise<ObjectId[]> {
    return dueProjects(this.#deps.db.messages, { where: { lane: this.#lane }, field: 'dueAt', now });
  }

  async read(projectId: ObjectId, limit: number): Promise<Due> {
    const key = projectId.toHexString();
    const place = this.#places.get(key) ?? { from: null, wholeAtMs: 0, isBehind: false };
    const isWhole = place.from === null || this.#now() - place.wholeAtMs >= WHOLE_EVERY_MS;
    const due = await this.#find(projectId, isWhole ? null : place, limit);
    if (isWhole) place.wholeAtMs = this.#now();
    place.isBehind = due.length === limit;
    place.from = this.#placeAfter(due.at(-1)?.dueAt) ?? place.from;
    if (due.length > 0 || !isWhole) this.#places.set(key, place);
    else this.#places.delete(key);
    const { orphans = [], open = [] } = Object.groupBy(due, ({ state }) => (isOrphan(state) ? 'orphans' : 'open'));
    return { orphans: orphans.map(({ _id }) => _id), open: open.map(({ _id }) => _id) };
  }

  isBehind(projectId: ObjectId): boolean {
    return this.#places.get(projectId.toHexString())?.isBehind ?? false;
  }

  /** New mail is due a minute before it is stored, and deferred mail is not: no read may begin between the two. */
  #placeAfter(dueAt: Date | undefined): Date | null {
    const newest = this.#deps.clock.now().getTime() - AT_ONCE_MS;
    return dueAt ? new Date(Math.min(dueAt.getTime(), newest)) : null;
  }

  async #find(projectId: ObjectId, place: Place | null, limit: number) {
    if (!place?.from) return this.#findFrom(projectId, null, limit);
    const further = place.isBehind ? await this.#findFrom(projectId, place.from, limit) : [];
    if (further.length === limit) return further;
    return this.#findFrom(projectId, new Date(place.from.getTime() - DISORDER_MS), limit);
  }

  #findFrom(projectId: ObjectId, from: Date | null, limit: number) {
    const dueAt = from ? { $gte: from } : { $exists: true };
    const filter = { lane: this.#lane, projectId, dueAt, $expr: { $lte: ['$dueAt', '$$NOW'] } };
    const projection = { state: 1, dueAt: 1 } as const;
    return this.#deps.db.messages.find(filter, { projection, sort: { dueAt: 1 }, limit }).toArray();
  }
}
