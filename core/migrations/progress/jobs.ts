import { again, documentQueue, done } from '../../jobs/document-queue.ts';
import type { JobQueue } from '../../jobs/queue.ts';
import type { MigrationsDeps } from '../deps.ts';
import type { Migration } from '../model.ts';
import { isLive } from '../rules/status.ts';
import { MIGRATION_STARTS } from './progress.ts';

/** The run of an earlier job of the project is still ending. */
const BUSY_AGAIN_MS = 250;
/** A live job whose run was lost (terminated by hand, or by the Reset of an older one) gets a new run after this time. */
const LOOK_AFTER_MS = 60_000;

/** Starts the run of each live job, signals decisions to it, and starts it again when it was lost. */
export function migrationQueue(deps: MigrationsDeps): JobQueue {
  return documentQueue<Migration>(deps, {
    name: MIGRATION_STARTS,
    collection: deps.db.migrations,
    field: 'dueAt',
    concurrencyMax: 16,
    run: async ({ _id, projectId, provider, run, status }) => {
      const job = { projectId: projectId.toHexString(), migrationId: _id.toHexString(), provider, run };
      if (!isLive(status)) {
        await deps.workflows.cancelMigration(job);
        return done;
      }
      const isUnderWay = await deps.workflows.migrate(job);
      return again(new Date(deps.clock.now().getTime() + (isUnderWay ? LOOK_AFTER_MS : BUSY_AGAIN_MS)));
    },
  });
}
