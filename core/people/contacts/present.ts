import type { FindOptions, ObjectId } from 'mongodb';
import type { PeopleDeps } from '../deps.ts';

/** The addresses of those of these contacts that exist, by their hexadecimal ids. */
export async function presentContacts(
  { db }: { db: Pick<PeopleDeps['db'], 'contacts'> },
  projectId: ObjectId,
  ids: ObjectId[],
  options: Pick<FindOptions, 'session' | 'readPreference'> = {},
): Promise<Map<string, string>> {
  const found = await db.contacts
    .find({ _id: { $in: ids }, projectId }, { ...options, projection: { email: 1 }, hint: '_id_' })
    .toArray();
  return new Map(found.map(({ _id, email }) => [_id.toHexString(), email]));
}
