/** The first line of a CSV file, and the file with other names in it. */

const HEAD_BYTES = 65_536;
const DELIMITERS = [',', ';', '\t', '|'];
/** A name that the interface reads as a column without meaning. */
export const LEFT_OUT = 'id';

export interface Header {
  names: readonly string[];
  delimiter: string;
  /** Of the first line with its end. */
  bytes: number;
}

/** null when it has no first line that can be read, as NDJSON has none. */
export async function readHeader(file: Blob): Promise<Header | null> {
  // Blob.text() drops a byte order mark, which belongs to the bytes of the line.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const end = endOfLine(text);
  if (end === null && file.size > HEAD_BYTES) return null;
  const line = text.slice(0, end ?? text.length);
  if (line.trimStart().startsWith('{') || line.trim() === '') return null;
  const delimiter = DELIMITERS.reduce((best, one) => (line.split(one).length > line.split(best).length ? one : best));
  const ended = line + (/^\r?\n/.exec(text.slice(line.length))?.[0] ?? '');
  return { names: cellsOf(line.replace(/^\ufeff/, ''), delimiter), delimiter, bytes: new Blob([ended]).size };
}

/** The end of the first line; line ends inside quotes belong to a name. */
function endOfLine(text: string): number | null {
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (!isQuoted && text[at] === '\n') return text[at - 1] === '\r' ? at - 1 : at;
  }
  return null;
}

function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string;
    if (character === '"' && isQuoted && line[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  return [...cells, cell.trim()];
}

/** The same file with other names in its first line; nothing else of it is read. */
export function withNames(file: File, { delimiter, bytes }: Header, names: readonly string[]): File {
  const line = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(delimiter);
  return new File([`${line}\n`, file.slice(bytes)], file.name, { type: 'text/csv' });
}

const FIELDS = ['email', 'firstName', 'lastName', 'userId', 'mobile'] as const;
/** Columns that say whether a person may be mailed, and the evidence of it. */
export const CONSENT_FIELDS = [
  ...(['status', 'groups', 'subscribedAt', 'unsubscribedAt', 'bouncedAt', 'complainedAt'] as const),
  ...(['consentText', 'consentAskedAt', 'consentConfirmedAt', 'consentAddress'] as const),
] as const;

/** The field that a name of other programs most likely means; the name itself when it may be one of a custom field. */
export function guess(name: string): string {
  const plain = plainName(name);
  const field = [...FIELDS, ...CONSENT_FIELDS].find((one) => one.toLowerCase() === plain);
  if (field) return field;
  if (/^(e?mailaddress|e?mail)$/.test(plain)) return 'email';
  if (/^(vorname|givenname|prenom|first)$/.test(plain)) return 'firstName';
  if (/^(nachname|surname|familyname|last)$/.test(plain)) return 'lastName';
  if (/^(phone|telephone|mobilenumber|phonenumber)$/.test(plain)) return 'mobile';
  if (/^(subscriptionstatus|subscriberstatus|emailmarketingconsent)$/.test(plain)) return 'status';
  if (/^(unsubtime|unsubscribedate)$/.test(plain)) return 'unsubscribedAt';
  if (plain === 'cleantime') return 'bouncedAt';
  if (plain === 'optintime') return 'consentAskedAt';
  if (plain === 'confirmtime') return 'consentConfirmedAt';
  if (plain === 'confirmip') return 'consentAddress';
  return propertyName(name) ?? LEFT_OUT;
}

/** The name that makes a column a custom field, also where the bare name is one of consent; null for other fields. */
export function asProperty(name: string): string | null {
  const own = propertyName(name);
  const meaning = guess(name);
  if (!own || FIELDS.some((one) => one === meaning)) return null;
  return CONSENT_FIELDS.some((one) => one === meaning) ? `contactProperties.${own}` : own;
}

/** Columns that the interface reads as a yes or no to being subscribed. */
export function isAnswer(name: string): boolean {
  return /^(is)?(un)?subscribed$|^(email)?opte?d?out$|^emailbl(ack|ock)listed$/.test(plainName(name));
}

function propertyName(name: string): string | null {
  const own = name
    .trim()
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, 64);
  return own === '' || own === '_' ? null : own;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
