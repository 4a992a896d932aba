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
  deps: Pick<Deps, 'mongo' | 'config'>,
  collectionName: string,
  documents: Document[],
  session: Session,
): Promise<void> {
  const { errors } = await insertCommand(deps, { insert: collectionName, documents }, session);
  if (errors[0]) throw errors[0];
}

/** Inserts those whose ids are not there yet, durably, as one command; answers how many these were. */
export async function insertNew(
  deps: Pick<Deps, 'mongo' | 'config'>,
  collectionName: string,
  documents: Document[],
): Promise<number> {
  if (documents.length === 0) return 0;
  const insert = { insert: collectionName, documents, ordered: false, writeConcern: { w: 'majority', j: true } };
  const { inserted, errors } = await insertCommand(deps, insert);
  const error = errors.find((one) => !isDuplicateKey(one, '_id_'));
  if (error) throw error;
  return inserted;
}

async function insertCommand(
  { mongo, config }: Pick<Deps, 'mongo' | 'config'>,
  command: Document,
  session?: Session,
): Promise<{ inserted: number; errors: MongoServerError[] }> {
  const answer = await mongo
    .db(config.mongodbDatabase)
    .command(command, { ...(session ? { session } : {}), ignoreUndefined: true });
  const { n: inserted, writeErrors = [], writeConcernError } = answer;
  const failures: Document[] = writeConcernError ? [...writeErrors, writeConcernError] : writeErrors;
  return { inserted, errors: failures.map((failure) => new MongoServerError(failure)) };
}
