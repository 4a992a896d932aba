import type { Collection, Document } from 'mongodb';
import { READ_TIME_MAX_MS } from '../paging.ts';

/** Every character of the caller's text is literal; the searched field is stored in lower case. */
export function partOf(text: string): { $regex: string } {
  return { $regex: text.toLowerCase().replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&') };
}

/** Documents that have the text in one of these fields, which are stored as they were written. All of them without a text. */
export function named(text: string | undefined, ...fields: string[]): Document {
  if (!text) return {};
  const some = fields.map((field) => ({ [field]: { ...partOf(text), $options: 'i' } }));
  return some.length === 1 ? { ...some[0] } : { $or: some };
}

/**
 * One page of the keys of an index that pass `stages`, in the order of the index, with their exact number. A rare text costs one scan
 * of all keys; so does a common one, since its page is found soon and only the count reads the rest. At worst there are two scans.
 * The index is named, since the planner's own choice was nine times slower. A projection before the count would double its cost.
 */
export async function searchKeys<Key extends Document>(
  collection: Pick<Collection, 'aggregate'>,
  { hint, stages, fields }: { hint: string; stages: Document[]; fields: { [Field in keyof Key]: 1 } },
  { skip, limit }: { skip: number; limit: number },
): Promise<{ total: number; keys: Key[] }> {
  const reading = { hint, maxTimeMS: READ_TIME_MAX_MS };
  const page = [...stages, { $project: { _id: 0, ...fields } }, { $skip: skip }, { $limit: limit }];
  const keys = await collection.aggregate<Key>(page, reading).toArray();
  const isLast = keys.length < limit && (keys.length > 0 || skip === 0);
  if (isLast) return { total: skip + keys.length, keys };
  const [counted] = await collection.aggregate<{ total: number }>([...stages, { $count: 'total' }], reading).toArray();
  return { total: counted?.total ?? 0, keys };
}
