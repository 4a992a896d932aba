import type { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { conflict, invalid, unprocessable } from '../base/errors.ts';
import { derivedId, findById } from '../base/ids.ts';
import type { Origin } from '../base/maker.ts';
import type { Project } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { requestRun, wakeStarts } from '../jobs/starts.ts';
import type { MigrationsDeps } from './deps.ts';
import { endMigration } from './finish.ts';
import { hasKey, keepKey } from './keys.ts';
import type { Migration, MigrationPhaseName } from './model.ts';
import { plannedUnsubscribed } from './preview.ts';
import { publishMigration } from './progress/progress.ts';
import { newPhases, phasesForRetry } from './rules/phase-order.ts';
import { mayBecome, migrationsBefore } from './rules/status.ts';

export interface MigrationInput
  extends Pick<
    Migration,
    'provider' | 'selection' | 'mappings' | 'updateTemplates' | 'runWorkflow' | 'requireSuppressions'
  > {
  key: string;
}

type Tenant = Pick<Project, '_id'>;

/** The job is accepted without a request to the provider, and the job queue starts its run. */
export async function startMigration(
  deps: MigrationsDeps,
  project: Tenant,
  { key, ...input }: MigrationInput,
  origin: Origin,
): Promise<Migration> {
  const now = deps.clock.now();
  const planned = await plannedUnsubscribed(deps, project, key);
  const migration: Migration = {
    _id: derivedId(origin.at, 'migration', origin.seed.toHexString()),
    projectId: project._id,
    ...input,
    ...(planned === null ? {} : { planned }),
    status: 'queued',
    phase: null,
    phases: newPhases(input.provider),
    run: 1,
    owner: null,
    version: 1,
    decision: null,
    attention: null,
    failureReason: null,
    startedAt: null,
    completedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  const stored = await insertWithKey(deps, migration, key);
  announce(deps, stored);
  return stored;
}

/** Key and job are written together, so that neither exists without the other. */
async function insertWithKey(deps: MigrationsDeps, migration: Migration, key: string): Promise<Migration> {
  try {
    await inTransaction(deps, async (session) => {
      await deps.db.migrations.insertOne(migration, { session });
      await requestRun(deps, 'migration', migration, { session });
      await keepKey(deps, migration, key, session);
    });
    return migration;
  } catch (error) {
    if (isDuplicateKey(error, 'one_at_a_time')) {
      const own = await findMigration(deps, migration, migration._id);
      if (own) return own;
      throw inProgress();
    }
    const own = isDuplicateKey(error, '_id_') ? await findMigration(deps, migration, migration._id) : null;
    if (!own) throw error;
    return own;
  }
}

export function getMigration(deps: MigrationsDeps, project: Tenant, id: string): Promise<Migration> {
  return findById(deps.db.migrations, project, id, 'MIGRATION');
}

export async function listMigrations(
  deps: MigrationsDeps,
  project: Tenant,
  { status, ...page }: Page & { status?: Migration['status'] | undefined },
): Promise<PageOf<Migration>> {
  const query = { projectId: project._id, ...(status ? { status } : {}) };
  return pageOf(deps.db.migrations, query, page, { sort: { _id: -1 } });
}

/** A run that holds continues; a job that is over gets a new run, from the phase and page where it stopped. */
export async function retryMigration(
  deps: MigrationsDeps,
  project: Tenant,
  id: string,
  { key, fromPhase }: { key: string | null; fromPhase: MigrationPhaseName | undefined },
): Promise<Migration> {
  const migration = await getMigration(deps, project, id);
  const { status } = migration;
  const isNewRun = mayBecome(status, 'queued');
  if (!isNewRun && status !== 'needs_attention') throw wrongState(migration, 'retried');
  const phases = phasesForRetry(migration.phases, fromPhase, deps.clock.now());
  if (!phases)
    throw invalid(
      `A migration from ${migration.provider} has no such phase.`,
      'fromPhase: names no phase of this provider',
    );
  if (key === null && !(await hasKey(deps, migration)))
    throw unprocessable('INVALID_PROVIDER_KEY', 'The provider key of this job is gone; give it again as apiKey.');
  const change = {
    $set: {
      phases,
      status: isNewRun ? ('queued' as const) : ('running' as const),
      decision: isNewRun ? null : ('retry' as const),
      attention: null,
      failureReason: null,
      completedAt: null,
      owner: null,
      updatedAt: deps.clock.now(),
    },
    $inc: { version: 1, run: isNewRun ? 1 : 0 },
  };
  return changeWithKey(deps, migration, change, key);
}

/** Leaves out the phase that holds. */
export async function skipMigration(
  deps: MigrationsDeps,
  project: Tenant,
  id: string,
  reason: string,
): Promise<Migration> {
  const migration = await getMigration(deps, project, id);
  if (migration.status !== 'needs_attention') throw wrongState(migration, 'skipped');
  const now = deps.clock.now();
  const note = { item: migration.phase ?? '', message: `left out by hand${reason && `: ${reason}`}` };
  const phases = migration.phases.map((phase) =>
    phase.name === migration.phase
      ? { ...phase, status: 'skipped' as const, completedAt: now, review: [...phase.review, note] }
      : phase,
  );
  const change = {
    $set: {
      phases,
      status: 'running' as const,
      decision: 'skip' as const,
      attention: null,
      updatedAt: now,
    },
    $inc: { version: 1 },
  };
  return changeWithKey(deps, migration, change, null);
}

/** The project may start another job at once; the run notices with its next write. */
export async function cancelMigration(deps: MigrationsDeps, project: Tenant, id: string): Promise<Migration> {
  const migration = await getMigration(deps, project, id);
  const job = { _id: migration._id, projectId: project._id };
  const ended = await endMigration(deps, job, { status: 'cancelled', failureReason: null });
  if (!ended) throw wrongState(await getMigration(deps, project, id), 'cancelled');
  wakeStarts(deps, 'migration', project._id);
  return ended;
}

/** Of a deleted project: nothing more is read from the provider, and its key is forgotten. */
export async function cancelMigrationsOfProject(deps: MigrationsDeps, projectId: ObjectId): Promise<void> {
  const open = { projectId, status: migrationsBefore('cancelled') };
  for (const { _id } of await deps.db.migrations.find(open, { projection: { _id: 1 } }).toArray())
    await endMigration(deps, { _id, projectId }, { status: 'cancelled', failureReason: null });
  wakeStarts(deps, 'migration', projectId);
}

type Change = Parameters<MigrationsDeps['db']['migrations']['findOneAndUpdate']>[1];

/** Compare-and-set on the state that was read, so that two people cannot decide twice. */
async function changeWithKey(
  deps: MigrationsDeps,
  migration: Migration,
  change: Change,
  key: string | null,
): Promise<Migration> {
  const { _id, projectId, status, version } = migration;
  try {
    const changed = await inTransaction(deps, async (session) => {
      const filter = { _id, projectId, status, version };
      const after = await deps.db.migrations.findOneAndUpdate(filter, change, { session, returnDocument: 'after' });
      if (after) await requestRun(deps, 'migration', after, { session });
      if (after && key !== null) await keepKey(deps, migration, key, session);
      return after;
    });
    if (!changed) throw conflict('INVALID_STATE', 'The migration changed meanwhile; look at it again.');
    announce(deps, changed);
    return changed;
  } catch (error) {
    if (isDuplicateKey(error, 'one_at_a_time')) throw inProgress();
    throw error;
  }
}

function findMigration(deps: MigrationsDeps, { projectId }: Migration, _id: ObjectId): Promise<Migration | null> {
  return deps.db.migrations.findOne({ _id, projectId });
}

function announce(deps: MigrationsDeps, migration: Migration): void {
  publishMigration(deps, migration);
  wakeStarts(deps, 'migration', migration.projectId);
}

function inProgress() {
  return conflict(
    'MIGRATION_IN_PROGRESS',
    'A migration of this project is queued, running or needs attention; wait for it or cancel it.',
  );
}

function wrongState({ status }: Migration, wish: string) {
  return conflict('INVALID_STATE', `A migration that is ${status} cannot be ${wish}.`, `status: is ${status}`);
}
