import type { Project } from '../base/model.ts';
import { carryOverStarts } from '../jobs/starts.ts';
import type { PeopleDeps } from './deps.ts';
import { touchProjectRules } from './project-rules.ts';

/**
 * Custom fields of before they had labels, imports of before they counted who is suppressed, and runs of the time when imports and segments had
 * their dates themselves.
 */
export async function carryOverPeople(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
): Promise<{ customFields: number; imports: number; starts: number }> {
  const projectId = project._id;
  const { imports: documents, contactLists } = deps.db;
  const { modifiedCount: customFields } = await deps.db.customFields.updateMany(
    { projectId, label: { $exists: false } },
    { $set: { label: '' } },
  );
  // Other processes hold the fields until then.
  if (customFields > 0) await touchProjectRules(deps, project);
  const { modifiedCount: imports } = await documents.updateMany(
    { projectId, suppressed: { $exists: false } },
    { $set: { suppressed: 0, stillSuppressed: 0, consents: 0 } },
  );
  const read = await carryOverStarts(deps, 'import', { projectId, documents, field: 'startDueAt' });
  const segments = { projectId, documents: contactLists, field: 'recomputeDueAt' };
  return { customFields, imports, starts: read + (await carryOverStarts(deps, 'segment', segments)) };
}
