import { AppError } from '../../base/errors.ts';
import { taggedWith } from '../../base/text/tags.ts';
import { sendOverConnections } from '../../mail/deliver/connections.ts';
import { RangeSending } from '../../mail/deliver/range-sending.ts';
import type { Sending } from '../../mail/deliver/sending.ts';
import { BlockSource } from '../../mail/deliver/sources/blocks.ts';
import { RowSource } from '../../mail/deliver/sources/rows.ts';
import type { Source } from '../../mail/deliver/sources/source.ts';
import { readCampaign } from '../definition/campaigns.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { refreshCounts } from '../numbers/counts.ts';
import { describeCampaign } from '../numbers/progress.ts';
import { type CompiledCampaign, compiledCampaign } from '../run/compile.ts';
import { settleCampaignOrphans } from '../run/orphans.ts';
import { PAGE_SHORT } from '../run/sending-plan.ts';
import { watchThresholds } from '../run/thresholds.ts';
import { isUnderWay } from '../status.ts';
import { transition } from '../transition.ts';
import { policyOf } from './policy.ts';
import { noteRelay } from './relay-status.ts';

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

interface RangeControl {
  signal: AbortSignal;
  onProgress(ended: number): void;
  turnMs?: number;
  timeMs?: number;
}

/**
 * A range with much to wait for, at a low rate or while the relay pauses, ends after its turn and is resumed, by whichever process has
 * a place. One of a large campaign takes longer, but where its process has no place left for others.
 */
const TURN_MS = 10_000;
const LONG_MS = 60_000;
const NOTHING = { goOn: false, nextSeq: null, waitMs: 0, ended: 0 };

/**
 * Sends the recipients of a range, or what waits in its rows. May run any number of times, also concurrently: each message is
 * claimed, and only the claim's owner sends it.
 */
export async function sendRange(
  sending: Sending<CampaignsDeps>,
  page: CampaignRange,
  control: RangeControl,
): Promise<RangeResult> {
  const { deps, ledger } = sending;
  const campaign = await readCampaign(deps, page);
  if (!campaign) return { ...NOTHING, details: '' };
  const compiled = isUnderWay(campaign) && (await compiledOrPaused(deps, sending, campaign));
  if (!compiled) return result(deps, page, NOTHING);
  await settleCampaignOrphans(deps, campaign, { ledger, seqs: page });
  const relay = noteRelay(deps, campaign);
  const thresholds = watchThresholds(deps, campaign);
  const policy = policyOf(deps, { campaign, compiled, relay, thresholds, rangesAtOnce: page.pagesAtOnce });
  const run = new RangeSending(sending, policy, { ...timesOf(page), ...control });
  const nextSeq = await sendOverConnections(run, sourceOf(sending, campaign, page));
  await relay.over(run);
  if (run.error) throw run.error;
  await thresholds.check();
  const goOn = run.goOn && !control.signal.aborted && !thresholds.isBreached();
  return result(deps, page, { goOn, nextSeq, waitMs: run.waitMs, ended: run.ended });
}

export function timesOf({ fromSeq, toSeq, isDeferred }: CampaignRange): { turnMs: number; timeMs: number } {
  const isLong = !isDeferred && toSeq - fromSeq >= PAGE_SHORT;
  return { turnMs: TURN_MS, timeMs: isLong ? LONG_MS : TURN_MS };
}

function sourceOf(
  { deps, ledger }: Sending<CampaignsDeps>,
  { _id, projectId, freeze, tags }: Campaign,
  { fromSeq, toSeq, isDeferred }: CampaignRange,
): Source {
  const run = freeze?.run ?? null;
  const of = { projectId, campaignId: _id, frozenAt: freeze!.at, run, ...taggedWith(tags) };
  const range = { ...of, fromSeq, toSeq, isDeferred };
  return isDeferred || run === null ? new RowSource(deps, ledger, range) : new BlockSource(deps, ledger, range);
}

async function result(
  deps: CampaignsDeps,
  page: CampaignRange,
  facts: Omit<RangeResult, 'details'>,
): Promise<RangeResult> {
  const campaign = await readCampaign(deps, page);
  return { ...facts, details: campaign ? await describeCampaign(deps, campaign) : '' };
}

/**
 * A fault that stops all mail, such as a domain that is not verified any more, pauses the campaign: no recipient has failed
 * because of it.
 */
async function compiledOrPaused(
  deps: CampaignsDeps,
  sending: Sending<CampaignsDeps>,
  campaign: Campaign,
): Promise<CompiledCampaign | null> {
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
