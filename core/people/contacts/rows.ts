import type { ObjectId } from 'mongodb';
import { parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import type { ContactChange } from '../changes/apply-change.ts';
import type { PeopleDeps } from '../deps.ts';
import { GLOBAL_LIST } from '../global-list.ts';
import type { ContactRow } from './parse-row.ts';

/** The lists that rows name, read once for all rows. */
type ListDirectory = ReadonlyMap<string, 'list' | 'segment' | 'global'>;

export async function listDirectory(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  rows: ContactRow[],
): Promise<ListDirectory> {
  const ids = [...new Set(rows.flatMap(({ listIds = [] }) => listIds))].flatMap((id) => parseId(id) ?? []);
  if (ids.length === 0) return new Map();
  const found = await deps.db.contactLists
    .find({ projectId: project._id, _id: { $in: ids } }, { projection: { type: 1 } })
    .toArray();
  return new Map(found.map(({ _id, type }) => [_id.toHexString(), type]));
}

/** The change that a row asks for, by the rules of `contacts.upsert`; a string is the reason why it is refused. */
export function changeOfRow(
  { email, listIds = [], customFields, contactProperties, ...set }: ContactRow,
  directory: ListDirectory,
  newId: ObjectId,
): ContactChange | string {
  const addListIds: ObjectId[] = [];
  for (const id of listIds) {
    if (id === GLOBAL_LIST) continue;
    const listId = parseId(id);
    const type = listId && directory.get(listId.toHexString());
    if (!listId || !type || type === 'global') return 'listIds: names no contact list of this project';
    if (type === 'segment') return 'listIds: names a segment';
    addListIds.push(listId);
  }
  return {
    email,
    newId,
    whenMissing: 'create',
    whenPresent: 'change',
    set,
    properties: { ...customFields, ...contactProperties },
    addListIds,
  };
}
