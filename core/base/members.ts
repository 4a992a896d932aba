import { randomUUID } from 'node:crypto';

/** The number of processes with a role, and where this one comes among them by id. */
export interface Rank {
  rank: number;
  count: number;
}

interface Member {
  _id: string;
  roles: readonly string[];
}

export const ALONE: Rank = { rank: 0, count: 1 };
/** A process that reported nothing for so long does not run. */
export const GONE_MS = 15_000;

/**
 * The processes of the installation as this one last read them, by core/figures/live/processes.ts. Until then this process is alone. While MongoDB
 * is down the last list stays.
 */
export class Members {
  /** New with every start. */
  readonly id = randomUUID();
  readonly #now: () => number;
  #members = new Map<string, readonly string[]>();
  #ranks = new Map<string, Rank>();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #settledAtMs = Number.NEGATIVE_INFINITY;

  constructor({ now = () => performance.now() } = {}) {
    this.#now = now;
  }

  /** Of this process among those with the role, or one of the roles; alone when it has none of them. */
  rank(...roles: readonly string[]): Rank {
    const key = roles.join();
    const known = this.#ranks.get(key);
    if (known) return known;
    const ids = this.#idsOf(roles).toSorted();
    const rank = ids.indexOf(this.id);
    const found = rank === -1 ? ALONE : { rank, count: ids.length };
    this.#ranks.set(key, found);
    return found;
  }

  /** Never less than 1. */
  count(role: string): number {
    return Math.max(1, this.#idsOf([role]).length);
  }

  /** After an outage of MongoDB all reports are old, so the members before it stay until each had time to report. */
  read(roles: readonly string[], lately: readonly Member[]): void {
    const nowMs = this.#now();
    if (nowMs - this.#readAtMs > GONE_MS) this.#settledAtMs = nowMs + GONE_MS;
    this.#readAtMs = nowMs;
    const found = [...lately.map(({ _id, roles: its }) => [_id, its] as const), [this.id, roles] as const];
    this.#members = new Map(nowMs < this.#settledAtMs ? [...this.#members, ...found] : found);
    this.#ranks.clear();
  }

  #idsOf(roles: readonly string[]): string[] {
    return [...this.#members].flatMap(([id, its]) => (roles.some((role) => its.includes(role)) ? [id] : []));
  }
}
