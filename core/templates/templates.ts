import type { ObjectId } from 'mongodb';
import type { Described } from '../../schemas/schema.ts';
import type { updateTemplateBody } from '../../schemas/templates.ts';
import type { Deps } from '../base/deps.ts';
import { conflict, notFound } from '../base/errors.ts';
import { insertOnce } from '../base/idempotent-insert.ts';
import { derivedId, parseId } from '../base/ids.ts';
import { type By, isAuthor, madeBy, refuseAuthor } from '../base/maker.ts';
import type { Project, Session } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { inTransaction } from '../base/transactions.ts';
import { compiled } from './cache.ts';
import type { Template } from './model.ts';

/** Returns in words what the removal of the template would break, or null. */
type UseOfTemplate = (deps: Deps, template: NamedTemplate) => Promise<string | null>;
/** Returns in words where mail with the template goes out without another act of a person, or null. Called in the author's transaction. */
type LiveUseOfTemplate = (deps: Deps, session: Session, template: NamedTemplate) => Promise<string | null>;
type NamedTemplate = Pick<Template, 'projectId' | 'templateId'>;

declare module '../base/deps.ts' {
  interface Subscribers {
    usesOfTemplate: readonly UseOfTemplate[];
    liveUsesOfTemplate: readonly LiveUseOfTemplate[];
  }
}

type TemplateInput = Described<typeof updateTemplateBody> & {
  isFlagged?: boolean;
  /** A migrated template may have a source that cannot be sent yet: it is flagged, and a person corrects it. */
  source?: Template['source'];
};

const TEMPLATE_ID = /^A-[0-9a-f]{20}$/;

type NewTemplate = TemplateInput & { templateName: string; emailTemplate: string };
type Owner = Pick<Project, '_id' | 'trackingClick' | 'trackingOpen'>;
type Origin = By & { at: Date; seed: ObjectId };

export async function createTemplate(
  deps: Deps,
  project: Owner,
  input: NewTemplate,
  origin: Origin,
): Promise<Template> {
  return insertOnce(deps.db.templates, newTemplate(project, input, origin), { projectId: project._id });
}

/** Checked and not stored. A repeat of the same request makes the same template. */
export function newTemplate(project: Owner, input: NewTemplate, { at, seed, by }: Origin): Template {
  checkSource(input);
  const _id = derivedId(at, 'template', seed.toHexString());
  return {
    _id,
    projectId: project._id,
    templateId: `A-${_id.toHexString().slice(0, 20)}`,
    templateName: input.templateName,
    subject: input.subject ?? '',
    previewText: input.previewText ?? '',
    emailTemplate: input.emailTemplate,
    templateType: input.templateType ?? 'transactional',
    builderType: builderOf(input.builderType) ?? 'code',
    description: input.description ?? '',
    editorJson: input.editorJson ?? null,
    parentBodyProperties: input.parentBodyProperties ?? null,
    isFlagged: input.isFlagged ?? false,
    source: input.source ?? (by ? 'dashboard' : 'api'),
    ...madeBy({ by }),
    trackingClick: input.trackingClick ?? project.trackingClick,
    trackingOpen: input.trackingOpen ?? project.trackingOpen,
    utm: input.utm ?? null,
    createdAt: at,
    updatedAt: at,
  };
}

export async function listTemplates(
  deps: Deps,
  project: Project,
  { templateType, ...page }: Page & { templateType?: Template['templateType'] | undefined },
): Promise<PageOf<Template>> {
  const filter = { projectId: project._id, ...(templateType ? { templateType } : {}) };
  return pageOf(deps.db.templates, filter, page, { sort: { createdAt: -1, _id: -1 } });
}

/** `field` when the id was in a body. The internal id is accepted too. */
export async function findTemplate(
  deps: Deps,
  project: Pick<Project, '_id'>,
  templateId: string,
  field?: string,
): Promise<Template> {
  const key = keyOf(templateId);
  const template = key && (await deps.db.templates.findOne({ projectId: project._id, ...key }));
  if (!template) throw notFound('TEMPLATE', field);
  return template;
}

