import type { JsonSchema } from '../../schemas/schema.ts';
import { type Needle, numbersOf, type Shape, textOf } from './shapes.ts';

/** The values of fields by name, `name[]` for entries of arrays, with which a body is accepted as far as it can be. */
export type Known = Record<string, (making: Making, at: number, schema: JsonSchema) => unknown>;
/** A field with this value is left out. */
export const OMIT = Symbol('omit');

export interface Making {
  shape: Shape;
  /** Of the values of filters. */
  needle: Needle;
  known: Known;
  /** Of the word that every text begins with. */
  serial: string;
  random(): number;
  /** Fields that nothing is known of are left out this often, where they may be. */
  omitted: number;
  /** Paths, with * for numbers, that are always given, that were refused before, and that have a plain text. */
  given: ReadonlySet<string>;
  refused: ReadonlySet<string>;
  plain: ReadonlySet<string>;
  textMax: number;
  itemsMax: number;
}

export interface Wanted extends Omit<Making, 'random' | 'textMax' | 'itemsMax'> {
  bytesMax: number;
  /** Of everything: 1 is all that there may be, 0.5 half of it. */
  part: number;
  seed: number;
}

const FREE_LEVELS = 8;
const FREE_BYTES = 120_000;
export const FREE_FIELDS = 50;
const TEXT_MAX = 2 ** 26;
const ITEMS_MAX = 10_000;

/** A body of the schema in which every array and every text is as long as it may be, or as the whole body lets it. */
export function bodyOf(schema: JsonSchema, { bytesMax, part, seed, ...wanted }: Wanted): Buffer {
  const make = (textMax: number, itemsMax: number) =>
    Buffer.from(JSON.stringify(fill(schema, '', { ...wanted, textMax, itemsMax, random: numbersOf(seed) }, 0)));
  let items = ITEMS_MAX;
  while (items > 1 && make(8, items).length > bytesMax) items = Math.floor(items / 2);
  const itemsMax = Math.ceil(items * part);
  const size = bytesMax * part;
  let text = 8;
  let body = make(text, itemsMax);
  for (let step = 0; step < 12 && body.length < 0.8 * size && text < TEXT_MAX; step += 1) {
    const more = Math.min(TEXT_MAX, Math.ceil(text * Math.min(16, (0.95 * size) / body.length)) + 1);
    const larger = make(more, itemsMax);
    if (larger.length > size) break;
    [text, body] = [more, larger];
  }
  return body;
}

export function fill(schema: JsonSchema, path: string, making: Making, at: number): unknown {
  const { known, random } = making;
  if (making.plain.has(path)) return making.serial;
  const name = path.replace(/\/\*$/, '[]').replace(/^.*\//, '');
  const given = Object.hasOwn(known, name) ? known[name]!(making, at, schema) : undefined;
  if (given !== undefined) return given;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[Math.floor(random() * schema.enum.length)];
  const several = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined;
  if (several) return fill(several[Math.floor(random() * several.length)]!, path, making, at);
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'object':
      return filledObject(schema, path, making, at);
    case 'array':
      return filledArray(schema, path, making);
    case 'integer':
    case 'number':
      return schema.maximum ?? schema.minimum ?? 1_000;
    case 'boolean':
      return true;
    case 'string':
      return filledText(schema, making, at);
    default:
      return free(making, 0);
  }
}

function filledArray({ items = {}, maxItems = ITEMS_MAX, uniqueItems }: JsonSchema, path: string, making: Making) {
  const entry = items as JsonSchema;
  if (uniqueItems && entry.enum) return entry.enum;
  const inside = `${path}/*`;
  const length = making.refused.has(inside) ? 0 : Math.min(Number(maxItems), making.itemsMax);
  return Array.from({ length }, (_, index) => fill(entry, inside, making, index));
}

function filledObject(schema: JsonSchema, path: string, making: Making, at: number): unknown {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = (schema.required ?? []) as string[];
  const inside = (name: string) => (path ? `${path}/${name}` : name);
  if (properties.length > 0) {
    // Drawn for each of them, so that the same fields are there in bodies of other sizes.
    const drawn = properties.filter(
      ([name]) =>
        making.random() >= making.omitted ||
        [...required, ...Object.keys(making.known)].includes(name) ||
        making.given.has(inside(name)),
    );
    const needed = (name: string) => required.includes(name) || making.given.has(inside(name));
    const kept = drawn.filter(([name]) => needed(name) || !making.refused.has(inside(name)));
    const filled = kept.map(([name, inner]) => [name, fill(inner, inside(name), making, at)]);
    return Object.fromEntries(filled.filter(([, value]) => value !== OMIT));
  }
  const values = schema.additionalProperties as JsonSchema | undefined;
  if (typeof values !== 'object') return free(making, 0);
  const count = Math.min(Number(schema.maxProperties ?? FREE_FIELDS), making.itemsMax);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [fieldName(index), fill(values, `${path}/*`, making, index)]),
  );
}

/** An object without a schema: wide and deep. */
function free(making: Making, level: number): object {
  // An object of data has 256 kB at most, wherever one is.
  const most = FREE_BYTES / (FREE_FIELDS + FREE_LEVELS);
  const text = () => textOf(making.shape, Math.min(making.textMax, most), making.serial);
  const deeper = level < FREE_LEVELS ? { [fieldName(FREE_FIELDS)]: free(making, level + 1) } : {};
  const width = level === 0 ? Math.min(FREE_FIELDS, making.itemsMax) : 1;
  return { ...Object.fromEntries(Array.from({ length: width }, (_, index) => [fieldName(index), text()])), ...deeper };
}

export function fieldName(index: number): string {
  return `f${index}x`.padEnd(64, 'a');
}

function filledText(schema: JsonSchema, making: Making, at: number): string {
  const length = Math.min(Number(schema.maxLength ?? TEXT_MAX), making.textMax);
  const word = making.serial + at.toString(36);
  const ofFormat = FORMATS[String(schema.format)]?.(making, word, length);
  if (ofFormat !== undefined) return ofFormat;
  const text = textOf(making.shape, Math.max(length, Number(schema.minLength ?? 1)), word);
  if (typeof schema.pattern !== 'string') return text;
  const pattern = new RegExp(schema.pattern, 'u');
  const fitting = [
    text,
    `${word}_`.padEnd(64, 'a'),
    `${word}:${word}`,
    '0123456789abcdef01234567',
    '#1d4fd8',
    '/',
    'en',
  ];
  return fitting.find((one) => pattern.test(one)) ?? text;
}

/** Texts of a form are as long as that form may be. */
const FORMATS: Record<string, (making: Making, word: string, length: number) => string | undefined> = {
  email: (_, word) => addressOf(word),
  'email-or-empty': (_, word) => addressOf(word),
  'date-time': () => new Date(Date.now() - 1_000).toISOString(),
  timezone: () => 'Europe/Berlin',
  mobile: () => '+12025550123',
  uuid: () => crypto.randomUUID(),
  uri: ({ shape }, word, length) => `https://example.com/${encodeURIComponent(textOf(shape, length / 4, word))}`,
  line: ({ shape }, word, length) => textOf(shape, length, word).replace(/\p{Cc}/gu, ' '),
};

export function addressOf(word: string): string {
  return `${`${word}-`.padEnd(60, 'a')}@${`${'a'.repeat(60)}.`.repeat(2)}example.com`;
}
