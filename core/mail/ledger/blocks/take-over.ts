import { ObjectId } from 'mongodb';
import { insertNew } from '../../../base/database/idempotent-insert.ts';
import { taggedWith } from '../../../base/text/tags.ts';
import { countRowsOf } from '../counting/claims.ts';
import type { Cell } from '../counting/tally.ts';
import { JOURNAL_WAIT_MS, keepsJournal } from '../dot-journal.ts';
import { after, LEASE_MS, type LedgerDeps } from '../ledger.ts';
import type { Message } from '../model.ts';
import {
  countAs,
  evidenceWaitMs,
  type MessageIdOf,
  type OrphanCounts,
  type Resolution,
  resolveOrphan,
  settledFields,
} from '../resolve-orphan.ts';
import { states } from '../states.ts';
import type { Block, BlockClaim, BlockRecipient } from './model.ts';
import { BLOCK_CLAIM, recipientId } from './recipient-id.ts';

interface Settlement {
  projectId: ObjectId;
  campaignId: ObjectId;
  /** The attempt of the freeze whose blocks count. */
  run: ObjectId;
  messageIdOf: MessageIdOf;
  /** Publishes the outcomes of rows again: their sender may have ended before it did. */
  publish(rows: Message[]): Promise<void>;
  /** Claims of this process, by id: left alone, however late their renewal is. */
  own: { has(claimId: string): boolean };
  /** Why mail to a contact that was deleted since is not sent. */
  erasedReason: string;
  /** Of the campaign. */
  tags?: string[];
}

/** A claim whose lease ended, with the time since, by the database's clock. */
type Expired = BlockClaim & { leaseUntil: Date; lostMs: number };
type Lost = BlockClaim & { lostBy: string };

const AT_ONCE_MAX = 64;

/**
 * Settles claims of processes that are gone. Each is taken over first, so that its owner can renew it no more; then every recipient
 * without a row gets one, as its sender would have written it, events are published again, and the claim is closed. Recipients
 * stay with the claim and its new lease while the relay does not answer about them. Safe to run anywhere at any time.
 */
export async function settleClaims(deps: LedgerDeps, settlement: Settlement): Promise<OrphanCounts> {
  const counts: OrphanCounts = { sent: 0, queued: 0, unknown: 0, later: 0 };
  const claims = await expiredClaims(deps, settlement);
  const left = await leftForJournal(deps, claims);
  for (const claim of claims) {
    if (settlement.own.has(claim._id.toHexString()) || left.has(claim)) continue;
    const lost = await takeOver(deps, claim);
    if (lost) await settleClaim(deps, settlement, lost, counts);
  }
  return counts;
}

function expiredClaims({ db }: LedgerDeps, { projectId, campaignId }: Settlement): Promise<Expired[]> {
  return db.campaignClaims
    .aggregate<Expired>(
      [
        {
          $match: {
            projectId,
            campaignId,
            leaseUntil: { $exists: true },
            $expr: { $lte: ['$leaseUntil', '$$NOW'] },
          },
        },
        { $limit: AT_ONCE_MAX },
        { $set: { lostMs: { $subtract: ['$$NOW', '$leaseUntil'] } } },
      ],
      { hint: 'open' },
    )
    .toArray();
}

/** For a while after their lease claims are left to processes that can read their owner's journal. */
async function leftForJournal({ dots }: LedgerDeps, claims: Expired[]): Promise<Set<Expired>> {
  const waiting = claims.filter((claim) => claim.lostMs < JOURNAL_WAIT_MS && keepsJournal(senderOf(claim)));
  const owners = [...new Set(waiting.map(senderOf))];
  const readable = new Map(
    await Promise.all(owners.map(async (owner) => [owner, (await dots.read(owner)) !== null] as const)),
  );
  return new Set(waiting.filter((claim) => !readable.get(senderOf(claim))));
}

/** Processes that took the claim over since have sent nothing. */
function senderOf({ owner, lostBy }: Expired): string {
  return lostBy ?? owner;
}

/** null: the owner renewed it, or another process was faster. */
async function takeOver({ db }: LedgerDeps, claim: Expired): Promise<Lost | null> {
  const { _id, projectId, owner, leaseUntil } = claim;
  const lostBy = senderOf(claim);
  const taken = await db.campaignClaims.findOneAndUpdate(
    { _id, projectId, owner, leaseUntil, $expr: { $lte: ['$leaseUntil', '$$NOW'] } },
    [{ $set: { owner: new ObjectId().toHexString(), lostBy, leaseUntil: after(LEASE_MS) } }],
    { returnDocument: 'after' },
  );
  return taken as Lost | null;
}

