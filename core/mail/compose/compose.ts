import { isAscii } from 'node:buffer';
import { emailDomain } from '../../base/text/addresses.ts';
import { breathe } from '../../base/work/breathe.ts';
import { compileMail } from '../../templates/mail.ts';
import type { Content, Message, MessageRecipient } from '../ledger/model.ts';
import type { Envelope, SendingDeps, TrackedMail } from '../ledger/relay.ts';
import { isOpenRecipient } from '../ledger/states.ts';
import { compileForOne, type SharedMail } from './compile.ts';
import { inlined } from './inline-pictures.ts';
import { returnPath, unsubscribeAddresses, unsubscribeUrl } from './links.ts';
import { composeMessage, type MimeAttachment, messagePieces, unsubscribeHeaders } from './mime/compose.ts';
import { writePieces } from './mime/entities.ts';
import { plainHeader } from './mime/headers.ts';
import type { SendingDomain } from './sending-domain.ts';
import { needsContact, type TemplateContact, variablesOf } from './variables.ts';

export interface Composing {
  message: Message;
  /** The message to `to`, of which this one may be a copy: the text of the mail is for that recipient. */
  first: Message;
  content: Content;
  sending: SendingDomain;
  attachments: MimeAttachment[];
  contact: TemplateContact | null;
  /** The open recipients; null: the message's only one. */
  recipients: MessageRecipient[] | null;
  /** Hardly anything else is being sent. */
  isAlone: boolean;
  /** The relay has 8BITMIME. */
  takesEightBit: boolean;
}

export interface ComposedMail {
  envelope: Envelope;
  /** With its signature. A Buffer holds the bytes that SMTP writes. */
  bytes: string | Buffer;
}

/** Encoding and signing the files of a mail holds the event loop for 10 ms a megabyte, so a mail with more is composed in a thread. */
const FILES_BYTES_MAX = 1_000_000;
const FEEDBACK_SENDER_CHARS = 12;

/** The same mail in every attempt: everything in it follows from stored data. Throws TemplateRenderError and TooMuch. */
export async function composeMail(deps: SendingDeps, mail: Composing): Promise<ComposedMail> {
  if (mail.content.raw) return composeRaw(deps, mail, mail.content.raw);
  const { message, first, content, sending, contact } = mail;
  const at = message.firstAt ?? deps.clock.now();
  const whole = await withInlinePictures(deps, mail);
  const {
    skeleton,
    recipient,
    returnPath: from,
  } = await compileForOne(sharedOf(deps, whole))({
    messageId: message._id,
    copy: message.copy,
    email: message.email,
    to: { email: first.email, name: first.name ?? null },
    at,
    variables: (pages) => variablesOf({ email: first.email, at, pages, contact }, content.data, first.data),
  });
  const envelope = { from, to: openAddresses(mail) };
  if (whole.attachments.reduce((sum, { bytes }) => sum + bytes.length, 0) > FILES_BYTES_MAX)
    return { envelope, bytes: await deps.signer.writeLarge(messagePieces(skeleton, recipient), sending.keys, at) };
  const text = composeMessage(skeleton, recipient);
  await breathe(text);
  return { envelope, bytes: (await signature(deps, mail, text, at)) + text };
}

async function withInlinePictures(deps: SendingDeps, mail: Composing): Promise<Composing> {
  const { content, attachments } = mail;
  if (!content.html || !content.pictures) return mail;
  const { html, parts } = await inlined(deps, content.html, content.pictures);
  return { ...mail, content: { ...content, html }, attachments: [...attachments, ...parts] };
}

/**
 * A mail that leaves as it came, under our signature; marketing mail gets the headers by which people unsubscribe. Parts that the relay cannot carry
 * are encoded before the mail is signed, since a server behind us would do it after that.
 */
async function composeRaw(
  deps: SendingDeps,
  mail: Composing,
  { eightBit, longLines = false }: NonNullable<Content['raw']>,
): Promise<ComposedMail> {
  const { message, content, sending, attachments } = mail;
  const [file] = attachments;
  if (!file) throw new Error('The content of a mail that leaves as it came has no file.');
  const { projectId, _id: messageId } = message;
  const at = message.firstAt ?? deps.clock.now();
  const head = content.marketing ? marketingHead(deps, mail) : '';
  const from = returnPath(deps.config, { projectId, messageId }, sending.returnHost);
  const envelope = { from, to: openAddresses(mail) };
  const unsafe = { longLines, eightBit: eightBit && !mail.takesEightBit };
  const changed = changedMail(deps, mail, { mail: file.bytes, unsafe });
  const pieces = [head, { asIs: file.bytes }];
  if (changed || eightBit || file.bytes.length > FILES_BYTES_MAX) {
    const bytes = await deps.signer.writeLarge(changed ? [head, changed] : pieces, sending.keys, at);
    return { envelope: eightBit && !isAscii(bytes) ? { ...envelope, eightBit } : envelope, bytes };
  }
  const text = writePieces(pieces);
  await breathe(text);
  return { envelope, bytes: (await signature(deps, mail, text, at)) + text };
}

