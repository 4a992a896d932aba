import { ObjectId } from 'mongodb';
import type { Described } from '../../schemas/schema.ts';
import type { updateTemplateBody } from '../../schemas/templates/templates.ts';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { named } from '../base/database/search.ts';
import { nextUpdate, refuseUnseen } from '../base/database/seen.ts';
import { inTransaction } from '../base/database/transactions.ts';
import type { CallerDeps } from '../base/deps.ts';
import { conflict } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import { type By, isAuthor, madeBy, type Origin } from '../base/maker.ts';
import type { Project, Session } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { atDraft, atShown, changeTemplate, type TemplateAt } from './changes.ts';
import { checkSource } from './check-source.ts';
import type { TemplatesDeps } from './deps.ts';
import { findTemplate } from './find.ts';
import type { Template, TemplateContent } from './model.ts';
import { refuseUnseenVersion } from './publish.ts';
import { contentOf, draftContent, firstVersion, numbersOf, saveDraft, savePublished } from './versions.ts';
import { requireOne, rewritten, withoutBlocks } from './written.ts';

/** Returns in words what the removal of the template would break, or null. Called in the transaction of the removal. */
type UseOfTemplate = (deps: CallerDeps, session: Session, template: NamedTemplate) => Promise<string | null>;
type NamedTemplate = Pick<Template, 'projectId' | 'templateId'>;

declare module '../base/deps.ts' {
  interface Subscribers {
    usesOfTemplate: readonly UseOfTemplate[];
  }
}

type TemplateInput = Described<typeof updateTemplateBody> & {
  text?: string | null;
  usesBrand?: boolean;
  isFlagged?: boolean;
  /** A migrated template may have a source that cannot be sent yet: it is flagged, and a person corrects it. */
  source?: Template['source'];
};

interface TemplateSearch {
  templateType?: Template['templateType'] | undefined;
  search?: string | undefined;
  campaignMails?: boolean | undefined;
}

type NewTemplate = TemplateInput & { templateName: string };
type NewCode = NewTemplate & { emailTemplate: string };
type Owner = Pick<Project, '_id' | 'trackingClick' | 'trackingOpen'>;
export async function createTemplate(
  deps: TemplatesDeps,
  project: Owner,
  input: NewTemplate,
  origin: Origin,
): Promise<Template> {
  requireOne(input);
  const made = newTemplate(project, (await withoutBlocks(deps, project, input)) as NewCode, origin);
  const { _id, projectId } = made;
  try {
    await inTransaction(deps, (session) => insertTemplate(deps, session, made));
  } catch (error) {
    const stored = isDuplicateKey(error, '_id_') ? await deps.db.templates.findOne({ _id, projectId }) : null;
    if (!stored) throw error;
    return stored;
  }
  deps.subscribers.publications.announce(deps, projectId);
  return made;
}

/** Checked and not stored. A repeat of the same request makes the same template. An author's is a draft. */
export function newTemplate(project: Owner, input: NewCode, { at, seed, by }: Origin): Template {
  checkGiven(input);
  const _id = derivedId(at, 'template', seed.toHexString());
  const isDraft = input.draft || isAuthor({ by });
  return {
    _id,
    projectId: project._id,
    templateId: `A-${_id.toHexString().slice(0, 20)}`,
    templateName: input.templateName,
    subject: input.subject ?? '',
    previewText: input.previewText ?? '',
    emailTemplate: input.emailTemplate,
    text: input.text ?? null,
    usesBrand: input.usesBrand ?? false,
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
    newestVersion: 1,
    ...(isDraft
      ? { publishedVersion: 0, draftVersion: 1, publishedAt: null, publishedBy: null }
      : { publishedVersion: 1, draftVersion: null, publishedAt: at, publishedBy: by?.memberId ?? null }),
    createdAt: at,
    updatedAt: at,
  };
}

/** With its first version. The caller announces what was published. */
export async function insertTemplate(deps: TemplatesDeps, session: Session, made: Template): Promise<void> {
  await deps.db.templates.insertOne(made, { session });
  await deps.db.templateVersions.insertOne(firstVersion(made), { session });
  if (numbersOf(made).published > 0 && !made.campaignId)
    await deps.subscribers.publications.record(deps, session, made);
}

/** In the words of an index: a comparison with null reads the documents, which have whole mails. */
const NONE = { $not: { $gte: new ObjectId('0'.repeat(24)) } };

