import { invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { breathe } from '../../base/work/breathe.ts';
import { type DraftPreview, previewDraft } from '../../mail/previews/drafts.ts';
import { compileMail } from '../../templates/mail.ts';
import type { AutomationsDeps } from '../deps.ts';
import { dataOf, sourceFor } from '../mails.ts';
import type { AutomationDefinition } from '../model/definition.ts';
import type { Simulation } from '../rules/simulator.ts';

export interface SimulatedMail {
  at: Date;
  stepId: string;
  subject: string | null;
  templateId: string | null;
}

type Definition = Pick<AutomationDefinition, 'steps' | 'utm'>;

/** Subjects before rendering. */
export async function mailsOf(
  deps: AutomationsDeps,
  { _id: projectId }: Pick<Project, '_id'>,
  definition: Definition,
  { sent }: Pick<Simulation, 'sent'>,
): Promise<SimulatedMail[]> {
  const emails = emailsOf(definition);
  const templateIds = [...emails.values()].flatMap(({ templateId }) => templateId ?? []);
  const templates = await deps.db.templates
    .find({ projectId, templateId: { $in: templateIds } }, { projection: { templateId: 1, subject: 1 } })
    .toArray();
  const subjects = new Map(templates.map(({ templateId, subject }) => [templateId, subject]));
  return sent.map(({ at, stepId }) => {
    const { templateId, subject } = emails.get(stepId) ?? {};
    return { at, stepId, subject: subject ?? subjects.get(templateId ?? '') ?? null, templateId: templateId ?? null };
  });
}

/** The mail of this number, with the data that the person has when it is sent; null when none is asked for. */
export async function previewOf(
  deps: AutomationsDeps,
  project: Project,
  definition: Definition,
  { sent, number }: Pick<Simulation, 'sent'> & { number: number | undefined },
): Promise<DraftPreview | null> {
  if (number === undefined) return null;
  const mail = sent[number];
  const email = mail && emailsOf(definition).get(mail.stepId);
  if (!email) throw invalid('preview must be the number of a mail.', `preview: must be less than ${sent.length}`);
  const found = await sourceFor(deps, project._id, email, mail.contact);
  if (!found)
    throw invalid('The template of this mail was deleted.', 'preview: names a mail whose template was deleted');
  const { template, ...source } = found;
  await breathe(source.html);
  const { contact, event, at } = mail;
  const utm = definition.utm ?? template?.utm ?? null;
  const draft = { source, utm, isCampaign: false, contact, data: dataOf(event), at };
  return previewDraft(deps, project, draft, compileMail(source));
}

function emailsOf({ steps }: Definition) {
  return new Map(steps.flatMap((step) => (step.type === 'email' ? [[step.stepId, step.email] as const] : [])));
}
