import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { DueMails } from '../../core/delivery/due-mails.ts';
import type { Message } from '../../core/outbox/model.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

describe('Due mails', () => {
  let environment: Environment;
  let projectId: ObjectId;
  let nowMs: number;
  let due: DueMails;
  const beganAt = Date.now() - 600_000;

  before(async () => {
    environment = await startEnvironment();
  });

  after(() => environment.stop());

  afterEach(() => environment.deps.db.messages.deleteMany({ lane: 'automation' }));

  beforeEach(() => {
    projectId = new ObjectId();
    nowMs = 5_000;
    due = new DueMails(environment.deps, 'automation', () => nowMs);
  });

  it('are read on from where the last read ended while it found as much as it asked for', async () => {
    const queued = await put(0, 10, 20, 30, 40);
    expect(await read(2)).to.deep.equal(queued.slice(0, 2));
    await put(5);
    expect(await read(2)).to.deep.equal([queued[1], queued[2]]);
    expect(due.isBehind(projectId)).to.equal(true);
  });

  it('are read again from a few seconds before when that finds less, since they are stored in another order', async () => {
    const [first] = await put(10_000);
    expect(await read(1)).to.deep.equal([first]);
    await leave(first!);
    const [early] = await put(6_000);
    expect(await read(2)).to.deep.equal([early]);
    expect(due.isBehind(projectId)).to.equal(false);
    const [again] = await put(5_500);
    expect(await read(1)).to.deep.equal([again]);
  });

  it('are found at once when they are new, after deferred mail was read that is due later', async () => {
    const now = Date.now() - beganAt;
    const [deferred] = await put(now);
    await until(
      () => read(1),
      (found) => found.length > 0,
    );
    await leave(deferred!);
    const fresh = await put(now - 60_000, now - 59_900);
    expect(await read(3)).to.deep.equal(fresh);
  });

  it('are read from the front once a second, however long they were due', async () => {
    const [first] = await put(60_000);
    await read(1);
    const [old] = await put(0);
    nowMs += 900;
    expect(await read(1)).to.deep.equal([first]);
    nowMs += 100;
    expect(await read(1)).to.deep.equal([old]);
  });

  it('are not there before their time, by the database’s clock', async () => {
    await put(Date.now() - beganAt + 60_000);
    expect(await read(1)).to.deep.equal([]);
  });

  it('of many projects are found by reading one key each', async () => {
    const first = projectId;
    await put(...Array.from({ length: 500 }, (_, index) => index));
    projectId = new ObjectId();
    await put(...Array.from({ length: 500 }, (_, index) => index));
    const found = await due.projects(new Date());
    expect(found.map(String)).to.have.members([String(first), String(projectId)]);
    const match = {
      lane: 'automation',
      projectId: { $gte: new ObjectId('000000000000000000000000') },
      dueAt: { $lte: new Date() },
    };
    const pipeline = [{ $match: match }, { $group: { _id: '$projectId' } }];
    const plan = JSON.stringify(await environment.deps.db.messages.aggregate(pipeline).explain('executionStats'));
    expect(plan).to.include('DISTINCT_SCAN');
    expect(Number(/"totalKeysExamined":(\d+)/.exec(plan)?.[1])).to.be.at.most(4);
  });

  async function put(...afterMs: number[]): Promise<string[]> {
    const messages = afterMs.map((ms): Message => {
      const dueAt = new Date(beganAt + ms);
      return { _id: new ObjectId(), projectId, lane: 'automation', state: 'queued', email: 'a@in.test', dueAt };
    });
    await environment.deps.db.messages.insertMany(messages);
    return messages.map(({ _id }) => String(_id));
  }

  async function leave(id: string): Promise<void> {
    await environment.deps.db.messages.deleteOne({ _id: new ObjectId(id), projectId });
  }

  async function read(limit: number): Promise<string[]> {
    return (await due.read(projectId, limit)).open.map(String);
  }
});
