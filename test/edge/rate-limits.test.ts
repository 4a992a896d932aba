import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { ObjectId } from 'mongodb';
import { readConfig } from '../../platform/config.ts';
import { createRateLimiter, type RateLimiter } from '../../platform/redis/rate-limit.ts';
import { until } from '../support/wait.ts';

describe('Limits of requests', () => {
  let redis: Redis;
  let limiters: RateLimiter[] = [];
  /** In the middle of a minute, so that no count is reset during a test. */
  const now = () => 90_000;
  before(async () => {
    redis = new Redis(readConfig({ ...process.env }).redisUrl);
    await once(redis, 'ready');
  });
  afterEach(() => {
    for (const limiter of limiters) limiter.stop();
    limiters = [];
  });
  after(() => redis.disconnect());

  /** Until Redis has a count of so many, in the minute of `now`. */
  const shared = (prefix: string, key: string, count: number) =>
    until(
      () => redis.get(`test:${prefix}:rate:1:${key}`),
      (total) => Number(total) === count,
    );

  function two(
    connection: Redis | null = redis,
    prefixes = [new ObjectId().toHexString()],
  ): [RateLimiter, RateLimiter] {
    const made = [prefixes[0], prefixes[1] ?? prefixes[0]].map((prefix) =>
      createRateLimiter(connection, `test:${prefix}`, now),
    );
    limiters.push(...made);
    return made as [RateLimiter, RateLimiter];
  }

  it('count all processes together: one that was asked twice refuses what another has used up', async () => {
    const prefix = new ObjectId().toHexString();
    const [one, other] = two(redis, [prefix]);
    for (let i = 0; i < 200; i += 1) expect(one.hit('key', 200).allowed).to.equal(true);
    await shared(prefix, 'key', 200);
    // It learns of the others when it shares a count of its own; alone it would not come to 200.
    await until(
      async () => other.hit('key', 200).allowed,
      (isAllowed) => !isAllowed,
      { ms: 15_000, everyMs: 100 },
    );
    expect(one.hit('key', 200).allowed).to.equal(false);
    expect(other.hit('another', 200).allowed).to.equal(true);
  });

  it('count a call as several where it costs more, and let the last one go over', () => {
    const [one] = two(null);
    expect(one.hit('key', 25, 10)).to.include({ allowed: true, remaining: 15 });
    expect(one.hit('key', 25)).to.include({ allowed: true, remaining: 14 });
    expect(one.hit('key', 25, 10).allowed).to.equal(true);
    expect(one.hit('key', 25, 10)).to.include({ allowed: true, remaining: 0 });
    expect(one.hit('key', 25).allowed).to.equal(false);
  });

  it('let no more through than the limit, but for what came in the tenth of a second before counts are shared', async () => {
    const prefix = new ObjectId().toHexString();
    const limiters = two(redis, [prefix]);
    let allowed = 0;
    for (let sharing = 0; sharing < 10; sharing += 1) {
      for (let i = 0; i < 4; i += 1)
        for (const limiter of limiters) allowed += limiter.hit('paced', 20).allowed ? 1 : 0;
      await shared(prefix, 'paced', allowed);
    }
    // Four of each between two sharings, and as many while the answer is under way.
    expect(allowed).to.be.within(20, 36);
  });

  it('of two installations on one Redis, and of processes without Redis, each counts for itself', async () => {
    for (const [one, other] of [
      two(
        redis,
        ['one', 'other'].map((name) => name + new ObjectId()),
      ),
      two(null),
    ]) {
      for (let i = 0; i < 10; i += 1) one.hit('key', 10);
      await sleep(300);
      expect([one.hit('key', 10).allowed, other.hit('key', 10).allowed]).to.deep.equal([false, true]);
    }
  });
});
