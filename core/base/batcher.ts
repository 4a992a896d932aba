type Waiting<In, Out> = { item: In; resolve: (value: Out) => void; reject: (reason: unknown) => void };

export interface BatcherLimits {
  /** The most items that one call of `run` gets. */
  sizeMax: number;
  /** How many calls may be under way at a time. */
  runsMax: number;
  /** Beside a call that is under way the next one begins with so many; fewer wait until it is over. 1 if not given. */
  nextFrom?: number;
}

/**
 * Joins what arrives while earlier work is under way into one call, so that many requests share a commit.
 * `run` answers one outcome an item, in order; an Error among them rejects that item alone.
 */
export function createBatcher<In, Out>(
  run: (items: In[]) => Promise<Array<Out | Error>>,
  { sizeMax, runsMax, nextFrom = 1 }: BatcherLimits,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running = 0;

  async function settle(batch: Waiting<In, Out>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index] as Out | Error;
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      running -= 1;
      next();
    }
  }

  function next(): void {
    while (running < runsMax && waiting.length >= (running === 0 ? 1 : nextFrom)) {
      running += 1;
      const batch = waiting.slice(0, sizeMax);
      waiting = waiting.slice(sizeMax);
      void settle(batch);
    }
  }

  return (item) =>
    new Promise<Out>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Not at once: what one caller adds in a loop belongs together, and so do requests that were read from their sockets together.
      if (waiting.length === 1 || waiting.length === nextFrom) setImmediate(next);
    });
}
