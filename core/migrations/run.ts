import { ObjectId } from 'mongodb';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { conflict } from '../base/errors.ts';
import { publishEvents } from '../events/events.ts';
import { requestRun, requestRunOnce, wakeStarts } from '../jobs/starts.ts';
import type { MigrationsDeps } from './deps.ts';
import { endMigration } from './finish.ts';
import { keepKeyOn, openKey } from './keys.ts';
import type { Migration, MigrationPhase, MigrationPhaseName, MigrationStatus } from './model.ts';
import { workOnPhase } from './phases/phases.ts';
import {
  MigrationStopped,
  migrationEvent,
  NOTES_MAX,
  type PhaseRun,
  phaseRun,
  publishMigration,
  withNotes,
} from './progress/progress.ts';
import { describeMigration, finalStatus, isOver, nextPhase } from './rules/phase-order.ts';
import { isLive, LIVE } from './rules/status.ts';
import { openSource, SourceError } from './source.ts';

/** The data of a workflow run: ids, and the number of the run of the job. */
export interface RunRef {
  projectId: string;
  migrationId: string;
  run: number;
}

/** The next step of the workflow, and the state of the job for an operator. */
export interface NextStep {
  next: 'phase' | 'hold' | 'end';
  phase: MigrationPhaseName | null;
  status: MigrationStatus;
  details: string;
}

interface Attempt {
  /** New for each attempt of an activity. */
  owner: string;
  signal?: AbortSignal;
  /** For operators. */
  show?(phase: MigrationPhase): void;
}

const GROUPS_MISSING =
  ': it lacks the scope asm.groups.read or asm.groups.suppressions.read, so people who left a group arrive here as mailable';

export async function beginMigration(deps: MigrationsDeps, ref: RunRef): Promise<NextStep> {
  const migration = await takeSlot(deps, ref, null);
  if ('next' in migration) return migration;
  await publishEvents(deps, migration.projectId, [migrationEvent('running', migration, `run ${migration.run}`)]);
  return endOrNext(deps, migration);
}

/** A phase that is already over stays as it is, so that a repeated run ends in the same result. */
export async function runMigrationPhase(
  deps: MigrationsDeps,
  ref: RunRef & { phase: MigrationPhaseName },
  attempt: Attempt,
): Promise<NextStep> {
  const taken = await takeSlot(deps, ref, attempt.owner);
  if ('next' in taken) return taken;
  const phase = taken.phases.find(({ name }) => name === ref.phase);
  if (!phase || isOver(phase)) return endOrNext(deps, taken);
  const run = phaseRun(deps, { migration: taken, phase }, attempt);
  try {
    await workThrough(run);
    return await endOrNext(deps, run.migration);
  } catch (error) {
    if (error instanceof MigrationStopped) return stepNow(deps, ref);
    if (error instanceof SourceError) await holdMigration(deps, ref, ref.phase, error.message, attempt.owner);
    throw error;
  }
}

/**
 * The run waits, and its project starts no other, until a person decides. `owner` is given by an attempt, which may be an earlier one by
 * now.
 */
export async function holdMigration(
  deps: MigrationsDeps,
  ref: RunRef,
  name: MigrationPhaseName,
  reason: string,
  owner?: string,
): Promise<NextStep> {
  const now = deps.clock.now();
  const why = withNotes([], [{ item: name, message: reason }]);
  const held = await deps.db.migrations.findOneAndUpdate(
    { ...filterOf(ref), status: 'running', decision: null, ...(owner === undefined ? {} : { owner }) },
    {
      $set: {
        status: 'needs_attention',
        attention: reason,
        phase: name,
        owner: null,
        'phases.$[held].status': 'failed',
        updatedAt: now,
      },
      $push: { 'phases.$[held].errors': { $each: why, $position: 0, $slice: NOTES_MAX } },
      $inc: { version: 1 },
    },
    { arrayFilters: [{ 'held.name': name }], returnDocument: 'after' },
  );
  if (held) publishMigration(deps, held);
  const step = await stepNow(deps, ref);
  // Also when an earlier try of this activity wrote the state and was killed before it published.
  const { _id, projectId } = filterOf(ref);
  const holding = await deps.db.migrations.findOne({ _id, projectId, status: 'needs_attention' });
  if (holding) await publishEvents(deps, projectId, [migrationEvent('needs_attention', holding, holding.version)]);
  return step;
}

/** The decision of a person since the run holds; `hold` without one. */
export async function decideMigration(deps: MigrationsDeps, ref: RunRef): Promise<NextStep> {
  const decided = await deps.db.migrations.findOneAndUpdate(
    { ...filterOf(ref), status: 'running', decision: { $ne: null } },
    { $set: { decision: null, updatedAt: deps.clock.now() }, $inc: { version: 1 } },
    { returnDocument: 'after' },
  );
  if (!decided) return stepNow(deps, ref);
  publishMigration(deps, decided);
  await publishEvents(deps, decided.projectId, [migrationEvent('running', decided, decided.version)]);
  return endOrNext(deps, decided);
}

/** No decision came in time, or the run itself failed. The key stays for a retry, but not for ever. */
export async function failMigration(deps: MigrationsDeps, ref: RunRef, reason: string): Promise<NextStep> {
  const { run, _id, projectId } = filterOf(ref);
  const migration = await deps.db.migrations.findOne({ _id, projectId, run });
  const failureReason = [reason, migration?.attention].filter(Boolean).join(' ');
  await endMigration(deps, { _id, projectId, run }, { status: 'failed', failureReason });
  return stepNow(deps, ref);
}

