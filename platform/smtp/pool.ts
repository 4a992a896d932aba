import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Acquired,
  Connection,
  Delivery,
  Envelope,
  Lane,
  RelayFault,
  RelayState,
  Reply,
} from '../../core/outbox/relay.ts';
import {
  afterFault,
  type Breaker,
  breakerState,
  CLOSED_BREAKER,
  endTrial,
  startTrial,
} from '../../core/outbox/rules/breaker.ts';
import { freeFor, type LaneCounts } from '../../core/outbox/rules/lane-shares.ts';
import { SmtpClient } from './client.ts';
import type { Deadlines } from './deadlines.ts';
import { NO_REPLY, openRelay, type Timeouts } from './handshake.ts';
import { STALE, UNSENT } from './job.ts';
import { relayFault } from './outcomes.ts';
import type { RelayUrl } from './relay-url.ts';

/** How often a message may find its connection closed before the relay has replied to it. */
const STALE_RETRIES_MAX = 3;
/** A relay that refuses one more connection while others work has shown its limit; after this long another one is tried. */
const LOWERED_LIMIT_MS = 60_000;

const DROPS_US: Reply = { ...NO_REPLY, text: 'The relay closes every connection before it answers MAIL.' };

interface PoolOptions {
  name: RelayState['relay'];
  url: RelayUrl;
  connectionsMax: number;
  clientName: string;
  timeouts: Timeouts;
  /** Unused connections are closed after this long. */
  idleMs: number;
  deadlines: Deadlines;
  wallClock: () => Date;
}

interface Waiter {
  lane: Lane;
  resolve: (acquired: Acquired) => void;
}

