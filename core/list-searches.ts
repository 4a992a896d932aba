import type { Filter } from 'mongodb';
import type { Deps } from './deps.ts';
import { withCount } from './list-counts.ts';
import { findStoredList } from './lists.ts';
import type { Contact, Project, StoredList } from './model.ts';
import { type Page, type PageOf, paginationOf, READ_TIME_MAX_MS, skipOf } from './pages.ts';
import { partOf } from './rules/searches.ts';

export type FoundContact = Pick<Contact, '_id' | 'email' | 'firstName' | 'lastName' | 'createdAt' | 'updatedAt'>;

const projection = { email: 1, firstName: 1, lastName: 1, createdAt: 1, updatedAt: 1 };

/**
 * Endpoint 14, by address. A part of an address is looked for among the keys of the index of that list alone; without one the
 * total is the count that the list keeps.
 */
export async function searchList(
  deps: Deps,
  project: Pick<Project, '_id'>,
  { contactListId, email, page = 1, limit = 20 }: Page & { contactListId: string; email?: string | undefined },
): Promise<PageOf<FoundContact>> {
  const skip = skipOf(page, limit);
  const list = await findStoredList(deps, project, contactListId, 'contactListId');
  const { filter, hint } = membersOf(list);
  const query = email ? { ...filter, email: partOf(email) } : filter;
  const reading = { hint, maxTimeMS: READ_TIME_MAX_MS };
  const [entries, total] = await Promise.all([
    deps.db.contacts.find<FoundContact>(query, { ...reading, projection, sort: { email: 1 }, skip, limit }).toArray(),
    email ? deps.db.contacts.countDocuments(query, reading) : (await withCount(deps, list)).contactCount,
  ]);
  return { entries, pagination: paginationOf(page, limit, total) };
}

/** The index is named: the planner's own choice was nine times slower. */
export function membersOf({ _id, projectId, type }: StoredList): { filter: Filter<Contact>; hint: string } {
  switch (type) {
    case 'global':
      return { filter: { projectId }, hint: 'email' };
    case 'list':
      return { filter: { projectId, listIds: _id }, hint: 'list' };
    case 'segment':
      return { filter: { projectId, segmentIds: _id }, hint: 'segment' };
  }
}
