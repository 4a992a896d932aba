import type { ObjectId } from 'mongodb';
import { distinctIds } from '../../../base/ids.ts';
import type { BlockClaim } from '../../../mail/ledger/blocks/model.ts';
import { markClaimsCounted, removeCountedClaims } from '../../../mail/ledger/counting/mark-counted.ts';
import { campaignOrigins } from './campaign-origins.ts';
import type { CountDeps, Counting } from './counting.ts';

const AT_ONCE_MAX = 256;

/** Closed claims have what their rows were inserted with. Returns whether there may be more. */
export async function countClaims({ db }: CountDeps, { projectId, session, documents }: Counting): Promise<boolean> {
  const claims = await db.campaignClaims
    .find({ projectId, countDueAt: { $exists: true } }, { session, hint: 'counted' })
    .project<Pick<BlockClaim, '_id' | 'campaignId' | 'counts'>>({ campaignId: 1, counts: 1 })
    .limit(AT_ONCE_MAX)
    .toArray();
  if (claims.length === 0) return false;
  const campaignIds = distinctIds(claims.map(({ campaignId }) => campaignId));
  const originOf = await campaignOrigins({ db }, projectId, campaignIds, session);
  for (const { campaignId, counts = [] } of claims)
    for (const cell of counts) documents.add(originOf(campaignId), cell);
  await settle({ db }, { projectId, session }, claims, campaignIds);
  return claims.length === AT_ONCE_MAX;
}

async function settle(
  { db }: Pick<CountDeps, 'db'>,
  { projectId, session }: Pick<Counting, 'projectId' | 'session'>,
  claims: Array<Pick<BlockClaim, '_id' | 'campaignId'>>,
  campaignIds: ObjectId[],
): Promise<void> {
  const inBlocks = await db.campaigns
    .find(
      { _id: { $in: campaignIds }, projectId, 'freeze.run': { $exists: true } },
      { session, projection: { _id: 1 } },
    )
    .toArray();
  const live = new Set(inBlocks.map(({ _id }) => _id.toHexString()));
  const isLive = ({ campaignId }: Pick<BlockClaim, 'campaignId'>) => live.has(campaignId.toHexString());
  const idsOf = (some: typeof claims) => some.map(({ _id }) => _id);
  await markClaimsCounted({ db }, projectId, idsOf(claims.filter(isLive)), session);
  await removeCountedClaims({ db }, projectId, idsOf(claims.filter((claim) => !isLive(claim))), session);
}
