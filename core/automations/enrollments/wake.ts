import type { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment, Heard } from '../model/enrollment.ts';
import { AT_ONCE, ENROLLMENTS } from '../record-triggers.ts';
import { commitMove, type Move, writeMoves } from './commit.ts';
import { processWriter } from './counts.ts';

/** known: it was recorded before. missed: the person is not in that wait any more, or it happened after the end of the wait. */
export type WakeOutcome = 'heard' | 'known' | 'missed';

interface Place {
  projectId: ObjectId;
  enrollmentId: ObjectId;
  /** The transaction of the caller, who calls `announceWakes` after it. */
  session?: Session;
}

/** Records what the current step of an enrollment waited for. May be repeated; the run looks again, and decides. */
export function wake(deps: AutomationsDeps, place: Place, heard: Heard): Promise<WakeOutcome> {
  return wakeBy(deps, place, (enrollment) => (isInTime(enrollment, heard) ? { heard: [heard], looks: true } : null));
}

export function announceWakes(deps: AutomationsDeps, projectId: ObjectId): void {
  wakeQueue(deps, ENROLLMENTS, projectId);
}

let nextWriter = processWriter();

export interface Hearing {
  /** For steps of the enrollment, each once. */
  heard: Heard[];
  /** false: all of them are later ones. */
  looks: boolean;
}

/** For callers that find out from the enrollment which of its steps waited; null: none. */
export async function wakeBy(
  deps: AutomationsDeps,
  { projectId, enrollmentId: _id, session }: Place,
  hearingOf: (enrollment: Enrollment) => Hearing | null | Promise<Hearing | null>,
): Promise<WakeOutcome> {
  for (;;) {
    const before = await deps.db.enrollments.findOne({ _id, projectId }, session ? { session } : {});
    const hearing = before?.status === 'active' && (await hearingOf(before));
    if (!before || !hearing) return 'missed';
    const { heard: known = [] } = before;
    const heard = hearing.heard.filter(({ stepId }) => !known.some((one) => one.stepId === stepId));
    if (heard.length === 0) return 'known';
    const move: Move = { before, after: withHeard(before, { ...hearing, heard }, deps.clock.now()) };
    if (session) {
      await writeMoves(deps, session, projectId, [move], nextWriter++);
      return 'heard';
    }
    if ((await commitMove(deps, projectId, move)) !== 'written') continue;
    announceWakes(deps, projectId);
    return 'heard';
  }
}

/** At the end of the wait itself it is in time, if it is stored before the end is. */
export function isInTime({ stepId, waitUntil }: Enrollment, heard: Heard): boolean {
  return stepId === heard.stepId && waitUntil !== null && heard.at <= waitUntil;
}

/** A resume wakes those that are parked. */
function withHeard(before: Enrollment, { heard, looks }: Hearing, at: Date): Enrollment {
  const { revision, parked, heard: known = [] } = before;
  const job = looks && !parked ? { dueAt: AT_ONCE, asked: true as const } : {};
  return { ...before, revision: revision + 1, heard: [...known, ...heard], updatedAt: at, ...job };
}
