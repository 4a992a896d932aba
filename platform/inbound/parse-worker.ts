import './lean-blob.ts';
import { createHash } from 'node:crypto';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import type { Mailbox } from '../../core/base/model.ts';
import type { ParsedFile, ParsedMail } from '../../core/inbound/mail.ts';
import { readComplaint } from '../../core/mail/feedback/delivery-reports/arf.ts';
import { readReturnedMail } from '../../core/mail/feedback/delivery-reports/dsn.ts';
import { textIn } from './lenient-texts.ts';

const HEADERS_MAX = 200;
const HEADER_LENGTH_MAX = 2_000;
const SUBJECT_LENGTH_MAX = 998;
const BODY_LENGTH_MAX = 1_000_000;
const FILES_MAX = 1_000;
const FILE_NAME_MAX = 255;
const ADDRESSES_MAX = 200;
const REFERENCES_MAX = 100;
const MESSAGE_ID_MAX = 998;
const REPORT_LENGTH_MAX = 100_000;
const HEADER_BYTES_MAX = 1_048_576;
const DEPTH_MAX = 100;
const REPORT_TYPES = /^(message\/|text\/rfc822-headers$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029]/g;

/** Names for parts that a mail has once. */
const NAMES: Record<string, string> = {
  'text/calendar': 'invite.ics',
  'application/ics': 'invite.ics',
  'application/pgp-signature': 'signature.asc',
  'application/pkcs7-signature': 'smime.p7s',
  'application/x-pkcs7-signature': 'smime.p7s',
  'message/delivery-status': 'delivery-status.txt',
  'message/global-delivery-status': 'delivery-status.txt',
  'message/disposition-notification': 'disposition-notification.txt',
  'message/feedback-report': 'feedback-report.txt',
  'text/rfc822-headers': 'headers.txt',
};
const EXTENSIONS: Record<string, string> = {
  ...{ 'message/rfc822': 'eml', 'message/global': 'eml', 'text/plain': 'txt', 'text/html': 'html', 'text/csv': 'csv' },
  ...{
    'text/vcard': 'vcf',
    'text/x-vcard': 'vcf',
    'application/json': 'json',
    'application/xml': 'xml',
    'text/xml': 'xml',
  },
  ...{ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/jpg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' },
  ...{ 'image/svg+xml': 'svg', 'image/heic': 'heic', 'image/tiff': 'tiff', 'image/bmp': 'bmp' },
  ...{ 'application/pdf': 'pdf', 'application/zip': 'zip', 'application/gzip': 'gz', 'application/rtf': 'rtf' },
  ...{ 'application/msword': 'doc', 'application/vnd.ms-excel': 'xls', 'application/vnd.ms-powerpoint': 'ppt' },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  ...{ 'audio/mpeg': 'mp3', 'audio/mp4': 'm4a', 'audio/ogg': 'ogg', 'video/mp4': 'mp4', 'video/quicktime': 'mov' },
};

export interface MailToRead {
  bytes: Uint8Array;
  mailFrom: string;
}

/** null: it cannot be read. */
export async function work({ bytes, mailFrom }: MailToRead): Promise<ParsedMail | null> {
  const mail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parsed = await parse(mail, mailFrom).catch(() => null);
  // The copy of this thread is free at once, without waiting for a collection.
  (bytes.buffer as ArrayBuffer).transfer(0);
  return parsed;
}

async function parse(bytes: Buffer, mailFrom: string): Promise<ParsedMail | null> {
  const email = await PostalMime.parse(bytes, {
    forceRfc822Attachments: true,
    maxNestingDepth: DEPTH_MAX,
    maxHeadersSize: HEADER_BYTES_MAX,
  });
  if (email.attachments.length > FILES_MAX) return null;
  const texts = textsOf(email);
  const files = filesOf(email.attachments);
  return { ...texts, files, ...reportsIn(texts, files, mailFrom), bodyHash: hashOf(bytes) };
}

/** Reports by machines. They are parsed here, where a slow one costs only its own thread. */
function reportsIn(
  { from, subject, headers, text, html }: ReturnType<typeof textsOf>,
  files: ParsedFile[],
  mailFrom: string,
): Pick<ParsedMail, 'complaint' | 'returned'> {
  const parts = files
    .filter(({ contentType }) => REPORT_TYPES.test(contentType))
    .map(({ contentType, bytes }) => ({ contentType, text: textIn(bytes, REPORT_LENGTH_MAX) }));
  const returned = readReturnedMail({
    mailFrom,
    from: from?.email ?? '',
    subject,
    text: text ?? html?.slice(0, REPORT_LENGTH_MAX).replace(/<[^<>]*>/g, ' ') ?? '',
    headers: new Map(headers.map(({ name, value }) => [name.toLowerCase(), value])),
    parts,
  });
  return { complaint: readComplaint(parts), returned };
}

function textsOf(email: Email) {
  const references = idsIn(email.references);
  return {
    headers: email.headers.slice(0, HEADERS_MAX).map(({ originalKey, value }) => ({
      name: line(originalKey, HEADER_LENGTH_MAX),
      value: line(value, HEADER_LENGTH_MAX),
    })),
    messageId: idsIn(email.messageId)[0] ?? '',
    inReplyTo: idsIn(email.inReplyTo)[0] ?? null,
    // The first one names the conversation, the last ones name the answered mail.
    references:
      references.length > REFERENCES_MAX ? [references[0]!, ...references.slice(1 - REFERENCES_MAX)] : references,
    from: mailboxes(email.from ? [email.from] : [])[0] ?? null,
    to: mailboxes(email.to),
    cc: mailboxes(email.cc),
    bcc: mailboxes(email.bcc),
    replyTo: mailboxes(email.replyTo),
    subject: line(email.subject ?? '', SUBJECT_LENGTH_MAX),
    text: email.text?.slice(0, BODY_LENGTH_MAX) ?? null,
    html: email.html?.slice(0, BODY_LENGTH_MAX) ?? null,
  };
}

function filesOf(attachments: Attachment[]): ParsedFile[] {
  return attachments.map((one, index) => ({
    fileName: fileNameOf(one, index),
    contentType: /^[\w.+-]+\/[\w.+-]+$/.test(one.mimeType) ? one.mimeType : 'application/octet-stream',
    contentId: one.contentId ? line(one.contentId.replace(/^<|>$/g, ''), FILE_NAME_MAX) : null,
    bytes: bytesOf(one),
  }));
}

function bytesOf({ content }: Attachment): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content as ArrayBuffer);
}

