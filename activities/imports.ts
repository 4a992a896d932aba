import { cancellationSignal } from '@temporalio/activity';
import type { Deps } from '../core/base/deps.ts';
import { parseId } from '../core/base/ids.ts';
import type { ImportProgress } from '../core/people/imports/progress.ts';
import { importSlice } from '../core/people/imports/run.ts';
import { beating } from './beating.ts';

export interface ImportActivities {
  importContactsSlice(input: { projectId: string; importId: string }): Promise<ImportProgress>;
}

/** A slice holds a place of the queue, so that other projects wait for no more than this. */
const SLICE_MS = 10_000;

export function importActivities(deps: Deps): ImportActivities {
  return {
    /**
     * May run twice: the rows and the position in the file are written in one transaction, which checks that the position is still the one
     * that was read.
     */
    async importContactsSlice(input) {
      const [projectId, importId] = [parseId(input.projectId), parseId(input.importId)];
      if (!projectId || !importId) return { status: 'deleted', rows: 0, failed: 0, percent: 0 };
      const limits = { timeMs: SLICE_MS, signal: cancellationSignal() };
      return beating(() => importSlice(deps, { projectId, importId }, limits));
    },
  };
}
