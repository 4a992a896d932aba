import type { ObjectId } from 'mongodb';
import type { Session } from '../../../base/model.ts';
import type { MailDeps } from '../../deps.ts';
import { ALL_STATES } from '../states.ts';
import { joined, openRanges, type Seqs, sizeOf } from './counts.ts';
import type { Block, BlockRecipient } from './model.ts';

type Db = Pick<MailDeps, 'db'>;

/** The blocks that are a campaign's audience: those of one run. */
export interface OfRun {
  projectId: ObjectId;
  campaignId: ObjectId;
  run: ObjectId;
  /** The first `seq` of each release, in order, where addresses begin again with each; absent: they are in one order. */
  releases?: readonly number[];
}

/** A recipient of a block, with the place in the order of sending. */
export interface Placed extends BlockRecipient {
  seq: number;
}

type Head = Pick<Block, 'n' | 'fromSeq' | 'count'>;

/** Recipients without a row, in the order of sending. */
export interface Waiting {
  total: number;
  slice(skip: number, limit: number): Promise<Placed[]>;
}

/** Recipients without a claim, and those of open claims without a row; in a snapshot session, so that rows and waiting are disjoint. */
export async function waitingOf(deps: Db, of: OfRun, session: Session): Promise<Waiting> {
  const [heads, unclaimed, inFlight] = await Promise.all([
    headsOf(deps, of, session),
    claimedUpTo(deps, of, session),
    withoutRow(deps, of, session),
  ]);
  const rests = heads.map(({ n, fromSeq, count }) => ({
    fromSeq: fromSeq + (unclaimed.get(n) ?? 0),
    toSeq: fromSeq + count - 1,
  }));
  const seqs = joined([...rests.filter(({ fromSeq, toSeq }) => fromSeq <= toSeq), ...inFlight]);
  return {
    total: sizeOf(seqs),
    slice: (skip, limit) => placedAt(deps, of, heads, sliced(seqs, skip, limit), session),
  };
}

/** In the order of sending, from keys alone. */
async function headsOf({ db }: Db, of: OfRun, session: Session): Promise<Head[]> {
  const projection = { _id: 0, n: 1, fromSeq: 1, count: 1 } as const;
  return db.campaignBlocks.find(keyOf(of), { projection, hint: 'order', session }).sort({ fromSeq: 1 }).toArray();
}

async function claimedUpTo({ db }: Db, of: OfRun, session: Session): Promise<Map<number, number>> {
  const { projectId, campaignId } = of;
  const claims = await db.campaignClaims
    .aggregate<{ _id: number; to: number }>(
      [{ $match: { projectId, campaignId } }, { $group: { _id: '$n', to: { $max: '$to' } } }],
      { hint: 'place', session },
    )
    .toArray();
  return new Map(claims.map(({ _id, to }) => [_id, to]));
}

async function withoutRow(deps: Db, { projectId, campaignId }: OfRun, session: Session): Promise<Seqs[]> {
  const ranges = await openRanges(deps, { projectId, campaignId }, session);
  const found = await Promise.all(
    ranges.map(async (range) => {
      const within = {
        projectId,
        campaignId,
        state: { $in: ALL_STATES },
        seq: { $gte: range.fromSeq, $lte: range.toSeq },
      };
      const rows = await deps.db.messages.find(within, { projection: { seq: 1 }, hint: 'campaign', session }).toArray();
      return without(range, new Set(rows.map(({ seq }) => seq)));
    }),
  );
  return found.flat();
}

function without({ fromSeq, toSeq }: Seqs, taken: ReadonlySet<number | undefined>): Seqs[] {
  const all = Array.from({ length: toSeq - fromSeq + 1 }, (_, index) => fromSeq + index);
  return all.filter((seq) => !taken.has(seq)).map((seq) => ({ fromSeq: seq, toSeq: seq }));
}

