import { createHmac } from 'node:crypto';
import type { Collection } from 'mongodb';
import { repeatOnDuplicate } from '../database/idempotent-insert.ts';
import type { Deps, Needs } from '../deps.ts';
import { AppError } from '../errors.ts';
import type { Session } from '../model.ts';
import { secretKeyBytes } from '../secrets.ts';

/** How often the same party asked for the same thing lately. Belongs to no project: `_id` is a keyed hash of both. */
interface RequestCount {
  _id: string;
  /** The requests that were counted, the oldest first. */
  times: Date[];
  isRefused: boolean;
  expiresAt: Date;
}

declare module '../collections.ts' {
  interface Collections {
    requestCounts: Collection<RequestCount>;
  }
}

export interface Limit {
  most: number;
  withinMs: number;
}

export interface Counted {
  /** Counts for different purposes are apart. */
  purpose: string;
  /** An address, or the network of a client; stored as a keyed hash. */
  who: string;
  limits: readonly Limit[];
}

/**
 * Counts a request unless a limit refuses it; a refused one does not count. Returns when the next one will be counted, or null. In
 * MongoDB, so that a limit holds over all processes, with Redis or without.
 */
export async function countRequest(
  deps: Needs<'clock' | 'config', 'requestCounts'>,
  { purpose, who, limits }: Counted,
  session?: Session,
): Promise<Date | null> {
  const now = deps.clock.now();
  const longestMs = Math.max(...limits.map(({ withinMs }) => withinMs));
  const since = (withinMs: number) => new Date(now.getTime() - withinMs);
  const later = (withinMs: number, times: unknown) => ({
    $filter: { input: times, cond: { $gt: ['$$this', since(withinMs)] } },
  });
  const isOver = limits.map(({ most, withinMs }) => ({ $gte: [{ $size: later(withinMs, '$times') }, most] }));
  const counted = [
    { $set: { times: later(longestMs, { $ifNull: ['$times', []] }) } },
    { $set: { isRefused: { $or: isOver } } },
    { $set: { times: { $cond: ['$isRefused', '$times', { $concatArrays: ['$times', [now]] }] } } },
    { $set: { expiresAt: new Date(now.getTime() + longestMs) } },
  ];
  const _id = keyedHash(deps, purpose, who);
  const write = () =>
    deps.db.requestCounts.findOneAndUpdate({ _id }, counted, {
      upsert: true,
      returnDocument: 'after',
      ...(session ? { session } : {}),
    });
  // A duplicate key ends a transaction, which its owner repeats.
  const after = await (session ? write() : repeatOnDuplicate(write));
  return after?.isRefused ? freeAt(after.times, limits, now) : null;
}

/** 429, with the time after which it is worth while to ask again. */
export function tooManyRequests(what: string, freeAt: Date, now: Date): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1_000));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  return new AppError('rate_limited', `${what}; try again in ${minutes} minutes.`, {
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds,
  });
}

function freeAt(times: Date[], limits: readonly Limit[], now: Date): Date {
  const ends = limits.flatMap(({ most, withinMs }) => {
    const oldest = times.at(-most);
    return oldest ? [oldest.getTime() + withinMs] : [];
  });
  return new Date(Math.max(now.getTime(), ...ends));
}

function keyedHash(deps: Pick<Deps, 'config'>, purpose: string, who: string): string {
  const [key] = secretKeyBytes(deps.config);
  if (!key) throw new Error('SECRET_KEYS names no key.');
  return createHmac('sha256', key).update(`${purpose}\u0000${who}`).digest('hex');
}
