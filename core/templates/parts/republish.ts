import { insertOnce } from '../../base/database/idempotent-insert.ts';
import { invalid, notFound } from '../../base/errors.ts';
import { derivedId, parseId } from '../../base/ids.ts';
import type { By, Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { READ_TIME_MAX_MS } from '../../base/paging.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import type { PartKind } from '../assemble/keys.ts';
import type { TemplatesDeps } from '../deps.ts';
import { findTemplate } from '../find.ts';
import { publishAgain } from './again.ts';
import type { Republication } from './model.ts';
import { usersOfBrand, usersOfPart } from './touched.ts';

export const REPUBLICATIONS = 'republications';
export const AT_ONCE = new Date(0);
/** Ids in one job. */
const TEMPLATES_MAX = 100_000;

type Tenant = Pick<Project, '_id'>;

export interface Chosen {
  templateIds?: readonly string[] | undefined;
  layoutId?: string | undefined;
  snippet?: string | undefined;
  brand?: boolean | undefined;
}

/** Publishes the chosen templates again, or all that have a layout, a snippet or the brand, as a job. */
export async function startRepublication(
  deps: TemplatesDeps,
  project: Tenant,
  chosen: Chosen,
  { at, seed, by }: Origin,
): Promise<Republication> {
  const templateIds = await templatesOf(deps, project, chosen);
  const job: Republication = {
    _id: derivedId(at, 'republication', seed.toHexString()),
    ...{ projectId: project._id, status: 'queued', templateIds },
    ...{ done: 0, published: 0, unchanged: 0, failed: 0, failures: [] },
    ...{ startedBy: by?.memberId ?? null, createdAt: at, updatedAt: at, completedAt: null, dueAt: AT_ONCE },
  };
  const stored = await insertOnce(deps.db.republications, job, { projectId: project._id });
  wakeQueue(deps, REPUBLICATIONS, project._id);
  return stored;
}

export async function getRepublication(
  { db }: Pick<TemplatesDeps, 'db'>,
  { _id: projectId }: Tenant,
  id: string,
): Promise<Republication> {
  const _id = parseId(id);
  const found = _id && (await db.republications.findOne({ _id, projectId }));
  if (!found) throw notFound('REPUBLICATION');
  return found;
}

async function templatesOf(deps: TemplatesDeps, project: Tenant, chosen: Chosen): Promise<string[]> {
  const { templateIds, layoutId, snippet } = chosen;
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  if (given.length !== 1)
    throw invalid(
      'Give one of templateIds, layoutId, snippet and brand.',
      given[1]
        ? `${given[1][0]}: must not be given with ${given[0]![0]}`
        : 'templateIds: is required, or another of them',
    );
  if (templateIds) return [...new Set(templateIds)];
  if (layoutId !== undefined) return usersOf(deps, project, 'layout', layoutId, 'layoutId');
  if (snippet !== undefined) return usersOf(deps, project, 'snippet', snippet, 'snippet');
  return idsOf(deps, usersOfBrand(project));
}

async function usersOf(deps: TemplatesDeps, project: Tenant, kind: PartKind, id: string, field: string) {
  await findTemplate(deps, project, { kind, id }, field);
  return idsOf(deps, usersOfPart(project, { kind, id }));
}

async function idsOf(
  { db }: Pick<TemplatesDeps, 'db'>,
  { filter, hint }: ReturnType<typeof usersOfBrand> | ReturnType<typeof usersOfPart>,
): Promise<string[]> {
  const reading = { hint, projection: { templateId: 1 }, maxTimeMS: READ_TIME_MAX_MS, limit: TEMPLATES_MAX };
  return (await db.templates.find(filter, reading).sort({ _id: -1 }).toArray()).map(({ templateId }) => templateId);
}

export interface Republished {
  published: string[];
  failed: Array<{ templateId: string; message: string }>;
}

/** For a few of them, in the call. */
export async function republishNow(
  deps: TemplatesDeps,
  project: Tenant,
  templateIds: readonly string[],
  by: By,
): Promise<Republished> {
  const done: Republished = { published: [], failed: [] };
  for (const templateId of new Set(templateIds)) {
    const outcome = await publishAgain(deps, project, templateId, (publish) => publish(), by);
    if (outcome.kind === 'failed') done.failed.push({ templateId, message: outcome.message });
    else done.published.push(templateId);
  }
  return done;
}
