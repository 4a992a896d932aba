import { invalid } from '../errors.ts';

const JSON_DEPTH_MAX = 32;
/** Objects, arrays and fields. They take the longest to parse, and to hand from one thread to another: 100,000 fields of different names take 100 ms. */
export const JSON_PARTS_MAX = 40_000;
export const JSON_VALUES_MAX = 600_000;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const COLON = 58;
const BRACE = 123;
const BRACKET = 91;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses bytes of strangers, named in the refusal. Throws AppError with the reason; large ones are parsed in api/http/body/json-worker.ts. */
export function parseJson(bytes: Uint8Array, named: 'body' | 'answer' = 'body'): unknown {
  const excess = excessOf(bytes);
  if (excess) throw invalid(`The ${named} is not accepted: ${excess}.`, excess);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalid(`The ${named} is not valid UTF-8.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(`The ${named} is not valid JSON.`);
  }
  const fault = hostileFault(value);
  if (fault) throw invalid(`The ${named} is not accepted: ${fault}.`, fault);
  return value;
}

/** Counted before the body is parsed; characters inside texts do not count. */
function excessOf(bytes: Uint8Array): string | null {
  // Each of them takes a byte at least, so most bodies need not be counted.
  if (bytes.length <= JSON_PARTS_MAX) return null;
  let parts = 0;
  let values = 1;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === QUOTE) index = textEnd(bytes, index);
    else if (byte === COLON || byte === BRACE || byte === BRACKET) parts++;
    else if (byte === COMMA) values++;
  }
  if (parts > JSON_PARTS_MAX) return `it has more than ${JSON_PARTS_MAX} objects, arrays and fields together`;
  return values > JSON_VALUES_MAX ? `it has more than ${JSON_VALUES_MAX} values` : null;
}

/** The quote that ends a text. */
function textEnd(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return bytes.length;
}

/** Recursion is safe: it ends at the deepest level that is accepted. */
function hostileFault(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return textFault(value);
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'a number is out of range';
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= JSON_DEPTH_MAX) return `it is nested deeper than ${JSON_DEPTH_MAX} levels`;
  if (Array.isArray(value)) {
    for (const entry of value) {
      const fault = hostileFault(entry, depth + 1);
      if (fault) return fault;
    }
    return null;
  }
  for (const key in value) {
    const entry = (value as Record<string, unknown>)[key];
    const fault = keyFault(key, entry) ?? textFault(key) ?? hostileFault(entry, depth + 1);
    if (fault) return fault;
  }
  return null;
}

function keyFault(key: string, value: unknown): string | null {
  if (key === '__proto__') return 'a field is named __proto__';
  if (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
    return 'a field is named constructor.prototype';
  return null;
}

function textFault(text: string): string | null {
  if (text.includes('\u0000')) return 'a text holds a NUL character';
  if (!text.isWellFormed()) return 'a text holds half a surrogate pair';
  return null;
}
