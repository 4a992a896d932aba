import type { Deps } from '../../base/deps.ts';
import { states } from '../../outbox/states.ts';
import type { Campaign } from '../model.ts';
import { releaseByNow } from './gradual.ts';

export interface Released {
  /** Recipients with a lower `seq` may be sent to. */
  upTo: number;
  nextBatchAt: Date;
}

/** Changes day, budget and release together, by one compare-and-set: a crash can neither spend a budget twice nor lose it. */
export async function release(deps: Deps, campaign: Campaign): Promise<Released> {
  const { _id, projectId, gradual } = campaign;
  const now = deps.clock.now();
  if (!gradual) return { upTo: Number.MAX_SAFE_INTEGER, nextBatchAt: now };
  const { state, count, nextBatchAt } = releaseByNow(gradual, gradual, now);
  const { upTo, missing } = await placeAfter(deps, campaign, gradual.releasedUpTo, count);
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
 * The `seq` before which `count` more unreleased recipients are queued; `missing`: there are fewer, and all of them may be sent
 * to.
 */
async function placeAfter(
  { db }: Deps,
  { _id, projectId }: Campaign,
  from: number,
  count: number,
): Promise<{ upTo: number; missing: number }> {
  if (count === 0) return { upTo: from, missing: 0 };
  const waiting = { campaignId: _id, projectId, state: states.queued, seq: { $gte: from } };
  const [last] = await db.messages
    .find(waiting, { projection: { seq: 1 }, hint: 'campaign' })
    .sort({ seq: 1 })
    .skip(count - 1)
    .limit(1)
    .toArray();
  if (last?.seq !== undefined) return { upTo: last.seq + 1, missing: 0 };
  const left = await db.messages.countDocuments(waiting, { hint: 'campaign' });
  return { upTo: Number.MAX_SAFE_INTEGER, missing: count - left };
}
