import { Resolver } from 'node:dns/promises';

type Records = string[] | string[][];

const KEPT_MS = 60_000;
const KEPT_MAX = 10_000;
/** These mean that there is no such record; every other error may be temporary. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/** Much mail comes from few domains, so answers about a name, its absence too, are cached for a minute. */
export function createRecords(servers: readonly string[]): (name: string, type: string) => Promise<Records> {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  if (servers.length > 0) resolver.setServers(servers);
  const kept = new Map<string, { untilMs: number; records: Promise<Records> }>();
  return (name, type) => {
    const key = `${type} ${name.toLowerCase()}`;
    const known = kept.get(key);
    if (known && performance.now() < known.untilMs) return known.records;
    if (kept.size >= KEPT_MAX) kept.clear();
    const records = resolver.resolve(name, type) as Promise<Records>;
    kept.set(key, { untilMs: performance.now() + KEPT_MS, records });
    records.catch((error: { code?: string }) => {
      if (!ABSENT.has(error.code ?? '')) kept.delete(key);
    });
    return records;
  };
}
