import type { RateShare } from '../../../core/base/limits/budgets.ts';
import type { Delivery, Lane, RelayFault, RelayState } from '../../../core/mail/ledger/relay.ts';
import {
  afterFault,
  type Breaker,
  breakerState,
  CLOSED_BREAKER,
  endTrial,
  startTrial,
} from '../../../core/mail/ledger/rules/breaker.ts';
import type { LaneCounts } from '../../../core/mail/ledger/rules/lane-shares.ts';
import type { Ranked } from '../../../core/mail/ledger/rules/relay-choice.ts';
import { SmtpClient } from '../client.ts';
import type { Deadlines } from '../deadlines.ts';
import { NO_REPLY, openRelay, type Timeouts } from '../handshake.ts';
import type { RelayUrl } from '../relay-url.ts';

/** A relay that refuses one more connection while others work has shown its limit; after this long another one is tried. */
const LOWERED_LIMIT_MS = 60_000;
/** The relay may count a connection for so long after we closed it. */
const CLOSING_MS = 200;

export interface RelayOptions {
  route: RelayState['relay'];
  /** The name that EHLO sends, unless the URL has one. */
  clientName: string;
  timeouts: Timeouts;
  /** Unused connections are closed after this long. */
  idleMs: number;
  deadlines: Deadlines;
  wallClock: () => Date;
}

interface RelayPlace {
  url: RelayUrl;
  host: string;
  /** Others can take its mail: after a fault it has to greet again before a message tries it. */
  isOneOfSeveral: boolean;
  /** The most connections that this process may have to it. */
  connections: () => number;
  /** null: it has no limit of mails a second. */
  rate: RateShare | null;
  /** It went down, returned, or greeted again. */
  onChange: () => void;
}

/** The connections to one relay, and the known state of its health. */
export class Relay implements Ranked {
  readonly host: string;
  readonly priority: number;
  readonly weight: number;
  readonly inUse: LaneCounts = { transactional: 0, automation: 0, campaign: 0 };
  credit = 0;
  #options: RelayOptions;
  #place: RelayPlace;
  #idle: { client: SmtpClient; since: number }[] = [];
  #all = new Set<SmtpClient>();
  #breaker: Breaker = CLOSED_BREAKER;
  #fault: RelayFault | null = null;
  #downSince: Date | null = null;
  #greets = false;
  #opening = 0;
  #closing: number[] = [];
  #lowered = { limit: Number.POSITIVE_INFINITY, until: 0 };
  #delivered = 0;
  #faults = 0;
  #closed = false;
  #probing: NodeJS.Timeout | undefined;

  constructor(options: RelayOptions, place: RelayPlace) {
    this.#options = options;
    this.#place = place;
    this.host = place.host;
    this.priority = place.url.priority;
    this.weight = place.url.weight;
  }

  get isAnswering(): boolean {
    return this.#state() === 'closed';
  }

