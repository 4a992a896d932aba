import type { Collection, Document, Filter, FindOptions, Sort, WithId } from 'mongodb';
import { PAGE_SKIP_MAX } from '../schemas/common.ts';
import { invalid } from './errors.ts';

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

export function skipOf(page: number, limit: number): number {
  const skip = (page - 1) * limit;
  if (skip > PAGE_SKIP_MAX)
    throw invalid(
      `page: goes back ${PAGE_SKIP_MAX} entries at most; narrow the search instead.`,
      'page: is too far back',
    );
  return skip;
}

export function paginationOf(page: number, limit: number, total: number): PageOf<never>['pagination'] {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}