/**
 * Every step begins with this compare-and-set, so that a run that was replaced (a Reset in the Web UI restores old ones) changes nothing.
 * The job that owns the slot then is started again, since the Reset has terminated its run.
 */
async function takeSlot(deps: MigrationsDeps, ref: RunRef, owner: string | null): Promise<Migration | NextStep> {
  const now = deps.clock.now();
  try {
    const taken = await inTransaction(deps, async (session) => {
      const after = await deps.db.migrations.findOneAndUpdate(
        { ...filterOf(ref), status: { $in: ['queued', 'running', 'failed'] } },
        [
          {
            $set: {
              status: 'running',
              owner,
              decision: null,
              attention: null,
              failureReason: null,
              completedAt: null,
              startedAt: { $ifNull: ['$startedAt', now] },
              updatedAt: now,
              version: { $add: ['$version', 1] },
            },
          },
        ],
        { session, returnDocument: 'after' },
      );
      // A job that a Reset restores is checked again by the job queue.
      if (after) await requestRunOnce(deps, 'migration', after, session);
      return after;
    });
    if (taken) {
      await keepKeyOn(deps, taken);
      publishMigration(deps, taken);
      return taken;
    }
  } catch (error) {
    if (!isDuplicateKey(error, 'one_at_a_time')) throw error;
    await startHolderAgain(deps, ref);
    throw conflict('MIGRATION_IN_PROGRESS', 'Another migration of this project is under way.');
  }
  const step = await stepNow(deps, ref);
  if (step.next === 'end') await startHolderAgain(deps, ref);
  return step;
}

async function startHolderAgain(deps: MigrationsDeps, { projectId }: RunRef): Promise<void> {
  const holder = await deps.db.migrations.findOne(
    { projectId: new ObjectId(projectId), status: { $in: LIVE } },
    { projection: { projectId: 1 } },
  );
  if (!holder) return;
  await requestRun(deps, 'migration', holder);
  wakeStarts(deps, 'migration', holder.projectId);
}

async function workThrough(run: PhaseRun): Promise<void> {
  const { deps, signal } = run;
  const { provider } = run.migration;
  // The reason of the hold is over now.
  const errors = run.phase.errors.filter(({ item }) => item !== run.phase.name);
  await run.save({ status: 'running', errors, startedAt: run.phase.startedAt ?? deps.clock.now(), completedAt: null });
  const options = {
    key: await openKey(deps, run.migration),
    patienceMs: deps.config.migrationPatienceSeconds * 1_000,
    signal,
  };
  try {
    const isWanted = await workOnPhase(run, openSource(deps.sources, provider, options));
    await run.save({ status: isWanted ? 'completed' : 'skipped', cursor: null, completedAt: deps.clock.now() });
  } catch (error) {
    // Provider A grants a key single scopes, and data that it may not read are left out; provider B's keys have all scopes or none.
    if (!(error instanceof SourceError && error.kind === 'forbidden' && provider === 'providerA')) throw error;
    const isOfGroups = run.phase.name === 'unsubscribeGroups';
    if (isOfGroups && run.migration.requireSuppressions) throw error;
    const message = `the key may not read this at the source${isOfGroups ? GROUPS_MISSING : ''}`;
    const review = withNotes(run.phase.review, [{ item: run.phase.name, message }]);
    await run.save({ status: 'skipped', cursor: null, review, completedAt: deps.clock.now() });
  }
}

/** The last phase ends the job: its key is deleted, and the slot is free. */
async function endOrNext(deps: MigrationsDeps, migration: Migration): Promise<NextStep> {
  if (nextPhase(migration.phases) !== null) return stepOf(migration);
  const { _id, projectId, run, phases } = migration;
  const end = { status: finalStatus(phases), failureReason: null };
  const ended = await endMigration(deps, { _id, projectId, run }, end);
  return ended ? stepOf(ended) : stepNow(deps, refOf(migration));
}

function refOf({ _id, projectId, run }: Migration): RunRef {
  return { projectId: projectId.toHexString(), migrationId: _id.toHexString(), run };
}

async function stepNow(deps: MigrationsDeps, ref: RunRef): Promise<NextStep> {
  const { _id, projectId } = filterOf(ref);
  const migration = await deps.db.migrations.findOne({ _id, projectId });
  const isOurs = migration?.run === ref.run;
  // The last phase may have been skipped before the run was informed that it holds.
  if (migration && isOurs) return migration.status === 'running' ? endOrNext(deps, migration) : stepOf(migration);
  return { next: 'end', phase: null, status: 'cancelled', details: 'Replaced by a later run of the same migration.' };
}

function stepOf(migration: Migration): NextStep {
  const { status, phases } = migration;
  const details = describeMigration(migration);
  if (!isLive(status)) return { next: 'end', phase: null, status, details };
  if (status === 'needs_attention') return { next: 'hold', phase: migration.phase, status, details };
  return { next: 'phase', phase: nextPhase(phases), status, details };
}

function filterOf({ projectId, migrationId, run }: RunRef) {
  return { _id: new ObjectId(migrationId), projectId: new ObjectId(projectId), run };
}
