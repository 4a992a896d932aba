import type { Project } from '../base/model.ts';
import { wakeUps } from '../base/work/wake-ups.ts';
import type { MigrationsDeps } from './deps.ts';
import { getMigration } from './migrations.ts';
import type { Migration } from './model.ts';
import { migrationChannel } from './progress/progress.ts';

/** Without Redis the job is read this often. */
const READ_EVERY_MS = 1_000;
const SIGN_OF_LIFE_MS = 15_000;

/**
 * The job now, then after each change, until the caller disconnects; null is a heartbeat. Versions only increase, and a caller that
 * reconnects with its last version gets only newer ones: each event is the whole job, so nothing in between is missed.
 */
export async function* watchMigration(
  deps: MigrationsDeps,
  project: Pick<Project, '_id'>,
  id: string,
  { afterVersion, signal }: { afterVersion: number; signal: AbortSignal },
): AsyncGenerator<Migration | null> {
  let seen = afterVersion;
  let spokeAt = performance.now();
  const channel = migrationChannel(id.toLowerCase());
  for await (const _wakeUp of wakeUps(deps, channel, { everyMs: READ_EVERY_MS, signal })) {
    const migration = await getMigration(deps, project, id);
    const isNew = migration.version > seen;
    if (isNew || performance.now() - spokeAt > SIGN_OF_LIFE_MS) {
      spokeAt = performance.now();
      seen = Math.max(seen, migration.version);
      yield isNew ? migration : null;
    }
  }
}
