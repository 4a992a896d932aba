/**
 * Queries of idle processes, and the time from a write to the start of its work: 1, 10 and 50 of them, with Redis and without. A fifth each has
 * the role api, workflows, background, campaign and mail. Members of the installation run in this process, each with connections, queues,
 * services and reports of its own, but without Temporal's workers, which do not ask MongoDB. `--alone` lets each look for itself, as all did
 * before they took turns, and keeps nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { MongoClient, ObjectId } from 'mongodb';
import type { Deps, Log } from '../../core/base/deps.ts';
import { ALONE } from '../../core/base/members.ts';
import { reportProcess } from '../../core/figures/live/processes.ts';
import { documentQueue, done } from '../../core/jobs/document-queue.ts';
import { type JobQueue, startQueues, wakeQueue } from '../../core/jobs/queue.ts';
import { readConfig } from '../../platform/config.ts';
import { openPlatform } from '../../platform/connect.ts';
import { makeIndexes } from '../../platform/mongo/indexes.ts';
import { type RoleName, type Role as RoleOfProcess, roles } from '../../workers/roles.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { quantile } from '../rig/processes.ts';
import { type Figure, report } from '../rig/results/report.ts';
import { between, until } from '../rig/waiting.ts';

const { values: flags } = parseArgs({
  options: {
    alone: { type: 'boolean', default: false },
    counts: { type: 'string', default: '1,10,50' },
    seconds: { type: 'string', default: '15' },
    writes: { type: 'string', default: '400' },
    dry: { type: 'boolean', default: false },
  },
});
type Role = RoleName | 'api';
type Row = { _id: ObjectId; projectId: ObjectId; dueAt?: Date };

const ROLES: readonly Role[] = ['mail', 'background', 'campaign', 'workflows', 'api'];
/** Each process learns of the others with its second report. */
const SETTLED_MS = 7_000;
const NO_REDIS = 'redis://127.0.0.1:1';
/** The driver keeps its connections alive with `hello`; the clock asks with it for the time. */
const HELLO = new Set(['hello', 'isMaster', 'ismaster']);
const OWN = new Set(['serverStatus']);

const silent: Log = { debug() {}, info() {}, warn() {}, error: console.error };
const database = `bench_idle_${process.pid}`;
const base = readConfig({
  ...process.env,
  MONGODB_DATABASE: database,
  SECRET_KEYS: `idle:${Buffer.alloc(32, 1).toString('base64')}`,
});
const mongo = new MongoClient(base.mongodbUrl, { writeConcern: { w: 'majority', journal: true } });
const rows = mongo.db(database).collection<Row>('idleRows');
await rows.createIndex({ projectId: 1, dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } });

const figures: Figure[] = [];
for (const redis of [true, false])
  for (const count of flags.counts.split(',').map(Number)) figures.push(...(await measure(count, redis)));
report('idle', figures, { isKept: !flags.dry && !flags.alone });
await mongo.db(database).dropDatabase();
await mongo.close();
process.exit(0);

async function measure(count: number, redis: boolean): Promise<Figure[]> {
  const started = new Map<string, () => void>();
  const members = Array.from({ length: count }, (_, at) => openMember(ROLES[at % ROLES.length]!, redis, started));
  await makeIndexes(members[0]!.deps.db);
  const stops = await Promise.all(members.map((member) => member.start()));
  await until('Redis', async () => members.every(({ deps }) => deps.signals.isUp() === redis));
  await pause(SETTLED_MS);
  const asked = await commandsPerSecond(Number(flags.seconds) * 1_000);
  const delays: number[] = [];
  for (let n = 0; n < Number(flags.writes); n++) delays.push(await startOfOne(members[0]!.deps, redis, started));
  await Promise.all(stops.map((stop) => stop()));
  const how = `${count} idle process${count === 1 ? '' : 'es'}, Redis ${redis ? 'up' : 'down'}`;
  const note = flags.alone ? 'each looks for itself' : '';
  const limit = count === 50 ? { asked: { atMost: redis ? 100 : 1_000 } } : {};
  const startLimit = { asked: { atMost: redis ? 5 : 1_000 } };
  console.log(how, asked.byName);
  return [
    { name: `queries of ${how}`, unit: '/s', values: [asked.queries], note, ...limit },
    { name: `hello of ${how}: heartbeats of the driver, and the clock`, unit: '/s', values: [asked.hello] },
    {
      name: `from a write to the start of its work, ${how}, p50`,
      unit: 'ms',
      values: [quantile(delays, 0.5)],
      ...startLimit,
    },
    {
      name: `from a write to the start of its work, ${how}, p99`,
      unit: 'ms',
      values: [quantile(delays, 0.99)],
      ...startLimit,
    },
    { name: `from a write to the start of its work, ${how}, longest`, unit: 'ms', values: [Math.max(...delays)] },
  ];
}

