import { setTimeout as sleep } from 'node:timers/promises';
import type {
  Acquired,
  Connection,
  Delivery,
  Envelope,
  Lane,
  Outage,
  RelayFault,
  RelayState,
  Reply,
} from '../../core/outbox/relay.ts';
import { freeFor, LANES, type LaneCounts } from '../../core/outbox/rules/lane-shares.ts';
import { nextByWeight, type Part, preferredRelays, roomOf } from '../../core/outbox/rules/relay-choice.ts';
import { SmtpClient } from './client.ts';
import { NO_REPLY } from './handshake.ts';
import { STALE, UNSENT } from './job.ts';
import { relayFault } from './outcomes.ts';
import { Relay, type RelayOptions } from './relay.ts';
import type { RelayUrl } from './relay-url.ts';

/** How often a message may find its connection closed before the relay has replied to it. */
const STALE_RETRIES_MAX = 3;

const DROPS_US: Reply = { ...NO_REPLY, text: 'The relay closes every connection before it answers MAIL.' };

interface RelayPart extends Part {
  relay: Relay;
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
  #connectionsMax: number;
  #waiting: Waiter[] = [];
  #closed = false;
  #idleTimer: NodeJS.Timeout;

  constructor(options: RelayOptions, urls: readonly RelayUrl[]) {
    const hosts = hostsOf(urls);
    const shared = { isOneOfSeveral: urls.length > 1, onChange: () => this.#onChange() };
    this.#relays = urls.map((url, index) => new Relay(options, { ...shared, url, host: hosts[index]! }));
    this.#connectionsMax = options.connectionsMax;
    const closeUnused = () => this.#relays.forEach((relay) => void relay.closeUnused());
    this.#idleTimer = setInterval(closeUnused, Math.min(1_000, options.idleMs)).unref();
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
      this.#makeRoom(relay);
      const client = await relay.connect();
      if (client instanceof SmtpClient)
        return { connection: new PooledConnection(this, relay, { lane, client }), fault: null };
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
    return nextByWeight(parts.filter((part) => roomOf(part, parts, most) > 0).map(({ relay }) => relay));
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
    if (only) return freeFor(lane, only.limit, only.inUse);
    const { parts, most } = this.#partsOf(lane);
    if (parts.length === 0) return this.#trial() ? 1 : 0;
    const used = parts.reduce((total, part) => total + part.used, 0);
    const room = parts.reduce((total, part) => total + Math.max(0, roomOf(part, parts, most)), 0);
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
    const free = freeFor(lane, Math.min(this.#connectionsMax, limit), counted);
    return { parts, most: parts.reduce((total, { used }) => total + used, free) };
  }

  /** Unused connections to other relays are closed for a new one. */
  #makeRoom(relay: Relay): void {
    if (this.#only || relay.idle > 0) return;
    let over = this.#relays.reduce((total, { used, idle }) => total + used + idle, 0) - this.#connectionsMax;
    for (const other of this.#relays) over -= other.closeIdle(over);
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

/** A slot in the pool: the SMTP connection under it is replaced when the relay closed it between two messages. */
class PooledConnection implements Connection {
  #pool: RelayPool;
  #relay: Relay;
  #lane: Lane;
  #client: SmtpClient | null;
  #replacing: Promise<SmtpClient | RelayFault> | null = null;
  #released = false;

  constructor(pool: RelayPool, relay: Relay, { lane, client }: { lane: Lane; client: SmtpClient }) {
    this.#pool = pool;
    this.#relay = relay;
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
      this.#relay.observe(outcome);
      const relay = this.#pool.nameOf(this.#relay);
      return relay === null ? outcome : { ...outcome, relay };
    }
    const gone = relayFault(dialogue, 'mail', 'closed', DROPS_US);
    this.#relay.observe(gone);
    return gone;
  }

  isPreferred(): boolean {
    return this.#pool.isPreferred(this.#relay, this.#lane);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#pool.release(this.#relay, this.#lane, this.#client);
  }

  /** Two sends that find the connection closed share the new one. It is one to the same relay: another slot leads to another one. */
  #replace(): Promise<SmtpClient | RelayFault> {
    this.#replacing ??= this.#relay.reconnect().then((client) => {
      this.#replacing = null;
      this.#client = client instanceof SmtpClient ? client : null;
      return client;
    });
    return this.#replacing;
  }
}
