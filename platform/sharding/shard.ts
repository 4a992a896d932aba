import type { Db, Document, MongoClient } from 'mongodb';
import type { Collections } from '../../core/base/collections.ts';
import { declaredIndexes, isSupported, type KnownIndex, type ShardKey, shardKeys, uniqueFaults } from './keys.ts';

/** Before it, a change of one document had to name the whole shard key. */
const SHARDED_VERSION_MIN = 8;
const NO_SUCH_COLLECTION = 26;

/** The commands for one collection, or the reasons why it is refused. */
export interface ShardStep {
  collection: string;
  key: ShardKey;
  commands: Document[];
  /** Sharded by this key already. */
  isDone: boolean;
  documents: number;
  faults: string[];
}

/** The commands for a new database, without looking at a server. */
export function plannedCommands(database: string): Document[] {
  return [
    { enableSharding: database },
    ...Object.entries(shardKeys).flatMap(([name, key]) =>
      commandsFor({ database, collection: name, key }, declaredIndexes(name as keyof Collections)),
    ),
  ];
}

/** Why this server cannot shard anything; null: it is a mongos of a version that can. */
export async function clusterFault(mongo: MongoClient): Promise<string | null> {
  const admin = mongo.db('admin');
  const { msg } = await admin.command({ hello: 1 });
  if (msg !== 'isdbgrid')
    return 'MONGODB_URL leads to a replica set or a single server. Give the address of a mongos, or keep the replica set: nothing needs to be sharded for it.';
  const { version } = await admin.command({ buildInfo: 1 });
  if (Number.parseInt(version, 10) < SHARDED_VERSION_MIN)
    return `The mongos has version ${version}, and ${SHARDED_VERSION_MIN}.0 or later is needed.`;
  return null;
}

/** Looks at each collection: its documents, its indexes, and the key by which it is sharded already. */
export async function shardSteps(mongo: MongoClient, database: string): Promise<ShardStep[]> {
  const db = mongo.db(database);
  const sharded = await shardedBy(mongo, database);
  const steps: ShardStep[] = [];
  for (const [collection, key] of Object.entries(shardKeys)) {
    const known = await indexesOf(db, collection);
    const present = sharded.get(collection);
    const isDone = present !== undefined && isSame(present, key);
    const faults = uniqueFaults(key, known);
    if (present && !isDone) faults.push(`it is sharded already, by another key: ${JSON.stringify(present)}`);
    const documents = await db.collection(collection).estimatedDocumentCount();
    const commands = isDone ? [] : commandsFor({ database, collection, key }, known);
    steps.push({ collection, key, commands, isDone, documents, faults });
  }
  return steps;
}

/** May be repeated after a failure: collections that are sharded already are left alone. */
export async function shard(mongo: MongoClient, database: string, steps: readonly ShardStep[]): Promise<void> {
  const admin = mongo.db('admin');
  await admin.command({ enableSharding: database });
  for (const command of steps.flatMap(({ commands }) => commands))
    await (command.shardCollection ? admin : mongo.db(database)).command(command);
}

function commandsFor(
  { database, collection, key }: { database: string; collection: string; key: ShardKey },
  known: readonly KnownIndex[],
): Document[] {
  const index = { createIndexes: collection, indexes: [{ name: 'shard_key', key }] };
  return [...(isSupported(key, known) ? [] : [index]), { shardCollection: `${database}.${collection}`, key }];
}

async function shardedBy(mongo: MongoClient, database: string): Promise<Map<string, Document>> {
  const rows = await mongo
    .db('config')
    .collection<{ _id: string; key: Document; unsplittable?: boolean }>('collections')
    .find({ _id: { $gte: `${database}.`, $lt: `${database}/` } })
    .toArray();
  // Since 8.0 a collection that was only moved to another shard is listed too.
  const split = rows.filter(({ unsplittable }) => !unsplittable);
  return new Map(split.map(({ _id, key }) => [_id.slice(database.length + 1), key]));
}

function isSame(one: Document, other: ShardKey): boolean {
  return JSON.stringify(Object.entries(one)) === JSON.stringify(Object.entries(other));
}

async function indexesOf(db: Db, collection: string): Promise<KnownIndex[]> {
  return db
    .collection(collection)
    .listIndexes()
    .toArray()
    .catch((error: { code?: unknown }) => {
      if (error.code === NO_SUCH_COLLECTION) return [];
      throw error;
    }) as Promise<KnownIndex[]>;
}
