import type { ObjectId } from 'mongodb';
import { nextUpdate } from '../base/database/seen.ts';
import { conflict, notFound } from '../base/errors.ts';
import type { By } from '../base/maker.ts';
import type { Project } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { atDraft, atShown, atVersion, changeDraftOf, changeTemplate, type TemplateAt } from './changes.ts';
import { checkSource } from './check-source.ts';
import type { TemplatesDeps } from './deps.ts';
import { findTemplate, type Named } from './find.ts';
import type { Template, TemplateVersion } from './model.ts';
import { contentOfVersion, numbersOf, publicationOf, saveDraft } from './versions.ts';

type Tenant = Pick<Project, '_id'>;

/** published, draft: in use. outdated: the open draft, when a later version was published since. earlier: all others. */
type VersionState = 'published' | 'draft' | 'outdated' | 'earlier';

export interface ListedVersion extends Pick<TemplateVersion, 'version' | 'createdAt' | 'createdBy'> {
  state: VersionState;
  publishedAt: Date | null;
  publishedBy: ObjectId | null;
}

/** The newest first. */
export async function listVersions(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: Named,
  page: Page,
): Promise<PageOf<ListedVersion>> {
  const template = await findTemplate(deps, project, templateId);
  const { projectId } = template;
  const found = await pageOf(deps.db.templateVersions, { projectId, templateId: template.templateId }, page, {
    sort: { version: -1 },
    projection: { version: 1, createdAt: 1, createdBy: 1 },
  });
  return { ...found, entries: found.entries.map((version) => listed(template, version)) };
}

/** `version`: a number, or `draft`, which is the published version where there is no draft. */
export async function readTemplate(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: Named,
  version?: string,
): Promise<TemplateAt> {
  const template = await findTemplate(deps, project, templateId);
  if (version === undefined) return atShown(template);
  const found = version === 'draft' ? await atDraft(deps, template) : await atVersion(deps, template, Number(version));
  if (!found) throw notFound('TEMPLATE_VERSION', 'version');
  return found;
}

/** The newest draft becomes what is sent. Refused when anything was saved or published since that the caller may not have seen. */
export async function publishTemplate(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: Named,
  version: number,
  by: By,
): Promise<TemplateAt> {
  const after = await changeTemplate(deps, project, templateId, async (session, template) => {
    refuseUnpublishable(template, version);
    const content = await contentOfVersion(deps, template, version, session);
    if (!content) throw notFound('TEMPLATE_VERSION', 'version');
    checkSource(content);
    const published = await publicationOf(deps, session, template, { version, content, draft: null }, by);
    return { ...published, updatedAt: nextUpdate(template, deps.clock.now()) };
  });
  return atShown(after);
}

/** The content of an earlier version becomes the newest draft; nothing of it leaves before it is published. */
export async function restoreTemplate(
  deps: TemplatesDeps,
  project: Tenant,
  templateId: Named,
  { version, newestVersion }: { version: number; newestVersion?: number | undefined },
  by: By,
): Promise<TemplateAt> {
  return changeDraftOf(deps, project, templateId, async (session, template) => {
    refuseUnseenVersion(template, newestVersion);
    const content = await contentOfVersion(deps, template, version, session);
    if (!content) throw notFound('TEMPLATE_VERSION', 'version');
    return saveDraft(deps, session, template, content, by);
  });
}

/** For a caller who says which version is the newest that they saw. */
export function refuseUnseenVersion(template: Template, seen: number | undefined): void {
  const { newest } = numbersOf(template);
  if (seen === undefined || seen === newest) return;
  throw conflict(
    'INVALID_STATE',
    `The template was changed meanwhile: its newest version is ${newest}. Look at it and repeat the call with newestVersion: ${newest}.`,
    `newestVersion: is ${newest}`,
  );
}

function refuseUnpublishable(template: Template, version: number): void {
  const { published, draft } = numbersOf(template);
  if (draft === null)
    throw conflict(
      'INVALID_STATE',
      `The template has no draft: version ${published} is published already. Save or restore a draft first.`,
      'version: names no draft',
    );
  if (version !== draft)
    throw conflict(
      'INVALID_STATE',
      `Version ${version} is not the newest draft. Look at version ${draft} and publish that, or restore version ${version} first.`,
      `version: the newest draft is ${draft}`,
    );
  if (draft < published)
    throw conflict(
      'INVALID_STATE',
      `Version ${published} was published after draft ${draft} was saved. Compare the two, restore version ${draft} to make it the newest draft, and publish that.`,
      `version: is older than the published version ${published}`,
    );
}

function listed(
  template: Template,
  { version, createdAt, createdBy }: Pick<TemplateVersion, 'version' | 'createdAt' | 'createdBy'>,
): ListedVersion {
  const state = stateOf(template, version);
  const { publishedAt = null, publishedBy = null } = state === 'published' ? template : {};
  return { version, state, createdAt, ...(createdBy ? { createdBy } : {}), publishedAt, publishedBy };
}

function stateOf(template: Template, version: number): VersionState {
  const { published, draft } = numbersOf(template);
  if (version === published) return 'published';
  if (version !== draft) return 'earlier';
  return draft > published ? 'draft' : 'outdated';
}
