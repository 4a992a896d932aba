import type { AnyBulkWriteOperation, ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import type { Past } from '../filters/filters.ts';
import type { ContactFact } from '../model.ts';
import { readPast } from '../past.ts';
import type { ProjectRules } from '../project-rules.ts';
import type { ContactChange, Drafts } from './apply-change.ts';

/** Facts of contacts that exist; of the same fact the earliest time counts. */
export async function writeFacts(
  deps: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  changes: ContactChange[],
  { stored }: Drafts,
): Promise<void> {
  const untrueIds: ObjectId[] = [];
  const facts = new Map<string, ContactFact>();
  for (const { contactId, behaved } of changes) {
    if (!behaved || !contactId || !stored.has(contactId.toHexString())) continue;
    for (const factId of behaved.untrueIds) facts.delete(factId.toHexString());
    untrueIds.push(...behaved.untrueIds);
    for (const fact of behaved.facts) addEarliest(facts, fact);
  }
  const { contactFacts } = deps.db;
  if (untrueIds.length > 0) await contactFacts.deleteMany({ _id: { $in: untrueIds }, projectId }, { session });
  if (facts.size > 0) await insertFacts(deps, session, projectId, facts);
}

function addEarliest(facts: Map<string, ContactFact>, fact: ContactFact): void {
  const key = fact._id.toHexString();
  const known = facts.get(key);
  if (!known || fact.at < known.at) facts.set(key, fact);
}

/** Most facts are new, and an insert costs the database a fraction of an upsert. A fact that another process inserts repeats the transaction. */
async function insertFacts(
  { db }: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  facts: ReadonlyMap<string, ContactFact>,
): Promise<void> {
  const ids = { _id: { $in: [...facts.values()].map(({ _id }) => _id) }, projectId };
  const known = await db.contactFacts.find(ids, { session, projection: { at: 1 }, hint: '_id_' }).toArray();
  const fresh = new Map(facts);
  const earlier = known.flatMap(({ _id, at }): AnyBulkWriteOperation<ContactFact>[] => {
    const key = _id.toHexString();
    fresh.delete(key);
    const fact = facts.get(key)!;
    return fact.at < at ? [{ updateOne: { filter: { _id, projectId }, update: { $set: { at: fact.at } } } }] : [];
  });
  if (earlier.length > 0) await db.contactFacts.bulkWrite(earlier, { session, ordered: false });
  if (fresh.size > 0) await db.contactFacts.insertMany([...fresh.values()], { session, ordered: false });
}

/** The past of the contacts of these changes; null when no segment that may be compared asks about it. */
export async function pastFor(
  deps: PeopleDeps,
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