async function settleClaim(deps: LedgerDeps, settlement: Settlement, claim: Lost, counts: OrphanCounts): Promise<void> {
  const block = await readBlock(deps, settlement, claim);
  const recipients = recipientsOf(block, claim);
  // Read after the claim was taken over: its owner begins no dot any more.
  const dots = await deps.dots.read(claim.lostBy);
  const present = await idsOf(deps, claim, recipients);
  const missing = recipients.filter(({ _id }) => !present.has(_id.toHexString()));
  const resolved = await Promise.all(
    missing.map(async (recipient) => ({
      recipient,
      resolution: await resolveOrphan(deps, recipient, { messageIdOf: settlement.messageIdOf, dots }),
    })),
  );
  const now = deps.clock.now();
  const decided = resolved.filter(({ resolution }) => resolution !== 'later');
  const rows = decided.map(({ recipient, resolution }) =>
    rowOf(claim, recipient, { resolution, now, earlyMs: evidenceWaitMs(deps.config), ...settlement }),
  );
  await insertNew(deps, deps.db.messages.collectionName, rows);
  for (const { resolution } of resolved) counts[countAs(resolution)] += 1;
  await settlement.publish(await rowsOf(deps, claim, recipients));
  if (decided.length < resolved.length) return;
  const ids = recipients.map(({ _id }) => _id);
  await close(deps, claim, await countRowsOf(deps, claim.projectId, ids));
}

async function readBlock({ db, log }: LedgerDeps, { run }: Settlement, claim: Lost): Promise<Block | null> {
  const { projectId, campaignId, n } = claim;
  const block = await db.campaignBlocks.findOne({ projectId, campaignId, run, n }, { hint: 'place' });
  if (!block) log.error({ claim: claim._id, campaignId, n }, 'a claim whose block is gone is closed');
  return block;
}

interface Recipient extends BlockRecipient {
  _id: ObjectId;
  lane: 'campaign';
  state: typeof states.committing;
  claim: number;
  seq: number;
}

function recipientsOf(block: Block | null, { campaignId, from, to, fromSeq, frozenAt }: Lost): Recipient[] {
  return (block?.recipients ?? []).slice(from, to).map((recipient, index) => ({
    ...recipient,
    _id: recipientId(frozenAt, campaignId, recipient.contactId),
    lane: 'campaign',
    state: states.committing,
    claim: BLOCK_CLAIM,
    seq: fromSeq + index,
  }));
}

async function idsOf({ db }: LedgerDeps, { projectId }: Lost, recipients: Recipient[]): Promise<Set<string>> {
  const filter = { _id: { $in: recipients.map(({ _id }) => _id) }, projectId };
  const found = await db.messages.find(filter, { projection: { _id: 1 } }).toArray();
  return new Set(found.map(({ _id }) => _id.toHexString()));
}

function rowsOf({ db }: LedgerDeps, { projectId }: Lost, recipients: Recipient[]): Promise<Message[]> {
  return db.messages.find({ _id: { $in: recipients.map(({ _id }) => _id) }, projectId }).toArray();
}

/** An insert cannot use the database's clock, so the times of the attempt are those of the claim. */
function rowOf(
  { projectId, campaignId, lostBy, claimedAt }: Lost,
  recipient: Recipient,
  {
    resolution,
    now,
    earlyMs,
    erasedReason,
    tags,
  }: Pick<Settlement, 'erasedReason' | 'tags'> & { resolution: Resolution; now: Date; earlyMs: number },
): Message {
  const { _id, email, contactId, seq, claim } = recipient;
  if (resolution === 'later') throw new Error('no row is written for a recipient whose outcome is not known yet');
  const whose = { campaignId, contactId, ...taggedWith(tags), seq, owner: lostBy, claim };
  const row = { _id, projectId, lane: 'campaign', email, ...whose, claimedAt, firstAt: claimedAt } as const;
  const line = (type: string, reason: string) => [{ type, reason, at: now, claimedAt }];
  const askedAt = new Date(now.getTime() + earlyMs);
  const settled = settledFields(resolution, recipient, { now, sentAt: claimedAt, askedAt, againAt: undefined });
  // Nothing would ever end the row of an erased contact in a campaign that is over.
  if (settled.fields.state === states.queued && email === '') {
    const timeline = line('failed', erasedReason);
    return { ...row, state: states.failed, reason: erasedReason, endedAt: now, timeline };
  }
  return {
    ...row,
    ...settled.fields,
    ...(settled.fields.state === states.sent ? {} : { orphaned: 1 }),
    ...(settled.line ? { timeline: line(settled.line.type, settled.line.reason) } : {}),
  };
}

/** Nothing is lost when another process has taken it over since: that one closes it. */
async function close({ db }: LedgerDeps, { _id, projectId, owner }: Lost, counts: Cell[]): Promise<void> {
  const counted = counts.length > 0 ? { counts: { $literal: counts }, countDueAt: '$$NOW' } : {};
  await db.campaignClaims.updateOne({ _id, projectId, owner, leaseUntil: { $exists: true } }, [
    { $set: { endedAt: '$$NOW', leaseUntil: '$$REMOVE', ...counted } },
  ]);
}
