import type { SinkClient } from './context.ts';
import { pause } from './waiting.ts';

/** Connections at the relay, against the budget of the installation. */
export interface ConnectionsSeen {
  budget: number;
  /** At one time, as the relay counted them. */
  most: number;
  /** The longest time without a look at which they were within the budget. */
  longestOverMs: number;
}

const EVERY_MS = 50;

export function watchConnections(
  { stats }: Pick<SinkClient, 'stats'>,
  budget: number,
): { stop(): Promise<ConnectionsSeen> } {
  let isOver = false;
  let overSince: number | null = null;
  let longestOverMs = 0;
  const watching = (async () => {
    for (; !isOver; await pause(EVERY_MS)) {
      const { connectionsOpen } = await stats();
      if (connectionsOpen <= budget) overSince = null;
      else {
        overSince ??= performance.now();
        longestOverMs = Math.max(longestOverMs, performance.now() - overSince);
      }
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return { budget, most: (await stats()).connectionsMost, longestOverMs: Math.round(longestOverMs) };
    },
  };
}
