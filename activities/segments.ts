import { cancellationSignal } from '@temporalio/activity';
import type { Deps } from '../core/base/deps.ts';
import { parseId } from '../core/base/ids.ts';
import { type RecomputeProgress, recomputeSegment } from '../core/people/lists/recompute.ts';
import { beating } from './beating.ts';

export interface SegmentActivities {
  recomputeSegmentSlice(input: { projectId: string; listId: string }): Promise<RecomputeProgress>;
}

const SLICE_MS = 10_000;

export function segmentActivities(deps: Deps): SegmentActivities {
  return {
    /** May run twice: the segment stores how far the recompute has come, and checking a contact again changes nothing. */
    async recomputeSegmentSlice({ projectId, listId }) {
      const [project, list] = [parseId(projectId), parseId(listId)];
      if (!project || !list) return { status: 'deleted', processed: 0, total: 0, waitMs: 0 };
      const limits = { timeMs: SLICE_MS, signal: cancellationSignal() };
      return beating(() => recomputeSegment(deps, project, list, limits));
    },
  };
}
