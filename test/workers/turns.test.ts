import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { start } from '../accounts/processes.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const SECRETS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
/** Nothing listens there. */
const NO_REDIS = 'redis://127.0.0.1:1';

describe('Two worker processes that take turns', function () {
  this.timeout(240_000);
  const environment = useEnvironment();
  const workers: ReturnType<typeof start>[] = [];
  after(() => {
    for (const worker of workers) worker.kill();
  });

  it('do what was written, and what is dated, when one was killed and Redis is down', async () => {
    const { deps, own } = environment;
    for (const _ of [1, 2]) workers.push(start(environment, 'workers/main.ts', SECRETS, { REDIS_URL: NO_REDIS }));
    expect(await Promise.all(workers.map(({ began }) => began))).to.deep.equal(['ready', 'ready']);
    await until(
      () => deps.db.processes.countDocuments({ roles: 'background' }),
      (count) => count === 2,
    );
    workers[0]!.kill();
    await workers[0]!.ended;

    await own.client.post('/events', { eventName: 'bought' });
    const sent = await own.client.post('/events/send', { eventName: 'bought', email: 'person@example.com' });
    expect(sent.status, sent.text).to.equal(201);
    const event = { _id: new ObjectId(sent.body.data.id), projectId: own.project._id };
    const isDone = () =>
      until(
        () => deps.db.events.countDocuments({ ...event, dueAt: { $exists: false } }),
        (count) => count === 1,
      );
    await isDone();
    await deps.db.events.updateOne(event, [{ $set: { dueAt: { $add: ['$$NOW', 500] } } }]);
    await isDone();
  });
});
