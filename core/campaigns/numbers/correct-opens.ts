import type { ObjectId } from 'mongodb';
import { firstIdAt } from '../../base/ids.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { engagementCounts, refreshCounts } from './counts.ts';

const CAMPAIGNS_AT_ONCE = 10;

type Stored = Pick<Campaign, '_id' | 'projectId' | 'counts'>;

/**
 * Counts campaigns again whose stored opens of people are not those of the engagements: their numbers may have been final for long. Returns
 * the last campaign that was looked at; null when there are no more.
 */
export async function correctOpenCounts(
  deps: Pick<CampaignsDeps, 'db' | 'mongo' | 'clock'>,
  { projectId, after }: { projectId: ObjectId; after: ObjectId | null },
): Promise<{ after: ObjectId | null; corrected: number }> {
  const campaigns: Stored[] = await deps.db.campaigns
    .find(
      { projectId, _id: { $gt: after ?? firstIdAt(0) } },
      { projection: { projectId: 1, counts: 1 }, hint: 'newest' },
    )
    .sort({ _id: 1 })
    .limit(CAMPAIGNS_AT_ONCE)
    .toArray();
  let corrected = 0;
  for (const campaign of campaigns) {
    const { humanOpened } = await engagementCounts(deps, campaign);
    if (humanOpened === (campaign.counts?.humanOpened ?? 0)) continue;
    await refreshCounts(deps, campaign);
    corrected += 1;
  }
  const last = campaigns.length < CAMPAIGNS_AT_ONCE ? null : campaigns.at(-1)!._id;
  return { after: last, corrected };
}