function sliced(ranges: Seqs[], skip: number, limit: number): number[] {
  const seqs: number[] = [];
  let left = skip;
  for (const range of ranges) {
    if (seqs.length >= limit) break;
    const size = sizeOf([range]);
    for (let at = Math.min(left, size); at < size && seqs.length < limit; at += 1) seqs.push(range.fromSeq + at);
    left -= Math.min(left, size);
  }
  return seqs;
}

/** `heads` and `seqs` in the order of sending. */
async function placedAt({ db }: Db, of: OfRun, heads: Head[], seqs: number[], session: Session): Promise<Placed[]> {
  if (seqs.length === 0) return [];
  const wanted = new Set(seqs);
  const has = ({ fromSeq, count }: Head) => fromSeq <= (seqs.at(-1) as number) && fromSeq + count > (seqs[0] as number);
  const fromSeq = { $in: heads.filter(has).map((head) => head.fromSeq) };
  const blocks = await db.campaignBlocks
    .find({ ...keyOf(of), fromSeq }, { hint: 'order', session })
    .sort({ fromSeq: 1 })
    .toArray();
  return blocks.flatMap(placedIn).filter(({ seq }) => wanted.has(seq));
}

function placedIn({ fromSeq, recipients }: Pick<Block, 'fromSeq' | 'recipients'>): Placed[] {
  return recipients.map((recipient, index) => ({ ...recipient, seq: fromSeq + index }));
}

/** Recipients with this address: the one block, in each release, in whose range it lies is read. */
export async function placedByAddress(deps: Db, of: OfRun, email: string, session?: Session): Promise<Placed[]> {
  const blocks = await blocksWith(deps, of, email, session);
  return blocks.flatMap(placedIn).filter((one) => one.email === email);
}

/** A recipient by contact. The address is a short cut; it may have changed since, or be erased: then all blocks are read. */
export async function placedContact(
  deps: Db,
  of: OfRun,
  { contactId, email }: { contactId: ObjectId; email: string | null },
  session?: Session,
): Promise<Placed | null> {
  const isContact = (one: BlockRecipient) => one.contactId.equals(contactId);
  const likely = email === null ? [] : await blocksWith(deps, of, email, session);
  const found = likely.flatMap(placedIn).find(isContact);
  if (found) return found;
  const named = { ...keyOf(of), 'recipients.contactId': contactId };
  const block = await deps.db.campaignBlocks.findOne(named, { hint: 'place', ...(session ? { session } : {}) });
  return (block && placedIn(block).find(isContact)) ?? null;
}

async function blocksWith(deps: Db, of: OfRun, email: string, session?: Session): Promise<Block[]> {
  if (of.releases) return blocksOfReleases(deps, of, email, session);
  const options = { hint: 'person', ...(session ? { session } : {}) };
  const before = { ...keyOf(of), first: { $lte: email } };
  const block = await deps.db.campaignBlocks.findOne(before, { ...options, sort: { first: -1, n: -1 } });
  return block ? [block] : [];
}

/** The last block of each release that begins with no higher address, from keys; of these only the ones that have the address are read. */
async function blocksOfReleases(
  { db }: Db,
  { releases = [], ...of }: OfRun,
  email: string,
  session?: Session,
): Promise<Block[]> {
  const reading = session ? { session } : {};
  const projection = { _id: 0, n: 1, fromSeq: 1 } as const;
  const heads = await db.campaignBlocks
    .find({ ...of, first: { $lte: email } }, { projection, hint: 'person', ...reading })
    .sort({ first: 1, n: 1 })
    .toArray();
  const last = new Map(heads.map(({ n, fromSeq }) => [releaseAt(releases, fromSeq), n]));
  if (last.size === 0) return [];
  const named = { ...of, n: { $in: [...last.values()] }, 'recipients.email': email };
  return db.campaignBlocks.find(named, { hint: 'place', ...reading }).toArray();
}

/** The place of the release that has this `seq`. */
function releaseAt(releases: readonly number[], seq: number): number {
  let [low, high] = [0, releases.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((releases[middle] as number) <= seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function keyOf({ projectId, campaignId, run }: OfRun): Omit<OfRun, 'releases'> {
  return { projectId, campaignId, run };
}
