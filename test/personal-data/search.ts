import { Binary, type Document, ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';

/** The documents that say one of the words anywhere, in text, names of fields or bytes; by collection. */
export async function searchDatabase(
  { mongo, config }: Pick<Deps, 'mongo' | 'config'>,
  words: readonly string[],
): Promise<Map<string, Document[]>> {
  const database = mongo.db(config.mongodbDatabase);
  const found = new Map<string, Document[]>();
  for (const name of await collectionNames({ mongo, config })) {
    const docs = await database.collection(name).find({}).toArray();
    const named = docs.filter((doc) => says(doc, words));
    if (named.length > 0) found.set(name, named);
  }
  return found;
}

export async function collectionNames({ mongo, config }: Pick<Deps, 'mongo' | 'config'>): Promise<string[]> {
  const all = await mongo.db(config.mongodbDatabase).listCollections({}, { nameOnly: true }).toArray();
  return all.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
}

export function says(value: unknown, words: readonly string[]): boolean {
  if (typeof value === 'string') return words.some((word) => value.toLowerCase().includes(word));
  if (value instanceof Binary) return says(Buffer.from(value.buffer).toString('latin1'), words);
  if (value instanceof Uint8Array) return says(Buffer.from(value).toString('latin1'), words);
  if (Array.isArray(value)) return value.some((one) => says(one, words));
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof ObjectId) return false;
  return Object.entries(value).some(([name, one]) => says(name, words) || says(one, words));
}
