import { TokenBucket } from './token-bucket.ts';

/** A number for the whole installation, of which each process has a share: connections to a relay, or starts a second. */
export interface Budget {
  /** The same in all processes. */
  name: string;
  amount: number;
  /** Connections are whole; a rate may be shared in fractions. */
  unit: 'connections' | 'per second';
  /** The roles of the processes that share it. */
  roles: readonly string[];
}

/** How this process uses a budget. Called with every renewal of its share. */
export interface BudgetUse extends Budget {
  /** The transactional lane uses it: a part of the budget is kept for processes with that lane. */
  isFirst: boolean;
  /** How much it could use now. */
  wanted(): number;
  /** Transactional mail waits for it: it comes first where there is not enough for every process. */
  isUrgent(): boolean;
  /** Connections that are open, or a rate that is used. */
  inUse(): number;
  /** Its share has changed. */
  onShare(): void;
}

/** The part of a budget that this process may use now. */
export interface Share {
  amount(): number;
  /** There is more to do than the share allows. */
  ask(): void;
}

export interface ShareState {
  name: string;
  unit: Budget['unit'];
  /** Of the installation. */
  budget: number;
  /** Of this process, as what it uses and wants. */
  share: number;
  inUse: number;
  wanted: number;
  /** shared: by Redis. divided: equal parts for all processes, while Redis is down. */
  mode: 'shared' | 'divided';
}

export interface Budgets {
  join(use: BudgetUse): Share;
  states(): ShareState[];
}

declare module '../deps.ts' {
  interface Deps {
    budgets: Budgets;
  }
}

/** For one process alone: it has all of every budget. */
export const ownBudgets: Budgets = {
  join: ({ amount }) => ({ amount: () => amount, ask: () => undefined }),
  states: () => [],
};

/** The bucket is a little slower, so that no second has more than the rate when what was saved up is added. */
const SAVED = 0.05;
/** A process that uses less than its share leaves room for growth to others only above this. */
const GROWTH = 1.5;

/** The share of a rate, for code that begins something so often: mails to a relay, starts of enrollments. */
export class RateShare {
  readonly #share: Share;
  readonly #bucket: TokenBucket;
  readonly #amount: number;
  readonly #now: () => number;
  #begun = 0;
  #isShort = false;
  #recent = { since: 0, perSecond: 0, wasShort: false };

  constructor(
    budgets: Budgets,
    budget: Omit<Budget, 'unit'> & Pick<BudgetUse, 'isFirst'> & Partial<Pick<BudgetUse, 'isUrgent' | 'onShare'>>,
    now: () => number = () => performance.now(),
  ) {
    this.#amount = budget.amount;
    this.#now = now;
    this.#recent.since = now();
    this.#share = budgets.join({
      isUrgent: () => false,
      onShare: () => undefined,
      ...budget,
      unit: 'per second',
      wanted: () => this.#wanted(),
      inUse: () => this.#recent.perSecond,
    });
    this.#bucket = new TokenBucket(this.#share.amount() * (1 - SAVED), {
      burst: (perSecond) => Math.max(1, (perSecond / (1 - SAVED)) * SAVED),
      tokens: 1,
      now,
    });
  }

  /** How many may begin now. */
  left(): number {
    this.#bucket.set(this.#share.amount() * (1 - SAVED));
    const left = this.#bucket.left();
    if (left < 1) {
      this.#isShort = true;
      if (this.#share.amount() < this.#amount) this.#share.ask();
    }
    return left;
  }

  /** Less than 0 returns what was spent too early. */
  spend(count: number): void {
    this.#begun += count;
    this.#bucket.spend(count);
  }

  /** Until the next one may begin. */
  waitMs(): number {
    return this.left() >= 1 ? 0 : this.#bucket.waitMs();
  }

  #wanted(): number {
    const now = this.#now();
    const seconds = (now - this.#recent.since) / 1_000;
    if (seconds >= 1) {
      this.#recent = { since: now, perSecond: Math.max(0, this.#begun) / seconds, wasShort: this.#isShort };
      this.#begun = 0;
      this.#isShort = false;
    }
    if (this.#isShort || this.#recent.wasShort) return this.#amount;
    return Math.min(this.#amount, Math.max(this.#recent.perSecond * GROWTH, this.#amount / 100));
  }
}
