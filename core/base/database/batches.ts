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

const DELETED_AT_ONCE = 1_000;

/** Of a project, which may have millions. Where `mayContinue` ends it, a repeat deletes the rest. */
export async function deleteInParts<Doc extends { _id: unknown; projectId: ObjectId }>(
  collection: Collection<Doc>,
  some: { projectId: ObjectId; _id?: object },
  { hint, mayContinue }: { hint?: string; mayContinue: () => boolean },
): Promise<void> {
  const options = { projection: { _id: 1 }, limit: DELETED_AT_ONCE, ...(hint ? { hint } : {}) } as const;
  while (mayContinue()) {
    const found = await collection.find(some as Filter<Doc>, options).toArray();
    const ids = { $in: found.map(({ _id }) => _id) };
    await collection.deleteMany({ _id: ids, projectId: some.projectId } as unknown as Filter<Doc>);
    if (found.length < DELETED_AT_ONCE) return;
  }
}
