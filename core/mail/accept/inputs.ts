import { createHash } from 'node:crypto';
import type { ObjectId } from 'mongodb';
import type { bulkMailBody, mailOptions, sendMailBody } from '../../../schemas/mail/mails.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid } from '../../base/errors.ts';
import type { Origin } from '../../base/maker.ts';
import type { Mailbox, Project } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { storedTags, taggedWith } from '../../base/text/tags.ts';
import { breathe } from '../../base/work/breathe.ts';
import { findNamableGroup } from '../../consent/suppressions/find-groups.ts';
import { isMarketingSend } from '../../consent/suppressions/rules.ts';
import { publishedTemplate } from '../../templates/find.ts';
import { checkData, compileMail, type MailTemplates } from '../../templates/mail.ts';
import { picturesInside } from '../../templates/media/inline.ts';
import type { LanguageMail, Template as StoredTemplate } from '../../templates/model.ts';
import { isTranslated, mailFor } from '../../templates/translations/mail.ts';
import { checkHeaders } from '../compose/headers.ts';
import type { MailDeps } from '../deps.ts';
import type { Content, Message, MessageRecipient } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { scheduledTime } from '../messages/scheduled/time.ts';
import { type GivenAttachments, readAttachments } from './attachments.ts';

export type SendInput = Described<typeof sendMailBody>;
export type BulkInput = Described<typeof bulkMailBody>;
type MailOptions = Described<typeof mailOptions>;

export interface MailOrigin extends Origin {
  /** The key of the call, when its scope is send: it is stored with the messages. */
  keyId?: ObjectId | undefined;
}

/** Only mails of keys with scope send have the field, so that others pay nothing for it. */
export function sentBy({ keyId }: MailOrigin): Pick<Message, 'keyId'> {
  return keyId === undefined ? {} : { keyId };
}

/** Of a call with many mails: a repeat of the request derives the same one. */
export function uuidOf({ at, seed }: MailOrigin): string {
  const hash = createHash('sha256').update(`batch ${at.toISOString()} ${seed.toHexString()}`).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

export interface MailDraft extends GivenAttachments {
  content: Content;
  /** When it is to be sent; null: as soon as possible. */
  sendAt: Date | null;
  templates: MailTemplates;
  /** null: the call brings its own content. */
  template: StoredTemplate | null;
  tags?: string[];
}

/** Without a language it is that of the contact with the address. */
interface LanguageGiven {
  language?: string | undefined;
  email?: string | undefined;
}

/** The common part of a send and a bulk, checked; faults of the call itself are reported before anything that it names is looked up. */
export async function draftMail(
  deps: MailDeps,
  project: Project,
  input: MailOptions & LanguageGiven,
  origin: MailOrigin,
): Promise<MailDraft> {
  checkHeaders(input.headers ?? {});
  const sendAt = laterThan(origin, input);
  checkData(input.dynamicData, 'dynamicData');
  const tags = storedTags(input.tags, 'tags');
  const { attachments, files } = await readAttachments(input.attachments ?? [], origin, deps.config);
  if (input.templateId === undefined && !input.html && !input.text)
    throw invalid('Give templateId, html or text.', 'html: is required without templateId and text');
  if (input.templateId === undefined && !input.subject)
    throw invalid('Give a subject.', 'subject: is required without templateId');
  const groupId = input.unsubscribeGroupId ?? input.unsubscribe?.groupId ?? null;
  const [template, group] = await Promise.all([
    input.templateId === undefined ? null : publishedTemplate(deps, project, input.templateId, 'templateId'),
    groupId === null ? null : findNamableGroup(deps, project, groupId, 'unsubscribeGroupId'),
  ]);
  const mail = template && (await mailFor(deps, project, { template }, await readerOf(deps, project, template, input)));
  const source = sourceOf(input, mail);
  await breathe(source.html);
  const templates = compileMail(source);
  await breathe(source.html);
  const content: Content = {
    _id: origin.seed,
    projectId: project._id,
    messageIds: [],
    from: mailbox(input.from),
    replyTo: input.replyTo ? mailbox(input.replyTo) : null,
    templateId: template?.templateId ?? null,
    ...source,
    data: input.dynamicData ?? {},
    headers: input.headers ?? {},
    attachments,
    ...(input.inlinePictures ? { pictures: await picturesInside(deps, project._id, [source]) } : {}),
    marketing: isMarketingSend({ groupId, templateType: template?.templateType ?? null }),
    groupId: group?.groupId ?? null,
    bypassSuppressions: input.bypassSuppressions ?? false,
    trackingClick: input.trackingClick ?? project.trackingClick,
    trackingOpen: input.trackingOpen ?? project.trackingOpen,
    ...(template?.utm ? { utm: template.utm } : {}),
    createdAt: origin.at,
  };
  return { content, sendAt, attachments, files, templates, template, ...taggedWith(tags) };
}

/** null: not given, or its time had come when the call began. */
function laterThan({ at: now }: MailOrigin, { scheduledAt }: MailOptions): Date | null {
  const at = scheduledAt === undefined ? null : scheduledTime(scheduledAt, now);
  return at && at > now ? at : null;
}

/** to, cc and bcc without repetition: an address gets the mail once, at its first mention. */
export function recipientsOf(
  to: Mailbox,
  cc: readonly MailboxInput[] = [],
  bcc: readonly MailboxInput[] = [],
): MessageRecipient[] {
  const named = [
    { kind: 'to' as const, ...to },
    ...cc.map((one) => ({ kind: 'cc' as const, ...mailbox(one) })),
    ...bcc.map((one) => ({ kind: 'bcc' as const, ...mailbox(one) })),
  ];
  const once = new Map(named.toReversed().map((one) => [one.email, one]));
  return named
    .filter((one) => once.get(one.email) === one)
    .map((one) => ({ ...one, state: states.queued, reply: null, reason: null }));
}

type MailboxInput = { email: string; name?: string | null | undefined };

/** Of an address that has passed the schema. */
export function mailbox({ email, name }: MailboxInput): Mailbox {
  return { email: normalizeEmail(email) as string, name: name?.trim() ? name.trim() : null };
}

/** The contact is read where its language makes a difference. */
async function readerOf(
  { db }: Pick<MailDeps, 'db'>,
  { _id: projectId }: Project,
  template: StoredTemplate,
  { language, email }: LanguageGiven,
) {
  const isAsked = language === undefined && email !== undefined && isTranslated(template);
  return { language, contact: isAsked ? await db.contacts.findOne({ projectId, email }) : null };
}

/** Fields of the call override the template's for this mail; the template itself does not change. */
export function sourceOf(input: MailOptions, template: LanguageMail | null) {
  const subject = input.subject || template?.subject || '';
  if (subject === '')
    throw invalid('Give a subject; the template has none.', 'subject: is required, the template has none');
  return {
    subject,
    previewText: input.previewText ?? template?.previewText ?? '',
    html: input.html || template?.html || null,
    text: input.text || (input.html ? null : template?.text) || null,
  };
}
