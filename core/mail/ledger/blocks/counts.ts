import type { ObjectId } from 'mongodb';
import type { Session } from '../../../base/model.ts';
import type { MailDeps } from '../../deps.ts';
import { ALL_STATES } from '../states.ts';

type Db = Pick<MailDeps, 'db'>;

/** A campaign of a project. */
interface OfCampaign {
  projectId: ObjectId;
  campaignId: ObjectId;
}

/** Recipients by `seq`, both ends included. */
export interface Seqs {
  fromSeq: number;
  toSeq: number;
}

interface ClaimCounts {
  /** Recipients of all claims, closed ones included. */
  claimed: number;
  /** Recipients of open claims that have no row yet. */
  inFlight: number;
}

const RANGES_AT_ONCE = 100;

/** Counts claims and the rows of open ones, in a snapshot session: else a row that lands between two reads is counted twice. */
export async function countClaims(deps: Db, of: OfCampaign, session: Session): Promise<ClaimCounts> {
  const [claimed, open] = await Promise.all([sizeOfClaims(deps, of, session), openRanges(deps, of, session)]);
  return { claimed, inFlight: sizeOf(open) - (await countRows(deps, of, open, session)) };
}

async function sizeOfClaims({ db }: Db, { projectId, campaignId }: OfCampaign, session: Session): Promise<number> {
  const size = { $sum: { $subtract: ['$to', '$from'] } };
  const [all] = await db.campaignClaims
    .aggregate<{ size: number }>([{ $match: { projectId, campaignId } }, { $group: { _id: null, size } }], {
      session,
      hint: 'place',
    })
    .toArray();
  return all?.size ?? 0;
}

/** The recipients of open claims, with or without a row. */
export async function openRanges(
  { db }: Db,
  { projectId, campaignId }: OfCampaign,
  session?: Session,
): Promise<Seqs[]> {
  const open = { projectId, campaignId, leaseUntil: { $exists: true } };
  const options = { projection: { from: 1, to: 1, fromSeq: 1 }, hint: 'open', ...(session ? { session } : {}) };
  const claims = await db.campaignClaims.find(open, options).toArray();
  return joined(claims.map(({ fromSeq, from, to }) => ({ fromSeq, toSeq: fromSeq + to - from - 1 })));
}

export function sizeOf(ranges: readonly Seqs[]): number {
  return ranges.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0);
}

/** An ordinary read of the primary. */
export async function countOpen(deps: Db, of: OfCampaign): Promise<number> {
  return sizeOf(await openRanges(deps, of));
}

/** Neighbours become one, in order: claims of a process lie side by side. */
export function joined(ranges: Seqs[]): Seqs[] {
  const result: Seqs[] = [];
  for (const range of ranges.toSorted((a, b) => a.fromSeq - b.fromSeq)) {
    const last = result.at(-1);
    if (last && range.fromSeq <= last.toSeq + 1) last.toSeq = Math.max(last.toSeq, range.toSeq);
    else result.push({ ...range });
  }
  return result;
}

/** One command for many ranges, of which a campaign under way has dozens: each command costs more than its keys. */
async function countRows({ db }: Db, of: OfCampaign, ranges: Seqs[], session: Session): Promise<number> {
  let count = 0;
  for (let at = 0; at < ranges.length; at += RANGES_AT_ONCE) {
    const $or = ranges
      .slice(at, at + RANGES_AT_ONCE)
      .map(({ fromSeq, toSeq }) => ({ ...of, state: { $in: ALL_STATES }, seq: { $gte: fromSeq, $lte: toSeq } }));
    count += await db.messages.countDocuments({ $or }, { hint: 'campaign', session });
  }
  return count;
}

/**
 * Has all recipients up to `upTo` who are not claimed yet; null when there are none. Begins with the block in or after which the
 * first one is, so that ranges have whole blocks. Claims of a block follow each other, so their sum says how far it is claimed.
 */
export async function unclaimedRange(
  { db }: Db,
  { projectId, campaignId }: OfCampaign,
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
