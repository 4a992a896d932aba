import { type AnyBulkWriteOperation, ObjectId } from 'mongodb';
import { keyedBatcher } from '../../base/database/batcher.ts';
import { repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import { inTransaction } from '../../base/database/transactions.ts';
import { oncePerCore } from '../../base/deps.ts';
import { notFound } from '../../base/errors.ts';
import type { Session } from '../../base/model.ts';
import type { ConsentDeps } from '../deps.ts';
import { builtInCode } from './built-in-groups.ts';
import type { Suppression, SuppressionGroup } from './model.ts';
import { afterChange, type EntryChange, type SuppressionOutcome } from './rules.ts';

/** Entries of one group that share a transaction. */
const SUPPRESSIONS_TOGETHER_MAX = 1_000;

/** `email`: in normal form. */
type SuppressionChange = EntryChange & { email: string };

const queues = oncePerCore(() =>
  keyedBatcher(
    ({ deps, group }: { deps: ConsentDeps; group: SuppressionGroup }) =>
      (changes: SuppressionChange[]) =>
        repeatOnDuplicate(() => inTransaction(deps, (session) => applyChanges(deps, session, group, changes))),
    { sizeMax: SUPPRESSIONS_TOGETHER_MAX, runsMax: 1, callers: 'requests' },
  ),
);

/**
 * The only way that suppressions change. Changes that arrive for a group during a write join the next one, which keeps the counts
 * of the group right. One outcome per change, in order.
 */
export async function changeSuppressions(
  deps: ConsentDeps,
  group: SuppressionGroup,
  changes: SuppressionChange[],
): Promise<SuppressionOutcome[]> {
  const key = `${group.projectId.toHexString()}:${group.groupId}`;
  const settled = await Promise.allSettled(changes.map((change) => queues(deps)(key, { deps, group }, change)));
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<SuppressionOutcome>).value);
}

/** For callers with a transaction of theirs, which they repeat on conflicts and duplicate keys. */
export async function applyChanges(
  deps: ConsentDeps,
  session: Session,
  { projectId, groupId, isGlobal, isDefault, isMarketing }: SuppressionGroup,
  changes: SuppressionChange[],
): Promise<SuppressionOutcome[]> {
  const emails = [...new Set(changes.map(({ email }) => email))];
  const found = await deps.db.suppressions
    .find({ projectId, email: { $in: emails }, groupId }, { session, hint: 'address' })
    .toArray();
  const stored = new Map(found.map((entry) => [entry.email, entry]));
  const drafts = new Map(stored);
  const now = deps.clock.now();
  const outcomes = changes.map(({ email, ...change }) => {
    const entry = drafts.get(email);
    const { outcome, entry: after } = afterChange(entry ?? null, change);
    if (after === null) drafts.delete(email);
    else if (after !== entry) {
      const own = entry ?? {
        ...{ _id: new ObjectId(), projectId, email, groupId, isGlobal, isDefault, createdAt: now },
        ...(isMarketing ? { isMarketing } : {}),
      };
      const { reason, evidence, beside, exceptGroupIds } = after;
      const updatedAt = outcome === 'kept' && entry ? entry.updatedAt : now;
      drafts.set(email, { ...own, reason, evidence, beside, exceptGroupIds, updatedAt });
    }
    return outcome;
  });
  if (await writeEntries(deps, session, projectId, stored, drafts))
    await countEntries(deps, session, { projectId, groupId }, [...stored.values()], [...drafts.values()]);
  const leaving = changes.filter(({ reason }) => reason === 'UNSUBSCRIBE').map(({ email }) => email);
  if (leaving.length > 0 && !isMarketing && !isGlobal)
    await endExceptions(deps, session, { projectId, groupId }, leaving);
  return outcomes;
}

/** A group that the person leaves is no exception from everything off any more. */
async function endExceptions(
  { db }: ConsentDeps,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
  emails: string[],
): Promise<void> {
  await db.suppressions.updateMany(
    {
      ...{ projectId, email: { $in: emails }, groupId: builtInCode(projectId, 'marketing') },
      exceptGroupIds: groupId,
    },
    { $pull: { exceptGroupIds: groupId } },
    { session, hint: 'address' },
  );
}

/** Returns whether there was something to write. */
async function writeEntries(
  deps: ConsentDeps,
  session: Session,
  projectId: ObjectId,
  stored: Map<string, Suppression>,
  drafts: Map<string, Suppression>,
): Promise<boolean> {
  const writes: AnyBulkWriteOperation<Suppression>[] = [];
  const removed = [...stored].filter(([email]) => !drafts.has(email)).map(([, { _id }]) => _id);
  if (removed.length > 0) writes.push({ deleteMany: { filter: { projectId, _id: { $in: removed } } } });
  for (const [email, before] of stored) {
    const after = drafts.get(email);
    if (after && after !== before)
      writes.push({ replaceOne: { filter: { _id: before._id, projectId }, replacement: after } });
  }
  for (const [email, after] of drafts) if (!stored.has(email)) writes.push({ insertOne: { document: after } });
  if (writes.length > 0) await deps.db.suppressions.bulkWrite(writes, { session });
  return writes.length > 0;
}

/** Writing the group checks that it still exists and conflicts with its concurrent removal. */
async function countEntries(
  deps: ConsentDeps,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
  before: Suppression[],
  after: Suppression[],
): Promise<void> {
  const deltas = new Map<string, number>();
  for (const { reason } of after) deltas.set(reason, (deltas.get(reason) ?? 0) + 1);
  for (const { reason } of before) deltas.set(reason, (deltas.get(reason) ?? 0) - 1);
  const moved = [...deltas].filter(([, delta]) => delta !== 0);
  const { matchedCount } = await deps.db.suppressionGroups.updateOne(
    { projectId, groupId, deletedAt: null },
    { $inc: { version: 1, ...Object.fromEntries(moved.map(([reason, delta]) => [`counts.${reason}`, delta])) } },
    { session },
  );
  if (matchedCount === 0) throw notFound('SUPPRESSION_GROUP', 'groupId');
}
