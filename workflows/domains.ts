import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DomainActivities } from '../activities/domains.ts';
import type { DomainCheckResult } from '../core/domains/checks.ts';
import { describeWait, nextCheckDelayMs } from '../core/domains/rules/check-schedule.ts';
import { activitiesOn, showAttributes } from './activities.ts';
import { queries, signals } from './messages.ts';

interface DomainCheckInput {
  projectId: string;
  domainId: string;
}

/** Looks up the records of a domain, at growing intervals, until it is verified and inbound mail reaches us, or three days have passed. */
export async function domainCheck(input: DomainCheckInput): Promise<{ status: string }> {
  let looks = 0;
  let isAsked = false;
  let last: DomainCheckResult | null = null;
  const ask = () => {
    isAsked = true;
  };
  setHandler(defineSignal(signals.checkNow), ask, { description: 'Look again now, and begin the intervals anew.' });
  setHandler(defineQuery(queries.state), () => ({ looks, ...last }), { description: 'What the last look found.' });
  const { checkDomainRecords } = activitiesOn<DomainActivities>('background', {
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  });

  for (;;) {
    looks = isAsked ? 1 : looks + 1;
    isAsked = false;
    last = await checkDomainRecords.executeWithOptions({ summary: `look up the records, look ${looks}` }, [input]);
    showAttributes({ Status: last?.status ?? 'DELETED', Phase: last?.waitsFor ?? 'finished' });
    const delayMs = last?.waitsFor ? nextCheckDelayMs(looks) : null;
    setCurrentDetails(describe(last, looks, delayMs));
    if (!isAsked && delayMs === null) return { status: last?.status ?? 'DELETED' };
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof domainCheck>(input);
    if (delayMs !== null)
      await condition(() => isAsked, delayMs, { summary: `look again in ${describeWait(delayMs)}` });
  }
}

function describe(last: DomainCheckResult | null, looks: number, delayMs: number | null): string {
  if (!last) return 'The domain was deleted.';
  const next = delayMs === null ? 'No further look.' : `Next look in ${describeWait(delayMs)}.`;
  return [`**${last.status}** after look ${looks}. ${next}`, last.message].filter(Boolean).join('\n\n');
}