/** A mail to be tracked or encoded in a thread, since the time to find its parts is chosen by its sender; null where nothing is changed. */
function changedMail(
  { config }: SendingDeps,
  { message, content }: Composing,
  { mail, unsafe }: { mail: Uint8Array; unsafe: TrackedMail['unsafe'] },
): TrackedMail | null {
  const { trackingOpen: opens, trackingClick: clicks } = content;
  if (!opens && !clicks && !unsafe.longLines && !unsafe.eightBit) return null;
  const { publicUrl, secretKeys } = config;
  const [projectId, messageId] = [message.projectId.toHexString(), message._id.toHexString()];
  return { tracked: mail, projectId, messageId, opens, clicks, links: { publicUrl, secretKeys }, unsafe };
}

function marketingHead({ config }: SendingDeps, mail: Composing): string {
  const { message, content, sending } = mail;
  const { projectId, _id: messageId, email } = message;
  const ref = { projectId, messageId };
  const { groupId } = content;
  const url = unsubscribeUrl(config, ref, { groupId, email });
  const mailto = unsubscribeAddresses(config, groupId, sending.returnHost)(ref);
  const listId = `<${listOf(content)}.${projectId}.${emailDomain(content.from.email)}>`;
  return (
    unsubscribeHeaders({ url, mailto }) +
    plainHeader('List-Id', listId) +
    plainHeader('Feedback-ID', feedbackId(mail)) +
    plainHeader('Precedence', 'bulk')
  );
}

function openAddresses({ message, recipients }: Composing): string[] {
  return recipients?.filter(isOpenRecipient).map(({ email }) => email) ?? [message.email];
}

/** Whether the contact of this address has to be read first. */
export function wantsContact(content: Content, message: Message): boolean {
  const { subject, previewText, html, text } = compileMail(content);
  return needsContact(
    [subject, previewText, html, text].filter((template) => template !== null),
    content,
    message,
  );
}

function sharedOf({ config }: SendingDeps, mail: Composing): SharedMail {
  const { message, first, content, sending, attachments } = mail;
  const { from, replyTo, headers, marketing, groupId, trackingClick, trackingOpen, utm = null } = content;
  const { projectId, automationId } = message;
  const fromDomain = emailDomain(from.email);
  return {
    config,
    projectId,
    source: content,
    fromDomain,
    returnHost: sending.returnHost,
    marketing,
    groupId,
    trackingClick,
    trackingOpen,
    utm,
    headers: content.headerTemplates,
    parts: {
      from,
      cc: first.copy?.cc ?? (message.recipients ?? []).filter(({ kind }) => kind === 'cc'),
      replyTo,
      attachments,
      headers,
      listId: marketing ? `${listOf(content)}.${projectId}.${fromDomain}` : null,
      feedbackId: feedbackId(mail),
      bulk: marketing,
      automatic: automationId !== undefined,
      inReplyTo: content.inReplyTo ?? null,
      references: content.references ?? null,
      boundary: message._id.toHexString(),
    },
  };
}

/** Takes a millisecond of one core with RSA: single mails do not wait for other threads, many do not hold up this one. */
function signature({ signer }: SendingDeps, { isAlone, sending }: Composing, text: string, at: Date) {
  if (sending.keys.length === 0) return '';
  return isAlone ? signer.signNow(text, sending.keys, at) : signer.sign(text, sending.keys, at);
}

function listOf({ groupId }: Content): string {
  return groupId?.toLowerCase() ?? 'default';
}

/** The identifiers by which mailbox providers group complaints, the stable sender last. */
function feedbackId({ message, content, sending }: Composing): string {
  const campaign = message.batchId ?? message.automationId?.toHexString() ?? 'single';
  const sender = sending.domain._id.toHexString().slice(-FEEDBACK_SENDER_CHARS);
  return `${campaign}:${message.projectId}:${content.marketing ? 'marketing' : 'transactional'}:${sender}`;
}
