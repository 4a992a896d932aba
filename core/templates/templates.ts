import { ObjectId } from 'mongodb';
import type { StarterId, StarterLanguage } from '../../schemas/templates/starters.ts';
import { isDuplicateKey } from '../base/database/idempotent-insert.ts';
import { named } from '../base/database/search.ts';
import { nextUpdate, refuseUnseen } from '../base/database/seen.ts';
import { inTransaction } from '../base/database/transactions.ts';
import type { CallerDeps } from '../base/deps.ts';
import { conflict, invalid } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import { type By, isAuthor, madeBy, type Origin } from '../base/maker.ts';
import type { Project, Session } from '../base/model.ts';
import { type LongPageOf, longPageOf, type Page } from '../base/paging.ts';
import { KEYS_OF, partNamed } from './assemble/keys.ts';
import { nounOf, referToParts, refuseUsedPart, usesOf } from './assemble/uses.ts';
import { atDraft, atShown, changeDraftOf, changeTemplate, type TemplateAt } from './changes.ts';
import type { TemplatesDeps } from './deps.ts';
import { findTemplate, type Named } from './find.ts';
import { builderOf, checkGiven, contentGiven, plainGiven, type TemplateInput } from './given.ts';
import type { Template, TemplateContent } from './model.ts';
import { refuseUnseenVersion } from './publish.ts';
import { begunFrom, refuseBesideStarter } from './starters/begin.ts';
import { storeLanguages } from './translated/store.ts';
import { contentOf, draftContent, firstVersion, numbersOf, saveDraft, savePublished } from './versions.ts';
import { isSameBase, isWritten, requireOne, rewritten, withMadeMail } from './written.ts';

/** Returns in words what the removal of the template would break, or null. Called in the transaction of the removal. */
type UseOfTemplate = (deps: CallerDeps, session: Session, template: NamedTemplate) => Promise<string | null>;
type NamedTemplate = Pick<Template, 'projectId' | 'templateId'>;

declare module '../base/deps.ts' {
  interface Subscribers {
    usesOfTemplate: readonly UseOfTemplate[];
  }
}

interface TemplateSearch {
  templateType?: Template['templateType'] | undefined;
  search?: string | undefined;
  campaignMails?: boolean | undefined;
}

interface StarterInput {
  starter?: StarterId | undefined;
  starterLanguages?: readonly StarterLanguage[] | undefined;
}

type NewTemplate = TemplateInput & StarterInput & { templateName: string };
type NewCode = NewTemplate & { emailTemplate: string };
type Owner = Pick<Project, '_id' | 'trackingClick' | 'trackingOpen'>;

/** A layout gets its id here, a snippet has its name. Left out: a template. */
type NewPart = { kind: 'layout' } | { kind: 'snippet'; id: string };

export async function createTemplate(
  deps: TemplatesDeps,
  project: Owner,
  input: NewTemplate,
  origin: Origin,
  part?: NewPart,
): Promise<Template> {
  const { translations, ...given } = begun(deps, input);
  requireOne(given);
  const self = part && { id: '', ...part };
  const mail = (await withMadeMail(deps, project, given, { self })) as NewCode;
  const made = newTemplate(project, { ...mail, translations }, origin, part);
  const { _id, projectId } = made;
  try {
    await inTransaction(deps, (session) => insertTemplate(deps, session, made));
  } catch (error) {
    const stored = isDuplicateKey(error) ? await deps.db.templates.findOne({ _id, projectId }) : null;
    if (stored) return stored;
    if (isDuplicateKey(error, 'template_id')) throw nameTaken();
    throw error;
  }
  deps.subscribers.publications.announce(deps, projectId);
  return made;
}

/** With the mail, its type and the languages of a starter; other fields of the call win. Translations of a caller have a call of their own. */
function begun(
  { config }: TemplatesDeps,
  { starter, starterLanguages, translations: _, ...input }: NewTemplate,
): NewTemplate {
  if (starter === undefined && starterLanguages === undefined) return input;
  if (starter === undefined)
    throw invalid('Languages are those of a starter.', 'starterLanguages: must be left out without starter');
  refuseBesideStarter(input);
  const { content, templateType, ...mail } = begunFrom(starter, starterLanguages, config.publicUrl);
  return { ...mail, content: { ...content }, ...input, templateType };
}

/** Checked and not stored. A repeat of the same request makes the same template. An author's is a draft. */
export function newTemplate(project: Owner, input: NewCode, { at, seed, by }: Origin, part?: NewPart): Template {
  checkGiven(input);
  const _id = derivedId(at, 'template', seed.toHexString());
  const isDraft = input.draft || isAuthor({ by });
  return {
    _id,
    projectId: project._id,
    templateId: storedId(_id, part),
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
    layoutId: input.layoutId ?? null,
    writtenCode: input.writtenCode ?? null,
    ...{ parts: input.parts ?? [], uses: usesOf(input) },
    ...(input.translations ? { translations: input.translations } : {}),
    newestVersion: 1,
    ...(isDraft
      ? { publishedVersion: 0, draftVersion: 1, publishedAt: null, publishedBy: null }
      : { publishedVersion: 1, draftVersion: null, publishedAt: at, publishedBy: by?.memberId ?? null }),
    createdAt: at,
    updatedAt: at,
  };
}