export async function listTemplates(
  deps: TemplatesDeps,
  project: Project,
  { templateType, search, campaignMails, ...page }: Page & TemplateSearch,
): Promise<PageOf<Template>> {
  const filter = {
    projectId: project._id,
    ...(templateType ? { templateType } : {}),
    ...named(search, 'templateName'),
    ...(campaignMails ? {} : { campaignId: NONE }),
  };
  // The documents have whole mails: names are compared in the index.
  return pageOf(deps.db.templates, filter, page, { sort: { createdAt: -1, _id: -1 }, hint: 'saved_names' });
}

/**
 * With `draft`, and for an author always, the content is saved as the draft, and what is sent stays as it is; otherwise it is published
 * at once. Names and descriptions are no content and change at once.
 */
export async function updateTemplate(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  templateId: string,
  written: TemplateInput,
  by: By = {},
): Promise<TemplateAt> {
  return changeWritten(deps, project, templateId, await withoutBlocks(deps, project, written), by);
}

/** Of content blocks, that are compiled already. With `session` the caller announces what was published. */
export async function changeWritten(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  templateId: string,
  input: TemplateInput,
  { session, ...by }: By & { session?: Session | undefined } = {},
): Promise<TemplateAt> {
  checkGiven(input);
  const isDraft = input.draft || isAuthor(by);
  const given = contentGiven(input);
  const plain = plainGiven(input);
  const change = async (own: Session, template: Template): Promise<Partial<Template>> => {
    refuseUnseenVersion(template, input.newestVersion);
    refuseUnseen('template', template, input.updatedAt);
    const saved = !given
      ? {}
      : isDraft
        ? await saveDraft(deps, own, template, rewritten(await draftContent(deps, template, own), given), by)
        : await savePublished(deps, own, template, rewritten(contentOf(template), given), by);
    // The draft of a published template changes nothing of what GET answers.
    const isShown = !isDraft || Object.keys(plain).length > 0 || numbersOf(template).published === 0;
    return { ...plain, ...saved, ...(isShown ? { updatedAt: nextUpdate(template, deps.clock.now()) } : {}) };
  };
  const after = await changeTemplate(deps, project, templateId, change, session);
  return isDraft && !session ? atDraft(deps, after) : atShown(after);
}

/** The later of a deletion and a transaction that stores the name of the template is repeated, so that one of the two is refused. */
export async function deleteTemplate(deps: TemplatesDeps, project: Project, templateId: string): Promise<void> {
  await inTransaction(deps, async (session) => {
    const template = await findTemplate(deps, project, templateId, undefined, session);
    await removeTemplate(deps, session, template);
    const use = await useOfTemplate(deps, session, template);
    if (use) throw conflict('INVALID_STATE', `The template is used by ${use}; take it out there first.`);
  });
}

/** With its versions. */
export async function removeTemplate(
  { db }: Pick<TemplatesDeps, 'db'>,
  session: Session,
  { _id, projectId, templateId }: Pick<Template, '_id' | 'projectId' | 'templateId'>,
): Promise<void> {
  await db.templates.deleteOne({ _id, projectId }, { session });
  await db.templateVersions.deleteMany({ projectId, templateId }, { session });
}

/** In words; null: nothing names it. */
export async function useOfTemplate(
  deps: TemplatesDeps,
  session: Session,
  template: NamedTemplate,
): Promise<string | null> {
  for (const useOf of deps.subscribers.usesOfTemplate) {
    const use = await useOf(deps, session, template);
    if (use) return use;
  }
  return null;
}

const CONTENT = [
  'emailTemplate',
  'text',
  'usesBrand',
  'subject',
  'previewText',
  'templateType',
  'editorJson',
  'parentBodyProperties',
  'trackingClick',
  'trackingOpen',
  'utm',
] as const;
const PLAIN = ['templateName', 'description', 'isFlagged'] as const;

/** null: no field of the content was given. */
function contentGiven(input: TemplateInput): Partial<TemplateContent> | null {
  const builderType = builderOf(input.builderType);
  const given = { ...givenOf(input, CONTENT), ...(builderType ? { builderType } : {}) };
  return Object.keys(given).length > 0 ? given : null;
}

function plainGiven(input: TemplateInput): Partial<Template> {
  return givenOf(input, PLAIN);
}

function givenOf(input: TemplateInput, names: readonly (keyof TemplateInput)[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));
}

function checkGiven(input: TemplateInput): void {
  if (!(input.source === 'migration' && input.isFlagged)) checkSource(input);
}

function builderOf(given: TemplateInput['builderType']): Template['builderType'] | undefined {
  return given === 'visual' ? 'editor' : given;
}
