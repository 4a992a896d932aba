import type { ObjectId } from 'mongodb';
import { deleteInParts } from '../../base/database/batches.ts';
import type { PeopleDeps } from '../deps.ts';

/** With what they did, and the history of their fields. Nothing of a deleted project counts them any more. */
export async function deleteContactsOfProject(
  { db }: Pick<PeopleDeps, 'db'>,
  projectId: ObjectId,
  mayContinue: () => boolean,
): Promise<void> {
  await deleteInParts(db.contacts, { projectId }, { hint: 'newest', mayContinue });
  await deleteInParts(db.contactFacts, { projectId }, { hint: 'contact', mayContinue });
  await deleteInParts(db.contactHistory, { projectId }, { hint: 'contact', mayContinue });
}
