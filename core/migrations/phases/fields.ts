import type { MigrationMapping } from '../model.ts';
import type { PhaseRun } from '../progress/progress.ts';
import { withNotes } from '../progress/progress.ts';
import { fieldNameOf } from '../rules/values.ts';
import type { Source, SourceField } from '../source.ts';
import { makeField } from '../target.ts';

/**
 * The first phase, so it checks the key before anything is written. Fields are made from the mappings; a field that exists fails, is
 * reported, and the run continues.
 */
export async function customFields(run: PhaseRun, source: Source): Promise<boolean> {
  const { deps, migration } = run;
  await source.checkKey();
  const mappings = await fieldMappings(run, source);
  if (mappings.length === 0) return false;
  await run.save({ total: mappings.length });
  const done = Number(run.phase.cursor?.done ?? 0);
  for (const [index, mapping] of mappings.entries()) {
    if (index < done) continue;
    const problem = await makeField(deps, migration, mapping, index);
    const { phase } = run;
    const change = problem
      ? { failed: phase.failed + 1, errors: withNotes(phase.errors, [{ item: mapping.fieldName, message: problem }]) }
      : { succeeded: phase.succeeded + 1, created: phase.created + 1 };
    await run.save({ ...change, cursor: { done: index + 1 } });
  }
  return true;
}

/** The given mappings, and a default one of the same name and type for each selected field without a mapping. */
export async function fieldMappings({ migration }: PhaseRun, source: Source): Promise<MigrationMapping[]> {
  const { mappings, selection } = migration;
  const unnamed = selection.fieldIds.filter((id) => !mappings.some(({ sourceId }) => sourceId === id));
  if (unnamed.length === 0) return mappings;
  const fields = await source.listFields();
  const added = fields.filter(
    ({ id, name }) => unnamed.includes(id) && !mappings.some((mapping) => names(mapping, name)),
  );
  return [...mappings, ...added.flatMap(mappingOf)];
}

function mappingOf({ id, name, fieldType }: SourceField): MigrationMapping[] {
  const fieldName = fieldNameOf(name);
  return fieldName ? [{ sourceId: id, sourceName: name, fieldName, fieldType }] : [];
}

function names({ sourceName }: MigrationMapping, name: string): boolean {
  return sourceName?.toLowerCase() === name.toLowerCase();
}
