import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { READ_TIME_MAX_MS } from '../../base/paging.ts';
import { breather } from '../../base/work/breathe.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import { assembled, sourceOf } from '../assemble/assemble.ts';
import { KEYS_OF, type PartName, partKey } from '../assemble/keys.ts';
import type { Part } from '../assemble/parts.ts';
import { type Instead, type PartsRead, partOf } from '../assemble/read.ts';
import type { Brand } from '../blocks/brand.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { Template } from '../model.ts';
import { brandOf } from '../project-brand.ts';
import { readTemplate } from '../publish.ts';
import { translationsNow } from '../translated/store.ts';

type DbDeps = Pick<TemplatesDeps, 'db'>;
type Tenant = Pick<Project, '_id'>;

/** Templates that are compiled to see which ones a change touches. */
const COMPARED_MAX = 100;
/** Those of one mail, and some more: each may have 1 MiB. */
const PARTS_KEPT_MAX = 100;

export interface TouchedTemplates {
  /** Those whose published mail would be another one, the newest first, of at most a hundred. */
  templates: Pick<Template, 'templateId' | 'templateName'>[];
  /** Published templates that name what is changed, of those that were compared. */
  total: number;
}

/** Nothing is changed by a brand before a template is published again: a published version keeps the one it was made with. */
export function touchedByBrand(deps: DbDeps, project: Tenant, brand: Brand): Promise<TouchedTemplates> {
  return touched(deps, project, usersOfBrand(project), { brand });
}

/** `version` of the part; left out: its draft, or what is published. */
export async function touchedByPart(
  deps: TemplatesDeps,
  project: Tenant,
  part: PartName,
  version = 'draft',
): Promise<TouchedTemplates> {
  const { template } = await readTemplate(deps, project, part, version);
  const instead = { key: template.templateId, part: partOf(template) };
  return touched(deps, project, usersOfPart(project, part), { instead });
}

/** Published templates whose content names it. */
export function usersOfBrand({ _id: projectId }: Tenant) {
  return { filter: { ...published(projectId), usesBrand: true as const }, hint: 'brand' };
}

export function usersOfPart({ _id: projectId }: Tenant, part: PartName) {
  const key = partKey(part) ?? '';
  const names = { $or: [{ parts: key }, { 'translations.parts': key }] };
  return { filter: { ...published(projectId), uses: key, ...names }, hint: 'uses' };
}

function published(projectId: Project['_id']) {
  return { projectId, templateId: KEYS_OF.template, publishedVersion: { $gt: 0 } };
}

async function touched(
  deps: DbDeps,
  project: Tenant,
  { filter, hint }: ReturnType<typeof usersOfBrand> | ReturnType<typeof usersOfPart>,
  changed: { brand?: Brand; instead?: Instead },
): Promise<TouchedTemplates> {
  const brand = changed.brand ?? (await brandOf(deps, project));
  const making = { ...changed, brand, read: new BoundedMap<string, Part | undefined>(PARTS_KEPT_MAX) };
  const pause = breather();
  const templates: TouchedTemplates['templates'] = [];
  let total = 0;
  const reading = { hint, maxTimeMS: READ_TIME_MAX_MS };
  for await (const template of deps.db.templates.find(filter, reading).sort({ _id: -1 }).limit(COMPARED_MAX)) {
    await pause();
    total += 1;
    if (await isChanged(deps, project, template, making)) templates.push(template);
  }
  return { templates, total };
}

/** A mail that no longer fits together is changed too: publishing it again says why. */
async function isChanged(
  deps: DbDeps,
  project: Tenant,
  template: Template,
  making: { brand: Brand; instead?: Instead; read: PartsRead },
): Promise<boolean> {
  try {
    const made = await assembled(deps, project, sourceOf(template), making);
    if (made.emailTemplate !== template.emailTemplate) return true;
    const translations = await translationsNow(deps, project, template, making);
    return !isDeepStrictEqual(translations, template.translations ?? []);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return true;
    throw error;
  }
}
