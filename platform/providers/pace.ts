import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { ProviderPace } from '../../core/model.ts';

/** When the next request may leave, and what an answer says about it. */
export interface Pace {
  turn(signal?: AbortSignal): Promise<void>;
  /** Answers how long to wait before a repeat; 0: as long as the caller likes. */
  answered(status: number, headers: Headers): Promise<number>;
}

const WAIT_MIN_MS = 500;
const WAIT_MAX_MS = 60_000;
const EPOCH_SECONDS_MIN = 1_000_000_000;
/** A tenth more than the limit asks for, so that two requests never share an instant by jitter on the way. */
const SPACING = 1.1;

/** Provider A tells its limits in headers; where they are missing nothing is held back. */
export function paceByHeaders(): Pace {
  let freeAt = 0;
  return {
    async turn(signal) {
      const waitMs = freeAt - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
    async answered(status, headers) {
      const waitMs = waitOf(headers);
      if (status === 429 || headers.get('x-ratelimit-remaining') === '0') freeAt = performance.now() + waitMs;
      return status === 429 ? waitMs : 0;
    },
  };
}

/**
 * Provider B's limit holds for all workers of an account together: one document for each key gives out the slots, by the
 * database's clock. A turn also keeps its distance from this process's last answer, since a request may have been slow on its way.
 */
export function paceBySlots(paces: Collection<ProviderPace>, key: string, perSecond: number): Pace {
  const _id = createHash('sha256').update(`provider B ${key}`).digest('hex');
  const slotMs = Math.ceil((1000 / perSecond) * SPACING);
  const distanceMs = 1000 / perSecond + 5;
  let answeredAt = Number.NEGATIVE_INFINITY;

  async function takeSlot(ms: number): Promise<number> {
    const next = { $add: [{ $max: [{ $ifNull: ['$next', '$$NOW'] }, '$$NOW'] }, ms] };
    const stored = await paces.findOneAndUpdate({ _id }, [{ $set: { next, at: '$$NOW' } }], {
      upsert: true,
      returnDocument: 'after',
    });
    return stored ? stored.next.getTime() - ms - stored.at.getTime() : 0;
  }

  return {
    async turn(signal) {
      const waitMs = Math.max(await takeSlot(slotMs), answeredAt + distanceMs - performance.now());
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    },
    async answered(status, headers) {
      answeredAt = performance.now();
      if (status !== 429) return 0;
      const waitMs = waitOf(headers);
      await paces.updateOne({ _id }, [
        { $set: { next: { $max: ['$next', { $add: ['$$NOW', waitMs] }] }, at: '$$NOW' } },
      ]);
      return waitMs;
    },
  };
}

/** Retry-After first; else the reset, which some send as an epoch second and some as seconds from now. */
function waitOf(headers: Headers): number {
  const text = headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset');
  const number = Number(text);
  if (text === null || !Number.isFinite(number)) return WAIT_MIN_MS;
  const seconds = number > EPOCH_SECONDS_MIN ? number - Date.now() / 1000 : number;
  return Math.min(Math.max(seconds * 1000, WAIT_MIN_MS), WAIT_MAX_MS);
}
