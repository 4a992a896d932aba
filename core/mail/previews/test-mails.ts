import { derivedId } from '../../base/ids.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { requireSandbox } from '../../base/sandbox.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { requireVerifiedDomain } from '../../domains/senders.ts';
import type { Contact } from '../../people/model.ts';
import { TRIAL_PAGES } from '../compose/links.ts';
import { campaignVariables, isOfTheMail, type TemplateContact } from '../compose/variables.ts';
import type { MailDeps } from '../deps.ts';
import type { Content, Message } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { newContent } from '../messages/contents.ts';
import { dueAtOnce, queueMailing } from '../messages/messages.ts';
import type { Draft } from './drafts.ts';

type Shown = Pick<
  Content,
  | 'from'
  | 'replyTo'
  | 'templateId'
  | 'subject'
  | 'previewText'
  | 'html'
  | 'text'
  | 'utm'
  | 'groupId'
  | 'headerTemplates'
  | 'pictures'
>;

export interface TestMail extends Shown {
  emails: string[];
  /** Whose data fill in all of them; null: each has the data of the contact with its address, if there is one. */
  contact: Contact | null;
  data: Draft['data'];
  isCampaign: boolean;
  campaign?: Draft['campaign'];
}

export interface QueuedTest {
  emailIds: string[];
  totalRecipients: number;
}

const SUBJECT_MAX = 998;

/** Sends a draft to a few people for review: outside all counts and suppressions, and without tracking. */
export async function sendTestMail(
  deps: MailDeps,
  project: Pick<Project, '_id'>,
  mail: TestMail,
  { at, seed }: Origin,
): Promise<QueuedTest> {
  await requireVerifiedDomain(deps, project, mail.from.email, 'from/email');
  const { emails, contact, data, isCampaign, campaign, ...shown } = mail;
  const addresses = [...new Set(emails.flatMap((email) => normalizeEmail(email) ?? []))];
  await requireSandbox(
    deps,
    project,
    addresses.map((email) => ({ email, field: 'emails' })),
  );
  const contacts = contact ? [] : await contactsWith(deps, project, addresses);
  const subject = `[Test] ${shown.subject}`.slice(0, SUBJECT_MAX);
  const contentId = derivedId(at, 'test mail', seed.toHexString());
  const messages = addresses.map((email, index): Message => {
    const whose = contact ?? contacts.find((one) => one.email === email) ?? null;
    return {
      _id: derivedId(at, 'test mail', seed.toHexString(), index),
      projectId: project._id,
      lane: 'automation',
      state: states.queued,
      email,
      contentId,
      data: { ...(campaign && { campaign }), ...dataOf(whose, isCampaign), ...deadPages(deps), ...data },
      subject,
      createdAt: at,
      dueAt: dueAtOnce(deps),
    };
  });
  // No marketing: without the headers by which a mail program unsubscribes the reader.
  const content = newContent({
    ...shown,
    _id: contentId,
    projectId: project._id,
    messageIds: messages.map(({ _id }) => _id),
    subject,
    bypassSuppressions: true,
    createdAt: at,
  });
  await queueMailing(deps, { content, messages });
  return { emailIds: messages.map(({ _id }) => _id.toHexString()), totalRecipients: messages.length };
}

/** A person who tries the links of a test must not be unsubscribed by them. */
function deadPages({ config }: Pick<MailDeps, 'config'>): Record<string, string> {
  return { unsubscribe: `${config.publicUrl}/u/test`, preferencesUrl: `${config.publicUrl}/p/test` };
}

function contactsWith({ db }: MailDeps, { _id }: Pick<Project, '_id'>, emails: string[]): Promise<Contact[]> {
  return db.contacts.find({ projectId: _id, email: { $in: emails } }).toArray();
}

/** The data of a contact as a campaign has them; as other mail has them, the fields of the contact alone. */
function dataOf(contact: TemplateContact | null, isCampaign: boolean): Record<string, unknown> {
  if (!contact) return {};
  const known = campaignVariables({ email: '', at: new Date(0), pages: TRIAL_PAGES, contact });
  const names = Object.keys(known).filter((name) => isCampaign || !Object.hasOwn(contact.contactProperties, name));
  return Object.fromEntries(names.filter((name) => !isOfTheMail(name)).map((name) => [name, known[name]]));
}
