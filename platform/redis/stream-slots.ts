import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';

export const STREAMS_PER_KEY_MAX = 20;
/** The slots of a killed process are free after this time. */
const LEASE_MS = 15_000;
const RENEWALS_PER_LEASE = 3;

export interface StreamSlots {
  /** Returns the function that frees the slot; null: the key has its maximum. */
  take(key: string): Promise<(() => void) | null>;
  stop(): void;
}

/** By the clock of Redis, so that the clocks of processes may differ. */
const expiry = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
const TAKE = `${expiry}
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
  redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return 1`;
const RENEW = `${expiry}
  for index = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[index]) end
  redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** Counts the open streams of a key over all processes through Redis; without Redis each process counts its own. */
export function createStreamSlots(redis: Redis | null, prefix: string, leaseMs = LEASE_MS): StreamSlots {
  const held = new Map<string, Set<string>>();
  const timer = setInterval(renew, leaseMs / RENEWALS_PER_LEASE).unref();
  const nameOf = (key: string) => `${prefix}:streams:${key}`;
  const isUp = () => redis?.status === 'ready';

  function renew(): void {
    for (const [key, ids] of held)
      if (isUp()) redis?.eval(RENEW, 1, nameOf(key), leaseMs, ...ids).catch(() => undefined);
  }

  function release(key: string, id: string): void {
    const ids = held.get(key);
    if (!ids?.delete(id)) return;
    if (ids.size === 0) held.delete(key);
    if (isUp()) redis?.zrem(nameOf(key), id).catch(() => undefined);
  }

  return {
    async take(key) {
      const ids = held.get(key) ?? new Set();
      if (ids.size >= STREAMS_PER_KEY_MAX) return null;
      const id = randomUUID();
      held.set(key, ids.add(id));
      const arguments_ = [leaseMs, STREAMS_PER_KEY_MAX, id];
      const taken = isUp() ? await redis?.eval(TAKE, 1, nameOf(key), ...arguments_).catch(() => null) : null;
      if (taken !== 0) return () => release(key, id);
      release(key, id);
      return null;
    },
    stop: () => clearInterval(timer),
  };
}
