import { setTimeout as sleep } from 'node:timers/promises';
import type { Acquired, Lane, Outage, RelayFault, RelayState } from '../../../core/mail/ledger/relay.ts';
import { freeFor, LANES, type LaneCounts } from '../../../core/mail/ledger/rules/lane-shares.ts';
import { nextByWeight, type Part, preferredRelays, roomOf } from '../../../core/mail/ledger/rules/relay-choice.ts';
import { SmtpClient } from '../client.ts';
import type { RelayUrl } from '../relay-url.ts';
import { PooledConnection } from './connection.ts';
import { ConnectionShare, type LimitOptions, rateShare } from './limits.ts';
import { Relay, type RelayOptions } from './relay.ts';

/** A share that is larger is noticed at once; this is for the timer alone. */
const ALLOWANCE_LOOK_MS = 1_000;

interface RelayPart extends Part {
  relay: Relay;
}

interface PoolOptions extends RelayOptions, Omit<LimitOptions, 'now'> {
  /** Of the whole installation. */
  connectionsMax: number;
}

interface Waiter {
  lane: Lane;
  resolve: (acquired: Acquired) => void;
}

/**
 * Connections, shared between the lanes, to one relay or to several. Of several, mail goes to those of the first priority with one that
 * answers, by weight. A relay that is down gets no mail until it has greeted again, and then one message before any other.
 */
export class RelayPool {
  #relays: readonly Relay[];
  #served: readonly Lane[];
  #share: ConnectionShare;
  #relayShares: ConnectionShare[] = [];
  #waiting: Waiter[] = [];
  /** Held connections that will be released after their mail, since the share has become smaller. */
  #leaving = 0;
  #allowanceTimer: NodeJS.Timeout | undefined;
  #closed = false;
  #idleTimer: NodeJS.Timeout;