function openMember(role: Role, redis: boolean, started: Map<string, () => void>) {
  const config = redis ? base : { ...base, redisUrl: NO_REDIS };
  const { parts, temporal, clockReady, close } = openPlatform(config, silent);
  const deps: Deps = { ...parts, workflows: createWorkflows(config, temporal) };
  const rank = () => (flags.alone ? ALONE : deps.members.rank(role));
  const start = async () => {
    await clockReady;
    const { due = [], services = [] }: RoleOfProcess = role === 'api' ? {} : roles[role];
    const queues: JobQueue[] = [
      ...due.map((make) => make(deps)),
      ...(role === 'mail' ? [rowsQueue(deps, started)] : []),
    ];
    const loop = startQueues(deps, queues, rank);
    const running = services.map((make) => make(deps));
    const endReports = reportProcess(deps, { roles: [role], version: 'bench' });
    await loop.ready;
    return async () => {
      await Promise.all([loop.stop(), ...running.map((service) => service.stop())]);
      await endReports();
      await close();
    };
  };
  return { deps, start };
}

function rowsQueue(deps: Deps, started: Map<string, () => void>): JobQueue {
  return documentQueue<Row>(deps, {
    name: 'idleRows',
    collection: deps.mongo.db(database).collection<Row>('idleRows'),
    field: 'dueAt',
    concurrencyMax: 16,
    run: async ({ _id }) => {
      started.get(_id.toHexString())?.();
      return done;
    },
  });
}

async function startOfOne(deps: Deps, redis: boolean, started: Map<string, () => void>): Promise<number> {
  await pause(between(0, redis ? 100 : 250));
  const row = { _id: new ObjectId(), projectId: new ObjectId(), dueAt: new Date() };
  const isStarted = new Promise<number>((resolve) =>
    started.set(row._id.toHexString(), () => resolve(performance.now())),
  );
  await rows.insertOne(row);
  const from = performance.now();
  wakeQueue(deps, 'idleRows', row.projectId);
  return Math.max(0, (await isStarted) - from);
}

async function commandsPerSecond(ms: number) {
  const before = await commands();
  const from = performance.now();
  await pause(ms);
  const after = await commands();
  const seconds = (performance.now() - from) / 1_000;
  const rates = Object.entries(after)
    .filter(([name]) => !OWN.has(name))
    .map(([name, total]) => [name, (total - (before[name] ?? 0)) / seconds] as const)
    .filter(([, rate]) => rate > 0);
  const sum = (some: typeof rates) => Math.round(some.reduce((total, [, rate]) => total + rate, 0) * 10) / 10;
  return {
    queries: sum(rates.filter(([name]) => !HELLO.has(name))),
    hello: sum(rates.filter(([name]) => HELLO.has(name))),
    byName: Object.fromEntries(rates.map(([name, rate]) => [name, Math.round(rate * 10) / 10])),
  };
}

async function commands(): Promise<Record<string, number>> {
  const { metrics } = await mongo.db('admin').command({ serverStatus: 1 });
  const counted = Object.entries(metrics.commands as Record<string, { total?: unknown }>);
  return Object.fromEntries(
    counted.flatMap(([name, { total }]) => (total === undefined ? [] : [[name, Number(total)]])),
  );
}
