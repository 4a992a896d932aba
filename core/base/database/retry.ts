import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats idempotent work until it succeeds; the pause doubles up to `maxMs`. */
export async function untilDone<T>(
  work: () => Promise<T>,
  onFailure: (error: unknown) => void,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
): Promise<T> {
  for (let pauseMs = firstMs; ; pauseMs = Math.min(maxMs, pauseMs * 2)) {
    try {
      return await work();
    } catch (error) {
      onFailure(error);
      await sleep(pauseMs);
    }
  }
}
