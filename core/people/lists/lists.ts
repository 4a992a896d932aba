import type { ObjectId, Sort } from 'mongodb';
import type { createListBody, updateListBody } from '../../../schemas/people/lists.ts';
import type { Described } from '../../../schemas/schema.ts';
import { insertOnce } from '../../base/database/idempotent-insert.ts';
import { named } from '../../base/database/search.ts';
import { nextUpdate, refuseUnseen } from '../../base/database/seen.ts';
import { afterCommit, inTransaction } from '../../base/database/transactions.ts';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import { derivedId, parseId } from '../../base/ids.ts';
import { type Origin, refuseAuthor } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { type Page, type PageOf, pageOf } from '../../base/paging.ts';
import { withCount, withCounts } from '../changes/counts.ts';
import type { PeopleDeps } from '../deps.ts';
import { GLOBAL_LIST, globalListId, newList, wireListId } from '../global-list.ts';
import type { ContactList, StoredList } from '../model.ts';
import { removeList } from './removals.ts';
import { createSegment, updateSegmentFilter } from './segments.ts';

type ListInput = Described<typeof createListBody>;

/** A page that shows more would be no help. */
const PUBLIC_LISTS_MAX = 25;

type Tenant = Pick<Project, '_id'>;

export async function createList(
  deps: PeopleDeps,
  project: Tenant,
  { name, description = '', filterCriteria, isPublic, type = filterCriteria ? 'segment' : 'list' }: ListInput,
  { at, seed, ...by }: Origin,
): Promise<ContactList> {
  if (isPublic) refuseAuthor(by, 'makePublic');
  const _id = derivedId(at, 'list', seed.toHexString());
  const list = newList(deps, project, { _id, name, description, type, ...(isPublic ? { isPublic } : {}) });
  if (isPublic) await requirePublic(deps, project, list);
  if (type === 'segment') return counted(deps, list, () => createSegment(deps, list, filterCriteria));
  if (filterCriteria) throw filterOfList();
  return counted(deps, list, () => insertOnce(deps.db.contactLists, list, { projectId: project._id }));
}

/** A list with its count after the write; where that cannot be read any more, the one before it. */
async function counted(deps: PeopleDeps, list: StoredList, write: () => Promise<StoredList>): Promise<ContactList> {
  const { contactCount } = await withCount(deps, list);
  const written = await write();
  const now = await afterCommit(
    deps,
    () => withCount(deps, written),
    'a list is shown with the count before its change',
  );
  return now ?? { ...written, contactCount };
}

interface ListSearch {
  type?: 'list' | 'segment' | undefined;
  search?: string | undefined;
  newestFirst?: boolean | undefined;
}

/** The global list comes first, then lists, then segments; or the newest comes first. */
export async function listLists(
  deps: PeopleDeps,
  project: Tenant,
  { type, search, newestFirst, ...page }: Page & ListSearch,
): Promise<PageOf<ContactList>> {
  const types: ContactList['type'][] = type === 'segment' ? ['segment'] : ['global', 'list'];
  const filter = { projectId: project._id, ...(type ? { type: { $in: types } } : {}), ...named(search, 'name') };
  const sort: Sort = newestFirst ? { createdAt: -1, _id: -1 } : { type: 1, _id: 1 };
  const found = await pageOf(deps.db.contactLists, filter, page, { sort, hint: 'project' });
  return { ...found, entries: await withCounts(deps, project._id, found.entries) };
}

/** Lists, segments and the global list, by the id that the interface shows. `field` is given when the id came in a body. */
export async function findList(deps: PeopleDeps, project: Tenant, id: string, field?: string): Promise<ContactList> {
  return withCount(deps, await findStoredList(deps, project, id, field));
}

export async function findStoredList(
  deps: PeopleDeps,
  project: Tenant,
  id: string,
  field?: string,
): Promise<StoredList> {
  const _id = id === GLOBAL_LIST ? globalListId(project) : parseId(id);
  const list = _id && (await deps.db.contactLists.findOne({ _id, projectId: project._id }));
  if (!list || (list.type === 'global') !== (id === GLOBAL_LIST)) throw notFound('CONTACT_LIST', field);
  return list;
}

/** Each list once, in the order of the request. */
export async function findLists(
  deps: PeopleDeps,
  project: Tenant,
  ids: string[],
  field: string,
): Promise<ContactList[]> {
  return withCounts(deps, project._id, await findStoredLists(deps, project, ids, field));
}

