/** The first lines of a CSV file, and the file with other names in it. */

import { type FieldType, fieldNameOf, RESERVED } from '../contacts/field-names.ts';

const HEAD_BYTES = 65_536;
/** Of the rows, to see what their columns hold. */
const SAMPLE_BYTES = 1_048_576;
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
  return { names: rowsOf(line.replace(/^\ufeff/, ''), delimiter)[0] ?? [], delimiter, bytes: new Blob([ended]).size };
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

/** The values of each column in the first rows; empty cells are left out. */
export async function readSamples(file: Blob, { names, delimiter, bytes }: Header): Promise<string[][]> {
  const end = bytes + SAMPLE_BYTES;
  const rows = rowsOf(await file.slice(bytes, end).text(), delimiter);
  // The last one may be cut.
  if (end < file.size) rows.pop();
  return names.map((_, at) => rows.flatMap((cells) => cells[at] || []));
}

function rowsOf(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let begin = 0;
  let isQuoted = false;
  const endCell = (at: number) => {
    cells.push(cellOf(text.slice(begin, at)));
    begin = at + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === delimiter) endCell(at);
    else if (character === '\n') {
      endCell(at);
      rows.push(cells);
      cells = [];
    }
  }
  if (begin < text.length || cells.length > 0) {
    endCell(text.length);
    rows.push(cells);
  }
  return rows;
}

function cellOf(cell: string): string {
  const text = cell.trim();
  return text.includes('"') ? text.replace(/"("?)/g, '$1').trim() : text;
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
  if (/^e?mail(address|adresse)?$/.test(plain)) return 'email';
  if (/^(vorname|givenname|prenom|first)$/.test(plain)) return 'firstName';
  if (/^(nachname|familienname|surname|familyname|last)$/.test(plain)) return 'lastName';
  if (/^(phone|telephone|telefon|handy|mobil|mobilnummer|mobilenumber|phonenumber)$/.test(plain)) return 'mobile';
  if (/^(subscriptionstatus|subscriberstatus|emailmarketingconsent)$/.test(plain)) return 'status';
  if (/^(unsubtime|unsubscribedate)$/.test(plain)) return 'unsubscribedAt';
  if (plain === 'cleantime') return 'bouncedAt';
  if (plain === 'optintime') return 'consentAskedAt';
  if (plain === 'confirmtime') return 'consentConfirmedAt';
  if (plain === 'confirmip') return 'consentAddress';
  return fieldNameOf(name) ?? LEFT_OUT;
}

/** The name that makes a column a custom field, also where the bare name is one of consent; null for other fields. */
export function asProperty(name: string): string | null {
  const own = fieldNameOf(name);
  const meaning = guess(name);
  if (!own || FIELDS.some((one) => one === meaning)) return null;
  return CONSENT_FIELDS.some((one) => one === meaning) ? `contactProperties.${own}` : own;
}

/** Columns that the interface reads as a yes or no to being subscribed. */
export function isAnswer(name: string): boolean {
  return /^(is)?(un)?subscribed$|^(email)?opte?d?out$|^emailbl(ack|ock)listed$/.test(plainName(name));
}

const PROPERTY = /^contactProperties\./;
const OWN: ReadonlySet<string> = new Set([...RESERVED, ...CONSENT_FIELDS].map(plainName));

/** The custom field that a column of this name becomes; null when it becomes none. */
export function fieldOf(name: string): string | null {
  const own = name.replace(PROPERTY, '');
  if (own === name && (OWN.has(plainName(name)) || isAnswer(name))) return null;
  return RESERVED.includes(own) ? null : own;
}

/** As the interface reads texts. A number that would lose a digit, such as a postcode with a zero before it, is text. */
const READS: Record<FieldType, RegExp> = {
  boolean: /^(true|false)$/,
  number: /^[+-]?(0|[1-9]\d{0,14})(\.\d{1,9})?$/,
  date: /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}(:?\d{2})?)?)?$/,
  string: /^/,
};

/** The type of a column, by its values. */
export function typeOf(values: readonly string[]): FieldType {
  if (values.length === 0) return 'string';
  const types: readonly FieldType[] = ['boolean', 'number', 'date'];
  return types.find((type) => misfits(values, type).length === 0) ?? 'string';
}

export function misfits(values: readonly string[], type: FieldType): string[] {
  return values.filter((value) => !READS[type].test(value));
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}