  constructor(options: PoolOptions, urls: readonly RelayUrl[]) {
    const limits = { ...options, now: () => options.deadlines.now() };
    const waiting = (lane?: Lane) => this.#waiting.filter((waiter) => !lane || waiter.lane === lane).length;
    const use = { waiting, onShare: () => this.#onShare() };
    this.#served = options.served;
    this.#share = new ConnectionShare(
      limits,
      { amount: options.connectionsMax },
      { ...use, used: () => this.#used, open: () => this.#sum(({ open }) => open) },
    );
    const hosts = hostsOf(urls);
    this.#relays = urls.map((url, index) => {
      const host = hosts[index]!;
      const ofRelay = { ...use, used: () => relay.used, open: () => relay.open };
      const own = url.connections && new ConnectionShare(limits, { relay: host, amount: url.connections }, ofRelay);
      if (own) this.#relayShares.push(own);
      const relay: Relay = new Relay(options, {
        ...{ url, host, isOneOfSeveral: urls.length > 1, onChange: () => this.#onChange() },
        connections: () => Math.min(this.#share.amount(), own ? own.amount() : Number.POSITIVE_INFINITY),
        rate: url.rate === null ? null : rateShare(limits, { relay: host, amount: url.rate }, use),
      });
      return relay;
    });
    const closeUnused = () => this.#relays.forEach((relay) => void relay.closeUnused());
    this.#idleTimer = setInterval(closeUnused, Math.min(1_000, options.idleMs)).unref();
  }

  async acquire(lane: Lane): Promise<Acquired> {
    const refusal = this.#refusal();
    if (refusal) return refusal;
    if (this.free(lane) > 0) return this.#take(lane);
    return new Promise((resolve) => {
      this.#waiting.push({ lane, resolve });
      this.#noteDemand();
      this.#serveAllowed();
    });
  }

  get limit(): number {
    return this.#only?.limit ?? this.#share.amount();
  }

  free(lane: Lane): number {
    if (this.#closed || this.#waiting.some((waiter) => waiter.lane === lane)) return 0;
    const free = this.#freeNow(lane);
    if (this.#isAnswering()) return free;
    return this.#trial() ? Math.min(1, free) : 0;
  }

  outage(): Outage | null {
    if (this.#isAnswering()) return null;
    const since = (relay: Relay) => relay.downSince!.getTime();
    const last = this.#relays.reduce((one, other) => (since(other) > since(one) ? other : one));
    return { since: last.downSince!, fault: last.fault, retryMs: this.#retryMs() };
  }

  states(): RelayState[] {
    return this.#relays.map((relay) => relay.state());
  }

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    clearInterval(this.#idleTimer);
    clearTimeout(this.#allowanceTimer);
    for (const relay of this.#relays) relay.close();
    for (const { resolve } of this.#waiting.splice(0)) resolve(this.#refusal()!);
    const end = performance.now() + graceMs;
    while (this.#relays.some(({ used }) => used > 0) && performance.now() < end) await sleep(10);
    for (const relay of this.#relays) relay.drop();
  }

  /** The relay's name for what it did with a message; null where there is only one. */
  nameOf(relay: Relay): string | null {
    return this.#only ? null : relay.host;
  }

  /** Whether a connection stays with its relay: not when another one should have its mail, or tries whether it works again. */
  isPreferred(relay: Relay, lane: Lane): boolean {
    if (this.#only) return true;
    const trial = this.#trial();
    if (trial) return trial === relay;
    const { parts, most } = this.#partsOf(lane);
    const own = parts.find((part) => part.relay === relay);
    return own ? roomOf(own, parts, most) >= 0 : parts.length === 0;
  }

  /** The share has become smaller than what is held, so this connection is released after its mail. */
  leaves(relay: Relay): boolean {
    const isOver = this.#used - this.#leaving > this.#share.amount() || relay.used - this.#leaving > relay.limit;
    if (isOver) this.#leaving++;
    return isOver;
  }

  /** One mail more on a connection, by the rate of its relay, unless transactional mail waits for that. */
  allows(relay: Relay, lane: Lane): boolean {
    if (relay.allowance < 1) return false;
    if (lane !== 'transactional' && this.#waiting.some((waiter) => waiter.lane === 'transactional')) return false;
    relay.spend(1);
    return true;
  }

  /** A connection for which `leaves` was true is released. */
  releaseLeft(): void {
    this.#leaving--;
  }

  release(relay: Relay, lane: Lane, client: SmtpClient | null): void {
    relay.release(lane, client);
    this.#serveWaiting();
  }

  /** The next relay is tried when one cannot be reached. */
  async #take(lane: Lane): Promise<Acquired> {
    let fault: RelayFault | null = null;
    for (let tries = 0; tries < this.#relays.length && !this.#closed; tries++) {
      const relay = this.#choose(lane);
      if (!relay) break;
      relay.take(lane);
      relay.spend(1);
      this.#noteDemand();
      this.#makeRoom(relay);
      const client = await relay.connect();
      if (client instanceof SmtpClient)
        return { connection: new PooledConnection(this, relay, { lane, client }), fault: null };
      relay.spend(-1);
      relay.release(lane, null);
      fault = client;
    }
    this.#serveWaiting();
    return { connection: null, fault: fault ?? this.#next().pausedFault, retryMs: this.#retryMs() };
  }

  #choose(lane: Lane): Relay | null {
    const trial = this.#trial();
    if (trial) return trial;
    if (this.#only) return this.#only.isAnswering ? this.#only : null;
    const { parts, most } = this.#partsOf(lane);
    const open = parts.filter((part) => roomOf(part, parts, most) > 0 && part.relay.allowance >= 1);
    return nextByWeight(open.map(({ relay }) => relay));
  }

  /** A relay that is down and may be tried, unless relays of a lower number answer: then it is not needed. */
  #trial(): Relay | null {
    const due = this.#relays.find(({ isTrialDue }) => isTrialDue);
    return due && !this.#isSpare(due) ? due : null;
  }

  #isSpare({ priority }: Relay): boolean {
    return this.#relays.some((other) => other.isAnswering && other.priority < priority);
  }

  #isAnswering(): boolean {
    return this.#relays.some(({ isAnswering }) => isAnswering);
  }

  /** A relay that is not needed gets no mail that could show that it works, so its greeting has to do. */
  #onChange(): void {
    for (const relay of this.#relays) if (relay.greets && this.#isSpare(relay)) relay.recover();
    this.#serveWaiting();
  }

  /** Unused connections beyond the share are closed, and a larger one serves mail that waits. */
  #onShare(): void {
    for (const relay of this.#relays) relay.closeIdle(relay.used + relay.idle - relay.limit);
    let over = this.#used + this.#sum(({ idle }) => idle) - this.#share.amount();
    for (const relay of this.#relays) over -= relay.closeIdle(over);
    this.#serveWaiting();
  }

  #noteDemand(): void {
    this.#share.note();
    for (const share of this.#relayShares) share.note();
  }

  #serveWaiting(): void {
    while (this.#waiting.length > 0) {
      const refusal = this.#refusal();
      const index = refusal ? 0 : this.#nextWaiting();
      if (index === -1) break;
      const [{ lane, resolve }] = this.#waiting.splice(index, 1) as [Waiter];
      if (refusal) resolve(refusal);
      else this.#take(lane).then(resolve);
    }
    if (this.#waiting.length > 0) this.#serveAllowed();
  }

  /** Transactional mail first. */
  #nextWaiting(): number {
    const first = this.#waiting.findIndex(({ lane }) => lane === 'transactional' && this.#freeNow(lane) > 0);
    return first === -1 ? this.#waiting.findIndex(({ lane }) => this.#freeNow(lane) > 0) : first;
  }

  /** Serves mail that waits for the rate of a relay when that has one mail more. */
  #serveAllowed(): void {
    if (this.#allowanceTimer || this.#closed) return;
    const waits = this.#relays.map(({ allowanceMs }) => allowanceMs).filter((ms) => ms > 0);
    if (waits.length === 0) {
      // The rate has allowed one mail more since it was asked: without a timer nothing else might ask again.
      if (this.#nextWaiting() !== -1) this.#serveWaiting();
      return;
    }
    const serve = () => {
      this.#allowanceTimer = undefined;
      this.#serveWaiting();
    };
    this.#allowanceTimer = setTimeout(serve, Math.min(ALLOWANCE_LOOK_MS, ...waits)).unref();
  }

  #refusal(): Acquired | null {
    if (!this.#closed && (this.#isAnswering() || this.#trial())) return null;
    return { connection: null, fault: this.#next().pausedFault, retryMs: this.#retryMs() };
  }

  /** The relay that is tried first. */
  #next(): Relay {
    return this.#relays.reduce((one, other) => (other.retryMs < one.retryMs ? other : one));
  }

  #retryMs(): number {
    return this.#isAnswering() ? 0 : this.#next().retryMs;
  }

  #freeNow(lane: Lane): number {
    const only = this.#only;
    if (only) return Math.min(freeFor(lane, only.limit, only.inUse, this.#served), only.allowance);
    const { parts, most } = this.#partsOf(lane);
    if (parts.length === 0) return this.#trial() ? 1 : 0;
    const used = parts.reduce((total, part) => total + part.used, 0);
    const room = parts.reduce(
      (total, part) => total + Math.max(0, Math.min(roomOf(part, parts, most), part.relay.allowance)),
      0,
    );
    return Math.min(most - used, room);
  }

  /** The parts of a lane's connections, of which there may be `most`, that the relays may have to which mail goes. */
  #partsOf(lane: Lane): { parts: RelayPart[]; most: number } {
    const preferred = preferredRelays(this.#relays);
    const parts = preferred.map((relay) => {
      const used = relay.inUse[lane];
      return { relay, weight: relay.weight, limit: relay.limit - relay.used + used, used };
    });
    const limit = preferred.reduce((total, relay) => total + relay.limit, 0);
    // Connections that wait for the answer of a relay that is down must not keep mail from the others.
    const counted = sum(this.#relays.filter(({ isAnswering }) => isAnswering));
    const free = freeFor(lane, Math.min(this.#share.amount(), limit), counted, this.#served);
    return { parts, most: parts.reduce((total, { used }) => total + used, free) };
  }

  /** Unused connections to other relays are closed for a new one. */
  #makeRoom(relay: Relay): void {
    if (this.#only || relay.idle > 0) return;
    let over = this.#sum(({ used, idle }) => used + idle) - this.#share.amount();
    for (const other of this.#relays) over -= other.closeIdle(over);
  }

  get #used(): number {
    return this.#sum(({ used }) => used);
  }

  #sum(read: (relay: Relay) => number): number {
    return this.#relays.reduce((total, relay) => total + read(relay), 0);
  }

  get #only(): Relay | null {
    return this.#relays.length === 1 ? this.#relays[0]! : null;
  }
}

/** A host that is listed twice, with another user, has a number. */
function hostsOf(urls: readonly RelayUrl[]): string[] {
  const hosts = urls.map(({ host, port }) => `${host}:${port}`);
  return hosts.map((host, index) => {
    const before = hosts.slice(0, index).filter((other) => other === host).length;
    return before === 0 ? host : `${host}#${before + 1}`;
  });
}

function sum(relays: readonly Relay[]): LaneCounts {
  const counts: LaneCounts = { transactional: 0, automation: 0, campaign: 0 };
  for (const { inUse } of relays) for (const lane of LANES) counts[lane] += inUse[lane];
  return counts;
}
