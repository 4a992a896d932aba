import { ObjectId } from 'mongodb';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import type { Project, Session } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import { type Filter, listsNamedIn, parseFilter } from '../filters/filters.ts';
import type { StoredList } from '../model.ts';

interface Where {
  session?: Session;
  /** The place of the filter in the body. */
  path?: string;
}

/** The lists that a filter names must exist, and be no segments. */
export async function requireLists(
  { db }: Pick<PeopleDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
  filter: Filter,
  { session, path = 'filterCriteria' }: Where = {},
): Promise<void> {
  const named = listsNamedIn(filter, path);
  if (named.length === 0) return;
  const ids = [...new Set(named.map(({ listId }) => listId))].map((id) => new ObjectId(id));
  const found = await db.contactLists
    .find({ projectId, _id: { $in: ids } }, { projection: { type: 1 }, ...(session ? { session } : {}) })
    .toArray();
  const types = new Map(found.map(({ _id, type }) => [_id.toHexString(), type]));
  for (const { listId, field } of named) {
    const type = types.get(listId);
    if (type === undefined) throw notFound('CONTACT_LIST', field);
    if (type !== 'list')
      throw invalid(
        'A filter can ask about lists only, which people are added to.',
        `${field}: must be the id of a list, not of a segment`,
      );
  }
}

/** Its people would leave or join the segment without a change of their own, which nothing follows. */
export async function refuseListOfSegment(
  { db }: Pick<PeopleDeps, 'db'>,
  session: Session,
  { _id, projectId, type }: StoredList,
): Promise<void> {
  if (type !== 'list') return;
  const segments = await db.contactLists
    .find({ projectId, type: 'segment' }, { session, hint: 'project', projection: { name: 1, filterCriteria: 1 } })
    .toArray();
  const listId = _id.toHexString();
  const named = segments.find(({ filterCriteria }) => namesList(filterCriteria, listId));
  if (named)
    throw conflict(
      'INVALID_STATE',
      `The segment "${named.name}" asks who is in this list; change or delete the segment first.`,
    );
}

function namesList(filterCriteria: Record<string, unknown> | null, listId: string): boolean {
  const parsed = filterCriteria && parseFilter(filterCriteria, { contactProperties: {} });
  return parsed?.ok === true && listsNamedIn(parsed.filter, '').some((one) => one.listId === listId);
}
