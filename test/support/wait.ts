import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is the expected one; the failure names the last answer. */
export async function until<T>(
  ask: () => Promise<T>,
  isIt: (answer: T) => boolean,
  { ms = 60_000, everyMs = 50 } = {},
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    // Read before the answer, so that time in which nothing could run is followed by one more look.
    const isLast = Date.now() > end;
    const answer = await ask();
    if (isIt(answer)) return answer;
    if (isLast) throw new Error(`not within ${ms} ms; last seen: ${JSON.stringify(answer)}`);
    await sleep(everyMs);
  }
}
