import type { ObjectId } from 'mongodb';
import type { AutomationsDeps } from '../deps.ts';
import type { Enrollment, ExitReason } from '../model/enrollment.ts';

/** The way of the definition ends here. */
const AT_THE_END: ExitReason[] = ['exit_step', 'no_date'];

type Reading = Pick<AutomationsDeps, 'db'>;
type Found = Pick<Enrollment, '_id' | 'automationId' | 'status' | 'exitReason'>;

/**
 * Enrollments whose people left before the end of their way, those of archived automations, also where their way was over before, and
 * those that are gone, as hexadecimal ids.
 */
export async function endedEarly(deps: Reading, projectId: ObjectId, ids: ObjectId[]): Promise<Set<string>> {
  const found: Found[] = await deps.db.enrollments
    .find(
      { _id: { $in: ids }, projectId },
      { projection: { automationId: 1, status: 1, exitReason: 1 }, readPreference: 'primary' },
    )
    .toArray();
  const kept = await notArchived(deps, projectId, found);
  const stay = found.filter((one) => kept.has(one.automationId.toHexString()) && !leftEarly(one));
  const staying = new Set(stay.map(({ _id }) => _id.toHexString()));
  return new Set(ids.map((id) => id.toHexString()).filter((id) => !staying.has(id)));
}

function leftEarly({ status, exitReason }: Found): boolean {
  return status === 'exited' && !AT_THE_END.includes(exitReason!);
}

/** Their automations that are neither archived nor deleted. */
async function notArchived({ db }: Reading, projectId: ObjectId, people: Found[]): Promise<Set<string>> {
  const ids = people.map(({ automationId }) => automationId);
  const found = await db.automations
    .find(
      { _id: { $in: ids }, projectId, status: { $ne: 'archived' }, deletedAt: null },
      { projection: { _id: 1 }, hint: '_id_', readPreference: 'primary' },
    )
    .toArray();
  return new Set(found.map(({ _id }) => _id.toHexString()));
}
