import { removeHeadersOf } from '../../events/webhook-headers.ts';
import { again, type DueOutcome, documentQueue, done } from '../../jobs/document-queue.ts';
import { type JobQueue, wakeQueue } from '../../jobs/queue.ts';
import { forgetDates, searchDates } from '../dates/search.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Automation } from '../model/automation.ts';
import { AT_ONCE, AUTOMATION_CHANGES, ENROLLMENTS } from '../record-triggers.ts';
import { leave } from './exit.ts';

const PEOPLE_AT_ONCE = 500;
const AGAIN_AFTER_MS = 20_000;

/** Applies a new status of an automation to its enrollments. May run twice: it selects only enrollments that are not yet updated. */
export function automationChangeQueue(deps: AutomationsDeps): JobQueue {
  return documentQueue<Automation>(deps, {
    name: AUTOMATION_CHANGES,
    collection: deps.db.automations,
    field: 'dueAt',
    concurrencyMax: 4,
    lookEveryMs: 250,
    run: (automation) => followStatus(deps, automation),
  });
}

async function followStatus(deps: AutomationsDeps, automation: Automation): Promise<DueOutcome> {
  const { _id, projectId, status, moveBefore, deletedAt } = automation;
  const people = { projectId, automationId: _id, status: 'active' as const };
  if (status === 'active') {
    const standing = { ...people, $or: [{ parked: true }, { started: true, version: { $lt: moveBefore } }] };
    await deps.db.enrollments.updateMany(standing, { $set: { dueAt: AT_ONCE, asked: true } });
    wakeQueue(deps, ENROLLMENTS, projectId);
  }
  if (status === 'active') return searchDates(deps, automation);
  if (status !== 'archived') return done;
  if (deletedAt) await removeHeadersOf(deps, { projectId, ownerId: _id });
  const began = performance.now();
  for (;;) {
    const inside = await deps.db.enrollments
      .find({ ...people, live: true })
      .limit(PEOPLE_AT_ONCE)
      .toArray();
    if (inside.length === 0) return automation.dates ? forgetDates(deps, automation) : done;
    await Promise.all(inside.map((enrollment) => leave(deps, enrollment, 'automation_archived')));
    wakeQueue(deps, ENROLLMENTS, projectId);
    if (performance.now() - began > AGAIN_AFTER_MS) return again(AT_ONCE);
  }
}
