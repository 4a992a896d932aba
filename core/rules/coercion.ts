import { isDateMs, parseIsoDate } from './dates.ts';

export const FIELD_TYPES = ['string', 'number', 'boolean', 'date'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export type Coerced = { ok: true; value: string | number | boolean } | { ok: false };

const INVALID: Coerced = { ok: false };
const DECIMAL = /^ *[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)? *$/;

/** The value as the declared type stores it: dates are ISO strings. Null is not a value; the caller leaves it out before. */
export function coerce(type: FieldType, value: unknown): Coerced {
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

function coerceString(value: unknown): Coerced {
  if (typeof value === 'string') return { ok: true, value };
  if (typeof value === 'boolean' || Number.isFinite(value)) return { ok: true, value: String(value) };
  return INVALID;
}

function coerceNumber(value: unknown): Coerced {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  // Adding 0 turns -0 into 0, which JSON cannot tell apart.
  return typeof number === 'number' && Number.isFinite(number) ? { ok: true, value: number + 0 } : INVALID;
}

function coerceBoolean(value: unknown): Coerced {
  if (value === true || value === 1 || value === 'true' || value === '1') return { ok: true, value: true };
  if (value === false || value === 0 || value === 'false' || value === '0') return { ok: true, value: false };
  return INVALID;
}

function coerceDate(value: unknown): Coerced {
  const ms = value instanceof Date ? value.getTime() : typeof value === 'string' ? parseIsoDate(value) : value;
  return typeof ms === 'number' && isDateMs(ms) ? { ok: true, value: new Date(ms).toISOString() } : INVALID;
}
