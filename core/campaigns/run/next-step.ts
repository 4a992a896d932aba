import { MINUTE_MS } from '../../base/time/durations.ts';
import { removeBlocksWhenSent } from '../audience/leave.ts';
import { type CampaignRef, readCampaign } from '../definition/campaigns.ts';
import { audienceFault } from '../definition/of-campaign.ts';
import { type AwaitedSegment, awaitedSegments, wordsFor } from '../definition/segments.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign, CampaignStatus } from '../model.ts';
import { countNow, type LedgerCounts, ledgerCounts, refreshCounts } from '../numbers/counts.ts';
import { describeCampaign } from '../numbers/progress.ts';
import { type Move, transition } from '../transition.ts';
import { begin } from './begin.ts';
import { settleCampaignOrphans, unsettledOf } from './orphans.ts';
import { type SendStep, sendingStep, type WaitStep } from './sending-plan.ts';
import { testStep } from './test-step.ts';

/** The next step of the run. Decided here from the documents, so that a run can be restarted at any time. */
export type CampaignStep =
  | { kind: 'end'; status: CampaignStatus | 'deleted'; summary: string }
  | { kind: 'park'; status: CampaignStatus; summary: string }
  | { kind: 'freeze'; status: CampaignStatus; summary: string }
  | WaitStep
  | SendStep;

/** Temporal refuses summaries of more than 400 bytes. */
const SUMMARY_BYTES_MAX = 190;
/** The wait before orphans of a process are checked again: as long as the claims have lasted, within these limits. */
const HELD_LOOK_MIN_MS = 1_000;
const HELD_LOOK_MAX_MS = 15_000;

/** One step of `campaignSend`. Safe to repeat: each transition of the status is a compare-and-set. */
export async function advanceCampaign(
  deps: CampaignsDeps,
  ref: CampaignRef,
): Promise<CampaignStep & { details: string }> {
  for (;;) {
    const campaign = await readCampaign(deps, ref);
    if (!campaign) {
      const summary = 'The campaign was deleted.';
      return { kind: 'end', status: 'deleted', summary, details: summary };
    }
    // Also while the campaign is paused or over: claims of dead processes must not stay in flight.
    if (campaign.freeze) await settleCampaignOrphans(deps, campaign);
    const step = await stepOf(deps, campaign);
    if (step) return { ...step, details: await describeCampaign(deps, campaign) };
  }
}

/** null: the status changed; read it again. */
async function stepOf(deps: CampaignsDeps, campaign: Campaign): Promise<CampaignStep | null> {
  const { status, pausedReason } = campaign;
  switch (status) {
    case 'draft':
      return { kind: 'end', status, summary: 'The campaign is a draft.' };
    case 'sent':
    case 'failed':
    case 'aborted':
      return (await heldStep(deps, campaign)) ?? endStep(deps, campaign);
    case 'paused':
      return (
        (await heldStep(deps, campaign)) ?? {
          kind: 'park',
          status,
          summary: summaryOf(`Paused: ${pausedReason}`),
        }
      );
    case 'scheduled':
      return scheduledStep(deps, campaign);
    case 'sending':
    case 'sending_gradual':
      return underWayStep(deps, campaign);
  }
}

async function endStep(deps: CampaignsDeps, campaign: Campaign): Promise<CampaignStep> {
  const { status } = campaign;
  await removeBlocksWhenSent(deps, campaign);
  return { kind: 'end', status, summary: `The campaign is ${status}.` };
}

/** null when nothing of the campaign is in flight. */
async function heldStep(deps: CampaignsDeps, campaign: Campaign): Promise<WaitStep | null> {
  const { count, ageMs } = await unsettledOf(deps, campaign);
  if (count === 0) return null;
  const waitMs = Math.min(HELD_LOOK_MAX_MS, Math.max(HELD_LOOK_MIN_MS, ageMs));
  return { kind: 'wait', status: campaign.status, waitMs, summary: `${count} are with the relay` };
}

