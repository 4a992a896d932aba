import type { ObjectId } from 'mongodb';
import type { Deps } from './deps.ts';
import type { Move } from './enrollments-commit.ts';
import type { Session } from './model.ts';
import { type NewEvent, publishEvents } from './project-events.ts';

/** People who entered, finished or left an automation, told in the transaction that moves them. */
export async function publishMoves(deps: Deps, session: Session, projectId: ObjectId, moves: Move[]): Promise<void> {
  await publishEvents(
    deps,
    projectId,
    moves.flatMap((move) => eventOf(move) ?? []),
    session,
  );
}

function eventOf({ before, after }: Move): NewEvent | null {
  const { _id, automationId, contactId, status, exitReason, enteredAt, endedAt, stepId } = after;
  const enrollmentId = _id.toHexString();
  const data = {
    enrollmentId,
    automationId: automationId.toHexString(),
    contactId: contactId.toHexString(),
    stepId,
    exitReason,
    enteredAt,
    endedAt,
  };
  if (!before) return { type: 'automation.entered', key: `${enrollmentId} entered`, data };
  if (before.status !== 'active' || status === 'active') return null;
  return { type: `automation.${status}`, key: `${enrollmentId} ${status}`, data };
}
