import { type AnyBulkWriteOperation, ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { AutomationCount, Enrollment, EnrollmentEvent, ExitReason } from '../model/enrollment.ts';

/** The changes that a move makes to the counts of the automation ('') and of its steps. */
type Deltas = Map<string, Map<string, number>>;

export interface CountedMove {
  before: Enrollment | null;
  after: Enrollment;
}

const WRITERS = 8;

/**
 * Runs in the transaction that moves the enrollments. Counts are kept in parts, so that writers rarely wait for each other: the locks of a
 * process that was killed in a transaction last for a minute.
 */
export async function countMoves(
  deps: Pick<AutomationsDeps, 'db'>,
  session: Session,
  projectId: ObjectId,
  moves: CountedMove[],
  writer: number,
): Promise<void> {
  const byAutomation = Map.groupBy(moves, ({ after }) => after.automationId.toHexString());
  const writes = [...byAutomation].flatMap(([id, ofOne]) => {
    const automationId = ofOne[0]?.after.automationId as ObjectId;
    return [...deltasOf(ofOne)].flatMap(([stepId, fields]): AnyBulkWriteOperation<AutomationCount>[] => {
      const inc = Object.fromEntries([...fields].filter(([, delta]) => delta !== 0));
      if (Object.keys(inc).length === 0) return [];
      const filter = { _id: `${id}:${stepId}:${writer % WRITERS}`, projectId };
      return [{ updateOne: { filter, update: { $inc: inc, $setOnInsert: { automationId, stepId } }, upsert: true } }];
    });
  });
  if (writes.length === 0) return;
  const key = (write: AnyBulkWriteOperation<AutomationCount>) =>
    'updateOne' in write ? String((write.updateOne.filter as { _id: string })._id) : '';
  await deps.db.automationCounts.bulkWrite(
    writes.sort((a, b) => (key(a) < key(b) ? -1 : 1)),
    { session },
  );
}

/** A number for this process; ids that a process makes carry it. */
export function processWriter(): number {
  return new ObjectId().id[8] ?? 0;
}

function deltasOf(moves: CountedMove[]): Deltas {
  const deltas: Deltas = new Map();
  const add = (stepId: string, field: string, amount: number) => {
    const fields = deltas.get(stepId) ?? new Map<string, number>();
    fields.set(field, (fields.get(field) ?? 0) + amount);
    deltas.set(stepId, fields);
  };
  for (const { before, after } of moves) {
    if (!before) add('', 'entered', 1);
    if (before) countState(before, -1, add);
    countState(after, 1, add);
    const known = before?.history ?? [];
    const events = after.history.slice(known.length);
    for (const event of events) countEvent(event, add);
    if (events.some(isGoal) && !known.some(isGoal)) add('', 'converted', 1);
  }
  return deltas;
}

function isGoal({ type }: EnrollmentEvent): boolean {
  return type === 'goal';
}

type Add = (stepId: string, field: string, amount: number) => void;

function countState({ status, parked, stepId, exitReason }: Enrollment, sign: 1 | -1, add: Add): void {
  if (status === 'completed') add('', 'completed', sign);
  if (status === 'exited') {
    add('', exited(exitReason), sign);
    if (stepId !== null) add(stepId, exited(exitReason), sign);
  }
  if (status !== 'active') return;
  add('', 'active', sign);
  if (stepId !== null) add(stepId, 'active', sign);
  if (parked) add('', 'parked', sign);
}

/** Each says that a person came to its step. */
const PASSED: ReadonlyArray<EnrollmentEvent['type']> = [
  ...(['wait', 'email', 'branch', 'update_contact', 'webhook'] as const),
  ...(['goal', 'goal_passed'] as const),
];

function countEvent({ type, stepId, emailId, reason }: EnrollmentEvent, add: Add): void {
  if (stepId === undefined) return;
  const isExitStep = type === 'exited' && reason === 'exit_step';
  const isUpdate = type === 'update_contact';
  if (PASSED.includes(type) || isExitStep) add(stepId, 'entered', 1);
  if (type === 'goal') add(stepId, 'converted', 1);
  if (type === 'webhook_answered') add(stepId, 'answered', 1);
  if (type === 'webhook_failed') add(stepId, 'failed', 1);
  if (type === 'heard') add(stepId, 'heard', 1);
  if (type === 'timed_out') add(stepId, 'timedOut', 1);
  if (type === 'wait' && reason === 'zone_missing') add(stepId, 'zoneMissing', 1);
  if (isUpdate) add(stepId, reason === undefined ? 'updated' : 'failed', 1);
  if (!emailId) return;
  add(stepId, 'emails', 1);
  add('', 'emails', 1);
}

function exited(reason: ExitReason | null): string {
  return `exited.${reason ?? 'criteria_no_longer_met'}`;
}
