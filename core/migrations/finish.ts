import type { Filter } from 'mongodb';
import { inTransaction } from '../base/database/transactions.ts';
import { announceEvents, publishEvents } from '../events/events.ts';
import { requestRun, withdrawRun } from '../jobs/starts.ts';
import type { MigrationsDeps } from './deps.ts';
import { forgetKey, forgetKeyLater } from './keys.ts';
import type { Migration } from './model.ts';
import { migrationEvent, publishMigration } from './progress/progress.ts';
import { migrationsBefore } from './rules/status.ts';

type End = Pick<Migration, 'failureReason'> & {
  status: 'completed' | 'completed_with_errors' | 'failed' | 'cancelled';
};

/** Job and key in one commit: no crash leaves the key of a job that is over. null: the job's status allows no such end any more. */
export async function endMigration(deps: MigrationsDeps, job: Filter<Migration>, end: End): Promise<Migration | null> {
  const now = deps.clock.now();
  const isDone = end.status === 'completed' || end.status === 'completed_with_errors';
  const ended = await inTransaction(deps, async (session) => {
    const after = await deps.db.migrations.findOneAndUpdate(
      { ...job, status: migrationsBefore(end.status) },
      {
        $set: {
          ...end,
          ...(isDone ? { phase: null } : {}),
          attention: null,
          decision: null,
          owner: null,
          completedAt: now,
          updatedAt: now,
        },
        $inc: { version: 1 },
      },
      { session, returnDocument: 'after' },
    );
    if (!after) return null;
    // A cancelled run must still be signalled; the others end by themselves.
    if (end.status === 'cancelled') await requestRun(deps, 'migration', after, { session });
    else await withdrawRun(deps, 'migration', after, session);
    if (end.status === 'failed') await forgetKeyLater(deps, after, session);
    else await forgetKey(deps, after, session);
    const eventType = isDone ? 'completed' : end.status === 'failed' ? 'failed' : 'progress';
    await publishEvents(deps, after.projectId, [migrationEvent(eventType, after, after.version)], session);
    return after;
  });
  if (!ended) return null;
  if (isDone) await deps.db.migrationUnsubscribed.deleteMany({ projectId: ended.projectId, migrationId: ended._id });
  announceEvents(deps, ended.projectId);
  publishMigration(deps, ended);
  return ended;
}
