import type { Collections } from '../../../base/collections.ts';
import type { Seqs } from './counts.ts';
import type { Block } from './model.ts';

/**
 * Has all recipients up to `upTo` who are not claimed yet; null when there are none. Begins with the block in or after which the
 * first one is, so that ranges have whole blocks. Claims of a block follow each other, so their sum says how far it is claimed.
 */
export async function unclaimedRange(
  { db }: { db: Pick<Collections, 'campaignClaims'> },
  { projectId, campaignId }: Pick<Block, 'projectId' | 'campaignId'>,
  upTo: number,
): Promise<Seqs | null> {
  const claimed = await db.campaignClaims
    .aggregate<{ fromSeq: number; size: number }>(
      [
        { $match: { projectId, campaignId, n: { $gte: 0 } } },
        { $group: { _id: '$n', fromSeq: { $min: '$fromSeq' }, size: { $sum: { $subtract: ['$to', '$from'] } } } },
        { $sort: { fromSeq: 1 } },
      ],
      { hint: 'place', readPreference: 'primary' },
    )
    .toArray();
  let [blockAt, end] = [1, 1];
  for (const { fromSeq, size } of claimed) {
    if (fromSeq > end) break;
    [blockAt, end] = [fromSeq, fromSeq + size];
  }
  return end > upTo ? null : { fromSeq: blockAt, toSeq: upTo };
}
