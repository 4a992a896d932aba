import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { FairScheduler, type JobQueue } from '../../core/jobs/fair-scheduler.ts';

const PLACES = 1_000;
const TURN = 50;

/** A scheduler whose takes of more than one job end when the test says so; there are always more. */
class Backlogs {
  readonly turns: Array<{ project: string; limit: number; end: () => void }> = [];
  readonly alone: string[] = [];
  readonly #due: ObjectId[];
  readonly #scheduler: FairScheduler;
  #announce: (project: string) => void = () => undefined;

  constructor(projects: number, turnsMax?: number) {
    this.#due = Array.from({ length: projects }, () => new ObjectId());
    const queue: JobQueue = {
      ...{ name: 'backlogs', concurrencyMax: PLACES, turnMax: TURN, lookEveryMs: 3_600_000 },
      ...(turnsMax && { turnsMax }),
      projects: async () => this.#due,
      take: (project, limit) => this.#take(project.toHexString(), limit),
    };
    const subscribe = (_: string, listener: (project: string) => void) => {
      this.#announce = listener;
      return () => undefined;
    };
    const signals = { publish: () => undefined, subscribe, isUp: () => true };
    const log = { warn: () => undefined, info: () => undefined } as never;
    const rank = () => ({ rank: 0, count: 1 });
    this.#scheduler = new FairScheduler({ signals, log }, queue, { databaseNow: async () => new Date(), rank });
  }

  /** When nothing more happens by itself. */
  async settle(): Promise<void> {
    await this.#scheduler.ready;
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
  }

  announce(project: string): void {
    this.#announce(project);
  }

  async stop(): Promise<void> {
    const stopped = this.#scheduler.stop();
    for (const turn of this.turns) turn.end();
    await stopped;
  }

  #take(project: string, limit: number) {
    if (limit === 1) {
      this.alone.push(project);
      return Promise.resolve({ runs: [], more: this.#due.some((one) => one.equals(project)) });
    }
    const { promise, resolve } = Promise.withResolvers<{ runs: []; more: boolean }>();
    this.turns.push({ project, limit, end: () => resolve({ runs: [], more: true }) });
    return promise;
  }
}

describe('Projects behind a backlog', () => {
  let backlogs: Backlogs;
  afterEach(() => backlogs.stop());

  it('take their turns together', async () => {
    backlogs = new Backlogs(10);
    await backlogs.settle();
    expect(new Set(backlogs.turns.map(({ project }) => project)).size).to.equal(10);
  });

  it('take their turns one after the other where their kind says so, each a whole one', async () => {
    backlogs = new Backlogs(10, 1);
    for (let turn = 1; turn <= 20; turn += 1) {
      await backlogs.settle();
      expect(backlogs.turns).to.have.length(turn);
      expect(backlogs.turns.at(-1)?.limit).to.equal(TURN);
      backlogs.turns.at(-1)?.end();
    }
    await backlogs.settle();
    const order = backlogs.turns.map(({ project }) => project);
    expect(new Set(order.slice(0, 10)).size).to.equal(10);
    expect(order.slice(10, 20)).to.deep.equal(order.slice(0, 10));
  });

  it('hold up no project that has one job', async () => {
    backlogs = new Backlogs(10, 1);
    await backlogs.settle();
    const project = new ObjectId().toHexString();
    backlogs.announce(project);
    expect(backlogs.alone.at(-1)).to.equal(project);
    expect(backlogs.turns).to.have.length(1);
  });
});
