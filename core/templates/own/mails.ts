import type { ObjectId } from 'mongodb';
import { isAuthor, type Origin } from '../../base/maker.ts';
import type { Project, Session } from '../../base/model.ts';
import { changeTemplate } from '../changes.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { Template } from '../model.ts';
import { changeWritten, insertTemplate, newTemplate, removeTemplate, useOfTemplate } from '../templates.ts';
import { contentOf, numbersOf, publicationOf } from '../versions.ts';
import type { WrittenMail } from '../written.ts';

/**
 * The mail that is written in a campaign is a template of that campaign alone: it is in no list, and goes with its campaign. Only the
 * functions here say which template that is.
 */

type Tenant = Pick<Project, '_id' | 'trackingClick' | 'trackingOpen'>;

export interface MailOwner {
  _id: ObjectId;
  projectId: ObjectId;
  name: string;
  subject: string;
  previewText: string;
  templateId: string;
}

export function isOwnOf({ campaignId }: Pick<Template, 'campaignId'>, campaign: Pick<MailOwner, '_id'>): boolean {
  return campaignId?.equals(campaign._id) ?? false;
}

/** Where the mail that a call brings is written, and the write for the transaction that stores the campaign. */
export async function ownMail(
  deps: TemplatesDeps,
  project: Tenant,
  campaign: MailOwner,
  mail: WrittenMail,
  origin: Origin,
): Promise<{ templateId: string; write(session: Session): Promise<void> }> {
  const own = await findOwn(deps, campaign);
  // A published mail may be sent: an author writes another one, which waits for a person who may publish.
  const goesOn = own !== null && !(isAuthor(origin) && numbersOf(own).published > 0);
  const { name, subject, previewText } = campaign;
  const source = { templateName: name, ...mail, subject, previewText };
  if (goesOn)
    return {
      templateId: own.templateId,
      async write(session) {
        await changeWritten(deps, project, own.templateId, source, { by: origin.by, session });
      },
    };
  const made = madeFor(project, campaign, source, origin);
  return { templateId: made.templateId, write: (session) => insertOnce(deps, session, made) };
}

/** For a copy of the campaign, which is changed without the other. null: the campaign names a saved template. */
export async function copiedMail(
  deps: TemplatesDeps,
  project: Tenant,
  source: MailOwner,
  copy: MailOwner,
  origin: Origin,
): Promise<{ templateId: string; write(session: Session): Promise<void> } | null> {
  const own = await findOwn(deps, source);
  if (!own) return null;
  const made = madeFor(project, copy, { templateName: copy.name, ...contentOf(own) }, origin);
  return { templateId: made.templateId, write: (session) => insertOnce(deps, session, made) };
}

/** Publishing the campaign publishes the mail that an author wrote in it. */
export async function publishOwn(
  deps: TemplatesDeps,
  session: Session,
  campaign: MailOwner,
  origin: Pick<Origin, 'by'>,
): Promise<void> {
  const { _id: campaignId, projectId, templateId } = campaign;
  const unpublished = { projectId, templateId, campaignId, publishedVersion: 0 };
  if (!(await deps.db.templates.findOne(unpublished, { session, projection: { _id: 1 } }))) return;
  const change = async (within: Session, template: Template) => {
    const newest = { version: numbersOf(template).newest, content: contentOf(template), draft: null };
    return publicationOf(deps, within, template, newest, origin);
  };
  await changeTemplate(deps, { _id: projectId }, templateId, change, session);
}

/** Runs in the transaction that deletes the campaign. A mail that something else names by now becomes a saved template. */
export async function removeOwn(
  deps: TemplatesDeps,
  session: Session,
  { _id: campaignId, projectId }: Pick<MailOwner, '_id' | 'projectId'>,
): Promise<void> {
  const projection = { projectId: 1, templateId: 1 } as const;
  const own = await deps.db.templates.find({ projectId, campaignId }, { session, projection }).toArray();
  for (const template of own) {
    const { _id } = template;
    if ((await useOfTemplate(deps, session, template)) === null) await removeTemplate(deps, session, template);
    else await deps.db.templates.updateOne({ _id, projectId }, { $unset: { campaignId: '' } }, { session });
  }
}

function madeFor(
  project: Tenant,
  { _id }: MailOwner,
  source: WrittenMail & Pick<Template, 'translations'> & { templateName: string },
  origin: Origin,
) {
  return { ...newTemplate(project, { ...source, templateType: 'marketing' }, origin), campaignId: _id };
}

/** A repeat of the request finds the template of its first try; a duplicate key would end the transaction. */
async function insertOnce(deps: TemplatesDeps, session: Session, made: Template): Promise<void> {
  const { _id, projectId } = made;
  if (!(await deps.db.templates.findOne({ _id, projectId }, { session, projection: { _id: 1 } })))
    await insertTemplate(deps, session, made);
}

async function findOwn(
  { db }: Pick<TemplatesDeps, 'db'>,
  { _id: campaignId, projectId, templateId }: MailOwner,
): Promise<Template | null> {
  return templateId === '' ? null : db.templates.findOne({ projectId, templateId, campaignId });
}
