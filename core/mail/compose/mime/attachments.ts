import type { Entity } from './entities.ts';
import { parameter, textHeader } from './headers.ts';

export interface MimeAttachment {
  fileName: string;
  contentType: string | null;
  contentId: string | null;
  description: string | null;
  bytes: Uint8Array;
  /** The bytes in base64, where many mails share them. */
  lines?: string;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const CONTENT_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\\\p{Cc}\\u0080-\\u{10ffff}]*"))*$`,
  'u',
);
const CONTENT_TYPE_LENGTH_MAX = 200;
/** RFC 2046 forbids base64 for these, so they are attached as plain files. */
const COMPOSITE = /^(multipart|message)\//i;

const TYPES: Record<string, string> = {
  pdf: 'application/pdf',
  zip: 'application/zip',
  json: 'application/json',
  csv: 'text/csv',
  txt: 'text/plain',
  html: 'text/html',
  ics: 'text/calendar',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export function attachmentEntity(attachment: MimeAttachment, disposition: 'attachment' | 'inline'): Entity {
  const { fileName, contentId, description, bytes, lines } = attachment;
  const head = [
    `Content-Type: ${contentType(attachment)}${parameter('name', fileName)}\r\n`,
    'Content-Transfer-Encoding: base64\r\n',
    `Content-Disposition: ${disposition}${parameter('filename', fileName)}\r\n`,
    contentId ? `Content-ID: <${contentIdOf(contentId)}>\r\n` : '',
    description ? textHeader('Content-Description', description) : '',
  ];
  return { head: head.join(''), body: [lines ?? bytes] };
}

/** The caller's type when it is valid, else the type of the file's ending. A name parameter of its own would be a second one. */
function contentType({ contentType: given, fileName }: MimeAttachment): string {
  const text = (given ?? '').replace(/;\s*name="?[^";]*"?/i, '').trim();
  const usable = text.length <= CONTENT_TYPE_LENGTH_MAX && CONTENT_TYPE.test(text) && !COMPOSITE.test(text);
  return usable
    ? text
    : (TYPES[/\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream');
}

/** As the HTML names it after "cid:". */
function contentIdOf(text: string): string {
  const id = text.trim().replace(/^<(.*)>$/, '$1');
  return /^[!-;=?-~]+$/.test(id) ? id : encodeURIComponent(id);
}
