import { between, pause } from '../waiting.ts';

export interface Strike {
  name: string;
  /** Resolves once everything is up again. */
  run(): Promise<void>;
}

/** One strike after the other, each after `everyMs` or a fifth more or less, in a new order once all had their turn; returns how often each was. */
export async function strikeUntil(
  endsAt: number,
  everyMs: number,
  strikes: readonly Strike[],
): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const { name, run } of inRounds(strikes)) {
    const waitMs = between(everyMs * 0.8, everyMs * 1.2);
    if (performance.now() + waitMs > endsAt) break;
    await pause(waitMs);
    times[name] = (times[name] ?? 0) + 1;
    await run();
  }
  await pause(Math.max(0, endsAt - performance.now()));
  return times;
}

/** Without an end: all of them in a random order, then all of them in another one. */
export function* inRounds<T>(all: readonly T[]): Generator<T> {
  for (;;) yield* shuffled(all);
}

function shuffled<T>(all: readonly T[]): T[] {
  const drawn = all.map((one) => ({ one, lot: Math.random() }));
  return drawn.sort((a, b) => a.lot - b.lot).map(({ one }) => one);
}
