import type { Deps } from '../base/deps.ts';
import type { Session } from '../base/model.ts';
import { READ_TIME_MAX_MS } from '../base/paging.ts';
import { namePattern } from '../media/media.ts';
import type { MediaFile } from '../media/model.ts';
import type { SuppressionGroup } from '../suppressions/model.ts';
import type { Template } from '../templates/model.ts';
import { holdTemplates } from '../templates/templates.ts';
import type { Automation, AutomationStep } from './model.ts';

const projection = { name: 1, status: 1 };

/** Activation looks for the templates of a draft or paused automation again. */
export async function automationWithTemplate(
  { db }: Pick<Deps, 'db'>,
  { projectId, templateId }: Pick<Template, 'projectId' | 'templateId'>,
): Promise<string | null> {
  const naming = { projectId, status: 'active' as const, 'steps.email.templateId': templateId };
  const automation = await db.automations.findOne(naming, { projection });
  return automation && `the active automation "${automation.name}"`;
}

/** People inside may be on their way through an earlier version. */
export async function automationSendingTemplate(
  { db }: Pick<Deps, 'db'>,
  session: Session,
  { projectId, templateId }: Pick<Template, 'projectId' | 'templateId'>,
): Promise<string | null> {
  const active = { projectId, status: 'active' as const, deletedAt: null };
  const automations = await db.automations.find(active, { session, projection: { name: 1, steps: 1 } }).toArray();
  const ids = automations.map(({ _id }) => _id);
  const earlier = await db.automationDefinitions.findOne(
    { projectId, automationId: { $in: ids }, 'steps.email.templateId': templateId },
    { session, projection: { automationId: 1 } },
  );
  const automation = automations.find(
    ({ _id, steps }) => templatesOf(steps).includes(templateId) || earlier?.automationId.equals(_id),
  );
  return automation ? `the active automation "${automation.name}"` : null;
}

/** Runs in the transaction that activates the automation. */
export async function holdTemplatesOf(deps: Deps, session: Session, automation: Automation): Promise<void> {
  const { _id, projectId, steps } = automation;
  const earlier = await deps.db.automationDefinitions.find({ projectId, automationId: _id }, { session }).toArray();
  const named = [steps, ...earlier.map((definition) => definition.steps)].flatMap(templatesOf);
  await holdTemplates(deps, session, { _id: projectId }, [...new Set(named)]);
}

function templatesOf(steps: AutomationStep[]): string[] {
  return steps.flatMap((step) => (step.type === 'email' ? (step.email.templateId ?? []) : []));
}

/** Content of a step that is written in the automation itself. */
export async function automationWithPicture(
  { db }: Pick<Deps, 'db'>,
  { projectId, name }: Pick<MediaFile, 'projectId' | 'name'>,
): Promise<string | null> {
  const showing = { 'steps.email.htmlTemplate': { $regex: namePattern(name) } };
  const live = { projectId, status: { $ne: 'archived' as const }, deletedAt: null };
  const automation = await db.automations.findOne({ ...live, ...showing }, { projection, maxTimeMS: READ_TIME_MAX_MS });
  return automation && `the automation "${automation.name}" (${automation.status})`;
}

export async function automationWithGroup(
  { db }: Pick<Deps, 'db'>,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<string | null> {
  const naming = { projectId, unsubscribeGroupId: groupId, status: { $ne: 'archived' as const }, deletedAt: null };
  const automation = await db.automations.findOne(naming, { session, projection });
  return automation && `the automation "${automation.name}" (${automation.status})`;
}
