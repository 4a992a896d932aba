import type { Redis } from 'ioredis';
import type { Log } from '../../core/base/deps.ts';
import type { Budgets, BudgetUse, Share, ShareState } from '../../core/base/limits/budgets.ts';
import type { Members } from '../../core/base/members.ts';
import { dividedShare } from './divided.ts';
import { hasDied, processName } from './identity.ts';
import { SHARE_SCRIPT } from './script.ts';

/** A share that is not renewed ends after so long. */
const LEASE_MS = 5_000;
/** Here a little earlier than in Redis, whose clock may be faster. */
const LEASE_HERE = 0.9;
const RENEWALS = 5;
/** While this process waits for more. */
const WAITING_MS = 250;
/** While this process has to use less: others wait for it. */
const SHRINKING_MS = 50;
/** Redis is being connected to when a process starts. */
const FIRST_MS = 1_000;
const FIRST_LOOK_MS = 25;
/** The most often that demand leads to a question. */
const ASK_MS = 20;
/** How long a process has one of fewer units than there are processes. */
const ROTATION_MS = 5_000;
/** Shares of rates are fractions. */
const SAME = 1e-6;

export interface BudgetsOptions {
  redis: Redis;
  /** Begins the keys, so that installations may share a Redis. */
  prefix: string;
  log: Log;
  members: Pick<Members, 'rank'>;
  /** The database's time. */
  clock: { now(): Date };
  leaseMs?: number;
  now?: () => number;
}

interface Held {
  use: BudgetUse;
  share: number;
  mode: ShareState['mode'];
  leaseUntil: number;
  /** The last answer was less than what was wanted. */
  isShort: boolean;
}

export interface OpenBudgets extends Budgets {
  /** Others may have the shares of this process. */
  close(): Promise<void>;
}

/** Shares of budgets by leases in Redis: all of a process are renewed in one round trip. */
export function openBudgets(options: BudgetsOptions): OpenBudgets {
  const budgets = new LeasedBudgets(options);
  return {
    join: (use) => budgets.join(use),
    states: () => budgets.states(),
    close: () => budgets.close(),
  };
}

/**
 * - waiting: no answer came yet, and the share is 0, for a second at most
 * - shared: Redis has answered within the lease
 * - divided: the lease has ended, or processes are missing in Redis: every process has an equal part
 */
class LeasedBudgets implements Budgets {
  readonly #options: BudgetsOptions;
  readonly #now: () => number;
  readonly #leaseMs: number;
  readonly #name = processName();
  #held: Held[] = [];
  #renewing: Promise<void> | null = null;
  #isAsked = false;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #nextAt = 0;
  #hasLookedForDead = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BudgetsOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
    this.#now = options.now ?? (() => performance.now());
  }

  join(use: BudgetUse): Share {
    const held: Held = { use, share: 0, mode: 'shared', leaseUntil: this.#now() + FIRST_MS, isShort: false };
    this.#held.push(held);
    this.#in(0);
    return { amount: () => held.share, ask: () => this.#ask(held) };
  }

  states(): ShareState[] {
    return this.#held.map(({ use, share, mode }) => ({
      ...{ name: use.name, unit: use.unit, budget: use.amount, share, mode },
      ...{ inUse: use.inUse(), wanted: use.wanted() },
    }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    const { redis } = this.#options;
    if (redis.status !== 'ready' || this.#held.length === 0) return;
    const commands = redis.pipeline();
    for (const { use } of this.#held) commands.hdel(this.#keyOf(use), this.#name);
    await commands.exec().catch(() => undefined);
    this.#held = [];
  }

  /** Asking more often does not help while others have to release something first. */
  #ask({ isShort }: Held): void {
    this.#isAsked = true;
    const at = this.#renewedAt + (isShort ? WAITING_MS : ASK_MS);
    if (!this.#renewing && at < this.#nextAt) this.#in(Math.max(0, at - this.#now()));
  }

  #in(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#nextAt = this.#now() + ms;
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew().finally(() => {
        this.#renewing = null;
      });
    }, ms).unref();
  }

  async #renew(): Promise<void> {
    this.#isAsked = false;
    const began = this.#now();
    this.#renewedAt = began;
    const held = [...this.#held];
    const before = held.map(({ share }) => share);
    const answers = await this.#request(held).catch((error) => {
      this.#options.log.debug({ err: error }, 'shares of budgets could not be renewed');
      return null;
    });
    held.forEach((one, index) => {
      const answer = answers?.[index];
      if (answer !== undefined) one.leaseUntil = began + this.#leaseMs * LEASE_HERE;
      if (answer !== undefined && answer !== '-') this.#set(one, Number(answer), 'shared');
      else if (answer === '-' || this.#now() >= one.leaseUntil) this.#set(one, this.#divided(one), 'divided');
      one.isShort = one.use.wanted() > one.share + SAME;
    });
    if (this.#isClosed) return;
    const isLower = held.some(({ share }, index) => share < before[index]! - SAME);
    const pauseMs = this.#isAsked ? Math.min(ASK_MS, this.#pauseMs()) : this.#pauseMs();
    const leases = held.map(({ leaseUntil }) => leaseUntil - this.#now()).filter((ms) => ms > 0);
    this.#in(isLower ? 0 : Math.min(pauseMs, ...leases));
  }

  #pauseMs(): number {
    if (this.#held.some(({ use, share }) => use.inUse() > share + SAME && use.unit === 'connections'))
      return SHRINKING_MS;
    if (this.#held.some(({ share, leaseUntil }) => share === 0 && this.#now() < leaseUntil) && !this.#isUp())
      return FIRST_LOOK_MS;
    return this.#held.some(({ isShort }) => isShort) ? WAITING_MS : this.#leaseMs / RENEWALS;
  }

  #isUp(): boolean {
    return this.#options.redis.status === 'ready';
  }

  async #request(held: readonly Held[]): Promise<string[] | null> {
    const { redis, members } = this.#options;
    if (!this.#isUp() || held.length === 0) return null;
    if (!this.#hasLookedForDead) await this.#removeDead(held);
    const keys = held.map(({ use }) => this.#keyOf(use));
    const asked = held.flatMap(({ use, share }) => {
      const isWhole = use.unit === 'connections';
      const kept = isWhole ? Math.floor(use.amount / 5) : use.amount / 5;
      return [
        ...[use.amount, Number(isWhole), kept, members.rank(...use.roles).count],
        ...[Number(use.isFirst), Number(use.isUrgent())],
        ...[share, isWhole ? use.inUse() : 0, use.wanted()],
      ];
    });
    const args = [this.#name, this.#leaseMs, ROTATION_MS, ...asked];
    return (await redis.eval(SHARE_SCRIPT, keys.length, ...keys, ...args)) as string[];
  }

  /** A process that is started again after a crash does not wait for the lease of the one before it. */
  async #removeDead(held: readonly Held[]): Promise<void> {
    const { redis } = this.#options;
    this.#hasLookedForDead = true;
    for (const { use } of held) {
      const dead = (await redis.hkeys(this.#keyOf(use))).filter(hasDied);
      if (dead.length > 0) await redis.hdel(this.#keyOf(use), ...dead);
    }
  }

  #divided({ use }: Held): number {
    return dividedShare(use, this.#options.members.rank(...use.roles), this.#options.clock.now().getTime());
  }

  #set(held: Held, share: number, mode: ShareState['mode']): void {
    held.mode = mode;
    if (Math.abs(held.share - share) < SAME) return;
    held.share = share;
    held.use.onShare();
  }

  #keyOf({ name }: BudgetUse): string {
    return `${this.#options.prefix}:budget:${name}`;
  }
}
