import { quotedPrintable } from './encodings.ts';

/** A change of a mail: the characters from `start` to `end` become `text`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

export interface Header {
  /** The fields but those of type and encoding. */
  others: string;
  /** The field of the type, with its line ends; '' where there is none. */
  typeField: string;
  type: string;
  parameters: readonly string[];
  encoding: string;
  isAttachment: boolean;
  bodyStart: number;
}

/** A part whose end is not found yet. */
interface OpenPart {
  start: number;
  header: Header;
}

export interface Part extends OpenPart {
  end: number;
}

const DEPTH_MAX = 20;
const PARTS_MAX = 200;
/** RFC 2046, 5.1.1: a mail with a longer boundary is read as one part. */
const BOUNDARY_LENGTH_MAX = 70;
const HTML_LENGTH_MAX = 2_000_000;
const HEADER_LENGTH_MAX = 262_144;
const FIELD_LENGTH_MAX = 2_000;
/** A signature of the parts would break. */
export const SEALED = new Set(['multipart/signed', 'multipart/encrypted']);

/**
 * The changes of the parts of a mail, one or none for each, in order. The mail has a byte in each character and CRLF at the end of every
 * line. It is read once from its beginning to its end, whatever its boundaries are.
 */
export function editParts(mail: string, editPart: (part: Part) => Edit | null): Edit[] {
  const edits: Edit[] = [];
  const open: string[] = [];
  let part = openPart(mail, 0, open);
  let parts = 1;
  for (let from = part?.header.bodyStart ?? 0; ; ) {
    const line = nextDelimiter(mail, from, open);
    const edit = part && editPart({ ...part, end: line ? line.start - 2 : mail.length });
    if (edit) edits.push(edit);
    if (!line || (!line.isLast && parts === PARTS_MAX)) return edits;
    open.length = line.isLast ? line.level : line.level + 1;
    part = line.isLast ? null : openPart(mail, line.end, open);
    if (!line.isLast) parts += 1;
    from = part?.header.bodyStart ?? line.end;
  }
}

/** Reads the header of the part that begins here. null: it has no body, since its header is too long or ends with the part. */
function openPart(mail: string, start: number, open: string[]): OpenPart | null {
  const header = readHeader(mail, start);
  if (!header || nextDelimiter(mail.slice(0, header.bodyStart), start, open)) return null;
  if (header.type.startsWith('multipart/') && !SEALED.has(header.type)) {
    const boundary = parameterOf(header.parameters, 'boundary')?.trimEnd() ?? '';
    const isUsable = boundary !== '' && boundary.length <= BOUNDARY_LENGTH_MAX && !open.includes(boundary);
    if (isUsable && open.length < DEPTH_MAX) open.push(boundary);
  }
  return { start, header };
}

interface Delimiter {
  start: number;
  /** Where the next line begins. */
  end: number;
  /** The place of its boundary among those that are open. */
  level: number;
  /** True for the line that ends the parts of its boundary. */
  isLast: boolean;
}

/** The first line from here that delimits parts of an open boundary. The outermost one wins: a part cannot hold a line that ends it. */
function nextDelimiter(mail: string, from: number, open: readonly string[]): Delimiter | null {
  if (open.length === 0) return null;
  // A line may begin right where the search does.
  for (let at = mail.indexOf('\r\n--', Math.max(0, from - 2)); at !== -1; at = mail.indexOf('\r\n--', at + 2)) {
    const start = at + 2;
    const found = mail.indexOf('\r\n', start);
    const lineEnd = found === -1 ? mail.length : found;
    const text = delimiterText(mail, start, lineEnd);
    const opened = open.indexOf(text);
    const closed = text.endsWith('--') ? open.indexOf(text.slice(0, -2)) : -1;
    if (opened === -1 && closed === -1) continue;
    const isLast = opened === -1 || (closed !== -1 && closed < opened);
    return { start, end: Math.min(mail.length, lineEnd + 2), level: isLast ? closed : opened, isLast };
  }
  return null;
}

/** The text after the dashes, without the white space that mail servers may add; '' where it is too long to be a boundary. */
function delimiterText(mail: string, start: number, lineEnd: number): string {
  let end = lineEnd;
  while (end > start && (mail[end - 1] === ' ' || mail[end - 1] === '\t')) end -= 1;
  const length = end - start - 2;
  return length > BOUNDARY_LENGTH_MAX + 2 || length <= 0 ? '' : mail.slice(start + 2, end);
}

export function rewriteHtmlPart(
  mail: string,
  { start, header, end }: Part,
  rewrite: (html: string) => string,
): Edit | null {
  if (header.type !== 'text/html' || header.isAttachment) return null;
  const html = decode(mail.slice(header.bodyStart, end), header);
  if (!html) return null;
  const body = quotedPrintable(rewrite(html).replace(/\r\n|\r|\n/g, '\r\n'), true);
  const fields = 'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n';
  return { start, end, text: `${header.others}${fields}\r\n${body}` };
}

/** null: it does not end within its limit, or with the mail. */
function readHeader(mail: string, start: number): Header | null {
  const part = mail.slice(start, start + HEADER_LENGTH_MAX);
  // A part may begin with the empty line.
  const isEmpty = part.startsWith('\r\n');
  const at = isEmpty ? 0 : part.indexOf('\r\n\r\n');
  if (at === -1) return null;
  const text = isEmpty ? '' : part.slice(0, at + 2);
  const fields = text === '' ? [] : text.split(/(?<=\r\n)(?![ \t])/);
  const valueIn = (name: string) => {
    const field = fields.find((one) => isField(one, name)) ?? '';
    return field
      .slice(name.length + 1, FIELD_LENGTH_MAX)
      .replace(/\r\n/g, '')
      .trim();
  };
  const [type = '', ...parameters] = valueIn('content-type').split(';');
  return {
    others: fields
      .filter((one) => !isField(one, 'content-type') && !isField(one, 'content-transfer-encoding'))
      .join(''),
    typeField: fields.find((one) => isField(one, 'content-type')) ?? '',
    type: type.trim().toLowerCase(),
    parameters,
    encoding: valueIn('content-transfer-encoding').toLowerCase(),
    isAttachment: /^attachment\b/i.test(valueIn('content-disposition')),
    bodyStart: isEmpty ? start + 2 : start + at + 4,
  };
}

function isField(field: string, name: string): boolean {
  return field.length > name.length && field[name.length] === ':' && field.slice(0, name.length).toLowerCase() === name;
}

function parameterOf(parameters: readonly string[], wanted: string): string | null {
  for (const parameter of parameters) {
    const [name = '', ...value] = parameter.split('=');
    if (name.trim().toLowerCase() === wanted) return value.join('=').trim().replace(/^"|"$/g, '') || null;
  }
  return null;
}

/** null: in an encoding or a character set that is not known, or too long. */
function decode(body: string, { encoding, parameters }: Header): string | null {
  if (body.length > HTML_LENGTH_MAX) return null;
  const bytes = decodeBytes(body, encoding);
  if (bytes === null) return null;
  try {
    return new TextDecoder(parameterOf(parameters, 'charset') ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** null: in an encoding that is not known. */
export function decodeBytes(body: string, encoding: string): Buffer | null {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding === 'quoted-printable') {
    const text = body
      .replace(/=[ \t]*\r\n/g, '')
      .replace(/=([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(text, 'latin1');
  }
  return /^(|7bit|8bit|binary)$/.test(encoding) ? Buffer.from(body, 'latin1') : null;
}
