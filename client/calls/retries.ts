import { EverpostError } from '../errors.ts';
import { TIMER_MS_MAX } from './deadline.ts';

/**
 * always: also when it is not known whether the call was done (GET, PUT, DELETE, and POST with its Idempotency-Key).
 * refused: only when the API said that it was not done (PATCH). never: uploads.
 */
export type Repeats = 'always' | 'refused' | 'never';

const FIRST_DELAY_MS = 200;
const DELAY_MS_MAX = 5_000;
/** Callers that were refused together come back over a quarter of the time that they were asked to wait. */
const SPREAD = 0.25;

/** How long to wait before the next try; null when this error is final. */
export function delayBeforeRetry(
  error: EverpostError,
  repeats: Repeats,
  { tries, leftMs, random = Math.random }: { tries: number; leftMs: number; random?: () => number },
): number | null {
  if (leftMs <= 0 || !mayRepeat(error, repeats)) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > leftMs) return null;
  const delay = Math.max(stepMs(tries, random), asked * (1 + random() * SPREAD));
  return Math.min(delay, leftMs);
}

/** Twice as long after each try, up to a limit; half of it is random. */
export function stepMs(tries: number, random = Math.random): number {
  return Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** (tries - 1)) * (0.5 + random() / 2);
}

function mayRepeat({ status, code }: EverpostError, repeats: Repeats): boolean {
  if (repeats === 'never') return false;
  if (status === 429 || status === 503) return true;
  return repeats === 'always' && (code === 'NETWORK' || code === 'TIMEOUT' || code === 'IDEMPOTENCY_IN_PROGRESS');
}

/** Fails with ABORTED as soon as the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let leftMs = ms;
  for (; leftMs > TIMER_MS_MAX; leftMs -= TIMER_MS_MAX) await wait(TIMER_MS_MAX, signal);
  await wait(leftMs, signal);
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(aborted(signal));
      else resolve();
    };
    const timer = setTimeout(end, signal?.aborted ? 0 : ms);
    signal?.addEventListener('abort', end);
  });
}

export function aborted({ reason }: AbortSignal): EverpostError {
  return new EverpostError('The call was aborted by its signal.', { code: 'ABORTED', cause: reason });
}
