import { ObjectId } from 'mongodb';
import { advanceEnrollment, type Directive } from '../core/automations/enrollments/advance.ts';
import type { Deps } from '../core/base/deps.ts';

export interface AutomationActivities {
  advanceEnrollment(input: { projectId: string; enrollmentId: string; nowMs: number }): Promise<Directive>;
}

export function automationActivities(deps: Deps): AutomationActivities {
  return {
    advanceEnrollment: ({ projectId, enrollmentId, nowMs }) =>
      advanceEnrollment(deps, { projectId: new ObjectId(projectId), enrollmentId: new ObjectId(enrollmentId) }, nowMs),
  };
}
