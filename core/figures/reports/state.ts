import type { ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../../base/database/idempotent-insert.ts';
import type { Project, Session } from '../../base/model.ts';
import { noteFirst } from '../../jobs/upkeep.ts';
import { after } from '../../mail/ledger/ledger.ts';
import type { FiguresDeps } from '../deps.ts';
import type { ReportState } from './model.ts';

type Db = Pick<FiguresDeps, 'db'>;

const KEY = 'series';
/** Domains are judged at most that often while mail is sent. */
const REPUTATION_AFTER_MS = 60_000;

/** When the installation began to count. */
export async function countingSince({ db, clock }: Pick<FiguresDeps, 'db' | 'clock'>): Promise<Date> {
  const found = await db.upkeep.findOne({ _id: KEY });
  if (found?.doneAt) return found.doneAt;
  await noteFirst({ db }, KEY, { doneAt: clock.now() });
  return (await db.upkeep.findOne({ _id: KEY }))?.doneAt ?? clock.now();
}

export function readState({ db }: Db, projectId: ObjectId): Promise<ReportState | null> {
  return db.reportStates.findOne({ _id: projectId, projectId });
}

export async function ensureState({ db }: Db, projectId: ObjectId): Promise<void> {
  const state = { _id: projectId, projectId };
  await repeatOnDuplicate(() =>
    db.reportStates.updateOne(state, { $setOnInsert: { count: 0, turns: 0 } }, { upsert: true }),
  );
}

/** Runs in each transaction that counts: two at once conflict here, and one is repeated. Null while a recount is at work. */
export function beginCount({ db }: Db, projectId: ObjectId, session: Session): Promise<ReportState | null> {
  const isFree = { $or: [{ pausedUntil: { $exists: false } }, { $expr: { $lte: ['$pausedUntil', '$$NOW'] } }] };
  const judged = { $ifNull: ['$reputationDueAt', after(REPUTATION_AFTER_MS)] };
  const reputationDueAt = { $cond: ['$deletedAt', '$$REMOVE', judged] };
  return db.reportStates.findOneAndUpdate(
    { _id: projectId, projectId, ...isFree },
    [{ $set: { turns: { $add: ['$turns', 1] }, reputationDueAt } }],
    { session, returnDocument: 'after' },
  );
}

/** From when on the series of a project have everything that happened. */
export async function completeSince(
  deps: Pick<FiguresDeps, 'db' | 'clock'>,
  project: Pick<Project, 'createdAt'>,
  state: ReportState | null,
): Promise<Date> {
  const begun = state?.since ?? (await countingSince(deps));
  return new Date(Math.max(begun.getTime(), project.createdAt.getTime()));
}

/** For a project that is deleted. A count that is under way conflicts with the first write, and is not stored. */
export async function deleteReports(
  { db, clock }: Pick<FiguresDeps, 'db' | 'clock'>,
  projectId: ObjectId,
): Promise<void> {
  await ensureState({ db }, projectId);
  const deleted = {
    $set: { deletedAt: clock.now() },
    $unset: { reputationDueAt: '' as const, standings: '' as const },
  };
  await db.reportStates.updateOne({ _id: projectId, projectId }, deleted);
  await deleteCounts({ db }, { projectId });
}

/** The documents of all counts of a project, or of some. */
export async function deleteCounts(
  { db }: Db,
  some: { projectId: ObjectId; count?: number | { $ne: number } },
): Promise<void> {
  await db.reportCounts.deleteMany(some);
  await db.linkCounts.deleteMany(some);
}
