import type { Mailbox } from '../../../base/model.ts';

const LINE_LENGTH_MAX = 76;
const LINE_LENGTH_LIMIT = 998;
const WORD_LENGTH_MAX = 75;
const WORD_FRAME = '=?utf-8?q??='.length;
const UNSAFE = /[\p{Cc}\u2028\u2029]+/gu;
const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/;
const PRINTABLE = /^[ -~]*$/;
const MESSAGE_ID = /<[!-;=?-~]{1,990}>/g;

/** "Name: text\r\n" for text that people read: encoded where it must be, folded where it is long, one header whatever it holds. */
export function textHeader(name: string, value: string): string {
  return `${name}: ${headerText(value, name.length + 2)}\r\n`;
}

export function mailboxHeader(name: string, mailboxes: readonly Mailbox[]): string {
  return `${name}: ${formatMailboxes(mailboxes, name.length + 2)}\r\n`;
}

/** `column` is the length of the line so far. */
export function formatMailboxes(mailboxes: readonly Mailbox[], column: number): string {
  let out = '';
  let used = column;
  for (const [index, mailbox] of mailboxes.entries()) {
    let text = formatMailbox(mailbox, index === 0 ? used : 1);
    if (index > 0) {
      const fits = used + text.length + 2 <= LINE_LENGTH_MAX && !text.includes('\r\n');
      text = fits ? `, ${text}` : `,\r\n ${text}`;
    }
    out += text;
    const lineEnd = out.lastIndexOf('\n');
    used = lineEnd === -1 ? column + out.length : out.length - lineEnd - 1;
  }
  return out;
}

/** Message-IDs, one a line: the first and as many of the last as fit; what is none is left out. */
export function idsHeader(name: string, ids: string): string {
  const [first, ...others] = new Set(ids.match(MESSAGE_ID));
  if (first === undefined) return '';
  const kept: string[] = [];
  let length = first.length;
  for (const id of others.reverse()) {
    length += id.length + 1;
    if (length > LINE_LENGTH_LIMIT) break;
    kept.unshift(id);
  }
  return `${name}: ${[first, ...kept].join('\r\n ')}\r\n`;
}

/** A machine's value of ASCII without line breaks: ids, tokens, our own links. */
export function plainHeader(name: string, value: string): string {
  if (!PRINTABLE.test(value)) throw new Error(`The value of ${name} must be printable ASCII.`);
  return `${name}: ${value}\r\n`;
}

/** name="value", or RFC 2231 in as many pieces as it takes. */
export function parameter(name: string, value: string): string {
  const text = clean(value);
  if (PRINTABLE.test(text) && !/["\\%]/.test(text) && name.length + text.length < 70) return `;\r\n ${name}="${text}"`;
  const encoded = encodeURIComponent(text).replace(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const pieces = encoded.match(/(?:%[0-9A-F]{2}|[^%]){1,20}/g) ?? [];
  if (pieces.length <= 1) return `;\r\n ${name}*=utf-8''${encoded}`;
  return pieces.map((piece, index) => `;\r\n ${name}*${index}*=${index === 0 ? "utf-8''" : ''}${piece}`).join('');
}

/** The text of a header from `column` on, with line breaks where it is folded. */
export function headerText(value: string, column: number): string {
  const text = clean(value).trim();
  if (column + text.length <= LINE_LENGTH_MAX && PRINTABLE.test(text) && !text.includes('=?')) return text;
  const foldable = PRINTABLE.test(text) && !text.includes('=?') && text.split(' ').every((word) => word.length < 900);
  return foldable ? fold(text, column) : encodedWords(text, column);
}

function formatMailbox({ name, email }: Mailbox, column: number): string {
  const text = clean(name ?? '').trim();
  if (text === '') return email;
  const phrase = formatPhrase(text, column);
  const lineEnd = phrase.lastIndexOf('\n');
  const used = lineEnd === -1 ? column + phrase.length : phrase.length - lineEnd - 1;
  return used + email.length + 3 <= LINE_LENGTH_MAX ? `${phrase} <${email}>` : `${phrase}\r\n <${email}>`;
}

function formatPhrase(text: string, column: number): string {
  const short = PRINTABLE.test(text) && text.length <= 60 && !text.includes('=?');
  if (!short) return encodedWords(text, column);
  return ATOMS.test(text) && !/ {2}/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Breaks before white space, never inside a word, so that no line is white space alone. */
function fold(text: string, column: number): string {
  let out = '';
  let used = column;
  for (const [part] of text.matchAll(/(?<! ) *[^ ]+/g)) {
    if (out !== '' && used + part.length > LINE_LENGTH_MAX) {
      out += '\r\n';
      used = 0;
    }
    out += part;
    used += part.length;
  }
  return out;
}

/** RFC 2047: words of 75 characters at most, cut between characters, a line each. */
function encodedWords(text: string, column: number): string {
  const base64 = Buffer.byteLength(text, 'utf8') > text.length * 1.4;
  const words: string[] = [];
  let room = Math.min(WORD_LENGTH_MAX, LINE_LENGTH_MAX - column) - WORD_FRAME;
  let word = '';
  let bytes = 0;
  for (const char of text.toWellFormed()) {
    const piece = base64 ? char : qWord(char);
    const size = base64 ? Buffer.byteLength(char, 'utf8') : piece.length;
    if (word !== '' && (base64 ? Math.ceil((bytes + size) / 3) * 4 : bytes + size) > room) {
      words.push(word);
      word = '';
      bytes = 0;
      room = WORD_LENGTH_MAX - WORD_FRAME;
    }
    word += piece;
    bytes += size;
  }
  words.push(word);
  return words
    .map((part) => (base64 ? `=?utf-8?b?${Buffer.from(part, 'utf8').toString('base64')}?=` : `=?utf-8?q?${part}?=`))
    .join('\r\n ');
}

/** The letters that RFC 2047 allows even in a name. */
function qWord(char: string): string {
  if (/^[A-Za-z0-9!*+/-]$/.test(char)) return char;
  if (char === ' ') return '_';
  return [...Buffer.from(char, 'utf8')].map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** Makes one line of any input: a line break in a header would begin a second header. */
function clean(text: string): string {
  return text.replace(UNSAFE, ' ');
}
