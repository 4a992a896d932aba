import type { Deps } from '../deps.ts';

/**
 * One at once, then one for each signal of the channel, and one at least every so often, until the caller disconnects. A signal that
 * comes while its reader is at work is not missed.
 */
export async function* wakeUps(
  { signals }: Pick<Deps, 'signals'>,
  channel: string,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): AsyncGenerator<void> {
  let wake: () => void = () => {};
  const stop = () => wake();
  const unsubscribe = signals.subscribe(channel, stop);
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      yield;
      const timer = setTimeout(stop, everyMs);
      if (!signal.aborted) await woken;
      clearTimeout(timer);
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', stop);
  }
}
