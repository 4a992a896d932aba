import { condition } from '@temporalio/workflow';
import type { AutomationActivities } from '../../../activities/automations.ts';
import { activitiesOn } from '../../../workflows/activities.ts';
import type { EnrollmentInput } from '../../../workflows/automations.ts';

/** The change that the workflow must never get while people are inside: it waits before it asks. */
export async function automationEnrollment({ projectId, enrollmentId }: EnrollmentInput) {
  const { advanceEnrollment } = activitiesOn<AutomationActivities>('background', { startToCloseTimeout: '30 seconds' });
  await condition(() => false, 1_000);
  return advanceEnrollment({ projectId, enrollmentId, nowMs: Date.now() });
}
