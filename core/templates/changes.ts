import type { ObjectId } from 'mongodb';
import { inTransaction } from '../base/database/transactions.ts';
import type { CallerDeps } from '../base/deps.ts';
import { conflict, notFound } from '../base/errors.ts';
import type { Project, Session } from '../base/model.ts';
import { referToParts, usesOf } from './assemble/uses.ts';
import type { TemplatesDeps } from './deps.ts';
import { findTemplate, type Named } from './find.ts';
import type { Template, TemplateContent } from './model.ts';
import { contentOfVersion, numbersOf, shownVersion } from './versions.ts';

/** Code that follows when a version is published: `record` in its transaction, `announce` after the commit. */
interface Publications {
  record(deps: CallerDeps, session: Session, template: Template): Promise<void>;
  announce(deps: CallerDeps, projectId: ObjectId): void;
}

declare module '../base/deps.ts' {
  interface Subscribers {
    publications: Publications;
  }
}

/** A template with the content of one of its versions. */
export interface TemplateAt {
  template: Template;
  version: number;
}

type Change = (session: Session, template: Template) => Promise<Partial<Template>>;

/**
 * Changes a template in a transaction. When another call changes it after it was read, the transaction conflicts and is repeated, so
 * numbers are given once and a decision is made on what is stored. With `session` the caller announces what was published.
 */
export async function changeTemplate(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  templateId: Named,
  change: Change,
  session?: Session,
): Promise<Template> {
  if (session) return changed(deps, project, templateId, change, session);
  return announced(deps, project, (own) => changed(deps, project, templateId, change, own));
}

/** The same, and returns what was written as the draft has it: no read after the commit could fail the call. */
export function changeDraftOf(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  templateId: Named,
  change: Change,
): Promise<TemplateAt> {
  return announced(deps, project, async (own) =>
    atDraft(deps, await changed(deps, project, templateId, change, own), own),
  );
}

async function announced<T>(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const result = await inTransaction(deps, work);
  deps.subscribers.publications.announce(deps, project._id);
  return result;
}

async function changed(
  deps: TemplatesDeps,
  project: Pick<Project, '_id'>,
  templateId: Named,
  change: Change,
  session: Session,
): Promise<Template> {
  const before = await findTemplate(deps, project, templateId, undefined, session);
  requireNumbers(before);
  const given = await change(session, before);
  if (Object.keys(given).length === 0) return before;
  const { _id, projectId } = before;
  const $set =
    'draftVersion' in given ? { ...given, uses: await usesAfter(deps, session, { ...before, ...given }) } : given;
  await referToParts(deps, session, before, $set.uses);
  const after = await deps.db.templates.findOneAndUpdate(
    { _id, projectId },
    { $set },
    { session, returnDocument: 'after' },
  );
  if (!after) throw notFound('TEMPLATE');
  // The mail of a campaign is published by the campaign.
  if (numbersOf(after).published !== numbersOf(before).published && !after.campaignId)
    await deps.subscribers.publications.record(deps, session, after);
  return after;
}

/** Of the published version and of the draft, whose content the template itself may not have. */
async function usesAfter(deps: TemplatesDeps, session: Session, after: Template): Promise<string[]> {
  const { draft } = numbersOf(after);
  const open = draft === null ? null : await contentOfVersion(deps, after, draft, session);
  return usesOf(after, open);
}

/** A template that setup has not carried over yet has no number that a version could follow. */
function requireNumbers({ newestVersion }: Partial<Template>): void {
  if (newestVersion === undefined)
    throw conflict(
      'INVALID_STATE',
      'The template has no versions yet: an operator runs `npm run admin -- setup` once.',
    );
}

/** The template as its draft has it; as it is published when it has no draft. */
export async function atDraft(
  deps: Pick<TemplatesDeps, 'db'>,
  template: Template,
  session?: Session,
): Promise<TemplateAt> {
  const version = numbersOf(template).draft ?? shownVersion(template);
  return (await atVersion(deps, template, version, session)) ?? atShown(template);
}

export function atShown(template: Template): TemplateAt {
  return { template, version: shownVersion(template) };
}

/** null: there is no such version, or it is gone. */
export async function atVersion(
  deps: Pick<TemplatesDeps, 'db'>,
  template: Template,
  version: number,
  session?: Session,
): Promise<TemplateAt | null> {
  const content: TemplateContent | null = await contentOfVersion(deps, template, version, session);
  return content && { template: { ...template, ...content }, version };
}
