import type { FindOptions, ObjectId } from 'mongodb';
import type { PeopleDeps } from '../deps.ts';

/** Of these contacts those that exist, as hexadecimal ids. */
export async function presentContacts(
  { db }: { db: Pick<PeopleDeps['db'], 'contacts'> },
  projectId: ObjectId,
  ids: ObjectId[],
  options: Pick<FindOptions, 'session' | 'readPreference'> = {},
): Promise<Set<string>> {
  const found = await db.contacts
    .find({ _id: { $in: ids }, projectId }, { ...options, projection: { _id: 1 }, hint: '_id_' })
    .toArray();
  return new Set(found.map(({ _id }) => _id.toHexString()));
}
