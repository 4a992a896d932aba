import { PROPERTY_TEXT_MAX } from '../../../schemas/people/contacts.ts';
import type { PropertyType, PropertyValue } from '../model.ts';
import { isDateMs, parseIsoDate } from './dates.ts';

export const PROPERTY_TYPES: readonly PropertyType[] = ['string', 'number', 'boolean', 'date'];

type Coerced = { ok: true; value: PropertyValue } | { ok: false };

const INVALID: Coerced = { ok: false };
const NORMAL_MIN = 2.2250738585072014e-308;
export const DECIMAL = /^ *[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)? *$/;

/** The value as the declared type stores it: dates are ISO strings. Null is not a value; the caller leaves it out before. */
export function coerce(type: PropertyType, value: unknown): Coerced {
  switch (type) {
    case 'string':
      return coerceString(value);
    case 'number':
      return coerceNumber(value);
    case 'boolean':
      return coerceBoolean(value);
    case 'date':
      return coerceDate(value);
  }
}

/** The instant as milliseconds, or null when the value is no date. */
export function readDate(value: unknown): number | null {
  if (typeof value === 'string') return parseIsoDate(value);
  const ms = value instanceof Date ? value.getTime() : value;
  return typeof ms === 'number' && isDateMs(ms) ? ms : null;
}

function coerceString(value: unknown): Coerced {
  if (typeof value === 'string') return { ok: true, value };
  if (typeof value === 'boolean' || Number.isFinite(value)) return { ok: true, value: String(value) };
  return INVALID;
}

function coerceNumber(value: unknown): Coerced {
  const number = typeof value === 'string' ? readDecimal(value) : value;
  // Adding 0 turns -0 into 0, since JSON does not distinguish them.
  return typeof number === 'number' && Number.isFinite(number) ? { ok: true, value: number + 0 } : INVALID;
}

function readDecimal(text: string): number {
  const number = text.length <= PROPERTY_TEXT_MAX && DECIMAL.test(text) ? Number(text) : Number.NaN;
  // A number too small to be stored as written is as invalid as one too large.
  const isLost = Math.abs(number) < NORMAL_MIN && /^[^eE]*[1-9]/.test(text);
  return isLost ? Number.NaN : number;
}

function coerceBoolean(value: unknown): Coerced {
  if (value === true || value === 1 || value === 'true' || value === '1') return { ok: true, value: true };
  if (value === false || value === 0 || value === 'false' || value === '0') return { ok: true, value: false };
  return INVALID;
}

function coerceDate(value: unknown): Coerced {
  const ms = readDate(value);
  return ms === null ? INVALID : { ok: true, value: new Date(ms).toISOString() };
}
