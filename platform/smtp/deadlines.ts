export interface Expiring {
  /** Monotonic milliseconds; Infinity when no answer is awaited. */
  deadline: number;
  expire(): void;
}

export interface Deadlines {
  add(one: Expiring): void;
  remove(one: Expiring): void;
  now(): number;
}

const TICK_MS = 50;

/** One timer for all connections, since setting one per command costs more than the command. */
export function createDeadlines(now: () => number): Deadlines {
  const all = new Set<Expiring>();
  let timer: NodeJS.Timeout | null = null;
  let lastTick = 0;

  function tick(): void {
    const time = now();
    const stalled = time - lastTick > 10 * TICK_MS;
    lastTick = time;
    // After a stall the answer may be unread in the socket: one more turn of the event loop reads it first.
    if (stalled) return;
    for (const one of all) if (one.deadline <= time) one.expire();
  }

  return {
    now,
    add(one) {
      all.add(one);
      if (timer) return;
      lastTick = now();
      timer = setInterval(tick, TICK_MS).unref();
    },
    remove(one) {
      all.delete(one);
      if (all.size > 0 || !timer) return;
      clearInterval(timer);
      timer = null;
    },
  };
}
