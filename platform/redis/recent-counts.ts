import type { Redis } from 'ioredis';
import type { RecentCounts } from '../../core/mail/ledger/rates/recent-counts.ts';

/** A hash for each key, in Redis. */
export function createRecentCounts(redis: Redis, prefix: string): RecentCounts {
  const nameOf = (key: string) => `${prefix}:${key}`;
  return {
    add(counts, keptMs) {
      if (redis.status !== 'ready') return;
      const commands = redis.pipeline();
      for (const [key, fields] of counts) {
        for (const [field, count] of fields) commands.hincrby(nameOf(key), field, count);
        commands.pexpire(nameOf(key), keptMs);
      }
      commands.exec().catch(() => undefined);
    },
    async read(keys) {
      if (redis.status !== 'ready') return keys.map(() => ({}));
      const commands = redis.pipeline();
      for (const key of keys) commands.hgetall(nameOf(key));
      const answers = (await commands.exec().catch(() => null)) ?? [];
      return keys.map((_, index) => countsIn(answers[index]?.[1]));
    },
  };
}

function countsIn(fields: unknown): Record<string, number> {
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(Object.entries(fields).map(([field, count]) => [field, Number(count)]));
}
