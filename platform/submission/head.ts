import { addressParser, decodeWords } from 'postal-mime';
import type { Mailbox } from '../../core/base/model.ts';
import { emailDomain, normalizeEmail } from '../../core/base/text/addresses.ts';
import { isOursAlone, isRelayControl } from '../../core/mail/compose/headers.ts';
import { SEALED } from '../../core/mail/compose/mime/html-parts.ts';
import { LINE_LENGTH_MAX, LineLengths } from '../../core/mail/compose/mime/wire-safe.ts';
import { reply } from '../inbound/reply.ts';
import { type Arrival, receivedLine, refuseOwnMail } from './loops.ts';
import { KEY_HEADER, type MailOptions, OPTION_PREFIX, readOptions } from './options.ts';

/** The header of a mail that arrives, as far as it decides about the mail. */
export interface Head extends MailOptions {
  from: Mailbox;
  subject: string;
  /** By address; who is in neither To nor Cc had the mail in Bcc. */
  named: ReadonlyMap<string, { kind: 'to' | 'cc'; name: string | null }>;
  /** Without < and >; null: the mail had none, and got ours. */
  messageId: string | null;
  /** The same in each try of the mail. */
  identity: string;
  /** Signed or encrypted as a whole: its body must not be changed. */
  isSealed: boolean;
  /** The header as it leaves, with the empty line. A byte in each character. */
  text: string;
}

interface Field {
  /** In small letters. */
  name: string;
  /** With its line ends. */
  raw: string;
  /** In one line. */
  value: string;
}

const FIELDS_MAX = 1_000;
const SUBJECT_LENGTH_MAX = 998;
const NAME_LENGTH_MAX = 256;
const FROM_LENGTH_MAX = 2_000;
/** Of To and Cc, which are read for names alone. */
const NAMED_LENGTH_MAX = 65_536;
const FIELD = /^([!-9;-~]+)[ \t]*:/;
const MESSAGE_ID = /<([^<>\s]{1,990})>/;

