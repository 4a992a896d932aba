import { condition, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SegmentActivities } from '../activities/segments.ts';
import type { RecomputeProgress } from '../core/people/lists/recompute.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { onSignal, showState } from './control.ts';
import { signals } from './messages.ts';

interface SegmentRecomputeInput {
  projectId: string;
  listId: string;
}

/**
 * Compares every contact of the project with the filter of a segment, and once more when no change that read the old filter can be running.
 * An edit of the filter in between restarts it.
 */
export async function segmentRecompute(input: SegmentRecomputeInput): Promise<{ status: string }> {
  let last: RecomputeProgress | null = null;
  const control = onSignal(signals.control, 'Look at the segment again now.');
  showState(() => last, 'How many contacts were looked at.');
  const { recomputeSegmentSlice } = activitiesOn<SegmentActivities>('background', {
    startToCloseTimeout: '5 minutes',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });

  for (;;) {
    control.isSignalled = false;
    last = await recomputeSegmentSlice.executeWithOptions({ summary: summarize(last) }, [input]);
    const { status, waitMs } = last;
    showAttributes({ State: status });
    setCurrentDetails(describe(last));
    if (!control.isSignalled && (status === 'completed' || status === 'deleted')) return { status };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof segmentRecompute>(input);
    if (waitMs > 0)
      await condition(() => control.isSignalled, waitMs, { summary: 'until no change can be under way that is older' });
  }
}

function summarize(last: RecomputeProgress | null): string {
  if (!last) return 'look at contacts';
  return last.status === 'settling' ? 'look once more' : `look at contacts from ${last.processed}`;
}

function describe({ status, processed, total }: RecomputeProgress): string {
  if (status === 'deleted') return 'The segment was deleted.';
  const percent = total === 0 ? 100 : Math.floor((processed / total) * 100);
  return `**${status}**: ${processed} of ${total} contacts looked at (${percent} %).`;
}
