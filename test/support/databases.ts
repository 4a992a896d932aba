import { type CollectionInfo, type Db, type Document, MongoClient, ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { readConfig } from '../../platform/config.ts';
import { indexes, makeIndexes } from '../../platform/mongo/indexes.ts';

/** Removing more documents takes longer than making the collections of a new database. */
const DOCUMENTS_MAX = 5_000;

/** Fewer than the driver has connections: calls that wait for one give up after two seconds. */
const COLLECTIONS_AT_ONCE = 16;

/** Outside of mocha nothing would drop them at the end. */
const isReused = typeof after === 'function';

/** Databases that environments of this process have left, to be emptied by the next ones: their collections and indexes are there. */
const left: string[] = [];

export function takeDatabase(): string {
  return left.pop() ?? `test_${new ObjectId().toHexString()}`;
}

/** Empties the database as its next environment begins, so that a late write of the one before is removed too. */
export async function prepareDatabase({ mongo, db, config }: Deps): Promise<void> {
  const database = mongo.db(config.mongodbDatabase);
  const ours = new Set(Object.values(db).map(({ collectionName }) => collectionName));
  const found = await database.listCollections({}, { nameOnly: false }).toArray();
  const isKept = ({ name, options }: CollectionInfo) => ours.has(name) && !options?.validator;
  const kept = found.filter(isKept).map(({ name }) => name);
  const foreign = found.filter((one) => !isKept(one)).map(({ name }) => name);
  const [filled, planned, indexed] = await Promise.all([
    namedBy(database, kept, [{ $limit: 1 }]),
    namedBy(database, kept, [{ $planCacheStats: {} }, { $limit: 1 }]),
    namedBy(database, kept, [{ $indexStats: {} }], '$name'),
  ]);
  const work = [
    ...foreign.map((name) => () => drop(database, name)),
    ...[...new Set([...filled, ...planned])].map((name) => () => empty(database, name)),
  ];
  for (let first = 0; first < work.length; first += COLLECTIONS_AT_ONCE)
    await Promise.all(work.slice(first, first + COLLECTIONS_AT_ONCE).map((one) => one()));
  const isMissing = indexes.some(({ on, name }) => !indexed.has(`${db[on].collectionName} ${name}`));
  if (isMissing) await makeIndexes(db);
}

/** Asks all collections in one call, since each call for each of seventy of them took as long as a short test. */
async function namedBy(database: Db, names: readonly string[], first: Document[], also?: string): Promise<Set<string>> {
  const pipeline = (name: string) => [
    ...first,
    { $project: { _id: 0, found: also ? { $concat: [name, ' ', also] } : { $literal: name } } },
  ];
  const asks = names.map((coll) => ({ $unionWith: { coll, pipeline: pipeline(coll) } }));
  const answers = await database.aggregate([{ $documents: [] }, ...asks]).toArray();
  return new Set(answers.map(({ found }) => found));
}

/** The next environment has other documents, for which other plans may be better. */
async function empty(database: Db, name: string): Promise<void> {
  await database.collection(name).deleteMany({});
  await database.command({ planCacheClear: name });
}

async function drop(database: Db, name: string): Promise<void> {
  if (!name.startsWith('system.') || name === 'system.profile') await database.dropCollection(name);
}

export async function leaveDatabase(mongo: MongoClient, name: string): Promise<void> {
  const { objects } = await mongo.db(name).stats();
  if (!isReused || objects > DOCUMENTS_MAX) await mongo.db(name).dropDatabase();
  else left.push(name);
}

/** Of given servers, which other runs use too. */
if (isReused)
  after(async () => {
    if (left.length === 0) return;
    const mongo = new MongoClient(readConfig().mongodbUrl);
    await Promise.allSettled(left.map((name) => mongo.db(name).dropDatabase()));
    await mongo.close();
  });
