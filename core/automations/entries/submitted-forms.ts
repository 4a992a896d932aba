import type { ObjectId } from 'mongodb';
import type { Session } from '../../base/model.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import type { Contact } from '../../people/model.ts';
import { projectRulesOf } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import { newTrigger, TRIGGERS } from '../record-triggers.ts';

/** In the transaction that applies what the person agreed to in these forms. */
export async function recordForms(
  deps: AutomationsDeps,
  session: Session,
  contact: Contact,
  formIds: ObjectId[],
): Promise<void> {
  const { projectId, _id } = contact;
  const { entrances } = await projectRulesOf(deps, projectId);
  const sent = new Set(formIds.map((id) => id.toHexString()));
  const automationIds = entrances
    .filter(({ entry }) => entry.formId !== null && sent.has(entry.formId) && entry.admits({ contact }))
    .map((entrance) => entrance._id);
  if (automationIds.length > 0)
    await deps.db.triggers.insertOne(newTrigger(deps, projectId, _id, automationIds), { session });
}

export function announceForms(deps: AutomationsDeps, projectId: ObjectId): void {
  wakeQueue(deps, TRIGGERS, projectId);
}
