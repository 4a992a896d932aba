import {
  CONTACT_FIELD_MAX,
  CONTACT_FIELDS,
  CONTACT_LISTS_MAX,
  type ContactField,
  PROPERTIES_MAX,
  PROPERTY_NAME,
  PROPERTY_TEXT_MAX,
} from '../../../schemas/people/contacts.ts';
import type { PropertyValue } from '../../base/model.ts';
import { isE164, normalizeEmail } from '../../base/text/addresses.ts';

type Properties = Record<string, PropertyValue | null>;

/** The body of `contacts.upsert`, as one row of many. */
export interface ContactRow extends Partial<Record<ContactField, string | null>> {
  email: string;
  contactProperties?: Properties;
  customFields?: Properties;
  listIds?: string[];
}

type ReadRow = { ok: true; row: ContactRow } | { ok: false; message: string };

const TEXT_FIELDS = CONTACT_FIELDS.filter((field) => field !== 'mobile');
const NOT_ONE_LINE = /\p{Cc}|\u2028|\u2029/u;

/** Validates one row against the schema of `contacts.upsert`, so that a bad row fails alone. Unknown fields are left out. */
export function readContactRow(given: unknown): ReadRow {
  if (!isObject(given)) return bad('must be an object');
  const { email, mobile, listIds } = given;
  if (email === undefined) return bad('email: is required');
  const address = typeof email === 'string' ? normalizeEmail(email) : null;
  if (address === null) return bad('email: must be an email address');
  const row: ContactRow = { email: address };
  for (const field of TEXT_FIELDS) {
    const value = given[field];
    if (value === undefined) continue;
    const problem = textProblem(value);
    if (problem) return bad(`${field}: ${problem}`);
    row[field] = value as string | null;
  }
  if (mobile !== undefined) {
    if (mobile !== null && mobile !== '' && !(typeof mobile === 'string' && isE164(mobile)))
      return bad('mobile: must be a number in E.164 form, for example +12025550123');
    row.mobile = mobile;
  }
  for (const field of ['contactProperties', 'customFields'] as const) {
    if (given[field] === undefined) continue;
    const problem = propertiesProblem(given[field]);
    if (problem) return bad(`${field}${problem}`);
    row[field] = given[field] as Properties;
  }
  if (listIds !== undefined) {
    if (!isListIds(listIds)) return bad(`listIds: must be an array of at most ${CONTACT_LISTS_MAX} ids`);
    row.listIds = listIds;
  }
  return { ok: true, row };
}

function textProblem(value: unknown): string | null {
  if (value === null) return null;
  if (typeof value !== 'string') return 'must be a string or null';
  if (isLonger(value, CONTACT_FIELD_MAX)) return `must be ${CONTACT_FIELD_MAX} characters at most`;
  return NOT_ONE_LINE.test(value) || !value.isWellFormed() ? 'must be one line without control characters' : null;
}

function propertiesProblem(given: unknown): string | null {
  if (!isObject(given)) return ': must be an object';
  const entries = Object.entries(given);
  if (entries.length > PROPERTIES_MAX) return `: must hold ${PROPERTIES_MAX} entries at most`;
  for (const [name, value] of entries) {
    if (!PROPERTY_NAME.test(name) || name === '__proto__')
      return `: has a name that is not allowed: ${name.slice(0, 80)}`;
    const problem = valueProblem(value);
    if (problem) return `/${name}: ${problem}`;
  }
  return null;
}

function valueProblem(value: unknown): string | null {
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'must be a finite number';
  if (typeof value !== 'string') return 'must be a string, a number, a boolean or null';
  if (isLonger(value, PROPERTY_TEXT_MAX)) return `must be ${PROPERTY_TEXT_MAX} characters at most`;
  return value.includes('\0') || !value.isWellFormed() ? 'must be valid text' : null;
}

function isListIds(given: unknown): given is string[] {
  if (!Array.isArray(given) || given.length > CONTACT_LISTS_MAX) return false;
  return given.every((id) => typeof id === 'string' && id.length <= 256);
}

/** Counts characters, not code units. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bad(message: string): ReadRow {
  return { ok: false, message };
}
