import { condition, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { AutomationActivities } from '../activities/automations.ts';
import type { Directive } from '../core/automations/enrollments/advance.ts';
import type { EnrollmentWait } from '../core/base/deps.ts';
import { activitiesOn } from './activities.ts';
import { onSignal, showState } from './control.ts';
import { signals } from './messages.ts';

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
  let last: Directive | null = null;
  const control = onSignal(signals.control, 'Look at this person again now.');
  showState(() => last, 'Where the person stands.');
  const { advanceEnrollment } = activitiesOn<AutomationActivities>('background', {
    startToCloseTimeout: '10 seconds',
    retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
  });
  const whatNext = () => {
    control.isSignalled = false;
    const when = { projectId, enrollmentId, nowMs: Date.now() };
    return advanceEnrollment.executeWithOptions({ summary: 'what comes next' }, [when]);
  };

  let next: Directive = wait ? { kind: 'wait', ...wait } : await whatNext();
  for (;;) {
    last = next;
    setCurrentDetails(describe(last));
    if (!control.isSignalled) {
      if (last.kind !== 'wait') return last;
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof automationEnrollment>(person);
      const leftMs = last.untilMs - Date.now();
      if (leftMs > 0) await condition(() => control.isSignalled, leftMs, { summary: last.label });
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
