import type { Deps } from '../../core/base/deps.ts';
import { partNamed } from '../../core/templates/assemble/keys.ts';
import type { UsersOfPart } from '../../core/templates/assemble/uses.ts';
import type { TemplateAt } from '../../core/templates/changes.ts';
import type { MediaFile } from '../../core/templates/media/model.ts';
import { contentTypeOf } from '../../core/templates/media/pictures.ts';
import type { Template } from '../../core/templates/model.ts';
import type { Republication } from '../../core/templates/parts/model.ts';
import type { TouchedTemplates } from '../../core/templates/parts/touched.ts';
import type { ListedVersion } from '../../core/templates/publish.ts';
import type { TranslationAt, TranslationsAt } from '../../core/templates/translations/translations.ts';
import { numbersOf, shownVersion, writtenOf } from '../../core/templates/versions.ts';

/** `version`: whose content it has. */
export function presentTemplate(template: Template, version = shownVersion(template)) {
  const { _id, templateId, projectId, templateName, subject, previewText, templateType } = template;
  const { builderType, description, editorJson, parentBodyProperties, isFlagged, source, createdBy = null } = template;
  const { campaignId = null, layoutId = null, trackingClick, trackingOpen, utm = null } = template;
  const { publishedAt, createdAt, updatedAt } = template;
  const { published, draft, newest } = numbersOf(template);
  return {
    id: _id,
    templateId,
    projectId,
    templateName,
    subject,
    previewText,
    emailTemplate: writtenOf(template),
    templateType,
    builderType,
    description,
    campaignId,
    editorJson,
    parentBodyProperties,
    isFlagged,
    source,
    createdBy,
    trackingClick,
    trackingOpen,
    utm,
    layoutId,
    version,
    publishedVersion: published || null,
    draftVersion: draft,
    newestVersion: newest,
    isDraftOutdated: draft !== null && draft < published,
    publishedAt,
    createdAt,
    updatedAt,
  };
}

/** A layout or a snippet, with what has it put in where that was looked up. */
export function presentPart({ template, version, used }: TemplateAt & { used?: UsersOfPart }) {
  const { templateId, templateName, ...shown } = presentTemplate(template, version);
  const part = Object.fromEntries(PART_FIELDS.map((name) => [name, shown[name]]));
  const users = used?.users.map((user) => ({ ...userOf(user.templateId), name: user.templateName }));
  return {
    ...{ ...part, id: userOf(templateId).id, name: templateName },
    ...(used && { usedBy: users, uses: used.total }),
  };
}

const PART_FIELDS = [
  ...(['projectId', 'description', 'emailTemplate', 'builderType', 'editorJson', 'createdBy', 'version'] as const),
  ...(['publishedVersion', 'draftVersion', 'newestVersion', 'isDraftOutdated', 'publishedAt'] as const),
  ...(['createdAt', 'updatedAt'] as const),
];

export function presentTouched({ templates, total }: TouchedTemplates) {
  return { templates: templates.map(({ templateId, templateName }) => ({ templateId, templateName })), total };
}

export function presentRepublication(job: Republication) {
  const { _id, status, templateIds, done, published, unchanged, failed, failures } = job;
  const { createdAt, updatedAt, completedAt } = job;
  const total = templateIds.length;
  return {
    ...{ id: _id, status, total, published, unchanged, failed, failures, pending: total - done },
    ...{ createdAt, updatedAt, completedAt },
  };
}

function userOf(templateId: string) {
  return partNamed(templateId) ?? { kind: 'template', id: templateId };
}

export function presentTemplateAt({ template, version }: TemplateAt) {
  return presentTemplate(template, version);
}

export function presentTranslations({ at, language, translations }: TranslationsAt) {
  return { language, translations, ...numbersAt(at) };
}

export function presentTranslation({ at, translation, texts, missing, outdated }: TranslationAt) {
  const given = new Map(translation.texts.map(({ name, text }) => [name, text]));
  const own = (name: string) => given.get(name) ?? null;
  return {
    language: translation.language,
    subject: own('subject'),
    previewText: own('previewText'),
    emailTemplate: own('emailTemplate'),
    texts: byBlock(given),
    ...{ missing, outdated, bases: texts, ...numbersAt(at) },
  };
}

function byBlock(given: ReadonlyMap<string, string>): Record<string, Record<string, string>> {
  const blocks: Record<string, Record<string, string>> = {};
  for (const [name, text] of given) {
    const end = name.indexOf('/');
    if (end < 0) continue;
    const blockId = name.slice(0, end);
    blocks[blockId] = { ...blocks[blockId], [name.slice(end + 1)]: text };
  }
  return blocks;
}

function numbersAt({ template, version }: TemplateAt) {
  const { published, draft, newest } = numbersOf(template);
  return { version, publishedVersion: published || null, draftVersion: draft, newestVersion: newest };
}

export function presentVersion({ createdBy, ...version }: ListedVersion) {
  return { ...version, createdBy: createdBy ?? null };
}

export function presentMedia({ config }: Pick<Deps, 'config'>, media: MediaFile) {
  const { _id, name, ending, width, height, sizeBytes, source, createdBy = null, createdAt } = media;
  return {
    id: _id,
    url: `${config.publicUrl}/media/${name}`,
    ...{ width, height, size: sizeBytes, contentType: contentTypeOf(ending), source, createdBy, createdAt },
  };
}
