import type { ObjectId } from 'mongodb';
import { firstIdAt } from '../../base/ids.ts';
import type { Rank } from '../../base/members.ts';
import { dueProjects } from '../../jobs/due-projects.ts';
import type { Message } from '../ledger/model.ts';
import type { Lane, SendingDeps } from '../ledger/relay.ts';
import { isOrphan, states } from '../ledger/states.ts';
import { AT_ONCE_MS } from '../messages/messages.ts';
import { BacklogSeats } from './backlog-seats.ts';

/** A read begins at the front of a project's queue at least this often. */
const WHOLE_EVERY_MS = 1_000;
/** Mails are stored in another order than they are due, as the clocks of their processes and the times of their requests differ. */
const DISORDER_MS = 5_000;
/** Behind a backlog so many are read at once, whatever can be sent now. */
const AHEAD = 1_000;
/** A backlog of so many is long: it is left to the processes that have a seat at it. */
const LONG = 128;
/** So long after it was last seen, a process without a seat looks at a backlog before it takes of it. */
const LATELY_MS = 10_000;
/** Of so many projects with due mail together a backlog may be long, though it is short in each of them. */
const MANY = 8;

type Candidate = Pick<Message, '_id' | 'state'>;

/** Where the last read of a project's queue ended. */
interface Place {
  from: Date | null;
  /** When a read began at the front, by the monotonic clock. */
  wholeAtMs: number;
  /** The last read found as much as it asked for. */
  isBehind: boolean;
  /** Read, and not yet handed out. */
  ahead: Candidate[];
}

interface Due {
  orphans: ObjectId[];
  open: ObjectId[];
  /** More may be due. */
  more: boolean;
}

type DueDeps = Pick<SendingDeps, 'db' | 'clock' | 'members' | 'config' | 'signals' | 'log'>;

/**
 * Finds the due mails of a lane. The index keeps an entry of each mail that has left the queue for minutes, and a read from the front
 * passes over all of them: behind a backlog of 20,000 that was most of what a mail cost MongoDB. So a read begins where the last one
 * ended, and behind a backlog it reads for many claims.
 *
 * - behind: the read before this one found as much as it asked for; this one begins where that one ended
 * - quiet: it begins a few seconds before that place, for mails that are stored in another order than they are due
 * - whole: it begins at the front, once a second, for mails that are due for longer than that
 *
 * Several processes behind the same backlog would all claim the same mails, and each mail is claimed by one: so each keeps its own part of
 * what it read, unless there is nothing of it. A long backlog is left to those that have a seat at it.
 */
export class DueMails {
  #deps: DueDeps;
  #lane: Exclude<Lane, 'campaign'>;
  #now: () => number;
  #places = new Map<string, Place>();
  #seats: BacklogSeats;
  /** When a long backlog was found of which others have the seats, by the monotonic clock. */
  #longAtMs = Number.NEGATIVE_INFINITY;
  #isLooking = false;

  constructor(deps: DueDeps, lane: Exclude<Lane, 'campaign'>, now: () => number) {
    this.#deps = deps;
    this.#lane = lane;
    this.#now = now;
    this.#seats = new BacklogSeats(deps, lane, now);
  }

