import { ObjectId } from 'mongodb';
import type { Project, Session } from '../../base/model.ts';
import type { PeopleDeps } from '../deps.ts';
import { globalListId } from '../global-list.ts';
import type { ContactList, StoredList } from '../model.ts';
import type { PublishedChange } from '../subscribers.ts';

/**
 * The part of the counts that a writer changes. Requests and imports never share a part; two processes rarely do, and then wait for each
 * other.
 */
export type Writer = number;

const WRITERS_OF_A_KIND = 8;

/** Tries with other numbers write to other parts. */
export function requestWriter(number = processNumber()): Writer {
  return number % WRITERS_OF_A_KIND;
}

/** Concurrent imports of one project rarely share a part. */
export function importWriter(importId?: ObjectId): Writer {
  return WRITERS_OF_A_KIND + ((processNumber() + (importId?.id.at(-1) ?? 0)) % WRITERS_OF_A_KIND);
}

/** Another part of the same kind. */
export function nextWriter(writer: Writer): Writer {
  return writer - (writer % WRITERS_OF_A_KIND) + ((writer + 1) % WRITERS_OF_A_KIND);
}

/** The count of each list and segment, and of all contacts, changes with the contacts. */
export async function countLists(
  deps: PeopleDeps,
  session: Session,
  projectId: ObjectId,
  published: PublishedChange[],
  writer: Writer,
): Promise<void> {
  const deltas = deltasOf(published, globalListId({ _id: projectId })).filter(({ delta }) => delta !== 0);
  if (deltas.length === 0) return;
  await deps.db.listCounts.bulkWrite(
    deltas.map(({ listId, delta }) => ({
      updateOne: {
        filter: { _id: `${listId.toHexString()}:${writer}`, projectId },
        update: { $inc: { count: delta }, $setOnInsert: { listId } },
        upsert: true,
      },
    })),
    { session },
  );
}

export async function withCounts(
  deps: PeopleDeps,
  projectId: ObjectId,
  lists: StoredList[],
  session?: Session,
): Promise<ContactList[]> {
  const rows = await deps.db.listCounts
    .aggregate<{ _id: ObjectId; count: number }>(
      [
        { $match: { projectId, listId: { $in: lists.map(({ _id }) => _id) } } },
        { $group: { _id: '$listId', count: { $sum: '$count' } } },
      ],
      { hint: 'list', ...(session ? { session } : {}) },
    )
    .toArray();
  const counts = new Map(rows.map(({ _id, count }) => [_id.toHexString(), count]));
  return lists.map((list) => ({ ...list, contactCount: counts.get(list._id.toHexString()) ?? 0 }));
}

export async function withCount(deps: PeopleDeps, list: StoredList): Promise<ContactList> {
  const [counted] = await withCounts(deps, list.projectId, [list]);
  return counted as ContactList;
}

/** The number of contacts in a project. */
export async function countContacts(deps: PeopleDeps, project: Pick<Project, '_id'>): Promise<number> {
  const parts = await deps.db.listCounts
    .find({ projectId: project._id, listId: globalListId(project) }, { hint: 'list' })
    .toArray();
  return parts.reduce((sum, { count }) => sum + count, 0);
}

interface Delta {
  listId: ObjectId;
  delta: number;
}

function deltasOf(published: PublishedChange[], everybody: ObjectId): Delta[] {
  const deltas = new Map<string, Delta>();
  const add = (listId: ObjectId, delta: number) => {
    const key = listId.toHexString();
    const entry = deltas.get(key) ?? { listId, delta: 0 };
    entry.delta += delta;
    deltas.set(key, entry);
  };
  for (const { before, after } of published) {
    for (const id of after ? [everybody, ...after.listIds, ...after.segmentIds] : []) add(id, 1);
    for (const id of before ? [everybody, ...before.listIds, ...before.segmentIds] : []) add(id, -1);
  }
  return [...deltas.values()];
}

/** Ids that a process makes carry a number of its own. */
function processNumber(): number {
  return new ObjectId().id[8] ?? 0;
}
