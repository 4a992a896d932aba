import type { ObjectId } from 'mongodb';
import type { AutomationsDeps } from '../deps.ts';
import type { ExitReason } from '../model/enrollment.ts';

/** The way of the definition ends here. */
const AT_THE_END: ExitReason[] = ['exit_step', 'no_date'];

/** Enrollments whose people left before the end of their way, and those that are gone, as hexadecimal ids. */
export async function endedEarly(
  { db }: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  ids: ObjectId[],
): Promise<Set<string>> {
  const found = await db.enrollments
    .find({ _id: { $in: ids }, projectId }, { projection: { status: 1, exitReason: 1 }, readPreference: 'primary' })
    .toArray();
  const stay = found.filter(({ status, exitReason }) => status !== 'exited' || AT_THE_END.includes(exitReason!));
  const staying = new Set(stay.map(({ _id }) => _id.toHexString()));
  return new Set(ids.map((id) => id.toHexString()).filter((id) => !staying.has(id)));
}
