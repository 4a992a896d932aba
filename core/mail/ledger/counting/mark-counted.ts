import type { ObjectId } from 'mongodb';
import type { Session } from '../../../base/model.ts';
import type { MailDeps } from '../../deps.ts';
import { after } from '../ledger.ts';

type Db = Pick<MailDeps, 'db'>;

/** How soon rows of open claims are looked at again. */
const AGAIN_MS = 5_000;

/** The room of figures has counted them, in the same transaction. */
export async function markRowsCounted(
  { db }: Db,
  projectId: ObjectId,
  ids: ObjectId[],
  session: Session,
): Promise<void> {
  if (ids.length === 0) return;
  const counted = { $unset: { counted: '' as const, countDueAt: '' as const } };
  await db.messages.updateMany({ _id: { $in: ids }, projectId }, counted, { session });
}

/** Their claim is open: it may have to say with which outcome a row was inserted. */
export async function countRowsLater(
  { db }: Db,
  projectId: ObjectId,
  ids: ObjectId[],
  session: Session,
): Promise<void> {
  if (ids.length === 0) return;
  const later = [{ $set: { countDueAt: after(AGAIN_MS) } }];
  await db.messages.updateMany({ _id: { $in: ids }, projectId }, later, { session });
}

export async function markClaimsCounted(
  { db }: Db,
  projectId: ObjectId,
  ids: ObjectId[],
  session: Session,
): Promise<void> {
  if (ids.length === 0) return;
  const counted = { $unset: { counts: '' as const, countDueAt: '' as const } };
  await db.campaignClaims.updateMany({ _id: { $in: ids }, projectId }, counted, { session });
}

/** A campaign that has lost its run needs its claims no more: they were kept to be counted. */
export async function removeCountedClaims(
  { db }: Db,
  projectId: ObjectId,
  ids: ObjectId[],
  session: Session,
): Promise<void> {
  if (ids.length === 0) return;
  await db.campaignClaims.deleteMany({ _id: { $in: ids }, projectId }, { session });
}
