import type { Deps } from '../../core/base/deps.ts';
import type { Mailbox, Project } from '../../core/base/model.ts';
import { shownTags } from '../../core/base/text/tags.ts';
import type { emailContent } from '../../core/campaigns/definition/email-content.ts';
import type { Content, Message, MessageRecipient, TimelineEntry } from '../../core/mail/ledger/model.ts';
import { reasonInWords } from '../../core/mail/ledger/rules/reasons.ts';
import { isOpenRecipient, type MessageState, shownState, states } from '../../core/mail/ledger/states.ts';
import type { Email } from '../../core/mail/messages/copies.ts';
import { inOrder, timelineOf } from '../../core/mail/messages/timeline.ts';
import { previewLink } from '../../core/mail/previews/links.ts';
import type { EmailStatus } from '../../schemas/mail/emails.ts';

export function presentEmail({ message, copies }: Email) {
  const { _id, email, name, subject, lane, batchId, campaignId, automationId, contactId } = message;
  const { reply, suppressedBy, deferrals, createdAt, scheduledAt, sentAt } = message;
  const recipients = [message, ...copies].flatMap(recipientsOf);
  const retries = [message, ...copies].flatMap(({ state, dueAt, waitsWith, reason }) => {
    const waits = state === states.deferred || (state === states.queued && waitsWith && reason);
    return waits && dueAt ? [dueAt] : [];
  });
  return {
    id: _id,
    status: recipients[0]!.status,
    email: email || null,
    name: name ?? null,
    subject: subject ?? null,
    lane,
    batchId: batchId ?? null,
    campaignId: campaignId ?? null,
    automationId: automationId ?? null,
    contactId: contactId ?? null,
    tags: shownTags(message),
    recipients,
    reply: reply ?? null,
    reason: reasonInWords(message),
    suppressedBy: suppressedBy ?? null,
    attempts: deferrals ?? 0,
    createdAt: createdAt ?? _id.getTimestamp(),
    scheduledAt: scheduledAt ?? null,
    sentAt: sentAt ?? null,
    nextAttemptAt: retries.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null,
  };
}

export function presentRenderedEmail(
  deps: Pick<Deps, 'config' | 'clock'>,
  { _id: projectId }: Pick<Project, '_id'>,
  { emailId: id, previewText, ...texts }: Awaited<ReturnType<typeof emailContent>>,
) {
  const { previewUrl, expiresIn } = previewLink(deps, { projectId, kind: 'email', id, withPictures: true });
  const isKept = texts.html !== null || texts.text !== null;
  return { ...texts, previewText, previewUrl: isKept ? previewUrl : null, expiresIn };
}

export function presentEmailWithTimeline({
  content,
  waiting = null,
  ...email
}: Email & { content: Content | null; waiting?: TimelineEntry | null }) {
  const { message, copies } = email;
  const timeline = [...timelineOf(message), ...copies.flatMap(timelineOfCopy), ...(waiting ? [waiting] : [])];
  return { ...presentEmail(email), content: content && presentContent(content), timeline: inOrder(timeline) };
}

function recipientsOf(message: Message) {
  const { email, name = null, state, deliveredAt, reply = null, reason = null, suppressedBy } = message;
  const only = {
    email,
    name,
    kind: message.copy?.kind ?? 'to',
    state,
    reply,
    reason,
    ...(suppressedBy ? { suppressedBy } : {}),
  };
  // Each of several recipients has a status of its own; the status of the message is that of the first.
  const recipients = message.recipients?.map((one) => ({ ...one, state: stateOf(message, one) }));
  return (recipients ?? [only]).map((one: Recipient, index) =>
    presentRecipient(one, one.deliveredAt ?? (index === 0 ? deliveredAt : undefined)),
  );
}

/** Until it is claimed, the recipients of scheduled mail wait as it does. */
function stateOf({ state }: Message, recipient: MessageRecipient): MessageState {
  return state === states.scheduled && isOpenRecipient(recipient) ? state : recipient.state;
}

type Recipient = Omit<MessageRecipient, 'state'> & { state: MessageState };

function presentRecipient(recipient: Recipient, deliveredAt: Date | undefined) {
  const { email, name, kind, state, reply, suppressedBy } = recipient;
  const reason = reasonInWords(recipient);
  const status = statusOf(state, deliveredAt);
  return { email: email || null, name, kind, status, reply, reason, suppressedBy: suppressedBy ?? null };
}

function statusOf(state: MessageState, deliveredAt: Date | undefined): EmailStatus {
  return state === states.sent && deliveredAt ? 'delivered' : shownState(state);
}

function presentContent(content: Content) {
  const { from, replyTo, templateId, html, text, headers, groupId, trackingClick, trackingOpen } = content;
  return {
    from: presentMailbox(from),
    replyTo: replyTo && presentMailbox(replyTo),
    templateId,
    html,
    text,
    headers,
    unsubscribeGroupId: groupId,
    trackingClick,
    trackingOpen,
    attachments: content.attachments.map(({ fileName, contentType, contentId, sizeBytes, fileUrl }) => ({
      fileName,
      contentType,
      contentId,
      fileSize: sizeBytes,
      fileUrl,
    })),
  };
}

function presentMailbox({ email, name }: Mailbox) {
  return { email, name };
}

/** The outcome of this recipient; all recipients were queued at the same time. */
function timelineOfCopy(copy: Message): TimelineEntry[] {
  const whose = copy.email ? { email: copy.email } : {};
  return timelineOf(copy).flatMap((entry) => (entry.type === 'queued' ? [] : { ...entry, ...whose }));
}
