import { ObjectId } from 'mongodb';
import type { Session } from '../base/model.ts';
import { wakeQueue } from '../jobs/queue.ts';
import type { ProjectRules } from '../people/project-rules.ts';
import type { PublishedChange } from '../people/subscribers.ts';
import type { AutomationsDeps } from './deps.ts';
import type { Trigger } from './model/enrollment.ts';
import type { Chain } from './rules/entering/chain.ts';

/** The job queues of automations. */
export const TRIGGERS = 'triggers';
export const EVENTS = 'events';
export const ENROLLMENTS = 'enrollments';
export const AUTOMATION_CHANGES = 'automation-changes';
/** Due at any time of any clock; jobs with the same date are taken in the order in which they were written. */
export const AT_ONCE = new Date(0);

/** Changes that wrote a trigger, so that only those wake up the queue. */
const followed = new WeakSet<PublishedChange[]>();

/**
 * Written in the transaction of the change, so that a trigger is neither lost nor invented; changes that enroll no contact and reach no goal
 * write nothing. Both is decided from memory. A goal counts also where the caller asked that no automation starts.
 */
export async function recordTriggers(
  deps: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  { entrances, goals }: ProjectRules,
  changes: PublishedChange[],
): Promise<void> {
  const watching = entrances.filter(({ entry }) => entry.type !== 'event_trigger');
  if (watching.length + goals.length === 0) return;
  const triggers = changes.flatMap((change): Trigger[] => {
    const { before, after, runWorkflow, causedBy } = change;
    if (!after) return [];
    const entered = runWorkflow ? watching.filter(({ entry }) => entry.isEnteredBy(change)) : [];
    const automationIds = entered.map(({ _id }) => _id);
    const reached = before ? goals.filter(({ matches }) => matches(after) && !matches(before)) : [];
    if (automationIds.length + reached.length === 0) return [];
    const names = reached.length > 0 && { reached: [...new Set(reached.map(({ name }) => name))] };
    return [{ ...newTrigger(deps, projectId, after._id, automationIds, causedBy), ...names }];
  });
  await insertTriggers(deps, session, changes, triggers);
}

export function announceTriggers(deps: AutomationsDeps, projectId: ObjectId, changes: PublishedChange[]): void {
  if (followed.has(changes)) wakeQueue(deps, TRIGGERS, projectId);
}

export function newTrigger(
  deps: AutomationsDeps,
  projectId: ObjectId,
  contactId: ObjectId,
  automationIds: ObjectId[],
  causedBy: Chain = [],
): Trigger {
  const chain = causedBy.length > 0 ? { causedBy: [...causedBy] } : {};
  return { _id: new ObjectId(), projectId, contactId, automationIds, ...chain, at: deps.clock.now(), dueAt: AT_ONCE };
}

export async function insertTriggers(
  deps: AutomationsDeps,
  session: Session,
  changes: PublishedChange[],
  triggers: Trigger[],
): Promise<void> {
  if (triggers.length === 0) return;
  await deps.db.triggers.insertMany(triggers, { session });
  followed.add(changes);
}
