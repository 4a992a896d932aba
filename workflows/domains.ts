import { condition, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { DomainActivities } from '../activities/domains.ts';
import type { DomainCheckResult } from '../core/domains/checks.ts';
import { describeWait, nextCheckDelayMs } from '../core/domains/rules/check-schedule.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { onSignal, showState } from './control.ts';
import { signals } from './messages.ts';

interface DomainCheckInput {
  projectId: string;
  domainId: string;
}

/** Looks up the records of a domain, at growing intervals, until it is verified and inbound mail reaches us, or three days have passed. */
export async function domainCheck(input: DomainCheckInput): Promise<{ status: string }> {
  let looks = 0;
  let last: DomainCheckResult | null = null;
  const control = onSignal(signals.checkNow, 'Look again now, and restart the intervals.');
  showState(() => ({ looks, ...last }), 'What the last look found.');
  const { checkDomainRecords } = activitiesOn<DomainActivities>('background', {
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });

  for (;;) {
    looks = control.isSignalled ? 1 : looks + 1;
    control.isSignalled = false;
    last = await checkDomainRecords.executeWithOptions({ summary: `look up the records, look ${looks}` }, [input]);
    showAttributes({ State: last?.status ?? 'DELETED', Phase: last?.waitsFor ?? 'finished' });
    const delayMs = last?.waitsFor ? nextCheckDelayMs(looks) : null;
    setCurrentDetails(describe(last, looks, delayMs));
    if (!control.isSignalled && delayMs === null) return { status: last?.status ?? 'DELETED' };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof domainCheck>(input);
    if (delayMs !== null)
      await condition(() => control.isSignalled, delayMs, { summary: `look again in ${describeWait(delayMs)}` });
  }
}

function describe(last: DomainCheckResult | null, looks: number, delayMs: number | null): string {
  if (!last) return 'The domain was deleted.';
  const next = delayMs === null ? 'No further look.' : `Next look in ${describeWait(delayMs)}.`;
  return [`**${last.status}** after look ${looks}. ${next}`, last.message].filter(Boolean).join('\n\n');
}
