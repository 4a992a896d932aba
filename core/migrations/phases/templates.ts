import type { ObjectId } from 'mongodb';
import type { Project } from '../../base/model.ts';
import { compileTemplate } from '../../templates/language/templates.ts';
import type { MigrationsDeps } from '../deps.ts';
import type { MigrationProvider } from '../model.ts';
import { eachItem, type ItemOutcome, isFaultOfItem, wantedOf } from '../progress/each-item.ts';
import type { PhaseRun } from '../progress/progress.ts';
import { replaceUrls, reviewA, reviewB } from '../rules/templates.ts';
import type { Source, SourceTemplate } from '../source.ts';
import { type TargetOwner, upsertTemplate } from '../target.ts';
import { type Rehosted, rehostImages } from './images.ts';

export async function templates(run: PhaseRun, source: Source): Promise<boolean> {
  const { deps, migration, signal } = run;
  const { templateIds } = migration.selection;
  if (templateIds?.length === 0) return false;
  const owner: TargetOwner = { ...migration, createdBy: migration._id };
  const patienceMs = deps.config.migrationPatienceSeconds * 1_000;
  await eachItem(run, wantedOf(await source.listTemplates(), templateIds), async ({ id }) => {
    const made = await migrateTemplate(deps, owner, source, id, {
      update: migration.updateTemplates,
      patienceMs,
      signal,
    });
    return outcomeOf(made);
  });
  return true;
}

/** A template of which some pictures stay at the source is stored here, but counts as failed. */
function outcomeOf({ status, message, notes, failures, images }: MigratedTemplate): ItemOutcome {
  return {
    status: failures.length > 0 ? 'failed' : status,
    errors: failures,
    review: [...(message === null ? [] : [message]), ...notes, ...failures],
    counts: images > 0 ? { images } : {},
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
  /** Pictures that stay at the source, with the reasons. */
  failures: string[];
  images: number;
}

/** Each template by itself, so that an unknown one does not stop the others. */
export async function migrateTemplates(
  deps: MigrationsDeps,
  project: Pick<Project, '_id'>,
  source: Source,
  { templateIds, origin, ...how }: { templateIds: string[]; origin: { seed: ObjectId } } & How,
): Promise<MigratedTemplate[]> {
  const owner: TargetOwner = { projectId: project._id, provider: source.provider, createdBy: origin.seed };
  const migrated: MigratedTemplate[] = [];
  for (const id of new Set(templateIds)) {
    try {
      migrated.push(await migrateTemplate(deps, owner, source, id, how));
    } catch (error) {
      if (!isFaultOfItem(error)) throw error;
      migrated.push({ ...untouched({ id, name: null }), status: 'failed', message: error.message });
    }
  }
  return migrated;
}

interface How {
  /** Whether a template that was migrated before gets its content again. */
  update: boolean;
  /** How long the host of its pictures may keep failing. */
  patienceMs: number;
  signal?: AbortSignal | undefined;
}

async function migrateTemplate(
  deps: MigrationsDeps,
  owner: TargetOwner,
  source: Source,
  id: string,
  { update, ...wait }: How,
): Promise<MigratedTemplate> {
  const template = await source.readTemplate(id);
  if (!template) return { ...untouched({ id, name: null }), message: 'it has no active version' };
  if (template.html === null) return { ...untouched(template), message: 'it has no HTML' };
  const { replacements, failures } = await rehosted(deps, owner, { html: template.html, ...wait });
  const html = replaceUrls(template.html, replacements);
  const review = reviewOf(owner.provider, template, html);
  const content = { source: template, html, replacements, isFlagged: review.isFlagged };
  const made = await upsertTemplate(deps, owner, content, update);
  return {
    sourceId: template.id,
    templateId: made.templateId,
    templateName: template.name,
    status: made.status,
    needsReview: review.isFlagged || failures.length > 0,
    message: made.status === 'skipped' ? 'it was migrated before; onExistUpdateHTML overwrites it' : null,
    notes: review.notes,
    failures,
    images: replacements.size,
  };
}

async function rehosted(
  deps: MigrationsDeps,
  { provider, projectId }: TargetOwner,
  content: { html: string } & Omit<How, 'update'>,
): Promise<Rehosted> {
  if (provider === 'providerA') return rehostImages(deps, { projectId, ...content });
  return { replacements: new Map(), failures: [] };
}

/** Flags content that a send would refuse, and content that the source could not have rendered. */
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
  const nothing = { needsReview: false, message: null, notes: [], failures: [], images: 0 };
  return { sourceId: id, templateId: null, templateName: name, status: 'skipped', ...nothing };
}
