import { ObjectId } from 'mongodb';
import { orphanOpenMessages, RESTORED_OWNER } from '../../mail/ledger/after-restore.ts';
import { insertClaims, orphanOpenClaims } from '../../mail/ledger/blocks/changes.ts';
import type { BlockClaim } from '../../mail/ledger/blocks/model.ts';
import type { CampaignsDeps } from '../deps.ts';
import { releasedAt } from '../local-time/rules.ts';
import type { Campaign } from '../model.ts';
import { RETRYABLE, UNDER_WAY } from '../status.ts';
import { transition } from '../transition.ts';
import { blocksOf, isInBlocks } from './waiting.ts';

interface Doubted {
  /** Mails of which it is asked whether they were sent. */
  doubted: number;
  /** Campaigns that may have been sent since the backup. */
  paused: number;
}

/**
 * After a restore it is not known what has been sent since the backup was made: open messages, and recipients in blocks, are treated
 * as if their sender had died after the final dot. Campaigns that were due, or froze their audience, are paused for a person to decide.
 * Call it while no worker runs; calling it twice does no harm.
 */
export async function doubtAfterRestore(deps: CampaignsDeps, project: { _id: ObjectId }): Promise<Doubted> {
  const projectId = project._id;
  let doubted = await orphanOpenMessages(deps, project);
  const frozen = {
    projectId,
    status: { $in: [...UNDER_WAY, 'paused' as const, ...RETRYABLE] },
    'freeze.isDone': true,
    'freeze.run': { $exists: true },
  };
  for await (const campaign of deps.db.campaigns.find(frozen)) doubted += await doubtBlocks(deps, campaign);
  return { doubted, paused: await pauseDue(deps, projectId) };
}

/** A claim of an owner that no process has is appended to the rest of every block; open claims become claims of that owner. */
async function doubtBlocks(deps: CampaignsDeps, campaign: Campaign): Promise<number> {
  if (!isInBlocks(campaign)) return 0;
  const { _id: campaignId, projectId } = campaign;
  const ended = { owner: RESTORED_OWNER, leaseUntil: campaign.freeze.at };
  await orphanOpenClaims(deps, { projectId, campaignId }, ended);
  const claims = await unclaimedRests(deps, campaign, ended);
  await insertClaims(deps, claims);
  return claims.reduce((sum, claim) => sum + claim.to - claim.from, 0);
}

async function unclaimedRests(
  { db, clock }: CampaignsDeps,
  campaign: Parameters<typeof blocksOf>[0],
  ended: { owner: string; leaseUntil: Date },
): Promise<BlockClaim[]> {
  const { releases: _, ...of } = blocksOf(campaign);
  const { projectId, campaignId } = of;
  const claimed = await db.campaignClaims
    .aggregate<{ _id: number; to: number }>([
      { $match: { projectId, campaignId } },
      { $group: { _id: '$n', to: { $max: '$to' } } },
    ])
    .toArray();
  const upTo = new Map(claimed.map(({ _id, to }) => [_id, to]));
  const projection = { _id: 0, n: 1, fromSeq: 1, count: 1 } as const;
  const heads = await db.campaignBlocks.find({ ...of }, { projection, hint: 'order' }).toArray();
  const claimedAt = clock.now();
  // People whose local time is still to come got nothing, whatever happened since. A winner may have been found since.
  const end = releasedAt(campaign.freeze.releases, claimedAt)?.upTo ?? Number.MAX_SAFE_INTEGER;
  return heads.flatMap(({ n, fromSeq, count }) => {
    if (fromSeq >= end) return [];
    const from = upTo.get(n) ?? 0;
    if (from >= count) return [];
    const place = { _id: new ObjectId(), projectId, campaignId, n, from, to: count, fromSeq: fromSeq + from };
    return [{ ...place, frozenAt: campaign.freeze.at, claimedAt, ...ended }];
  });
}

async function pauseDue(deps: CampaignsDeps, projectId: ObjectId): Promise<number> {
  const now = deps.clock.now();
  const due = { status: 'scheduled' as const, startsAt: { $lte: now } };
  const freezing = {
    status: { $in: UNDER_WAY },
    'freeze.isDone': { $ne: true },
  };
  const found = await deps.db.campaigns.find({ projectId, $or: [due, freezing] }).toArray();
  const pausedReason =
    'A backup was restored in which this campaign had not begun to send; it may have been sent since. Resume sends it to everybody.';
  const to = { status: 'paused' as const, pausedAt: now, pausedReason, nextBatchAt: null };
  const moved = await Promise.all(found.map((campaign) => transition(deps, campaign, to, { wakeRun: true })));
  return moved.filter((campaign) => campaign !== null).length;
}
