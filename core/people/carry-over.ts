import type { Project } from '../base/model.ts';
import { carryOverStarts } from '../jobs/starts.ts';
import type { PeopleDeps } from './deps.ts';
import { touchProjectRules } from './project-rules.ts';

/** Imports and recomputes whose run is due, of the time when they had the date themselves. Returns how many there were. */
export async function carryOverPeopleStarts(
  deps: Pick<PeopleDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<number> {
  const { imports, contactLists } = deps.db;
  const read = await carryOverStarts(deps, 'import', { projectId, documents: imports, field: 'startDueAt' });
  const segments = { projectId, documents: contactLists, field: 'recomputeDueAt' };
  return read + (await carryOverStarts(deps, 'segment', segments));
}

/** Custom fields of before they had labels, and imports of before they counted who is suppressed. Returns how many there were. */
export async function carryOverPeople(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
): Promise<{ customFields: number; imports: number }> {
  const projectId = project._id;
  const { modifiedCount: customFields } = await deps.db.customFields.updateMany(
    { projectId, label: { $exists: false } },
    { $set: { label: '' } },
  );
  // Other processes hold the fields until then.
  if (customFields > 0) await touchProjectRules(deps, project);
  const { modifiedCount: imports } = await deps.db.imports.updateMany(
    { projectId, suppressed: { $exists: false } },
    { $set: { suppressed: 0, stillSuppressed: 0, consents: 0 } },
  );
  return { customFields, imports };
}
