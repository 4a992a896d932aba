import { type Db, MongoClient } from 'mongodb';

/** Resolves when the server is primary; makes the replica set at the first start, and moves it when its port changed. */
export async function becomePrimary(port: number, replicaSet: string): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, { serverSelectionTimeoutMS: 500 });
  try {
    const admin = client.db('admin');
    const hello = await admin.command({ hello: 1 });
    if (!hello.isWritablePrimary) await joinReplicaSet(admin, host, replicaSet);
    if (!hello.isWritablePrimary) throw new Error('it is not primary yet');
    if (hello.me !== host) throw new Error(`it is known as ${hello.me}`);
  } finally {
    await client.close();
  }
}

async function joinReplicaSet(admin: Db, host: string, replicaSet: string): Promise<void> {
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
