import type { Mailbox } from '../../../base/model.ts';
import { attachmentEntity, type MimeAttachment } from './attachments.ts';
import {
  type Entity,
  fillPieces,
  inOnePiece,
  joinTexts,
  multipart,
  type Piece,
  type Segment,
  textEntity,
  writeSegments,
} from './entities.ts';
import { formatMailboxes, headerText, idsHeader, mailboxHeader, plainHeader, textHeader } from './headers.ts';

export type { MimeAttachment } from './attachments.ts';
export type { Piece } from './entities.ts';

/** The parts that all recipients of a mail share. */
export interface MessageParts {
  from: Mailbox;
  cc?: readonly Mailbox[];
  replyTo?: Mailbox | null;
  subject: readonly Piece[];
  html?: readonly Piece[] | null;
  text?: readonly Piece[] | null;
  attachments?: readonly MimeAttachment[];
  /** The caller's headers, checked by core/mail/compose/headers.ts. */
  headers?: Readonly<Record<string, string>>;
  /** More of them, with values that differ per recipient: one that is empty is left out. */
  filled?: readonly FilledHeader[];
  listId?: string | null;
  feedbackId?: string | null;
  /** Precedence: bulk. */
  bulk?: boolean;
  /** Auto-Submitted: auto-generated (RFC 3834). */
  automatic?: boolean;
  inReplyTo?: string | null;
  references?: string | null;
  /** Separates the parts: letters and digits, the same for the same mail. */
  boundary: string;
}

interface FilledHeader {
  name: string;
  value: readonly Piece[];
}

/** The parts of a single recipient. */
export interface RecipientParts {
  to: readonly Mailbox[];
  /** Without < and >. */
  messageId: string;
  date: Date;
  /** Becomes List-Unsubscribe and List-Unsubscribe-Post; null: the mail cannot be unsubscribed from. */
  unsubscribe?: { url: string; mailto?: string | null } | null;
  /** For the numbers among the pieces. */
  values?: readonly string[];
}

/** A message with everything done that does not depend on the recipient. */
export interface Skeleton {
  from: string;
  /** The whole header, or pieces to fill. */
  subject: string | readonly Piece[];
  filled: readonly FilledHeader[];
  /** The other headers, up to those of the body. */
  headers: string;
  body: readonly Segment[];
}

/** At least one of them. */
interface Texts {
  page: Entity | null;
  plain: Entity | null;
}

const BOUNDARY = /^[A-Za-z0-9]{1,40}$/;
const MESSAGE_ID = /^[A-Za-z0-9._+-]{1,200}@[A-Za-z0-9.-]{1,253}$/;
const LINK = /^[!-;=?-~]{1,900}$/;

/** Encodes once what all recipients share; composeMessage fills in the rest. Long texts are encoded before, each in its turn. */
export function compileMessage(
  parts: MessageParts,
  texts: Texts = { page: pageOf(parts), plain: plainOf(parts) },
): Skeleton {
  if (!BOUNDARY.test(parts.boundary)) throw new Error('A boundary is made of 1 to 40 letters and digits.');
  const content = bodyEntity(parts, texts);
  const subject = parts.subject.every((piece) => typeof piece === 'string')
    ? textHeader('Subject', parts.subject.join(''))
    : parts.subject;
  const { shared, filled } = headersOf(parts);
  const headers = inOnePiece(`${shared}MIME-Version: 1.0\r\n${content.head}\r\n`);
  const last = content.body.at(-1);
  const ended = typeof last === 'string' && last.endsWith('\r\n');
  const body = ended ? content.body : joinTexts([...content.body, '\r\n']);
  const pieces = body.map((segment) => (typeof segment === 'string' ? inOnePiece(segment) : segment));
  return { from: mailboxHeader('From', [parts.from]), subject, filled, headers, body: pieces };
}

/** The HTML, encoded. */
export function pageOf({ html, boundary }: MessageParts): Entity | null {
  return html ? textEntity('html', html, prefixOf(boundary)) : null;
}

/** The plain text, encoded; an empty one where the mail has no text at all. */
export function plainOf({ html, text, boundary }: MessageParts): Entity | null {
  return text || !html ? textEntity('plain', text ?? [''], prefixOf(boundary)) : null;
}

function prefixOf(boundary: string): string {
  return `=_${boundary}`;
}

/** The whole message, every line ended with CRLF: ASCII only, and the same for the same input. */
export function composeMessage(skeleton: Skeleton, recipient: RecipientParts): string {
  return headOf(skeleton, recipient) + writeSegments(skeleton.body, recipient.values ?? []);
}

