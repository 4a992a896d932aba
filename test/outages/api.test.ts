// Promise: nothing is lost.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { inTransaction, isAway } from '../../core/base/database/transactions.ts';
import { startServers } from '../../stack/servers/all.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

type Servers = Awaited<ReturnType<typeof startServers>>;

/** Less than the thirty seconds for which the driver of MongoDB waits by itself, and more than a busy machine needs. */
const HANG_MS = 20_000;

describe('While a server is away', function () {
  this.timeout(180_000);
  let folder: string;
  let servers: Servers;
  let environment: Environment;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'everpost-outage-'));
    servers = await startServers({ dataDir: folder, kinds: ['mongodb', 'redis'] });
    environment = await startEnvironment(servers.environment);
  });
  after(async () => {
    await environment.stop();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const upsert = (index: number) => environment.own.client.post('/contacts/email', { email: `p${index}@example.com` });

  const rows = () => environment.deps.mongo.db(environment.deps.config.mongodbDatabase).collection('rows');
  /** Each says in its own way that no server was found. */
  const operations: Record<string, (collection: Collection) => Promise<unknown>> = {
    find: (collection) => collection.find().toArray(),
    insertOne: (collection) => collection.insertOne({}),
    insertMany: (collection) => collection.insertMany([{}, {}]),
    bulkWrite: (collection) => collection.bulkWrite([{ insertOne: { document: {} } }]),
    transaction: (collection) => inTransaction(environment.deps, (session) => collection.insertMany([{}], { session })),
  };

  it('Redis stopped: requests are still answered, none with 5xx, and limits hold per process', async () => {
    await servers.redis?.kill('SIGKILL');
    const begun = performance.now();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => upsert(index)));
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).to.deep.equal([]);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).to.equal('600000');
    expect(performance.now() - begun).to.be.below(HANG_MS);
    const ready = await environment.own.client.get('/health/ready');
    expect(ready.body.data).to.include({ status: 'ready', redis: 'down' });
    await servers.redis?.start();
  });

  it('MongoDB stopped: 503 in the envelope, not a hang, and 2xx after its return', async () => {
    await servers.mongodb?.kill('SIGKILL');
    const begun = performance.now();
    const away = await Promise.all([
      upsert(1),
      environment.own.client.get('/contacts'),
      // Its answer is kept for a second.
      until(
        () => environment.own.client.get('/health/ready'),
        ({ status }) => status !== 200,
        { ms: HANG_MS },
      ),
    ]);
    expect(performance.now() - begun).to.be.below(HANG_MS);
    for (const { status, body, headers } of away) {
      expect([status, body.success, body.error.code]).to.deep.equal([503, false, 'UNAVAILABLE']);
      expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    }
    expect((await environment.own.client.get('/health/live')).status).to.equal(200);
    const errors = await Promise.all(Object.values(operations).map((run) => run(rows()).catch((error) => error)));
    expect(
      Object.keys(operations).filter((_, index) => !isAway(errors[index])),
      String(errors),
    ).to.deep.equal([]);
    await servers.mongodb?.start();
    await until(
      () => upsert(2),
      ({ status }) => status === 200,
    );
    expect(await environment.deps.db.contacts.countDocuments({ projectId: environment.own.project._id })).to.equal(100);
  });

  it('MongoDB stalled: 503, not a hang', async () => {
    await servers.mongodb?.kill('SIGSTOP');
    try {
      const begun = performance.now();
      const answer = await upsert(3);
      expect([answer.status, answer.body.error.code]).to.deep.equal([503, 'UNAVAILABLE']);
      expect(performance.now() - begun).to.be.below(HANG_MS);
    } finally {
      await servers.mongodb?.kill('SIGCONT');
    }
  });
});
