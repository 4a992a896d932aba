import type { ObjectId } from 'mongodb';
import { AppError, notFound } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project, Session } from '../base/model.ts';
import { type PartName, partKey, partNamed } from './assemble/keys.ts';
import type { TemplatesDeps } from './deps.ts';
import type { Template } from './model.ts';
import { type Numbers, numbersOf } from './versions.ts';

type Tenant = Pick<Project, '_id'>;

const TEMPLATE_ID = /^A-[0-9a-f]{20}$/;

/** A template by the id that callers give, or a layout or snippet: no text that a caller gives as the id of a template names those. */
export type Named = string | PartName;

/** For everything that shows a template. `field` when the id was in a body. The internal id is accepted too. */
export async function findTemplate(
  { db }: Pick<TemplatesDeps, 'db'>,
  project: Tenant,
  named: Named,
  field?: string,
  session?: Session,
): Promise<Template> {
  const key = typeof named === 'string' ? keyOf(named) : partOf(named);
  const filter = key && { projectId: project._id, ...key };
  const template = filter && (await db.templates.findOne(filter, session ? { session } : {}));
  const isNamed = template && (typeof named !== 'string' || partNamed(template.templateId) === null);
  if (!isNamed) throw notFound(typeof named === 'string' ? 'TEMPLATE' : NOUNS[named.kind], field);
  return template;
}

const NOUNS = { layout: 'LAYOUT', snippet: 'SNIPPET' } as const;

function partOf(named: PartName): { templateId: string } | null {
  const templateId = partKey(named);
  return templateId === null ? null : { templateId };
}

/** For everything that leaves: only a published version is sent. */
export async function publishedTemplate(
  deps: Pick<TemplatesDeps, 'db'>,
  project: Tenant,
  templateId: Named,
  field?: string,
): Promise<Template> {
  const template = await findTemplate(deps, project, templateId, field);
  requirePublished(template, field);
  return template;
}

export function requirePublished(
  { templateId, ...template }: Pick<Template, 'templateId'> & Numbers,
  field = 'templateId',
): void {
  const { published, draft } = numbersOf(template);
  if (published !== 0) return;
  throw new AppError(
    'not_found',
    `The template has no published version; publish its draft first: POST /templates/${templateId}/publish {"version": ${draft}}.`,
    { code: 'TEMPLATE_NOT_FOUND', details: `${field}: names a template without a published version` },
  );
}

/** Definitions store the ids that callers know. An id that names no template stays as it is, for the check that names its field. */
export async function storedTemplateIds(
  { db }: Pick<TemplatesDeps, 'db'>,
  project: Tenant,
  given: readonly string[],
): Promise<(templateId: string) => string> {
  const ids = given.flatMap((id) => parseId(id) ?? []);
  if (ids.length === 0) return (id) => id;
  const projection = { templateId: 1 };
  const found = await db.templates.find({ projectId: project._id, _id: { $in: ids } }, { projection }).toArray();
  const stored = new Map(found.map(({ _id, templateId }) => [_id.toHexString(), templateId]));
  return (id) => stored.get(id.toLowerCase()) ?? id;
}

/**
 * Runs in the transaction that stores a name of the template. The write makes it conflict with a deletion: of the two, the later one
 * is repeated and sees the other.
 */
export async function referToTemplate(
  { db }: Pick<TemplatesDeps, 'db'>,
  session: Session,
  { _id: projectId }: Tenant,
  templateId: string,
  field: string,
): Promise<void> {
  if (!TEMPLATE_ID.test(templateId)) throw notFound('TEMPLATE', field);
  const named = { projectId, templateId };
  const { matchedCount } = await db.templates.updateOne(named, { $inc: { references: 1 } }, { session });
  if (matchedCount === 0) throw notFound('TEMPLATE', field);
}

function keyOf(templateId: string): { templateId: string } | { _id: ObjectId } | null {
  if (TEMPLATE_ID.test(templateId)) return { templateId };
  const _id = parseId(templateId);
  return _id && { _id };
}
