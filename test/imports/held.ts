import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, MongoError } from 'mongodb';
import { variableName } from '../../schemas/config.ts';
import type { Environment, Tenant } from '../support/environment.ts';

/**
 * No other client can write both contacts until they are released: a transaction holds each. The server ends transactions after
 * some seconds, so they are repeated in turn.
 */
export async function hold(
  { deps: { mongo, db } }: Environment,
  { project }: Tenant,
  [first, second]: readonly [string, string],
): Promise<() => Promise<void>> {
  const stand = async (email: string): Promise<ClientSession> => {
    for (;;) {
      const session = mongo.startSession();
      session.startTransaction();
      try {
        await db.contacts.updateOne({ projectId: project._id, email }, { $set: { userId: 'held' } }, { session });
        return session;
      } catch (error) {
        await session.endSession();
        if (!(error instanceof MongoError && error.hasErrorLabel('TransientTransactionError'))) throw error;
      }
    }
  };
  const sessions = new Map<string, ClientSession>();
  for (const email of [first, second]) sessions.set(email, await stand(email));
  let isOver = false;
  const renewing = (async () => {
    for (let turn = 0; !isOver; turn = 1 - turn) {
      await sleep(1_000);
      const email = turn === 0 ? first : second;
      await sessions.get(email)?.endSession();
      sessions.set(email, await stand(email));
    }
  })();
  return async () => {
    isOver = true;
    await renewing;
    for (const session of sessions.values()) await session.endSession();
  };
}

/** A worker of its own process, on the same database and queues; ready when it resolves. */
export async function forkWorker({ deps: { config } }: Environment): Promise<ChildProcess> {
  const env = Object.fromEntries(
    Object.entries({ ...config, workerLanes: ['workflows', 'background'], workerPort: 0, logLevel: 'fatal' }).map(
      ([field, value]) => [variableName(field), Array.isArray(value) ? value.join(',') : String(value)],
    ),
  );
  // Named after the database, so that its open transactions are distinguished from those of others.
  const url = new URL(config.mongodbUrl);
  url.searchParams.set('appName', config.mongodbDatabase);
  env.MONGODB_URL = url.toString();
  const worker = fork(new URL('../../workers/main.ts', import.meta.url), {
    env: { ...process.env, ...env },
    silent: true,
  });
  await once(worker, 'message');
  return worker;
}

/** The server ends the transaction of a killed process after some seconds. */
export async function endTransactions({ deps: { mongo, config } }: Environment): Promise<void> {
  const admin = mongo.db('admin');
  const open = [{ $currentOp: { allUsers: true, idleSessions: true } }, { $match: { transaction: { $exists: true } } }];
  for await (const { lsid, clientMetadata, appName } of admin.aggregate(open))
    if (appName === config.mongodbDatabase || clientMetadata?.application?.name === config.mongodbDatabase)
      await admin.command({ killSessions: [{ id: lsid.id }] });
}
