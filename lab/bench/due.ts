/**
 * How soon due work starts, with two processes that poll, compared with a bare majority-committed update (the cost of a claim):
 * alone, without a wake-up, many projects at once, behind 20,000 of another project; and what a look costs with 90,000 put off.
 */
import { MongoClient, ObjectId } from 'mongodb';
import type { Deps, Log } from '../../core/base/deps.ts';
import { documentQueue, done } from '../../core/jobs/document-queue.ts';
import { type JobQueue, startQueues, wakeQueue } from '../../core/jobs/queue.ts';
import { readConfig } from '../../platform/config.ts';
import { openRedis } from '../../platform/redis/redis.ts';
import { quantile } from '../rig/processes.ts';
import { type Figure, figure } from '../rig/results/report.ts';
import { between, pause, until } from '../rig/waiting.ts';
import { keep } from './run.ts';

type Round = Awaited<ReturnType<typeof round>>;
type Row = { _id: ObjectId; projectId: ObjectId; dueAt?: Date; taken?: boolean };

const ROUNDS = 3;
const ALONE = 100;
const PROJECTS = 300;
const BACKLOG = 20_000;
const BEHIND = 50;
const PUT_OFF = 90_000;
const LOOKS = 20;
/** How often an idle kind is looked at: a write comes at any moment between two looks. */
const LOOK_EVERY_MS = 500;

const silent: Log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const config = { ...readConfig(), mongodbDatabase: `bench_due_${process.pid}` };
const mongo = new MongoClient(config.mongodbUrl, { writeConcern: { w: 'majority', journal: true }, maxPoolSize: 50 });
const rows = mongo.db(config.mongodbDatabase).collection<Row>('rows');
const index = { name: 'due', partialFilterExpression: { dueAt: { $exists: true } } };
await rows.createIndex({ projectId: 1, dueAt: 1 }, index);

/** Resolved when its document starts. */
const awaited = new Map<string, () => void>();
const kindFor = (): JobQueue =>
  documentQueue<Row>(
    { log: silent },
    {
      name: 'rows',
      collection: rows,
      field: 'dueAt',
      concurrencyMax: 64,
      run: async ({ _id }) => {
        awaited.get(_id.toHexString())?.();
        return done;
      },
    },
  );
const connections = [0, 1].map(() => openRedis(config, silent));
const { signals } = connections[0]!;
const loops = connections.map((redis) =>
  startQueues({ mongo, config, log: silent, signals: redis.signals } as Deps, [kindFor()]),
);
await Promise.all(loops.map((loop) => loop.ready));

const perRound: Round[] = [];
for (let turn = 0; turn < ROUNDS; turn++) perRound.push(await round());
const of = (value: (figures: Round) => number) => perRound.map(value);
const ceiling = { name: 'a bare majority-committed update, p50', values: of(({ bareMs }) => bareMs) };
const delays = (name: string, pick: (figures: Round) => number[], asked?: Figure['asked']) => {
  const at = (q: number) => of((figures) => quantile(pick(figures), q));
  return [
    figure(`${name}, p50`, 'ms', at(0.5), { ceiling }),
    figure(`${name}, p99`, 'ms', at(0.99), { ceiling, asked }),
  ];
};
const [atOnce, backlog] = [of((one) => PROJECTS / one.atOnceSeconds), of((one) => BACKLOG / one.backlogSeconds)];
const looks = of((one) => quantile(one.looks, 0.5));
keep('due', [
  ...delays('from a write to the start of its work', ({ woken }) => woken),
  ...delays('from a write to the start of its work, no wake-up arriving', ({ unwoken }) => unwoken),
  ...delays(`one of another project, behind ${BACKLOG} of one`, ({ behind }) => behind, { atMost: 200 }),
  figure(`${PROJECTS} projects with one document each, all at once`, '/s', atOnce),
  figure(`${BACKLOG} documents of one project`, '/s', backlog),
  figure(`a look with ${PUT_OFF} put off, p50`, 'ms', looks, { ceiling }),
]);

await Promise.all(loops.map((loop) => loop.stop()));
await mongo.db(config.mongodbDatabase).dropDatabase();
for (const redis of connections) redis.close();
await mongo.close();

async function round() {
  const bare = await repeat(ALONE, bareUpdate);
  const woken = await repeat(ALONE, () => startOfOne({ isWoken: true }));
  const unwoken = await repeat(ALONE / 2, async () => {
    await pause(between(0, LOOK_EVERY_MS));
    return startOfOne({ isWoken: false });
  });
  const atOnceSeconds = await startOfMany(Array.from({ length: PROJECTS }, () => row(new ObjectId())));
  const loud = new ObjectId();
  await rows.insertMany(Array.from({ length: BACKLOG }, () => row(loud)));
  const from = performance.now();
  const behind = await repeat(BEHIND, () => startOfOne({ isWoken: true }));
  if (!(await rows.findOne({ projectId: loud, dueAt: { $exists: true } })))
    throw new Error('The backlog was gone before those behind it had started; make it longer.');
  await idle();
  const backlogSeconds = (performance.now() - from) / 1_000;
  const looks = await looksPastPutOff();
  return { bareMs: quantile(bare, 0.5), woken, unwoken, behind, atOnceSeconds, backlogSeconds, looks };
}

function row(projectId: ObjectId): Row {
  return { _id: new ObjectId(), projectId, dueAt: new Date() };
}

async function repeat(times: number, work: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  for (let turn = 0; turn < times; turn++) all.push(await work());
  return all;
}

async function bareUpdate(): Promise<number> {
  const { insertedId } = await rows.insertOne({ _id: new ObjectId(), projectId: new ObjectId() });
  const from = performance.now();
  await rows.updateOne({ _id: insertedId }, { $set: { taken: true } });
  return performance.now() - from;
}

async function startOfOne({ isWoken }: { isWoken: boolean }): Promise<number> {
  const one = row(new ObjectId());
  const started = startOf(one);
  await rows.insertOne(one);
  const from = performance.now();
  if (isWoken) wakeQueue({ signals }, 'rows', one.projectId);
  // It may have started before its insert was acknowledged.
  return Math.max(0, (await started) - from);
}

async function startOfMany(documents: Row[]): Promise<number> {
  const started = documents.map(startOf);
  await rows.insertMany(documents);
  const from = performance.now();
  for (const { projectId } of documents) wakeQueue({ signals }, 'rows', projectId);
  const last = Math.max(...(await Promise.all(started)));
  await idle();
  return (last - from) / 1_000;
}

function startOf({ _id }: Row): Promise<number> {
  const id = _id.toHexString();
  return new Promise((resolve) => {
    awaited.set(id, () => {
      awaited.delete(id);
      resolve(performance.now());
    });
  });
}

async function idle(): Promise<void> {
  const isIdle = async () => (await rows.findOne({ dueAt: { $exists: true } })) === null;
  await until('nothing is due', isIdle, 120_000, 100);
}

async function looksPastPutOff(): Promise<number[]> {
  const projectId = new ObjectId();
  const dueAt = new Date(Date.now() + 3_600_000);
  await rows.insertMany(Array.from({ length: PUT_OFF }, () => ({ ...row(projectId), dueAt })));
  const probe = kindFor();
  const looks = await repeat(LOOKS, async () => {
    const from = performance.now();
    await probe.projects(new Date());
    return performance.now() - from;
  });
  await rows.deleteMany({ projectId });
  return looks;
}
