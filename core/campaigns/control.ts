import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectId } from 'mongodb';
import type { Project } from '../base/model.ts';
import { findCampaign } from './definition/campaigns.ts';
import type { CampaignsDeps } from './deps.ts';
import type { Campaign, CampaignStatus } from './model.ts';
import { countInFlight, ledgerCounts, nextAtOf, refreshCounts } from './numbers/counts.ts';
import { settleCampaignOrphans } from './run/orphans.ts';
import { ABORTABLE, isUnderWay, PAUSABLE, PUBLISHED, sendingStatus, stateConflict } from './status.ts';
import { type CommitWith, type Move, transition } from './transition.ts';

export interface Settled {
  campaign: Campaign;
  progress: { sent: number; inFlight: number; remaining: number; nextAt: Date | null };
}

const SETTLE_MAX_MS = 30_000;
const LOOK_FIRST_MS = 10;
const LOOK_MAX_MS = 200;
const ORPHANS_EVERY_MS = 1_000;

/** The reason of a pause that a person asked for. */
export const PAUSED_BY_CALL = 'Paused by a call.';

/**
 * A compare-and-set that binds every sender at its next claim; the run learns of it from the job written with it. Returns when
 * nothing is in flight: no message is sent after it. Works with Temporal stopped and without any worker.
 */
export async function pauseCampaign(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  reason: string,
): Promise<Settled> {
  const paused = await decide(deps, project, campaignId, { from: PAUSABLE, word: 'paused' }, () => ({
    status: 'paused',
    pausedAt: deps.clock.now(),
    pausedReason: reason,
    nextBatchAt: null,
  }));
  return settle(deps, paused);
}

/** Restores the former status, and begins a new stretch for the thresholds. */
export async function resumeCampaign(deps: CampaignsDeps, project: Project, campaignId: string): Promise<Settled> {
  const resumed = await decide(deps, project, campaignId, { from: ['paused'], word: 'resumed' }, async (campaign) => {
    const now = deps.clock.now();
    const { startedAt, startsAt } = campaign;
    // A campaign whose time passed starts now; one that was paused before its time keeps it.
    if (startedAt === null)
      return { status: 'scheduled', resumedAt: now, startsAt: startsAt && startsAt > now ? startsAt : now };
    const { sent, bounced, spamReported } = await refreshCounts(deps, campaign);
    return {
      status: sendingStatus(campaign),
      resumedAt: now,
      stretch: { sent, bounced, spamReported },
    };
  });
  return settle(deps, resumed);
}

/** Unsent messages stay pending for good. */
export async function abortCampaign(deps: CampaignsDeps, project: Project, campaignId: string): Promise<Settled> {
  const aborted = await decide(deps, project, campaignId, { from: ABORTABLE, word: 'aborted' }, () => ({
    status: 'aborted',
    abortedAt: deps.clock.now(),
    nextBatchAt: null,
  }));
  return settle(deps, aborted);
}

/** Nothing more of a deleted project is sent: senders see it with their next claim, and the run of each with its next step. */
export async function abortCampaignsOfProject({ db, clock }: CampaignsDeps, projectId: ObjectId): Promise<void> {
  const now = clock.now();
  const aborted = { status: 'aborted', abortedAt: now, updatedAt: now, nextBatchAt: null, sendingSince: null } as const;
  await db.campaigns.updateMany({ projectId, status: { $in: [...PUBLISHED] } }, { $set: aborted });
}

/** Retried when a concurrent update wins, so that the decision is made on what is stored. */
export async function decide(
  deps: CampaignsDeps,
  project: Project,
  campaignId: string,
  { from, word, ...more }: { from: readonly CampaignStatus[]; word: string; commitWith?: CommitWith },
  to: (campaign: Campaign) => Move | Promise<Move>,
): Promise<Campaign> {
  for (;;) {
    const before = await findCampaign(deps, project, campaignId);
    if (!from.includes(before.status)) throw stateConflict(word, before.status);
    const after = await transition(deps, before, await to(before), { wakeRun: true, ...more });
    if (after) return after;
  }
}

/** Waits until nothing is in flight, unless the campaign is sending, and returns its state. */
export async function settle(deps: CampaignsDeps, campaign: Campaign): Promise<Settled> {
  if (!isUnderWay(campaign)) await untilNothingIsInFlight(deps, campaign);
  const counted = await ledgerCounts(deps, campaign);
  await refreshCounts(deps, campaign, counted);
  const { sent, pending, inFlight, deferred } = counted;
  const { _id, projectId } = campaign;
  const fresh = (await deps.db.campaigns.findOne({ _id, projectId })) ?? campaign;
  const nextAt = await nextAtOf(deps, fresh, { pending, deferred });
  return { campaign: fresh, progress: { sent, inFlight, remaining: pending, nextAt } };
}

/** The relay may be slow, and a process may have died with claims: its orphans are settled here if no other process does it. */
async function untilNothingIsInFlight(deps: CampaignsDeps, campaign: Campaign): Promise<void> {
  const end = performance.now() + SETTLE_MAX_MS;
  let orphansAt = performance.now() + ORPHANS_EVERY_MS;
  let waitMs = LOOK_FIRST_MS;
  while ((await countInFlight(deps, campaign)) > 0 && performance.now() < end) {
    await sleep(waitMs);
    waitMs = Math.min(LOOK_MAX_MS, waitMs * 1.5);
    if (performance.now() < orphansAt) continue;
    await settleCampaignOrphans(deps, campaign);
    orphansAt = performance.now() + ORPHANS_EVERY_MS;
  }
}
