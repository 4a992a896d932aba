import type { Document, Filter, ObjectId } from 'mongodb';
import { inTransaction } from '../../../base/database/transactions.ts';
import type { MailDeps } from '../../deps.ts';
import type { Message, TimelineEntry } from '../../ledger/model.ts';
import { CLAIMABLE_STATES, OPEN_RECIPIENT_STATES, states, TAKEN_RECIPIENT_STATES } from '../../ledger/states.ts';
import { TIMELINE_MAX } from '../messages.ts';

/**
 * No process has the message, and no relay can have it: an attempt whose end is not known, or whose process ended, has left a line in
 * the timeline. A claim that comes first changes the state, so that the change finds nothing.
 */
export const NOT_TAKEN: Filter<Message> = {
  state: { $in: CLAIMABLE_STATES },
  'timeline.type': { $nin: ['unknown', 'requeued'] },
  'recipients.state': { $nin: TAKEN_RECIPIENT_STATES },
};

/** null: a caller asked for it. */
export function cancellation(reason: string | null): Document[] {
  const cancelled = { $in: ['$$one.state', OPEN_RECIPIENT_STATES] };
  const recipients = {
    $map: {
      input: '$recipients',
      as: 'one',
      in: { $mergeObjects: ['$$one', { $cond: [cancelled, { state: states.cancelled }, {}] }] },
    },
  };
  return [
    {
      $set: {
        state: states.cancelled,
        reason: reason === null ? '$$REMOVE' : { $literal: reason },
        endedAt: '$$NOW',
        recipients: { $cond: [{ $isArray: '$recipients' }, recipients, '$$REMOVE'] },
        timeline: withLine({ type: states.cancelled, ...(reason === null ? {} : { reason }) }),
      },
    },
    { $unset: 'dueAt' },
  ];
}

export function postponement({ dueAt, scheduledAt }: Required<Pick<Message, 'dueAt' | 'scheduledAt'>>): Document[] {
  return [{ $set: { dueAt, scheduledAt, timeline: withLine(scheduledLine(scheduledAt)) } }];
}

/** The line of the history that says for when. */
export function scheduledLine(scheduledAt: Date): Omit<TimelineEntry, 'at'> {
  return { type: states.scheduled, reason: `To be sent at ${scheduledAt.toISOString()}.` };
}

function withLine(line: Omit<TimelineEntry, 'at'>): Document {
  const literal = Object.fromEntries(Object.entries(line).map(([field, value]) => [field, { $literal: value }]));
  const lines = { $concatArrays: [{ $ifNull: ['$timeline', []] }, [{ ...literal, at: '$$NOW' }]] };
  return { $slice: [lines, -TIMELINE_MAX] };
}

/** Changes all of these messages, if all of them are as `from` says, or none. Returns whether it did. */
export async function changeAll(
  deps: MailDeps,
  projectId: ObjectId,
  { ids, from, to }: { ids: ObjectId[]; from: Filter<Message>; to: Document[] },
): Promise<boolean> {
  const { messages } = deps.db;
  const which = { ...from, _id: { $in: ids }, projectId };
  if (ids.length === 1) return (await messages.updateOne(which, to)).modifiedCount === 1;
  try {
    await inTransaction(deps, async (session) => {
      const { modifiedCount } = await messages.updateMany(which, to, { session });
      if (modifiedCount < ids.length) throw new NotAll();
    });
    return true;
  } catch (error) {
    if (error instanceof NotAll) return false;
    throw error;
  }
}

class NotAll extends Error {}
