import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startServers } from '../../stack/servers/all.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { type Sink, startSink } from '../support/mail/smtp-sink.ts';
import { until } from '../support/wait.ts';

const script = join(import.meta.dirname, '..', '..', 'workers', 'main.ts');
/** Of the relay; SMTP_MAX_CONNECTIONS allows more. */
const CONNECTIONS = 4;
const RATE = 40;
const MAILS = 100;

describe('Two worker processes with one relay', function () {
  this.timeout(240_000);
  let folder: string;
  let servers: Awaited<ReturnType<typeof startServers>>;
  let environment: Environment;
  let sink: Sink;
  let workers: Worker[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'everpost-budgets-'));
    servers = await startServers({ dataDir: folder, kinds: ['redis'] });
    environment = await startEnvironment(servers.environment);
    await seedSendingDomain(environment.deps, environment.own.project, 'mail.example.com');
    sink = await startSink({ keepRaw: 0 });
    const url = `${sink.url}?connections=${CONNECTIONS}&rate=${RATE}`;
    workers = await Promise.all([0, 1].map(() => startWorker({ SMTP_URL: url })));
  });
  after(async () => {
    for (const { child } of workers) child.kill('SIGKILL');
    await sink?.close();
    await environment?.stop();
    await servers?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('together never have more connections or a higher rate than its URL allows', async () => {
    // A connection that was just closed may be counted here until the next sample.
    const samples: number[] = [];
    const sampling = setInterval(() => samples.push(sink.connectionsOpen()), 10);
    await sendBulk(MAILS);
    await arrived(MAILS);
    clearInterval(sampling);
    expect(Math.max(...samples.map((sample, index) => Math.min(sample, samples[index - 1] ?? 0)))).to.be.within(
      1,
      CONNECTIONS,
    );
    // Mails may be late on their way to the sink: far from the time without a limit is enough.
    const { firstAt, lastAt, duplicates } = sink.ledger;
    expect(lastAt - firstAt).to.be.above(((MAILS / RATE) * 1_000) / 2);
    expect(duplicates).to.equal(0);
  });

  it('without Redis each has its half, and with it again what it needs', async () => {
    await servers.redis?.kill('SIGKILL');
    await modes('divided');
    const budget = `everpost_budget_share{budget="connections default 127.0.0.1:${sink.port}"}`;
    await until(
      () => Promise.all(workers.map(({ metric }) => metric(budget))),
      (shares) => shares.every((share) => share === CONNECTIONS / 2),
      { ms: 40_000 },
    );
    await sendBulk(10);
    await arrived(MAILS + 10);
    await servers.redis?.start();
    await modes('shared');
  });

  interface Worker {
    child: ChildProcess;
    metric(name: string): Promise<number>;
  }

  async function startWorker(more: Record<string, string>): Promise<Worker> {
    const { config } = environment.deps;
    const env = {
      ...process.env,
      ...{ MONGODB_URL: config.mongodbUrl, MONGODB_DATABASE: config.mongodbDatabase, REDIS_URL: config.redisUrl },
      ...{ TEMPORAL_ADDRESS: config.temporalAddress, TASK_QUEUE_PREFIX: config.taskQueuePrefix },
      ...{ SECRET_KEYS: config.secretKeys.join(','), DATA_DIR: folder, LOG_LEVEL: 'error' },
      ...{ WORKER_LANES: 'mail', WORKER_PORT: '0' },
      ...more,
    };
    const child = fork(script, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const port = await new Promise<number>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the worker ended')));
      child.on('message', (message: { ready?: boolean; port: number }) => message.ready && resolve(message.port));
    });
    return {
      child,
      async metric(name) {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        const values = text.split('\n').filter((line) => line.startsWith(name));
        return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
      },
    };
  }

  async function modes(mode: 'shared' | 'divided'): Promise<void> {
    await until(
      () => Promise.all(workers.map(({ metric }) => metric('everpost_budget_divided'))),
      // Three budgets: the connections of the route and of its relay, and the rate.
      (divided) => divided.every((budgets) => budgets === (mode === 'divided' ? 3 : 0)),
      { ms: 40_000 },
    );
  }

  async function sendBulk(count: number): Promise<void> {
    for (let from = 0; from < count; from += 100) {
      const recipients = Array.from({ length: Math.min(100, count) }, (_, index) => ({
        email: `a${from + index}@in.example.com`,
      }));
      const mail = { from: { email: 'post@mail.example.com' }, subject: 'Hello', html: '<p>Hello</p>' };
      const reply = await environment.own.client.post('/mails/bulk', { ...mail, recipients });
      expect(reply.status, reply.text).to.be.within(200, 299);
    }
  }

  function arrived(count: number): Promise<number> {
    return until(
      async () => sink.ledger.total,
      (total) => total >= count,
    );
  }
});
