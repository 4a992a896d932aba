import type { Connection, Mailer } from '../ledger/relay.ts';
import { attemptDelivery } from './attempt.ts';
import { ClaimAhead } from './claim-ahead.ts';
import type { RangeSending } from './range-sending.ts';
import type { SharingRange } from './sending.ts';
import type { ClaimedRecipient, Source } from './sources/source.ts';

/** How often a range checks whether it may have more connections, or has to end. */
const CHECK_EVERY_MS = 100;
/** After a working relay refused one more connection, the next one is requested at a later check. */
const QUIET_MIN_MS = 20;

/**
 * Sends the recipients of a range over a fair share of the connections. Resolves when every outcome is durable; returns where to
 * resume.
 */
export async function sendOverConnections(run: RangeSending, source: Source): Promise<number | null> {
  const connections = new Connections(run, source);
  await connections.send();
  // A campaign with an open claim is not over, and the next step looks at it at once.
  await run.sending.outcomes.closed();
  return connections.restFrom();
}

/**
 * - growing: it requests connections while it has less than its share and something to send
 * - sending: each connection takes one claimed recipient after the other
 * - shrinking: another range has begun, and a connection is passed on after its mail
 * - ending: without connections it returns what is claimed, and ends when every outcome is durable
 */
class Connections implements SharingRange {
  #run: RangeSending;
  #sizeMax: number;
  #supply: ClaimAhead;
  #ranges: Set<SharingRange>;
  #over = Promise.withResolvers<void>();
  /** Of its connections those that it waits for. */
  #waiting = 0;

  constructor(run: RangeSending, source: Source) {
    this.#run = run;
    this.#sizeMax = source.sizeMax;
    this.#ranges = run.sending.ranges;
    const around = { ranges: () => this.#ranges.size, onQuiet: () => this.#check() };
    this.#supply = new ClaimAhead(run, source, around);
  }

  async send(): Promise<void> {
    this.#ranges.add(this);
    const checking = setInterval(() => this.#check(), CHECK_EVERY_MS);
    this.#check();
    await this.#over.promise;
    clearInterval(checking);
    this.#ranges.delete(this);
    for (const other of this.#ranges) other.grow();
  }

  connections(): number {
    return this.#run.connections;
  }

  restFrom(): number | null {
    return this.#supply.restFrom();
  }

  /** Not more than it has recipients. Rounded up: a spare connection stays with the range that has it, and is not passed back and forth. */
  #share(): number {
    const taken = [...this.#ranges].reduce((sum, other) => sum + other.connections(), 0);
    const share = Math.ceil((this.#mailer.free('campaign') + taken) / this.#ranges.size);
    return Math.max(1, Math.min(share, this.#sizeMax));
  }

  get #mailer(): Mailer {
    return this.#run.sending.deps.mailer;
  }

  /** Requests a first connection even when none is free: it waits in the queue, and has claimed nothing yet. */
  grow(): void {
    const run = this.#run;
    while (
      run.mayClaim() &&
      !this.#supply.isDone() &&
      run.connections < this.#share() &&
      (run.connections === 0 || this.#mailer.free('campaign') > 0)
    )
      void this.#addConnection();
  }

  async #addConnection(): Promise<void> {
    const run = this.#run;
    run.connections += 1;
    try {
      this.#waiting += 1;
      const acquired = this.#mailer.acquire('campaign');
      const { connection, ...refused } = await acquired.finally(() => {
        this.#waiting -= 1;
      });
      // The share of this process may have grown for it.
      if (connection) this.grow();
      if (connection) await this.#useConnection(connection);
      else if ('retryMs' in refused) run.leaveRelayAlone(Math.max(QUIET_MIN_MS, refused.retryMs));
    } catch (error) {
      run.fail(error);
    }
    run.connections -= 1;
    this.#check();
  }

  async #useConnection(connection: Connection): Promise<void> {
    try {
      await this.#sendOver(connection);
    } finally {
      connection.release();
      for (const other of this.#ranges) if (other !== this) other.grow();
    }
  }

  /**
   * The next message is pipelined right after the final dot of the one before, so that the connection never waits for us. A
   * connection is passed on after at least one message: otherwise ranges could hand it to each other for ever.
   */
  async #sendOver(connection: Connection): Promise<void> {
    let before = Promise.resolve(true);
    do {
      const item = await this.#supply.next();
      if (!item) break;
      const delivered = this.#deliver(connection, item);
      const works = await before;
      before = delivered;
      if (!works) break;
    } while (this.#run.connections <= this.#share() && connection.isPreferred());
    await before;
  }

  /** false: the relay takes nothing now. Never rejects: a message that cannot be sent has an outcome too. */
  async #deliver(connection: Connection, item: ClaimedRecipient): Promise<boolean> {
    const run = this.#run;
    const { policy, sending } = run;
    // null of those that wait: the process stops, and no dot is written.
    const memory = policy.filesBytes > 0 ? await sending.memory.waitInCampaign(policy.filesBytes) : null;
    try {
      const { ended, delivery } = await attemptDelivery(sending, item, connection, policy.compose);
      const isAnswered = delivery?.kind === 'answered';
      if (isAnswered) run.answered += 1;
      if (delivery?.kind === 'relay') run.leaveRelayAlone(Math.max(QUIET_MIN_MS, this.#retryMs()));
      if (delivery && !isAnswered && ended.outcome.kind === 'back') this.#supply.again(item);
      else this.#supply.end(item, ended);
      return delivery?.kind !== 'relay';
    } catch (error) {
      this.#supply.again(item);
      run.fail(error);
      return false;
    } finally {
      memory?.release();
    }
  }

  #retryMs(): number {
    return this.#mailer.outage('campaign')?.retryMs ?? 0;
  }

  #check(): void {
    const run = this.#run;
    if (!this.#ranges.has(this)) return;
    run.policy.onLook(run);
    this.grow();
    // A connection that is only waited for, by a process that has no share of them, does not keep a range that is over.
    if (run.connections > this.#waiting || (run.connections > 0 && !run.isOver())) return;
    // Nothing is sent for a while: other processes may have the claims.
    this.#supply.giveBack();
    if (run.unwritten > 0 || this.#supply.isClaiming()) return;
    if (run.isOver() || this.#supply.isDone()) this.#over.resolve();
  }
}
