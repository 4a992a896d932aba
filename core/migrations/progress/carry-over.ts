import type { Project } from '../../base/model.ts';
import { carryOverStarts } from '../../jobs/starts.ts';
import type { MigrationsDeps } from '../deps.ts';

/** Jobs of before a migration could start automations, and runs of the time when a job had their date itself. */
export async function carryOverMigrations(
  deps: MigrationsDeps,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<{ migrations: number; starts: number }> {
  const { migrations: documents } = deps.db;
  const old = { projectId, runWorkflow: { $exists: false } };
  const { modifiedCount: migrations } = await documents.updateMany(old, { $set: { runWorkflow: false } });
  return { migrations, starts: await carryOverStarts(deps, 'migration', { projectId, documents, field: 'dueAt' }) };
}