function storedId(_id: ObjectId, part: NewPart | undefined): string {
  if (part?.kind === 'snippet') return `S-${part.id}`;
  return `${part ? 'L' : 'A'}-${_id.toHexString().slice(0, 20)}`;
}

function nameTaken() {
  return conflict('ALREADY_EXISTS', 'There is a snippet of this name already; change that one.', 'name: is taken');
}

/** With its first version. The caller announces what was published. */
export async function insertTemplate(deps: TemplatesDeps, session: Session, made: Template): Promise<void> {
  await referToParts(deps, session, { projectId: made.projectId }, made.uses);
  await deps.db.templates.insertOne(made, { session });
  await deps.db.templateVersions.insertOne(firstVersion(made), { session });
  if (numbersOf(made).published === 0) return;
  await storeLanguages(deps, session, made, 1, made);
  if (!made.campaignId) await deps.subscribers.publications.record(deps, session, made);
}

/** In the words of an index: a comparison with null reads the documents, which have whole mails. */
const NONE = { $not: { $gte: new ObjectId('0'.repeat(24)) } };

export async function listTemplates(
  deps: TemplatesDeps,
  project: Project,
  { templateType, search, campaignMails, ...page }: Page & TemplateSearch,
): Promise<LongPageOf<Template>> {
  const filter = {
    projectId: project._id,
    ...(templateType ? { templateType } : {}),
    ...named(search, 'templateName'),
    ...(campaignMails ? {} : { campaignId: NONE }),
  };
  const hidden = { filter: { templateId: { $gte: KEYS_OF.layout.$gte } }, hint: 'template_id' };
  // The documents have whole mails: names are compared in the index.
  return longPageOf(deps.db.templates, filter, page, { sort: { createdAt: -1, _id: -1 }, hint: 'saved_names', hidden });
}

/**
 * With `draft`, and for an author always, the content is saved as the draft, and what is sent stays as it is; otherwise it is published
 * at once. Names and descriptions are no content and change at once.
 */
export async function updateTemplate(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  named: Named,
  written: TemplateInput,
  by: By = {},
): Promise<TemplateAt> {
  if (!isWritten(written)) return changeWritten(deps, project, named, await withMadeMail(deps, project, written), by);
  const before = await findTemplate(deps, project, named);
  const { template: base } = written.draft || isAuthor(by) ? await atDraft(deps, before) : atShown(before);
  const self = partNamed(before.templateId) ?? undefined;
  const input = await withMadeMail(deps, project, written, { base, self });
  return changeWritten(deps, project, named, input, { ...by, isSeen: (content) => isSameBase(base, content, written) });
}

/** Whether the stored content still is what the mail was put together with. */
type IsSeen = (content: TemplateContent) => boolean;

function changedMeanwhile() {
  return conflict('INVALID_STATE', 'The template was changed meanwhile. Look at it, and repeat the call.');
}

/** Of content blocks, that are compiled already. With `session` the caller announces what was published. */
export async function changeWritten(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  named: Named,
  input: TemplateInput,
  { session, isSeen = () => true, ...by }: By & { session?: Session | undefined; isSeen?: IsSeen } = {},
): Promise<TemplateAt> {
  checkGiven(input);
  const isDraft = input.draft || isAuthor(by);
  const given = contentGiven(input);
  const plain = plainGiven(input);
  const save = async (own: Session, template: Template, fields: Partial<TemplateContent>) => {
    const before = isDraft ? await draftContent(deps, template, own) : contentOf(template);
    if (!isSeen(before)) throw changedMeanwhile();
    return (isDraft ? saveDraft : savePublished)(deps, own, template, rewritten(before, fields), by);
  };
  const change = async (own: Session, template: Template): Promise<Partial<Template>> => {
    refuseUnseenVersion(template, input.newestVersion);
    refuseUnseen(nounOf(template.templateId), template, input.updatedAt);
    const saved = given ? await save(own, template, given) : {};
    // The draft of a published template changes nothing of what GET answers.
    const isShown = !isDraft || Object.keys(plain).length > 0 || numbersOf(template).published === 0;
    return { ...plain, ...saved, ...(isShown ? { updatedAt: nextUpdate(template, deps.clock.now()) } : {}) };
  };
  if (isDraft && !session) return changeDraftOf(deps, project, named, change);
  return atShown(await changeTemplate(deps, project, named, change, session));
}

/** The later of a deletion and a transaction that stores the name of the template is repeated, so that one of the two is refused. */
export async function deleteTemplate(deps: TemplatesDeps, project: Project, named: Named): Promise<void> {
  await inTransaction(deps, async (session) => {
    const template = await findTemplate(deps, project, named, undefined, session);
    await removeTemplate(deps, session, template);
    await refuseUsedPart(deps, session, template);
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
  await db.templateLanguages.deleteMany({ projectId, templateId }, { session });
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
