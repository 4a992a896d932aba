import {
  type Collection,
  type Document,
  type Filter,
  MongoServerError,
  type ObjectId,
  type OptionalUnlessRequiredId,
  type WithId,
} from 'mongodb';
import type { Deps } from './deps.ts';
import type { Session } from './model.ts';

export function isDuplicateKey(error: unknown, indexName?: string): error is MongoServerError {
  if (!(error instanceof MongoServerError) || error.code !== 11000) return false;
  return indexName === undefined || error.message.includes(`index: ${indexName} `);
}

/**
 * Inserts under an id that a repeat of the same request makes again, and answers what is stored: the first try's document
 * when an earlier try was interrupted after its write. `tenant` guards against another tenant's document under that id.
 */
export async function insertOnce<T extends { _id: ObjectId | string }>(
  collection: Collection<T>,
  document: T,
  tenant: Filter<T>,
): Promise<T> {
  try {
    await collection.insertOne(document as unknown as OptionalUnlessRequiredId<T>);
    return document;
  } catch (error) {
    if (!isDuplicateKey(error, '_id_')) throw error;
    const stored = await collection.findOne({ _id: document._id, ...tenant } as Filter<T>);
    if (!stored) throw error;
    return stored as WithId<T> as unknown as T;
  }
}

/**
 * Inserts what is certainly less than the 16 MB of a document as one command of a transaction: `insertMany` serialises every
 * document twice, once to measure it, which is a tenth of what a mail costs the API.
 */
export async function insertTogether(
  { mongo, config }: Pick<Deps, 'mongo' | 'config'>,
  collectionName: string,
  documents: Document[],
  session: Session,
): Promise<void> {
  const database = mongo.db(config.mongodbDatabase);
  const answer = await database.command({ insert: collectionName, documents }, { session, ignoreUndefined: true });
  const [error] = answer.writeErrors ?? [];
  if (error) throw new MongoServerError(error);
}
