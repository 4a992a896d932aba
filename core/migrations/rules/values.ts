import type { PropertyType, PropertyValue } from '../../base/model.ts';
import { isE164 } from '../../base/text/addresses.ts';
import { coerce } from '../../base/text/coercion.ts';

const UNIX_SECONDS = /^\d{9,10}$/;
const AMERICAN_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const POSTGRES_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d+)?)([+-]\d{2})$/;
const FIELD_TEXT_MAX = 256;
const PROPERTY_TEXT_MAX = 4_096;

/** The value as a field of this type stores it; null when it is empty, undefined when it cannot be read. */
export function sourceValue(type: PropertyType, value: unknown): PropertyValue | null | undefined {
  if (value === null || value === undefined || value === '') return null;
  const coerced = coerce(type, type === 'date' ? readableDate(value) : value);
  if (!coerced.ok) return undefined;
  return typeof coerced.value === 'string' ? coerced.value.slice(0, PROPERTY_TEXT_MAX) : coerced.value;
}

/** Sources write dates as ISO, as month/day/year, as unix seconds and as PostgreSQL does. */
function readableDate(value: unknown): unknown {
  if (typeof value === 'number' && UNIX_SECONDS.test(String(value))) return value * 1000;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (UNIX_SECONDS.test(text)) return Number(text) * 1000;
  const [, month, day, year] = AMERICAN_DATE.exec(text) ?? [];
  if (year) return `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  const [, date, time, offset] = POSTGRES_TIME.exec(text) ?? [];
  return date ? `${date}T${time}${offset}:00` : text;
}

/** A name as contacts store it: one line of bounded length. */
export function sourceName(value: string | null): string | null {
  const line = value
    ?.replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, FIELD_TEXT_MAX);
  return line || null;
}

/** A phone number only in international form. */
export function sourceMobile(value: string | null): string | null {
  const plain = value?.replace(/[\s().-]/g, '') ?? '';
  return isE164(plain) ? plain : null;
}

/** The source's field name as a name here; null when nothing valid remains of it. */
export function fieldNameOf(sourceFieldName: string): string | null {
  const name = sourceFieldName
    .trim()
    .replace(/[^A-Za-z0-9_]+/g, '_')
    .slice(0, 64);
  return /[A-Za-z0-9]/.test(name) ? name : null;
}
