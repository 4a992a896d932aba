// Promise: nothing is lost.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { startServers } from '../../../stack/servers/all.ts';
import { startWorkers, type Workers } from '../../../workers/start.ts';
import type { Reply } from '../../support/client.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { expectRecount } from '../people.ts';
import { activeAutomation, created, email, filter, makeSending, wait } from '../support.ts';

const script = join(import.meta.dirname, '../../../workers/main.ts');
const inside = { parentBranchStepId: 'choice', parentBranchId: 'pro' };
const steps = [
  wait(1, 'days', { stepId: 'w1' }),
  email('m1'),
  {
    type: 'branch',
    stepId: 'choice',
    nextStepId: 'w3',
    branches: [
      {
        branchId: 'pro',
        filterCriteria: filter('contactProperties.plan', 'equals', 'pro'),
        nextStepId: 'w2',
        mergeStepId: 'w3',
      },
    ],
  },
  wait(1, 'days', { stepId: 'w2', ...inside }),
  email('m2', inside),
  wait(0, 'days', { stepId: 'w3' }),
  email('m3'),
];

describe('An automation survives', function () {
  this.timeout(240_000);
  let folder: string;
  let servers: Awaited<ReturnType<typeof startServers>>;
  let env: Environment;
  /** Loop and steps run in a process that is killed; the workflow code, which only waits, stays here. */
  let worker: Forked;
  let workflows: Workers;
  before(async function () {
    // A server of its own, which is given a minute to answer, and two processes.
    this.timeout(180_000);
    folder = mkdtempSync(join(tmpdir(), 'everpost-automations-'));
    servers = await startServers({ dataDir: folder, kinds: ['temporal'] });
    // Calls that wait for one contact may wait long.
    env = await startEnvironment({ ...servers.environment, ENROLL_PER_SECOND: '1000', OPERATION_TIMEOUT_MS: '60000' });
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', { eventName: 'storm' });
    workflows = startWorkers(env.deps, ['workflows']);
    worker = forkWorker();
    await Promise.all([workflows.ready, worker.ready]);
  });
  after(async () => {
    worker.child.kill('SIGKILL');
    await worker.exit;
    await workflows.stop();
    await env.stop();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  it('a worker that is killed again and again: each person enters once, each step sends its mail once, counts are right', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const size = 24;
    const contacts: string[] = [];
    const arriving = (async () => {
      for (let n = 0; n < size; n += 1) {
        const plan = n % 2 === 0 ? 'pro' : 'free';
        const body = { email: `killed${n}@example.com`, contactProperties: { plan } };
        contacts.push((await created(env.own.client, '/contacts', body)).id);
        await pause(80);
      }
    })();
    const time = setInterval(() => void passTime(id), 200);
    for (let kill = 0; kill < 2; kill += 1) {
      await worker.ready;
      await pause(200 + Math.random() * 800);
      worker.child.kill('SIGKILL');
      await worker.exit;
      await aMinuteLater(worker);
      worker = forkWorker();
    }
    await arriving;
    const people = { automationId: new ObjectId(id) };
    await until(
      () => env.deps.db.enrollments.countDocuments({ ...people, status: 'completed' }),
      (completed) => completed === size,
      { ms: 120_000 },
    ).finally(() => clearInterval(time));
    const entered = await env.deps.db.enrollments.find(people).toArray();
    expect(entered.map(({ contactId }) => String(contactId))).to.have.members(contacts);
    const mails = (await mailsOf(id)).map(({ contactId, subject }) => `${contactId} ${subject}`);
    const expected = contacts.flatMap((contact, n) =>
      (n % 2 === 0 ? ['m1', 'm2', 'm3'] : ['m1', 'm3']).map((name) => `${contact} ${name}`),
    );
    expect(mails).to.have.members(expected);
    await expectRecount(env, id);
  });

  it('a worker that is killed while it enters a list by hand: everybody enters once, and the job counts each once', async () => {
    const { client, project } = env.own;
    const { db, mongo } = env.deps;
    const list = await created(client, '/contact-lists', { name: 'By hand' });
    const emails = Array.from({ length: 300 }, (_, n) => `hand${String(n).padStart(4, '0')}@example.com`);
    await client.post('/contact-lists/contacts/bulk-add', { contactListId: list.id, emails });
    const entryCriteria = { type: 'event_trigger', eventName: 'storm' };
    const definition = { entryCriteria, reentry: 'once', steps: [wait(0), email('m1')] };
    const { id } = await activeAutomation(client, definition);
    const people = { projectId: project._id, automationId: new ObjectId(String(id)) };
    // One contact of the third batch cannot enter while this transaction is open.
    const held = await db.contacts.findOne({ projectId: project._id, email: 'hand0250@example.com' });
    const session = mongo.startSession();
    session.startTransaction();
    const place = { ...people, _id: new ObjectId(), contactId: held?._id, once: true };
    await db.enrollments.insertOne(place as unknown as Enrollment, { session });
    await worker.ready;
    const { id: jobId } = (await client.post(`/automations/${id}/enrollments`, { listId: list.id })).body.data;
    const job = async () => (await client.get(`/automations/${id}/enrollments/jobs/${jobId}`)).body.data;
    await until(
      () => db.enrollments.countDocuments(people),
      (count) => count > 240,
      { ms: 120_000 },
    );
    worker.child.kill('SIGKILL');
    await worker.exit;
    expect(await job()).to.include({ status: 'running', total: 300, entered: 200, pending: 100 });
    await session.abortTransaction();
    await session.endSession();
    await aMinuteLater(worker);
    worker = forkWorker();
    const over = await until(job, ({ status }) => status === 'completed', { ms: 120_000 });
    expect(over).to.deep.include({ total: 300, entered: 300, skipped: {}, missing: 0, pending: 0 });
    const entered = await db.enrollments.find(people).toArray();
    expect(entered.length).to.equal(300);
    expect(new Set(entered.map(({ contactId }) => String(contactId))).size).to.equal(300);
    expect(new Set((await mailsOf(id)).map(({ contactId }) => String(contactId))).size).to.equal(300);
    await expectRecount(env, id);
  });

  it('1,000 events at once for one contact: one person enters, each mail is sent once, and every event has its note', async () => {
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      steps: [wait(0), email('m1'), wait(1), email('m2')],
    });
    await worker.ready;
    const storm: Reply[] = [];
    const lane = async () => {
      for (let n = 0; n < 25; n += 1)
        storm.push(await env.own.client.post('/events/send', { eventName: 'storm', email: 'storm@example.com' }));
    };
    // No more at a time than there are connections to the database: a call waits two seconds for one.
    await Promise.all(Array.from({ length: 40 }, lane));
    expect(new Set(storm.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(new Set(storm.map(({ body }) => body.data.contactId)).size).to.equal(1);
    const automationIds = new ObjectId(id);
    await until(
      () => env.deps.db.events.countDocuments({ automationIds, dueAt: { $exists: true } }),
      (waiting) => waiting === 0,
    );
    expect(await env.deps.db.events.countDocuments({ automationIds, 'outcomes.result': 'entered' })).to.equal(1);
    expect(await env.deps.db.events.countDocuments({ automationIds, 'outcomes.reason': 'inside' })).to.equal(999);
    await until(
      async () => (await mailsOf(id)).map(({ subject }) => subject),
      (subjects) => subjects.length === 1,
    );
    await expectRecount(env, id);
  });

  it('Temporal down: events are answered, people enter and get their first mail; when it is back each continues, once', async () => {
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      steps: [wait(0), email('m1'), wait(1), email('m2')],
    });
    await worker.ready;
    await servers.temporal?.kill('SIGKILL');
    const size = 60;
    for (let n = 0; n < size; n += 1)
      await created(env.own.client, '/events/send', { eventName: 'storm', email: `away${n}@example.com` });
    // The counts and the backlog are separate reads: one may have an entry that the other has not.
    await until(
      async () => (await env.own.client.get(`/automations/${id}`)).body.data.statistics,
      ({ entered, backlog }) => entered === size && backlog.triggers === 0 && backlog.starts === size,
      { ms: 120_000 },
    );
    expect((await mailsOf(id)).map(({ subject }) => subject)).to.deep.equal(Array(size).fill('m1'));
    await servers.temporal?.start();
    await passTime(id);
    const done = { automationId: new ObjectId(id), status: 'completed' as const };
    await until(
      () => env.deps.db.enrollments.countDocuments(done),
      (completed) => completed === size,
      { ms: 120_000 },
    );
    const mails = (await mailsOf(id)).map(({ contactId, subject }) => `${contactId} ${subject}`);
    expect(mails.length).to.equal(2 * size);
    expect(new Set(mails).size).to.equal(2 * size);
    await expectRecount(env, id);
  });

  const mailsOf = (id: string) => env.deps.db.messages.find({ automationId: new ObjectId(id) }).toArray();

  /** As if the waits had begun two days earlier, also for processes with a clock of their own. */
  async function passTime(id: string): Promise<void> {
    const earlier = (field: string) => ({ $dateSubtract: { startDate: field, unit: 'day', amount: 2 } });
    await env.deps.db.enrollments.updateMany(
      { automationId: new ObjectId(id), live: true, waitUntil: { $gt: new Date() } },
      [{ $set: { waitFrom: earlier('$waitFrom'), waitUntil: earlier('$waitUntil'), dueAt: new Date(0), asked: true } }],
    );
  }

  /** Leases of a killed worker end after 30 seconds, its transactions after a minute; this test does not wait for that. */
  async function aMinuteLater({ appName }: Forked): Promise<void> {
    const { mongo } = env.deps;
    const open = mongo
      .db('admin')
      .aggregate([
        { $currentOp: { allUsers: true, idleSessions: true } },
        { $match: { appName, transaction: { $exists: true } } },
      ]);
    const sessions = (await open.toArray()).map(({ lsid }) => ({ id: lsid.id }));
    if (sessions.length > 0) await mongo.db('admin').command({ killSessions: sessions });
    const leased = { dueAt: { $exists: true } };
    await env.deps.db.triggers.updateMany(leased, { $set: { dueAt: new Date(0) } });
    await env.deps.db.enrollments.updateMany(leased, { $set: { dueAt: new Date(0) } });
    await env.deps.db.enrollmentJobs.updateMany(leased, { $set: { dueAt: new Date(0) } });
  }

  function forkWorker(): Forked {
    const { config } = env.deps;
    const appName = `worker-${new ObjectId()}`;
    const child = fork(script, {
      env: {
        ...process.env,
        WORKER_LANES: 'background',
        WORKER_PORT: '0',
        LOG_LEVEL: 'error',
        MONGODB_URL: `${config.mongodbUrl}&appName=${appName}`,
        MONGODB_DATABASE: config.mongodbDatabase,
        REDIS_URL: config.redisUrl,
        TEMPORAL_ADDRESS: config.temporalAddress,
        TEMPORAL_NAMESPACE: config.temporalNamespace,
        TASK_QUEUE_PREFIX: config.taskQueuePrefix,
        SECRET_KEYS: config.secretKeys.join(','),
        ENROLL_PER_SECOND: '1000',
      },
    });
    return {
      appName,
      child,
      ready: new Promise((resolve) => child.once('message', () => resolve())),
      exit: new Promise((resolve) => child.once('exit', () => resolve())),
    };
  }
});

interface Forked {
  appName: string;
  child: ChildProcess;
  ready: Promise<void>;
  exit: Promise<void>;
}
