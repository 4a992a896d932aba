/**
 * Enrollments a second beside bare workflows, POST /events/send under load with and without Temporal, and the memory of a worker
 * whose people wait. MONGODB_URL, REDIS_URL and TEMPORAL_ADDRESS name the servers; a database of its own is made and dropped.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ObjectId } from 'mongodb';
import { createApiKey } from '../core/api-keys.ts';
import { createAutomation } from '../core/automations.ts';
import { changeContacts } from '../core/contact-changes.ts';
import type { Deps, Log } from '../core/deps.ts';
import { seedVerifiedDomain } from '../core/domains.ts';
import { createEvent } from '../core/events.ts';
import { sendEvent } from '../core/events-send.ts';
import type { Project } from '../core/model.ts';
import { createOrganization } from '../core/organizations.ts';
import { createProject } from '../core/projects.ts';
import { createSender } from '../core/senders.ts';
import { readConfig } from '../platform/config.ts';
import { makeIndexes } from '../platform/mongo.ts';
import { openPlatform } from '../platform/open.ts';
import { createWorkflows } from '../workflows/client.ts';
import { prefixed } from '../workflows/names.ts';

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    waiting: { type: 'string', default: '2000' },
  },
});
const people = Number(values.people);
const root = join(import.meta.dirname, '..');
const name = `bench_automations_${process.pid}`;
const log: Log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const environment = {
  ...process.env,
  MONGODB_DATABASE: name,
  TASK_QUEUE_PREFIX: name,
  SECRET_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
  ENROLL_PER_SECOND: '100000',
  LOG_LEVEL: 'error',
  PORT: '0',
  WORKER_PORT: '0',
};
const config = readConfig(environment);
const platform = openPlatform(config, log);
const deps: Deps = { ...platform.parts, workflows: createWorkflows(config, platform.temporal) };
const children: ChildProcess[] = [];

try {
  await makeIndexes(deps.db);
  const { project, key } = await makeProject();
  const worker = await forked('workers/main.ts', [], { WORKER_LANES: 'workflows,background' });
  await compareRates(project);
  await memoryOfWaiting(project, worker);
  await latency('with Temporal', key, {});
  worker.kill('SIGKILL');
  await latency('with Temporal stopped', key, { TEMPORAL_ADDRESS: '127.0.0.1:9' });
} finally {
  for (const child of children) child.kill('SIGKILL');
  await deps.mongo.db(name).dropDatabase();
  await platform.close();
}
process.exit(0);

async function makeProject(): Promise<{ project: Project; key: string }> {
  const { organization } = await createOrganization(deps, { name: 'Bench' });
  const project = await createProject(deps, organization._id, { name: 'Bench' });
  const { key } = await createApiKey(deps, { organizationId: organization._id, projectId: project._id, name: 'bench' });
  await seedVerifiedDomain(deps, project, 'bench.test', new ObjectId());
  await createSender(deps, project, { email: 'news@bench.test' }, origin());
  await createEvent(
    deps,
    project,
    { eventName: 'bought', properties: [{ propertyName: 'amount', type: 'number' }] },
    origin(),
  );
  const email = { htmlTemplate: '<p>Hello</p>', subject: 'Hello' };
  const steps = [
    { type: 'wait' as const, delay: { value: 30, unit: 'days' as const } },
    { type: 'email' as const, email },
  ];
  const entryCriteria = { type: 'event_trigger' as const, eventName: 'bought' };
  await createAutomation(deps, project, { name: 'Bench', active: true, entryCriteria, steps }, origin());
  return { project, key };
}

/** Rounds alternate: the machine's speed drifts. */
async function compareRates(project: Project): Promise<void> {
  const bareQueue = prefixed(name, 'bare');
  const bare = await forked('bench/automations/bare-worker.ts', [
    config.temporalAddress,
    config.temporalNamespace,
    bareQueue,
  ]);
  let ran = 0;
  bare.on('message', (message: { ran?: number }) => {
    ran = message.ran ?? ran;
  });
  const ratios: number[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const target = ran + people;
    const bareRate = await rateOf(async () => {
      const { client } = platform.temporal;
      await atOnce(16, people, (n) =>
        client.workflow
          .start('bareWait', { taskQueue: bareQueue, workflowId: `${name}-bare-${round}-${n}`, args: [] })
          .then(() => undefined),
      );
      await poll(async () => ran >= target);
    });
    const contacts = await newContacts(project, people);
    const ours = await rateOf(async () => {
      await Promise.all(
        contacts.map((contactId) => sendEvent(deps, project, { eventName: 'bought', contactId }, origin())),
      );
      await poll(
        async () =>
          (await deps.db.enrollments.countDocuments({ projectId: project._id, started: false })) === 0 &&
          (await waitingCount(project)) >= (round + 1) * people,
      );
    });
    ratios.push(ours / bareRate);
    console.log(
      `round ${round + 1}: ${bareRate.toFixed(0)} bare workflows a second, ${ours.toFixed(0)} enrollments from the event to the wait (${(ours / bareRate).toFixed(2)})`,
    );
  }
  bare.kill('SIGKILL');
  console.log(`ratio, median of ${ratios.length}: ${median(ratios).toFixed(2)} (at least 0.7 is wanted)`);
}

