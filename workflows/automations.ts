import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { AutomationActivities } from '../activities/automations.ts';
import type { Directive } from '../core/automations/enrollments/advance.ts';
import type { EnrollmentWait } from '../core/base/deps.ts';
import { activitiesOn } from './activities.ts';
import { queries, signals } from './messages.ts';

export interface EnrollmentInput {
  enrollmentId: string;
  projectId: string;
  automationId: string;
  /** The wait that the enrollment was in when the run was started: the run need not ask before it is over. */
  wait?: EnrollmentWait;
}

/**
 * The run of one enrollment: asks for the next step and waits until then. Every decision is made and stored by the activity, so this can
 * sleep for months while the code around it changes.
 */
export async function automationEnrollment({ wait, ...person }: EnrollmentInput): Promise<Directive> {
  const { projectId, enrollmentId } = person;
  let isAsked = false;
  let last: Directive | null = null;
  const ask = () => {
    isAsked = true;
  };
  setHandler(defineSignal(signals.control), ask, { description: 'Look at this person again now.' });
  setHandler(defineQuery(queries.state), () => last, { description: 'Where the person stands.' });
  const { advanceEnrollment } = activitiesOn<AutomationActivities>('background', {
    startToCloseTimeout: '10 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  });
  const whatNext = () => {
    isAsked = false;
    const when = { projectId, enrollmentId, nowMs: Date.now() };
    return advanceEnrollment.executeWithOptions({ summary: 'what comes next' }, [when]);
  };

  let next: Directive = wait ? { kind: 'wait', ...wait } : await whatNext();
  for (;;) {
    last = next;
    setCurrentDetails(describe(last));
    if (!isAsked) {
      if (last.kind !== 'wait') return last;
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof automationEnrollment>(person);
      const leftMs = last.untilMs - Date.now();
      if (leftMs > 0) await condition(() => isAsked, leftMs, { summary: last.label });
    }
    next = await whatNext();
  }
}

function describe(directive: Directive): string {
  switch (directive.kind) {
    case 'wait':
      return `**${directive.label}**, until ${new Date(directive.untilMs).toISOString()}`;
    case 'parked':
      return 'Stands still: the automation is paused. Resuming it starts this run again.';
    case 'end':
      return directive.reason === null ? `**${directive.status}**` : `**${directive.status}**: ${directive.reason}`;
  }
}
