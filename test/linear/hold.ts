import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMs, HOLD_MS_MAX } from './cpu.ts';

const REPEATS = 3;

/**
 * The longest time that the event loop of this process spends in one round while the work is done, in CPU time of its thread. It is read in
 * the first round after each millisecond, so a round is never missed, and at most a millisecond of others is counted with it.
 */
export async function longestHold<T>(work: () => Promise<T>): Promise<{ holdMs: number; result: T }> {
  let holdMs = 0;
  let isDone = false;
  const watch = async () => {
    let before = cpuMs();
    while (!isDone) {
      await sleep(1);
      const now = cpuMs();
      holdMs = Math.max(holdMs, now - before);
      before = now;
    }
  };
  const watching = watch();
  const result = await work().finally(() => {
    isDone = true;
  });
  await watching;
  return { holdMs, result };
}

/** The same; work above the limit is repeated, and the smallest hold counts. */
export async function leastHold<T>(work: () => Promise<T>): Promise<{ holdMs: number; result: T }> {
  let { holdMs, result } = await longestHold(work);
  for (let again = 0; again < REPEATS && holdMs >= HOLD_MS_MAX; again += 1)
    holdMs = Math.min(holdMs, (await longestHold(work)).holdMs);
  return { holdMs, result };
}
