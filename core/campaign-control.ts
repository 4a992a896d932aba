import { countInFlight, ledgerCounts, nextAtOf, refreshCounts } from './campaign-counts.ts';
import { moveCampaign } from './campaign-events.ts';
import { CAMPAIGN_STARTS, findCampaign, stateConflict } from './campaigns.ts';
import type { Deps } from './deps.ts';
import { wakeDue } from './due.ts';
import type { Campaign, CampaignStatus, Project } from './model.ts';

export interface Settled {
  campaign: Campaign;
  progress: { sent: number; inFlight: number; remaining: number; nextAt: Date | null };
}

const SETTLE_MAX_MS = 30_000;
const LOOK_EVERY_MS = 25;
const UNDER_WAY: CampaignStatus[] = ['sending', 'sending_gradual'];

/**
 * A compare-and-set that binds every sender at its next claim; the run is told by the due document that goes with it. The answer
 * comes when nothing is in flight: no message is handed over after it. Works with Temporal stopped and without any worker.
 */
export async function pauseCampaign(
  deps: Deps,
  project: Project,
  campaignId: string,
  reason: string,
): Promise<Settled> {
  const now = deps.clock.now();
  return move(deps, project, campaignId, 'paused', [...UNDER_WAY, 'scheduled'], () => ({
    status: 'paused',
    pausedAt: now,
    pausedReason: reason,
    nextBatchAt: null,
  }));
}

/** Goes back to what it was doing, and begins a new stretch for the thresholds. */
export async function resumeCampaign(deps: Deps, project: Project, campaignId: string): Promise<Settled> {
  const now = deps.clock.now();
  const counts = await refreshCounts(deps, await findCampaign(deps, project, campaignId));
  const { sent, bounced, spamReported } = counts;
  return move(deps, project, campaignId, 'resumed', ['paused'], ({ startedAt, startsAt, sendMode }) => ({
    status: startedAt === null ? 'scheduled' : sendMode === 'gradual' ? 'sending_gradual' : 'sending',
    // One that missed its time starts now; one that was paused before its time keeps it.
    ...(startedAt === null && startsAt && startsAt < now ? { startsAt: now } : {}),
    resumedAt: now,
    stretch: { sent, bounced, spamReported },
  }));
}

/** What was not handed over stays pending, and nothing moves it. */
export async function abortCampaign(deps: Deps, project: Project, campaignId: string): Promise<Settled> {
  const now = deps.clock.now();
  return move(deps, project, campaignId, 'aborted', [...UNDER_WAY, 'scheduled', 'paused'], () => ({
    status: 'aborted',
    abortedAt: now,
    nextBatchAt: null,
  }));
}

/** Sends again only what failed or is unknown, over the same ledger. Contacts that were deleted stay failed. */
export async function retryCampaign(
  deps: Deps,
  project: Project,
  campaignId: string,
  states: Array<'failed' | 'unknown'>,
): Promise<Settled> {
  const moved = await change(deps, project, campaignId, 'retried', ['sent', 'failed'], ({ sendMode }) => ({
    status: sendMode === 'gradual' ? 'sending_gradual' : 'sending',
    sentAt: null,
    failureReason: null,
  }));
  const { _id, projectId } = moved;
  const at = deps.clock.now();
  await deps.db.messages.updateMany(
    { campaignId: _id, projectId, state: { $in: states }, contactId: { $exists: true } },
    [
      {
        $set: {
          state: 'queued',
          dueAt: '$$REMOVE',
          deferrals: '$$REMOVE',
          reason: '$$REMOVE',
          endedAt: '$$REMOVE',
          timeline: { $concatArrays: [{ $ifNull: ['$timeline', []] }, [{ type: 'retried', at }]] },
        },
      },
    ],
    { hint: 'campaign' },
  );
  wakeDue(deps, CAMPAIGN_STARTS, projectId);
  return settle(deps, moved);
}

type Change = (campaign: Campaign) => Partial<Campaign>;

async function move(
  deps: Deps,
  project: Project,
  campaignId: string,
  word: string,
  from: CampaignStatus[],
  to: Change,
): Promise<Settled> {
  return settle(deps, await change(deps, project, campaignId, word, from, to));
}

async function change(
  deps: Deps,
  project: Project,
  campaignId: string,
  word: string,
  from: CampaignStatus[],
  to: Change,
): Promise<Campaign> {
  for (;;) {
    const before = await findCampaign(deps, project, campaignId);
    if (!from.includes(before.status)) throw stateConflict(word, before.status);
    const now = deps.clock.now();
    const after = await moveCampaign(
      deps,
      { _id: before._id, projectId: project._id, status: before.status },
      { $set: { ...to(before), updatedAt: now, startDueAt: now } },
    );
    if (!after) continue;
    wakeDue(deps, CAMPAIGN_STARTS, project._id);
    return after;
  }
}

async function settle(deps: Deps, campaign: Campaign): Promise<Settled> {
  const isMoving = UNDER_WAY.includes(campaign.status);
  if (!isMoving) await untilNothingIsInFlight(deps, campaign);
  await refreshCounts(deps, campaign);
  const { sent, pending, inFlight, deferred } = await ledgerCounts(deps, campaign);
  const fresh = (await deps.db.campaigns.findOne({ _id: campaign._id, projectId: campaign.projectId })) ?? campaign;
  const nextAt = await nextAtOf(deps, fresh, { pending, deferred });
  return { campaign: fresh, progress: { sent, inFlight, remaining: pending, nextAt } };
}

async function untilNothingIsInFlight(deps: Deps, campaign: Campaign): Promise<void> {
  const begun = performance.now();
  while ((await countInFlight(deps, campaign)) > 0 && performance.now() - begun < SETTLE_MAX_MS)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}
