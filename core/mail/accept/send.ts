import { RECIPIENTS_MAX } from '../../../schemas/mail/mails.ts';
import { invalid, unprocessable } from '../../base/errors.ts';
import { derivedId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { requireSandbox } from '../../base/sandbox.ts';
import { taggedWith } from '../../base/text/tags.ts';
import type { SuppressionFact } from '../../consent/suppressions/rules.ts';
import { TemplateRenderError } from '../../templates/language/templates.ts';
import { checkRendering } from '../../templates/mail.ts';
import { TRIAL_PAGES } from '../compose/links.ts';
import { variablesOf } from '../compose/variables.ts';
import type { MailDeps } from '../deps.ts';
import type { Message, MessageRecipient } from '../ledger/model.ts';
import { states } from '../ledger/states.ts';
import { checkSender } from './check-sender.ts';
import { draftMail, type MailDraft, type MailOrigin, mailbox, recipientsOf, type SendInput, sentBy } from './inputs.ts';
import { queuedFor } from './queued.ts';
import { isScheduled, store } from './store.ts';

interface Sent {
  emailId: string;
  message: string;
  totalRecipients: number;
}

export async function sendMail(deps: MailDeps, project: Project, input: SendInput, origin: MailOrigin): Promise<Sent> {
  const drafted = await draftSend(deps, project, input, origin);
  const { emailId, messages, totalRecipients } = messagesOf(deps, drafted, origin);
  await store(deps, drafted.draft, messages);
  return { emailId, message: answerTo(messages), totalRecipients };
}

function answerTo(messages: Message[]): string {
  if (messages.every(({ state }) => state === states.suppressed))
    return 'Every recipient is suppressed; nothing is sent.';
  return `Email ${messages.some(isScheduled) ? 'scheduled' : 'queued'} successfully.`;
}

export interface DraftedSend {
  draft: MailDraft;
  recipients: MessageRecipient[];
  suppressions: Map<string, SuppressionFact[]>;
}

/** A mail to one recipient with its copies, checked but for its rendering. */
export async function draftSend(
  deps: MailDeps,
  project: Project,
  input: SendInput,
  origin: MailOrigin,
): Promise<DraftedSend> {
  const recipients = recipientsOf(mailbox(input.to), input.cc, input.bcc);
  checkRecipients(recipients, 'to');
  await requireSandbox(
    deps,
    project,
    recipients.map(({ email }) => ({ email, field: 'to' })),
  );
  const draft = await draftMail(deps, project, { ...input, email: recipients[0]!.email }, origin);
  const suppressions = await checkSender(
    deps,
    project,
    senderOf(draft),
    recipients.map(({ email }) => email),
  );
  return { draft, recipients, suppressions };
}

/** Its messages, with what the other mails of the call share. */
export function messagesOf(
  deps: MailDeps,
  { draft, recipients, suppressions }: DraftedSend,
  origin: MailOrigin,
  shared: Pick<Message, 'batchId'> = {},
): { emailId: string; messages: Message[]; totalRecipients: number } {
  const subject = render(draft, recipients[0]!.email, undefined, origin);
  if (subject instanceof TemplateRenderError)
    throw unprocessable('TEMPLATE_RENDER_FAILED', `The mail cannot be made with these data: ${subject.message}`);
  const { content } = draft;
  const _id = derivedId(origin.at, 'mail', origin.seed.toHexString());
  const messages = queuedFor(deps, draft, suppressions, { _id, recipients }).map(
    (queued): Message => ({
      projectId: content.projectId,
      lane: content.marketing ? 'automation' : 'transactional',
      ...queued,
      contentId: content._id,
      ...sentBy(origin),
      ...taggedWith(draft.tags),
      subject,
      ...shared,
      createdAt: origin.at,
    }),
  );
  return { emailId: _id.toHexString(), messages, totalRecipients: recipients.length };
}

export function senderOf({ content }: MailDraft) {
  return { email: content.from.email, field: 'from/email' };
}

export function checkRecipients(recipients: MessageRecipient[], field: string): void {
  if (recipients.length > RECIPIENTS_MAX)
    throw invalid(
      `A mail goes to ${RECIPIENTS_MAX} addresses at most: to, cc and bcc together.`,
      `${field}: must have ${RECIPIENTS_MAX} addresses at most with cc and bcc`,
    );
}

/**
 * A mail that cannot be rendered is refused while the caller can still correct it; it is rendered again, from the same sources, when it is
 * sent.
 */
export function render({ templates, content }: MailDraft, email: string, data: object | undefined, { at }: MailOrigin) {
  const builtIn = { email, at, pages: TRIAL_PAGES, contact: null };
  try {
    return checkRendering(templates, variablesOf(builtIn, content.data, data as Record<string, unknown> | undefined));
  } catch (error) {
    if (error instanceof TemplateRenderError) return error;
    throw error;
  }
}
