import type { ObjectId } from 'mongodb';
import { batchesById, byProject } from '../../base/database/batches.ts';
import type { AutomationsDeps } from '../deps.ts';

const AT_ONCE = 1_000;
const FIELDS = { projectId: 1, dueAt: 1 } as const;

/** Removes old events that automations have processed, and returns their number. */
export async function removeOldEvents(
  { db }: AutomationsDeps,
  before: ObjectId,
  mayContinue: () => boolean,
): Promise<number> {
  let removed = 0;
  for await (const batch of batchesById(db.events, {}, { size: AT_ONCE, before, mayContinue, projection: FIELDS }))
    for (const [projectId, events] of byProject(batch.filter(({ dueAt }) => !dueAt))) {
      const { deletedCount } = await db.events.deleteMany({ _id: { $in: events.map(({ _id }) => _id) }, projectId });
      removed += deletedCount;
    }
  return removed;
}
