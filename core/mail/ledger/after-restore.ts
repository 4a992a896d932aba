import type { ObjectId } from 'mongodb';
import type { LedgerDeps } from './ledger.ts';
import { OPEN_STATES, states } from './states.ts';

/** The owner of messages whose process cannot be running any more: no process has this id, so each is an orphan at once. */
export const RESTORED_OWNER = 'restored';

/**
 * After a restore it is not known which open messages have been sent since the backup was made. Each is treated as if its sender
 * had died after the final dot: the relay is asked by Message-ID where that is possible, transactional mail is sent again, the
 * rest becomes `unknown`. Mail that is scheduled for later stays scheduled. Call it while no worker runs; calling it twice does no
 * harm.
 */
export async function orphanOpenMessages({ db }: Pick<LedgerDeps, 'db'>, project: { _id: ObjectId }): Promise<number> {
  const open = {
    projectId: project._id,
    state: { $in: OPEN_STATES },
    $nor: [{ state: states.scheduled, $expr: { $gt: ['$dueAt', '$$NOW'] } }],
  };
  const { modifiedCount } = await db.messages.updateMany(open, [
    {
      $set: {
        state: states.committing,
        owner: RESTORED_OWNER,
        claimedAt: { $ifNull: ['$claimedAt', '$$NOW'] },
        dueAt: '$$NOW',
      },
    },
  ]);
  return modifiedCount;
}
