import type { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import type { By } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import { assembled, sourceOf } from '../assemble/assemble.ts';
import { KEYS_OF } from '../assemble/keys.ts';
import type { Brand } from '../blocks/brand.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { Template } from '../model.ts';
import { brandOf } from '../project-brand.ts';
import { changeWritten } from '../templates.ts';
import { numbersOf } from '../versions.ts';

type DbDeps = Pick<TemplatesDeps, 'db'>;

/** Templates that are compiled to see which ones a brand changes. */
const COMPARED_MAX = 100;

export interface TouchedTemplates {
  /** Those whose published mail would be another one, the newest first, of at most a hundred. */
  templates: Pick<Template, 'templateId' | 'templateName'>[];
  /** Published templates that name the brand. */
  total: number;
}

/** Nothing is changed by a brand before a template is published again: a published version keeps the one it was made with. */
export async function touchedBy(
  deps: DbDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  brand: Brand,
): Promise<TouchedTemplates> {
  const named = { projectId, usesBrand: true as const, templateId: KEYS_OF.template };
  const pause = breather();
  const templates: TouchedTemplates['templates'] = [];
  let total = 0;
  for await (const template of deps.db.templates.find(named, { hint: 'brand' }).sort({ _id: -1 }).limit(COMPARED_MAX)) {
    await pause();
    if (numbersOf(template).published === 0) continue;
    total += 1;
    if (await isChangedBy(deps, template, brand)) templates.push(template);
  }
  return { templates, total };
}

async function isChangedBy(deps: DbDeps, template: Template, brand: Brand): Promise<boolean> {
  const made = await assembled(deps, { _id: template.projectId }, sourceOf(template), { brand });
  return made.emailTemplate !== template.emailTemplate;
}

export interface Republished {
  published: string[];
  failed: Array<{ templateId: string; message: string }>;
}

/** Publishes the same content with the brand as it is now. A template that fails holds up no other. */
export async function publishWithBrand(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  templateIds: readonly string[],
  by: By,
): Promise<Republished> {
  const brand = await brandOf(deps, project);
  const done: Republished = { published: [], failed: [] };
  for (const templateId of new Set(templateIds)) {
    const message = await publishOne(deps, project._id, { templateId, brand }, by);
    if (message === null) done.published.push(templateId);
    else done.failed.push({ templateId, message });
  }
  return done;
}

/** null: done. */
async function publishOne(
  deps: TemplatesDeps,
  projectId: ObjectId,
  { templateId, brand }: { templateId: string; brand: Brand },
  by: By,
): Promise<string | null> {
  const template = await deps.db.templates.findOne({ projectId, templateId, usesBrand: true });
  if (!template || numbersOf(template).published === 0) return 'It is no published template that names the brand.';
  try {
    const made = await assembled(deps, { _id: projectId }, sourceOf(template), { brand });
    await changeWritten(deps, { _id: projectId }, templateId, { ...made, newestVersion: template.newestVersion }, by);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}
