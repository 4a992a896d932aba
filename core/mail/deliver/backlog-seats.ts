import type { Collection } from 'mongodb';
import type { Rank } from '../../base/members.ts';
import { after } from '../ledger/ledger.ts';
import type { Lane, SendingDeps } from '../ledger/relay.ts';

/**
 * Connections of the installation for one process at a backlog. With fewer its claims get small, and a small claim costs as much as a large
 * one: eight processes with eight connections each sent a third of what one with 64 sends.
 */
const CONNECTIONS = 64;
/** Another process has the seat so long after its last one was killed, and a look later. */
const SEAT_MS = 2_000;
/** Here a little earlier than in the database. */
const SEAT_HERE_MS = 1_800;
const RENEW_MS = 700;
const AGAIN_MS = 500;

type SeatDeps = Pick<SendingDeps, 'db' | 'members' | 'config' | 'signals' | 'log'>;

/** Of the seats at the backlog of a lane: one process at a time has it. `_id` is lane and number. */
interface BacklogSeat {
  _id: string;
  owner: string;
  until: Date;
}

/**
 * Which part of a long backlog this process works at: its readers never meet. Where there are connections for all processes, each has a part by
 * its rank. Else a few of them have seats, for as long as they renew them, and the connections of the others move to them.
 */
export class BacklogSeats {
  readonly #deps: SeatDeps;
  readonly #lane: Exclude<Lane, 'campaign'>;
  readonly #now: () => number;
  /** The number that it has, or asks for next. */
  #seat: number | null = null;
  #untilMs = Number.NEGATIVE_INFINITY;
  #nextMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;

  constructor(deps: SeatDeps, lane: Exclude<Lane, 'campaign'>, now: () => number) {
    this.#deps = deps;
    this.#lane = lane;
    this.#now = now;
  }

  /** null: the seats are taken. */
  async part(): Promise<Rank | null> {
    const { members, config, signals } = this.#deps;
    const own = members.rank('mail');
    const count = Math.max(1, Math.floor(config.smtpMaxConnections / CONNECTIONS));
    // Without Redis connections do not move: each process has an equal part of them.
    if (count >= own.count || !signals.isUp()) return own;
    if (this.#now() >= this.#nextMs) {
      this.#asking ??= this.#ask(own, count).finally(() => {
        this.#asking = null;
      });
      await this.#asking;
    }
    return this.#seat !== null && this.#now() < this.#untilMs ? { rank: this.#seat, count } : null;
  }

  /** Its own seat again, or, one after the other, those that others may have left. */
  async #ask({ rank }: Rank, count: number): Promise<void> {
    const askedMs = this.#now();
    const wanted = this.#seat ?? rank % count;
    if (await this.#take(wanted)) {
      this.#seat = wanted;
      this.#untilMs = askedMs + SEAT_HERE_MS;
      this.#nextMs = askedMs + RENEW_MS;
    } else {
      this.#seat = (wanted + 1) % count;
      this.#untilMs = Number.NEGATIVE_INFINITY;
      this.#nextMs = askedMs + AGAIN_MS;
    }
  }

  /** A seat need not survive a failover: what two processes read is claimed once. */
  async #take(number: number): Promise<boolean> {
    const { db, members, log } = this.#deps;
    const isFree = {
      $or: [{ $eq: ['$owner', members.id] }, { $lte: [{ $ifNull: ['$until', '$$NOW'] }, '$$NOW'] }],
    };
    const change = {
      owner: { $cond: [isFree, members.id, '$owner'] },
      until: { $cond: [isFree, after(SEAT_MS), '$until'] },
    };
    const options = { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } } as const;
    try {
      const seat = await db.backlogSeats.findOneAndUpdate(
        { _id: `${this.#lane} ${number}` },
        [{ $set: change }],
        options,
      );
      return seat?.owner === members.id;
    } catch (error) {
      // Two made the document at the same time; or the database is away, and nothing can be claimed.
      log.debug({ err: error, lane: this.#lane }, 'a seat at a backlog could not be taken');
      return false;
    }
  }
}

declare module '../../base/collections.ts' {
  interface Collections {
    backlogSeats: Collection<BacklogSeat>;
  }
}