  /** The pause after a fault is over, and one message may try it. */
  get isTrialDue(): boolean {
    if (this.#state() !== 'half-open' || this.#breaker.trial) return false;
    return this.#greets || !this.#place.isOneOfSeveral;
  }

  /** It is down, and has greeted since. */
  get greets(): boolean {
    return this.#greets;
  }

  get limit(): number {
    const limit = this.#place.connections();
    return this.#now() < this.#lowered.until ? Math.min(limit, this.#lowered.limit) : limit;
  }

  /** How many mails it may have now, by its rate. */
  get allowance(): number {
    return this.#place.rate?.left() ?? Number.POSITIVE_INFINITY;
  }

  /** Until it may have the next mail, by its rate. */
  get allowanceMs(): number {
    return this.#place.rate?.waitMs() ?? 0;
  }

  /** Connections that the relay may count, also those that are being opened or were just closed. */
  get open(): number {
    const before = this.#now() - CLOSING_MS;
    while (this.#closing[0]! < before) this.#closing.shift();
    return this.#all.size + this.#opening + this.#closing.length;
  }

  get used(): number {
    return this.inUse.transactional + this.inUse.automation + this.inUse.campaign;
  }

  get idle(): number {
    return this.#idle.length;
  }

  get retryMs(): number {
    return Math.max(0, Math.ceil(this.#breaker.openUntil - this.#now()));
  }

  get downSince(): Date | null {
    return this.#downSince;
  }

  get fault(): RelayFault | null {
    return this.#fault;
  }

  get pausedFault(): RelayFault {
    return { phase: this.#fault?.phase ?? 'connect', reason: 'paused', reply: this.#fault?.reply ?? NO_REPLY };
  }

  state(): RelayState {
    return {
      relay: this.#options.route,
      host: this.host,
      priority: this.priority,
      weight: this.weight,
      state: this.#state(),
      notAnsweringSince: this.#downSince,
      fault: this.#fault,
      retryMs: this.retryMs,
      connectionsMax: this.limit,
      connectionsOpen: this.#all.size,
      connectionsInUse: this.used,
      delivered: this.#delivered,
      faults: this.#faults,
    };
  }

  /** One mail of its rate; less than 0 returns one that was not sent. */
  spend(mails: number): void {
    this.#place.rate?.spend(mails);
  }

  /** Counts a connection as used before it is opened. */
  take(lane: Lane): void {
    this.#breaker = startTrial(this.#breaker, this.#now()) ?? this.#breaker;
    this.inUse[lane]++;
  }

  /** An idle connection, otherwise a new one, otherwise the fault that prevents one. */
  async connect(): Promise<SmtpClient | RelayFault> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.client.usable) return idle.client;
    return this.#open();
  }

  /** For a slot whose connection is closed; a paused relay is not tried here either. */
  async reconnect(): Promise<SmtpClient | RelayFault> {
    if (this.#closed || this.#state() === 'open') return this.pausedFault;
    return this.connect();
  }

  release(lane: Lane, client: SmtpClient | null): void {
    this.inUse[lane]--;
    this.#breaker = endTrial(this.#breaker);
    if (client?.busy) client.drop();
    else if (this.#closed || this.#all.size > this.limit) client?.quit();
    else if (client?.usable) this.#idle.push({ client, since: this.#now() });
  }

  /** Updates the state of the relay from a delivery. Any answer but a fault shows that it works. */
  observe(delivery: Delivery): void {
    if (delivery.kind === 'answered' && delivery.answered) {
      if (delivery.phase === 'dot') this.#delivered++;
      if (this.#breaker !== CLOSED_BREAKER) this.recover();
    } else if (delivery.kind === 'relay' && delivery.fault) {
      this.#fail(delivery.fault);
    }
  }

  recover(): void {
    this.#breaker = CLOSED_BREAKER;
    this.#fault = null;
    this.#downSince = null;
    this.#greets = false;
    clearTimeout(this.#probing);
    this.#place.onChange();
  }

  /** Closes up to this many unused connections, those first that are unused for longest; returns how many it closed. */
  closeIdle(most: number): number {
    const closing = this.#idle.slice(0, Math.max(0, most));
    for (const { client } of closing) client.quit();
    return closing.length;
  }

  closeUnused(): void {
    const before = this.#now() - this.#options.idleMs;
    for (const { client, since } of this.#idle) if (since <= before) client.quit();
  }

  /** Hands out no more connections. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#probing);
    for (const { client } of this.#idle.splice(0)) client.quit();
  }

  drop(): void {
    for (const client of this.#all) client.drop();
  }

  async #open(): Promise<SmtpClient | RelayFault> {
    const { clientName, timeouts, deadlines } = this.#options;
    const { url } = this.#place;
    this.#opening++;
    const opened = await openRelay(url, url.clientName ?? clientName, timeouts, deadlines);
    this.#opening--;
    if (opened.fault) {
      if (!this.#lowerLimit(opened.fault)) this.#fail(opened.fault);
      return opened.fault;
    }
    const client = new SmtpClient(opened.wire, opened.capabilities, timeouts);
    client.onGone = () => {
      this.#all.delete(client);
      this.#closing.push(this.#now());
      this.#idle = this.#idle.filter((idle) => idle.client !== client);
    };
    this.#all.add(client);
    if (this.#closed) client.drop();
    return client;
  }

  #fail(fault: RelayFault): void {
    this.#faults++;
    this.#fault = fault;
    this.#downSince ??= this.#options.wallClock();
    this.#greets = false;
    const before = this.#breaker;
    this.#breaker = afterFault(before, this.#now());
    if (this.#breaker !== before && this.#place.isOneOfSeveral) this.#probeLater();
    this.#place.onChange();
  }

  #probeLater(): void {
    clearTimeout(this.#probing);
    if (!this.#closed) this.#probing = setTimeout(() => void this.#probe(), this.retryMs).unref();
  }

  /** Connecting to a relay that is down may take until a timeout, which no message has to wait for while other relays work. */
  async #probe(): Promise<void> {
    const state = this.#state();
    if (state === 'closed' || this.#closed) return;
    if (state === 'open') return this.#probeLater();
    const client = await this.#open();
    if (!(client instanceof SmtpClient)) return;
    client.quit();
    this.#greets = !this.isAnswering;
    this.#place.onChange();
  }

  /** A refused password does not depend on the number of connections. */
  #lowerLimit(fault: RelayFault): boolean {
    const working = this.#all.size;
    if (working === 0 || fault.reason === 'auth' || fault.reason === 'tls' || this.#downSince) return false;
    this.#lowered = { limit: working, until: this.#now() + LOWERED_LIMIT_MS };
    return true;
  }

  #state(): RelayState['state'] {
    return breakerState(this.#breaker, this.#now());
  }

  #now(): number {
    return this.#options.deadlines.now();
  }
}