/** The message with its files not encoded yet. */
export function messagePieces(skeleton: Skeleton, recipient: RecipientParts): (string | Uint8Array)[] {
  const { values = [] } = recipient;
  const body = skeleton.body.map((segment) =>
    segment instanceof Uint8Array ? segment : writeSegments([segment], values),
  );
  return [headOf(skeleton, recipient), ...body];
}

function headOf(skeleton: Skeleton, recipient: RecipientParts): string {
  const { to, messageId, date, unsubscribe, values = [] } = recipient;
  const { subject } = skeleton;
  if (!MESSAGE_ID.test(messageId)) throw new Error('A Message-ID is made of letters, digits and dots around an @.');
  return (
    `${skeleton.from}To: ${formatMailboxes(to, 4)}\r\nMessage-ID: <${messageId}>\r\nDate: ${formatDate(date)}\r\n` +
    (typeof subject === 'string' ? subject : `Subject: ${headerText(fillPieces(subject, values), 9)}\r\n`) +
    (unsubscribe ? unsubscribeHeaders(unsubscribe) : '') +
    filledHeaders(skeleton.filled, values) +
    skeleton.headers
  );
}

function filledHeaders(filled: Skeleton['filled'], values: readonly string[]): string {
  let out = '';
  for (const { name, value } of filled) {
    const text = fillPieces(value, values);
    if (text.trim() !== '') out += textHeader(name, text);
  }
  return out;
}

let lastDate = { time: Number.NaN, text: '' };

/** RFC 5322 in UTC, whatever the machine's zone is. Cached, since a campaign uses the same date many times. */
function formatDate(date: Date): string {
  const time = date.getTime();
  if (lastDate.time !== time) lastDate = { time, text: date.toUTCString().replace('GMT', '+0000') };
  return lastDate.text;
}

/** RFC 8058: one line, since not every signer folds alike. */
export function unsubscribeHeaders({ url, mailto }: NonNullable<RecipientParts['unsubscribe']>): string {
  if (!LINK.test(url) || (mailto && !LINK.test(mailto)))
    throw new Error('An unsubscribe link must be printable ASCII.');
  const links = mailto ? `<${url}>, <mailto:${mailto}>` : `<${url}>`;
  return `List-Unsubscribe: ${links}\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`;
}

/** Each header once: the service's own wins over the caller's. */
function headersOf(parts: MessageParts): { shared: string; filled: FilledHeader[] } {
  const own = ownHeaders(parts);
  const isFree = (name: string) => !own[name.toLowerCase()];
  const given = (parts.filled ?? []).filter(({ name }) => isFree(name));
  const isFixed = ({ value }: FilledHeader) => value.every((piece) => typeof piece === 'string');
  const fixed = Object.entries(parts.headers ?? {}).filter(([name]) => isFree(name));
  const callers = fixed.map(([name, value]) => textHeader(name, value)).join('');
  return {
    shared: Object.values(own).join('') + callers + filledHeaders(given.filter(isFixed), []),
    filled: given.filter((one) => !isFixed(one)),
  };
}

function ownHeaders(parts: MessageParts): Record<string, string> {
  const { cc = [], replyTo, inReplyTo, references, listId, feedbackId } = parts;
  return {
    'reply-to': replyTo ? mailboxHeader('Reply-To', [replyTo]) : '',
    cc: cc.length > 0 ? mailboxHeader('Cc', cc) : '',
    'in-reply-to': inReplyTo ? idsHeader('In-Reply-To', inReplyTo) : '',
    references: references ? idsHeader('References', references) : '',
    'list-id': listId ? plainHeader('List-Id', `<${listId}>`) : '',
    'feedback-id': feedbackId ? plainHeader('Feedback-ID', feedbackId) : '',
    precedence: parts.bulk ? plainHeader('Precedence', 'bulk') : '',
    'auto-submitted': parts.automatic ? plainHeader('Auto-Submitted', 'auto-generated') : '',
  };
}

function bodyEntity({ html, attachments = [], boundary }: MessageParts, texts: Texts): Entity {
  const prefix = prefixOf(boundary);
  const inline = html ? attachments.filter(({ contentId }) => contentId) : [];
  const files = attachments.filter((attachment) => !inline.includes(attachment));
  const content = alternatives(texts, inline, prefix);
  if (files.length === 0) return content;
  const entities = files.map((attachment) => attachmentEntity(attachment, 'attachment'));
  return multipart('mixed', `${prefix}_mixed`, [content, ...entities]);
}

function alternatives({ page, plain }: Texts, inline: readonly MimeAttachment[], prefix: string): Entity {
  if (!page) return plain!;
  const images = inline.map((attachment) => attachmentEntity(attachment, 'inline'));
  const rich = images.length > 0 ? multipart('related', `${prefix}_related`, [page, ...images]) : page;
  return plain ? multipart('alternative', `${prefix}_alternative`, [plain, rich]) : rich;
}
