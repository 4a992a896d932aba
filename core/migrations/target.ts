import { ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../base/database/idempotent-insert.ts';
import { AppError } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import { normalizeEmail } from '../base/text/addresses.ts';
import { builtInGroup } from '../consent/suppressions/built-in-groups.ts';
import { createGroup } from '../consent/suppressions/groups.ts';
import type { SuppressionGroup } from '../consent/suppressions/model.ts';
import { suppress } from '../consent/suppressions/suppressions.ts';
import { createCustomField } from '../people/contacts/custom-fields.ts';
import { createList } from '../people/lists/lists.ts';
import { createTemplate, updateTemplate } from '../templates/templates.ts';
import type { MigrationsDeps } from './deps.ts';
import type { Migration, MigrationLink, MigrationMapping, MigrationProvider } from './model.ts';
import { replaceUrls } from './rules/templates.ts';
import type { SourceItem, SourceTemplate } from './source.ts';

/** The project that owns the target, and the job or call that makes it. */
export interface TargetOwner {
  projectId: ObjectId;
  provider: MigrationProvider;
  createdBy: ObjectId;
}

type Job = Pick<Migration, '_id' | 'projectId' | 'provider' | 'createdAt'>;
type Made = 'created' | 'updated';

const ADDRESSES_AT_ONCE = 1_000;
const TEMPLATE_NAME_MAX = 200;
const SUBJECT_MAX = 998;
const NAME_MAX = 200;
const DESCRIPTION_MAX = 1_000;

/** null when the field was made; otherwise the reason, in words for the report. `index` distinguishes two mappings to one name. */
export async function makeField(
  deps: MigrationsDeps,
  { _id, projectId, createdAt }: Job,
  { fieldName, fieldType }: MigrationMapping,
  index: number,
): Promise<string | null> {
  const seed = derivedId(createdAt, 'migrated field', _id.toHexString(), index);
  try {
    await createCustomField(deps, { _id: projectId }, { fieldName, fieldType }, { at: createdAt, seed });
    return null;
  } catch (error) {
    if (error instanceof AppError && error.kind !== 'unavailable') return error.message;
    throw error;
  }
}

/** An existing list of the same name becomes the target; its members stay. */
export async function makeList(deps: MigrationsDeps, job: Job, source: SourceItem): Promise<Made> {
  const { projectId } = job;
  const owner = ownerOf(job);
  const name = nameOf(source);
  let link = await linkOf(deps, owner, 'list', source.id, async () => {
    const found = await deps.db.contactLists.findOne({ projectId, type: 'list', name });
    return found?._id.toHexString() ?? null;
  });
  if (await linkedList(deps, job, source)) return madeBy(link, job._id);
  link = await relinked(deps, owner, link);
  const { _id } = await createList(deps, { _id: projectId }, { name }, originOf(owner, link, 'list', source.id));
  await keepTarget(deps, link, _id.toHexString());
  return madeBy(link, job._id);
}

/** null: the list was not migrated, or is gone. */
export async function linkedList(deps: MigrationsDeps, job: Job, source: SourceItem): Promise<ObjectId | null> {
  const { projectId } = job;
  const link = await deps.db.migrationLinks.findOne({ _id: linkId(ownerOf(job), 'list', source.id), projectId });
  const list =
    link?.targetId &&
    (await deps.db.contactLists.findOne({ _id: new ObjectId(link.targetId), projectId, type: 'list' }));
  return list ? list._id : null;
}

interface MadeGroup {
  status: Made;
  group: SuppressionGroup;
}

/** Groups and topics. An existing one of the same name becomes the target; its entries stay. */
export async function makeGroup(
  deps: MigrationsDeps,
  job: Job,
  source: SourceItem & { description: string },
): Promise<MadeGroup> {
  return makeGroupFor(deps, ownerOf(job), source);
}

export async function makeGroupFor(
  deps: MigrationsDeps,
  owner: TargetOwner,
  source: SourceItem & { description: string },
): Promise<MadeGroup> {
  const project = { _id: owner.projectId };
  const name = nameOf(source);
  let link = await linkOf(deps, owner, 'group', source.id, async () => {
    const found = await deps.db.suppressionGroups.findOne({ projectId: owner.projectId, name, deletedAt: null });
    return found?.groupId ?? null;
  });
  const groupId = link.targetId ?? '';
  const there = await deps.db.suppressionGroups.findOne({ projectId: owner.projectId, groupId, deletedAt: null });
  if (there) return { status: madeBy(link, owner.createdBy), group: there };
  link = await relinked(deps, owner, link);
  const input = { name, description: source.description.slice(0, DESCRIPTION_MAX) };
  const group = await createGroup(deps, project, input, originOf(owner, link, 'group', source.id));
  await keepTarget(deps, link, group.groupId);
  return { status: madeBy(link, owner.createdBy), group };
}

/** Invalid addresses are left out; the others are durable when this returns. */
export async function suppressAddresses(
  deps: MigrationsDeps,
  { projectId }: { projectId: ObjectId },
  groupId: string,
  emails: string[],
): Promise<{ suppressed: number; invalid: string[] }> {
  const invalid: string[] = [];
  const valid = new Set<string>();
  for (let from = 0; from < emails.length; from += ADDRESSES_AT_ONCE) {
    const part = new Set<string>();
    for (const given of emails.slice(from, from + ADDRESSES_AT_ONCE)) {
      const email = normalizeEmail(given);
      if (email === null) invalid.push(given);
      else if (!valid.has(email)) part.add(email);
    }
    if (part.size > 0) await suppress(deps, projectId, { emails: [...part], groupId, reason: 'UNSUBSCRIBE' });
    for (const email of part) valid.add(email);
  }
  return { suppressed: valid.size, invalid };
}

export async function suppressGlobally(
  deps: MigrationsDeps,
  job: { projectId: ObjectId },
  emails: string[],
): Promise<{ suppressed: number; invalid: string[] }> {
  const { groupId } = await builtInGroup(deps, { _id: job.projectId }, 'global');
  return suppressAddresses(deps, job, groupId, emails);
}

interface TemplateContent {
  source: SourceTemplate;
  html: string;
  replacements: ReadonlyMap<string, string>;
  isFlagged: boolean;
}

/**
 * By the source's id: a template that was migrated before stays as it is unless its content is requested again. Only its pictures that are
 * still at the source are replaced: they could not be fetched then.
 */
export async function upsertTemplate(
  deps: MigrationsDeps,
  owner: TargetOwner,
  { source, html, replacements, isFlagged }: TemplateContent,
  update: boolean,
): Promise<{ status: 'created' | 'updated' | 'skipped'; templateId: string }> {
  const { projectId } = owner;
  const input = {
    templateName: source.name.slice(0, TEMPLATE_NAME_MAX) || 'Untitled',
    subject: (source.subject ?? '').slice(0, SUBJECT_MAX),
    emailTemplate: html,
    isFlagged,
    source: 'migration' as const,
  };
  let link = await linkOf(deps, owner, 'template', source.id, async () => null);
  const there = link.targetId && (await deps.db.templates.findOne({ projectId, templateId: link.targetId }));
  if (there) {
    const kept = replaceUrls(there.emailTemplate, replacements);
    const isChanged = update || kept !== there.emailTemplate;
    const change = update ? input : { emailTemplate: kept, isFlagged: there.isFlagged, source: 'migration' as const };
    if (isChanged) await updateTemplate(deps, { _id: projectId }, there.templateId, change);
    const status = madeBy(link, owner.createdBy) === 'created' ? 'created' : isChanged ? 'updated' : 'skipped';
    return { status, templateId: there.templateId };
  }
  link = await relinked(deps, owner, link);
  const project = await deps.db.projects.findOne({ _id: projectId });
  const { trackingClick = true, trackingOpen = true } = project ?? {};
  const tenant = { _id: projectId, trackingClick, trackingOpen };
  const made = await createTemplate(deps, tenant, input, originOf(owner, link, 'template', source.id));
  await keepTarget(deps, link, made.templateId);
  return { status: 'created', templateId: made.templateId };
}

function ownerOf({ _id, projectId, provider }: Job): TargetOwner {
  return { projectId, provider, createdBy: _id };
}

/** Written before the target is made; `adopt` names an existing target of the same name. */
async function linkOf(
  deps: MigrationsDeps,
  owner: TargetOwner,
  kind: string,
  sourceId: string,
  adopt: () => Promise<string | null>,
): Promise<MigrationLink> {
  const _id = linkId(owner, kind, sourceId);
  const { projectId } = owner;
  const known = await deps.db.migrationLinks.findOne({ _id, projectId });
  if (known) return known;
  const adopted = await adopt();
  const made: MigrationLink = {
    _id,
    projectId,
    targetId: adopted,
    createdBy: adopted === null ? owner.createdBy : null,
    createdAt: deps.clock.now(),
  };
  const { targetId, createdBy, createdAt } = made;
  const stored = await repeatOnDuplicate(() =>
    deps.db.migrationLinks.findOneAndUpdate(
      { _id, projectId },
      { $setOnInsert: { targetId, createdBy, createdAt } },
      { upsert: true, returnDocument: 'after' },
    ),
  );
  return stored ?? made;
}

/** A target that was deleted here since is made again, by this job. */
async function relinked(deps: MigrationsDeps, owner: TargetOwner, link: MigrationLink): Promise<MigrationLink> {
  if (link.targetId === null) return link;
  const { _id, projectId } = link;
  const made = { targetId: null, createdBy: owner.createdBy, createdAt: deps.clock.now() };
  await deps.db.migrationLinks.updateOne({ _id, projectId }, { $set: made });
  return { ...link, ...made };
}

async function keepTarget(deps: MigrationsDeps, { _id, projectId }: MigrationLink, targetId: string): Promise<void> {
  await deps.db.migrationLinks.updateOne({ _id, projectId }, { $set: { targetId } });
}

/** The same each time, so that making the target again finds the existing one. */
function originOf(owner: TargetOwner, { createdAt }: MigrationLink, kind: string, sourceId: string) {
  return { at: createdAt, seed: seedOf(owner, kind, sourceId) };
}

function madeBy({ createdBy }: MigrationLink, job: ObjectId): Made {
  return createdBy?.equals(job) ? 'created' : 'updated';
}

function seedOf(owner: TargetOwner, kind: string, sourceId: string): ObjectId {
  return derivedId(owner.projectId.getTimestamp(), linkId(owner, kind, sourceId));
}

function linkId({ projectId, provider }: TargetOwner, kind: string, sourceId: string): string {
  return [projectId.toHexString(), provider, kind, sourceId].join(':');
}

function nameOf({ name }: SourceItem): string {
  return name.replace(/\s+/g, ' ').trim().slice(0, NAME_MAX) || 'Untitled';
}
