// Promise: nothing is lost.
import { type ChildProcess, fork } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { bundleWorkflows } from '../../stack/bundles/workflow-bundle.ts';
import { startServers } from '../../stack/servers/all.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { until } from '../support/wait.ts';

const script = join(import.meta.dirname, '..', '..', 'workers', 'main.ts');

describe('A worker process', function () {
  this.timeout(180_000);
  let folder: string;
  let servers: Awaited<ReturnType<typeof startServers>>;
  let environment: Environment;
  let dns: DnsStandIn;
  let worker: Forked;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'everpost-workers-'));
    dns = await startDnsStandIn();
    servers = await startServers({ dataDir: folder, kinds: ['mongodb', 'redis', 'temporal'] });
    environment = await startEnvironment({ ...servers.environment, DNS_SERVERS: dns.address });
    worker = forkWorker('workflows,background');
    await worker.ready;
  });
  after(async () => {
    worker?.child.kill('SIGKILL');
    await environment.stop();
    await servers.stop();
    await dns.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says when it works, how it is, and what it and the SDK measure', async () => {
    const { port } = await worker.ready;
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await ask('/health/live')).status).to.equal(200);
    expect(await (await ask('/health/ready')).json()).to.deep.include({
      status: 'ready',
      lanes: ['workflows', 'background'],
      mongodb: 'up',
      redis: 'up',
      temporal: 'up',
    });
    // Those of the SDK begin with its first measurement.
    const metrics = await until(
      async () => (await ask('/metrics')).text(),
      (text) => /^temporal_worker_task_slots_available/m.test(text),
    );
    expect(metrics)
      .to.include('everpost_due_running')
      .and.to.match(/^temporal_worker_task_slots_available/m);
    expect((await ask('/elsewhere')).status).to.equal(404);
  });

  it('Temporal stopped: verify is answered 2xx, jobs are done, and the check runs when it is back', async () => {
    const id = await addDomain('away.example.com');
    await servers.temporal?.kill('SIGKILL');
    const reply = await environment.own.client.post(`/domains/${id}/verify`);
    expect([reply.status, reply.body.data.verificationInProgress]).to.deep.equal([200, true]);
    const { domains } = environment.deps.db;
    const projectId = environment.own.project._id;
    await domains.updateOne({ _id: new ObjectId(id), projectId }, { $set: { recheckDueAt: new Date() } });
    // Queues that need no Temporal are served during the outage: the recheck has its next time.
    await until(
      () => domains.findOne({ _id: new ObjectId(id), projectId }),
      (domain) => Number(domain?.recheckDueAt) > Date.now() + 60_000,
    );
    expect((await environment.own.client.get(`/domains/${id}`)).body.data.verificationInProgress).to.equal(true);
    expect(await isAlive()).to.equal(true);

    await servers.temporal?.start();
    const checked = await until(
      () => getDomain(id),
      ({ verificationInProgress }) => !verificationInProgress,
    );
    expect(checked.verificationStatus).to.equal('PENDING');
  });

  it('MongoDB stopped: it stays up, and works again when it is back', async () => {
    const id = await addDomain('store.example.com');
    await servers.mongodb?.kill('SIGKILL');
    await sleep(3_000);
    expect(await isAlive()).to.equal(true);
    const { port } = await worker.ready;
    await until(
      async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status,
      (status) => status === 503,
    );
    await servers.mongodb?.start();
    await until(
      () => environment.own.client.post(`/domains/${id}/verify`),
      ({ status }) => status === 200,
    );
    await until(
      () => getDomain(id),
      ({ lastCheckedAt }) => lastCheckedAt !== null,
    );
  });

  it('Redis stopped: checks are still started, within the next look', async () => {
    const id = await addDomain('quiet.example.com');
    await servers.redis?.kill('SIGKILL');
    await environment.own.client.post(`/domains/${id}/verify`);
    await until(
      () => getDomain(id),
      ({ lastCheckedAt }) => lastCheckedAt !== null,
    );
    await servers.redis?.start();
  });

  it('leaves within 8 seconds of SIGTERM, and when the process that forked it is gone', async () => {
    const from = performance.now();
    worker.child.kill('SIGTERM');
    expect(await worker.exit).to.equal(0);
    expect(performance.now() - from).to.be.below(10_000);

    const orphan = forkWorker('mail');
    await orphan.ready;
    orphan.child.disconnect();
    expect(await orphan.exit).to.equal(0);
  });

  it('waits for Temporal when it starts without it; the lanes that need none are ready at once', async () => {
    await servers.temporal?.kill('SIGKILL');
    const mail = forkWorker('mail');
    const background = forkWorker('background');
    let isReady = false;
    void background.ready.then(() => {
      isReady = true;
    });
    await mail.ready;
    expect(isReady).to.equal(false);
    await servers.temporal?.start();
    await background.ready;
    for (const { child, exit } of [mail, background]) {
      child.kill('SIGTERM');
      expect(await exit).to.equal(0);
    }
  });

  it('refuses a lane that does not exist, in one sentence', async () => {
    const wrong = forkWorker('background,speed');
    expect(await wrong.exit).to.equal(1);
    expect(wrong.output().trim()).to.match(/^WORKER_LANES names "speed"; there are [\w, ]+\.$/);
  });

  it('takes the workflows that WORKFLOW_BUNDLE names, and ends with one sentence when they are not there', async () => {
    const file = join(folder, 'workflows.js');
    const without = forkWorker('workflows', { WORKFLOW_BUNDLE: file });
    expect(await without.exit).to.equal(1);
    expect(without.output().trim()).to.match(
      /^WORKFLOW_BUNDLE names ".*workflows\.js", which is not there; write it .*\.$/,
    );

    // A run of many files has made it; the first worker of this file has bundled its workflows itself.
    if (process.env.WORKFLOW_BUNDLE) copyFileSync(process.env.WORKFLOW_BUNDLE, file);
    else await bundleWorkflows(folder);
    const made = forkWorker('workflows,background', { WORKFLOW_BUNDLE: file });
    await made.ready;
    const id = await addDomain('bundled.example.com');
    await environment.own.client.post(`/domains/${id}/verify`);
    await until(
      () => getDomain(id),
      ({ lastCheckedAt }) => lastCheckedAt !== null,
    );
    made.child.kill('SIGTERM');
    expect(await made.exit).to.equal(0);
  });

  interface Forked {
    child: ChildProcess;
    ready: Promise<{ port: number }>;
    exit: Promise<number | null>;
    output(): string;
  }

  /** It bundles its workflows itself, unless the variable is set. */
  function forkWorker(lanes: string, more: Record<string, string> = {}): Forked {
    const { config } = environment.deps;
    const env = {
      ...process.env,
      ...servers.environment,
      MONGODB_DATABASE: config.mongodbDatabase,
      TASK_QUEUE_PREFIX: config.taskQueuePrefix,
      SECRET_KEYS: config.secretKeys.join(','),
      DNS_SERVERS: dns.address,
      WORKER_LANES: lanes,
      WORKER_PORT: '0',
      LOG_LEVEL: 'error',
      WORKFLOW_BUNDLE: '',
      ...more,
    };
    const child = fork(script, { env, silent: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const ready = new Promise<{ port: number }>((resolve) => {
      child.on('message', (message: { ready?: boolean; port: number }) => message.ready && resolve(message));
    });
    return { child, exit, ready, output: () => output };
  }

  async function addDomain(domainName: string): Promise<string> {
    return (await environment.own.client.post('/domains', { domainName })).body.data.id;
  }

  async function getDomain(id: string) {
    return (await environment.own.client.get(`/domains/${id}`)).body.data;
  }

  async function isAlive(): Promise<boolean> {
    const { port } = await worker.ready;
    return worker.child.exitCode === null && (await fetch(`http://127.0.0.1:${port}/health/live`)).ok;
  }
});
