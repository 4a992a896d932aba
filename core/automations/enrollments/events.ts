import type { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { type NewEvent, publishEvents } from '../../events/events.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { CountedMove } from './counts.ts';

/** Publishes contacts that entered, finished or left an automation, in the transaction that moves them. */
export async function publishMoves(
  deps: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  moves: CountedMove[],
): Promise<void> {
  await publishEvents(deps, projectId, moves.flatMap(eventsOf), session);
}

/** An entry may finish the automation in the same move. */
function eventsOf({ before, after }: CountedMove): NewEvent[] {
  const { _id, automationId, contactId, status, exitReason, enteredAt, endedAt, stepId } = after;
  const enrollmentId = _id.toHexString();
  const person = { enrollmentId, automationId: automationId.toHexString(), contactId: contactId.toHexString() };
  const events: NewEvent[] = [];
  if (!before) {
    const data = { ...person, stepId: null, exitReason: null, enteredAt, endedAt: null };
    events.push({ type: 'automation.entered', key: `${enrollmentId} entered`, data });
  }
  if (before?.status !== status && status !== 'active') {
    const data = { ...person, stepId, exitReason, enteredAt, endedAt };
    events.push({ type: `automation.${status}`, key: `${enrollmentId} ${status}`, data });
  }
  return events;
}
