import { type Budgets, ownBudgets, RateShare, type Share } from '../../../core/base/limits/budgets.ts';
import type { Lane } from '../../../core/mail/ledger/relay.ts';

/** The roles of the processes that hand mail to relays. */
const SENDING_ROLES = ['mail', 'campaign'];
/** More connections are asked for than are in use, so that a little more mail does not wait for an answer. */
const HEADROOM_MIN = 4;
const HEADROOM = 0.5;
/** A peak of use counts for so long at least. */
const PEAK_MS = 1_000;

/** How the connections are used that a share allows. */
interface Use {
  /** Held by lanes. */
  used(): number;
  /** At the relay, those included that are just closed. */
  open(): number;
  /** Mail that waits for a connection, of a lane or of all. */
  waiting(lane?: Lane): number;
  onShare(): void;
}

export interface LimitOptions {
  budgets: Budgets;
  route: 'default' | 'transactional';
  /** The lanes whose mail this process hands to the route; empty: none, so it has no part in the budgets. */
  served: readonly Lane[];
  now(): number;
}

/** This process's part of the connections of a route, or of one of its relays. */
export class ConnectionShare {
  readonly #share: Share;
  readonly #amount: number;
  readonly #use: Use;
  readonly #now: () => number;
  #peak = 0;
  #peakBefore = 0;
  #peakSince = 0;

  constructor(options: LimitOptions, { relay, amount }: { relay?: string; amount: number }, use: Use) {
    this.#amount = amount;
    this.#use = use;
    this.#now = options.now;
    this.#share = budgetsOf(options).join({
      name: nameOf('connections', options, relay),
      amount,
      unit: 'connections',
      roles: SENDING_ROLES,
      isFirst: options.served.includes('transactional'),
      isUrgent: () => use.waiting('transactional') > 0,
      wanted: () => this.#wanted(),
      inUse: () => use.open(),
      onShare: () => use.onShare(),
    });
  }

  amount(): number {
    return this.#share.amount();
  }

  /** Called when a connection was taken, or is waited for. */
  note(): void {
    const used = this.#use.used();
    this.#peak = Math.max(this.#peak, used);
    if (used + this.#use.waiting() >= this.amount() && this.amount() < this.#amount) this.#share.ask();
  }

  #wanted(): number {
    const used = this.#use.used();
    const waiting = this.#use.waiting();
    if (waiting > 0 || (used > 0 && used >= this.amount())) return this.#amount;
    if (this.#now() - this.#peakSince >= PEAK_MS) {
      this.#peakBefore = this.#peak;
      this.#peak = used;
      this.#peakSince = this.#now();
    }
    const peak = Math.max(this.#peakBefore, this.#peak, used);
    return peak === 0 ? 0 : Math.min(this.#amount, peak + Math.max(HEADROOM_MIN, Math.ceil(peak * HEADROOM)));
  }
}

/** This process's part of the mails a second of a relay. */
export function rateShare(
  options: LimitOptions,
  { relay, amount }: { relay: string; amount: number },
  use: Pick<Use, 'waiting' | 'onShare'>,
): RateShare {
  return new RateShare(
    budgetsOf(options),
    {
      name: nameOf('rate', options, relay),
      amount,
      roles: SENDING_ROLES,
      isFirst: options.served.includes('transactional'),
      isUrgent: () => use.waiting('transactional') > 0,
      onShare: use.onShare,
    },
    options.now,
  );
}

function nameOf(what: string, { route }: LimitOptions, relay?: string): string {
  return [what, route, ...(relay ? [relay] : [])].join(' ');
}

function budgetsOf({ budgets, served }: LimitOptions): Budgets {
  return served.length > 0 ? budgets : ownBudgets;
}
