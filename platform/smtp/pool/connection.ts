import type {
  BeforeDot,
  Connection,
  Delivery,
  Envelope,
  Lane,
  RelayFault,
  Reply,
} from '../../../core/mail/ledger/relay.ts';
import { SmtpClient } from '../client.ts';
import { NO_REPLY } from '../handshake.ts';
import { STALE, UNSENT } from '../job.ts';
import { relayFault } from '../outcomes.ts';
import type { Relay } from './relay.ts';

/** How often a message may find its connection closed before the relay has replied to it. */
const STALE_RETRIES_MAX = 3;

const DROPS_US: Reply = { ...NO_REPLY, text: 'The relay closes every connection before it answers MAIL.' };

/** The pool that a connection is of. */
interface Pool {
  nameOf(relay: Relay): string | null;
  isPreferred(relay: Relay, lane: Lane): boolean;
  leaves(relay: Relay): boolean;
  allows(relay: Relay, lane: Lane): boolean;
  releaseLeft(): void;
  release(relay: Relay, lane: Lane, client: SmtpClient | null): void;
}

/** A slot in the pool: the SMTP connection under it is replaced when the relay closed it between two messages. */
export class PooledConnection implements Connection {
  #pool: Pool;
  #relay: Relay;
  #lane: Lane;
  #client: SmtpClient | null;
  #replacing: Promise<SmtpClient | RelayFault> | null = null;
  #released = false;
  /** One mail of the relay's rate. */
  #isPaid = true;
  #leaves = false;

  constructor(pool: Pool, relay: Relay, { lane, client }: { lane: Lane; client: SmtpClient }) {
    this.#pool = pool;
    this.#relay = relay;
    this.#lane = lane;
    this.#client = client;
  }

  /** Of one that is replaced it is known again with the next one. */
  get takesEightBit(): boolean {
    return this.#client?.takesEightBit ?? true;
  }

  async send(envelope: Envelope, message: string | Buffer, beforeDot: BeforeDot): Promise<Delivery> {
    if (this.#released) throw new Error('This connection was released.');
    if (!this.#isPaid) this.#relay.spend(1);
    this.#isPaid = false;
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
    this.#leaves ||= this.#pool.leaves(this.#relay);
    if (this.#leaves || !this.#pool.isPreferred(this.#relay, this.#lane)) return false;
    this.#isPaid ||= this.#pool.allows(this.#relay, this.#lane);
    return this.#isPaid;
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    if (this.#isPaid) this.#relay.spend(-1);
    if (this.#leaves) this.#pool.releaseLeft();
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
