/** Forgets the entries that were set first when it is full. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    super();
    this.#sizeMax = sizeMax;
  }

  override set(key: Key, value: Value): this {
    if (!this.has(key) && this.size >= this.#sizeMax) this.delete(this.keys().next().value as Key);
    return super.set(key, value);
  }
}

interface TtlCache<Value> {
  /** Concurrent callers share one read; a failed one is not kept. */
  get(key: string, read: () => Promise<Value>): Promise<Value>;
  delete(key: string): void;
}

/** Values that are read again when they are older than `keptMs`. */
export function ttlCache<Value>({ keptMs, sizeMax }: { keptMs: number; sizeMax: number }): TtlCache<Value> {
  const kept = new BoundedMap<string, { readMs: number; value: Promise<Value> }>(sizeMax);
  return {
    get(key, read) {
      const known = kept.get(key);
      if (known && performance.now() - known.readMs < keptMs) return known.value;
      const entry = { readMs: performance.now(), value: read() };
      kept.delete(key);
      kept.set(key, entry);
      entry.value.catch(() => {
        if (kept.get(key) === entry) kept.delete(key);
      });
      return entry.value;
    },
    delete: (key) => void kept.delete(key),
  };
}

/** How many times as long as it took to compute is a value shown again: at most a tenth of the time is spent on computing it. */
export const SHOWN_FACTOR = 10;
/** A computation that waited for a database that was away says nothing about its cost. */
const SHOWN_MS_MAX = 60_000;

interface CostlyCache<Value> {
  /** Concurrent callers share one computation; a failed one is not kept. */
  get(key: string, compute: () => Promise<Value>): Promise<Value>;
}

/**
 * Values that are computed again when they are old for what they cost, `factor` times as long as that; those that took less than
 * `keepFromMs` each time.
 */
export function costlyCache<Value>({
  sizeMax,
  keepFromMs = 0,
  factor = SHOWN_FACTOR,
}: {
  sizeMax: number;
  keepFromMs?: number;
  factor?: number;
}): CostlyCache<Value> {
  const kept = new BoundedMap<string, { freshUntilMs: number; value: Promise<Value> }>(sizeMax);
  return {
    get(key, compute) {
      const known = kept.get(key);
      if (known && performance.now() < known.freshUntilMs) return known.value;
      const begunMs = performance.now();
      const entry = { freshUntilMs: Number.POSITIVE_INFINITY, value: compute() };
      kept.set(key, entry);
      entry.value.then(
        () => {
          const tookMs = performance.now() - begunMs;
          const agesMs = Math.min(tookMs * (factor - 1), SHOWN_MS_MAX);
          entry.freshUntilMs = tookMs < keepFromMs ? 0 : begunMs + tookMs + agesMs;
        },
        () => {
          if (kept.get(key) === entry) kept.delete(key);
        },
      );
      return entry.value;
    },
  };
}
