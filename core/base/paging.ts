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

/** What a filter finds and the list leaves out; it is rare and has an index, so that the others are still counted from keys alone. */
export interface Hidden<T> {
  filter: Filter<T>;
  hint: string;
}

type PageOptions<T> = FindOptions & { sort?: Sort; hidden?: Hidden<T> };

/** One page and an exact total, read side by side. */
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
    hidden ? collection.countDocuments({ ...filter, ...hidden.filter }, { ...reading, hint: hidden.hint }) : 0,
  ]);
  return { entries, pagination: paginationOf(page, limit, found - left) };
}

/** A page behind the end is empty; how long the way there may take is bounded like every reading. */
export function skipOf(page: number, limit: number): number {
  return (page - 1) * limit;
}

export function paginationOf(page: number, limit: number, total: number): PageOf<never>['pagination'] {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}
