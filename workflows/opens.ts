import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { OpensActivities, OpensWalk } from '../activities/opens.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { showState } from './control.ts';

/**
 * Judges the stored opens of all projects again after the rules changed, in passes ten minutes apart, until a pass has found nothing to
 * change.
 */
export async function opensRecompute(walk: OpensWalk): Promise<{ status: string; passes: number }> {
  let at = walk;
  showState(() => at, 'How far this pass is.');
  const { recomputeOpensSlice } = activitiesOn<OpensActivities>('background', {
    startToCloseTimeout: '10 minutes',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });

  for (;;) {
    const summary = `pass ${at.pass}, from mail ${at.mails + 1}`;
    const { next, waitMs } = await recomputeOpensSlice.executeWithOptions({ summary }, [at]);
    showAttributes({ State: next ? 'running' : 'completed' });
    if (!next) {
      setCurrentDetails(`**completed** after pass ${at.pass}, which found nothing to change.`);
      return { status: 'completed', passes: at.pass };
    }
    setCurrentDetails(waitMs > 0 ? `**waiting** for pass ${next.pass}.` : describe(next));
    at = next;
    if (waitMs > 0) await sleep(waitMs, { summary: 'until processes of the earlier version have ended' });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof opensRecompute>(at);
  }
}

function describe({ pass, projects, mails, changed }: OpensWalk): string {
  return `**running**, pass ${pass}: ${mails} mails of ${projects} projects looked at, ${changed} opens judged otherwise.`;
}
