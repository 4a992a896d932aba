import type { Document, Filter } from 'mongodb';
import { partOf, searchKeys } from '../base/database/search.ts';
import type { PeopleDeps } from './deps.ts';
import type { Contact, StoredList } from './model.ts';

/** The filter for the members of a list, and the index that has them by address. */
interface Members {
  filter: Filter<Contact>;
  hint: 'email' | 'list' | 'segment';
}

export function membersOf({ _id, projectId, type }: Pick<StoredList, '_id' | 'projectId' | 'type'>): Members {
  switch (type) {
    case 'global':
      return { filter: { projectId }, hint: 'email' };
    case 'list':
      return { filter: { projectId, listIds: _id }, hint: 'list' };
    case 'segment':
      return { filter: { projectId, segmentIds: _id }, hint: 'segment' };
  }
}

/** Addresses of one page that contain a text, with their exact number. Only keys of the index are read, no contacts. */
export async function findByPart(
  deps: PeopleDeps,
  members: Members,
  part: string,
  page: { skip: number; limit: number },
): Promise<{ total: number; emails: string[] }> {
  const search = { hint: members.hint, stages: matching(members, part), fields: { email: 1 } as const };
  const { total, keys } = await searchKeys<{ email: string }>(deps.db.contacts, search, page);
  return { total, emails: keys.map(({ email }) => email) };
}

/**
 * When the index contains an array, the server reads documents to match a text; an expression computed from the key keeps it on the index.
 */
function matching({ filter, hint }: Members, part: string): Document[] {
  if (hint === 'email') return [{ $match: { ...filter, email: partOf(part) } }];
  return [
    { $match: { ...filter, email: { $gte: '' } } },
    { $project: { _id: 0, email: { $concat: ['$email', ''] } } },
    { $match: { email: partOf(part) } },
  ];
}
