import { type NewEvent, publishEvents } from '../../events/events.ts';
import type { MigrationsDeps } from '../deps.ts';
import type { Migration, MigrationNote, MigrationPhase } from '../model.ts';

/** Notes of one list that are kept; further ones only count. */
export const NOTES_MAX = 100;
const NOTE_LENGTH_MAX = 500;
/** How often progress is published on the project's stream. */
const PUBLISH_EVERY_MS = 1_000;

/** The work of one phase as the phase sees it: the selection, its state, and how it reports progress. */
export interface PhaseRun {
  deps: MigrationsDeps;
  migration: Migration;
  /** As it was last saved. */
  phase: MigrationPhase;
  signal: AbortSignal | undefined;
  /** Writes counts and cursor together: after a stop the phase resumes exactly there. */
  save(change: Partial<MigrationPhase>): Promise<void>;
}

/** The job was cancelled, holds, or belongs to a later run or attempt: this one must stop writing. */
export class MigrationStopped extends Error {}

/** `show` is for operators. */
export function phaseRun(
  deps: MigrationsDeps,
  { migration, phase }: Pick<PhaseRun, 'migration' | 'phase'>,
  { signal, show }: { signal?: AbortSignal; show?(phase: MigrationPhase): void },
): PhaseRun {
  let publishedAt = Number.NEGATIVE_INFINITY;
  const run: PhaseRun = {
    ...{ deps, migration, phase, signal },
    async save(change) {
      run.migration = await savePhase(deps, run.migration, { ...run.phase, ...change });
      run.phase = run.migration.phases.find(({ name }) => name === run.phase.name) ?? run.phase;
      show?.(run.phase);
      if (change.status === undefined && performance.now() - publishedAt < PUBLISH_EVERY_MS) return;
      publishedAt = performance.now();
      const { projectId, version } = run.migration;
      await publishEvents(deps, projectId, [migrationEvent('progress', run.migration, version)]);
    },
  };
  return run;
}

/** One writer at a time: the attempt that began the phase last owns it, and an earlier one stops at its next save. */
async function savePhase(deps: MigrationsDeps, migration: Migration, phase: MigrationPhase): Promise<Migration> {
  const { _id, projectId, run, owner, phases } = migration;
  const index = phases.findIndex(({ name }) => name === phase.name);
  const saved = await deps.db.migrations.findOneAndUpdate(
    { _id, projectId, run, owner, status: 'running' },
    { $set: { [`phases.${index}`]: phase, phase: phase.name, updatedAt: deps.clock.now() }, $inc: { version: 1 } },
    { returnDocument: 'after' },
  );
  if (!saved) throw new MigrationStopped();
  publishMigration(deps, saved);
  return saved;
}

type PublishedStatus = 'running' | 'progress' | 'needs_attention' | 'completed' | 'failed';

/** For the project's stream and its webhooks. A repeat under the same key is published once. */
export function migrationEvent(type: PublishedStatus, migration: Migration, key: string | number): NewEvent {
  const { _id, projectId, provider, status, phase, phases, attention, failureReason, run, version } = migration;
  const id = _id.toHexString();
  return {
    type: `migration.${type}`,
    key: `${id}:${key}`,
    data: {
      id,
      bulkOperationId: id,
      projectId: projectId.toHexString(),
      provider,
      status,
      phase,
      phases: phases.map((one) => ({
        name: one.name,
        status: one.status,
        total: one.total,
        succeeded: one.succeeded,
        failed: one.failed,
        skipped: one.skipped,
      })),
      attention,
      failureReason,
      run,
      version,
    },
  };
}

/** Notifies the watchers of this job; they read the job itself. */
export function publishMigration({ signals }: Pick<MigrationsDeps, 'signals'>, { _id, version }: Migration): void {
  signals.publish(migrationChannel(_id.toHexString()), String(version));
}

export function migrationChannel(id: string): string {
  return `migration:${id}`;
}

/** Adding the same note twice keeps one: a page may be read again. */
export function withNotes(notes: MigrationNote[], added: MigrationNote[]): MigrationNote[] {
  const short = added.map(({ item, message }) => ({
    item: item.slice(0, NOTE_LENGTH_MAX),
    message: message.slice(0, NOTE_LENGTH_MAX),
  }));
  const distinct = new Map([...notes, ...short].map((note) => [`${note.item} ${note.message}`, note]));
  return [...distinct.values()].slice(0, NOTES_MAX);
}
