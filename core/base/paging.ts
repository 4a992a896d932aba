import type { Collection, Document, Filter, FindOptions, ObjectId, Sort, WithId } from 'mongodb';

export const READ_TIME_MAX_MS = 5_000;
/** Of documents that may have megabytes each. */
const READ_TOGETHER = 2;

export interface Page {
  page?: number | undefined;
  limit?: number | undefined;
}

export interface Pagination {
  page: number;
  limit: number;
  total: number;
  pages: number;
}

export interface PageOf<T> {
  entries: T[];
  pagination: Pagination;
}

/** A page of documents that may have megabytes each: they are read while they are asked for. */
export interface LongPageOf<T> {
  entries: AsyncIterable<T>;
  pagination: Pagination;
}

/**
 * Documents that a filter finds and the list leaves out; they are rare and have an index, so that the others can still be counted
 * from keys alone.
 */
export interface Hidden<T> {
  filter: Filter<T>;
  hint?: string;
}

type PageOptions<T> = FindOptions & { sort?: Sort; hidden?: Hidden<T> };

/** One page and an exact total, read in parallel. */
export async function pageOf<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  { page = 1, limit = 20 }: Page,
  { sort = { _id: 1 }, hidden, ...options }: PageOptions<T> = {},
): Promise<PageOf<WithId<T>>> {
  const skip = skipOf(page, limit);
  const reading = { maxTimeMS: READ_TIME_MAX_MS, ...(options.hint ? { hint: options.hint } : {}) };
  const shown = hidden ? { $and: [filter, { $nor: [hidden.filter] }] } : filter;
  const [entries, found, left] = await Promise.all([
    collection
      .find(shown as Filter<T>, { ...options, maxTimeMS: READ_TIME_MAX_MS })
      .sort(sort)
      .skip(skip)
      .limit(limit)
      .toArray(),
    collection.countDocuments(filter, reading),
    hidden
      ? collection.countDocuments(
          { ...filter, ...hidden.filter },
          { ...reading, ...(hidden.hint ? { hint: hidden.hint } : {}) },
        )
      : 0,
  ]);
  return { entries, pagination: paginationOf(page, limit, found - left) };
}

/** Some documents at a time in memory. A document that is deleted before its turn comes is left out. */
export async function longPageOf<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T> & { projectId: ObjectId },
  page: Page,
  options: PageOptions<T> = {},
): Promise<LongPageOf<WithId<T>>> {
  const { entries, pagination } = await pageOf(collection, filter, page, { ...options, projection: { _id: 1 } });
  const ids = entries.map(({ _id }) => _id as unknown as ObjectId);
  return { entries: documentsOf(collection, filter.projectId, ids), pagination };
}

/** In the order of their ids. */
export function documentsOf<T extends Document>(
  collection: Collection<T>,
  projectId: ObjectId,
  ids: readonly ObjectId[],
): AsyncGenerator<WithId<T>> {
  return readWhenAsked(ids, async (some) => {
    const filter = { projectId, _id: { $in: some } } as unknown as Filter<T>;
    const found = await collection.find(filter, { maxTimeMS: READ_TIME_MAX_MS }).toArray();
    const byId = new Map(found.map((document) => [String(document._id), document]));
    return some.flatMap((id) => byId.get(id.toHexString()) ?? []);
  });
}

/** A few of them in memory at a time. */
export async function* readWhenAsked<In, Out>(
  all: readonly In[],
  read: (some: In[]) => Promise<Out[]>,
): AsyncGenerator<Out> {
  for (let from = 0; from < all.length; from += READ_TOGETHER) yield* await read(all.slice(from, from + READ_TOGETHER));
}

/** A page behind the end is empty; like every read, skipping to it has a time limit. */
export function skipOf(page: number, limit: number): number {
  return (page - 1) * limit;
}

export function paginationOf(page: number, limit: number, total: number): Pagination {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}
