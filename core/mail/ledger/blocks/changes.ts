import type { ObjectId } from 'mongodb';
import { insertNew } from '../../../base/database/idempotent-insert.ts';
import type { MailDeps } from '../../deps.ts';
import type { Seqs } from './counts.ts';
import type { Block, BlockClaim } from './model.ts';

type Db = Pick<MailDeps, 'db'>;
type OfCampaign = Pick<Block, 'projectId' | 'campaignId'>;

const CLAIMS_AT_ONCE = 1_000;

/** Blocks of an attempt of a freeze; those that a first try has written stay. */
export async function insertBlocks(
  deps: Pick<MailDeps, 'db' | 'state' | 'mongo' | 'config'>,
  blocks: Block[],
): Promise<void> {
  await insertNew(deps, deps.db.campaignBlocks.collectionName, blocks);
}

interface Move extends Seqs {
  by: number;
}

/** Blocks that an attempt of a freeze wrote before it knew their places. A repeat finds none. */
export async function moveBlocks({ db }: Db, of: OfCampaign & { run: ObjectId }, moves: Move[]): Promise<void> {
  const { projectId, campaignId, run } = of;
  if (moves.length === 0) return;
  await db.campaignBlocks.bulkWrite(
    moves.map(({ fromSeq, toSeq, by }) => ({
      updateMany: {
        filter: { projectId, campaignId, run, fromSeq: { $gte: fromSeq, $lte: toSeq } },
        update: { $inc: { fromSeq: by } },
        hint: 'order',
      },
    })),
    { ordered: false },
  );
}

/** Only those of a run that is named: an attempt that was replaced must not remove what its successor writes. */
export async function removeBlocksOfRun({ db }: Db, of: OfCampaign & { run: ObjectId }): Promise<void> {
  const { projectId, campaignId, run } = of;
  await db.campaignBlocks.deleteMany({ projectId, campaignId, run });
}

/** Of a campaign that is over and has lost its run. The job that counts a claim removes it. */
export async function removeBlocksAndClaims({ db }: Db, { projectId, campaignId }: OfCampaign): Promise<void> {
  await db.campaignClaims.deleteMany({ projectId, campaignId, countDueAt: { $exists: false } });
  await db.campaignBlocks.deleteMany({ projectId, campaignId });
}

/** Of a deleted campaign: nothing will be sent to the addresses in its blocks. Not while a sender may still write outcomes. */
export async function removeBlocksOfDeleted(
  { db, clock }: Pick<MailDeps, 'db' | 'clock'>,
  { projectId, campaignId }: OfCampaign,
): Promise<void> {
  const running = { projectId, campaignId, leaseUntil: { $gt: clock.now() } };
  const claim = await db.campaignClaims.findOne(running, { projection: { _id: 1 } });
  if (!claim) await removeBlocksAndClaims({ db }, { projectId, campaignId });
}

/** Open claims become claims of an owner that no process has: they are settled as orphans. */
export async function orphanOpenClaims(
  { db }: Db,
  { projectId, campaignId }: OfCampaign,
  ended: Pick<BlockClaim, 'owner' | 'leaseUntil'>,
): Promise<void> {
  await db.campaignClaims.updateMany({ projectId, campaignId, leaseUntil: { $exists: true } }, { $set: ended });
}

export async function insertClaims({ db }: Db, claims: BlockClaim[]): Promise<void> {
  for (let from = 0; from < claims.length; from += CLAIMS_AT_ONCE)
    await db.campaignClaims.insertMany(claims.slice(from, from + CLAIMS_AT_ONCE));
}