export async function updateTemplate(
  deps: Deps,
  project: Pick<Project, '_id'>,
  templateId: string,
  input: TemplateInput,
  { session, ...origin }: By & { session?: Session | undefined } = {},
): Promise<Template> {
  checkSource(input);
  if (isAuthor(origin) && !session)
    return inTransaction(deps, (own) => updateTemplate(deps, project, templateId, input, { ...origin, session: own }));
  const { builderType, ...fields } = input;
  const set: Partial<Template> = { updatedAt: deps.clock.now() };
  for (const name of UPDATABLE) if (fields[name] !== undefined) Object.assign(set, { [name]: fields[name] });
  const builder = builderOf(builderType);
  if (builder) set.builderType = builder;
  const key = keyOf(templateId);
  const template =
    key &&
    (await deps.db.templates.findOneAndUpdate(
      { projectId: project._id, ...key },
      { $set: set },
      { returnDocument: 'after', ...(session ? { session } : {}) },
    ));
  if (!template) throw notFound('TEMPLATE');
  if (isAuthor(origin) && session) await refuseLive(deps, session, template, origin);
  return template;
}

/** After the write, in its transaction: one that puts the template to use writes it too, so the later of the two is repeated. */
async function refuseLive(deps: Deps, session: Session, template: Template, origin: By): Promise<void> {
  if (template.isSentByKeys) refuseAuthor(origin, 'changeUsed', 'mail of your programs');
  for (const useOf of deps.subscribers.liveUsesOfTemplate) {
    const use = await useOf(deps, session, template);
    if (use) refuseAuthor(origin, 'changeUsed', use);
  }
}

/** Written with the first mail alone. */
export async function noteSentByKeys({ db }: Pick<Deps, 'db'>, template: Template): Promise<void> {
  const { _id, projectId, isSentByKeys } = template;
  if (!isSentByKeys) await db.templates.updateOne({ _id, projectId }, { $set: { isSentByKeys: true } });
}

/** Runs in a transaction after which mail goes out with these templates. */
export async function holdTemplates(
  { db }: Deps,
  session: Session,
  { _id: projectId }: Pick<Project, '_id'>,
  templateIds: string[],
): Promise<void> {
  if (templateIds.length === 0) return;
  await db.templates.updateMany({ projectId, templateId: { $in: templateIds } }, { $inc: { holds: 1 } }, { session });
}

export async function deleteTemplate(deps: Deps, project: Project, templateId: string): Promise<void> {
  const template = await findTemplate(deps, project, templateId);
  for (const useOf of deps.subscribers.usesOfTemplate) {
    const use = await useOf(deps, template);
    if (use) throw conflict('INVALID_STATE', `The template is used by ${use}; take it out there first.`);
  }
  await deps.db.templates.deleteOne({ _id: template._id, projectId: project._id });
}

const UPDATABLE = [
  'templateName',
  'emailTemplate',
  'subject',
  'previewText',
  'templateType',
  'description',
  'editorJson',
  'parentBodyProperties',
  'trackingClick',
  'trackingOpen',
  'utm',
  'isFlagged',
] as const;

/** Source that does not parse, or uses a construct that is not allowed, is refused when it is saved. */
function checkSource({ emailTemplate, subject, previewText, isFlagged, source }: TemplateInput): void {
  if (source === 'migration' && isFlagged) return;
  if (emailTemplate !== undefined) compiled(emailTemplate, 'html', 'emailTemplate');
  if (subject !== undefined) compiled(subject, 'subject', 'subject');
  if (previewText !== undefined) compiled(previewText, 'subject', 'previewText');
}

function builderOf(given: TemplateInput['builderType']): Template['builderType'] | undefined {
  return given === 'visual' ? 'editor' : given;
}

function keyOf(templateId: string): { templateId: string } | { _id: ObjectId } | null {
  if (TEMPLATE_ID.test(templateId)) return { templateId };
  const _id = parseId(templateId);
  return _id && { _id };
}