/** The last part of a path, without characters that are special in a file system or a header. */
function fileNameOf({ filename, mimeType }: Attachment, index: number): string {
  const base = (filename ?? '').split(/[\\/]/).at(-1) ?? '';
  const clean = line(base, FILE_NAME_MAX)
    .replace(/["<>|:*?]/g, '_')
    .replace(/^\.+/, '');
  return clean === '' ? nameByType(mimeType, index + 1) : clean;
}

/** Programs open a file by the end of its name. */
function nameByType(mimeType: string, number: number): string {
  const named = NAMES[mimeType];
  if (named) return named;
  const kind = mimeType.startsWith('image/') ? 'image' : mimeType.startsWith('message/') ? 'message' : 'attachment';
  const extension = EXTENSIONS[mimeType];
  return `${kind}-${number}${extension ? `.${extension}` : ''}`;
}

function mailboxes(addresses: readonly Address[] = []): Mailbox[] {
  return addresses
    .flatMap((one) => one.group ?? [one])
    .flatMap(({ address, name }) =>
      address ? [{ email: line(address, 320).toLowerCase(), name: line(name, 256) || null }] : [],
    )
    .slice(0, ADDRESSES_MAX);
}

function idsIn(text: string | undefined): string[] {
  const inBrackets = [...(text ?? '').slice(0, 100_000).matchAll(/<([^<>\s]{1,998})>/g)].map(([, id]) => id as string);
  const bare = (text ?? '').trim();
  const ids = inBrackets.length > 0 || !/^[^\s<>@]+@[^\s<>]+$/.test(bare) ? inBrackets : [bare];
  return ids.map((id) => line(id, MESSAGE_ID_MAX));
}

/** Encoded words may decode to anything, so line breaks are removed from single lines. */
function line(text: string, lengthMax: number): string {
  return text
    .replace(/[\r\n\t]+/g, ' ')
    .replace(CONTROLS, '')
    .slice(0, lengthMax)
    .trim();
}

function hashOf(bytes: Buffer): string {
  const end = bytes.indexOf('\r\n\r\n');
  return createHash('sha256')
    .update(bytes.subarray(Math.max(0, end)))
    .digest('hex');
}
