import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { ProviderPace } from '../../core/migrations/model.ts';

/** When the next request may leave, and how an answer changes that. */
export interface Pace {
  turn(signal?: AbortSignal): Promise<void>;
  /** Returns how long to wait before a repeat; 0: the caller decides. */
  answered(status: number, headers: Headers): Promise<number>;
}

const WAIT_MIN_MS = 500;
const WAIT_MAX_MS = 60_000;
const EPOCH_SECONDS_MIN = 1_000_000_000;
/** Accounts whose last answers this process remembers. */
const ACCOUNTS_KNOWN_MAX = 1_000;
/** So much of the hash of a key distinguishes accounts where they are shown. */
const ACCOUNT_SHOWN = 8;
/** A second, plus the amount by which a timer may fire early. */
const SECOND_MS = 1_005;
/** A tenth more than the limit asks for, so that two requests never share an instant by jitter on the way. */
const SPACING = 1.1;

/** Provider A states its limits in headers; without them requests are not delayed. */
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
 * Provider B's limit holds for all workers of an account together: one document for each key assigns the slots, by the database's clock. A
 * request may take long to arrive, so a slot also waits until the request with which it must not share a second was answered a second ago:
 * by then that one has certainly arrived.
 */
export function paceBySlots(
  paces: Collection<ProviderPace>,
  perSecond: number,
  onTurn: (account: string) => void = () => undefined,
): (key: string) => Pace {
  const known = new Map<string, Pace>();
  return (key) => {
    const _id = createHash('sha256').update(`provider B ${key}`).digest('hex');
    const pace =
      known.get(_id) ?? slotsOf(paces, { _id, perSecond, onTurn: () => onTurn(_id.slice(0, ACCOUNT_SHOWN)) });
    if (known.size >= ACCOUNTS_KNOWN_MAX) known.clear();
    known.set(_id, pace);
    return pace;
  };
}

interface Account {
  /** A hash of the key. */
  _id: string;
  perSecond: number;
  onTurn(): void;
}

function slotsOf(paces: Collection<ProviderPace>, { _id, perSecond, onTurn }: Account): Pace {
  const slotMs = Math.ceil((1000 / perSecond) * SPACING);
  let answeredAt: number[] = [];

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
      const slotInMs = await takeSlot(slotMs);
      const earlier = answeredAt.length < perSecond ? 0 : (answeredAt[0] ?? 0) + SECOND_MS;
      const waitMs = Math.max(slotInMs, earlier - performance.now());
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
      onTurn();
    },
    async answered(status, headers) {
      answeredAt = [...answeredAt, performance.now()].slice(-perSecond);
      if (status !== 429) return 0;
      const waitMs = waitOf(headers);
      await paces.updateOne({ _id }, [
        { $set: { next: { $max: ['$next', { $add: ['$$NOW', waitMs] }] }, at: '$$NOW' } },
      ]);
      return waitMs;
    },
  };
}

/** Retry-After first; otherwise the reset, which some send as an epoch second and some as seconds from now. */
function waitOf(headers: Headers): number {
  const text = headers.get('retry-after') ?? headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset');
  const number = Number(text);
  if (text === null || !Number.isFinite(number)) return WAIT_MIN_MS;
  const seconds = number > EPOCH_SECONDS_MIN ? number - Date.now() / 1000 : number;
  return Math.min(Math.max(seconds * 1000, WAIT_MIN_MS), WAIT_MAX_MS);
}
