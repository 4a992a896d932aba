import type { Filter, ObjectId } from 'mongodb';
import { waitToBeCounted } from './counting/facts.ts';
import { type DotStates, JOURNAL_WAIT_MS, keepsJournal } from './dot-journal.ts';
import { after, LEASE_MS, type Ledger, type LedgerDeps } from './ledger.ts';
import type { Message } from './model.ts';
import {
  countAs,
  evidenceWaitMs,
  type MessageIdOf,
  type OrphanCounts,
  orphanedTimes,
  type Resolution,
  resolveOrphan,
  settledFields,
} from './resolve-orphan.ts';
import { type Reach, reached, takenPart } from './rules/taken.ts';
import { ORPHAN_STATES, states } from './states.ts';

const FIELDS = {
  ...{ projectId: 1, lane: 1, state: 1, owner: 1, claim: 1, claimedAt: 1, dueAt: 1, recipients: 1, orphaned: 1 },
  // Of its events.
  ...{ email: 1, subject: 1, copy: 1, campaignId: 1, automationId: 1, batchId: 1, contactId: 1, tags: 1 },
} as const;

export type SettledRow = Pick<Message, '_id' | keyof typeof FIELDS>;

type Orphan = SettledRow & {
  /** Since the lease ended, by the database's clock. */
  lostMs: number;
};

interface Settlement {
  projectId: ObjectId;
  ids: ObjectId[];
  messageIdOf: MessageIdOf;
  /** Publishes the outcomes of rows that a relay took; before they are stored, which nothing would bring back after a crash. */
  publish(rows: SettledRow[]): Promise<void>;
}

const ORPHANED_AGAIN_MS = 60_000;
/** How soon another process may look at a message whose journal this one cannot read. */
const LEFT_AGAIN_MS = 5_000;

/**
 * Settles messages for which it is not known whether the relay took them: by the owner's dot journal, by evidence, else by policy.
 * Claims of this process are left alone, however late their renewal is. Safe to run anywhere at any time: each change names the
 * owner, the claim and the ended lease on which it was decided.
 */
export async function settleOrphans(
  deps: LedgerDeps,
  ledger: Ledger,
  { projectId, ids, messageIdOf, publish }: Settlement,
): Promise<OrphanCounts> {
  const counts: OrphanCounts = { sent: 0, queued: 0, unknown: 0, later: 0 };
  const orphans = await readOrphans(deps, ledger, projectId, ids);
  const journals = await readJournals(deps, orphans);
  await Promise.all(
    orphans.map(async (orphan) => {
      const dots = journals.get(orphan.owner ?? '') ?? null;
      if (dots === null && waitsForJournal(orphan)) return leave(deps, orphan);
      const resolution = await resolveOrphan(deps, orphan, { messageIdOf, dots });
      const reach = reachAfter(resolution);
      if (reach !== 'nothing') await publish([takenPart(orphan, reach)]);
      const { modifiedCount } = await apply(deps, orphan, resolution);
      counts[countAs(resolution)] += modifiedCount;
    }),
  );
  return counts;
}

function readOrphans({ db }: LedgerDeps, ledger: Ledger, projectId: ObjectId, ids: ObjectId[]): Promise<Orphan[]> {
  const strangers = ids.filter((id) => !ledger.held.has(id.toHexString()));
  const filter: Filter<Message> = { _id: { $in: strangers }, projectId, state: { $in: ORPHAN_STATES } };
  // A time of an earlier claim is older than this one.
  const lostAt = { $cond: [{ $gte: ['$orphanedAt', '$claimedAt'] }, '$orphanedAt', '$dueAt'] };
  return db.messages
    .find({ ...filter, $expr: { $lte: ['$dueAt', '$$NOW'] } })
    .project<Orphan>({
      ...FIELDS,
      lostMs: { $subtract: ['$$NOW', lostAt] },
    })
    .toArray();
}

/** Read after the leases have ended: their owners begin no dot any more. */
async function readJournals({ dots }: LedgerDeps, orphans: Orphan[]): Promise<Map<string, DotStates | null>> {
  const claimed = orphans.filter(({ state }) => state === states.committing);
  const owners = new Set(claimed.flatMap(({ owner }) => (owner && keepsJournal(owner) ? owner : [])));
  return new Map(await Promise.all([...owners].map(async (owner) => [owner, await dots.read(owner)] as const)));
}

function waitsForJournal({ state, owner, lostMs }: Orphan): boolean {
  return state === states.committing && keepsJournal(owner) && lostMs < JOURNAL_WAIT_MS;
}

/** Moved behind other due messages, so that a turn of the lane is not filled with what this process has to leave alone. */
async function leave({ db }: LedgerDeps, orphan: Orphan): Promise<void> {
  await db.messages.updateOne(unchanged(orphan), [
    {
      $set: {
        orphanedAt: { $dateSubtract: { startDate: '$$NOW', unit: 'millisecond', amount: { $literal: orphan.lostMs } } },
        dueAt: after(LEFT_AGAIN_MS),
      },
    },
  ]);
}

/** The lease as it was read: one that was renewed and ended again since may have allowed further dots. */
function unchanged({ _id, projectId, state, owner, claim, dueAt }: Orphan): Filter<Message> {
  return {
    _id,
    projectId,
    state,
    ...(owner ? { owner } : {}),
    ...(claim ? { claim } : {}),
    ...(dueAt ? { dueAt } : {}),
    $expr: { $lte: ['$dueAt', '$$NOW'] },
  };
}

function apply({ db, config }: LedgerDeps, orphan: Orphan, resolution: Resolution) {
  return db.messages.updateOne(unchanged(orphan), [
    ...(countAs(resolution) === 'sent' ? [{ $set: waitToBeCounted() }] : []),
    {
      $set: {
        ...changes(orphan, resolution, evidenceWaitMs(config)),
        ...counted(orphan, resolution),
        ...(resolution === 'later' ? {} : { orphanedAt: '$$REMOVE' }),
      },
    },
  ]);
}

function counted(orphan: Orphan, resolution: Resolution): object {
  return resolution === 'later' || countAs(resolution) === 'sent' ? {} : { orphaned: orphanedTimes(orphan) };
}

function changes(orphan: Orphan, resolution: Resolution, earlyMs: number): object {
  if (resolution === 'later') return { dueAt: after(LEASE_MS) };
  const againMs = Math.max(0, orphanedTimes(orphan) - 1) * ORPHANED_AGAIN_MS;
  const { fields, line } = settledFields<unknown>(resolution, orphan, {
    now: '$$NOW',
    sentAt: { $ifNull: ['$claimedAt', '$$NOW'] },
    askedAt: after(earlyMs),
    againAt: orphan.lane === 'campaign' ? undefined : after(againMs),
  });
  const reach = reachAfter(resolution);
  const recipients = reach === 'nothing' ? undefined : orphan.recipients && reached(orphan.recipients, reach);
  return {
    ...{ reason: '$$REMOVE', dueAt: '$$REMOVE' },
    ...fields,
    ...(recipients ? { recipients: { $literal: recipients } } : {}),
    ...(line ? { timeline: withLine({ ...line, at: '$$NOW', claimedAt: '$claimedAt' }) } : {}),
  };
}

function reachAfter(resolution: Resolution): Reach {
  if (resolution === 'partly') return 'unanswered';
  return countAs(resolution) === 'sent' ? 'all' : 'nothing';
}

function withLine(line: object): object {
  return { $concatArrays: [{ $ifNull: ['$timeline', []] }, [line]] };
}
