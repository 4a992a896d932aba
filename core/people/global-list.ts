import type { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { derivedId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import type { PeopleDeps } from './deps.ts';
import type { StoredList } from './model.ts';

/** The name of the list of all contacts of a project, in any call that names a list. */
export const GLOBAL_LIST = 'GLOBAL_CONTACT_LIST';

/** Derived from the project's id, so that creating the list again changes nothing. */
export function globalListId({ _id }: Pick<Project, '_id'>): ObjectId {
  return derivedId(_id.getTimestamp(), 'global list', _id.toHexString());
}

/** The id that the interface shows. */
export function wireListId({ _id, type }: Pick<StoredList, '_id' | 'type'>): string {
  return type === 'global' ? GLOBAL_LIST : _id.toHexString();
}

/** A campaign can name the global list in two ways. */
export function goesToEverybody({
  toLists,
  sendToGlobalList,
}: {
  toLists: readonly { id: string }[];
  sendToGlobalList: boolean;
}): boolean {
  return sendToGlobalList || toLists.some(({ id }) => id === GLOBAL_LIST);
}

export async function makeGlobalList(deps: PeopleDeps, project: Pick<Project, '_id'>): Promise<void> {
  const input = { _id: globalListId(project), name: 'All contacts', description: '', type: 'global' as const };
  await deps.db.contactLists.insertOne(newList(deps, project, input)).catch((error) => {
    if (!isDuplicateKey(error)) throw error;
  });
}

export function newList(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  input: Pick<StoredList, '_id' | 'name' | 'description' | 'type' | 'isPublic'>,
): StoredList {
  const now = deps.clock.now();
  return {
    ...input,
    projectId: project._id,
    filterCriteria: null,
    recompute: null,
    createdAt: now,
    updatedAt: now,
  };
}
