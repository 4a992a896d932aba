import type { ObjectId } from 'mongodb';
import { type LedgerDeps, OPEN_STATES } from './ledger.ts';

/** Whom no process is; what it holds is an orphan at once. */
const NOBODY = 'restored';

/**
 * After a backup was restored nobody knows which of its open messages have left since it was made. So each is treated as if its sender had
 * died behind the dot: the relay is asked by Message-ID where it can be, transactional mail is sent again, the rest becomes `unknown`.
 * To be called while no worker runs; doing it twice does no harm.
 */
export async function doubtOpenMessages({ db }: Pick<LedgerDeps, 'db'>, project: { _id: ObjectId }): Promise<number> {
  const open = {
    projectId: project._id,
    state: { $in: [...OPEN_STATES] },
  };
  const { modifiedCount } = await db.messages.updateMany(open, [
    { $set: { state: 'committing', owner: NOBODY, claimedAt: { $ifNull: ['$claimedAt', '$$NOW'] }, dueAt: '$$NOW' } },
  ]);
  return modifiedCount;
}
