import { base64Lines, quotedPrintable, shorterEncoding } from './encodings.ts';
import { decodeBytes, type Edit, type Part, SEALED } from './html-parts.ts';

/** The parts of a mail from elsewhere that a relay cannot carry. */
export interface Unsafe {
  /** Lines that a mail server folds, which breaks the signature. */
  longLines: boolean;
  /** Bytes above 127, where the relay has no 8BITMIME. */
  eightBit: boolean;
}

/** RFC 5321 4.5.3.1.6, without CRLF. */
export const LINE_LENGTH_MAX = 998;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII.
const EIGHT_BIT = /[^\u0000-\u007f]/;
const PLAIN = /^(|7bit)$/;

/**
 * A part with long lines or bytes above 127 in an encoding that every relay carries (RFC 6376 5.3: before the mail is signed). null: it needs
 * none, or must stay as it is: a signed or encrypted part, a mail within a mail, an encoding that is not known.
 */
export function wireSafePart(mail: string, { start, header, end }: Part, unsafe: Unsafe): Edit | null {
  const { type, typeField, others, encoding, bodyStart } = header;
  if (SEALED.has(type) || type.startsWith('message/')) return null;
  if (type.startsWith('multipart/')) {
    if (!unsafe.eightBit || PLAIN.test(encoding)) return null;
    return { start, end: bodyStart, text: `${others}${typeField}\r\n` };
  }
  const body = mail.slice(bodyStart, end);
  if (!(unsafe.eightBit && EIGHT_BIT.test(body)) && !(unsafe.longLines && new LineLengths().sees(`${body}\r\n`)))
    return null;
  const bytes = decodeBytes(body, encoding);
  if (!bytes) return null;
  const isText = type === '' || type.startsWith('text/');
  const chosen = isText ? shorterEncoding(bytes) : 'base64';
  const encoded = chosen === 'base64' ? base64Lines(bytes) : quotedPrintable(bytes, true);
  return { start, end, text: `${others}${typeField}Content-Transfer-Encoding: ${chosen}\r\n\r\n${encoded}` };
}

/** Whether a text that comes in pieces has a line that is too long. It has CRLF at the end of every line. */
export class LineLengths {
  /** Of the line that the last piece has not ended. */
  #open = 0;
  #isOver = false;

  /** Looks back from where a line has to end, so that most characters are not looked at. */
  sees(text: string): boolean {
    let from = -this.#open;
    while (!this.#isOver && text.length - from > LINE_LENGTH_MAX + 1) {
      const end = text.lastIndexOf('\n', from + LINE_LENGTH_MAX + 1);
      if (end < Math.max(0, from)) this.#isOver = true;
      from = end + 1;
    }
    const last = text.lastIndexOf('\n');
    this.#open = last === -1 ? this.#open + text.length : text.length - last - 1;
    return this.#isOver;
  }
}
