import type { Collection, Document, Filter, FindOptions, ObjectId } from 'mongodb';
import { firstIdAt } from '../ids.ts';

interface Batches extends FindOptions {
  size: number;
  /** Only documents with a lower id. */
  before?: ObjectId;
  /** Asked before each batch; not set: always. */
  mayContinue?: () => boolean;
}

/** By id, each batch with a read of its own: work on one may take as long as it needs, and no cursor waits for it. */
export async function* batchesById<Doc extends { _id: ObjectId }, Found extends { _id: ObjectId } = Doc>(
  collection: Collection<Doc>,
  filter: Document,
  { size, before, mayContinue = () => true, ...options }: Batches,
): AsyncGenerator<Found[]> {
  for (let last = firstIdAt(0); mayContinue(); ) {
    const further = { ...filter, _id: { $gt: last, ...(before ? { $lt: before } : {}) } } as Filter<Doc>;
    const found = await collection.find<Found>(further, options).sort({ _id: 1 }).limit(size).toArray();
    if (found.length > 0) yield found;
    if (found.length < size) return;
    last = found.at(-1)!._id;
  }
}

export function byProject<Doc extends { projectId: ObjectId }>(docs: Doc[]): Array<[ObjectId, Doc[]]> {
  return [...Map.groupBy(docs, ({ projectId }) => `${projectId}`).values()].map((some) => [some[0]!.projectId, some]);
}
