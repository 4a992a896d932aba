import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { isUndecided } from '../variants/waiting.ts';
import { releaseByNow } from './gradual.ts';

interface Released {
  /** Recipients with a lower `seq` may be sent to. */
  upTo: number;
  nextBatchAt: Date;
}

/** Changes day, budget and release together, by one compare-and-set: a crash can neither spend a budget twice nor lose it. */
export async function release(deps: CampaignsDeps, campaign: Campaign): Promise<Released> {
  const { _id, projectId, gradual } = campaign;
  const now = deps.clock.now();
  if (!gradual) return { upTo: Number.MAX_SAFE_INTEGER, nextBatchAt: now };
  const { state, count, nextBatchAt } = releaseByNow(gradual, gradual, now);
  const { upTo, missing } = placeAfter(campaign, gradual.releasedUpTo, count);
  const { day, releasedToday, releasedUpTo } = gradual;
  const moved = await deps.db.campaigns.findOneAndUpdate(
    {
      _id,
      projectId,
      status: 'sending_gradual',
      'gradual.day': day,
      'gradual.releasedToday': releasedToday,
      'gradual.releasedUpTo': releasedUpTo,
    },
    {
      $set: {
        'gradual.day': state.day,
        'gradual.calendarDay': state.calendarDay,
        'gradual.releasedToday': state.releasedToday - missing,
        'gradual.dayStartedAt': state.dayStartedAt,
        'gradual.releasedUpTo': upTo,
        nextBatchAt,
      },
    },
  );
  return { upTo: moved ? upTo : releasedUpTo, nextBatchAt };
}

/**
 * The `seq` before which `count` more recipients are; `missing`: there are fewer, and all of them may be sent to. Recipients who have a
 * row already, deferred or retried, are below it and spend no budget.
 */
function placeAfter(campaign: Campaign, from: number, count: number): { upTo: number; missing: number } {
  const first = Math.max(1, from);
  const { frozen, tested = 0 } = campaign.freeze ?? {};
  // People who wait for a winner spend no budget.
  const last = isUndecided(campaign) ? tested : (frozen?.inBlocks ?? Number.MAX_SAFE_INTEGER - 1);
  const end = last + 1;
  const upTo = Math.max(first, Math.min(end, first + count));
  return { upTo, missing: count - (upTo - first) };
}
