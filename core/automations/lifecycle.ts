import type { ObjectId, UpdateFilter } from 'mongodb';
import { deleteInParts } from '../base/database/batches.ts';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { inTransaction } from '../base/database/transactions.ts';
import { conflict, notFound } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project, Session } from '../base/model.ts';
import { holdGroup } from '../consent/suppressions/groups.ts';
import { openWebhooks, requireWebhooks } from '../events/step-webhooks.ts';
import { wakeQueue } from '../jobs/queue.ts';
import { refuseTooLong } from '../people/lists/searched.ts';
import { touchProjectRules } from '../people/project-rules.ts';
import { referToTemplate } from '../templates/find.ts';
import { dateSearch } from './dates/search.ts';
import { draftId, getAutomation, unchangedSince } from './definitions.ts';
import type { AutomationsDeps } from './deps.ts';
import { searchedBy } from './entrances.ts';
import type { Automation, AutomationStatus } from './model/automation.ts';
import type { AutomationDefinition } from './model/definition.ts';
import { AT_ONCE, AUTOMATION_CHANGES } from './record-triggers.ts';
import { refuseIncomplete, templatesOf } from './references.ts';
import { idsOf, urlsOf } from './webhooks/addresses.ts';

/** Every change of a contact is compared with each live automation. */
const LIVE_AUTOMATIONS_MAX = 100;

type Tenant = Pick<Project, '_id'>;

export async function activateAutomation(deps: AutomationsDeps, project: Tenant, id: string): Promise<Automation> {
  return activate(deps, await activatable(deps, project, id));
}

/** The automation, if it can be activated now. */
export async function activatable(deps: AutomationsDeps, project: Tenant, id: string): Promise<Automation> {
  const automation = await getAutomation(deps, project, id);
  requireStatus(automation, ['draft', 'paused'], 'activated');
  await refuseIncomplete(deps, project, automation);
  return automation;
}

/** Named templates, lists and groups may be deleted by now, so they are checked as at activation. */
export async function resumeAutomation(deps: AutomationsDeps, project: Tenant, id: string): Promise<Automation> {
  const automation = await getAutomation(deps, project, id);
  requireStatus(automation, ['paused'], 'resumed');
  await refuseIncomplete(deps, project, automation);
  return activate(deps, automation);
}

/** Contacts no longer enter; enrollments park when they wake up. */
export async function pauseAutomation(deps: AutomationsDeps, project: Tenant, id: string): Promise<Automation> {
  const automation = await getAutomation(deps, project, id);
  requireStatus(automation, ['active'], 'paused');
  return moveTo(deps, automation, 'active', { $set: { status: 'paused', updatedAt: deps.clock.now() } });
}

/** Final: its enrollments end, and a draft is discarded. */
export async function archiveAutomation(deps: AutomationsDeps, project: Tenant, id: string): Promise<Automation> {
  const automation = await getAutomation(deps, project, id);
  requireStatus(automation, ['draft', 'active', 'paused'], 'archived');
  const $set = { status: 'archived' as const, draft: null, updatedAt: deps.clock.now(), dueAt: AT_ONCE };
  return moveTo(deps, automation, automation.status, { $set });
}

/** Of a deleted project: people inside leave, and no later step posts their data. */
export async function archiveAutomationsOfProject(deps: AutomationsDeps, projectId: ObjectId): Promise<void> {
  const $set = { status: 'archived' as const, draft: null, updatedAt: deps.clock.now(), dueAt: AT_ONCE };
  const live = { projectId, status: { $ne: 'archived' as const } };
  const { modifiedCount } = await deps.db.automations.updateMany(live, { $set });
  if (modifiedCount > 0) wakeQueue(deps, AUTOMATION_CHANGES, projectId);
}

/** Also the dates that would let people in. A run of a person who is gone ends when it wakes. */
export async function deleteEnrollmentsOfProject(
  { db }: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  mayContinue: () => boolean,
): Promise<void> {
  await deleteInParts(db.enrollments, { projectId }, { hint: 'contact', mayContinue });
  await deleteInParts(db.awaitedDates, { projectId }, { hint: 'automation', mayContinue });
}

/** Its enrollments end; sent messages keep their records. */
export async function deleteAutomation(deps: AutomationsDeps, project: Tenant, id: string): Promise<void> {
  const automation = await getAutomation(deps, project, id);
  requireStatus(automation, ['draft', 'paused', 'archived'], 'deleted');
  const now = deps.clock.now();
  const $set = { status: 'archived' as const, draft: null, updatedAt: now, deletedAt: now, dueAt: AT_ONCE };
  await moveTo(deps, automation, automation.status, { $set });
}

