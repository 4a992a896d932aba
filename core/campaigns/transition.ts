import { nextUpdate } from '../base/database/seen.ts';
import { requestRun, wakeStarts } from '../jobs/starts.ts';
import { referToTemplate } from '../templates/find.ts';
import { stateConflict } from './definition/campaigns.ts';
import type { CampaignsDeps } from './deps.ts';
import { type CommitWith, moveCampaign } from './events.ts';
import type { Campaign, CampaignStatus } from './model.ts';
import { isAllowed, isUnderWay } from './status.ts';

export type Move = Partial<Campaign> & Pick<Campaign, 'status'>;

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
