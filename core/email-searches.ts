import type { Document, Filter } from 'mongodb';
import type { Deps } from './deps.ts';
import type { Contact, Project, StoredList } from './model.ts';
import { READ_TIME_MAX_MS } from './pages.ts';
import { partOf } from './rules/searches.ts';

/** Which contacts belong to a list, and the index that has them by address. It is named: the planner's own choice was nine times slower. */
export interface Members {
  filter: Filter<Contact>;
  hint: 'email' | 'list' | 'segment';
}

export interface FoundEmails {
  total: number;
  /** Of the page, in order. */
  emails: string[];
}

/** A scan of more keys than this is shared by several threads of the server. */
const KEYS_A_SCAN = 100_000;
const SCANS_MAX = 4;
/** Up to here the first matches come with the count; further back they are asked for again. */
const FIRST_MAX = 1_000;
const SAMPLE = 500;
const RANGES_KEPT_MS = 600_000;

export function membersOf({ _id, projectId, type }: StoredList): Members {
  switch (type) {
    case 'global':
      return { filter: { projectId }, hint: 'email' };
    case 'list':
      return { filter: { projectId, listIds: _id }, hint: 'list' };
    case 'segment':
      return { filter: { projectId, segmentIds: _id }, hint: 'segment' };
  }
}

/**
 * Addresses that contain a text, with their exact number, in one pass over the keys of the index: no contact is read. `size`
 * is how many keys that are.
 */
export async function findByPart(
  deps: Deps,
  project: Pick<Project, '_id'>,
  members: Members,
  { part, skip, limit, size }: { part: string; skip: number; limit: number; size: number },
): Promise<FoundEmails> {
  const reading = { hint: members.hint, maxTimeMS: READ_TIME_MAX_MS };
  const isNear = skip + limit <= FIRST_MAX;
  const ranges = size > KEYS_A_SCAN ? await rangesOf(deps, project, Math.ceil(size / KEYS_A_SCAN)) : [{ $gte: '' }];
  const first = isNear ? { first: { $firstN: { n: skip + limit, input: '$found' } } } : {};
  const counted = ranges.map(async (range) => {
    const pipeline = [...matching(members, part, range), { $group: { _id: null, total: { $sum: 1 }, ...first } }];
    const [row] = await deps.db.contacts.aggregate<{ total: number; first?: string[] }>(pipeline, reading).toArray();
    return row ?? { total: 0 };
  });
  const far = isNear ? [] : [...matching(members, part, { $gte: '' }), { $skip: skip }, { $limit: limit }];
  const [rows, page] = await Promise.all([
    Promise.all(counted),
    isNear ? [] : deps.db.contacts.aggregate<{ found: string }>(far, reading).toArray(),
  ]);
  const nearest = rows.flatMap((row) => row.first ?? []).slice(skip, skip + limit);
  return {
    total: rows.reduce((sum, row) => sum + row.total, 0),
    emails: isNear ? nearest : page.map(({ found }) => found),
  };
}

/**
 * The server looks into documents to match the text when the index has an array in it; told to match a value that it computes
 * from the key, it does not.
 */
function matching({ filter, hint }: Members, part: string, range: Document): Document[] {
  if (hint === 'email')
    return [{ $match: { ...filter, email: { ...range, ...partOf(part) } } }, { $project: { _id: 0, found: '$email' } }];
  return [
    { $match: { ...filter, email: range } },
    { $project: { _id: 0, found: { $concat: ['$email', ''] } } },
    { $match: { found: partOf(part) } },
  ];
}

const kept = new WeakMap<object, Map<string, { ranges: Document[]; until: number }>>();

/** Parts of about the same size, guessed from the newest and the oldest addresses. A bad guess only costs time. */
async function rangesOf(deps: Deps, project: Pick<Project, '_id'>, wanted: number): Promise<Document[]> {
  const perDeps = kept.get(deps.db) ?? new Map();
  kept.set(deps.db, perDeps);
  const key = project._id.toHexString();
  const known = perDeps.get(key);
  if (known && known.until > performance.now()) return known.ranges;
  const filter = { projectId: project._id };
  const sample = (order: 1 | -1) =>
    deps.db.contacts
      .find(filter, { projection: { email: 1 }, hint: 'newest' })
      .sort({ _id: order })
      .limit(SAMPLE)
      .toArray();
  const emails = (await Promise.all([sample(1), sample(-1)])).flat().map(({ email }) => email);
  const ranges = splitEvenly(emails.sort(), Math.min(SCANS_MAX, wanted));
  perDeps.set(key, { ranges, until: performance.now() + RANGES_KEPT_MS });
  return ranges;
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
