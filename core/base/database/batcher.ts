import { isAway } from './transactions.ts';

type Waiting<In, Out> = { item: In; resolve: (value: Out) => void; reject: (reason: unknown) => void };

export interface BatcherLimits {
  /** The most items that one call of `run` gets. */
  sizeMax: number;
  /** The most calls in progress at a time. */
  runsMax: number;
  /** While a call is in progress the next one begins with this many items; fewer wait until it is over. 1 if not given. */
  nextFrom?: number;
  /** Requests that wait while the database is searched for share its outcome; jobs search again, since they are only repeated when their lease ends. */
  callers: 'requests' | 'jobs';
}

/**
 * Joins items that arrive during earlier work into one call, so that many requests share a commit. `run` returns one outcome per
 * item, in order; an Error among them rejects that item alone.
 */
export function createBatcher<In, Out>(
  run: (items: In[]) => Promise<Array<Out | Error>>,
  { sizeMax, runsMax, nextFrom = 1, callers }: BatcherLimits,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let running = 0;

  async function settle(batch: Waiting<In, Out>[]): Promise<void> {
    const outcomes = await run(batch.map(({ item }) => item)).catch((error) => batch.map(() => error as Error));
    batch.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index] as Out | Error;
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    });
    const away = outcomes.find(isAway);
    if (away && callers === 'requests') for (const { reject } of waiting.splice(0)) reject(away);
    running -= 1;
    next();
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
      // Not at once: items that one caller adds in a loop belong together, and so do requests that were read from their sockets
      // together.
      if (waiting.length === 1 || waiting.length === nextFrom) setImmediate(next);
    });
}

/** A batcher for each key, for as long as calls of that key wait: `makeRun` gets the value of the first of them. */
export function keyedBatcher<Target, In, Out>(
  makeRun: (target: Target) => (items: In[]) => Promise<Array<Out | Error>>,
  limits: BatcherLimits,
): (key: string, target: Target, item: In) => Promise<Out> {
  const batchers = new Map<string, { add: (item: In) => Promise<Out>; waiting: number }>();
  return async (key, target, item) => {
    const entry = batchers.get(key) ?? { add: createBatcher(makeRun(target), limits), waiting: 0 };
    batchers.set(key, entry);
    entry.waiting += 1;
    try {
      return await entry.add(item);
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0) batchers.delete(key);
    }
  };
}
