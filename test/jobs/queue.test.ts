import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Collection, ObjectId } from 'mongodb';
import type { Signals } from '../../core/base/deps.ts';
import { unavailable } from '../../core/base/errors.ts';
import { TokenBucket } from '../../core/base/limits/token-bucket.ts';
import {
  again,
  type DueDocuments,
  type DueOutcome,
  documentQueue,
  done,
  LEASE_MS,
  settled,
} from '../../core/jobs/document-queue.ts';
import { type RunningQueues, startQueues, wakeQueue } from '../../core/jobs/queue.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

type Row = { _id: ObjectId; projectId: ObjectId; lane?: string; dueAt?: Date };

const deaf: Signals = { publish() {}, subscribe: () => () => undefined, isUp: () => false };

describe('Jobs in documents', () => {
  let environment: Environment;
  let rows: Collection<Row>;
  let loops: RunningQueues[] = [];
  let number = 0;
  before(async () => {
    environment = await startEnvironment();
    await until(async () => environment.deps.signals.isUp(), Boolean);
  });
  beforeEach(async () => {
    const { mongo, config } = environment.deps;
    rows = mongo.db(config.mongodbDatabase).collection<Row>(`rows${++number}`);
    const options = { name: 'due', partialFilterExpression: { dueAt: { $exists: true } } };
    await rows.createIndex({ projectId: 1, dueAt: 1 }, options);
  });
  afterEach(async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    loops = [];
  });
  after(() => environment.stop());

  it('start when Redis brings the word, without waiting for the next look', async () => {
    const started: string[] = [];
    await start({ lookEveryMs: 60_000, run: note(started) });
    const row = due();
    await rows.insertOne(row);
    wakeQueue(environment.deps, 'rows', row.projectId);
    await until(
      async () => started,
      (ids) => ids.includes(row._id.toHexString()),
    );
  });

  it('never start before their time', async () => {
    const startedAt = new Map<string, number>();
    await start({
      run: async ({ _id }) => {
        startedAt.set(_id.toHexString(), Date.now());
        return done;
      },
    });
    const early = due({ dueAt: new Date(Date.now() + 600) });
    await rows.insertOne(early);
    wakeQueue(environment.deps, 'rows', early.projectId);
    const at = await until(
      async () => startedAt.get(early._id.toHexString()),
      (time) => time !== undefined,
    );
    expect(at).to.be.at.least(early.dueAt!.getTime());
  });

  it('are found without Redis too', async () => {
    const started: string[] = [];
    await start({ run: note(started) }, deaf);
    const row = due();
    await rows.insertOne(row);
    await until(async () => started.length > 0, Boolean);
    await until(
      () => rows.countDocuments({ dueAt: { $exists: true } }),
      (count) => count === 0,
    );
  });

  it('are found at once after the clock of the machine was set back', async () => {
    const started: string[] = [];
    await start({ run: note(started) }, deaf);
    const realNow = Date.now;
    Date.now = () => realNow() - 7_200_000;
    try {
      await rows.insertOne(due());
      await until(async () => started.length > 0, Boolean);
    } finally {
      Date.now = realNow;
    }
  });

  it('are run by one process at a time, however many look', async () => {
    const started: string[] = [];
    const run = note(started);
    await Promise.all([start({ run }), start({ run }), start({ run })]);
    const project = new ObjectId();
    await rows.insertMany([...many(150, project), ...many(50)]);
    for (let i = 0; i < 3; i++) wakeQueue(environment.deps, 'rows', project);
    await until(
      () => rows.countDocuments({ dueAt: { $exists: true } }),
      (count) => count === 0,
      { ms: 20_000 },
    );
    expect(started).to.have.length(200);
    expect(new Set(started).size).to.equal(200);
  });

  it('take turns by project: a backlog of one does not hold up another', async () => {
    const loud = new ObjectId();
    const quiet = due();
    let before = 0;
    let isQuietStarted = false;
    await rows.insertMany(many(5_000, loud));
    await start({
      concurrencyMax: 8,
      run: async (row) => {
        if (row._id.equals(quiet._id)) isQuietStarted = true;
        else if (!isQuietStarted) before += 1;
        await sleep(10);
        return done;
      },
    });
    await until(async () => before > 40, Boolean);
    await rows.insertOne(quiet);
    const asOf = before;
    wakeQueue(environment.deps, 'rows', quiet.projectId);
    await until(async () => isQuietStarted, Boolean, { everyMs: 1 });
    expect(before - asOf, 'of the backlog, started before it').to.be.below(2_500);
  });

  it('only those of their own kind are taken', async () => {
    await rows.createIndex(
      { lane: 1, projectId: 1, dueAt: 1 },
      { name: 'lane', partialFilterExpression: { dueAt: { $exists: true } } },
    );
    const started: string[] = [];
    await start({ where: { lane: 'fast' }, run: note(started) });
    const [fast, slow] = [due({ lane: 'fast' }), due({ lane: 'slow' })];
    await rows.insertMany([slow, fast]);
    await until(async () => started.length > 0, Boolean);
    await sleep(200);
    expect(started).to.deep.equal([fast._id.toHexString()]);
  });

  it('a crash is a lease that ends: who comes late settles nothing', async () => {
    const row = due();
    await rows.insertOne(row);
    const kind = make({ run: async () => done });
    const crashed = await kind.take(row.projectId, 16);
    expect(crashed.runs).to.have.length(1);
    expect((await kind.take(row.projectId, 16)).runs, 'while the lease holds').to.have.length(0);
    const left = (await dueAt(row))!.getTime() - Date.now();
    expect(left).to.be.within(LEASE_MS - 3_000, LEASE_MS + 3_000);

    await rows.updateOne({ _id: row._id }, { $set: { dueAt: new Date() } });
    const next = await kind.take(row.projectId, 16);
    expect(next.runs, 'after its end').to.have.length(1);
    await crashed.runs[0]!();
    expect(await dueAt(row), 'still leased by the second').to.be.a('date');
    await next.runs[0]!();
    expect(await dueAt(row)).to.equal(undefined);
  });

  it('made due again while they run stay due', async () => {
    const row = due();
    let runs = 0;
    await start({
      run: async () => {
        runs += 1;
        if (runs === 1) await rows.updateOne({ _id: row._id }, [{ $set: { dueAt: '$$NOW' } }]);
        return done;
      },
    });
    await rows.insertOne(row);
    await until(
      () => dueAt(row),
      (date) => date === undefined,
    );
    expect(runs).to.equal(2);
  });

  it('end as the run says: done, due again at a time, or settled by itself', async () => {
    const later = new Date(Date.now() + 60_000);
    const outcomes = new Map<string, DueOutcome>();
    const [finished, repeated, own] = [due(), due(), due()] as [Row, Row, Row];
    outcomes.set(finished._id.toHexString(), done);
    outcomes.set(repeated._id.toHexString(), again(later));
    outcomes.set(own._id.toHexString(), settled);
    await rows.insertMany([finished, repeated, own]);
    let runs = 0;
    await start({
      run: async (row) => {
        runs += 1;
        return outcomes.get(row._id.toHexString()) as DueOutcome;
      },
    });
    await until(
      async () => runs,
      (count) => count === 3,
    );
    await until(
      () => dueAt(finished),
      (date) => date === undefined,
    );
    await until(
      () => dueAt(repeated),
      (date) => date?.getTime() === later.getTime(),
    );
    expect((await dueAt(own))!.getTime()).to.be.above(Date.now() + LEASE_MS - 5_000);
  });

  it('wait together while the service they need is unavailable, and continue when it is back; another error holds back one alone', async () => {
    let isAway = true;
    let tries = 0;
    const started: string[] = [];
    const broken = due();
    await start({
      run: async (row) => {
        tries += 1;
        if (row._id.equals(broken._id)) throw new Error('this one is broken');
        if (isAway) throw unavailable('away');
        started.push(row._id.toHexString());
        return done;
      },
    });
    const project = new ObjectId();
    await rows.insertMany(many(40, project));
    await until(async () => tries > 0, Boolean);
    await sleep(1_500);
    expect(tries, 'tries in 1.5 seconds').to.be.within(1, 120);
    isAway = false;
    await until(
      async () => new Set(started).size,
      (count) => count === 40,
      { ms: 20_000 },
    );

    await rows.insertMany([broken, ...many(5)]);
    await until(
      () => rows.countDocuments({ dueAt: { $exists: true } }),
      (count) => count === 1,
    );
    expect((await dueAt(broken))!.getTime(), 'due again when the lease ends').to.be.above(
      Date.now() + LEASE_MS - 5_000,
    );
  });

  it('start no faster than their kind allows', async () => {
    const started: string[] = [];
    const from = performance.now();
    await start({ allowance: new TokenBucket(10), concurrencyMax: 64, run: note(started) });
    await rows.insertMany(many(60));
    await until(
      async () => started.length,
      (count) => count >= 25,
    );
    // A bucket that was full, and what has run into it since.
    expect(started.length).to.be.at.most(10 + (performance.now() - from) / 100 + 1);
  });

  it('on stop nothing more is taken, and what runs is finished', async () => {
    const finished: string[] = [];
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
    let running = 0;
    const loop = await start({
      concurrencyMax: 5,
      run: async (row) => {
        running += 1;
        await isAsked;
        finished.push(row._id.toHexString());
        return done;
      },
    });
    await rows.insertMany(many(50));
    await until(
      async () => running,
      (count) => count === 5,
    );
    const stopped = loop.stop();
    ask();
    await stopped;
    expect([running, finished.length]).to.deep.equal([5, 5]);
    expect(await rows.countDocuments({ dueAt: { $exists: true } })).to.equal(45);
  });

  it('projects with something due are found by reading one key each', async () => {
    const project = new ObjectId();
    await rows.insertMany([...many(3_000, project), ...many(20)]);
    const pipeline = [
      { $match: { projectId: { $gte: new ObjectId('000000000000000000000000') }, dueAt: { $lte: new Date() } } },
      { $group: { _id: '$projectId' } },
    ];
    const plan = JSON.stringify(await rows.aggregate(pipeline).explain('executionStats'));
    expect(plan).to.include('DISTINCT_SCAN');
    expect(Number(/"totalKeysExamined":(\d+)/.exec(plan)?.[1])).to.be.at.most(42);
    expect(await make({ run: async () => done }).projects(new Date())).to.have.length(21);
  });

  function make(kind: Partial<DueDocuments<Row>> & Pick<DueDocuments<Row>, 'run'>) {
    return documentQueue<Row>(
      { log: { ...environment.deps.log, error() {} } },
      {
        name: 'rows',
        collection: rows,
        field: 'dueAt',
        concurrencyMax: 16,
        ...kind,
      },
    );
  }

  async function start(kind: Parameters<typeof make>[0], signals = environment.deps.signals): Promise<RunningQueues> {
    const loop = startQueues({ ...environment.deps, signals }, [make(kind)]);
    loops.push(loop);
    await loop.ready;
    return loop;
  }

  async function dueAt({ _id }: Row): Promise<Date | undefined> {
    return (await rows.findOne({ _id }))?.dueAt;
  }
});

function note(started: string[]): (row: Row) => Promise<DueOutcome> {
  return async ({ _id }) => {
    started.push(_id.toHexString());
    return done;
  };
}

function due(fields: Partial<Row> = {}): Row {
  return { _id: new ObjectId(), projectId: new ObjectId(), dueAt: new Date(), ...fields };
}

function many(count: number, projectId?: ObjectId): Row[] {
  return Array.from({ length: count }, () => due(projectId ? { projectId } : {}));
}
