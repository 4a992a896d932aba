import type { Collection, Document, Filter, FindOptions, Sort, WithId } from 'mongodb';

export const READ_TIME_MAX_MS = 5_000;

export interface Page {
  page?: number | undefined;
  limit?: number | undefined;
}

export interface PageOf<T> {
  entries: T[];
  pagination: { page: number; limit: number; total: number; pages: number };
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

/** A page behind the end is empty; like every read, skipping to it has a time limit. */
export function skipOf(page: number, limit: number): number {
  return (page - 1) * limit;
}

export function paginationOf(page: number, limit: number, total: number): PageOf<never>['pagination'] {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}
