import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { Deps } from '../core/base/deps.ts';
import type { MigrationPhaseName } from '../core/migrations/model.ts';
import { describePhase } from '../core/migrations/rules/phase-order.ts';
import {
  beginMigration,
  decideMigration,
  failMigration,
  holdMigration,
  type RunRef,
  runMigrationPhase,
  type Step,
} from '../core/migrations/run/run.ts';

export interface MigrationActivities {
  beginMigration(run: RunRef): Promise<Step>;
  runMigrationPhase(run: RunRef & { phase: MigrationPhaseName }): Promise<Step>;
  holdMigration(run: RunRef & { phase: MigrationPhaseName; reason: string }): Promise<Step>;
  decideMigration(run: RunRef): Promise<Step>;
  failMigration(run: RunRef & { reason: string }): Promise<Step>;
}

/** Shorter than the heartbeat timeout, however long the source makes a phase wait. */
const BEAT_EVERY_MS = 2_000;

export function migrationActivities(deps: Deps): MigrationActivities {
  return {
    beginMigration: (run) => beginMigration(deps, run),
    runMigrationPhase: (run) => withBeats((attempt) => runMigrationPhase(deps, run, attempt)),
    holdMigration: ({ phase, reason, ...run }) => holdMigration(deps, run, phase, reason),
    decideMigration: (run) => decideMigration(deps, run),
    failMigration: ({ reason, ...run }) => failMigration(deps, run, reason),
  };
}

/** Heartbeats carry the counts of the phase, for the Web UI. The state that a later attempt needs is in the database. */
async function withBeats(work: (attempt: Parameters<typeof runMigrationPhase>[2]) => Promise<Step>): Promise<Step> {
  const context = Context.current();
  let shown = 'begins';
  const beat = setInterval(() => context.heartbeat(shown), BEAT_EVERY_MS);
  const attempt = {
    owner: randomUUID(),
    signal: context.cancellationSignal,
    beat(phase: Parameters<typeof describePhase>[0]) {
      shown = describePhase(phase);
      context.heartbeat(shown);
    },
  };
  try {
    return await work(attempt);
  } catch (error) {
    // A cancelled activity ends as cancelled, whichever error the cancellation caused.
    context.cancellationSignal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(beat);
  }
}
