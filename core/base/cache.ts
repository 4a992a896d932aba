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
