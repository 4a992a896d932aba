import type { Collection, Document, Filter } from 'mongodb';
import type { Deps } from './deps.ts';
import { READ_TIME_MAX_MS } from './paging.ts';

const SCANS_MAX = 4;
const RANGES_KEPT_MS = 600_000;

export interface AddressRanges {
  ranges: Document[];
  /** The sample that the ranges were guessed from; empty where there is one range. */
  sample: string[];
}

const kept = new WeakMap<object, Map<string, AddressRanges & { until: number }>>();

/**
 * A text in more than this share of a sample is found soon: keeping the first matches would cost more than searching for them
 * again.
 */
const COMMON = 0.02;

/** Whether many of the addresses contain the text, judged by a sample. */
export function isCommonIn(sample: string[], text: string): boolean {
  return sample.filter((email) => email.includes(text.toLowerCase())).length > sample.length * COMMON;
}

/** The command costs a tenth less than a pipeline that counts. */
export async function countKeys<Doc extends Document>(
  { mongo, config }: Pick<Deps, 'mongo' | 'config'>,
  { collectionName }: Collection<Doc>,
  query: Filter<Doc>,
  hint: string,
): Promise<number> {
  const command = { count: collectionName, query, hint, maxTimeMS: READ_TIME_MAX_MS };
  const { n } = await mongo.db(config.mongodbDatabase).command(command);
  return n as number;
}

/** Addresses of one project in ranges of about the same size, guessed from some of them. A bad guess only costs time. */
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
