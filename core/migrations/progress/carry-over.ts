import type { Project } from '../../base/model.ts';
import { carryOverStarts } from '../../jobs/starts.ts';
import type { MigrationsDeps } from '../deps.ts';

/** Jobs of before a migration could start automations. Returns how many there were. */
export async function carryOverMigrations({ db }: MigrationsDeps, { _id }: Pick<Project, '_id'>): Promise<number> {
  const old = { projectId: _id, runWorkflow: { $exists: false } };
  const { modifiedCount } = await db.migrations.updateMany(old, { $set: { runWorkflow: false } });
  return modifiedCount;
}

/** Jobs whose run is due, of the time when the job itself had the date. Returns how many there were. */
export function carryOverMigrationStarts(
  deps: Pick<MigrationsDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<number> {
  return carryOverStarts(deps, 'migration', { projectId, documents: deps.db.migrations, field: 'dueAt' });
}
