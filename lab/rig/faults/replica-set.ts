import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { Servers } from '../../../stack/servers/all.ts';
import { findBinary } from '../../../stack/servers/binaries.ts';
import { mongodBinary } from '../../../stack/servers/mongodb.ts';
import { runServer, type Server } from '../../../stack/servers/server.ts';
import { withServers } from '../servers.ts';
import { until } from '../waiting.ts';

export interface ReplicaSet {
  url: string;
  members: readonly Server[];
  /** The member that is primary now. */
  primary(): Promise<Server>;
  /** Asks the primary to step down for so many seconds. */
  stepDown(seconds: number): Promise<void>;
  /** Every member is up again, and has what the primary has. */
  untilWhole(): Promise<void>;
  stop(): Promise<void>;
}

const NAME = 'drill';
const ELECTION_MS = 2_000;
const UP = ['PRIMARY', 'SECONDARY'];

/** Three members on this machine, one of them primary, and Redis and Temporal. */
export function withReplicaSet<T>(
  work: (servers: Servers & { set: ReplicaSet }, env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  return withServers(
    async (servers, env) => {
      const set = await startReplicaSet(env.DATA_DIR);
      try {
        return await work({ ...servers, set }, { ...env, MONGODB_URL: set.url });
      } finally {
        await set.stop();
      }
    },
    { kinds: ['redis', 'temporal'] },
  );
}

export async function startReplicaSet(dataDir: string): Promise<ReplicaSet> {
  const command = await findBinary(mongodBinary, process.env, () => {});
  const members = await Promise.all([1, 2, 3].map((number) => startMember(number, { command, dataDir })));
  const hosts = members.map(({ port }) => `127.0.0.1:${port}`);
  const config = {
    _id: NAME,
    members: hosts.map((host, _id) => ({ _id, host })),
    settings: { electionTimeoutMillis: ELECTION_MS },
  };
  await direct(members[0]!.port, (client) => client.db('admin').command({ replSetInitiate: config }));
  const primary = async () => {
    let found: Server | undefined;
    await until('a member is primary', async () => {
      const answers = await Promise.all(
        members.map(({ port }) =>
          direct(port, (client) => client.db('admin').command({ hello: 1 })).then(
            ({ isWritablePrimary }) => isWritablePrimary as boolean,
            () => false,
          ),
        ),
      );
      found = members[answers.indexOf(true)];
      return found !== undefined;
    });
    return found as Server;
  };
  await primary();
  return {
    url: `mongodb://${hosts.join(',')}/?replicaSet=${NAME}`,
    members,
    primary,
    untilWhole: () =>
      until('every member is up', async () => {
        const { port } = await primary();
        const status = await direct(port, (client) => client.db('admin').command({ replSetGetStatus: 1 }));
        return (status.members as Array<{ stateStr: string }>).every(({ stateStr }) => UP.includes(stateStr));
      }),
    async stepDown(seconds) {
      const { port } = await primary();
      const stepDown = { replSetStepDown: seconds, secondaryCatchUpPeriodSecs: 1, force: true };
      await direct(port, (client) => client.db('admin').command(stepDown));
    },
    stop: async () => void (await Promise.all(members.map((member) => member.stop()))),
  };
}

function startMember(number: number, { command, dataDir }: { command: string; dataDir: string }): Promise<Server> {
  const folder = join(dataDir, `member-${number}`);
  mkdirSync(folder, { recursive: true });
  return runServer(
    {
      name: `member-${number}`,
      usualPort: 27017,
      command,
      args: (port) => [
        ...['--dbpath', folder, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--replSet', NAME],
        ...['--wiredTigerCacheSizeGB', '0.5', '--setParameter', 'transactionLifetimeLimitSeconds=10'],
        ...['--setParameter', 'diagnosticDataCollectionEnabled=false', '--nounixsocket', '--quiet'],
      ],
      url: (port) => `mongodb://127.0.0.1:${port}/?directConnection=true`,
      answer: (port) => direct(port, (client) => client.db('admin').command({ ping: 1 })).then(() => undefined),
    },
    { dataDir, ports: 'free', restart: false, env: process.env, say: () => {} },
  );
}

async function direct<T>(port: number, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 500 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