/** Creates an automation that is live at once. A repeat of the same request finds the one of the first try. */
export async function insertActive(deps: AutomationsDeps, automation: Automation): Promise<Automation> {
  const { _id, projectId } = automation;
  const live: Automation = {
    ...automation,
    status: 'active',
    activeAt: deps.clock.now(),
    ...dateSearch(deps, automation),
  };
  try {
    await inTransaction(deps, async (session) => {
      await deps.db.automations.insertOne(live, { session });
      await touchRules(deps, session, live);
    });
    if (live.dueAt) wakeQueue(deps, AUTOMATION_CHANGES, projectId);
    return live;
  } catch (error) {
    const stored = isDuplicateKey(error, '_id_') ? await deps.db.automations.findOne({ _id, projectId }) : null;
    if (!stored) throw error;
    return stored;
  }
}

/** Parked enrollments continue: the job queue wakes them. */
function activate(deps: AutomationsDeps, automation: Automation): Promise<Automation> {
  const now = deps.clock.now();
  const from = automation.status;
  return moveTo(deps, automation, from, {
    $set: {
      status: 'active',
      activeAt: now,
      updatedAt: now,
      ...dateSearch(deps, automation),
      ...(from === 'paused' ? { dueAt: AT_ONCE } : {}),
    },
  });
}

/** The project rules change in the same transaction: a contact that changes after the answer is compared with the new state. */
async function moveTo(
  deps: AutomationsDeps,
  automation: Automation,
  from: AutomationStatus,
  update: UpdateFilter<Automation>,
): Promise<Automation> {
  const { _id, projectId, version } = automation;
  // The content of a draft may change within its version; a draft that is saved next to what runs does not keep it from being paused.
  const unchanged = from === 'draft' ? unchangedSince(automation) : { version, status: from, deletedAt: null };
  const moved = await inTransaction(deps, async (session) => {
    const filter = { _id, projectId, ...unchanged };
    const found = await deps.db.automations.findOneAndUpdate(filter, update, { session, returnDocument: 'after' });
    if (!found) return null;
    await touchRules(deps, session, found);
    if (found.status === 'archived')
      await deps.db.automationDefinitions.deleteOne({ _id: draftId(_id), projectId }, { session });
    return found;
  });
  if (!moved) {
    const now = await deps.db.automations.findOne({ _id, projectId, deletedAt: null });
    if (!now) throw notFound('AUTOMATION');
    throw conflict(
      'INVALID_STATE',
      `The automation was changed meanwhile and is ${now.status}; look at it and try again.`,
    );
  }
  if (moved.dueAt) wakeQueue(deps, AUTOMATION_CHANGES, projectId);
  return moved;
}

/**
 * Every activation writes the project in its transaction, so that two cannot both take the last free place. `replaced`: the definition that
 * an active automation had.
 */
export async function touchRules(
  deps: AutomationsDeps,
  session: Session,
  automation: Automation,
  replaced?: AutomationDefinition,
): Promise<void> {
  const { projectId, status, unsubscribeGroupId, entryCriteria } = automation;
  await touchProjectRules(deps, { _id: projectId }, session);
  if (status !== 'active') return;
  await refuseTooLong(deps, session, automation, {
    own: searchedBy(automation),
    before: replaced ? searchedBy(replaced) : 0,
  });
  const { formId } = entryCriteria;
  if (formId !== undefined) await requireForm(deps, session, projectId, formId);
  if (unsubscribeGroupId) await holdGroup(deps, session, { _id: projectId }, unsubscribeGroupId);
  for (const [index, step] of automation.steps.entries())
    for (const templateId of templatesOf(step))
      await referToTemplate(deps, session, { _id: projectId }, templateId, `steps/${index}/email/templateId`);
  await requireWebhooks(deps, session, projectId, idsOf(automation.steps));
  await openWebhooks(deps, session, projectId, urlsOf(automation.steps));
  const live = { projectId, status, deletedAt: null };
  const count = await deps.db.automations.countDocuments(live, { session, limit: LIVE_AUTOMATIONS_MAX + 1 });
  if (count > LIVE_AUTOMATIONS_MAX)
    throw conflict(
      'INVALID_STATE',
      `${LIVE_AUTOMATIONS_MAX} automations of a project are active at most; pause another one first.`,
    );
}

/** Its removal writes the rules of the project too, so that of the two one is refused. */
async function requireForm(
  { db }: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
  formId: string,
): Promise<void> {
  const _id = parseId(formId);
  const form = _id && (await db.forms.findOne({ _id, projectId }, { session, projection: { _id: 1 } }));
  if (!form) throw notFound('FORM', 'entryCriteria/formId');
}

export function requireStatus({ status }: Automation, allowed: AutomationStatus[], done: string): void {
  if (allowed.includes(status)) return;
  throw conflict('INVALID_STATE', `The automation is ${status}; it can be ${done} when it is ${allowed.join(' or ')}.`);
}
