import type { Project } from '../../base/model.ts';
import { type Page, type PageOf, paginationOf, READ_TIME_MAX_MS, skipOf } from '../../base/paging.ts';
import { withCount } from '../changes/counts.ts';
import type { PeopleDeps } from '../deps.ts';
import type { Contact } from '../model.ts';
import { findByPart, membersOf } from '../search.ts';
import { findStoredList } from './lists.ts';

export type FoundContact = Pick<Contact, '_id' | 'email' | 'firstName' | 'lastName' | 'createdAt' | 'updatedAt'>;

const projection = { email: 1, firstName: 1, lastName: 1, createdAt: 1, updatedAt: 1 };

/** By address. Without a search text the total is the list's kept count. */
export async function searchList(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  { contactListId, email, page = 1, limit = 20 }: Page & { contactListId: string; email?: string | undefined },
): Promise<PageOf<FoundContact>> {
  const skip = skipOf(page, limit);
  const list = await withCount(deps, await findStoredList(deps, project, contactListId, 'contactListId'));
  const members = membersOf(list);
  const sort = { email: 1 } as const;
  const reading = { projection, sort, maxTimeMS: READ_TIME_MAX_MS };
  if (!email) {
    const paging = { ...reading, hint: members.hint, skip, limit };
    const entries = await deps.db.contacts.find<FoundContact>(members.filter, paging).toArray();
    return { entries, pagination: paginationOf(page, limit, list.contactCount) };
  }
  const { total, emails } = await findByPart(deps, members, email, { skip, limit });
  const entries = await deps.db.contacts
    .find<FoundContact>({ projectId: project._id, email: { $in: emails } }, { ...reading, hint: 'email' })
    .toArray();
  return { entries, pagination: paginationOf(page, limit, total) };
}
