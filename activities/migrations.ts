import { randomUUID } from 'node:crypto';
import { cancellationSignal } from '@temporalio/activity';
import type { Deps } from '../core/base/deps.ts';
import type { MigrationPhase, MigrationPhaseName } from '../core/migrations/model.ts';
import { describePhase } from '../core/migrations/rules/phase-order.ts';
import {
  beginMigration,
  decideMigration,
  failMigration,
  holdMigration,
  type NextStep,
  type RunRef,
  runMigrationPhase,
} from '../core/migrations/run.ts';
import { beating } from './beating.ts';

type PhaseOf = RunRef & { phase: MigrationPhaseName };

export interface MigrationActivities {
  beginMigration(run: RunRef): Promise<NextStep>;
  runMigrationPhase(run: PhaseOf): Promise<NextStep>;
  holdMigration(run: PhaseOf & { reason: string }): Promise<NextStep>;
  decideMigration(run: RunRef): Promise<NextStep>;
  failMigration(run: RunRef & { reason: string }): Promise<NextStep>;
}

export function migrationActivities(deps: Deps): MigrationActivities {
  return {
    beginMigration: (run) => beating(() => beginMigration(deps, run)),
    runMigrationPhase: (run) => runPhase(deps, run),
    holdMigration: ({ phase, reason, ...run }) => beating(() => holdMigration(deps, run, phase, reason)),
    decideMigration: (run) => beating(() => decideMigration(deps, run)),
    failMigration: ({ reason, ...run }) => beating(() => failMigration(deps, run, reason)),
  };
}

/** Heartbeats carry the counts of the phase, for the Web UI. The state that a later attempt needs is in the database. */
async function runPhase(deps: Deps, run: PhaseOf): Promise<NextStep> {
  const signal = cancellationSignal();
  try {
    return await beating((show) => {
      show('begins');
      const attempt = { owner: randomUUID(), signal, show: (phase: MigrationPhase) => show(describePhase(phase)) };
      return runMigrationPhase(deps, run, attempt);
    });
  } catch (error) {
    // A cancelled activity ends as cancelled, whichever error the cancellation caused.
    signal.throwIfAborted();
    throw error;
  }
}
