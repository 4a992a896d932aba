import type { ObjectId } from 'mongodb';
import { AppError } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { emailDomain } from '../base/text/addresses.ts';
import { storedTags, taggedWith } from '../base/text/tags.ts';
import { breathe } from '../base/work/breathe.ts';
import { linkSetOf } from '../mail/compose/link-sets.ts';
import type { Content, Message } from '../mail/ledger/model.ts';
import { states } from '../mail/ledger/states.ts';
import { newContent } from '../mail/messages/contents.ts';
import { dueAtOnce } from '../mail/messages/messages.ts';
import type { Contact } from '../people/model.ts';
import { compiled } from '../templates/cache.ts';
import { publishedTemplate } from '../templates/find.ts';
import type { MailSource } from '../templates/mail.ts';
import { picturesInside } from '../templates/media/inline.ts';
import type { InlinePicture } from '../templates/media/model.ts';
import type { LanguageMail, Template } from '../templates/model.ts';
import { isTranslated, languageIn, languageOfContact, mailIn } from '../templates/translations/mail.ts';
import type { AutomationsDeps } from './deps.ts';
import type { AutomationDefinition, AutomationEmail } from './model/definition.ts';
import type { Enrollment } from './model/enrollment.ts';
import { firstSender } from './references.ts';

/** The mail of one step for one contact, to be inserted with the move; or the reason why there is none. */
type StepMail = { content: Content; message: Message } | { problem: string };

interface Visit {
  enrollment: Enrollment;
  definition: AutomationDefinition;
  contact: Contact;
  stepId: string;
  email: AutomationEmail;
  /** When the step is taken, and the revision of the enrollment that takes it: the id is derived from both. */
  at: Date;
}

/** The same in every mail of a step. */
interface Common {
  /** In the language that the contact reads, with its links and pictures. */
  sourceFor(contact: Contact): Promise<MadeSource>;
  from: string;
  sender: Awaited<ReturnType<typeof firstSender>>;
}

interface MadeSource {
  source: StepSource;
  linkSetId: ObjectId | null;
  pictures: InlinePicture[];
}

type CommonOf = (visit: Pick<Visit, 'enrollment' | 'stepId' | 'email'>) => Promise<Common | { problem: string }>;

/** For people who take the steps of one definition together: each step is read once. */
export function commonReader(deps: AutomationsDeps): CommonOf {
  const known = new Map<string, ReturnType<CommonOf>>();
  return (visit) => {
    const found = known.get(visit.stepId) ?? readCommon(deps, visit);
    known.set(visit.stepId, found);
    return found;
  };
}

async function readCommon(
  deps: AutomationsDeps,
  { enrollment: { projectId, automationId }, stepId, email }: Parameters<CommonOf>[0],
): ReturnType<CommonOf> {
  const sources = await sourcesOf(deps, projectId, email);
  if (!sources) return { problem: 'the template was deleted' };
  const sender = email.senderEmail === undefined ? await firstSender(deps, { _id: projectId }) : null;
  const from = email.senderEmail ?? sender?.email;
  if (from === undefined) return { problem: 'the project has no sender' };
  const linked = new Map<StepSource, ReturnType<Common['sourceFor']>>();
  const withLinks = async (source: StepSource) => {
    const pictures = email.inlinePictures ? await picturesIn(deps, projectId, source) : [];
    return { source, linkSetId: await linksOf(deps, { projectId, automationId, stepId, ...source }), pictures };
  };
  const sourceFor: Common['sourceFor'] = async (contact) => {
    const source = await sources(contact);
    const known = linked.get(source) ?? withLinks(source);
    linked.set(source, known);
    return known;
  };
  return { sourceFor, from, sender };
}

/** Queued in the automation lane: its worker finds and sends the message, with or without Temporal. */
export async function stepMail(
  deps: AutomationsDeps,
  { enrollment, definition, contact, stepId, email, at }: Visit,
  commonOf: CommonOf = commonReader(deps),
): Promise<StepMail> {
  const { projectId } = enrollment;
  const common = await commonOf({ enrollment, stepId, email });
  if ('problem' in common) return common;
  const { sourceFor, from, sender } = common;
  const { source, linkSetId, pictures } = await sourceFor(contact);
  const { template, ...written } = source;
  const utm = definition.utm ?? template?.utm;
  const _id = mailId(enrollment, stepId, at);
  const contentId = derivedId(at, 'automation content', _id.toHexString());
  const replyTo = email.senderReplyToEmail ?? (sender?.replyTo || null);
  const content = newContent({
    _id: contentId,
    projectId,
    messageIds: [_id],
    from: { email: from, name: email.senderName ?? (sender?.name || null) },
    replyTo: replyTo === null ? null : { email: replyTo, name: email.senderReplyToName ?? null },
    templateId: template?.templateId ?? null,
    ...written,
    ...(pictures.length > 0 ? { pictures } : {}),
    data: dataOf(enrollment.event),
    marketing: true,
    groupId: definition.unsubscribeGroupId,
    trackingClick: definition.trackingClick,
    trackingOpen: definition.trackingOpen,
    ...(utm ? { utm } : {}),
    createdAt: at,
  });
  const message: Message = {
    _id,
    projectId,
    lane: 'automation',
    state: states.queued,
    email: contact.email,
    name: [contact.firstName, contact.lastName].filter(Boolean).join(' ') || null,
    contentId,
    subject: content.subject,
    senderDomain: emailDomain(from),
    automationId: enrollment.automationId,
    ...(linkSetId ? { linkSetId } : {}),
    contactId: contact._id,
    ...taggedWith(storedTags(email.tags, 'tags')),
    ...(email.whenCapped === 'wait' ? { waitsWith: enrollment._id } : {}),
    createdAt: at,
    dueAt: dueAtOnce(deps),
  };
  return { content, message };
}

