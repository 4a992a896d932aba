import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ClientSession, MongoError, ObjectId } from 'mongodb';
import { parseId } from '../../core/base/ids.ts';
import { globalListId } from '../../core/contacts/lists/global-list.ts';
import { recomputeSegment, SETTLE_MS } from '../../core/contacts/lists/recompute.ts';
import { importSlice } from '../../core/imports/run.ts';
import { variableName } from '../../schemas/config.ts';
import { expectCountsRight, segmentOf } from '../contacts/support.ts';
import { type Environment, type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

/** More than one page of a recompute. */
const STALE = 5_200;
const HELD: [string, string] = ['held1@example.com', 'held2@example.com'];

describe('A worker that is killed', () => {
  const environment = useEnvironment();

  it('in the middle of an import and of a recompute: both end after its restart as if nothing had been', async function () {
    this.timeout(150_000);
    const { deps, clock } = environment;
    const importing = await environment.newTenant('Importing');
    const recomputing = await environment.newTenant('Recomputing');
    const list = (await importing.client.post('/contact-lists', { name: 'L' })).body.data.id;
    await importing.client.post('/contact-lists', segmentOf('firstName', 'equals', 'F3'));
    for (const email of HELD) await importing.client.post('/contacts/email', { email, firstName: 'Before' });
    const segmentId = await staleSegment(recomputing);
    const releases = [await hold(importing), await hold(recomputing)];
    const worker = await forkWorker(environment);

    const body = `email,firstName\n${rows().join('\n')}\nbad,x\n`;
    const upload = { body, headers: { 'Content-Type': 'text/csv' } };
    const accepted = await importing.client.send('POST', `/contacts/import?listIds=${list}`, upload);
    const id: string = accepted.body.data.importId;
    const importOf = async () => (await importing.client.get(`/contacts/imports/${id}`)).body.data;
    const recomputeOf = async () => (await recomputing.client.get(`/contact-lists/${segmentId}`)).body.data.recompute;
    const inTheMiddle = { ms: 90_000, everyMs: 50 };
    await until(recomputeOf, ({ processed }) => processed === 5_000, inTheMiddle);
    await until(importOf, ({ processed }) => processed === 1_000, inTheMiddle);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    for (const release of releases) await release();
    await endTransactions(environment);
    expect(await importOf()).to.include({ status: 'running', processed: 1_000, created: 1_000 });
    expect(await recomputeOf()).to.include({ status: 'running', processed: 5_000, total: STALE });

    // Does what the workflows do when lost activities have timed out, without waiting that minute.
    await importSlice(deps, { projectId: importing.project._id, importId: parseId(id)! }, { timeMs: 30_000 });
    expect(await importOf()).to.include({
      status: 'completed_with_errors',
      processed: 2_001,
      created: 1_998,
      updated: 2,
      failed: 1,
    });
    const { lists } = (await importing.client.get('/contact-lists')).body.data;
    expect(lists.map(({ contactCount }: { contactCount: number }) => contactCount)).to.deep.equal([2_000, 2_000, 200]);
    await expectCountsRight(environment, importing);

    const look = () => recomputeSegment(deps, recomputing.project._id, segmentId, { timeMs: 30_000 });
    expect(await look()).to.include({ status: 'settling', processed: STALE });
    clock.advance(SETTLE_MS);
    expect((await look()).status).to.equal('completed');
    expect((await recomputing.client.get(`/contact-lists/${segmentId}`)).body.data.contactCount).to.equal(STALE);
    await expectCountsRight(environment, recomputing);
  });

  /** The two that are held come after the second batch. */
  function rows(): string[] {
    const names = Array.from({ length: 1_998 }, (_, index) => `k${index}@example.com`);
    names.splice(1_000, 0, ...HELD);
    return names.map((email, index) => `${email},F${index % 10}`);
  }

  /** A segment that has not looked at anybody yet; the last two of its contacts are those that are held. */
  async function staleSegment({ client, project }: Tenant): Promise<ObjectId> {
    const { db } = environment.deps;
    const projectId = project._id;
    const { id } = (await client.post('/contact-lists', segmentOf('lastName', 'equals', 'Old'))).body.data;
    const at = environment.clock.now();
    const names = [...Array.from({ length: STALE - 2 }, (_, index) => `s${index}@example.com`), ...HELD];
    const rest = { firstName: null, lastName: 'Old', userId: null, mobile: null, contactProperties: {}, listIds: [] };
    const facts = { ...rest, projectId, segmentIds: [], createdAt: at, updatedAt: at };
    await db.contacts.insertMany(names.map((email) => ({ _id: new ObjectId(), email, ...facts })));
    const everybody = globalListId(project);
    await db.listCounts.insertOne({ _id: `${everybody}:15`, projectId, listId: everybody, count: STALE });
    const running = { status: 'running', cursor: null, processed: 0, total: STALE, completedAt: null } as const;
    const fields = Object.entries(running).map(([field, value]) => [`recompute.${field}`, value]);
    const _id = parseId(id)!;
    await db.contactLists.updateOne(
      { _id, projectId },
      { $set: { ...Object.fromEntries(fields), recomputeDueAt: at } },
    );
    return _id;
  }

  /**
   * No other client can write both contacts until they are released: a transaction holds each. The server ends transactions after
   * some seconds, so they are repeated in turn.
   */
  async function hold({ project }: Tenant): Promise<() => Promise<void>> {
    const { mongo, db } = environment.deps;
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
    for (const email of HELD) sessions.set(email, await stand(email));
    let isOver = false;
    const renewing = (async () => {
      for (let turn = 0; !isOver; turn = 1 - turn) {
        await sleep(1_000);
        const email = HELD[turn] as string;
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
});

/** A worker of its own process, on the same database and queues; ready when it resolves. */
async function forkWorker({ deps: { config } }: Environment): Promise<ChildProcess> {
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
async function endTransactions({ deps: { mongo, config } }: Environment): Promise<void> {
  const admin = mongo.db('admin');
  const open = [{ $currentOp: { allUsers: true, idleSessions: true } }, { $match: { transaction: { $exists: true } } }];
  for await (const { lsid, clientMetadata, appName } of admin.aggregate(open))
    if (appName === config.mongodbDatabase || clientMetadata?.application?.name === config.mongodbDatabase)
      await admin.command({ killSessions: [{ id: lsid.id }] });
}
