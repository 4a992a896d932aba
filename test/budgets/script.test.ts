import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { SHARE_SCRIPT } from '../../platform/budgets/script.ts';

interface One {
  id: string;
  isFirst: boolean;
  isUrgent: boolean;
  /** Its share, as its last answer that arrived said. */
  limit: number;
  open: number;
  wanted: number;
}

interface Given {
  amount: number;
  isWhole: boolean;
  members: number;
  rotationMs?: number;
  leaseMs?: number;
}

/** Numbers that look random, and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('the arithmetic of shares', () => {
  const redis = new Redis(process.env.REDIS_URL as string);
  after(() => redis.disconnect());

  const one = (fields: Partial<One> = {}): One => ({
    ...{ id: randomUUID(), isFirst: false, isUrgent: false, limit: 0, open: 0, wanted: 0 },
    ...fields,
  });

  async function renew(key: string, its: One, given: Given): Promise<number | null> {
    const { amount, isWhole, members, rotationMs = 1_000_000, leaseMs = 1_000_000 } = given;
    const kept = isWhole ? Math.floor(amount / 5) : amount / 5;
    const budget = [amount, Number(isWhole), kept, members, Number(its.isFirst), Number(its.isUrgent)];
    const args = [its.id, leaseMs, rotationMs, ...budget, its.limit, its.open, its.wanted];
    const [answer] = (await redis.eval(SHARE_SCRIPT, 1, key, ...args)) as [string];
    return answer === '-' ? null : Number(answer);
  }

  /** Renews it, and uses what it got as far as it wants it. */
  async function work(key: string, its: One, given: Given): Promise<void> {
    its.limit = (await renew(key, its, given)) ?? its.limit;
    its.open = given.isWhole ? Math.min(its.limit, Math.ceil(its.wanted)) : 0;
  }

  async function settle(key: string, all: One[], given: Omit<Given, 'members'>, rounds = 4): Promise<number[]> {
    for (let round = 0; round < rounds; round++)
      for (const its of all) await work(key, its, { ...given, members: all.length });
    return all.map(({ limit }) => limit);
  }

  it('never gives away more than there is, as processes join, leave, ask for more and lose answers', async () => {
    for (const [seed, amount, isWhole] of [
      [1, 64, true],
      [2, 3, true],
      [3, 10, false],
      [4, 1, true],
    ] as const) {
      const random = numbers(seed);
      const key = `test:${randomUUID()}`;
      let running: One[] = [];
      for (let step = 0; step < 400; step++) {
        if (running.length === 0 || (random(10) === 0 && running.length < 12))
          running.push(one({ isFirst: random(3) === 0 }));
        const its = running[random(running.length)]!;
        if (random(4) === 0) its.wanted = random(3) === 0 ? 0 : random(amount * 2);
        its.isUrgent = its.isFirst && random(4) === 0;
        if (random(25) === 0) {
          await redis.hdel(key, its.id);
          running = running.filter((other) => other !== its);
          continue;
        }
        const given = { amount, isWhole, members: running.length + random(2), rotationMs: random(2) };
        const answer = await renew(key, its, given);
        // A lost answer: it works under the limit that it had.
        if (answer !== null && random(5) > 0) its.limit = answer;
        // Connections above a lower limit are closed later, in part.
        if (isWhole) its.open = its.open > its.limit ? its.open - random(2) : Math.min(its.limit, random(amount + 1));
        const sum = running.reduce((total, { limit, open }) => total + Math.max(limit, open), 0);
        expect(sum, `seed ${seed}, step ${step}`).to.be.at.most(amount + 1e-3);
      }
      await redis.del(key);
    }
  });

  it('gives each that wants it a fair part, and the rest to those that want more', async () => {
    const given = { amount: 60, isWhole: true };
    const three = [one({ wanted: 100 }), one({ wanted: 100 }), one({ wanted: 5 })];
    const shares = await settle(randomUUID(), three, given);
    expect(shares[2]).to.equal(5);
    expect(shares[0]! + shares[1]!).to.equal(55);
    expect(Math.abs(shares[0]! - shares[1]!)).to.be.at.most(1);
    const rates = await settle(randomUUID(), [one({ wanted: 9 }), one({ wanted: 1 })], { amount: 6, isWhole: false });
    expect(rates[0]).to.be.closeTo(5, 0.01);
    expect(rates[1]).to.be.closeTo(1, 0.01);
  });

  it('a process that has everything makes room for another one, which waits until it has', async () => {
    const key = randomUUID();
    const given = { amount: 64, isWhole: true, members: 1 };
    const early = one({ wanted: 64 });
    await work(key, early, given);
    expect(early.limit).to.equal(64);
    const late = one({ wanted: 64 });
    await work(key, late, { ...given, members: 2 });
    expect(late.limit).to.equal(0);
    expect(await settle(key, [early, late], given)).to.deep.equal([32, 32]);
  });

  it('keeps a fifth ready for processes of the transactional lane, also while they want nothing', async () => {
    const mail = one({ isFirst: true });
    const campaign = one({ wanted: 64 });
    expect(await settle(randomUUID(), [mail, campaign], { amount: 64, isWhole: true })).to.deep.equal([12, 52]);
    const rates = await settle(randomUUID(), [one({ isFirst: true }), one({ wanted: 10 })], {
      amount: 10,
      isWhole: false,
    });
    expect(rates[0]).to.be.closeTo(2, 0.01);
    expect(rates[1]).to.be.closeTo(8, 0.01);
  });

  it('fewer connections than processes go round, and each has one in its turn', async () => {
    const key = randomUUID();
    const three = [one({ wanted: 4 }), one({ wanted: 4 }), one({ wanted: 4 })];
    const given = { amount: 2, isWhole: true, rotationMs: 20 };
    const turns = [0, 0, 0];
    for (let round = 0; round < 500 && Math.min(...turns) < 3; round++) {
      const shares = await settle(key, three, given, 2);
      expect(shares.reduce((sum, share) => sum + share, 0)).to.be.at.most(2);
      shares.forEach((share, index) => {
        turns[index]! += share;
      });
      await sleep(15);
    }
    expect(Math.min(...turns)).to.be.at.least(3);
  });

  it('the last connection goes to transactional mail first', async () => {
    const key = randomUUID();
    const campaign = one({ wanted: 1 });
    const given = { amount: 1, isWhole: true };
    expect(await settle(key, [campaign], given)).to.deep.equal([1]);
    const mail = one({ isFirst: true, isUrgent: true, wanted: 1 });
    expect(await settle(key, [campaign, mail], given)).to.deep.equal([0, 1]);
    Object.assign(mail, { isUrgent: false, wanted: 0 });
    expect(await settle(key, [campaign, mail], given)).to.deep.equal([1, 0]);
  });

  it('the share of a process that died is free when its lease ends, and not before', async () => {
    const key = randomUUID();
    const given = { amount: 8, isWhole: true, members: 1 };
    const first = one({ wanted: 8 });
    await work(key, first, given);
    const other = one({ wanted: 8 });
    await work(key, other, given);
    expect(other.limit).to.equal(0);
    await work(key, first, { ...given, leaseMs: 1 });
    await sleep(20);
    await work(key, other, given);
    expect(other.limit).to.equal(8);
  });

  it('processes that run and cannot reach Redis keep an equal part', async () => {
    const given = { amount: 60, isWhole: true, members: 3 };
    const only = one({ wanted: 60 });
    await work(randomUUID(), only, given);
    expect(only.limit).to.equal(20);
    expect(await renew(randomUUID(), one({ wanted: 2 }), { ...given, amount: 2 })).to.equal(null);
  });
});
