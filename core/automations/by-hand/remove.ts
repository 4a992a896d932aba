import { notFound } from '../../base/errors.ts';
import { parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { getAutomation } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import { leave } from '../enrollments/exit.ts';
import { ENROLLMENTS } from '../record-triggers.ts';

/** Ends one enrollment that is active, in any status of its automation. Mail that is queued already goes out, as with every exit. */
export async function removeEnrollment(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  automationId: string,
  enrollmentId: string,
): Promise<void> {
  const automation = await getAutomation(deps, project, automationId);
  const _id = parseId(enrollmentId);
  const own = { projectId: project._id, automationId: automation._id };
  const found = _id && (await deps.db.enrollments.findOne({ _id, ...own, live: true }));
  if (!found) throw notFound('ENROLLMENT');
  await leave(deps, found, 'removed');
  wakeQueue(deps, ENROLLMENTS, project._id);
}