type StepSource = MailSource & { template: Template | null; html: string; text: string | null };

/** As the contact gets it; null when the template was deleted. */
export async function sourceFor(
  deps: AutomationsDeps,
  projectId: ObjectId,
  email: AutomationEmail,
  contact: Contact | null,
): Promise<StepSource | null> {
  const sources = await sourcesOf(deps, projectId, email);
  return sources?.(contact) ?? null;
}

/**
 * The content of a step, its own or that of its template, in the language that each contact reads. A language is one source, however many
 * read it. null when the template was deleted.
 */
async function sourcesOf(
  deps: AutomationsDeps,
  projectId: ObjectId,
  email: AutomationEmail,
): Promise<((contact: Contact | null) => Promise<StepSource>) | null> {
  const template = email.htmlTemplate === undefined ? await templateOf(deps, projectId, email) : null;
  if (!template) {
    const source = withStep(email, null, null);
    return source && (async () => source);
  }
  const project = isTranslated(template) ? await languageSettings(deps, projectId) : {};
  const known = new Map<string | null, Promise<StepSource>>();
  const make = async (language: string | null) =>
    withStep(email, template, await mailIn(deps, { template }, language))!;
  return (contact) => {
    const language = languageIn(template, languageOfContact(project, contact));
    const source = known.get(language) ?? make(language);
    known.set(language, source);
    return source;
  };
}

async function languageSettings({ db }: AutomationsDeps, _id: ObjectId): Promise<Pick<Project, 'languageProperty'>> {
  return (await db.projects.findOne({ _id }, { projection: { languageProperty: 1 } })) ?? {};
}

/** Texts of the step's own are those of all languages. */
function withStep(email: AutomationEmail, template: Template | null, mail: LanguageMail | null): StepSource | null {
  const html = email.htmlTemplate ?? mail?.html;
  if (html === undefined) return null;
  return {
    ...{ template, html, text: email.text ?? mail?.text ?? null },
    subject: email.subject ?? mail?.subject ?? '',
    previewText: email.previewText ?? mail?.previewText ?? '',
  };
}

/** The event that let the person in, for variables such as event.properties.amount. */
export function dataOf(
  event: Pick<NonNullable<Enrollment['event']>, 'name' | 'properties'> | null | undefined,
): Record<string, unknown> {
  return event ? { event: { name: event.name, properties: event.properties } } : {};
}

/** Where the template shows more by now than goes inside a mail, they stay links: the mail is not worth less to its person. */
async function picturesIn(deps: AutomationsDeps, projectId: ObjectId, { html }: StepSource): Promise<InlinePicture[]> {
  return picturesInside(deps, projectId, [{ html }]).catch((error) => {
    if (error instanceof AppError && error.kind === 'invalid') return [];
    throw error;
  });
}

/** null when there are none, or the mail cannot be made. */
async function linksOf(
  deps: AutomationsDeps,
  step: { projectId: ObjectId; automationId: ObjectId; stepId: string; template: Template | null; html: string },
): Promise<ObjectId | null> {
  const { projectId, automationId, stepId, template, html } = step;
  await breathe(html);
  try {
    const of = { projectId, automation: { id: automationId, stepId } };
    const named = template ? { templateId: template.templateId } : {};
    return await linkSetOf(deps, { ...of, ...named }, compiled(html, 'html', 'htmlTemplate'));
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** null when the template was deleted; a step with a template that was never published cannot be activated. */
async function templateOf(
  deps: AutomationsDeps,
  _id: ObjectId,
  { templateId = '' }: AutomationEmail,
): Promise<Template | null> {
  return publishedTemplate(deps, { _id }, templateId).catch((error) => {
    if (error instanceof AppError) return null;
    throw error;
  });
}

/** The same for every attempt at this visit of the step. */
function mailId({ _id, revision }: Enrollment, stepId: string, at: Date): ObjectId {
  return derivedId(at, 'automation mail', _id.toHexString(), stepId, revision);
}