async function scheduledStep(deps: CampaignsDeps, campaign: Campaign): Promise<CampaignStep | null> {
  const now = deps.clock.now();
  const startsAt = campaign.startsAt ?? now;
  const waitMs = startsAt.getTime() - now.getTime();
  if (waitMs > 0) return { kind: 'wait', status: 'scheduled', waitMs, summary: `starts at ${startsAt.toISOString()}` };
  const awaited = await awaitedSegments(deps, campaign);
  const lateMinutes = Math.floor(-waitMs / MINUTE_MS);
  if (lateMinutes <= campaign.maxLatenessMinutes)
    return awaited.length > 0 ? segmentStep(campaign, awaited, -waitMs) : begin(deps, campaign);
  const pausedReason = latenessReason(campaign, lateMinutes, awaited);
  return move(deps, campaign, { status: 'paused', pausedAt: now, pausedReason });
}

function latenessReason({ maxLatenessMinutes }: Campaign, lateMinutes: number, awaited: AwaitedSegment[]): string {
  if (awaited.length === 0)
    return `It could not start on time: it is ${lateMinutes} minutes late, and maxLatenessMinutes is ${maxLatenessMinutes}. Resume starts it.`;
  return `It could not start on time: ${wordsFor(awaited)} still being computed after ${lateMinutes} minutes, and maxLatenessMinutes is ${maxLatenessMinutes}. Resume waits for it again.`;
}

/** The next check comes after as long as the campaign has waited, within limits. */
function segmentStep({ status }: Campaign, awaited: AwaitedSegment[], waitedMs: number): WaitStep {
  const waitMs = Math.min(HELD_LOOK_MAX_MS, Math.max(HELD_LOOK_MIN_MS, waitedMs));
  return { kind: 'wait', status, waitMs, summary: summaryOf(`waits: ${wordsFor(awaited)} being computed`) };
}

function summaryOf(text: string): string {
  return Buffer.from(text).subarray(0, SUMMARY_BYTES_MAX).toString();
}

async function underWayStep(deps: CampaignsDeps, campaign: Campaign): Promise<CampaignStep | null> {
  const { projectId, status, startedAt, freeze } = campaign;
  const now = deps.clock.now();
  const project = await deps.db.projects.findOne({ _id: projectId, deletedAt: null }, { projection: { _id: 1 } });
  if (!project) return move(deps, campaign, { status: 'aborted', abortedAt: now, nextBatchAt: null });
  // A retry of a campaign that failed before its audience was written.
  if (startedAt === null) return begin(deps, campaign);
  if (!freeze?.isDone) {
    const awaited = await awaitedSegments(deps, campaign);
    if (awaited.length > 0) return segmentStep(campaign, awaited, now.getTime() - startedAt.getTime());
    const failureReason = await audienceFault(deps, campaign);
    if (failureReason) return move(deps, campaign, { status: 'failed', failureReason });
    return { kind: 'freeze', status, summary: 'writes down the audience' };
  }
  const step = await sendingStep(deps, campaign);
  if (step?.kind === 'send') return step;
  const test = await testStep(deps, campaign);
  if (test === 'changed') return null;
  if (test) return step && step.waitMs < test.waitMs ? step : test;
  const held = await heldStep(deps, campaign);
  if (step && held) return step.waitMs < held.waitMs ? step : held;
  return step ?? held ?? finish(deps, campaign);
}

async function finish(deps: CampaignsDeps, campaign: Campaign): Promise<CampaignStep | null> {
  const ledger = await ledgerCounts(deps, campaign);
  const { total, sent, unknown, suppressed, failed, pending } = ledger;
  const { status } = campaign;
  if (pending > 0) return { kind: 'wait', status, waitMs: HELD_LOOK_MIN_MS, summary: `${pending} are left` };
  const over = { nextBatchAt: null };
  if (sent + unknown > 0) return move(deps, campaign, { status: 'sent', sentAt: deps.clock.now(), ...over }, ledger);
  const failureReason =
    total === 0
      ? 'Nobody is in the audience: the lists are empty, or everybody in them is excluded.'
      : `Nothing could be sent: of ${total} recipients ${suppressed} are suppressed and ${failed} failed.`;
  return move(deps, campaign, { status: 'failed', failureReason, ...over }, ledger);
}

/**
 * Stores the numbers of that moment, `ledger` where they are known: a reader who sees the final status sees the final numbers
 * too.
 */
async function move(deps: CampaignsDeps, campaign: Campaign, to: Move, ledger?: LedgerCounts): Promise<null> {
  const counted = campaign.freeze?.isDone
    ? { counts: await countNow(deps, campaign, ledger), refreshedAt: deps.clock.now() }
    : {};
  if (await transition(deps, campaign, { ...to, ...counted }, { wakeRun: false })) await refreshCounts(deps, campaign);
  return null;
}
