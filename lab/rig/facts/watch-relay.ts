import type { SinkClient } from '../sink.ts';
import { repeatedly } from '../waiting.ts';

/** Budgets of the installation at the relay. */
export interface RelayBudgets {
  connections: number;
  perSecond: number;
}

/** The use of one budget, as the relay saw it. */
export interface Use {
  budget: number;
  most: number;
  /** The longest time in which every look saw more than the budget. */
  longestOverMs: number;
}

export interface RelaySeen {
  connections: Use;
  perSecond: Use;
}

const EVERY_MS = 50;
/** Each sender may begin one mail a second more than its share. */
const MORE_FOR_SHARES = 5;

export function watchRelay(
  { stats }: Pick<SinkClient, 'stats'>,
  budgets: RelayBudgets,
): { stop(): Promise<RelaySeen> } {
  const [connections, perSecond] = [new TimeOver(), new TimeOver()];
  const stopLooking = repeatedly(EVERY_MS, async () => {
    const { connectionsOpen, lastSecond } = await stats();
    connections.note(connectionsOpen > budgets.connections);
    // A rate limits beginnings, and the relay counts ends: each connection may have a mail from before.
    perSecond.note(lastSecond > budgets.perSecond + connectionsOpen + MORE_FOR_SHARES);
  });
  return {
    async stop() {
      await stopLooking();
      const { connectionsMost, perSecondMost } = await stats();
      return {
        connections: { budget: budgets.connections, most: connectionsMost, longestOverMs: connections.longestMs() },
        perSecond: { budget: budgets.perSecond, most: perSecondMost, longestOverMs: perSecond.longestMs() },
      };
    },
  };
}

class TimeOver {
  #since: number | null = null;
  #longestMs = 0;

  note(isOver: boolean): void {
    if (!isOver) this.#since = null;
    else {
      this.#since ??= performance.now();
      this.#longestMs = Math.max(this.#longestMs, performance.now() - this.#since);
    }
  }

  longestMs(): number {
    return Math.round(this.#longestMs);
  }
}
