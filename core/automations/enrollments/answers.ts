import { ObjectId } from 'mongodb';
import type { StepAnswer } from '../../events/webhook-answers.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment } from '../model/enrollment.ts';
import { answerOf } from '../rules/webhooks/answer.ts';
import { isInTime, type WakeOutcome, wakeBy } from './wake.ts';

/** Records what a webhook answered on the enrollment that waits for it; too late, it changes nothing. */
export function hearAnswer(deps: AutomationsDeps, answer: StepAnswer): Promise<WakeOutcome> {
  const { _id: eventId, projectId, data, at, answered } = answer;
  const { enrollmentId, stepId } = data as { enrollmentId: string; stepId: string };
  const heard = { stepId, at, answer: 'problem' in answered ? answered : answerOf(answered.json) };
  return wakeBy(deps, { projectId, enrollmentId: new ObjectId(enrollmentId) }, (enrollment) =>
    isInTime(enrollment, heard) && isOf(enrollment, eventId) ? { heard: [heard], looks: true } : null,
  );
}

/** Of the same visit of the step. */
function isOf({ history }: Enrollment, id: ObjectId): boolean {
  return history.findLast(({ eventId }) => eventId)?.eventId?.equals(id) === true;
}