async function memoryOfWaiting(project: Project, worker: ChildProcess): Promise<void> {
  const already = await waitingCount(project);
  const total = Number(values.waiting);
  const seen: string[] = [];
  for (const share of [0.25, 0.5, 0.75, 1]) {
    const target = already + Math.round(total * share);
    const contacts = await newContacts(project, target - (await waitingCount(project)));
    await Promise.all(
      contacts.map((contactId) => sendEvent(deps, project, { eventName: 'bought', contactId }, origin())),
    );
    await poll(async () => (await waitingCount(project)) >= target);
    seen.push(`${target}: ${rssMb(worker.pid)} MB`);
  }
  console.log(`memory of the worker by people in a wait: ${seen.join(', ')}`);
}

async function latency(what: string, key: string, more: Record<string, string>): Promise<void> {
  const api = await forked('api/main.ts', [], more);
  const { url } = api;
  const rate = Number(values.rate);
  const took: number[] = [];
  const failures = { count: 0 };
  const calls: Promise<void>[] = [];
  const began = performance.now();
  const count = rate * Number(values.seconds);
  for (let n = 0; n < count; n += 1) {
    const dueMs = (n * 1_000) / rate - (performance.now() - began);
    if (dueMs > 1) await new Promise((resolve) => setTimeout(resolve, dueMs));
    calls.push(call(n));
  }
  await Promise.all(calls);
  took.sort((a, b) => a - b);
  const at = (q: number) => took[Math.floor((took.length - 1) * q)]?.toFixed(1);
  console.log(
    `POST /events/send ${what}, ${rate} a second for ${values.seconds} s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms, ${failures.count} failed`,
  );
  api.kill('SIGKILL');

  async function call(n: number): Promise<void> {
    const from = performance.now();
    const body = JSON.stringify({
      eventName: 'bought',
      email: `bench${n % 500}@bench.test`,
      eventProperties: { amount: n },
    });
    const reply = await fetch(`${url}/v1/events/send`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body,
    });
    await reply.text();
    if (reply.status !== 201) failures.count += 1;
    took.push(performance.now() - from);
  }
}

async function newContacts(project: Project, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < count; from += 500) {
    const changes = Array.from({ length: Math.min(500, count - from) }, () => {
      const newId = new ObjectId();
      ids.push(newId.toHexString());
      return { email: `${newId}@bench.test`, newId, whenMissing: 'create' as const, whenPresent: 'change' as const };
    });
    await changeContacts(deps, project, changes);
  }
  return ids;
}

function waitingCount({ _id }: Project): Promise<number> {
  return deps.db.enrollments.countDocuments({ projectId: _id, started: true, waitUntil: { $ne: null } });
}

async function rateOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return people / ((performance.now() - began) / 1_000);
}

async function atOnce(lanes: number, count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let n = next++; n < count; n = next++) await work(n);
    }),
  );
}

async function poll(isIt: () => Promise<boolean>): Promise<void> {
  while (!(await isIt())) await new Promise((resolve) => setTimeout(resolve, 25));
}

async function forked(
  script: string,
  args: string[],
  more: Record<string, string> = {},
): Promise<ChildProcess & { url?: string }> {
  const child: ChildProcess & { url?: string } = fork(join(root, script), args, { env: { ...environment, ...more } });
  children.push(child);
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${script} ended`)));
    child.on('message', (message: { ready?: boolean; url?: string }) => {
      if (!message.ready) return;
      if (message.url) child.url = message.url;
      resolve();
    });
  });
  return child;
}

function rssMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function origin() {
  return { at: new Date(), seed: new ObjectId() };
}
