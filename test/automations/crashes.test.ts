import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../core/enrollments-advance.ts';
import { commitMove, writeMoves } from '../../core/enrollments-commit.ts';
import { processWriter } from '../../core/enrollments-counts.ts';
import type { Enrollment } from '../../core/model.ts';
import { startServers } from '../../stack/servers/all.ts';
import { startWorkers, type Workers } from '../../workers/start.ts';
import type { Reply } from '../client.ts';
import { type Environment, startEnvironment } from '../environment.ts';
import { until } from '../wait.ts';
import { Crash, crashingDeps, type When } from './crashing-deps.ts';
import { activeAutomation, created, email, filter, makeSending, wait } from './support.ts';

const script = join(import.meta.dirname, '..', '..', 'workers', 'main.ts');
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
  this.timeout(60_000);
  let folder: string;
  let servers: Awaited<ReturnType<typeof startServers>>;
  let env: Environment;
  /** Loop and steps run in a process that is killed; the workflow code, which only waits, stays here. */
  let worker: Forked | undefined;
  let workflows: Workers;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'everpost-automations-'));
    servers = await startServers({ dataDir: folder, kinds: ['temporal'] });
    env = await startEnvironment({ ...servers.environment, ENROLL_PER_SECOND: '1000' });
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', { eventName: 'storm' });
    workflows = startWorkers(env.deps, ['workflows']);
    await workflows.ready;
  });
  after(async () => {
    worker?.child.kill('SIGKILL');
    await worker?.exit;
    await workflows.stop();
    await env.stop();
    await servers.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  it('a step that is cut off at any word with the database: its repeat finishes it, with one mail and right counts', async () => {
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      steps: [wait(0), email('m1'), wait(3, 'days', { stepId: 'w2' }), email('m2')],
    });
    let people = 0;
    for (const when of ['before', 'after'] satisfies When[])
      for (let n = 1; ; n += 1) {
        people += 1;
        const enrollmentId = await enterDirectly(id);
        const person = { projectId: env.own.project._id, enrollmentId };
        const crashing = crashingDeps(env.deps, n, when);
        await advanceEnrollment(crashing.deps, person, Date.now()).catch((error) => {
          if (!(error instanceof Crash)) throw error;
        });
        const next = await advanceEnrollment(env.deps, person, Date.now());
        expect(next.kind, `${when} ${n}`).to.equal('wait');
        expect((await mailsOf(id)).length).to.equal(people);
        if (!crashing.crashed()) break;
      }
    expect(people).to.be.above(15);
    await expectRecount(id);
  });

  it('a worker that is killed again and again: each person enters once, each step sends its mail once, counts are right', async () => {
    const { id } = await activeAutomation(env.own.client, { steps });
    const size = 40;
    worker = forkWorker();
    const contacts: string[] = [];
    const arriving = (async () => {
      for (let n = 0; n < size; n += 1) {
        const plan = n % 2 === 0 ? 'pro' : 'free';
        const body = { email: `killed${n}@example.com`, contactProperties: { plan } };
        contacts.push((await created(env.own.client, '/contacts', body)).id);
        await pause(50);
      }
    })();
    const time = setInterval(() => void passTime(id), 200);
    for (let kill = 0; kill < 3; kill += 1) {
      await worker.ready;
      await pause(200 + Math.random() * 800);
      worker.child.kill('SIGKILL');
      await worker.exit;
      await endLeases();
      worker = forkWorker();
    }
    await arriving;
    const people = { automationId: new ObjectId(id) };
    await until(
      () => env.deps.db.enrollments.countDocuments({ ...people, status: 'completed' }),
      (completed) => completed === size,
      { ms: 30_000 },
    ).finally(() => clearInterval(time));
    const entered = await env.deps.db.enrollments.find(people).toArray();
    expect(entered.map(({ contactId }) => String(contactId))).to.have.members(contacts);
    const mails = (await mailsOf(id)).map(({ contactId, subject }) => `${contactId} ${subject}`);
    const expected = contacts.flatMap((contact, n) =>
      (n % 2 === 0 ? ['m1', 'm2', 'm3'] : ['m1', 'm3']).map((name) => `${contact} ${name}`),
    );
    expect(mails).to.have.members(expected);
    await expectRecount(id);
  });

  it('a process that died in the middle of a write holds up one person for a minute, and nobody else', async () => {
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      steps: [wait(1), email('m1')],
    });
    const ids = await Promise.all(Array.from({ length: 5 }, () => enterDirectly(id)));
    const projectId = env.own.project._id;
    const held = await env.deps.db.enrollments.findOne({ _id: ids[0] as ObjectId });
    const session = env.deps.mongo.startSession();
    session.startTransaction();
    const after = { ...(held as Enrollment), revision: 2 };
    await writeMoves(env.deps, session, projectId, [{ before: held, after }], processWriter());
    const advance = (enrollmentId: ObjectId) => advanceEnrollment(env.deps, { projectId, enrollmentId }, Date.now());
    const began = performance.now();
    const outcomes = await Promise.allSettled(ids.map(advance));
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', ...Array(4).fill('fulfilled')]);
    expect(performance.now() - began).to.be.below(9_000);
    await session.abortTransaction();
    await session.endSession();
    expect((await advance(ids[0] as ObjectId)).kind).to.equal('wait');
    await expectRecount(id);
  });

  it('1,000 events at once for one contact: one person enters, each mail is sent once, and every event has its note', async () => {
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      steps: [wait(0), email('m1'), wait(1), email('m2')],
    });
    await worker?.ready;
    const storm: Reply[] = [];
    const lane = async () => {
      for (let n = 0; n < 10; n += 1)
        storm.push(await env.own.client.post('/events/send', { eventName: 'storm', email: 'storm@example.com' }));
    };
    await Promise.all(Array.from({ length: 100 }, lane));
    expect(new Set(storm.map(({ status }) => status))).to.deep.equal(new Set([201]));
    expect(new Set(storm.map(({ body }) => body.data.contactId)).size).to.equal(1);
    const automationIds = new ObjectId(id);
    await until(
      () => env.deps.db.events.countDocuments({ automationIds, dueAt: { $exists: true } }),
      (waiting) => waiting === 0,
      { ms: 20_000 },
    );
    expect(await env.deps.db.events.countDocuments({ automationIds, 'outcomes.result': 'entered' })).to.equal(1);
    expect(await env.deps.db.events.countDocuments({ automationIds, 'outcomes.reason': 'inside' })).to.equal(999);
    await until(
      async () => (await mailsOf(id)).map(({ subject }) => subject),
      (subjects) => subjects.length === 1,
    );
    await expectRecount(id);
  });

  it('Temporal away: events are answered, people enter and are shown as backlog; when it is back each starts once', async () => {
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'storm' },
      steps: [wait(0), email('m1'), wait(1), email('m2')],
    });
    await worker?.ready;
    await servers.temporal?.kill('SIGKILL');
    const size = 100;
    const slowest = { ms: 0 };
    for (let n = 0; n < size; n += 1) {
      const began = performance.now();
      await created(env.own.client, '/events/send', { eventName: 'storm', email: `away${n}@example.com` });
      slowest.ms = Math.max(slowest.ms, performance.now() - began);
    }
    expect(slowest.ms).to.be.below(2_000);
    const away = await until(
      async () => (await env.own.client.get(`/automations/${id}`)).body.data.statistics,
      ({ entered, backlog }) => entered === size && backlog.triggers === 0,
    );
    expect(away.backlog.starts).to.equal(size);
    await servers.temporal?.start();
    await until(
      async () => (await mailsOf(id)).length,
      (count) => count >= size,
      { ms: 30_000 },
    );
    const mails = await mailsOf(id);
    expect(new Set(mails.map(({ contactId }) => String(contactId))).size).to.equal(size);
    expect(mails.length).to.equal(size);
    await expectRecount(id);
  });

  const mailsOf = (id: string) => env.deps.db.messages.find({ automationId: new ObjectId(id) }).toArray();

  /** As if the waits had begun two days earlier, also for processes with a clock of their own. */
  async function passTime(id: string): Promise<void> {
    const earlier = (field: string) => ({ $dateSubtract: { startDate: field, unit: 'day', amount: 2 } });
    await env.deps.db.enrollments.updateMany(
      { automationId: new ObjectId(id), live: true, waitUntil: { $gt: new Date() } },
      [{ $set: { waitFrom: earlier('$waitFrom'), waitUntil: earlier('$waitUntil'), dueAt: new Date(0) } }],
    );
  }

  /** A killed worker's leases end after 30 seconds; nobody has to wait for that here. */
  async function endLeases(): Promise<void> {
    const leased = { dueAt: { $exists: true } };
    await env.deps.db.triggers.updateMany(leased, { $set: { dueAt: new Date(0) } });
    await env.deps.db.enrollments.updateMany(leased, { $set: { dueAt: new Date(0) } });
  }

  async function enterDirectly(id: string): Promise<ObjectId> {
    const { deps, own } = env;
    const _id = new ObjectId();
    const contact = await created(own.client, '/contacts', { email: `${_id}@example.com` });
    const now = deps.clock.now();
    const after: Enrollment = {
      _id,
      projectId: own.project._id,
      automationId: new ObjectId(id),
      contactId: new ObjectId(String(contact.id)),
      status: 'active',
      live: true,
      version: 1,
      revision: 1,
      started: false,
      parked: false,
      stepId: null,
      waitFrom: null,
      waitUntil: null,
      exitReason: null,
      event: null,
      history: [{ type: 'entered', at: now }],
      enteredAt: now,
      updatedAt: now,
      endedAt: null,
    };
    expect(await commitMove(deps, own.project._id, { before: null, after })).to.equal('written');
    return _id;
  }

  /** What the API answers from kept counts is what a recount of the people and their mails gives. */
  async function expectRecount(id: string): Promise<void> {
    const automationId = new ObjectId(id);
    const people = await env.deps.db.enrollments.find({ automationId }).toArray();
    const { statistics } = (await env.own.client.get(`/automations/${id}`)).body.data;
    const count = (isIt: (person: (typeof people)[number]) => boolean) => people.filter(isIt).length;
    expect(statistics).to.deep.include({
      entered: people.length,
      active: count(({ status }) => status === 'active'),
      completed: count(({ status }) => status === 'completed'),
      exited: count(({ status }) => status === 'exited'),
      emails: (await mailsOf(id)).length,
    });
    for (const { stepId, active, emails } of statistics.steps) {
      expect(active, stepId).to.equal(count((person) => person.status === 'active' && person.stepId === stepId));
      const sent = people.flatMap(({ history }) => history).filter((event) => event.stepId === stepId && event.emailId);
      expect(emails, stepId).to.equal(sent.length);
    }
  }

  function forkWorker(): Forked {
    const { config } = env.deps;
    const child = fork(script, {
      env: {
        ...process.env,
        WORKER_LANES: 'background',
        WORKER_PORT: '0',
        LOG_LEVEL: 'error',
        MONGODB_URL: config.mongodbUrl,
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
      child,
      ready: new Promise((resolve) => child.once('message', () => resolve())),
      exit: new Promise((resolve) => child.once('exit', () => resolve())),
    };
  }
});

interface Forked {
  child: ChildProcess;
  ready: Promise<void>;
  exit: Promise<void>;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
