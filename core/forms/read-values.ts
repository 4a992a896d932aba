import { CONTACT_FIELD_MAX, PROPERTY_TEXT_MAX } from '../../schemas/people/contacts.ts';
import type { PropertyValue } from '../base/model.ts';
import { isE164, normalizeEmail } from '../base/text/addresses.ts';
import { coerce } from '../base/text/coercion.ts';
import type { ProjectRules } from '../people/project-rules.ts';
import type { Form, FormField } from './model.ts';
import { ASKED_CONTACT_FIELDS } from './read-input.ts';

/** The reasons for which a value is not taken; each has a text in every language. */
export type FaultKind = 'required' | 'email' | 'mobile' | 'number' | 'date' | 'option' | 'long' | 'text';

export interface Fault {
  /** `email`, or the name of a field. */
  field: string;
  kind: FaultKind;
}

/** As it was sent: text from a page, values of JSON from a site of its own. */
export interface Sent {
  email: unknown;
  values: Record<string, unknown>;
  /** A checkbox that is not ticked is missing in what a page sends. */
  isPage: boolean;
}

export type ReadValues =
  | { ok: true; email: string; fields: Record<string, PropertyValue> }
  | { ok: false; faults: Fault[] };

const NOT_ONE_LINE = /\p{Cc}|\u2028|\u2029/u;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

type ReadValue = PropertyValue | null | { fault: FaultKind };

/** Empty values are left out; values that the form does not ask for are ignored. */
export function readValues(form: Pick<Form, 'fields'>, rules: Pick<ProjectRules, 'fields'>, sent: Sent): ReadValues {
  const faults: Fault[] = [];
  const fields: Record<string, PropertyValue> = {};
  const given = typeof sent.email === 'string' ? sent.email.trim() : '';
  const email = normalizeEmail(given);
  if (email === null) faults.push({ field: 'email', kind: given === '' ? 'required' : 'email' });
  for (const field of form.fields) {
    const value = readField(
      field,
      rules,
      Object.hasOwn(sent.values, field.name) ? sent.values[field.name] : null,
      sent,
    );
    if (value !== null && typeof value === 'object') faults.push({ field: field.name, kind: value.fault });
    else if (value !== null) fields[field.name] = value;
  }
  return email === null || faults.length > 0 ? { ok: false, faults } : { ok: true, email, fields };
}

function readField(field: FormField, rules: Pick<ProjectRules, 'fields'>, given: unknown, { isPage }: Sent): ReadValue {
  const value = readOfType(field, typeof given === 'string' ? given.trim() : (given ?? ''), isPage);
  const isMissing = value === null || (field.type === 'checkbox' && value !== true);
  if (field.required && isMissing) return { fault: 'required' };
  if (value === null || typeof value === 'object') return value;
  return ofContact(field) ? value : declared(field, rules, value);
}

function readOfType({ name, type, options }: FormField, given: unknown, isPage: boolean): ReadValue {
  if (type === 'checkbox') return readCheckbox(given, isPage);
  if (given === '') return null;
  if (type === 'number') return readNumber(given);
  if (typeof given !== 'string' || NOT_ONE_LINE.test(given) || !given.isWellFormed()) return { fault: 'text' };
  if (type === 'select') return options?.includes(given) ? given : { fault: 'option' };
  if (type === 'date') return readDay(given);
  if (name === 'mobile') return readMobile(given);
  const most = ofContact({ name }) ? CONTACT_FIELD_MAX : PROPERTY_TEXT_MAX;
  return given.length > most ? { fault: 'long' } : given;
}

function readCheckbox(given: unknown, isPage: boolean): ReadValue {
  if (given === '') return isPage ? false : null;
  const read = coerce('boolean', given === 'on' ? true : given);
  return read.ok ? read.value : { fault: 'option' };
}

function readNumber(given: unknown): ReadValue {
  const read = coerce('number', given);
  return read.ok ? read.value : { fault: 'number' };
}

function readDay(given: string): ReadValue {
  const read = DAY.test(given) ? coerce('date', given) : null;
  return read?.ok ? read.value : { fault: 'date' };
}

/** Spaces and hyphens are for people. */
function readMobile(given: string): ReadValue {
  const plain = given.slice(0, CONTACT_FIELD_MAX).replaceAll(/[ ()./-]/g, '');
  return isE164(plain) ? plain : { fault: 'mobile' };
}

/** As the custom field of the project stores it. */
function declared({ name }: FormField, { fields }: Pick<ProjectRules, 'fields'>, value: PropertyValue): ReadValue {
  const type = fields.get(name)?.fieldType;
  if (!type) return value;
  const read = coerce(type, value);
  return read.ok ? read.value : { fault: type === 'number' || type === 'date' ? type : 'text' };
}

function ofContact({ name }: Pick<FormField, 'name'>): boolean {
  return (ASKED_CONTACT_FIELDS as readonly string[]).includes(name);
}
