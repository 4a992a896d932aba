import type { Document, Filter, UpdateFilter } from 'mongodb';
import type { ProjectEventType } from '../../schemas/events/webhooks.ts';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { nextUpdate } from '../base/database/seen.ts';
import { inTransaction } from '../base/database/transactions.ts';
import type { Session } from '../base/model.ts';
import { announceEvents, type NewEvent, publishEvents } from '../events/events.ts';
import { requestRun, wakeStarts } from '../jobs/starts.ts';
import { referToTemplate } from '../templates/find.ts';
import type { CampaignsDeps } from './deps.ts';
import type { Campaign, CampaignStatus } from './model.ts';
import { isAllowed, isUnderWay, stateConflict } from './status.ts';

const types: Partial<Record<CampaignStatus, ProjectEventType>> = {
  scheduled: 'campaign.scheduled',
  sending: 'campaign.sending',
  sending_gradual: 'campaign.sending',
  paused: 'campaign.paused',
  sent: 'campaign.sent',
  failed: 'campaign.failed',
  aborted: 'campaign.aborted',
};

export type Move = Partial<Campaign> & Pick<Campaign, 'status'>;
/** Writes that are committed with the campaign or not at all. */
export type CommitWith = (session: Session, campaign: Campaign) => Promise<void>;

/**
 * A compare-and-set on what was read, with its event: null when a concurrent change won. Senders see it with their next claim.
 * `wakeRun` is false where the run itself makes the transition.
 */
export async function transition(
  deps: CampaignsDeps,
  before: Campaign,
  to: Move,
  { wakeRun, commitWith }: { wakeRun: boolean; commitWith?: CommitWith },
): Promise<Campaign | null> {
  const { _id, projectId, status, updatedAt } = before;
  if (!isAllowed(status, to.status)) throw stateConflict(to.status, status);
  const now = deps.clock.now();
  const set = { ...to, ...timeUnderWay(before, to.status, now), updatedAt: nextUpdate(before, now) };
  const moved = await moveCampaign(
    deps,
    { _id, projectId, status, updatedAt },
    { $set: set },
    async (session, after) => {
      if (wakeRun) await requestRun(deps, 'campaign', after, { session });
      if (after.status === 'scheduled')
        await referToTemplate(deps, session, { _id: projectId }, after.templateId, 'templateId');
      await commitWith?.(session, after);
    },
  );
  if (moved && wakeRun) wakeStarts(deps, 'campaign', projectId);
  return moved;
}

/** Milliseconds of sending until now, without the pauses. */
export function sendingMsOf({ sendingSince, sendingMs = 0 }: Campaign, now: Date): number {
  return sendingMs + (sendingSince ? Math.max(0, now.getTime() - sendingSince.getTime()) : 0);
}

function timeUnderWay(before: Campaign, status: CampaignStatus, now: Date): Partial<Campaign> {
  if (isUnderWay({ status })) return { sendingSince: before.sendingSince ?? now };
  return before.sendingSince ? { sendingSince: null, sendingMs: sendingMsOf(before, now), relay: null } : {};
}

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
