import type { Sending } from '../../delivery/sending.ts';
import type { Campaign } from '../model.ts';
import type { ThresholdWatch } from '../run/thresholds.ts';
import type { SignedCampaign } from './compiled-cache.ts';
import type { Pace } from './pace.ts';

export interface CampaignRange {
  projectId: string;
  campaignId: string;
  fromSeq: number;
  toSeq: number;
  /** Sends what waits in rows: deferred messages that are due, retried and returned ones. Other ranges are of the blocks. */
  isDeferred: boolean;
  /** How many ranges share the campaign's rate. */
  pagesAtOnce: number;
}

/** A range that this process is sending. */
export interface RangeRun {
  readonly sending: Sending;
  readonly campaign: Campaign;
  readonly compiled: SignedCampaign;
  readonly page: CampaignRange;
  readonly signal: AbortSignal;
  readonly onProgress: (ended: number) => void;
  readonly pace: Pace;
  readonly thresholds: ThresholdWatch;
  /** Nothing is claimed after it. Monotonic milliseconds, like the other times here. */
  readonly deadline: number;
  /** False after a decision or a failure; unsent claims are returned. */
  goOn: boolean;
  error: unknown;
  waitMs: number;
  /** The relay is left alone until then. */
  quietUntil: number;
  /** The number of connections that it uses or waits for. */
  connections: number;
  ended: number;
  unwritten: number;
  handedOver: number;
}

/** True when unsent claims must be returned to `queued`. */
export function mustStop(run: RangeRun): boolean {
  return !run.goOn || run.signal.aborted || run.sending.ledger.stopping;
}

/** Nothing more is claimed, and nothing is kept for later. */
export function isOver(run: RangeRun): boolean {
  return mustStop(run) || performance.now() >= run.deadline;
}

export function mayClaim(run: RangeRun): boolean {
  const now = performance.now();
  return !mustStop(run) && now < run.deadline && now >= run.quietUntil;
}

/** The relay's state, not the recipients': claimed messages wait or are returned, and no attempt is counted. */
export function leaveRelayAlone(run: RangeRun, ms: number): void {
  run.quietUntil = Math.max(run.quietUntil, performance.now() + ms);
  if (run.quietUntil < run.deadline) return;
  run.goOn = false;
  run.waitMs = Math.max(run.waitMs, Math.ceil(run.quietUntil - performance.now()));
}

export function fail(run: RangeRun, error: unknown): void {
  run.error ??= error;
  run.goOn = false;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
