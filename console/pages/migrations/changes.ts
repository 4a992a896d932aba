import type { Migration } from '../../../client/index.ts';

/** A migration as an event of the stream has it: its counts, without notes and report. */
type Change = Pick<Migration, 'id' | 'status' | 'phase' | 'attention' | 'failureReason' | 'run' | 'version'> & {
  phases: Array<Pick<Migration['phases'][number], 'name' | 'status' | 'total' | 'succeeded' | 'failed' | 'skipped'>>;
};

/** The migration with an event written over it, if the event is about it and newer. */
export function withChange(migration: Migration, data: unknown): Migration {
  const change = data as Change;
  if (change.id !== migration.id || (change.version ?? 0) < (migration.version ?? 0)) return migration;
  const phases = migration.phases.map((phase) => ({
    ...phase,
    ...change.phases.find(({ name }) => name === phase.name),
  }));
  return { ...migration, ...change, phases };
}
