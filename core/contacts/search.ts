import type { Document, Filter, ObjectId } from 'mongodb';
import { addressRanges, countKeys, isCommonIn } from '../base/address-ranges.ts';
import type { Deps } from '../base/deps.ts';
import type { Project } from '../base/model.ts';
import { READ_TIME_MAX_MS } from '../base/paging.ts';
import { partOf } from '../base/text/search-pattern.ts';
import type { Contact, StoredList } from './model.ts';

/**
 * The filter for the members of a list, and the index that has them by address. The index is named explicitly: the planner's own choice was
 * nine times slower.
 */
export interface Members {
  filter: Filter<Contact>;
  hint: 'email' | 'list' | 'segment';
}

export interface FoundEmails {
  total: number;
  /** Of the page, in order. */
  emails: string[];
}

/** A scan of more keys than this is shared by several threads of the server; a key of a list costs more than one of the whole project. */
const KEYS_A_SCAN = { email: 100_000, list: 10_000, segment: 10_000 };
/** Up to this offset the first matches come with the count; further pages are queried separately. */
const FIRST_MAX = 5_000;
const SAMPLE = 500;

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
 * Addresses that contain a text, with their exact number, in one pass over the keys of the index; contacts are not read. `size` is the
 * number of those keys.
 */
export async function findByPart(
  deps: Deps,
  project: Pick<Project, '_id'>,
  members: Members,
  { part, skip, limit, size }: { part: string; skip: number; limit: number; size: number },
): Promise<FoundEmails> {
  const reading = { hint: members.hint, maxTimeMS: READ_TIME_MAX_MS };
  const { ranges, sample } = await addressRanges(
    deps.db.contacts,
    project._id.toHexString(),
    Math.ceil(size / KEYS_A_SCAN[members.hint]),
    () => newestAndOldest(deps, project._id),
  );
  const isNear = skip + limit <= FIRST_MAX && !isCommonIn(sample, part);
  const first = isNear ? { first: { $firstN: { n: skip + limit, input: '$email' } } } : {};
  const counted = ranges.map(async (range) => {
    if (!isNear && members.hint === 'email') {
      const query = { ...members.filter, email: { ...range, ...partOf(part) } };
      return { total: await countKeys(deps, deps.db.contacts, query, members.hint) };
    }
    const pipeline = [...matching(members, part, range), { $group: { _id: null, total: { $sum: 1 }, ...first } }];
    const [row] = await deps.db.contacts.aggregate<{ total: number; first?: string[] }>(pipeline, reading).toArray();
    return row ?? { total: 0 };
  });
  const address = { $project: { _id: 0, email: 1 } };
  const far = [...matching(members, part, { $gte: '' }), { $skip: skip }, { $limit: limit }, address];
  const [rows, page] = await Promise.all([
    Promise.all(counted),
    isNear ? [] : deps.db.contacts.aggregate<{ email: string }>(far, reading).toArray(),
  ]);
  const nearest = rows.flatMap((row) => row.first ?? []).slice(skip, skip + limit);
  return {
    total: rows.reduce((sum, row) => sum + row.total, 0),
    emails: isNear ? nearest : page.map(({ email }) => email),
  };
}

/**
 * When the index contains an array, the server reads documents to match a text; an expression computed from the key keeps it on the index.
 */
function matching({ filter, hint }: Members, part: string, range: Document): Document[] {
  if (hint === 'email') return [{ $match: { ...filter, email: { ...range, ...partOf(part) } } }];
  return [
    { $match: { ...filter, email: range } },
    { $project: { _id: 0, email: { $concat: ['$email', ''] } } },
    { $match: { email: partOf(part) } },
  ];
}

async function newestAndOldest(deps: Deps, projectId: ObjectId): Promise<string[]> {
  const sample = (order: 1 | -1) =>
    deps.db.contacts
      .find({ projectId }, { projection: { email: 1 }, hint: 'newest' })
      .sort({ _id: order })
      .limit(SAMPLE)
      .toArray();
  return (await Promise.all([sample(1), sample(-1)])).flat().map(({ email }) => email);
}
