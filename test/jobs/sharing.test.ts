import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Collection, ObjectId } from 'mongodb';
import type { Signals } from '../../core/base/deps.ts';
import { documentQueue, done } from '../../core/jobs/document-queue.ts';
import { queueChannel } from '../../core/jobs/fair-scheduler.ts';
import { type JobQueue, type RunningQueues, startQueues } from '../../core/jobs/queue.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

type Row = { _id: ObjectId; projectId: ObjectId; dueAt?: Date };

const SLOT_MS = 50;
const MINUTE_MS = 60_000;
const deaf: Signals = { publish() {}, subscribe: () => () => undefined, isUp: () => false };

describe('Processes that share a queue', () => {
  const environment = useEnvironment();
  let loops: RunningQueues[] = [];
  let number = 0;
  let rows: Collection<Row>;
  before(() => until(async () => environment.deps.signals.isUp(), Boolean));
  beforeEach(async () => {
    const { mongo, config } = environment.deps;
    rows = mongo.db(config.mongodbDatabase).collection<Row>(`shared${++number}`);
    await rows.createIndex({ projectId: 1, dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } });
  });
  afterEach(stopAll);

  it('look as often as one process alone, all of them together', async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, (_, rank) => countLooks(rank, 10)));
    const from = performance.now();
    const before = sum(ten);
    await sleep(1_000);
    const slots = (performance.now() - from) / SLOT_MS;
    expect(sum(ten) - before).to.be.within(1, slots + ten.length);
  });

  it('find what is due although one of two has died, with Redis and without', async () => {
    for (const signals of [environment.deps.signals, deaf]) {
      const started = await start({ rank: 1, count: 2, signals });
      await rows.insertOne({ _id: new ObjectId(), projectId: new ObjectId(), dueAt: new Date() });
      await until(
        async () => started.length,
        (count) => count === 1,
      );
      await stopAll();
    }
  });

  it('work together on a backlog of one project, announced by the process that found it', async () => {
    const other = await start({ rank: 1, count: 2, lookEveryMs: MINUTE_MS });
    await rows.insertMany(backlog());
    const finder = await start({ rank: 0, count: 2, lookEveryMs: MINUTE_MS });
    await until(
      async () => [other.length, finder.length] as const,
      ([helped, found]) => helped > 10 && found > 0,
    );
  });

  it('work together on a backlog without Redis, each from its own turn on', async () => {
    await rows.insertMany(backlog());
    const all = await Promise.all([0, 1, 2].map((rank) => start({ rank, count: 3, signals: deaf })));
    await until(
      async () => Math.min(...all.map(({ length }) => length)),
      (least) => least > 5,
    );
  });

  it('take what is announced one after the other: first one of them, by the project, then the others', async () => {
    const { signals, announce } = listeners();
    const taken: string[][] = [[], [], []];
    for (const [rank, own] of taken.entries()) await run(notes('announced', own), { rank, count: 3, signals });
    const projects = Array.from({ length: 30 }, () => new ObjectId().toHexString());
    for (const project of projects) announce('announced', project);
    expect(taken.flat()).to.have.members(projects);
    for (const own of taken) expect(own).to.not.deep.equal([]);
    await until(
      async () => taken.map((own) => new Set(own).size),
      (counts) => counts.every((count) => count === projects.length),
    );
  });

  it('take what is announced when the first of them has died', async () => {
    const { signals, announce } = listeners();
    const taken: string[] = [];
    await run(notes('announced', taken), { rank: 1, count: 2, signals });
    const projects = Array.from({ length: 20 }, () => new ObjectId().toHexString());
    for (const project of projects) announce('announced', project);
    expect(taken.length).to.be.below(projects.length);
    await until(
      async () => taken,
      (all) => all.length === projects.length,
    );
    expect(taken).to.have.members(projects);
  });

  it('look again within a second when the first look fails, however seldom they look', async () => {
    const { signals } = listeners();
    let looks = 0;
    const projects = async () => {
      looks += 1;
      if (looks === 1) throw new Error('The database is busy.');
      return [];
    };
    const from = performance.now();
    await run({ ...notes('failing', []), projects }, { rank: 0, count: 1, signals });
    expect(looks).to.equal(2);
    expect(performance.now() - from).to.be.below(MINUTE_MS / 2);
  });

  async function stopAll(): Promise<void> {
    await Promise.all(loops.map((loop) => loop.stop()));
    loops = [];
  }

  /** Never finds anything. */
  async function countLooks(rank: number, count: number): Promise<{ looks: number }> {
    const counted = { looks: 0 };
    const queue: JobQueue = {
      name: 'counted',
      concurrencyMax: 1,
      projects: async () => {
        counted.looks += 1;
        return [];
      },
      take: async () => ({ runs: [], more: false }),
    };
    await run(queue, { rank, count, signals: deaf });
    return counted;
  }

  async function start({ rank, count, signals = environment.deps.signals, lookEveryMs }: Started): Promise<string[]> {
    const started: string[] = [];
    const queue = documentQueue<Row>(environment.deps, {
      ...{ name: `shared${number}`, collection: rows, field: 'dueAt', concurrencyMax: 2 },
      ...(lookEveryMs && { lookEveryMs }),
      run: async ({ _id }) => {
        started.push(_id.toHexString());
        await sleep(5);
        return done;
      },
    });
    await run(queue, { rank, count, signals });
    return started;
  }

  async function run(queue: JobQueue, { rank, count, signals }: Required<Omit<Started, 'lookEveryMs'>>): Promise<void> {
    const loop = startQueues({ ...environment.deps, signals }, [queue], () => ({ rank, count }));
    loops.push(loop);
    await loop.ready;
  }
});

interface Started {
  rank: number;
  count: number;
  signals?: Signals;
  lookEveryMs?: number;
}

/** Signals without Redis: what is announced has arrived when the call returns. */
function listeners() {
  const listening = new Set<{ channel: string; listen: (message: string) => void }>();
  const signals: Signals = {
    publish() {},
    subscribe: (channel, listen) => {
      const one = { channel, listen };
      listening.add(one);
      return () => listening.delete(one);
    },
    isUp: () => true,
  };
  const announce = (name: string, project: string) => {
    for (const { channel, listen } of listening) if (channel === queueChannel(name)) listen(project);
  };
  return { signals, announce };
}

/** Has nothing to run, and writes down for which projects it was asked. */
function notes(name: string, taken: string[]): JobQueue {
  return {
    name,
    concurrencyMax: 64,
    lookEveryMs: MINUTE_MS,
    projects: async () => [],
    take: async (projectId) => {
      taken.push(projectId.toHexString());
      return { runs: [], more: false };
    },
  };
}

function sum(counted: Array<{ looks: number }>): number {
  return counted.reduce((total, { looks }) => total + looks, 0);
}

function backlog(): Row[] {
  const projectId = new ObjectId();
  return Array.from({ length: 1_000 }, () => ({ _id: new ObjectId(), projectId, dueAt: new Date() }));
}