async function findStoredLists(deps: PeopleDeps, project: Tenant, ids: string[], field: string): Promise<StoredList[]> {
  const named = [...new Set(ids.map((id) => (id === GLOBAL_LIST ? id : id.toLowerCase())))];
  const listIds = named.map((id) => (id === GLOBAL_LIST ? globalListId(project) : parseId(id)));
  if (listIds.includes(null)) throw notFound('CONTACT_LIST', field);
  const found = await deps.db.contactLists
    .find({ projectId: project._id, _id: { $in: listIds.filter((id) => id !== null) } })
    .toArray();
  const byId = new Map(found.map((list) => [wireListId(list), list]));
  return named.map((id) => {
    const list = byId.get(id);
    if (!list) throw notFound('CONTACT_LIST', field);
    return list;
  });
}

/**
 * Lists that contacts may be added to: an unknown one is 404, a segment 400, and the global list is left out, since every contact is in it.
 */
export async function listsNamed(
  deps: PeopleDeps,
  project: Tenant,
  ids: string[] | undefined,
  field = 'listIds',
): Promise<ObjectId[]> {
  const named = (ids ?? []).filter((id) => id !== GLOBAL_LIST);
  if (named.length === 0) return [];
  const lists = await findStoredLists(deps, project, named, field);
  if (lists.some(({ type }) => type === 'segment')) throw segmentNamed(field);
  return lists.map(({ _id }) => _id);
}

export async function updateList(
  deps: PeopleDeps,
  project: Tenant,
  id: string,
  { name, description, type, filterCriteria, isPublic, updatedAt: seen }: Described<typeof updateListBody>,
): Promise<ContactList> {
  const list = await findOwnList(deps, project, id, 'changed');
  if (type !== undefined && type !== list.type)
    throw invalid(`type: cannot change; create a ${type} instead.`, 'type: cannot change');
  if (filterCriteria && list.type === 'list') throw filterOfList();
  if (isPublic && !list.isPublic) await requirePublic(deps, project, list);
  const changeOf = (current: StoredList) => {
    refuseUnseen(list.type, current, seen);
    const set = {
      ...{ name: name ?? current.name, description: description ?? current.description },
      ...(isPublic ? { isPublic } : {}),
      updatedAt: nextUpdate(current, deps.clock.now()),
    };
    return { $set: set, ...(isPublic === false ? { $unset: { isPublic: true as const } } : {}) };
  };
  if (filterCriteria) return counted(deps, list, () => updateSegmentFilter(deps, list, filterCriteria, changeOf));
  const own = { _id: list._id, projectId: project._id };
  return counted(deps, list, () =>
    inTransaction(deps, async (session) => {
      // A list that another call changes after this read makes the transaction conflict, and be repeated.
      const current = await deps.db.contactLists.findOne(own, { session });
      const change = { session, returnDocument: 'after' } as const;
      const updated = current && (await deps.db.contactLists.findOneAndUpdate(own, changeOf(current), change));
      if (!updated) throw notFound('CONTACT_LIST');
      return updated;
    }),
  );
}

/** The contacts are kept; they only leave the list. */
export async function deleteList(deps: PeopleDeps, project: Tenant, id: string): Promise<void> {
  await removeList(deps, await findOwnList(deps, project, id, 'deleted'));
}

/** The lists that the preference page shows, oldest first. */
export function publicLists({ db }: Pick<PeopleDeps, 'db'>, { _id: projectId }: Tenant): Promise<StoredList[]> {
  return db.contactLists.find({ projectId, isPublic: true }, { sort: { _id: 1 } }).toArray();
}

export function segmentNamed(field: string) {
  return invalid(
    'A segment takes the contacts that match its filter; none can be added or removed.',
    `${field}: names a segment`,
  );
}

async function findOwnList(deps: PeopleDeps, project: Tenant, id: string, done: string): Promise<StoredList> {
  if (id === GLOBAL_LIST)
    throw invalid(`The global list holds every contact and cannot be ${done}.`, 'id: names the global list');
  return findStoredList(deps, project, id);
}

async function requirePublic(deps: PeopleDeps, project: Tenant, { _id, type }: StoredList): Promise<void> {
  if (type === 'segment')
    throw invalid('isPublic: people join lists only, never segments.', 'isPublic: belongs to lists only');
  const others = (await publicLists(deps, project)).filter((list) => !list._id.equals(_id));
  if (others.length >= PUBLIC_LISTS_MAX)
    throw conflict('INVALID_STATE', `A project has at most ${PUBLIC_LISTS_MAX} public lists.`);
}

function filterOfList() {
  return invalid('filterCriteria: belongs to segments only.', 'filterCriteria: belongs to segments only');
}

/**
 * In the transaction of what names these lists: it conflicts with one that removes such a list, and the repeated one sees the result of
 * the other. Returns how many of them are there.
 */
export async function holdListsByIds(
  { db }: Pick<PeopleDeps, 'db'>,
  session: Session,
  projectId: ObjectId,
  ids: ObjectId[],
): Promise<number> {
  const { matchedCount } = await db.contactLists.updateMany(
    { projectId, _id: { $in: ids } },
    { $inc: { holds: 1 } },
    { session },
  );
  return matchedCount;
}
