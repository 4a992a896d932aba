import type { replyBody } from '../../schemas/inbound.ts';
import type { Described } from '../../schemas/schema.ts';
import { AppError } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import type { Mailbox, Project } from '../base/model.ts';
import { emailDomain, normalizeEmail } from '../base/text/addresses.ts';
import { replySubject, threadHeaders } from '../base/text/message-ids.ts';
import { readAttachments } from '../mail/accept/attachments.ts';
import { mailFacts } from '../mail/accept/check-sender.ts';
import { type MailDraft, type MailOrigin, mailbox, recipientsOf, sentBy } from '../mail/accept/inputs.ts';
import { queuedFor } from '../mail/accept/queued.ts';
import { store } from '../mail/accept/store.ts';
import type { Content, Message } from '../mail/ledger/model.ts';
import { newContent } from '../mail/messages/contents.ts';
import { compileMail } from '../templates/mail.ts';
import type { InboundDeps } from './deps.ts';
import { getInbound } from './messages.ts';
import type { InboundMessage } from './model.ts';

type ReplyInput = Described<typeof replyBody>;

interface Replied {
  emailId: string;
  message: string;
  status: 'QUEUED';
  totalRecipients: number;
}

/** Addresses that are not read by people. */
const UNATTENDED = /^(no-?reply|do-?not-?reply|mailer-daemon|postmaster|bounces?|.*[.+_-]noreply)@/;

/** An answer within the conversation, sent like every single mail. Its errors have no code. */
export async function replyToInbound(
  deps: InboundDeps,
  project: Project,
  id: string,
  input: ReplyInput,
  origin: MailOrigin,
): Promise<Replied> {
  const from = senderOf(input);
  const { attachments, files } = await readAttachments(input.attachments ?? [], origin, deps.config);
  const inbound = await getInbound(deps, project, id);
  const to = targetOf(inbound);
  if (!to) throw new AppError('not_found', 'The inbound message has no address that people read.');
  const recipients = recipientsOf(to, input.cc, input.bcc);
  const emails = recipients.map(({ email }) => email);
  const domainName = emailDomain(from.email);
  const { domain, suppressions } = await mailFacts(deps, { projectId: project._id, domainName, emails });
  if (!domain)
    throw withoutCode(
      `from.email must be on a verified domain of the project; the reply must use the domain that received the message (${inbound.domainName}).`,
      `from/email: must be on ${inbound.domainName}, or on another verified domain of the project`,
    );
  const content = contentOf(project, inbound, { ...input, from, attachments }, origin);
  const draft: MailDraft = {
    content,
    sendAt: null,
    attachments,
    files,
    template: null,
    templates: compileMail(content),
  };
  const _id = derivedId(origin.at, 'reply', origin.seed.toHexString());
  const messages = queuedFor(deps, draft, suppressions, { _id, recipients }).map(
    (queued): Message => ({
      projectId: project._id,
      lane: 'transactional',
      ...queued,
      contentId: content._id,
      ...sentBy(origin),
      threadId: inbound.threadId,
      subject: content.subject,
      createdAt: origin.at,
    }),
  );
  await store(deps, draft, messages);
  return {
    emailId: _id.toHexString(),
    message: 'Reply queued successfully.',
    status: 'QUEUED',
    totalRecipients: recipients.length,
  };
}

function senderOf({ from }: ReplyInput): Mailbox {
  if (from?.email === undefined) throw withoutCode('from.email is required.', 'from/email: is required');
  if (normalizeEmail(from.email) === null)
    throw withoutCode('from.email must be an email address.', 'from/email: must be an email address');
  return mailbox({ email: from.email, name: from.name });
}

/** The first Reply-To, else From. */
function targetOf({ replyTo, from }: InboundMessage): Mailbox | null {
  const wanted = replyTo[0] ?? from;
  const email = normalizeEmail(wanted.email);
  return email === null || UNATTENDED.test(email) ? null : { email, name: wanted.name };
}

function contentOf(
  project: Project,
  inbound: InboundMessage,
  reply: Pick<ReplyInput, 'subject' | 'html' | 'text'> & { from: Mailbox; attachments: Content['attachments'] },
  { at, seed }: MailOrigin,
): Content {
  const thread = threadHeaders(inbound.messageId, inbound.references, inbound.inReplyTo);
  return newContent({
    _id: derivedId(at, 'content', seed.toHexString()),
    projectId: project._id,
    messageIds: [],
    from: reply.from,
    subject: reply.subject ?? replySubject(inbound.subject),
    html: reply.html || null,
    // A reply may have no body.
    text: reply.text || (reply.html ? null : ''),
    verbatim: true,
    attachments: reply.attachments,
    ...(thread ?? {}),
    createdAt: at,
  });
}

function withoutCode(message: string, details: string): AppError {
  return new AppError('invalid', message, { details });
}
