import type { ObjectId } from 'mongodb';
import type { Deps } from './deps.ts';
import { rehostImages } from './migrations-images.ts';
import { eachItem, type ItemOutcome, wantedOf } from './migrations-items.ts';
import type { PhaseRun } from './migrations-progress.ts';
import { type SourceA, type SourceB, SourceError, type SourceTemplate } from './migrations-sources.ts';
import { type TargetOwner, upsertTemplate } from './migrations-targets.ts';
import type { MigrationProvider, Project } from './model.ts';
import { reviewA, reviewB } from './rules/migrations-templates.ts';
import { compileTemplate } from './rules/templates.ts';

export async function templates(run: PhaseRun): Promise<boolean> {
  const { deps, migration, signal } = run;
  const { templateIds } = migration.selection;
  if (templateIds?.length === 0) return false;
  const source = migration.provider === 'providerA' ? run.a : run.b;
  const owner: TargetOwner = { ...migration, createdBy: migration._id };
  await eachItem(run, wantedOf(await source.listTemplates(), templateIds), async ({ id }) => {
    const made = await migrateTemplate(deps, owner, source, id, { update: migration.updateTemplates, signal });
    run.beat();
    return outcomeOf(made);
  });
  return true;
}

function outcomeOf({ status, message, notes, images }: MigratedTemplate): ItemOutcome {
  const review = message === null ? notes : [message, ...notes];
  return {
    status,
    review,
    counts: images > 0 ? { images } : {},
    ...(status === 'failed' && message ? { error: message } : {}),
  };
}

export interface MigratedTemplate {
  sourceId: string;
  templateId: string | null;
  templateName: string | null;
  status: 'created' | 'updated' | 'skipped' | 'failed';
  needsReview: boolean;
  /** Why it was skipped or failed. */
  message: string | null;
  notes: string[];
  images: number;
}

/** Endpoints 26 and 30: each template by itself, so that one that is unknown does not stop the others. */
export async function migrateTemplates(
  deps: Deps,
  project: Pick<Project, '_id'>,
  source: { provider: MigrationProvider; open: SourceA | SourceB },
  { templateIds, update, origin }: { templateIds: string[]; update: boolean; origin: { seed: ObjectId } },
): Promise<MigratedTemplate[]> {
  const owner: TargetOwner = { projectId: project._id, provider: source.provider, createdBy: origin.seed };
  const migrated: MigratedTemplate[] = [];
  for (const id of new Set(templateIds)) {
    try {
      migrated.push(await migrateTemplate(deps, owner, source.open, id, { update }));
    } catch (error) {
      if (!(error instanceof SourceError && OWN_FAULTS.has(error.kind))) throw error;
      migrated.push({ ...untouched({ id, name: null }), status: 'failed', message: error.message });
    }
  }
  return migrated;
}

const OWN_FAULTS = new Set<SourceError['kind']>(['not_found', 'malformed', 'too_large', 'refused']);

async function migrateTemplate(
  deps: Deps,
  owner: TargetOwner,
  source: SourceA | SourceB,
  id: string,
  { update, signal }: { update: boolean; signal?: AbortSignal | undefined },
): Promise<MigratedTemplate> {
  const template = await source.readTemplate(id);
  if (!template) return { ...untouched({ id, name: null }), message: 'it has no active version' };
  if (template.html === null) return { ...untouched(template), message: 'it has no HTML' };
  const { html, images, notes } = await localized(deps, owner, template.html, signal);
  const review = reviewOf(owner.provider, template, html);
  const made = await upsertTemplate(deps, owner, { source: template, html, isFlagged: review.isFlagged }, update);
  return {
    sourceId: template.id,
    templateId: made.templateId,
    templateName: template.name,
    status: made.status,
    needsReview: review.isFlagged,
    message: made.status === 'skipped' ? 'it was migrated before; onExistUpdateHTML overwrites it' : null,
    notes: [...review.notes, ...notes],
    images,
  };
}

async function localized(deps: Deps, { provider, projectId }: TargetOwner, html: string, signal?: AbortSignal) {
  if (provider === 'providerA') return rehostImages(deps, { projectId, html, signal });
  return { html, images: 0, notes: [] };
}

/** What would be refused when it is sent is flagged as well as what the source could not have rendered. */
function reviewOf(provider: MigrationProvider, { subject }: SourceTemplate, html: string) {
  const review = provider === 'providerA' ? reviewA(html, subject) : reviewB(html, subject);
  const parsed = [compileTemplate(html, 'html'), compileTemplate(subject ?? '', 'subject')].find(({ ok }) => !ok);
  if (!parsed || parsed.ok) return review;
  return {
    isFlagged: true,
    notes: [...review.notes, `cannot be sent as it is (line ${parsed.line}): ${parsed.message}`],
  };
}

function untouched({ id, name }: { id: string; name: string | null }): MigratedTemplate {
  const nothing = { needsReview: false, message: null, notes: [], images: 0 };
  return { sourceId: id, templateId: null, templateName: name, status: 'skipped', ...nothing };
}
