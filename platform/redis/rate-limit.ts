import type { Redis } from 'ioredis';

const WINDOW_MS = 60_000;
const SHARE_EVERY_MS = 100;

export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetAt: number;
}

export interface RateLimiter {
  /** `cost`: how many hits it counts as; the last one allowed may go over the limit. */
  hit(key: string, limit: number, cost?: number): Verdict;
  stop(): void;
}

type Count = { window: number; here: number; unshared: number; elsewhere: number };

/**
 * Counts in this process and shares the counts through Redis ten times a second, so that no request waits for Redis. Without Redis each
 * process has limits of its own.
 */
export function createRateLimiter(redis: Redis | null, prefix: string, now: () => number = Date.now): RateLimiter {
  const counts = new Map<string, Count>();
  const timer = setInterval(() => void share(), SHARE_EVERY_MS);
  timer.unref();

  function current(key: string, window: number): Count {
    const count = counts.get(key);
    if (count?.window === window) return count;
    const fresh = { window, here: 0, unshared: 0, elsewhere: 0 };
    counts.set(key, fresh);
    return fresh;
  }

  async function share(): Promise<void> {
    const window = Math.floor(now() / WINDOW_MS);
    for (const [key, count] of counts) if (count.window < window) counts.delete(key);
    const changed = [...counts].filter(([, count]) => count.unshared > 0);
    if (redis?.status !== 'ready' || changed.length === 0) return;
    const pipeline = redis.pipeline();
    for (const [key, count] of changed) {
      pipeline.incrby(`${prefix}:rate:${window}:${key}`, count.unshared);
      pipeline.expire(`${prefix}:rate:${window}:${key}`, 120);
      count.unshared = 0;
    }
    const answers = await pipeline.exec().catch(() => null);
    changed.forEach(([, count], index) => {
      const total = answers?.[index * 2]?.[1];
      if (typeof total === 'number') count.elsewhere = Math.max(0, total - (count.here - count.unshared));
    });
  }

  return {
    hit(key, limit, cost = 1) {
      const at = now();
      const window = Math.floor(at / WINDOW_MS);
      const count = current(key, window);
      const used = count.here + count.elsewhere;
      const allowed = used < limit;
      if (allowed) {
        count.here += cost;
        count.unshared += cost;
      }
      const remaining = Math.max(0, limit - used - (allowed ? cost : 0));
      return { allowed, limit, remaining, resetAt: ((window + 1) * WINDOW_MS) / 1000 };
    },
    stop: () => clearInterval(timer),
  };
}