/** Marketing mail gets ours. */
const OF_MARKETING = new Set(['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'precedence']);
/** Compared between tries; a date, a trace or a remark may change. */
const COMPARED = ['from', 'to', 'cc', 'reply-to', 'subject', 'content-type', 'content-transfer-encoding'];

/** Reads the header of a mail, up to the empty line, with a byte in each character. Throws the reply to a mail that cannot be taken. */
export function readHead(text: string, own: Arrival): Head {
  const fields = fieldsOf(text);
  refuseOwnMail(fields, own);
  const from = readFrom(fields);
  const options = readOptions(fields, own.at);
  const isMarketing = options.groupId !== null;
  const kept = fields.filter(({ name }) => !isRemoved(name) && !(isMarketing && OF_MARKETING.has(name)));
  const given = fields.find(({ name }) => name === 'message-id');
  const subject = fields.find(({ name }) => name === 'subject');
  const messageId = MESSAGE_ID.exec(given?.value ?? '')?.[1] ?? null;
  const added = [
    receivedLine(own),
    ...(given ? [] : [`Message-ID: <${own.emailId}@${emailDomain(from.email)}>\r\n`]),
    ...(kept.some(({ name }) => name === 'date') ? [] : [`Date: ${own.at.toUTCString().replace('GMT', '+0000')}\r\n`]),
  ];
  return {
    ...options,
    from,
    subject: lineOf(decodeWords(utf8(subject?.value ?? '')), SUBJECT_LENGTH_MAX),
    named: namedIn(fields),
    messageId,
    identity: identityOf(fields),
    isSealed: SEALED.has(typeOf(fields)),
    text: `${[...added, ...kept.map(foldLong)].join('')}\r\n`,
  };
}

function fieldsOf(text: string): Field[] {
  const raws = text === '' ? [] : text.split(/(?<=\r\n)(?![ \t])/);
  if (raws.length > FIELDS_MAX) throw reply(554, `5.6.0 A mail has ${FIELDS_MAX} header fields at most`);
  return raws.map((raw) => {
    const [start, name] = FIELD.exec(raw) ?? [];
    if (start === undefined || name === undefined)
      throw reply(554, '5.6.0 The mail has to begin with header fields and an empty line');
    return { name: name.toLowerCase(), raw, value: raw.slice(start.length).replace(/\r\n/g, '').trim() };
  });
}

/** Read strictly: mail programs must not show another address than the one whose domain was checked. */
function readFrom(fields: Field[]): Mailbox {
  const [field, ...others] = fields.filter(({ name }) => name === 'from');
  if (!field || others.length > 0 || !hasOneAddress(field.value)) throw notOneSender();
  const [mailbox, ...more] = addressParser(utf8(field.value));
  const email = mailbox?.address === undefined ? null : normalizeEmail(mailbox.address);
  if (email === null || more.length > 0) throw notOneSender();
  return { email, name: nameOf(mailbox?.name) };
}

function notOneSender() {
  return reply(550, '5.7.1 A mail needs one From header with one address, on a verified domain of the project');
}

/**
 * Outside of quotes there is one @, and nothing that begins another address or a group. A comment has no quote, since mail programs differ
 * on whether that one quotes.
 */
function hasOneAddress(value: string): boolean {
  if (value.length > FROM_LENGTH_MAX) return false;
  let bare = '';
  let isQuoted = false;
  let comments = 0;
  for (let at = 0; at < value.length && comments >= 0; at += 1) {
    const char = value[at];
    if (char === '"') {
      if (comments > 0) return false;
      isQuoted = !isQuoted;
    } else if (isQuoted) at += char === '\\' ? 1 : 0;
    else {
      bare += char;
      comments += char === '(' ? 1 : char === ')' ? -1 : 0;
    }
  }
  return !isQuoted && comments === 0 && bare.split('@').length === 2 && !/[,;:\\]/.test(bare);
}

function typeOf(fields: Field[]): string {
  const type = fields.find(({ name }) => name === 'content-type');
  return (type?.value.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** A server behind us would fold a long line anywhere, which breaks the signature; before white space it does not. */
function foldLong({ name, raw }: Field): string {
  if (!new LineLengths().sees(raw)) return raw;
  return raw
    .split('\r\n')
    .flatMap((line) => foldLine(line, name))
    .join('\r\n');
}

function foldLine(line: string, name: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > LINE_LENGTH_MAX) {
    const at = Math.max(rest.lastIndexOf(' ', LINE_LENGTH_MAX), rest.lastIndexOf('\t', LINE_LENGTH_MAX));
    const start = rest.slice(0, Math.max(0, at));
    if (start.trim() === '')
      throw reply(
        554,
        `5.6.0 ${name.slice(0, 64)} has a line above ${LINE_LENGTH_MAX} characters that cannot be folded`,
      );
    lines.push(start);
    rest = rest.slice(at);
  }
  return [...lines, rest];
}

function isRemoved(name: string): boolean {
  return isOursAlone(name) || name === KEY_HEADER || name.startsWith(OPTION_PREFIX) || isRelayControl(name);
}

function namedIn(fields: Field[]): Head['named'] {
  const named = new Map<string, { kind: 'to' | 'cc'; name: string | null }>();
  for (const kind of ['to', 'cc'] as const)
    for (const { value } of fields.filter(({ name }) => name === kind))
      for (const one of addressParser(utf8(value.slice(0, NAMED_LENGTH_MAX)), { flatten: true })) {
        const email = normalizeEmail(one.address ?? '');
        if (email !== null && !named.has(email)) named.set(email, { kind, name: nameOf(one.name) });
      }
  return named;
}

function identityOf(fields: Field[]): string {
  const isCompared = ({ name }: Field) => COMPARED.includes(name) || name.startsWith(OPTION_PREFIX);
  const compared = fields.filter(isCompared).map(({ name, value }) => `${name}:${value.replace(/[ \t]+/g, ' ')}`);
  return compared.toSorted().join('\n');
}

function nameOf(text: string | undefined): string | null {
  return lineOf(text ?? '', NAME_LENGTH_MAX) || null;
}

function lineOf(text: string, lengthMax: number): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return line.trim().slice(0, lengthMax).toWellFormed();
}

/** Headers may have UTF-8 without any encoding. */
function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