/** The connections to one relay, shared between the lanes, and the known state of its health. */
export class RelayPool {
  #options: PoolOptions;
  #inUse: LaneCounts = { transactional: 0, automation: 0, campaign: 0 };
  #idle: { client: SmtpClient; since: number }[] = [];
  #all = new Set<SmtpClient>();
  #waiting: Waiter[] = [];
  #breaker: Breaker = CLOSED_BREAKER;
  #fault: RelayFault | null = null;
  #downSince: Date | null = null;
  #lowered = { limit: Number.POSITIVE_INFINITY, until: 0 };
  #delivered = 0;
  #faults = 0;
  #closed = false;
  #idleTimer: NodeJS.Timeout;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#idleTimer = setInterval(() => this.#closeIdle(), Math.min(1_000, options.idleMs)).unref();
  }

  async acquire(lane: Lane): Promise<Acquired> {
    const refusal = this.#refusal();
    if (refusal) return refusal;
    if (this.free(lane) <= 0) return new Promise((resolve) => this.#waiting.push({ lane, resolve }));
    return this.#take(lane);
  }

  free(lane: Lane): number {
    if (this.#closed || this.#waiting.some((waiter) => waiter.lane === lane)) return 0;
    const free = this.#freeNow(lane);
    const state = breakerState(this.#breaker, this.#now());
    if (state === 'closed') return free;
    return state === 'open' || this.#breaker.trial ? 0 : Math.min(1, free);
  }

  state(): RelayState {
    const now = this.#now();
    return {
      relay: this.#options.name,
      state: breakerState(this.#breaker, now),
      notAnsweringSince: this.#downSince,
      fault: this.#fault,
      retryMs: this.#retryMs(),
      connectionsMax: this.#limit(),
      connectionsOpen: this.#all.size,
      connectionsInUse: this.#total(),
      delivered: this.#delivered,
      faults: this.#faults,
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    clearInterval(this.#idleTimer);
    for (const { client } of this.#idle.splice(0)) client.quit();
    for (const { resolve } of this.#waiting.splice(0)) resolve(this.#refusal()!);
    const end = this.#now() + graceMs;
    while (this.#total() > 0 && this.#now() < end) await sleep(10);
    for (const client of this.#all) client.drop();
  }

  /** Updates the state of the relay from a delivery. Any answer but a fault shows that it works. */
  observe(delivery: Delivery): void {
    if (delivery.kind === 'answered' && delivery.answered) {
      if (delivery.phase === 'dot') this.#delivered++;
      if (this.#breaker !== CLOSED_BREAKER) this.#recover();
    } else if (delivery.kind === 'relay' && delivery.fault) {
      this.#fail(delivery.fault);
    }
  }

  /** An idle connection, otherwise a new one, otherwise the fault that prevents one. */
  async connect(): Promise<SmtpClient | RelayFault> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.client.usable) return idle.client;
    const { url, clientName, timeouts, deadlines } = this.#options;
    const opened = await openRelay(url, clientName, timeouts, deadlines);
    if (opened.fault) {
      if (!this.#lowerLimit(opened.fault)) this.#fail(opened.fault);
      return opened.fault;
    }
    const client = new SmtpClient(opened.wire, opened.capabilities, timeouts);
    client.onGone = () => {
      this.#all.delete(client);
      this.#idle = this.#idle.filter((idle) => idle.client !== client);
    };
    this.#all.add(client);
    if (this.#closed) client.drop();
    return client;
  }

  /** For a slot whose connection is closed; a paused relay is not tried here either. */
  async reconnect(): Promise<SmtpClient | RelayFault> {
    if (this.#closed || breakerState(this.#breaker, this.#now()) === 'open') return this.#pausedFault();
    return this.connect();
  }

  release(lane: Lane, client: SmtpClient | null): void {
    this.#inUse[lane]--;
    this.#breaker = endTrial(this.#breaker);
    if (client?.busy) client.drop();
    else if (this.#closed || this.#all.size > this.#limit()) client?.quit();
    else if (client?.usable) this.#idle.push({ client, since: this.#now() });
    this.#serveWaiting();
  }

  async #take(lane: Lane): Promise<Acquired> {
    const trial = startTrial(this.#breaker, this.#now());
    if (trial) this.#breaker = trial;
    this.#inUse[lane]++;
    const client = await this.connect();
    if (client instanceof SmtpClient) return { connection: new PooledConnection(this, lane, client), fault: null };
    this.release(lane, null);
    return { connection: null, fault: client, retryMs: this.#retryMs() };
  }

  #serveWaiting(): void {
    while (this.#waiting.length > 0) {
      const refusal = this.#refusal();
      const index = refusal ? 0 : this.#waiting.findIndex(({ lane }) => this.#freeNow(lane) > 0);
      if (index === -1) return;
      const [{ lane, resolve }] = this.#waiting.splice(index, 1) as [Waiter];
      if (refusal) resolve(refusal);
      else this.#take(lane).then(resolve);
    }
  }

  #refusal(): Acquired | null {
    const state = breakerState(this.#breaker, this.#now());
    const paused = this.#closed || state === 'open' || (state === 'half-open' && this.#breaker.trial);
    if (!paused) return null;
    return { connection: null, fault: this.#pausedFault(), retryMs: this.#retryMs() };
  }

  #pausedFault(): RelayFault {
    return { phase: this.#fault?.phase ?? 'connect', reason: 'paused', reply: this.#fault?.reply ?? NO_REPLY };
  }

  #fail(fault: RelayFault): void {
    this.#faults++;
    this.#fault = fault;
    this.#downSince ??= this.#options.wallClock();
    this.#breaker = afterFault(this.#breaker, this.#now());
    this.#serveWaiting();
  }

  #recover(): void {
    this.#breaker = CLOSED_BREAKER;
    this.#fault = null;
    this.#downSince = null;
    this.#serveWaiting();
  }

  /** A refused password does not depend on the number of connections. */
  #lowerLimit(fault: RelayFault): boolean {
    const working = this.#all.size;
    if (working === 0 || fault.reason === 'auth' || fault.reason === 'tls' || this.#downSince) return false;
    this.#lowered = { limit: working, until: this.#now() + LOWERED_LIMIT_MS };
    return true;
  }

  #limit(): number {
    const { connectionsMax } = this.#options;
    return this.#now() < this.#lowered.until ? Math.min(connectionsMax, this.#lowered.limit) : connectionsMax;
  }

  #freeNow(lane: Lane): number {
    return freeFor(lane, this.#limit(), this.#inUse);
  }

  #total(): number {
    return this.#inUse.transactional + this.#inUse.automation + this.#inUse.campaign;
  }

  #retryMs(): number {
    return Math.max(0, Math.ceil(this.#breaker.openUntil - this.#now()));
  }

  #closeIdle(): void {
    const before = this.#now() - this.#options.idleMs;
    for (const { client, since } of this.#idle) if (since <= before) client.quit();
  }

  #now(): number {
    return this.#options.deadlines.now();
  }
}

/** A slot in the pool: the SMTP connection under it is replaced when the relay closed it between two messages. */
class PooledConnection implements Connection {
  #pool: RelayPool;
  #lane: Lane;
  #client: SmtpClient | null;
  #replacing: Promise<SmtpClient | RelayFault> | null = null;
  #released = false;

  constructor(pool: RelayPool, lane: Lane, client: SmtpClient) {
    this.#pool = pool;
    this.#lane = lane;
    this.#client = client;
  }

  async send(envelope: Envelope, message: string | Buffer, beforeDot: () => boolean): Promise<Delivery> {
    if (this.#released) throw new Error('This connection was released.');
    const dialogue = { envelope, replies: [] };
    for (let attempt = 0; attempt <= STALE_RETRIES_MAX; ) {
      const client = this.#client?.usable ? this.#client : await this.#replace();
      if (!(client instanceof SmtpClient)) return relayFault(dialogue, client.phase, client.reason, client.reply);
      const outcome = await client.send(envelope, message, beforeDot);
      // Messages that waited behind others are sent again; a connection that carried none counts as one more that the relay closed.
      if (outcome === STALE || (outcome === UNSENT && client.finished === 0)) attempt++;
      if (outcome === STALE || outcome === UNSENT) continue;
      this.#pool.observe(outcome);
      return outcome;
    }
    const gone = relayFault(dialogue, 'mail', 'closed', DROPS_US);
    this.#pool.observe(gone);
    return gone;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#pool.release(this.#lane, this.#client);
  }

  /** Two sends that find the connection closed share the new one. */
  #replace(): Promise<SmtpClient | RelayFault> {
    this.#replacing ??= this.#pool.reconnect().then((client) => {
      this.#replacing = null;
      this.#client = client instanceof SmtpClient ? client : null;
      return client;
    });
    return this.#replacing;
  }
}
