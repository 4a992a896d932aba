/** How soon due documents start: MONGODB_URL and REDIS_URL name the servers, a database of its own is made and dropped. */
import { MongoClient, ObjectId } from 'mongodb';
import type { Deps, Log } from '../core/deps.ts';
import { type DueKind, startDueLoop, wakeDue } from '../core/due.ts';
import { done, dueDocuments } from '../core/due-documents.ts';
import { readConfig } from '../platform/config.ts';
import { openRedis } from '../platform/redis.ts';

type Row = { _id: ObjectId; projectId: ObjectId; writtenAt: number; dueAt?: Date };

const silent: Log = { debug() {}, info() {}, warn: console.warn, error: console.error };
const config = { ...readConfig(), mongodbDatabase: `bench_due_${process.pid}` };
const mongo = new MongoClient(config.mongodbUrl, { writeConcern: { w: 'majority', journal: true }, maxPoolSize: 50 });
const rows = mongo.db(config.mongodbDatabase).collection<Row>('rows');
const index = { name: 'due', partialFilterExpression: { dueAt: { $exists: true } } };
await rows.createIndex({ projectId: 1, dueAt: 1 }, index);

let onStart: (row: Row) => void = () => undefined;
const processes = [0, 1].map(() => openRedis(config, silent));
const { signals } = processes[0]!;
const kindFor = (): DueKind =>
  dueDocuments<Row>(
    { log: silent },
    {
      name: 'rows',
      collection: rows,
      field: 'dueAt',
      concurrencyMax: 64,
      run: async (row) => {
        onStart(row);
        return done;
      },
    },
  );
const loops = processes.map((redis) =>
  startDueLoop({ mongo, config, log: silent, signals: redis.signals } as Deps, [kindFor()]),
);
await Promise.all(loops.map((loop) => loop.ready));
await new Promise((resolve) => setTimeout(resolve, 300));

const row = (projectId: ObjectId): Row => ({
  _id: new ObjectId(),
  projectId,
  writtenAt: performance.now(),
  dueAt: new Date(),
});
const quantile = (values: number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * q)]!.toFixed(1);

/** Resolves with the delays from write to start once as many distinct documents as expected have started. */
function starts(expected: number, only?: Set<string>): Promise<number[]> {
  const seen = new Map<string, number>();
  return new Promise((resolve) => {
    onStart = (started) => {
      const id = started._id.toHexString();
      if (only && !only.has(id)) return;
      if (!seen.has(id)) seen.set(id, performance.now() - started.writtenAt);
      if (seen.size === expected) resolve([...seen.values()]);
    };
  });
}

async function oneByOne(label: string, wake: boolean, pauseMs = 5): Promise<void> {
  const delays: number[] = [];
  for (let i = 0; i < 100; i++) {
    const started = starts(1);
    const one = row(new ObjectId());
    await rows.insertOne(one);
    one.writtenAt = performance.now();
    const from = performance.now();
    if (wake) wakeDue({ signals }, 'rows', one.projectId);
    await started;
    delays.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  console.log(`${label}: p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms`);
}

async function burst(label: string, documents: Row[]): Promise<void> {
  await rows.insertMany(documents);
  const from = performance.now();
  for (const { projectId } of documents) wakeDue({ signals }, 'rows', projectId);
  await starts(documents.length);
  const seconds = (performance.now() - from) / 1000;
  console.log(
    `${label}: all started after ${seconds.toFixed(2)} s, ${Math.round(documents.length / seconds)} a second`,
  );
  while ((await rows.countDocuments({ dueAt: { $exists: true } })) > 0)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

await oneByOne('write to start, woken by Redis', true);
await oneByOne('write to start, without a wake-up', false);
await burst(
  '300 projects at once',
  Array.from({ length: 300 }, () => row(new ObjectId())),
);

const loud = new ObjectId();
const backlog = starts(20_000);
await rows.insertMany(Array.from({ length: 20_000 }, () => row(loud)));
const began = performance.now();
const quiet = Array.from({ length: 50 }, () => row(new ObjectId()));
const delays: number[] = [];
const still = rows.countDocuments({ dueAt: { $exists: true } });
for (const one of quiet) {
  const all = onStart;
  const from = performance.now();
  const started = new Promise<void>((resolve) => {
    onStart = (each) => {
      all(each);
      if (each._id.equals(one._id)) resolve();
    };
  });
  await rows.insertOne(one);
  wakeDue({ signals }, 'rows', one.projectId);
  await started;
  delays.push(performance.now() - from);
  onStart = all;
}
console.log(
  `${await still} due when it began; behind them, from insert to start: p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms`,
);
void backlog;
while ((await rows.countDocuments({ dueAt: { $exists: true } })) > 0)
  await new Promise((resolve) => setTimeout(resolve, 100));
console.log(`20,000 of one project with two processes: ${((performance.now() - began) / 1000).toFixed(1)} s`);

const ten = new ObjectId();
await rows.insertMany(Array.from({ length: 90_000 }, () => ({ ...row(ten), dueAt: new Date(Date.now() + 3_600_000) })));
const looks: number[] = [];
const probe = kindFor();
for (let i = 0; i < 20; i++) {
  const from = performance.now();
  await probe.projects(new Date());
  looks.push(performance.now() - from);
}
console.log(`a look with 90,000 deferred: p50 ${quantile(looks, 0.5)} ms`);

await Promise.all(loops.map((loop) => loop.stop()));
await mongo.db(config.mongodbDatabase).dropDatabase();
for (const redis of processes) redis.close();
await mongo.close();
