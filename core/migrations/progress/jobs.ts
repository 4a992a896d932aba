import { again, done } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import { startQueue } from '../../jobs/starts.ts';
import type { MigrationsDeps } from '../deps.ts';
import { isLive } from '../rules/status.ts';

/** The run of an earlier job of the project is still ending. */
const BUSY_AGAIN_MS = 250;
/** A live job whose run was lost (terminated by hand, or by the Reset of an older one) gets a new run after this time. */
const LOOK_AFTER_MS = 60_000;

/** Starts the run of each live job, signals decisions to it, and starts it again when it was lost. */
export function migrationQueue(deps: MigrationsDeps): JobQueue {
  return startQueue(deps, 'migration', {
    concurrencyMax: 16,
    run: async ({ subjectId, projectId }) => {
      const migration = await deps.db.migrations.findOne({ _id: subjectId, projectId });
      if (!migration) return done;
      const { provider, run, status } = migration;
      const job = { projectId: projectId.toHexString(), migrationId: subjectId.toHexString(), provider, run };
      if (!isLive(status)) {
        await deps.workflows.cancelMigration(job);
        return done;
      }
      const isUnderWay = await deps.workflows.migrate(job);
      return again(new Date(deps.clock.now().getTime() + (isUnderWay ? LOOK_AFTER_MS : BUSY_AGAIN_MS)));
    },
  });
}
