import type { createFormBody } from '../../schemas/forms.ts';
import type { Described } from '../../schemas/schema.ts';
import { type AppError, invalid } from '../base/errors.ts';
import type { PropertyValue } from '../base/model.ts';
import { readDate } from '../base/text/coercion.ts';
import { isLoopbackName } from '../base/text/networks.ts';
import { isAllowedUrl } from '../base/text/urls.ts';
import type { Form, FormField } from './model.ts';

export type FormInput = Partial<Described<typeof createFormBody>>;
type FieldInput = NonNullable<FormInput['fields']>[number];
type Unnamed = Pick<Form, 'fields' | 'doubleOptIn' | 'texts' | 'redirectTo' | 'allowedOrigins' | 'isActive'>;

/** Fields of a contact that a form may ask for. A userId names a person in the caller's own program, so no form takes it. */
export const ASKED_CONTACT_FIELDS = ['firstName', 'lastName', 'mobile'] as const;
const NEVER_ASKED = ['email', 'userId', '__proto__'];
const OPTIONAL_PARTS = ['name', 'doubleOptIn', 'isActive'] as const;
/** Stricter than URLs are: an origin becomes a part of a header. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[::1\])(?::\d{1,5})?$/;

/** The parts of the input that name nothing else, checked. Parts that are left out are left out of the result. */
export function readInput(input: FormInput): Partial<Unnamed> {
  const given: Partial<Unnamed> = {};
  for (const part of OPTIONAL_PARTS) if (input[part] !== undefined) Object.assign(given, { [part]: input[part] });
  if (input.fields) given.fields = readFields(input.fields);
  if (input.texts) given.texts = givenTexts(input.texts);
  if (input.redirectTo) given.redirectTo = readRedirects(input.redirectTo);
  if (input.allowedOrigins) given.allowedOrigins = readOrigins(input.allowedOrigins);
  return given;
}

function readFields(fields: FieldInput[]): FormField[] {
  const names = new Set<string>();
  return fields.map((field, index) => {
    const at = `fields/${index}`;
    if (NEVER_ASKED.includes(field.name)) throw refused(`${at}/name`, 'is not a field that a form may ask for');
    if (names.has(field.name)) throw refused(`${at}/name`, 'is given twice');
    names.add(field.name);
    return readField(field, at);
  });
}

function readField(
  { name, label, type, options, required = false, default: initial }: FieldInput,
  at: string,
): FormField {
  const isOfContact = (ASKED_CONTACT_FIELDS as readonly string[]).includes(name);
  if (isOfContact && type !== 'text' && type !== 'select')
    throw refused(`${at}/type`, 'must be text or select for a field of the contact');
  if (type === 'select' && !options) throw refused(`${at}/options`, 'is required with select');
  if (type !== 'select' && options) throw refused(`${at}/options`, 'belongs to select only');
  const field: FormField = { name, label, type, options: options ?? null, required, default: initial ?? null };
  if (field.default !== null && !isDefault(field, field.default))
    throw refused(`${at}/default`, `is not a value of a ${type} field`);
  return field;
}

function isDefault({ type, options }: FormField, value: PropertyValue): boolean {
  switch (type) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'checkbox':
      return typeof value === 'boolean';
    case 'select':
      return typeof value === 'string' && options?.includes(value) === true;
    case 'date':
      return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && readDate(value) !== null;
  }
}

function givenTexts(texts: NonNullable<FormInput['texts']>): Form['texts'] {
  const given = Object.entries(texts).filter(([, text]) => typeof text === 'string' && text.trim() !== '');
  return Object.fromEntries(given);
}

function readRedirects({ submitted, confirmed }: NonNullable<FormInput['redirectTo']>): Form['redirectTo'] {
  const read = (url: string | null | undefined, field: string): string | null => {
    if (!url) return null;
    const isFine = isAllowedUrl(url) && ORIGIN.test(new URL(url).origin);
    if (!isFine) throw refused(`redirectTo/${field}`, 'must be an https address of a public site');
    return new URL(url).href;
  };
  return { submitted: read(submitted, 'submitted'), confirmed: read(confirmed, 'confirmed') };
}

function readOrigins(origins: string[]): string[] {
  for (const [index, origin] of origins.entries())
    if (!isOrigin(origin))
      throw refused(`allowedOrigins/${index}`, 'must be an origin as https://example.com; http for localhost only');
  return [...new Set(origins)];
}

function isOrigin(text: string): boolean {
  if (!ORIGIN.test(text) || !URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && (protocol === 'https:' || isLoopbackName(hostname));
}

function refused(field: string, problem: string): AppError {
  return invalid(`The form is not valid: ${field}: ${problem}.`, `${field}: ${problem}`);
}
