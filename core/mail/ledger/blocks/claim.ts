import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../../../base/database/idempotent-insert.ts';
import { taggedWith } from '../../../base/text/tags.ts';
import { Tally } from '../counting/tally.ts';
import { after, type Claimed, DOT_MS, LEASE_MS, type Ledger, type LedgerDeps, type OpenClaim } from '../ledger.ts';
import type { Block, BlockClaim } from './model.ts';
import { BLOCK_CLAIM, recipientId } from './recipient-id.ts';

const REPEAT_MS = 250;

type Of = Pick<Block, 'projectId' | 'campaignId' | 'n'>;

/** Where the next claim of a block begins: at 0, or where its last claim ends. */
export async function claimedUpTo({ db }: Pick<LedgerDeps, 'db'>, { projectId, campaignId, n }: Of): Promise<number> {
  const last = await db.campaignClaims.findOne(
    { projectId, campaignId, n },
    { sort: { from: -1 }, projection: { to: 1 }, hint: 'place', readPreference: 'primary' },
  );
  return last?.to ?? 0;
}

/**
 * Claims the recipients `from` to `to` (exclusive) of a block; `from` comes from claimedUpTo. null: another process has claimed
 * from there, so claimedUpTo has to be read again.
 */
export async function claimPart(
  deps: LedgerDeps,
  ledger: Ledger,
  { block, from, to, frozenAt, tags }: { block: Block; from: number; to: number; frozenAt: Date; tags?: string[] },
): Promise<OpenClaim | null> {
  const { projectId, campaignId, n } = block;
  const key = { _id: new ObjectId(), projectId, campaignId, n, from, owner: ledger.owner };
  const stored = await insertClaim(deps, ledger, key, { to, fromSeq: block.fromSeq + from, frozenAt });
  return stored && hold(ledger, block, stored, taggedWith(tags));
}

type Stored = { place: BlockClaim; askedMs: number };

/**
 * The filter names the key and our new `_id`: without the id a second process would match the first one's claim, and take it. A call
 * whose result is not known is repeated, with the same `_id`, until the dots that it allows are over: a forgotten claim would
 * leave its recipients `unknown` who never got anything. A claim that is closed or taken over by then is left as it is.
 */
async function insertClaim(
  { db, log }: LedgerDeps,
  ledger: Ledger,
  key: Pick<BlockClaim, '_id' | 'projectId' | 'campaignId' | 'n' | 'from' | 'owner'>,
  fields: Pick<BlockClaim, 'to' | 'fromSeq' | 'frozenAt'>,
): Promise<Stored | null> {
  const begunMs = ledger.now();
  const claimedAt = { $ifNull: ['$claimedAt', '$$NOW'] };
  for (;;) {
    const askedMs = ledger.now();
    try {
      const place = await db.campaignClaims.findOneAndUpdate(
        { ...key, endedAt: { $exists: false } },
        [{ $set: { ...fields, claimedAt, leaseUntil: after(LEASE_MS) } }],
        { upsert: true, returnDocument: 'after' },
      );
      return place && { place, askedMs };
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      if (ledger.now() > begunMs + DOT_MS) throw error;
      log.warn({ err: error }, 'the result of a claim is not known; repeating it');
      await sleep(REPEAT_MS);
    }
  }
}

function hold(
  ledger: Ledger,
  block: Block,
  { place, askedMs }: Stored,
  tagged: ReturnType<typeof taggedWith>,
): OpenClaim {
  const { projectId, campaignId, from, to, fromSeq, frozenAt } = place;
  const recipients: Claimed[] = [];
  const safeUntilMs = askedMs + DOT_MS;
  const claim: OpenClaim = {
    place,
    recipients,
    safeUntilMs,
    check: null,
    unwritten: to - from,
    isLost: false,
    tally: new Tally(),
  };
  for (const { contactId, email } of block.recipients.slice(from, to))
    recipients.push({
      _id: recipientId(frozenAt, campaignId, contactId),
      projectId,
      claim: BLOCK_CLAIM,
      lease: claim,
      part: { claim, seq: fromSeq + recipients.length },
      stopped: null,
      dotWritten: false,
      about: { lane: 'campaign', email, campaignId, contactId, createdAt: frozenAt, ...tagged },
    });
  ledger.blocks.set(place._id.toHexString(), claim);
  return claim;
}
