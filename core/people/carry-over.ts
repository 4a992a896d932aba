import type { Project } from '../base/model.ts';
import { carryOverStarts } from '../jobs/starts.ts';
import type { PeopleDeps } from './deps.ts';

/** Imports and recomputes whose run is due, of the time when they had the date themselves. Returns how many there were. */
export async function carryOverPeople(
  deps: Pick<PeopleDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
): Promise<number> {
  const { imports, contactLists } = deps.db;
  const read = await carryOverStarts(deps, 'import', { projectId, documents: imports, field: 'startDueAt' });
  return (
    read + (await carryOverStarts(deps, 'segment', { projectId, documents: contactLists, field: 'recomputeDueAt' }))
  );
}
