import type { Collection, Filter, ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import { again, type DueOutcome, documentQueue, settled } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { Behaved } from '../changes/apply-change.ts';
import { changeContacts, IMPORT_CHANGES_TOGETHER_MAX } from '../changes/changes.ts';
import type { PeopleDeps } from '../deps.ts';
import type { ContactFact, ContactHistory, NotedFacts } from '../model.ts';
import { FACTS } from './note.ts';

/** How soon mail is looked at again whose outcome is not stored yet. */
const UNWRITTEN_AGAIN_MS = 2_000;
const FORGOTTEN_AT_ONCE = 1_000;
const AT_ONCE_MAX = 8;

/** Counts facts, and compares the contacts with the segments that ask about them. Both may be repeated. */
export function factCounts(deps: PeopleDeps): JobQueue {
  return documentQueue<NotedFacts>(deps, {
    name: FACTS,
    collection: deps.db.notedFacts,
    field: 'dueAt',
    concurrencyMax: AT_ONCE_MAX,
    run: (noted) => countFacts(deps, noted),
  });
}

export async function countFacts(deps: PeopleDeps, noted: NotedFacts): Promise<DueOutcome> {
  const { _id, projectId, facts = [], untrueIds = [], messageIds = [], goneIds = [] } = noted;
  await forget(deps, projectId, goneIds);
  const behaved = new Map<string, Behaved & { contactId: ObjectId }>();
  const of = (contactId: ObjectId) => {
    const known = behaved.get(contactId.toHexString()) ?? { contactId, kinds: new Set(), facts: [], untrueIds: [] };
    behaved.set(contactId.toHexString(), known);
    return known;
  };
  for (const fact of facts) {
    of(fact.contactId).facts.push(fact);
    of(fact.contactId).kinds.add(fact.kind);
  }
  for (const { factId, contactId, kind } of untrueIds) {
    of(contactId).untrueIds.push(factId);
    of(contactId).kinds.add(kind);
  }
  const received = await deps.subscribers.receivedMail.receivers(deps, projectId, messageIds);
  for (const contactId of received.contactIds) of(contactId).kinds.add('received');
  const outcomes = await changeContacts(
    deps,
    { _id: projectId },
    [...behaved.values()].map(({ contactId, ...what }) => {
      // An act that is judged again happened long ago: no automation starts for it now.
      const runWorkflow = what.untrueIds.length === 0;
      return { contactId, newId: contactId, whenMissing: 'leave', whenPresent: 'change', behaved: what, runWorkflow };
    }),
    IMPORT_CHANGES_TOGETHER_MAX,
  );
  for (const outcome of outcomes) if (outcome instanceof AppError) throw outcome;
  if (received.isOpen) return again(new Date(deps.clock.now().getTime() + UNWRITTEN_AGAIN_MS));
  await deps.db.notedFacts.deleteOne({ _id, projectId });
  return settled;
}

/** Facts and history of deleted contacts. */
async function forget({ db }: PeopleDeps, projectId: ObjectId, contactIds: ObjectId[]): Promise<void> {
  if (contactIds.length === 0) return;
  await forgetIn<ContactFact>(db.contactFacts, projectId, contactIds);
  await forgetIn<ContactHistory>(db.contactHistory, projectId, contactIds);
}

async function forgetIn<Doc extends ContactFact | ContactHistory>(
  collection: Collection<Doc>,
  projectId: ObjectId,
  contactIds: ObjectId[],
): Promise<void> {
  const theirs = { projectId, contactId: { $in: contactIds } } as Filter<Doc>;
  const options = { hint: 'contact', limit: FORGOTTEN_AT_ONCE, projection: { _id: 1 } } as const;
  for (;;) {
    const found = await collection.find(theirs, options).toArray();
    if (found.length === 0) return;
    await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) }, projectId } as Filter<Doc>);
  }
}
