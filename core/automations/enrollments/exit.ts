import type { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import type { Deletion, PublishedChange } from '../../people/subscribers.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment, ExitReason } from '../model/enrollment.ts';
import { AT_ONCE, ENROLLMENTS, insertTriggers, newTrigger } from '../record-triggers.ts';
import { commitMove, type Move, writeMoves } from './commit.ts';
import { processWriter } from './counts.ts';

/** The enrollment after it has ended. */
export function exit(enrollment: Enrollment, reason: ExitReason, at: Date): Enrollment {
  const { live: _, awaits: __, heard: ___, ...rest } = enrollment;
  const { stepId } = enrollment;
  return {
    ...rest,
    status: 'exited',
    revision: enrollment.revision + 1,
    parked: false,
    waitFrom: null,
    waitUntil: null,
    exitReason: reason,
    history: [...enrollment.history, { type: 'exited', at, reason, ...(stepId === null ? {} : { stepId }) }],
    updatedAt: at,
    endedAt: at,
  };
}

/** The job queue signals its run, so that the run does not keep waiting. */
function withExitJob(enrollment: Enrollment, reason: ExitReason, at: Date): Enrollment {
  return { ...exit(enrollment, reason, at), dueAt: AT_ONCE };
}

let nextWriter = processWriter();

/** In the transaction that deletes contacts: their enrollments end at once. */
export async function recordDeletions(
  deps: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  { contacts }: Deletion,
  changes: PublishedChange[],
): Promise<void> {
  const ids = contacts.map(({ _id }) => _id);
  const filter = { projectId, contactId: { $in: ids } };
  const inside = await deps.db.enrollments.find({ ...filter, live: true }, { session, hint: 'contact' }).toArray();
  const now = deps.clock.now();
  const moves = inside.map((before): Move => ({ before, after: withExitJob(before, 'contact_deleted', now) }));
  if (moves.length > 0) await writeMoves(deps, session, projectId, moves, nextWriter++);
  const pipeline = [{ $match: filter }, { $group: { _id: '$contactId' } }];
  const events = await deps.db.events.aggregate<{ _id: ObjectId }>(pipeline, { session }).toArray();
  const enrollments = await deps.db.enrollments.aggregate<{ _id: ObjectId }>(pipeline, { session }).toArray();
  const known = new Set([...events, ...enrollments].map(({ _id }) => _id.toHexString()));
  const followed = ids.filter((id) => known.has(id.toHexString()));
  await insertTriggers(
    deps,
    session,
    changes,
    followed.map((contactId) => newTrigger(deps, projectId, contactId, [])),
  );
}

export function announceDeletions(deps: AutomationsDeps, projectId: ObjectId, changes: PublishedChange[]): void {
  if (changes.some(({ after }) => !after)) wakeQueue(deps, ENROLLMENTS, projectId);
}

/** After a deletion: ends enrollments that it did not see, and removes personal data from the contact's events and enrollments. */
export async function eraseDeleted(deps: AutomationsDeps, projectId: ObjectId, contactId: ObjectId): Promise<void> {
  const inside = await deps.db.enrollments.find({ projectId, contactId, live: true }, { hint: 'contact' }).toArray();
  await Promise.all(inside.map((before) => leave(deps, before, 'contact_deleted')));
  if (inside.length > 0) wakeQueue(deps, ENROLLMENTS, projectId);
  await deps.db.events.updateMany({ projectId, contactId, properties: { $ne: {} } }, { $set: { properties: {} } });
  await deps.db.enrollments.updateMany({ projectId, contactId, event: { $ne: null } }, { $set: { event: null } });
  await deps.db.enrollments.updateMany({ projectId, contactId, heard: { $exists: true } }, { $unset: { heard: '' } });
}

/** Twelve hours later. A contact whose first event or entry was committed in the moment of its deletion had none that the deletion saw. */
export async function eraseUnseen(
  deps: AutomationsDeps,
  { _id: contactId, projectId }: { _id: ObjectId; projectId: ObjectId },
): Promise<false> {
  await eraseDeleted(deps, projectId, contactId);
  return false;
}

/** Ends one enrollment, repeating on concurrent writes. */
export async function leave(deps: AutomationsDeps, enrollment: Enrollment, reason: ExitReason): Promise<void> {
  const { _id, projectId } = enrollment;
  for (let before: Enrollment | null = enrollment; before?.status === 'active'; ) {
    const move: Move = { before, after: withExitJob(before, reason, deps.clock.now()) };
    if ((await commitMove(deps, projectId, move)) === 'written') return;
    before = await deps.db.enrollments.findOne({ _id, projectId });
  }
}
