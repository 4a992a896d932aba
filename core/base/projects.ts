import type { ObjectId } from 'mongodb';
import type { Collections } from './collections.ts';
import { insertOnce } from './database/idempotent-insert.ts';
import type { Project, Session } from './model.ts';

type Db = { db: Pick<Collections, 'projects'> };
type Owned = Pick<Project, '_id' | 'organizationId'>;
type Fields = Partial<Omit<Project, '_id' | 'organizationId' | 'audienceVersion'>>;

/** A repeat of the call that made it gets the stored one. */
export function insertProject({ db }: Db, project: Project): Promise<Project> {
  return insertOnce(db.projects, project, { organizationId: project.organizationId });
}

/** Only the fields that are given: two calls that change different ones may run at the same time. null: it is deleted, or not theirs. */
export function changeProject(
  { db }: Db,
  { _id, organizationId }: Owned,
  { set, unset }: { set: Fields; unset: Partial<Record<keyof Fields, ''>> },
  session: Session,
): Promise<Project | null> {
  return db.projects.findOneAndUpdate(
    { _id, organizationId, deletedAt: null },
    { $set: set, $unset: unset },
    { session, returnDocument: 'after' },
  );
}

/** A project that was never changed has none. */
export function updatedAtOf({ updatedAt, createdAt }: Pick<Project, 'updatedAt' | 'createdAt'>): Date {
  return updatedAt ?? createdAt;
}

/** Until `removalDueAt` the caller removes what belongs to it. */
export async function markProjectDeleted(
  { db }: Db,
  { _id, organizationId }: Owned,
  dates: { deletedAt: Date; removalDueAt: Date },
): Promise<void> {
  await db.projects.updateOne({ _id, organizationId }, { $set: dates });
}

/** A deleted project of which something may be left; until `until` no other process gets it. null: there is none. */
export function takeProjectRemoval({ db }: Db, now: Date, until: Date): Promise<Owned | null> {
  // Of all organizations: the index has none. A version before this date wrote none.
  const isDue = { removalDueAt: { $not: { $gt: now } } };
  return db.projects.findOneAndUpdate(
    { deletedAt: { $type: 'date' }, removedAt: { $exists: false }, ...isDue },
    { $set: { removalDueAt: until } },
    { projection: { organizationId: 1 } },
  );
}

export async function noteProjectRemoved({ db }: Db, { _id, organizationId }: Owned, removedAt: Date): Promise<void> {
  await db.projects.updateOne({ _id, organizationId }, { $set: { removedAt }, $unset: { removalDueAt: '' } });
}

/** After every change of what contacts are compared with: processes compile it again. */
export async function raiseAudienceVersion({ db }: Db, _id: ObjectId, session?: Session): Promise<void> {
  await db.projects.updateOne({ _id }, { $inc: { audienceVersion: 1 } }, session ? { session } : {});
}
