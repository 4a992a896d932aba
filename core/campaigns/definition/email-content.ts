import type { ObjectId } from 'mongodb';
import { AppError } from '../../base/errors.ts';
import type { HeldBytes } from '../../base/held-bytes.ts';
import type { Project, Utm } from '../../base/model.ts';
import type { MailPages } from '../../mail/compose/links.ts';
import type { RenderedMail } from '../../mail/compose/render.ts';
import type { MailRef } from '../../mail/compose/tokens.ts';
import { campaignVariables, namedCampaign, variablesOf } from '../../mail/compose/variables.ts';
import type { Content, Message } from '../../mail/ledger/model.ts';
import { contentOf } from '../../mail/messages/contents.ts';
import { firstOnes } from '../../mail/messages/copies.ts';
import { type EmailFilter, getEmail } from '../../mail/messages/emails.ts';
import { previewPages, renderForPreview } from '../../mail/previews/drafts.ts';
import { rawTexts } from '../../mail/previews/raw-mails.ts';
import type { Variables } from '../../templates/language/templates.ts';
import { compileMail, type MailSource } from '../../templates/mail.ts';
import type { CampaignsDeps } from '../deps.ts';
import { sourceFor } from '../languages.ts';
import type { CampaignContent } from '../model.ts';
import { PLACING, variantAt } from '../variants/places.ts';
import { contentIn } from './content.ts';

type EmailContent = Omit<RenderedMail, 'subject'> & { emailId: ObjectId; subject: string | null };

interface Sent {
  source: MailSource;
  utm: Utm | null;
  variables: Variables;
}

/**
 * The mail as its recipient got it, without tracking and without a link to unsubscribe. Fields of a contact are those of today.
 * `html` and `text` are null when the content is removed, or the recipient's data erased. `withPictures`: those that a mail by SMTP
 * brought are in its HTML.
 */
export async function emailContent(
  deps: CampaignsDeps,
  project: Pick<Project, '_id'>,
  emailId: string,
  { held, withPictures = false, ...readable }: Pick<EmailFilter, 'keyId'> & { held: HeldBytes; withPictures?: boolean },
): Promise<EmailContent> {
  const { message, content } = await getEmail(deps, project, emailId, readable);
  const { _id, subject = null } = message;
  if (content?.raw && message.email !== '')
    return { emailId: _id, subject, previewText: '', ...(await rawTexts(deps, content, { withPictures, held })) };
  const sent = await sentOf(deps, message, content, previewPages(deps));
  if (!sent) return { emailId: _id, subject, previewText: '', html: null, text: null };
  const rendered = await renderForPreview(deps, sent, compileMail(sent.source), sent.variables);
  return { emailId: _id, ...rendered };
}

/** In a view, the links that belong to the recipient lead to the top of the page. */
const VIEW_PAGES: MailPages = { unsubscribe: '#', preferencesUrl: '#', viewInBrowserUrl: '#' };

/** The mail of a link to its view; null when its content, its record or its project is gone. */
export async function viewedMail(
  deps: CampaignsDeps,
  { projectId, messageId }: MailRef,
): Promise<Pick<RenderedMail, 'html' | 'text'> | null> {
  const [project, found] = await Promise.all([
    deps.db.projects.findOne({ _id: projectId, deletedAt: null }, { projection: { _id: 1 } }),
    deps.db.messages.findOne({ _id: messageId, projectId }),
  ]);
  const message = project && found && (await firstOnes(deps, projectId, [found]))(found);
  const sent =
    message && found.email !== '' && (await sentOf(deps, message, await contentOf(deps, message), VIEW_PAGES));
  if (!sent || (await isContactGone(deps, message))) return null;
  return renderForPreview(deps, sent, compileMail(sent.source), sent.variables).catch((error) => {
    // The data of the contact have changed since.
    if (error instanceof AppError && error.kind === 'unprocessable') return null;
    throw error;
  });
}

/** Before their mails are erased, which takes hours. */
async function isContactGone({ db }: CampaignsDeps, { projectId, contactId }: Message): Promise<boolean> {
  return (
    contactId !== undefined && !(await db.contacts.findOne({ _id: contactId, projectId }, { projection: { _id: 1 } }))
  );
}

/** As its variant has it, where there are some. */
async function contentSent(
  { db }: Pick<CampaignsDeps, 'db'>,
  content: CampaignContent,
  { seq }: Pick<Message, 'seq'>,
): Promise<CampaignContent> {
  const { _id, projectId, variants } = content;
  const campaign = variants && (await db.campaigns.findOne({ _id, projectId }, { projection: PLACING }));
  return campaign && seq !== undefined ? contentIn(content, variantAt(campaign)(seq)) : content;
}

/** null for a recipient whose data are erased. */
async function sentOf(
  deps: CampaignsDeps,
  message: Message,
  content: Content | null,
  pages: MailPages,
): Promise<Sent | null> {
  const { projectId, email, campaignId, contactId } = message;
  if (email === '') return null;
  const who = contactId ? { _id: contactId } : { email };
  const [contact, frozen] = await Promise.all([
    deps.db.contacts.findOne({ projectId, ...who }),
    campaignId ? deps.db.campaignContents.findOne({ _id: campaignId, projectId }) : null,
  ]);
  const at = message.firstAt ?? message.sentAt ?? message.createdAt ?? deps.clock.now();
  const mail = { email, at, pages, contact };
  if (frozen) {
    const content = await contentSent(deps, frozen, message);
    const variables = campaignVariables(mail, namedCampaign(frozen));
    return { source: sourceFor(content, contact), utm: frozen.utm ?? null, variables };
  }
  if (!content) return null;
  return { source: content, utm: content.utm ?? null, variables: variablesOf(mail, content.data, message.data) };
}
