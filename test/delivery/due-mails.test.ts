import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { Members } from '../../core/base/members.ts';
import { DueMails } from '../../core/mail/deliver/due-mails.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
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

  afterEach(async () => {
    await environment.deps.db.messages.deleteMany({ lane: 'automation' });
    await environment.deps.db.backlogSeats.deleteMany({});
  });

  beforeEach(() => {
    projectId = new ObjectId();
    nowMs = 5_000;
    due = new DueMails(environment.deps, 'automation', () => nowMs);
  });

  it('are read on from where the last read ended while it found as much as it asked for', async () => {
    const queued = await put(...Array.from({ length: 1_100 }, (_, index) => 10 * index));
    expect(await read(2)).to.deep.equal(queued.slice(0, 2));
    await put(5);
    expect(await read(3)).to.deep.equal(queued.slice(1, 4));
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

  it('are read for many claims at once behind a backlog, and for a second at most', async () => {
    const queued = await put(...Array.from({ length: 50 }, (_, index) => index));
    await read(2);
    const second = await read(2);
    await environment.deps.db.messages.deleteMany({ projectId });
    const others = await read(100);
    expect([...second, ...others]).to.have.members(queued);
    expect(await read(2)).to.deep.equal([]);
    await put(...Array.from({ length: 50 }, (_, index) => index));
    nowMs += 1_000;
    await read(2);
    await read(2);
    await environment.deps.db.messages.deleteMany({ projectId });
    nowMs += 1_000;
    expect(await read(2), 'a second later').to.deep.equal([]);
  });

  it('say whether more are due, while others were read or the read was full', async () => {
    await put(0, 1, 2, 3);
    expect((await due.read(projectId, 2)).more).to.equal(true);
    expect((await due.read(projectId, 2)).more, 'two of three are left').to.equal(true);
    expect((await due.read(projectId, 2)).more, 'one is left, and was the last').to.equal(false);
    expect(due.isBehind(projectId)).to.equal(false);
  });

  it('of a backlog are shared by the processes, whatever their ids and however many have the same time', async () => {
    const ids = Array.from({ length: 200 }, () => [new ObjectId(), new ObjectId()][1]!);
    await putIds(ids);
    const processes = several(4);
    const parts = await Promise.all(processes.map((one) => restOf(one)));
    for (const part of parts) expect(part.length, 'each has work').to.be.within(20, 80);
    expect(parts.flat()).to.have.members(ids.map(String));
  });

  it('of a process that takes none are taken by another that has nothing else to read', async () => {
    await putIds(Array.from({ length: 200 }, () => new ObjectId()));
    const [first] = several(2);
    const own = await restOf(first!);
    await environment.deps.db.messages.deleteMany({ _id: { $in: own.map((id) => new ObjectId(id)) } });
    const left = await environment.deps.db.messages.countDocuments({ projectId });
    expect(left).to.be.within(60, 140);
    nowMs += 1_000;
    await first!.read(projectId, 1);
    expect(await restOf(first!)).to.have.length(left);
  });

  it('of a long backlog are left to the process that has the seat, where there are connections for one alone', async () => {
    const ids = Array.from({ length: 400 }, () => new ObjectId());
    await putIds(ids);
    const processes = several(3, 64);
    for (const one of processes) await one.read(projectId, 1);
    const [first, ...others] = processes;
    expect(await restOf(first!)).to.have.members(ids.map(String));
    for (const one of others) {
      expect(await one.read(projectId, 10)).to.deep.equal({ orphans: [], open: [], more: false });
      expect(await one.mayRead()).to.equal(false);
    }
    expect(await first!.mayRead()).to.equal(true);
  });

  it('of a long backlog are taken by another process when the one with the seat is gone for two seconds', async () => {
    await putIds(Array.from({ length: 400 }, () => new ObjectId()));
    const [first, second] = several(2, 64);
    for (const one of [first!, second!]) for (const limit of [1, 1]) await one.read(projectId, limit);
    expect(await second!.mayRead()).to.equal(false);
    await environment.deps.db.backlogSeats.updateMany({}, [{ $set: { until: '$$NOW' } }]);
    nowMs += 500;
    expect(await second!.mayRead()).to.equal(true);
    expect((await second!.read(projectId, 10)).open).to.have.length(10);
    nowMs += 1_800;
    await first!.read(projectId, 10);
    expect((await first!.read(projectId, 10)).open, 'it finds the backlog long, and leaves it').to.deep.equal([]);
    expect(await first!.mayRead()).to.equal(false);
    await environment.deps.db.messages.deleteMany({ projectId });
    expect(await first!.mayRead(), 'it looks once a second').to.equal(false);
    nowMs += 1_000;
    expect(await first!.mayRead()).to.equal(true);
  });

  it('of a long backlog of one project are known of all, and looked at once a second, without the seat', async () => {
    const projects = [new ObjectId(), new ObjectId(), new ObjectId()];
    for (const one of projects) {
      projectId = one;
      await putIds(Array.from({ length: 400 }, () => new ObjectId()));
    }
    const [first, second] = several(2, 64);
    for (const one of [first!, second!]) for (const limit of [1, 1]) await one.read(projects[0]!, limit);
    expect(await second!.mayRead()).to.equal(false);
    expect(await second!.projects(new Date())).to.deep.equal([]);
    expect((await first!.projects(new Date())).length).to.equal(3);
    nowMs += 1_000;
    await environment.deps.db.messages.deleteMany({ projectId: { $in: projects.slice(0, 2) } });
    expect((await second!.projects(new Date())).length, 'a second later').to.equal(1);
    expect(await second!.mayRead(), 'the third has enough').to.equal(false);
    await environment.deps.db.messages.deleteMany({ projectId: { $in: projects } });
    expect(await second!.mayRead(), 'it looks once a second').to.equal(false);
    nowMs += 1_000;
    expect(await second!.mayRead()).to.equal(true);
  });

  it('of many projects, few of each, are a long backlog together', async () => {
    const putInEach = async (count: number) => {
      for (const _ of Array(10)) {
        projectId = new ObjectId();
        await putIds(Array.from({ length: count }, () => new ObjectId()));
      }
    };
    await putInEach(6);
    const [first, second] = several(2, 64);
    // The first one that asks has the seat.
    expect((await first!.projects(new Date())).length).to.equal(10);
    expect((await second!.projects(new Date())).length, 'sixty are everybody’s').to.equal(10);
    await putInEach(7);
    expect((await first!.projects(new Date())).length).to.equal(20);
    expect(await second!.projects(new Date()), 'a hundred and thirty are not').to.deep.equal([]);
    expect(await second!.mayRead()).to.equal(false);
  });

  it('of a short backlog are taken by processes without the seat too, each its part by its rank', async () => {
    const ids = Array.from({ length: 100 }, () => new ObjectId());
    await putIds(ids);
    const processes = several(2, 64);
    for (const one of processes) await one.read(projectId, 1);
    // The first one that asks has the seat.
    expect(await restOf(processes[0]!)).to.have.members(ids.map(String));
    expect((await restOf(processes[1]!)).length).to.be.within(20, 80);
  });

  it('of a long backlog are shared by all processes while Redis is down, and their connections cannot move', async () => {
    await putIds(Array.from({ length: 400 }, () => new ObjectId()));
    const down = { ...environment.deps.signals, isUp: () => false };
    const { deps } = environment;
    const [one] = several(2, 64);
    expect(one).to.be.instanceOf(DueMails);
    const members = membersOf(2)[1]!;
    const config = { ...deps.config, smtpMaxConnections: 64 };
    const second = new DueMails({ ...deps, config, members, signals: down }, 'automation', () => nowMs);
    for (const limit of [1, 1]) await one!.read(projectId, limit);
    expect((await restOf(second)).length).to.be.within(100, 300);
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

  function putIds(ids: ObjectId[]) {
    const dueAt = new Date(beganAt);
    const of = { projectId, lane: 'automation', state: 'queued', email: 'a@in.test', dueAt } as const;
    return environment.deps.db.messages.insertMany(ids.map((_id): Message => ({ _id, ...of })));
  }

  /** Connections for all of them, or for one alone. */
  function several(count: number, smtpMaxConnections = 64 * count): DueMails[] {
    return membersOf(count).map((members) => {
      const config = { ...environment.deps.config, smtpMaxConnections };
      return new DueMails({ ...environment.deps, config, members }, 'automation', () => nowMs);
    });
  }

  function membersOf(count: number): Members[] {
    const all = Array.from({ length: count }, () => new Members());
    const lately = all.map(({ id }) => ({ _id: id, roles: ['mail'] }));
    for (const members of all) members.read(['mail'], lately);
    return all;
  }

  /** All that one read finds, after one that was full. */
  async function restOf(one: DueMails): Promise<string[]> {
    const found: string[] = [];
    if (!one.isBehind(projectId)) await one.read(projectId, 1);
    for (;;) {
      const { open, more } = await one.read(projectId, 10);
      found.push(...open.map(String));
      if (!more) return found;
    }
  }

  async function leave(id: string): Promise<void> {
    await environment.deps.db.messages.deleteOne({ _id: new ObjectId(id), projectId });
  }

  async function read(limit: number): Promise<string[]> {
    return (await due.read(projectId, limit)).open.map(String);
  }
});
