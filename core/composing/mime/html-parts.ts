import { quotedPrintable } from './encodings.ts';

/** A change of a mail: the characters from `start` to `end` become `text`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

interface Header {
  /** The fields but those of type and encoding. */
  others: string;
  type: string;
  parameters: readonly string[];
  encoding: string;
  isAttachment: boolean;
  bodyStart: number;
}

const DEPTH_MAX = 20;
const PARTS_MAX = 200;
const HTML_LENGTH_MAX = 2_000_000;
const HEADER_LENGTH_MAX = 262_144;
const FIELD_LENGTH_MAX = 2_000;
/** A signature of the parts would break. */
const SEALED = new Set(['multipart/signed', 'multipart/encrypted']);

/**
 * The HTML parts of a mail that came from elsewhere, rewritten; each is quoted-printable UTF-8 then. Everything else stays as it is, and so
 * does a part in an encoding that is not known. The mail has a byte in each character and CRLF at the end of every line.
 */
export function rewriteHtmlParts(mail: string, rewrite: (html: string) => string): Edit[] {
  const edits: Edit[] = [];
  const open: Array<{ start: number; end: number; depth: number }> = [{ start: 0, end: mail.length, depth: 0 }];
  for (let parts = 0; open.length > 0 && parts < PARTS_MAX; parts += 1) {
    const { start, end, depth } = open.shift()!;
    const header = readHeader(mail, start, end);
    if (header.type.startsWith('multipart/')) {
      const boundary = parameterOf(header.parameters, 'boundary');
      if (boundary === null || depth >= DEPTH_MAX || SEALED.has(header.type)) continue;
      const inside = between(mail, boundary, header.bodyStart, end);
      open.push(...inside.map((part) => ({ ...part, depth: depth + 1 })));
    } else if (header.type === 'text/html' && !header.isAttachment) {
      const html = decode(mail.slice(header.bodyStart, end), header);
      if (!html) continue;
      const body = quotedPrintable(rewrite(html).replace(/\r\n|\r|\n/g, '\r\n'), true);
      const fields = 'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n';
      edits.push({ start, end, text: `${header.others}${fields}\r\n${body}` });
    }
  }
  return edits.toSorted((a, b) => a.start - b.start);
}

function readHeader(mail: string, start: number, end: number): Header {
  const part = mail.slice(start, end);
  // A part may begin with the empty line, and end with its header.
  const isEmpty = part.startsWith('\r\n');
  const at = isEmpty ? 0 : part.indexOf('\r\n\r\n');
  const text = isEmpty ? '' : part.slice(0, at === -1 ? part.length : at + 2);
  const fields = text === '' || text.length > HEADER_LENGTH_MAX ? [] : text.split(/(?<=\r\n)(?![ \t])/);
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
    type: type.trim().toLowerCase(),
    parameters,
    encoding: valueIn('content-transfer-encoding').toLowerCase(),
    isAttachment: /^attachment\b/i.test(valueIn('content-disposition')),
    bodyStart: isEmpty ? start + 2 : at === -1 ? end : start + at + 4,
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

/** The parts between the lines of a boundary; the text before the first and behind the last is not shown. */
function between(mail: string, boundary: string, from: number, end: number): Array<{ start: number; end: number }> {
  const line = `--${boundary}`;
  const parts: Array<{ start: number; end: number }> = [];
  let start: number | null = null;
  for (let at = mail.indexOf(line, from); at !== -1 && at < end; at = mail.indexOf(line, at + line.length)) {
    if (at !== from && !mail.startsWith('\r\n', at - 2)) continue;
    const lineEnd = mail.indexOf('\r\n', at + line.length);
    const rest = mail.slice(at + line.length, lineEnd === -1 ? end : lineEnd);
    if (!/^(--)?[ \t]*$/.test(rest)) continue;
    if (start !== null) parts.push({ start, end: Math.max(start, at - 2) });
    if (rest.startsWith('--') || parts.length === PARTS_MAX) return parts;
    start = at + line.length + rest.length + 2;
  }
  return parts;
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

function decodeBytes(body: string, encoding: string): Buffer | null {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding === 'quoted-printable') {
    const text = body
      .replace(/=[ \t]*\r\n/g, '')
      .replace(/=([0-9A-Fa-f]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return Buffer.from(text, 'latin1');
  }
  return /^(|7bit|8bit|binary)$/.test(encoding) ? Buffer.from(body, 'latin1') : null;
}
