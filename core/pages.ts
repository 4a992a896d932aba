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

/** One page and an exact total, read side by side. */
export async function pageOf<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  { page = 1, limit = 20 }: Page,
  { sort = { _id: 1 }, ...options }: FindOptions & { sort?: Sort } = {},
): Promise<PageOf<WithId<T>>> {
  const skip = skipOf(page, limit);
  const reading = { maxTimeMS: READ_TIME_MAX_MS, ...(options.hint ? { hint: options.hint } : {}) };
  const [entries, total] = await Promise.all([
    collection
      .find(filter, { ...options, maxTimeMS: READ_TIME_MAX_MS })
      .sort(sort)
      .skip(skip)
      .limit(limit)
      .toArray(),
    collection.countDocuments(filter, reading),
  ]);
  return { entries, pagination: paginationOf(page, limit, total) };
}

/** A page behind the end is empty; how long the way there may take is bounded like every reading. */
export function skipOf(page: number, limit: number): number {
  return (page - 1) * limit;
}

export function paginationOf(page: number, limit: number, total: number): PageOf<never>['pagination'] {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}
