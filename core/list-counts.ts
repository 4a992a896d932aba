import type { ObjectId } from 'mongodb';
import type { PublishedChange } from './contact-publication.ts';
import type { Deps } from './deps.ts';
import { globalListId, newList } from './global-list.ts';
import type { Session } from './model.ts';

interface Delta {
  _id: ObjectId;
  delta: number;
  joins: boolean;
}

/** Lists that somebody was to join are no longer there. */
export class ListsGone extends Error {
  readonly ids: string[];
  constructor(ids: string[]) {
    super('lists were deleted meanwhile');
    this.ids = ids;
  }
}

/**
 * The count of each list and segment, and of all contacts, moves with its contacts. Whoever joins a list writes it, so that it
 * cannot be deleted at the same time.
 */
export async function countLists(
  deps: Deps,
  session: Session,
  projectId: ObjectId,
  published: PublishedChange[],
): Promise<void> {
  const deltas = deltasOf(published).filter(({ delta, joins }) => joins || delta !== 0);
  const writes = deltas.map(({ _id, delta }) => ({
    updateOne: { filter: { _id, projectId }, update: { $inc: { contactCount: delta, membersRevision: 1 } } },
  }));
  if (writes.length > 0) {
    const { matchedCount } = await deps.db.contactLists.bulkWrite(writes, { session });
    if (matchedCount < writes.length) await refuseGone(deps, session, projectId, deltas);
  }
  const total = published.reduce((sum, { before, after }) => sum + (after ? 1 : 0) - (before ? 1 : 0), 0);
  if (total !== 0) await countAll(deps, session, projectId, total);
}

function deltasOf(published: PublishedChange[]): Delta[] {
  const deltas = new Map<string, Delta>();
  const add = (_id: ObjectId, delta: number) => {
    const key = _id.toHexString();
    const entry = deltas.get(key) ?? { _id, delta: 0, joins: false };
    entry.delta += delta;
    deltas.set(key, entry);
    return entry;
  };
  for (const { before, after } of published) {
    const known = new Set([...(before?.listIds ?? []), ...(before?.segmentIds ?? [])].map((id) => id.toHexString()));
    for (const id of [...(after?.listIds ?? []), ...(after?.segmentIds ?? [])]) {
      const entry = add(id, 1);
      if (!known.has(id.toHexString())) entry.joins = true;
    }
    for (const id of [...(before?.listIds ?? []), ...(before?.segmentIds ?? [])]) add(id, -1);
  }
  return [...deltas.values()];
}

/** A list that is being removed may be left, not joined. */
async function refuseGone(deps: Deps, session: Session, projectId: ObjectId, deltas: Delta[]): Promise<void> {
  const ids = deltas.filter(({ joins }) => joins).map(({ _id }) => _id);
  const found = await deps.db.contactLists
    .find({ projectId, _id: { $in: ids } }, { session, projection: { _id: 1 } })
    .toArray();
  const there = new Set(found.map(({ _id }) => _id.toHexString()));
  const gone = ids.map((id) => id.toHexString()).filter((id) => !there.has(id));
  if (gone.length > 0) throw new ListsGone(gone);
}

async function countAll(deps: Deps, session: Session, projectId: ObjectId, delta: number): Promise<void> {
  const _id = globalListId({ _id: projectId });
  const { matchedCount } = await deps.db.contactLists.updateOne(
    { _id, projectId },
    { $inc: { contactCount: delta, membersRevision: 1 } },
    { session },
  );
  if (matchedCount > 0) return;
  const list = newList(deps, { _id: projectId }, { _id, name: 'All contacts', description: '', type: 'global' });
  await deps.db.contactLists.insertOne({ ...list, contactCount: delta }, { session });
}
