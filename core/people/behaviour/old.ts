import type { ObjectId } from 'mongodb';
import { batchesById, byProject } from '../../base/database/batches.ts';
import type { PeopleDeps } from '../deps.ts';

const ALL = { size: 1_000, projection: { projectId: 1 } } as const;

/** Segments do not count them any more by then. Ids begin with the second of the mail or event, which is no later than the fact. */
export async function removeOldFacts({ db }: PeopleDeps, before: ObjectId, mayContinue: () => boolean): Promise<void> {
  const old = { at: { $lt: before.getTimestamp() } };
  for await (const batch of batchesById(db.contactFacts, old, { ...ALL, before, mayContinue }))
    for (const [projectId, facts] of byProject(batch))
      await db.contactFacts.deleteMany({ _id: { $in: facts.map(({ _id }) => _id) }, projectId, ...old });
}

export async function removeOldHistory(
  { db }: PeopleDeps,
  before: ObjectId,
  mayContinue: () => boolean,
): Promise<void> {
  for await (const batch of batchesById(db.contactHistory, {}, { ...ALL, before, mayContinue }))
    for (const [projectId, some] of byProject(batch))
      await db.contactHistory.deleteMany({ _id: { $in: some.map(({ _id }) => _id) }, projectId });
}
