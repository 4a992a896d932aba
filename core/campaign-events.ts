import type { Document, Filter, UpdateFilter } from 'mongodb';
import type { ProjectEventType } from '../schemas/webhooks.ts';
import type { Campaign, CampaignStatus } from './model.ts';
import { announceEvents, type EventDeps, type NewEvent, publishEvents } from './project-events.ts';
import { inTransaction } from './transactions.ts';

const types: Partial<Record<CampaignStatus, ProjectEventType>> = {
  scheduled: 'campaign.scheduled',
  sending: 'campaign.sending',
  sending_gradual: 'campaign.sending',
  paused: 'campaign.paused',
  sent: 'campaign.sent',
  failed: 'campaign.failed',
  aborted: 'campaign.aborted',
};

/** A compare-and-set of the status, and its event, in one commit. null: another was faster. */
export async function moveCampaign(
  deps: EventDeps,
  filter: Filter<Campaign> & Pick<Campaign, '_id' | 'projectId'>,
  update: UpdateFilter<Campaign> | Document[],
): Promise<Campaign | null> {
  const moved = await inTransaction(deps, async (session) => {
    const after = await deps.db.campaigns.findOneAndUpdate(filter, update, { session, returnDocument: 'after' });
    if (after) await publishEvents(deps, after.projectId, eventsOf(after), session);
    return after;
  });
  if (moved) announceEvents(deps, moved.projectId);
  return moved;
}

/** For a campaign that was created or changed into this status. A repeat tells nobody twice. */
export async function publishCampaign(deps: EventDeps, campaign: Campaign): Promise<void> {
  await publishEvents(deps, campaign.projectId, eventsOf(campaign));
}

function eventsOf(campaign: Campaign): NewEvent[] {
  const { _id, name, status, updatedAt, startsAt, startedAt, sentAt, pausedAt, pausedReason } = campaign;
  const type = types[status];
  if (!type) return [];
  const id = _id.toHexString();
  const { abortedAt, failureReason, counts } = campaign;
  const dates = { startsAt, startedAt, sentAt, pausedAt, abortedAt };
  const data = { id, campaignId: id, name, status, ...dates, pausedReason, failureReason, counts };
  return [{ type, key: `${id} ${status} ${updatedAt.toISOString()}`, data }];
}
