import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  condition,
  isCancellation,
  patched,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { MigrationActivities } from '../activities/migrations.ts';
import type { NextStep, RunRef } from '../core/migrations/run.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { type Control, onSignal, showState } from './control.ts';
import { signals } from './messages.ts';

/** Errors that a repeat cannot resolve: the source's own answer, or a mistake in the code. */
const FINAL_ERRORS = ['SourceError', 'Error', 'TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'];
const HELD_DAYS = 3;
/** From the write that cancels a job to the request that its run ends. */
const REQUEST_SECONDS = 10;
/** Half an hour without a database, or as many killed workers, before the run holds. */
const ATTEMPTS_MAX = 60;

/**
 * One run of a migration. Each phase is one activity with its own cursor in the database; when a phase cannot continue, the run holds until
 * a person retries, skips or cancels. The job itself always determines the next phase, so that a Reset to any point, or a run from the
 * beginning, continues instead of repeating work.
 */
export async function migration(run: RunRef): Promise<{ status: string }> {
  let step: NextStep = { next: 'phase', phase: null, status: 'queued', details: 'The run begins.' };
  const control = onSignal(signals.control, 'Look at the job again: something was decided.');
  showState(() => step, 'What the run does next, and its phases so far.');
  const { beginMigration, runMigrationPhase, holdMigration, decideMigration, failMigration } = activities();

  step = await beginMigration.executeWithOptions({ summary: 'take the slot of the project' }, [run]);
  for (;;) {
    showAttributes({ State: step.status, Phase: step.phase ?? 'finished' });
    setCurrentDetails(step.details);
    if (step.next === 'end' || step.phase === null) {
      if (step.status === 'cancelled' && patched('cancel-request')) await cancelRequest(control);
      return ended(step);
    }
    const phase = step.phase;
    if (step.next === 'phase') {
      try {
        step = await runMigrationPhase.executeWithOptions({ summary: phase }, [{ ...run, phase }]);
      } catch (error) {
        if (isCancellation(error)) throw error;
        const reason = reasonOf(error);
        step = await holdMigration.executeWithOptions({ summary: `hold at ${phase}` }, [{ ...run, phase, reason }]);
      }
      continue;
    }
    control.isSignalled = false;
    step = await decideMigration.executeWithOptions({ summary: 'what was decided?' }, [run]);
    if (step.next !== 'hold') continue;
    showAttributes({ State: step.status, Phase: phase });
    setCurrentDetails(step.details);
    if (await condition(() => control.isSignalled, `${HELD_DAYS} days`, { summary: `needs attention: ${phase}` }))
      continue;
    const reason = `Nobody decided about the phase ${phase} within ${HELD_DAYS} days.`;
    step = await failMigration.executeWithOptions({ summary: 'nobody decided' }, [{ ...run, reason }]);
  }
}

/**
 * A run that finds its job cancelled may do so before the request to cancel comes, with which Temporal shows it as cancelled and not as
 * failed. None comes where a later run of the job waits: it signals.
 */
async function cancelRequest(control: Control): Promise<void> {
  control.isSignalled = false;
  await condition(() => control.isSignalled, `${REQUEST_SECONDS} seconds`, { summary: 'the request to cancel' });
}

/** A run that failed or was cancelled is shown as such. */
function ended({ status, details, next, phase }: NextStep): { status: string } {
  setCurrentDetails(details);
  if (status === 'cancelled') throw new CancelledFailure('The migration was cancelled.');
  if (status === 'failed')
    throw ApplicationFailure.nonRetryable('The migration failed.', 'MigrationFailed', { next, phase });
  return { status };
}

function activities() {
  const quick = { startToCloseTimeout: '1 minute', retry: { maximumInterval: '10 seconds' } } as const;
  const phase = {
    startToCloseTimeout: '14 days',
    retry: {
      initialInterval: '500 milliseconds',
      maximumInterval: '30 seconds',
      maximumAttempts: ATTEMPTS_MAX,
      nonRetryableErrorTypes: FINAL_ERRORS,
    },
  } as const;
  const { beginMigration, holdMigration, decideMigration, failMigration } = activitiesOn<MigrationActivities>(
    'background',
    quick,
  );
  const { runMigrationPhase } = activitiesOn<MigrationActivities>('background', phase);
  return { beginMigration, holdMigration, decideMigration, failMigration, runMigrationPhase };
}

/** Used only where the phase itself could not write its reason down. */
function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const name = cause instanceof ApplicationFailure ? (cause.type ?? 'an error') : 'an error';
  return `The phase stopped with ${name}; the log of the worker says more.`;
}
