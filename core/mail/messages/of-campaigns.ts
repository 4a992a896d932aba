import type { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import type { MailDeps } from '../deps.ts';
import type { Message } from '../ledger/model.ts';
import { type MessageState, states } from '../ledger/states.ts';

type Db = Pick<MailDeps, 'db'>;
type OfCampaign = Pick<Message, 'projectId'> & { campaignId: ObjectId };

/** The rows that a freeze writes: those of suppressed people. */
export async function insertFrozenRows({ db }: Db, rows: Message[], session: Session): Promise<void> {
  await db.messages.insertMany(rows, { session });
}

/** Rows of an attempt of a freeze, which nothing has sent: only those that are still in one of these states. */
export async function removeFrozenRows(
  { db }: Db,
  { projectId, campaignId }: OfCampaign,
  from: readonly MessageState[],
  ids: ObjectId[],
  session: Session,
): Promise<void> {
  await db.messages.deleteMany({ _id: { $in: ids }, projectId, campaignId, state: { $in: from } }, { session });
}

/** A person has the failed or unknown mail of a campaign sent again. */
export async function queueAgain(
  { db, clock }: Pick<MailDeps, 'db' | 'clock'>,
  projectId: ObjectId,
  from: 'failed' | 'unknown',
  ids: ObjectId[],
): Promise<void> {
  await db.messages.updateMany({ _id: { $in: ids }, projectId, state: from }, [
    {
      $set: {
        state: states.queued,
        dueAt: '$$REMOVE',
        deferrals: '$$REMOVE',
        reason: '$$REMOVE',
        endedAt: '$$REMOVE',
        // Failed mail has 24 hours again; mail that may have arrived is sent as the same mail, Date included.
        ...(from === states.failed ? { firstAt: '$$REMOVE' } : {}),
        timeline: { $concatArrays: [{ $ifNull: ['$timeline', []] }, [{ type: 'retried', at: clock.now() }]] },
      },
    },
  ]);
}
