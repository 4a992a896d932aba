import type { ObjectId } from 'mongodb';
import type { TokenBucket } from '../../base/limits/token-bucket.ts';
import type { ComposedMail } from '../compose/compose.ts';
import type { Outcome } from '../ledger/ledger.ts';
import type { Sending } from './sending.ts';
import type { ClaimedRecipient } from './sources/source.ts';

/** The campaign, as the sender of a range asks for it. */
export interface SendingPolicy {
  readonly projectId: ObjectId;
  /** The suppression group that the mail names. */
  readonly groupId: string | null;
  /** A template names fields of contacts beyond their name. */
  readonly needsContacts: boolean;
  /** Of the large files in each mail, for which it waits for memory. */
  readonly filesBytes: number;
  readonly pace: TokenBucket;
  /** Read on the primary after each claim, since a pause or an abort is answered when it is stored. */
  maySend(): Promise<boolean>;
  compose(item: ClaimedRecipient): ComposedMail | Outcome | Promise<ComposedMail | Outcome>;
  /** Bounces or complaints are above a threshold. */
  isBreached(): boolean;
  /** Called with each outcome when it is durable. */
  onOutcome(kind: Outcome['kind']): void;
  /** Called with every look at the connections. */
  onLook(run: RangeSending): void;
}

interface RunControl {
  signal: AbortSignal;
  onProgress(ended: number): void;
  /** While other ranges may wait for its place in the process. */
  turnMs: number;
  /** At the most. */
  timeMs: number;
}

/** Of one process at the same time; others wait. */
export const RANGES_MAX = 4;

/**
 * The state of a range that this process is sending.
 *
 * - running: recipients are claimed and sent
 * - quiet: the relay takes nothing for a while; what is claimed waits
 * - over: its time has passed; nothing more is claimed, and nothing is kept for later
 * - stopped: by a decision, a failure, or the end of the process; unsent claims are returned
 */
export class RangeSending {
  readonly sending: Sending;
  readonly policy: SendingPolicy;
  /** False after a decision or a failure. */
  goOn = true;
  error: unknown = null;
  /** How long the relay is to be left alone after the range. */
  waitMs = 0;
  /** The number of connections that it uses or waits for. */
  connections = 0;
  ended = 0;
  unwritten = 0;
  /** Mails that the relay has answered. */
  answered = 0;
  readonly #control: RunControl;
  readonly #began = performance.now();
  #isTimeOver = false;
  #quietUntil = 0;

  constructor(sending: Sending, policy: SendingPolicy, control: RunControl) {
    this.sending = sending;
    this.policy = policy;
    this.#control = control;
  }

  isStopped(): boolean {
    return !this.goOn || this.#control.signal.aborted || this.sending.ledger.stopping;
  }

  isOver(): boolean {
    return this.isStopped() || this.#isOutOfTime();
  }

  /** Once over it stays over, also when a place becomes free. */
  #isOutOfTime(): boolean {
    this.#isTimeOver ||= performance.now() >= this.#endsAt();
    return this.#isTimeOver;
  }

  #endsAt(): number {
    const { turnMs, timeMs } = this.#control;
    const mayWait = this.sending.ranges.size >= RANGES_MAX;
    return this.#began + (mayWait ? turnMs : timeMs);
  }

  mayClaim(): boolean {
    return !this.isOver() && performance.now() >= this.#quietUntil;
  }

  /** The relay's state, not the recipients': claimed messages wait or are returned, and no attempt is counted. */
  leaveRelayAlone(ms: number): void {
    this.#quietUntil = Math.max(this.#quietUntil, performance.now() + ms);
    // A long range keeps its place for a short pause, and not for one that is as long as a turn.
    if (ms < this.#control.turnMs && this.#quietUntil < this.#endsAt()) return;
    this.goOn = false;
    this.waitMs = Math.max(this.waitMs, Math.ceil(this.#quietUntil - performance.now()));
  }

  fail(error: unknown): void {
    this.error ??= error;
    this.goOn = false;
  }

  countEnded(): void {
    this.ended += 1;
    this.#control.onProgress(this.ended);
  }
}
