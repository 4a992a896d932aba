import type { Document } from 'mongodb';

const SCANS_MAX = 4;
const RANGES_KEPT_MS = 600_000;

export interface AddressRanges {
  ranges: Document[];
  /** What they were guessed from; empty where there is one range. */
  sample: string[];
}

const kept = new WeakMap<object, Map<string, AddressRanges & { until: number }>>();

/** Addresses of one project in parts of about the same size, guessed from some of them. A bad guess only costs time. */
export async function addressRanges(
  collection: object,
  owner: string,
  wanted: number,
  readSample: () => Promise<string[]>,
): Promise<AddressRanges> {
  const parts = Math.min(SCANS_MAX, wanted);
  if (parts <= 1) return { ranges: [{ $gte: '' }], sample: [] };
  const key = `${owner}:${parts}`;
  const perCollection = kept.get(collection) ?? new Map();
  kept.set(collection, perCollection);
  const known = perCollection.get(key);
  if (known && known.until > performance.now()) return known;
  const sample = (await readSample()).sort();
  const made = { ranges: splitEvenly(sample, parts), sample, until: performance.now() + RANGES_KEPT_MS };
  perCollection.set(key, made);
  return made;
}

function splitEvenly(sorted: string[], parts: number): Document[] {
  const bounds = Array.from(
    { length: parts - 1 },
    (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / parts)],
  );
  const points = [...new Set(['', ...bounds.filter((bound) => bound !== undefined)])];
  return points.map((from, index) => {
    const to = points[index + 1];
    return to === undefined ? { $gte: from } : { $gte: from, $lt: to };
  });
}
