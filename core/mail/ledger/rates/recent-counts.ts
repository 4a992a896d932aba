/** Counts under keys, with a field for each; lost with Redis, and nothing depends on them. */
export interface RecentCounts {
  /** Adds them, at once and without an answer. A key is forgotten when nothing was added to it for `keptMs`. */
  add(counts: ReadonlyMap<string, ReadonlyMap<string, number>>, keptMs: number): void;
  /** In the order of the keys; no fields for a key that is not there, or while Redis is down. */
  read(keys: readonly string[]): Promise<Array<Readonly<Record<string, number>>>>;
}

declare module '../../../base/deps.ts' {
  interface Deps {
    recentCounts: RecentCounts;
  }
}
