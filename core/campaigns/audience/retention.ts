import type { Filter, ObjectId } from 'mongodb';
import { removeBlocksOfDeleted } from '../../mail/ledger/blocks/changes.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { OVER } from '../status.ts';
import { removeBlocksOf, removeBlocksWhenSent } from './leave.ts';
import { isInBlocks } from './waiting.ts';

type Place = { projectId: ObjectId; campaignId: ObjectId };

/**
 * Removes blocks and claims that are not needed any more: of campaigns whose run was stopped before it did so, and of those over whose
 * freeze is older than `before`, the aborted ones among them.
 */
export async function removeOldBlocks(deps: CampaignsDeps, before: Date, mayContinue: () => boolean): Promise<void> {
  for (const { projectId, campaignId } of await placesOf(deps)) {
    if (!mayContinue()) return;
    const campaign = await deps.db.campaigns.findOne({ _id: campaignId, projectId });
    if (!campaign) {
      await removeBlocksOfDeleted(deps, { projectId, campaignId });
      continue;
    }
    const isOld = OVER.includes(campaign.status) && (campaign.freeze?.at ?? before) < before;
    if (isInBlocks(campaign) && !isOld) await removeBlocksWhenSent(deps, campaign);
    else await removeBlocksOf(deps, campaign);
  }
}

async function placesOf({ db }: CampaignsDeps): Promise<Place[]> {
  const byCampaign = [{ $group: { _id: { projectId: '$projectId', campaignId: '$campaignId' } } }];
  const [blocks, claims] = await Promise.all([
    db.campaignBlocks.aggregate<{ _id: Place }>(byCampaign, { hint: 'place' }).toArray(),
    db.campaignClaims.aggregate<{ _id: Place }>(byCampaign, { hint: 'place' }).toArray(),
  ]);
  return [...new Map([...blocks, ...claims].map(({ _id }) => [`${_id.campaignId}`, _id])).values()];
}

/** Of these campaigns those that are not over. */
export async function openAmong({ db }: CampaignsDeps, projectId: ObjectId, ids: ObjectId[]): Promise<Set<string>> {
  const open = { _id: { $in: ids }, projectId, status: { $nin: [...OVER] } };
  const found = await db.campaigns.find(open as Filter<Campaign>, { projection: { _id: 1 } }).toArray();
  return new Set(found.map(({ _id }) => `${_id}`));
}
