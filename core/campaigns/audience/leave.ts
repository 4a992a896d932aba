import { removeBlocksAndClaims } from '../../mail/ledger/blocks/changes.ts';
import { countOpen } from '../../mail/ledger/blocks/counts.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { Campaign } from '../model.ts';
import { ledgerCounts } from '../numbers/counts.ts';
import { OVER } from '../status.ts';
import { blocksOf, isInBlocks } from './waiting.ts';

type LeavingDeps = Pick<CampaignsDeps, 'db' | 'mongo'>;
type Leaving = Pick<Campaign, '_id' | 'projectId' | 'status' | 'updatedAt' | 'freeze'>;

/**
 * Removes blocks and claims of a campaign that is over, when each of its recipients has a row and no claim is open. Those of an aborted
 * campaign are its pending recipients.
 */
export async function removeBlocksWhenSent(deps: LeavingDeps, campaign: Leaving): Promise<void> {
  const { _id: campaignId, projectId, status, freeze } = campaign;
  if (!OVER.includes(status) || !isInBlocks(campaign)) return;
  if ((await countOpen(deps, { projectId, campaignId })) > 0) return;
  const { total, pending } = await ledgerCounts(deps, campaign);
  if (pending > 0 || total !== freeze?.frozen?.total) return;
  await removeBlocksOf(deps, campaign);
}

/**
 * The campaign loses its run first: from then on it has rows only, and a sender that had stopped with a block in its memory finds after
 * its claim that the block is gone. Not when its status has changed since.
 */
export async function removeBlocksOf({ db }: LeavingDeps, campaign: Leaving): Promise<void> {
  const { _id, projectId, status, updatedAt } = campaign;
  if (isInBlocks(campaign)) {
    const unchanged = { _id, projectId, status, updatedAt, 'freeze.run': blocksOf(campaign).run };
    const { matchedCount } = await db.campaigns.updateOne(unchanged, { $unset: { 'freeze.run': '' } });
    if (matchedCount === 0) return;
  }
  await removeBlocksAndClaims({ db }, { projectId, campaignId: _id });
}
