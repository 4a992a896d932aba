import type { Collection, Document, Filter, FindOptions, ObjectId } from 'mongodb';
import { firstIdAt } from '../ids.ts';

/** By id, each batch with a read of its own: work on one may take as long as it needs, and no cursor waits for it. */
export async function* batchesById<Doc extends { _id: ObjectId }, Found extends { _id: ObjectId } = Doc>(
  collection: Collection<Doc>,
  filter: Document,
  { size, ...options }: FindOptions & { size: number },
): AsyncGenerator<Found[]> {
  for (let last = firstIdAt(0); ; ) {
    const further = { ...filter, _id: { $gt: last } } as Filter<Doc>;
    const found = await collection.find<Found>(further, options).sort({ _id: 1 }).limit(size).toArray();
    if (found.length > 0) yield found;
    if (found.length < size) return;
    last = found.at(-1)!._id;
  }
}
