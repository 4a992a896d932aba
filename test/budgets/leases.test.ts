import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RateShare, type Share } from '../../core/base/limits/budgets.ts';
import { openBudgets } from '../../platform/budgets/budgets.ts';
import { dividedShare } from '../../platform/budgets/divided.ts';
import { until } from '../support/wait.ts';

const AMOUNT = 8;
const log = { debug() {}, info() {}, warn() {}, error() {} };

describe('leases of shares', function () {
  this.timeout(120_000);
  const connections: Redis[] = [];
  const closing: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    for (const redis of connections.splice(0)) redis.disconnect();
  });

  interface Process {
    share: Share;
    wanted: number;
    inUse: number;
    mode(): string;
    redis: Redis;
    close(): Promise<void>;
  }

  function start(prefix: string, { wanted = 0, rank = 0, count = 1, url = process.env.REDIS_URL as string } = {}) {
    const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: 2_000 });
    redis.on('error', () => undefined);
    connections.push(redis);
    const members = { rank: () => ({ rank, count }) };
    const budgets = openBudgets({ redis, prefix, log, members, clock: { now: () => new Date() }, leaseMs: 1_000 });
    const use = {
      ...{ name: 'connections', amount: AMOUNT, unit: 'connections' as const, roles: ['mail'], isFirst: false },
      wanted: () => its.wanted,
      inUse: () => its.inUse,
      isUrgent: () => false,
      // As a pool does: it closes what is above its share, and opens what it wants.
      onShare: () => {
        its.inUse = Math.min(its.wanted, its.share.amount());
      },
    };
    const its: Process = {
      ...{ wanted, inUse: 0, redis, share: undefined as unknown as Share },
      mode: () => budgets.states()[0]!.mode,
      close: () => budgets.close(),
    };
    its.share = budgets.join(use);
    closing.push(its.close);
    return its;
  }

  const has = (its: Process, amount: number) =>
    until(
      async () => its.share.amount(),
      (share) => share === amount,
      { everyMs: 5, ms: 20_000 },
    );

  it('one process has what it wants at its first question, and more when it asks', async () => {
    const its = start(randomUUID(), { wanted: 3 });
    await has(its, 3);
    its.wanted = AMOUNT;
    its.share.ask();
    await has(its, AMOUNT);
  });

  it('a second process gets its half, and a stopped one leaves its share to the others', async () => {
    const prefix = randomUUID();
    const one = start(prefix, { wanted: AMOUNT, count: 1 });
    await has(one, AMOUNT);
    const other = start(prefix, { wanted: AMOUNT, count: 2 });
    await has(other, AMOUNT / 2);
    await has(one, AMOUNT / 2);
    await one.close();
    const third = start(prefix, { wanted: 0, count: 2 });
    await has(third, 0);
    await has(other, AMOUNT);
  });

  it('a process that no longer renews loses its share with its lease, here and in Redis', async () => {
    const prefix = randomUUID();
    const one = start(prefix, { wanted: AMOUNT });
    await has(one, AMOUNT);
    one.redis.disconnect();
    const other = start(prefix, { wanted: AMOUNT });
    await has(other, AMOUNT);
    await until(
      async () => one.mode(),
      (mode) => mode === 'divided',
      { everyMs: 5, ms: 20_000 },
    );
  });

  it('without Redis each process has an equal part, and a larger one again with it', async () => {
    const prefix = randomUUID();
    const one = start(prefix, { wanted: AMOUNT, rank: 0, count: 2, url: 'redis://127.0.0.1:1' });
    await has(one, AMOUNT / 2);
    expect(one.mode()).to.equal('divided');
    const reached = start(prefix, { wanted: AMOUNT, rank: 1, count: 2 });
    await has(reached, AMOUNT / 2);
    // Redis has more, and keeps the part of the other one.
    await until(
      async () => [reached.mode(), reached.share.amount()],
      ([mode, share]) => mode === 'shared' && share === AMOUNT / 2,
      { everyMs: 5, ms: 20_000 },
    );
  });

  it('without Redis fewer connections than processes go round by the clock, never more at a time', () => {
    const turns = [0, 0, 0, 0, 0];
    for (let ms = 0; ms < 60_000; ms += 500) {
      const shares = turns.map((_, rank) =>
        dividedShare({ amount: 2, unit: 'connections' }, { rank, count: turns.length }, ms),
      );
      expect(shares.reduce((sum, share) => sum + share, 0)).to.be.at.most(2);
      shares.forEach((share, rank) => {
        turns[rank]! += share;
      });
    }
    expect(Math.min(...turns)).to.be.above(0);
    expect(dividedShare({ amount: 3, unit: 'per second' }, { rank: 0, count: 4 }, 0)).to.equal(0.75);
    expect(dividedShare({ amount: 9, unit: 'connections' }, { rank: 0, count: 2 }, 0)).to.equal(4);
  });

  it('no second has more starts than the rate, at any rate and however unevenly they come', () => {
    for (const amount of [1, 2, 7, 60]) {
      let now = 0;
      const budgets = { join: () => ({ amount: () => amount, ask() {} }), states: () => [] };
      const rate = new RateShare(budgets, { name: 'starts', amount, roles: [], isFirst: false }, () => now);
      const begun: number[] = [];
      for (; now < 20_000; now += 1) {
        // Nothing to do in every third second.
        if (now % 3_000 > 2_000) continue;
        const some = Math.min(rate.left(), 5);
        if (some < 1) continue;
        rate.spend(some);
        for (let count = 0; count < some; count++) begun.push(now);
      }
      const most = Math.max(...begun.map((from, index) => begun.findIndex((at) => at >= from + 1_000) - index));
      expect(most, `${amount} a second`).to.be.at.most(amount);
      expect(begun.length, `${amount} a second`).to.be.above(amount * 20 * 0.6);
    }
  });
});
