import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import type { Deps } from '../../base/deps.ts';
import type { Session } from '../../base/model.ts';
import type { ContactChange, Drafts } from '../apply-change.ts';
import type { Past } from '../filters/filters.ts';
import type { ContactFact } from '../model.ts';
import type { ProjectRules } from '../project-rules.ts';
import { readPast } from './past.ts';

/** Facts of contacts that exist; of the same fact the earliest time counts. */
export async function writeFacts(
  { db }: Deps,
  session: Session,
  projectId: ObjectId,
  changes: ContactChange[],
  { stored }: Drafts,
): Promise<void> {
  const writes = changes.flatMap(({ contactId, behaved }): AnyBulkWriteOperation<ContactFact>[] => {
    if (!behaved || !contactId || !stored.has(contactId.toHexString())) return [];
    const removed = behaved.untrueIds.map((_id) => ({ deleteOne: { filter: { _id, projectId } } }));
    return [...removed, ...behaved.facts.map(upsertOf)];
  });
  if (writes.length > 0) await db.contactFacts.bulkWrite(writes, { session, ordered: true });
}

function upsertOf({ _id, projectId, at, ...rest }: ContactFact): AnyBulkWriteOperation<ContactFact> {
  const update = { $min: { at }, $setOnInsert: rest };
  return { updateOne: { filter: { _id, projectId }, update, upsert: true } };
}

/** The past of the contacts of these changes; null when no segment that may be compared asks about it. */
export async function pastFor(
  deps: Deps,
  session: Session,
  projectId: ObjectId,
  { behaviours, mixesBehaviour }: ProjectRules,
  changes: ContactChange[],
  { stored }: Drafts,
): Promise<((contactId: ObjectId) => Past) | null> {
  const isAsked = changes.some(({ behaved, recheckSegments, windowsPassed }) =>
    Boolean(behaved || recheckSegments || windowsPassed),
  );
  if (behaviours.length === 0 || stored.size === 0 || (!isAsked && !mixesBehaviour)) return null;
  const who = { $in: [...stored.values()].map(({ _id }) => _id) };
  return readPast(deps, { projectId, who, behaviours, session });
}
