import type { Session } from '../base/model.ts';
import { READ_TIME_MAX_MS } from '../base/paging.ts';
import type { SuppressionGroup } from '../consent/suppressions/model.ts';
import { namePattern } from '../templates/media/media.ts';
import type { MediaFile } from '../templates/media/model.ts';
import type { Template } from '../templates/model.ts';
import type { AutomationsDeps } from './deps.ts';

const projection = { name: 1, status: 1 };

/** Activation looks for the templates of a draft or paused automation again. */
export async function automationWithTemplate(
  { db }: Pick<AutomationsDeps, 'db'>,
  session: Session,
  { projectId, templateId }: Pick<Template, 'projectId' | 'templateId'>,
): Promise<string | null> {
  const naming = { projectId, status: 'active' as const, 'steps.email.templateId': templateId };
  const automation = await db.automations.findOne(naming, { session, projection });
  return automation && `the active automation "${automation.name}"`;
}

/** Content of a step that is written in the automation itself. */
export async function automationWithPicture(
  { db }: Pick<AutomationsDeps, 'db'>,
  { projectId, name }: Pick<MediaFile, 'projectId' | 'name'>,
): Promise<string | null> {
  const showing = { 'steps.email.htmlTemplate': { $regex: namePattern(name) } };
  const live = { projectId, status: { $ne: 'archived' as const }, deletedAt: null };
  const automation = await db.automations.findOne({ ...live, ...showing }, { projection, maxTimeMS: READ_TIME_MAX_MS });
  return automation && `the automation "${automation.name}" (${automation.status})`;
}

export async function automationWithGroup(
  { db }: Pick<AutomationsDeps, 'db'>,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<string | null> {
  const naming = { projectId, unsubscribeGroupId: groupId, status: { $ne: 'archived' as const }, deletedAt: null };
  const automation = await db.automations.findOne(naming, { session, projection });
  return automation && `the automation "${automation.name}" (${automation.status})`;
}
