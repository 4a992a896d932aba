import { type CreateIndexesOptions, type IndexSpecification, MongoClient } from 'mongodb';
import type { Collections } from '../core/model.ts';
import type { Config } from '../schemas/config.ts';

interface Index {
  on: keyof Collections;
  name: string;
  key: IndexSpecification;
  /** The sentence that this index guarantees, or the query that it serves. */
  because: string;
  options?: CreateIndexesOptions;
}

export const indexes: Index[] = [
  {
    on: 'projects',
    name: 'organization',
    key: { organizationId: 1, _id: 1 },
    because: 'Projects of an organization, in order.',
  },
  {
    on: 'apiKeys',
    name: 'short_id',
    key: { shortId: 1 },
    options: { unique: true },
    because: 'A key is found by its short part, and no two share one.',
  },
  {
    on: 'apiKeys',
    name: 'owner',
    key: { organizationId: 1, projectId: 1, _id: 1 },
    because: 'Keys of a project, in order.',
  },
  {
    on: 'idempotency',
    name: 'expiry',
    key: { expiresAt: 1 },
    options: { expireAfterSeconds: 0 },
    because: 'Kept answers leave after 24 hours.',
  },
  {
    on: 'contacts',
    name: 'email',
    key: { projectId: 1, email: 1 },
    options: { unique: true },
    because: 'One contact for each address of a project.',
  },
  {
    on: 'contacts',
    name: 'list',
    key: { projectId: 1, listIds: 1, email: 1 },
    because: 'The contacts of a list, by address: search and freeze.',
  },
  {
    on: 'contacts',
    name: 'segment',
    key: { projectId: 1, segmentIds: 1, email: 1 },
    because: 'The contacts of a segment, by address.',
  },
  {
    on: 'contacts',
    name: 'user',
    key: { projectId: 1, userId: 1 },
    options: { partialFilterExpression: { userId: { $type: 'string' } } },
    because: 'Deletion by userId.',
  },
  {
    on: 'contacts',
    name: 'newest',
    key: { projectId: 1, _id: -1 },
    because: 'The contacts of a project, newest first.',
  },
  {
    on: 'contactLists',
    name: 'project',
    key: { projectId: 1, type: 1, _id: 1 },
    because: 'Lists and segments of a project, in order.',
  },
  {
    on: 'customFields',
    name: 'field_name',
    key: { projectId: 1, fieldName: 1 },
    options: { unique: true },
    because: 'One declaration for each field name.',
  },
];

const collectionNames: Record<keyof Collections, string> = {
  organizations: 'organizations',
  projects: 'projects',
  apiKeys: 'apiKeys',
  idempotency: 'idempotency',
  contacts: 'contacts',
  contactLists: 'contactLists',
  customFields: 'customFields',
};

export interface Mongo {
  mongo: MongoClient;
  db: Collections;
}

/** Does not wait for the server: a process starts, answers 503, and recovers when MongoDB is there. */
export function openMongo(config: Pick<Config, 'mongodbUrl' | 'mongodbDatabase'>): Mongo {
  const mongo = new MongoClient(config.mongodbUrl, {
    writeConcern: { w: 'majority', journal: true },
    retryWrites: true,
    retryReads: true,
    maxPoolSize: 50,
    waitQueueTimeoutMS: 2_000,
    serverSelectionTimeoutMS: 4_000,
    connectTimeoutMS: 4_000,
    socketTimeoutMS: 60_000,
    ignoreUndefined: true,
  });
  const database = mongo.db(config.mongodbDatabase);
  const db = Object.fromEntries(
    Object.entries(collectionNames).map(([field, name]) => [field, database.collection(name)]),
  ) as unknown as Collections;
  return { mongo, db };
}

export async function makeIndexes(db: Collections): Promise<void> {
  const byCollection = Map.groupBy(indexes, ({ on }) => on);
  await Promise.all(
    [...byCollection].map(([on, list]) =>
      db[on].createIndexes(
        list.map(({ name, key, options }) => ({ name, key: key as Record<string, 1 | -1>, ...options })),
      ),
    ),
  );
}

/** Boot refuses to run without these: correctness stands on them. */
export async function missingUniqueIndexes(db: Collections): Promise<string[]> {
  const missing: string[] = [];
  const unique = indexes.filter(({ options }) => options?.unique);
  for (const { on, name } of unique) {
    const present = await db[on].indexes().catch(() => []);
    if (!present.some((index) => index.name === name && index.unique)) missing.push(`${collectionNames[on]}.${name}`);
  }
  return missing;
}
