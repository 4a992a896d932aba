import type { Described } from '../../../schemas/schema.ts';
import type { createLayoutBody, updateLayoutBody } from '../../../schemas/templates/parts.ts';
import { named as namedLike } from '../../base/database/search.ts';
import type { By, Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { type LongPageOf, longPageOf, type Page } from '../../base/paging.ts';
import { assembled, sourceOf } from '../assemble/assemble.ts';
import { KEYS_OF, type PartKind, type PartName } from '../assemble/keys.ts';
import { type UsersOfPart, usersOf } from '../assemble/uses.ts';
import { atDraft, type TemplateAt } from '../changes.ts';
import type { TemplatesDeps } from '../deps.ts';
import { findTemplate } from '../find.ts';
import type { Template } from '../model.ts';
import { publishTemplate, readTemplate } from '../publish.ts';
import { createTemplate, updateTemplate } from '../templates.ts';

/** Layouts and snippets: templates of another kind, which are put into mails and never sent. */

type Tenant = Pick<Project, '_id' | 'trackingClick' | 'trackingOpen'>;
type Input = Described<typeof updateLayoutBody>;

export function createPart(
  deps: TemplatesDeps,
  project: Tenant,
  kind: PartKind,
  { name, ...input }: Described<typeof createLayoutBody>,
  origin: Origin,
): Promise<Template> {
  const part = kind === 'layout' ? { kind } : { kind, id: name };
  return createTemplate(deps, project, { ...input, templateName: name }, origin, part);
}

export function listParts(
  { db }: Pick<TemplatesDeps, 'db'>,
  { _id: projectId }: Pick<Project, '_id'>,
  kind: PartKind,
  { search, ...page }: Page & { search?: string | undefined },
): Promise<LongPageOf<Template>> {
  const filter = { projectId, templateId: KEYS_OF[kind], ...namedLike(search, 'templateName') };
  return longPageOf(db.templates, filter, page, { sort: { createdAt: -1, _id: -1 } });
}

/** With all that has it put in. */
export async function readPart(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  part: PartName,
  version?: string,
): Promise<TemplateAt & { used: UsersOfPart }> {
  const at = await readTemplate(deps, project, part, version);
  return { ...at, used: await usersOf(deps, at.template) };
}

export function updatePart(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  part: PartName,
  { name, ...input }: Input,
  by: By,
): Promise<TemplateAt> {
  return updateTemplate(deps, project, part, { ...input, ...(name !== undefined && { templateName: name }) }, by);
}

/** Refused too when it no longer fits together: a snippet that it names may have been published with this one inside. */
export async function publishPart(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  part: PartName,
  version: number,
  by: By,
): Promise<TemplateAt> {
  const { template: draft } = await atDraft(deps, await findTemplate(deps, project, part));
  await assembled(deps, project, sourceOf(draft), { self: part });
  return publishTemplate(deps, project, part, version, by);
}
