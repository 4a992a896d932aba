import type { Document, Filter, UpdateFilter } from 'mongodb';
import type { ProjectEventType } from '../schemas/webhooks.ts';
import { insertOnce, isDuplicateKey } from './insert.ts';
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

/** A new campaign, and the event of one that is scheduled from the start, in one commit. A repeat finds what the first try wrote. */
export async function insertCampaign(deps: EventDeps, campaign: Campaign): Promise<Campaign> {
  const { _id, projectId } = campaign;
  const events = eventsOf(campaign);
  if (events.length === 0) return insertOnce(deps.db.campaigns, campaign, { projectId });
  try {
    await inTransaction(deps, async (session) => {
      await deps.db.campaigns.insertOne(campaign, { session });
      await publishEvents(deps, projectId, events, session);
    });
  } catch (error) {
    const stored = isDuplicateKey(error, '_id_') ? await deps.db.campaigns.findOne({ _id, projectId }) : null;
    if (!stored) throw error;
    return stored;
  }
  announceEvents(deps, projectId);
  return campaign;
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
