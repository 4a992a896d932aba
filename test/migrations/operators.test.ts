import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { endMigration } from '../../core/migrations/finish.ts';
import { failMigration } from '../../core/migrations/run.ts';
import { signals } from '../../workflows/messages.ts';
import { type AccountA, smallAccountA } from '../providers/account-a.ts';
import { serverError } from '../providers/faults.ts';
import type { Tenant } from '../support/environment.ts';
import { until as eventually } from '../support/wait.ts';
import { dataOf, type Job, job, type Scene, settled, start, startScene, tenantWithA, until } from './support.ts';
import { expectedOfA, pictureOf } from './targets.ts';

describe('An operator of migrations', function () {
  this.timeout(120_000);
  let scene: Scene;
  let connection: Connection;
  let account: AccountA;
  let tenant: Tenant;

  before(async function () {
    this.timeout(60_000);
    scene = await startScene({ MIGRATION_PATIENCE_SECONDS: '0' });
    await scene.work();
    connection = await Connection.connect({ address: scene.env.deps.config.temporalAddress });
  });
  after(async () => {
    await connection.close();
    await scene.stop();
  });
  beforeEach(async () => {
    scene.a.faults.length = 0;
    account = smallAccountA();
    tenant = await tenantWithA(scene, account);
  });

  const begin = () => start(tenant, 'providerA', { apiKey: account.key, migrateAll: true });
  const whole = async () =>
    expect(await pictureOf(scene.env, tenant)).deep.include(expectedOfA(account, (html) => html));

  async function heldAt(path: RegExp): Promise<Job> {
    scene.a.faults.push({ on: path, act: serverError });
    const held = await settled(tenant, await begin());
    expect(held.status).equal('needs_attention');
    return held;
  }

  async function decide(id: string, decision: string, body: object = {}) {
    const reply = await tenant.client.post(`/migrations/${id}/${decision}`, body);
    return { status: reply.status, code: reply.body.error?.code, job: reply.body.data as Job };
  }

  function workflow(): WorkflowHandle {
    const { temporalNamespace: namespace, taskQueuePrefix } = scene.env.deps.config;
    const client = new Client({ connection, namespace });
    return client.workflow.getHandle(`${taskQueuePrefix}-migration-${tenant.project._id.toHexString()}`);
  }

  /** The timer of a run that waits for a decision. It looks once more at what was decided before it waits. */
  const timer = () =>
    eventually(async () => {
      const { events } = await workflow().fetchHistory();
      return events?.find(({ timerStartedEventAttributes: started }) => started)?.timerStartedEventAttributes;
    }, Boolean);

  it('is refused a second start while one is queued, running or held, and may start after a cancel', async () => {
    const held = await heldAt(/contacts\/exports/);
    const second = await tenant.client.post('/migrations/providerB/migrate', { apiKey: 're_other', migrateAll: true });
    expect([second.status, second.body.error.code]).deep.equal([409, 'MIGRATION_IN_PROGRESS']);
    const cancelled = await decide(held.id, 'cancel');
    expect([cancelled.status, cancelled.job.status]).deep.equal([200, 'cancelled']);
    const { runId } = await workflow().describe();
    const next = await settled(tenant, await begin());
    expect(next.status).equal('completed');
    const client = new Client({ connection, namespace: scene.env.deps.config.temporalNamespace });
    const ended = await client.workflow.getHandle(workflow().workflowId, runId).describe();
    expect(ended.status.name).equal('CANCELLED');
    await whole();
  });

  it('shows a cancelled run as cancelled, although the run knows before it is asked to end', async () => {
    const held = await heldAt(/contacts\/exports/);
    await timer();
    const end = { status: 'cancelled', failureReason: null } as const;
    await endMigration(scene.env.deps, { _id: new ObjectId(held.id), projectId: tenant.project._id }, end);
    await workflow().signal(signals.control);
    const { status } = await eventually(
      () => workflow().describe(),
      ({ status }) => status.name !== 'RUNNING',
      { ms: 30_000 },
    );
    expect(status.name).equal('CANCELLED');
  });

  it('skips the phase that holds; the next ones run, and the report names what was left out', async () => {
    const held = await heldAt(/asm\/groups/);
    expect((await decide(held.id, 'skip', { reason: 'done by hand' })).status).equal(200);
    const found = await settled(tenant, held.id);
    expect(found.status).equal('completed');
    expect(found.report[2]).deep.include({ status: 'skipped' });
    expect(found.report[2].needsReview[0].message).contains('done by hand');
    const { groups, contacts } = await pictureOf(scene.env, tenant);
    expect([groups, Object.keys(contacts).length]).deep.equal([{}, 12]);
  });

  it('is refused with 409 when a state does not allow it', async () => {
    const done = await settled(tenant, await begin());
    for (const decision of ['retry', 'skip', 'cancel']) {
      const { status, code } = await decide(done.id, decision);
      expect([status, code], decision).deep.equal([409, 'INVALID_STATE']);
    }
  });

  it('replays a failed run from the failing phase, with a new key when the old one is gone', async () => {
    const held = await heldAt(/contacts\/exports/);
    const run = { projectId: tenant.project._id.toHexString(), migrationId: held.id, run: 1 };
    await failMigration(scene.env.deps, run, 'Nobody decided.');
    const failed = await job(tenant, held.id);
    expect([failed.status, failed.failureReason.startsWith('Nobody decided.')]).deep.equal(['failed', true]);
    const kept = await scene.env.deps.db.migrationSecrets.findOne({ projectId: tenant.project._id });
    expect(kept?.expiresAt?.getTime()).closeTo(Date.now() + 72 * 3_600_000, 60_000);
    await scene.env.deps.db.migrationSecrets.deleteMany({ projectId: tenant.project._id });
    expect(await decide(held.id, 'retry')).deep.include({ status: 422, code: 'INVALID_PROVIDER_KEY' });
    await workflow()
      .terminate('the held run of the test')
      .catch(() => undefined);
    const { job: queued } = await decide(held.id, 'retry', { apiKey: account.key });
    expect([queued.status, queued.run, queued.id]).deep.equal(['queued', 2, held.id]);
    const found = await settled(tenant, held.id);
    expect(found.status).equal('completed');
    expect(found.phases[1]?.startedAt).equal(held.phases[1]?.startedAt);
    await whole();
  });

  it('begins again from the first phase of a cancelled job and comes to the same result', async () => {
    const held = await heldAt(/contacts\/exports/);
    await decide(held.id, 'cancel');
    const wrong = await decide(held.id, 'retry', { apiKey: account.key, fromPhase: 'topics' });
    expect(wrong).deep.include({ status: 400, code: 'VALIDATION_ERROR' });
    await decide(held.id, 'retry', { apiKey: account.key, fromPhase: 'customFields' });
    const found = await settled(tenant, held.id);
    expect(found.status).equal('completed');
    expect(found.phases.map(({ created }) => created)).deep.equal([0, 2, 2, 1, 12]);
    await whole();
  });

  it('resets a run in the Web UI at any boundary of its phases, and the result stays the same', async () => {
    const done = await settled(tenant, await begin());
    expect(await workflow().result()).deep.equal({ status: 'completed' });
    const before = await pictureOf(scene.env, tenant);
    const { events } = await workflow().fetchHistory();
    const boundaries = (events ?? []).filter(({ workflowTaskCompletedEventAttributes: done }) => done).slice(0, -1);
    expect(boundaries.length).at.least(6);
    const execution = { workflowId: workflow().workflowId, runId: (await workflow().describe()).runId };
    for (const { eventId } of boundaries) {
      await connection.workflowService.resetWorkflowExecution({
        namespace: scene.env.deps.config.temporalNamespace,
        workflowExecution: execution,
        reason: 'a test',
        workflowTaskFinishEventId: eventId ?? null,
        requestId: `${done.id}-${eventId}`,
      });
      expect(await workflow().result()).deep.equal({ status: 'completed' });
    }
    expect(await pictureOf(scene.env, tenant)).deep.equal(before);
    expect(await job(tenant, done.id)).deep.equal(done);
  });

  it('resets a failed run to just before the phase that failed, and it resumes there', async () => {
    const held = await heldAt(/contacts\/exports/);
    // A run that does not wait yet would notice the failure by itself, and end before the signal comes.
    await timer();
    const run = { projectId: tenant.project._id.toHexString(), migrationId: held.id, run: 1 };
    await failMigration(scene.env.deps, run, 'Nobody decided.');
    await workflow().signal('control');
    const fault = await workflow()
      .result()
      .catch((error: Error) => error);
    expect(String((fault as Error).cause)).contains('The migration failed');
    const { events } = await workflow().fetchHistory();
    const failed = events?.find(({ activityTaskFailedEventAttributes: attributes }) => attributes);
    const scheduledId = failed?.activityTaskFailedEventAttributes?.scheduledEventId;
    const scheduled = events?.find(({ eventId }) => eventId?.toString() === scheduledId?.toString());
    const before = scheduled?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId ?? null;
    await connection.workflowService.resetWorkflowExecution({
      namespace: scene.env.deps.config.temporalNamespace,
      workflowExecution: { workflowId: workflow().workflowId, runId: (await workflow().describe()).runId },
      reason: 'the provider is back',
      workflowTaskFinishEventId: before,
      requestId: `failed-${held.id}`,
    });
    const found = await until(tenant, held.id, ({ status }) => status === 'completed');
    expect([found.run, found.failureReason]).deep.equal([1, null]);
    await whole();
  });

  it('resets an old run while a newer job is under way: the newer one runs to its end', async () => {
    const old = await heldAt(/contacts\/exports/);
    await decide(old.id, 'cancel');
    const oldRun = { workflowId: workflow().workflowId, runId: (await workflow().describe()).runId };
    await workflow()
      .result()
      .catch(() => undefined);
    const newer = await heldAt(/asm\/groups/);
    const { events } = await workflow().fetchHistory();
    const first = events?.find(({ workflowTaskCompletedEventAttributes: done }) => done)?.eventId ?? null;
    await connection.workflowService.resetWorkflowExecution({
      namespace: scene.env.deps.config.temporalNamespace,
      workflowExecution: oldRun,
      reason: 'a mistake',
      workflowTaskFinishEventId: first,
      requestId: `mistake-${old.id}`,
    });
    await decide(newer.id, 'retry');
    const found = await settled(tenant, newer.id);
    expect([found.status, (await job(tenant, old.id)).status]).deep.equal(['completed', 'cancelled']);
    await whole();
  });

  it('sees status, phase and counts of a run without opening the database', async () => {
    const held = await heldAt(/contacts\/exports/);
    const attributes = async () => {
      const { typedSearchAttributes } = await workflow().describe();
      return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
    };
    let shown = await attributes();
    while (shown.State !== 'needs_attention') shown = await attributes();
    expect(shown).deep.include({
      ProjectId: tenant.project._id.toHexString(),
      BulkOperationId: held.id,
      State: 'needs_attention',
      Phase: 'contacts',
    });
    expect((await workflow().describe()).memo).deep.equal({ migrationId: held.id, run: 1 });
    const state = (await workflow().query('state')) as { details: string };
    expect(state.details).contains('- contactLists: completed, 1 of 1');
    expect(Number((await timer())?.startToFireTimeout?.seconds), 'three days until it fails').equal(3 * 86_400);
    expect((await decide(held.id, 'retry')).status).equal(200);
    await until(tenant, held.id, ({ status }) => status === 'completed');
  });

  it('decides from the command line, where a new key comes from the environment', async () => {
    const held = await heldAt(/asm\/groups/);
    const { mongodbUrl, mongodbDatabase, temporalAddress, taskQueuePrefix, secretKeys } = scene.env.deps.config;
    const admin = async (...words: string[]) => {
      const child = promisify(execFile)(process.execPath, ['cli/admin.ts', 'migrations', ...words], {
        cwd: join(import.meta.dirname, '../..'),
        env: {
          ...process.env,
          MONGODB_URL: mongodbUrl,
          MONGODB_DATABASE: mongodbDatabase,
          TEMPORAL_ADDRESS: temporalAddress,
          TASK_QUEUE_PREFIX: taskQueuePrefix,
          SECRET_KEYS: secretKeys.join(','),
          PROVIDER_KEY: account.key,
        },
      });
      return (await child).stdout;
    };
    expect(await admin('show', held.id))
      .contains('contactLists: pending')
      .and.contains('is failing');
    account.key = account.key.replace('SG.a', 'SG.b');
    expect(JSON.parse(await admin('retry', held.id))).deep.include({ migrationId: held.id, status: 'running' });
    const found = await settled(tenant, held.id);
    expect(found.status).equal('completed');
    await whole();
  });

  it('lists what needs attention', async () => {
    const held = await heldAt(/asm\/groups/);
    const { migrations } = dataOf(await tenant.client.get('/migrations?status=needs_attention'));
    expect(migrations.map(({ id, attention }: Job) => [id, attention.includes('is failing')])).deep.equal([
      [held.id, true],
    ]);
    await decide(held.id, 'cancel');
  });
});