  /**
   * False while others work at a long backlog of the lane: nothing is to be taken, and no connection asked for, which would take it from them.
   * Whether it is long still, of all projects together, is looked at once a second.
   */
  async mayRead(): Promise<boolean> {
    if (this.#now() - this.#longAtMs > LATELY_MS || (await this.#seats.part())) return true;
    if (this.#isLooking || this.#isLongNow()) return false;
    this.#isLooking = true;
    try {
      return !(await this.#isLaneLong());
    } finally {
      this.#isLooking = false;
    }
  }

  /** None while others work at a long backlog: a look passes over the entries of all mails that have left. */
  async projects(now: Date): Promise<ObjectId[]> {
    if (this.#isLongNow() && !(await this.#seats.part())) return [];
    const found = await dueProjects(this.#deps.db.messages, { where: { lane: this.#lane }, field: 'dueAt', now });
    const mayBeLong = found.length >= MANY && !(await this.#seats.part());
    return mayBeLong && (await this.#isLaneLong()) ? [] : found;
  }

  async read(projectId: ObjectId, limit: number): Promise<Due> {
    const key = projectId.toHexString();
    const place = this.#places.get(key) ?? { from: null, wholeAtMs: 0, isBehind: false, ahead: [] };
    const isWhole = place.from === null || this.#now() - place.wholeAtMs >= WHOLE_EVERY_MS;
    if (isWhole || place.ahead.length === 0) await this.#readAhead(projectId, place, { isWhole, limit });
    const due = place.ahead.splice(0, limit);
    const more = place.isBehind || place.ahead.length > 0;
    if (due.length > 0 || more || !isWhole) this.#places.set(key, place);
    else this.#places.delete(key);
    const { orphans = [], open = [] } = Object.groupBy(due, ({ state }) => (isOrphan(state) ? 'orphans' : 'open'));
    return { orphans: orphans.map(({ _id }) => _id), open: open.map(({ _id }) => _id), more };
  }

  /** Mails for which there was no connection come first in the next read. True when there are any. */
  giveBack(projectId: ObjectId, ids: readonly ObjectId[]): boolean {
    const place = this.#places.get(projectId.toHexString());
    place?.ahead.unshift(...ids.map((_id): Candidate => ({ _id, state: states.queued })));
    return ids.length > 0;
  }

  isBehind(projectId: ObjectId): boolean {
    const place = this.#places.get(projectId.toHexString());
    return place !== undefined && (place.isBehind || place.ahead.length > 0);
  }

  async #readAhead(projectId: ObjectId, place: Place, { isWhole, limit }: { isWhole: boolean; limit: number }) {
    const part = place.isBehind || limit >= LONG ? await this.#seats.part() : null;
    const most = place.isBehind ? Math.max(limit, part ? AHEAD : LONG) : limit;
    const found = await this.#find(projectId, isWhole ? null : place, most);
    if (isWhole) place.wholeAtMs = this.#now();
    const isOfOthers = !part && this.#isLong(found);
    place.isBehind = found.length === most && !isOfOthers;
    if (!isOfOthers) place.from = this.#placeAfter(found.at(-1)?.dueAt) ?? place.from;
    const own = part ?? this.#deps.members.rank('mail');
    place.ahead = isOfOthers ? [] : found.length > limit ? ownPart(found, own) : found;
  }

  async #isLaneLong(): Promise<boolean> {
    const due = { lane: this.#lane, projectId: { $gte: firstIdAt(0) }, $expr: { $lte: ['$dueAt', '$$NOW'] } };
    const options = { projection: { _id: 1 }, hint: 'due', limit: LONG };
    return this.#isLong(await this.#deps.db.messages.find({ ...due, dueAt: { $exists: true } }, options).toArray());
  }

  #isLong(found: readonly unknown[]): boolean {
    if (found.length < LONG) return false;
    this.#longAtMs = this.#now();
    return true;
  }

  #isLongNow(): boolean {
    return this.#now() - this.#longAtMs < WHOLE_EVERY_MS;
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

/** Those of other processes are found again by a whole read, and taken when nothing else is left to read. */
function ownPart(found: Candidate[], { rank, count }: Rank): Candidate[] {
  const own = found.filter(({ _id }) => partOf(_id, count) === rank);
  return own.length > 0 ? own : found;
}

/** Ids end with a counter that other documents take numbers of, so that all of one kind may be odd: its bits are mixed. */
function partOf({ id }: ObjectId, count: number): number {
  const counter = (id[9]! << 16) | (id[10]! << 8) | id[11]!;
  return (Math.imul(counter, 0x9e3779b1) >>> 16) % count;
}
