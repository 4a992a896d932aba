import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  type Filter,
  MongoBulkWriteError,
  MongoServerError,
  type ObjectId,
  type OptionalUnlessRequiredId,
  type WithId,
} from 'mongodb';
import { type Deps, oncePerCore } from '../deps.ts';

/** Of a write of several documents: each that failed is there already. With any other failure some may be missing. */
export function isDuplicateKey(error: unknown, indexName?: string): error is MongoServerError {
  const isDuplicate = ({ code, message = '' }: { code?: number | string | undefined; message?: string | undefined }) =>
    code === 11000 && (indexName === undefined || message.includes(`index: ${indexName} `));
  if (!(error instanceof MongoBulkWriteError)) return error instanceof MongoServerError && isDuplicate(error);
  const failures = failuresOf(error).map(({ code, errmsg }) => ({ code, message: errmsg }));
  return failures.length > 0 && failures.every(isDuplicate) && !error.result.getWriteConcernError();
}

/** The places of the documents or operations of a write that failed. */
export function failedOf(error: unknown): Set<number> {
  return new Set(error instanceof MongoBulkWriteError ? failuresOf(error).map(({ index }) => index) : []);
}

/** The driver gives one failure without a list. */
function failuresOf({ writeErrors }: MongoBulkWriteError) {
  return [writeErrors].flat();
}

/**
 * Repeats a whole transaction, or an upsert, on a duplicate key: the repeat sees the document that was in its way. MongoDB repeats an
 * upsert by itself only where its filter has no field but those of the unique index; ours name the project too.
 */
export async function repeatOnDuplicate<T>(work: () => Promise<T>, triesMax = 10): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isDuplicateKey(error) || attempt >= triesMax) throw error;
    }
  }
}

/** Another process may insert a document that one of these upserts inserts. That one is repeated alone: the others are applied by then. */
export async function bulkUpsert<T extends Document>(
  collection: Collection<T>,
  upserts: AnyBulkWriteOperation<T>[],
): Promise<void> {
  let rest = upserts;
  await repeatOnDuplicate(async () => {
    await collection.bulkWrite(rest, { ordered: false }).catch((error) => {
      const failed = failedOf(error);
      if (failed.size > 0) rest = rest.filter((_, index) => failed.has(index));
      throw error;
    });
  });
}

/**
 * Inserts under an id that a repeat of the same request makes again, and returns the stored document: the first try's when an
 * earlier try was interrupted after its write. `tenant` guards against another tenant's document under that id.
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

type DatabaseDeps = Pick<Deps, 'state' | 'mongo' | 'config'>;
const databaseOf = oncePerCore(({ mongo, config }: DatabaseDeps) => mongo.db(config.mongodbDatabase));

/** Inserts documents that do not exist yet, durably, and returns their number. */
export async function insertNew(deps: DatabaseDeps, collectionName: string, documents: Document[]): Promise<number> {
  return documents.length - (await insertDocuments(deps, collectionName, documents)).length;
}

/**
 * The same, and returns the indexes of the documents whose `_id` is there already. All of them together must be well below the
 * 16 MB of a command. `insertMany` serialises every document twice, once to measure it.
 */
export async function insertDocuments(
  deps: DatabaseDeps,
  collectionName: string,
  documents: Document[],
): Promise<number[]> {
  if (documents.length === 0) return [];
  const insert = { insert: collectionName, documents, ordered: false, writeConcern: { w: 'majority', j: true } };
  const answer = await databaseOf(deps).command(insert, { ignoreUndefined: true });
  const { writeErrors = [], writeConcernError } = answer;
  const failures: Document[] = writeConcernError ? [...writeErrors, writeConcernError] : writeErrors;
  const error = failures.map((failure) => new MongoServerError(failure)).find((one) => !isDuplicateKey(one, '_id_'));
  if (error) throw error;
  return writeErrors.map(({ index }: Document) => index as number);
}
