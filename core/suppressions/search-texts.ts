import type { Document, Filter } from 'mongodb';
import { addressRanges, countKeys, isCommonIn } from '../base/address-ranges.ts';
import type { Deps } from '../base/deps.ts';
import type { Project } from '../base/model.ts';
import { READ_TIME_MAX_MS } from '../base/paging.ts';
import type { Suppression } from './model.ts';

/** A scan of more keys than this is shared by several threads of the server. */
const KEYS_A_SCAN = 20_000;
/** Up to here the first matches come with the count; those further back are read again. */
const FIRST_MAX = 1_000;
const SAMPLE = 500;

type Place = Pick<Suppression, 'email' | 'groupId'>;

export interface TextFilter {
  /** Names the project. */
  filter: Filter<Suppression>;
  /** The text searched for in addresses; '' when it cannot be in one. */
  part: string;
  /** Any of these must match; empty: the filter is enough. */
  anyOf: Filter<Suppression>[];
}

/**
 * Entries by address, with their exact number, in one pass over the keys of an index: only the entries of the page are read.
 * `size` is the number of keys.
 */
export async function findByText(
  deps: Deps,
  project: Pick<Project, '_id'>,
  text: TextFilter,
  { skip, limit, size }: { skip: number; limit: number; size: number },
): Promise<{ total: number; entries: Suppression[] }> {
  const { suppressions } = deps.db;
  const reading = { hint: 'search', maxTimeMS: READ_TIME_MAX_MS };
  const { ranges, sample } = await addressRanges(
    suppressions,
    project._id.toHexString(),
    Math.ceil(size / KEYS_A_SCAN),
    () => newestAndOldest(deps, project),
  );
  const isNear = skip + limit <= FIRST_MAX && !(text.part && isCommonIn(sample, text.part));
  const first = isNear ? { first: { $firstN: { n: skip + limit, input: '$$ROOT' } } } : {};
  const counted = ranges.map(async (range) => {
    if (!isNear && text.anyOf.length === 1) {
      const query = { $and: [text.filter, { email: range }, text.anyOf[0] ?? {}] };
      return { total: await countKeys(deps, suppressions, query, 'search') };
    }
    const pipeline = [...matching(text, range), { $group: { _id: null, total: { $sum: 1 }, ...first } }];
    const [row] = await suppressions.aggregate<{ total: number; first?: Place[] }>(pipeline, reading).toArray();
    return row ?? { total: 0 };
  });
  const far = [...matching(text, { $gte: '' }), { $skip: skip }, { $limit: limit }];
  const [rows, page] = await Promise.all([
    Promise.all(counted),
    isNear ? [] : suppressions.aggregate<Place>(far, reading).toArray(),
  ]);
  const nearest = rows.flatMap((row) => row.first ?? []).slice(skip, skip + limit);
  const places = isNear ? nearest : page;
  return { total: rows.reduce((sum, row) => sum + row.total, 0), entries: await entriesAt(deps, project, places) };
}

/** To match one of several fields the server reads the entries; to match a value computed from the key it does not. */
function matching({ filter, anyOf: [way, ...others] }: TextFilter, range: Document): Document[] {
  const sort = { $sort: { email: 1, groupId: 1 } };
  const place = { $project: { _id: 0, email: 1, groupId: 1 } };
  if (others.length === 0) return [{ $match: { $and: [filter, { email: range }, way ?? {}] } }, sort, place];
  const computed = { email: { $concat: ['$email', ''] }, groupId: 1, reason: 1 };
  return [
    { $match: { $and: [filter, { email: range }] } },
    sort,
    { $project: { _id: 0, ...computed } },
    { $match: { $or: [way, ...others] } },
    place,
  ];
}

/** In the order of the places. */
export async function entriesAt(deps: Deps, project: Pick<Project, '_id'>, places: Place[]): Promise<Suppression[]> {
  const found = await deps.db.suppressions
    .find({ projectId: project._id, email: { $in: places.map(({ email }) => email) } }, { hint: 'address' })
    .toArray();
  const nameOf = ({ email, groupId }: Place) => `${groupId} ${email}`;
  const byPlace = new Map(found.map((entry) => [nameOf(entry), entry]));
  return places.flatMap((place) => byPlace.get(nameOf(place)) ?? []);
}

async function newestAndOldest(deps: Deps, { _id: projectId }: Pick<Project, '_id'>): Promise<string[]> {
  const sample = (order: 1 | -1) =>
    deps.db.suppressions
      .find({ projectId }, { projection: { email: 1 }, hint: 'newest' })
      .sort({ createdAt: order, _id: order })
      .limit(SAMPLE)
      .toArray();
  return (await Promise.all([sample(1), sample(-1)])).flat().map(({ email }) => email);
}
