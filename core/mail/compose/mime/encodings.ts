export type Encoding = '7bit' | 'quoted-printable' | 'base64';

const LINE_LENGTH_MAX = 76;
/** The bytes of a file in one line of base64. */
const LINE_BYTES = 57;
const BLOCK_LINES = 1_024;
/** With a larger share of bytes that need escapes base64 is shorter. */
const ESCAPES_SHARE_MAX = 0.17;
/** RFC 5322 allows 998; relays that add to a line must not exceed it either. */
const PLAIN_LINE_LENGTH_MAX = 900;
/** Values that need no encoding at the start of a line with a soft line break behind it. */
const PLAIN_HOLE = /^(?!From )[\t !-\-/-<>-~][\t -<>-~]{0,70}$/;
const LONG_WORD = /^[!-<>-~]{72,}$/;
const CR = 13;
const LF = 10;
const EQUALS = 61;
const TAB = 9;
const SPACE = 32;
const DOT = 46;
const HEX = '0123456789ABCDEF';
/** Bytes that are written as they are, but for the beginning of a line. */
const WRITTEN_AS_IS = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte > SPACE && byte < 127 && byte !== EQUALS),
);

/** CRLF, whatever the line ends were. */
export function normalizeLines(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  const bytes = Buffer.from(text, 'utf8');
  // Written byte by byte: a replacement by a pattern takes several times as long where most of a text is line ends.
  const out = Buffer.allocUnsafe(bytes.length * 2);
  let length = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    if (byte === CR || byte === LF) {
      out[length++] = CR;
      out[length++] = LF;
      if (byte === CR && bytes[index + 1] === LF) index++;
    } else out[length++] = byte;
  }
  return out.toString('utf8', 0, length);
}

/** The shortest encoding that survives every relay. A text with holes cannot be plain: the values are not known yet. */
export function chooseEncoding(text: string, hasHoles: boolean, forbidden: string): Encoding {
  if (!hasHoles && isPlain(text) && !text.includes(forbidden)) return '7bit';
  return shorterEncoding(Buffer.from(text, 'utf8'));
}

export function shorterEncoding(bytes: Buffer): Exclude<Encoding, '7bit'> {
  let escapes = 0;
  for (let index = 0; index < bytes.length; index++) if (bytes[index]! > 126) escapes++;
  return escapes > bytes.length * ESCAPES_SHARE_MAX ? 'base64' : 'quoted-printable';
}

/**
 * RFC 2045 6.7 for one run of text that starts at the beginning of a line. A line never starts with a dot or "From ", which
 * relays and mailboxes alter. `last`: nothing follows, so that white space at the end has to be escaped too.
 */
export function quotedPrintable(text: string | Buffer, last: boolean): string {
  let column = 0;
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  // Written byte by byte into one buffer: a string that grows by a character takes several times as long.
  const out = Buffer.allocUnsafe(quotedPrintableLengthMax(bytes.length));
  let length = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    // Nearly all bytes.
    if (WRITTEN_AS_IS[byte] === 1 && column > 0 && column + 1 < LINE_LENGTH_MAX) {
      out[length++] = byte;
      column++;
      continue;
    }
    if (byte === 13 && bytes[index + 1] === 10) {
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      index++;
      continue;
    }
    const escaped = mustEscape(byte, bytes, index, column, last);
    const width = escaped ? 3 : 1;
    if (column + width >= LINE_LENGTH_MAX) {
      out[length++] = EQUALS;
      out[length++] = CR;
      out[length++] = LF;
      column = 0;
      index--;
      continue;
    }
    if (escaped) {
      out[length++] = EQUALS;
      out[length++] = HEX.charCodeAt(byte >> 4);
      out[length++] = HEX.charCodeAt(byte & 15);
    } else out[length++] = byte;
    column += width;
  }
  return out.toString('latin1', 0, length);
}

/** Three characters a byte, and a soft line break of three in each line. */
function quotedPrintableLengthMax(bytes: number): number {
  return bytes * 3 + Math.ceil((bytes * 3) / (LINE_LENGTH_MAX - 3) + 1) * 3;
}

/** The value of a hole between two soft line breaks. Most are short and plain, or long links. */
export function quotedPrintableHole(value: string): string {
  if (PLAIN_HOLE.test(value)) return value;
  return LONG_WORD.test(value) ? cutWord(value) : quotedPrintable(normalizeLines(value), false);
}

/** Lines of 76 characters, each with its CRLF but the last. Bytes are copied, since a string for each line of a large file is slow. */
export function base64Lines(bytes: Buffer): string {
  const length = Math.ceil(bytes.length / 3) * 4;
  const lines = Math.ceil(length / LINE_LENGTH_MAX);
  if (lines <= 1) return bytes.toString('base64');
  const out = Buffer.alloc(length + (lines - 1) * 2, '\r\n');
  for (let line = 0; line < lines; line += BLOCK_LINES) {
    // Encoded in blocks, so that there is no second copy of a large file.
    const block = bytes.subarray(line * LINE_BYTES, (line + BLOCK_LINES) * LINE_BYTES);
    const text = Buffer.from(block.toString('base64'), 'latin1');
    for (let at = 0; at < text.length; at += LINE_LENGTH_MAX)
      text.copy(out, (line + at / LINE_LENGTH_MAX) * (LINE_LENGTH_MAX + 2), at, at + LINE_LENGTH_MAX);
  }
  return out.toString('latin1');
}

function cutWord(word: string): string {
  let out = '';
  for (let from = 0; from < word.length; ) {
    let to = Math.min(word.length, from + LINE_LENGTH_MAX - 1);
    while (word.charCodeAt(to) === 46 && to > from + 1) to--;
    if (word.charCodeAt(from) === 46) return quotedPrintable(word, false);
    out += from === 0 ? word.slice(from, to) : `=\r\n${word.slice(from, to)}`;
    from = to;
  }
  return out;
}

/** One pass over a text whose line ends are CRLF: a search for each line takes too long where lines are short. */
function isPlain(text: string): boolean {
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === CR) {
      if (index - start > PLAIN_LINE_LENGTH_MAX || isSpace(text.charCodeAt(index - 1))) return false;
      start = index + 2;
      index++;
    } else if (code > 126 || (code < 32 && code !== TAB) || index - start > PLAIN_LINE_LENGTH_MAX) return false;
    else if (index === start && (code === DOT || text.startsWith('From ', index))) return false;
  }
  return text.length - start <= PLAIN_LINE_LENGTH_MAX && !isSpace(text.charCodeAt(text.length - 1));
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}

function mustEscape(byte: number, bytes: Buffer, index: number, column: number, last: boolean): boolean {
  if (byte === 61 || byte > 126) return true;
  if (byte === 32 || byte === 9) return index + 1 === bytes.length ? last : bytes[index + 1] === 13;
  if (byte < 32) return true;
  if (column > 0) return false;
  return byte === 46 || (byte === 70 && bytes.toString('latin1', index, index + 5) === 'From ');
}
