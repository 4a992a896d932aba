import { setTimeout as pause } from 'node:timers/promises';

export { pause };

export function between(fromMs: number, toMs: number): number {
  return fromMs + Math.random() * (toMs - fromMs);
}

/** Asks until it is so; what cannot be asked now (a server may be away) is asked again. */
export async function until(
  what: string,
  isSo: () => Promise<boolean>,
  withinMs = 60_000,
  everyMs = 50,
): Promise<void> {
  for (const giveUpAt = performance.now() + withinMs; ; await pause(everyMs)) {
    if (await isSo().catch(() => false)) return;
    if (performance.now() > giveUpAt) throw new Error(`not within ${withinMs / 1_000} s: ${what}`);
  }
}

/** Does the work again and again; the answer stops it, and resolves when the last of it is done. */
export function repeatedly(everyMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let isOver = false;
  const working = (async () => {
    for (; !isOver; await pause(everyMs)) await work();
  })();
  return () => {
    isOver = true;
    return working;
  };
}

/** Does the work for each number below `count`, all at the same time. */
export function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** Does the work for each number below `count`, so many at a time. */
export async function inLanes(lanes: number, count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
}
