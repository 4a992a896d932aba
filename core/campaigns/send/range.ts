import type { Deps } from '../../base/deps.ts';
import { AppError } from '../../base/errors.ts';
import type { Sending } from '../../delivery/sending.ts';
import type { Campaign } from '../model.ts';
import { refreshCounts } from '../numbers/counts.ts';
import { describeCampaign } from '../numbers/progress.ts';
import { readCampaign } from '../run/next-step.ts';
import { watchThresholds } from '../run/thresholds.ts';
import { isUnderWay } from '../status.ts';
import { transition } from '../transition.ts';
import { BlockSource } from './block-source.ts';
import { compiledCampaign, type SignedCampaign } from './compiled-cache.ts';
import { sendOverConnections } from './connections.ts';
import { settleCampaignOrphans } from './orphans.ts';
import { createPace } from './pace.ts';
import type { CampaignRange, RangeRun } from './range-state.ts';
import { RowSource } from './row-source.ts';
import type { Source } from './source.ts';

export type { CampaignRange } from './range-state.ts';

export interface RangeResult {
  /** False after a decision, or while the relay does not answer: no further range is begun. */
  goOn: boolean;
  /** Where to resume when the time was over before the end of the range. */
  nextSeq: number | null;
  /** How long the relay is left alone. */
  waitMs: number;
  /** Messages that got an outcome, or were returned. */
  ended: number;
  details: string;
}

export interface RangeControl {
  signal: AbortSignal;
  onProgress(ended: number): void;
  timeMs?: number;
}

/** A range with much to wait for, at a low rate or while the relay pauses, ends after this time and is resumed. */
const PAGE_TIME_MS = 10_000;
const NOTHING = { goOn: false, nextSeq: null, waitMs: 0, ended: 0 };

/**
 * Sends the recipients of a range, or what waits in its rows. May run any number of times, also concurrently: each message is
 * claimed, and only the claim's owner sends it.
 */
export async function sendRange(sending: Sending, page: CampaignRange, control: RangeControl): Promise<RangeResult> {
  const { deps } = sending;
  const campaign = await readCampaign(deps, page);
  if (!campaign) return { ...NOTHING, details: '' };
  const compiled = isUnderWay(campaign) && (await compiledOrPaused(deps, sending, campaign));
  if (!compiled) return result(deps, page, NOTHING);
  await settleCampaignOrphans(deps, campaign, { ledger: sending.ledger, seqs: page });
  const run = newRun(sending, campaign, compiled, page, control);
  const nextSeq = await sendOverConnections(run, sourceOf(run));
  if (run.error) throw run.error;
  await run.thresholds.check();
  const goOn = run.goOn && !control.signal.aborted && !run.thresholds.isBreached();
  return result(deps, page, { goOn, nextSeq, waitMs: run.waitMs, ended: run.ended });
}

async function result(deps: Deps, page: CampaignRange, facts: Omit<RangeResult, 'details'>): Promise<RangeResult> {
  const campaign = await readCampaign(deps, page);
  return { ...facts, details: campaign ? await describeCampaign(deps, campaign) : '' };
}

/**
 * A fault that stops all mail, such as a domain that is not verified any more, pauses the campaign: no recipient has failed
 * because of it.
 */
async function compiledOrPaused(deps: Deps, sending: Sending, campaign: Campaign): Promise<SignedCampaign | null> {
  try {
    return await compiledCampaign(sending.deps, campaign);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
    const paused = { status: 'paused' as const, pausedAt: deps.clock.now(), pausedReason: error.message };
    const moved = await transition(deps, campaign, { ...paused, nextBatchAt: null }, { wakeRun: true });
    if (moved) await refreshCounts(deps, campaign);
    return null;
  }
}

function sourceOf({ sending: { deps, ledger }, campaign, page }: RangeRun): Source {
  const isOfBlocks = !page.isDeferred && campaign.freeze?.run !== undefined;
  return new (isOfBlocks ? BlockSource : RowSource)(deps, ledger, campaign, page);
}

function newRun(
  sending: Sending,
  campaign: Campaign,
  compiled: SignedCampaign,
  page: CampaignRange,
  { signal, onProgress, timeMs = PAGE_TIME_MS }: RangeControl,
): RangeRun {
  return {
    sending,
    campaign,
    compiled,
    page,
    signal,
    onProgress,
    pace: createPace(campaign.sendRatePerSecond, page.pagesAtOnce),
    thresholds: watchThresholds(sending.deps, campaign),
    deadline: performance.now() + timeMs,
    goOn: true,
    error: null,
    waitMs: 0,
    quietUntil: 0,
    connections: 0,
    ended: 0,
    unwritten: 0,
    handedOver: 0,
  };
}
