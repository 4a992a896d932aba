import type { Document, Filter, UpdateFilter } from 'mongodb';
import type { ProjectEventType } from '../../schemas/events/webhooks.ts';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import type { Session } from '../base/model.ts';
import { announceEvents, type NewEvent, publishEvents } from '../events/events.ts';
import type { CampaignsDeps } from './deps.ts';
import type { Campaign, CampaignStatus } from './model.ts';

const types: Partial<Record<CampaignStatus, ProjectEventType>> = {
  scheduled: 'campaign.scheduled',
  sending: 'campaign.sending',
  sending_gradual: 'campaign.sending',
  paused: 'campaign.paused',
  sent: 'campaign.sent',
  failed: 'campaign.failed',
  aborted: 'campaign.aborted',
};

/** Writes that are committed with the campaign or not at all. */
export type CommitWith = (session: Session, campaign: Campaign) => Promise<void>;

/** A compare-and-set, and the event of a new status, in one commit. null: a concurrent change won, and nothing is written. */
export async function moveCampaign(
  deps: CampaignsDeps,
  filter: Filter<Campaign> & Pick<Campaign, '_id' | 'projectId' | 'status'>,
  update: UpdateFilter<Campaign> | Document[],
  commitWith: CommitWith = async () => {},
): Promise<Campaign | null> {
  const moved = await inTransaction(deps, async (session) => {
    const after = await deps.db.campaigns.findOneAndUpdate(filter, update, { session, returnDocument: 'after' });
    if (!after) return null;
    await commitWith(session, after);
    if (after.status !== filter.status) await publishEvents(deps, after.projectId, eventsOf(after), session);
    return after;
  });
  if (moved) announceEvents(deps, moved.projectId);
  return moved;
}

/** A new campaign, and the event of one that is scheduled from the start, in one commit. A repeat finds what the first try wrote. */
export async function insertCampaign(
  deps: CampaignsDeps,
  campaign: Campaign,
  commitWith: CommitWith,
): Promise<Campaign> {
  const { _id, projectId } = campaign;
  try {
    await inTransaction(deps, async (session) => {
      await deps.db.campaigns.insertOne(campaign, { session });
      await commitWith(session, campaign);
      await publishEvents(deps, projectId, eventsOf(campaign), session);
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
