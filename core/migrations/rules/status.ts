import { statusesBefore, type Transitions } from '../../base/transitions.ts';
import type { MigrationStatus } from '../model.ts';

/** A job that is live is the only one of its project; a unique index says so. */
export const LIVE: readonly MigrationStatus[] = ['queued', 'running', 'needs_attention'];

export const migrationTransitions: Transitions<MigrationStatus> = {
  queued: ['running', 'failed', 'cancelled'],
  /** `needs_attention`: the source refused, and the run waits for a person. */
  running: ['needs_attention', 'completed', 'completed_with_errors', 'failed', 'cancelled'],
  needs_attention: ['running', 'failed', 'cancelled'],
  completed: [],
  completed_with_errors: [],
  /** `queued`: a retry. `running`: a Reset of the workflow restored the run. */
  failed: ['queued', 'running'],
  cancelled: ['queued'],
};

export function isLive(status: MigrationStatus): boolean {
  return LIVE.includes(status);
}

export function mayBecome(from: MigrationStatus, to: MigrationStatus): boolean {
  return migrationTransitions[from].includes(to);
}

/** For the filter of a compare-and-set. */
export function migrationsBefore(to: MigrationStatus): { $in: MigrationStatus[] } {
  return { $in: statusesBefore(migrationTransitions, to) };
}
