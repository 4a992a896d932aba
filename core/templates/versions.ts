import { isDeepStrictEqual } from 'node:util';
import { type By, madeBy } from '../base/maker.ts';
import type { Session } from '../base/model.ts';
import type { TemplatesDeps } from './deps.ts';
import type { Template, TemplateContent, TemplateVersion } from './model.ts';
import { storeLanguages } from './translated/store.ts';

/** Besides the published version and the draft, which are always kept. */
export const VERSIONS_KEPT = 100;

type Stored = Pick<Template, '_id' | 'projectId' | 'templateId'>;
export type Numbers = Pick<Template, 'publishedVersion' | 'draftVersion' | 'newestVersion'>;

export function numbersOf({ publishedVersion, draftVersion, newestVersion }: Numbers) {
  return { published: publishedVersion, draft: draftVersion, newest: newestVersion };
}

/** The version whose content the template itself has. */
export function shownVersion(template: Numbers): number {
  const { published, newest } = numbersOf(template);
  return published || newest;
}

/** As the author wrote it: code without what was put in. */
export function writtenOf({ writtenCode, emailTemplate }: TemplateContent): string {
  return writtenCode ?? emailTemplate;
}

export function contentOf(stored: TemplateContent): Required<TemplateContent> {
  const { subject, previewText, emailTemplate, templateType, builderType, editorJson, parentBodyProperties } = stored;
  const { trackingClick, trackingOpen, utm = null, text = null, usesBrand = false } = stored;
  const { layoutId = null, writtenCode = null, parts = [], translations = [] } = stored;
  return {
    ...{ subject, previewText, emailTemplate, templateType, builderType, editorJson, parentBodyProperties },
    ...{ trackingClick, trackingOpen, utm, text, usesBrand, layoutId, writtenCode, parts, translations },
  };
}

/** null: there is no such version, or it is gone. */
export async function contentOfVersion(
  { db }: Pick<TemplatesDeps, 'db'>,
  template: Template,
  version: number,
  session?: Session,
): Promise<TemplateContent | null> {
  if (version === shownVersion(template)) return contentOf(template);
  const { projectId, templateId } = template;
  const found = await db.templateVersions.findOne({ projectId, templateId, version }, session ? { session } : {});
  return found && contentOf(found);
}

/** The content that a draft is continued from: the open draft, otherwise what is published. */
export async function draftContent(deps: Pick<TemplatesDeps, 'db'>, template: Template, session: Session) {
  const { draft } = numbersOf(template);
  const open = draft === null ? null : await contentOfVersion(deps, template, draft, session);
  return open ?? contentOf(template);
}

/** The fields of the template that change when the content is saved as its draft. */
export async function saveDraft(
  deps: TemplatesDeps,
  session: Session,
  template: Template,
  content: TemplateContent,
  by: By,
): Promise<Partial<Template>> {
  const { published, newest } = numbersOf(template);
  if (isDeepStrictEqual(content, await contentOfVersion(deps, template, newest, session)))
    // The same as what is published: there is nothing to publish.
    return newest === published ? { draftVersion: null } : {};
  const version = await addVersion(deps, session, template, content, { by, inUse: [published] });
  return { newestVersion: version, draftVersion: version, ...(published === 0 ? content : {}) };
}

/** The fields of the template that change when the content is saved and published at once. An open draft stays, and is older then. */
export async function savePublished(
  deps: TemplatesDeps,
  session: Session,
  template: Template,
  content: TemplateContent,
  by: By,
): Promise<Partial<Template>> {
  const { published, draft, newest } = numbersOf(template);
  if (published > 0 && isDeepStrictEqual(content, contentOf(template))) return {};
  const isNewest = isDeepStrictEqual(content, await contentOfVersion(deps, template, newest, session));
  const version = isNewest
    ? newest
    : await addVersion(deps, session, template, content, { by, inUse: draft === null ? [] : [draft] });
  // The draft of a template that was never published is what this call has changed.
  const isDraftOver = published === 0 || version === draft;
  return publicationOf(deps, session, template, { version, content, draft: isDraftOver ? null : draft }, by);
}

/** The fields of the template that change when its newest version is published, whose mail in other languages is stored. */
export async function publicationOf(
  deps: Pick<TemplatesDeps, 'clock' | 'db'>,
  session: Session,
  template: Template,
  { version, content, draft }: { version: number; content: TemplateContent; draft: number | null },
  { by }: By,
): Promise<Partial<Template>> {
  await storeLanguages(deps, session, template, version, content);
  return {
    ...contentOf(content),
    ...{ publishedVersion: version, newestVersion: version, draftVersion: draft },
    ...{ publishedAt: deps.clock.now(), publishedBy: by?.memberId ?? null },
  };
}

export function firstVersion(template: Template): TemplateVersion {
  const { createdBy, createdAt } = template;
  return { ...versionOf(template, 1), ...contentOf(template), ...(createdBy ? { createdBy } : {}), createdAt };
}

async function addVersion(
  { db, clock }: TemplatesDeps,
  session: Session,
  template: Template,
  content: TemplateContent,
  { by, inUse }: { by: By; inUse: number[] },
): Promise<number> {
  const { projectId, templateId } = template;
  const version = numbersOf(template).newest + 1;
  const made = { ...versionOf(template, version), ...content, ...madeBy(by), createdAt: clock.now() };
  await db.templateVersions.insertOne(made, { session });
  const old = { $lte: version - VERSIONS_KEPT, $nin: inUse };
  await db.templateVersions.deleteMany({ projectId, templateId, version: old }, { session });
  await db.templateLanguages.deleteMany({ projectId, templateId, version: old }, { session });
  return version;
}

function versionOf({ _id, projectId, templateId }: Stored, version: number) {
  return { _id: versionId({ _id }, version), projectId, templateId, version };
}

export function versionId({ _id }: Pick<Template, '_id'>, version: number): string {
  return `${_id.toHexString()}:${version}`;
}
