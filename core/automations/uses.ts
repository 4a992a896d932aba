import type { Filter, FindOptions, ObjectId } from 'mongodb';
import type { Session } from '../base/model.ts';
import { READ_TIME_MAX_MS } from '../base/paging.ts';
import type { SuppressionGroup } from '../consent/suppressions/model.ts';
import type { Webhook } from '../events/model.ts';
import { namePattern } from '../templates/media/media.ts';
import type { MediaFile } from '../templates/media/model.ts';
import type { Template } from '../templates/model.ts';
import type { AutomationsDeps } from './deps.ts';
import type { Automation, DraftDefinition, PastDefinition } from './model/automation.ts';
import { postsTo } from './webhooks/addresses.ts';

const projection = { name: 1, status: 1 };
const DRAFTS = { hint: 'drafts' };
/** A person whose entry was followed late has an older id than those who entered before it. */
const OLDEST_READ = 100;

/** Activation looks for the templates of a draft or paused automation again, and publication for those of a draft of it. */
export async function automationWithTemplate(
  { db }: Pick<AutomationsDeps, 'db'>,
  session: Session,
  { projectId, templateId }: Pick<Template, 'projectId' | 'templateId'>,
): Promise<string | null> {
  const naming = { 'steps.email.templateId': templateId };
  const active = { projectId, status: 'active' as const, ...naming };
  const automation = await db.automations.findOne(active, { session, projection });
  if (automation) return `the active automation "${automation.name}"`;
  return earlierVersion({ db }, projectId, naming, { session });
}

/** As with templates. */
export async function automationWithForm(
  { db }: Pick<AutomationsDeps, 'db'>,
  session: Session,
  { projectId, _id }: { projectId: ObjectId; _id: ObjectId },
): Promise<string | null> {
  const naming = { projectId, status: 'active' as const, 'entryCriteria.formId': _id.toHexString() };
  const automation = await db.automations.findOne(naming, { session, projection });
  return automation && `the active automation "${automation.name}"`;
}

/** As with templates. A step that names a url posts to the webhook of that url. */
export async function automationWithWebhook(
  { db }: Pick<AutomationsDeps, 'db'>,
  session: Session,
  { projectId, _id }: Pick<Webhook, 'projectId' | '_id'>,
): Promise<string | null> {
  const posting = { projectId, status: 'active' as const, 'steps.type': 'webhook' as const };
  const reading = { session, projection: { ...projection, projectId: 1, steps: 1 } };
  const automations = await db.automations.find(posting, reading).toArray();
  const isNamed = (one: Pick<Automation, 'projectId' | 'steps'>) => postsTo(one, _id.toHexString());
  const automation = automations.find(isNamed);
  if (automation) return `the active automation "${automation.name}"`;
  return earlierVersion({ db }, projectId, { 'steps.type': 'webhook' }, { session, isNamed });
}

/** Content of a step that is written in the automation itself, or in its draft: nothing looks for pictures when that is published. */
export async function automationWithPicture(
  { db }: Pick<AutomationsDeps, 'db'>,
  { projectId, name }: Pick<MediaFile, 'projectId' | 'name'>,
): Promise<string | null> {
  const showing = { 'steps.email.htmlTemplate': { $regex: namePattern(name) } };
  const live = { projectId, status: { $ne: 'archived' as const }, deletedAt: null };
  const reading = { projection, maxTimeMS: READ_TIME_MAX_MS };
  const automation = await db.automations.findOne({ ...live, ...showing }, reading);
  if (automation) return automationUse(automation);
  const draft = await db.automationDefinitions.findOne<DraftDefinition>(
    { projectId, isDraft: true, ...showing },
    { ...reading, ...DRAFTS },
  );
  return draftUse(draft) ?? earlierVersion({ db }, projectId, showing, { maxTimeMS: READ_TIME_MAX_MS });
}

export async function automationWithGroup(
  { db }: Pick<AutomationsDeps, 'db'>,
  session: Session,
  { projectId, groupId }: Pick<SuppressionGroup, 'projectId' | 'groupId'>,
): Promise<string | null> {
  const naming = { projectId, unsubscribeGroupId: groupId };
  const live = { status: { $ne: 'archived' as const }, deletedAt: null };
  const automation = await db.automations.findOne({ ...naming, ...live }, { session, projection });
  if (automation) return automationUse(automation);
  const draft = await db.automationDefinitions.findOne<DraftDefinition>(
    { ...naming, isDraft: true },
    { session, projection, ...DRAFTS },
  );
  return draftUse(draft) ?? earlierVersion({ db }, projectId, { unsubscribeGroupId: groupId }, { session });
}

type Reading = Pick<FindOptions, 'session' | 'maxTimeMS'>;

/** A version that another one replaced, by which people may be inside. It does not change for them, and cannot be edited. */
async function earlierVersion(
  { db }: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  naming: Filter<PastDefinition | DraftDefinition>,
  { isNamed = () => true, ...reading }: Reading & { isNamed?: (past: PastDefinition) => boolean },
): Promise<string | null> {
  const running = { projectId, status: { $in: ['active' as const, 'paused' as const] }, deletedAt: null };
  const automations = await db.automations
    .find(running, { ...reading, projection: { name: 1, version: 1, moveBefore: 1 } })
    .toArray();
  const ids = automations.map(({ _id }) => _id);
  const fields = { projectId: 1, automationId: 1, version: 1, 'steps.type': 1, 'steps.webhook': 1 };
  const found = await db.automationDefinitions
    .find<PastDefinition>(
      { projectId, automationId: { $in: ids }, isDraft: { $exists: false }, ...naming },
      { ...reading, projection: fields, hint: 'automation' },
    )
    .toArray();
  const past = found.filter(isNamed);
  for (const automation of automations) {
    const theirs = past.filter((one) => one.automationId.equals(automation._id) && one.version < automation.version);
    if (theirs.length === 0) continue;
    const version = Math.max(...theirs.map((one) => one.version));
    if (version >= (await oldestVersion({ db }, projectId, automation, reading)))
      return `version ${version} of the automation "${automation.name}", by which people may be inside until they are moved`;
  }
  return null;
}

/** Of the people inside: they entered in the order of their versions. No index has the versions. */
async function oldestVersion(
  { db }: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  { _id: automationId, moveBefore }: Pick<Automation, '_id' | 'moveBefore'>,
  reading: Reading,
): Promise<number> {
  const oldest = await db.enrollments
    .find({ projectId, automationId, status: 'active' }, { ...reading, projection: { version: 1 }, hint: 'automation' })
    .sort({ _id: 1 })
    .limit(OLDEST_READ)
    .toArray();
  return Math.max(moveBefore, Math.min(...oldest.map(({ version }) => version)));
}

function automationUse({ name, status }: Pick<Automation, 'name' | 'status'>): string {
  return `the automation "${name}" (${status})`;
}

function draftUse(draft: Pick<DraftDefinition, 'name'> | null): string | null {
  return draft && `the draft of the automation "${draft.name}"`;
}
