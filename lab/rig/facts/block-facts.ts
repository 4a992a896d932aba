import type { Campaign } from '../../../core/campaigns/model.ts';
import { recipientId } from '../../../core/mail/ledger/blocks/recipient-id.ts';
import type { DrillContext } from '../context.ts';

/** People of a campaign's blocks, against its claims and rows. All are 0 once the blocks have left. */
export interface BlockFacts {
  /** Claims that no process has closed. */
  openClaims: number;
  /** People in two claims. */
  claimedTwice: number;
  /** People without a claim, though the campaign is over. */
  unclaimed: number;
  /** People without a row, though the campaign is over. */
  rowless: number;
}

const OVER = ['sent', 'failed'];

export async function readBlocks(
  { deps }: DrillContext,
  { _id, projectId, status, freeze }: Campaign,
  rowIds: ReadonlySet<string>,
): Promise<BlockFacts> {
  const of = { projectId, campaignId: _id };
  const [blocks, claims] = await Promise.all([
    freeze?.run ? deps.db.campaignBlocks.find({ ...of, run: freeze.run }).toArray() : [],
    deps.db.campaignClaims.find(of).toArray(),
  ]);
  const claimed = claims.flatMap(({ n, from, to }) => Array.from({ length: to - from }, (_, i) => `${n} ${from + i}`));
  const once = new Set(claimed);
  const people = blocks.flatMap(({ n, recipients }) =>
    recipients.map(({ contactId }, place) => ({ place: `${n} ${place}`, id: recipientId(freeze!.at, _id, contactId) })),
  );
  const isOver = OVER.includes(status);
  return {
    openClaims: claims.filter(({ leaseUntil }) => leaseUntil !== undefined).length,
    claimedTwice: claimed.length - once.size,
    unclaimed: isOver ? people.filter(({ place }) => !once.has(place)).length : 0,
    rowless: isOver ? people.filter(({ id }) => !rowIds.has(id.toHexString())).length : 0,
  };
}
