import { CONTACT_FIELDS } from '../../../schemas/people/contacts.ts';
import type { PropertyType, PropertyValue } from '../../base/model.ts';
import { coerce, PROPERTY_TYPES } from '../../base/text/coercion.ts';
import { type Condition, isInLastDays, LIST_FIELD, OPERATORS, type Operator, type ValueTest } from './model.ts';

const VALUE_LENGTH_MAX = 1_000;
const LAST_DAYS_MAX = 3_650;

export interface DeclaredTypes {
  contactProperties: Readonly<Record<string, PropertyType>>;
  /** Types of the event's properties; given only where a filter may use an event. */
  event?: Readonly<Record<string, PropertyType>>;
}

/** The fault of an entry; it begins with the place inside the entry. */
export type Problem = { problem: string };

const FIELD_TYPES: ReadonlyMap<string, PropertyType> = new Map<string, PropertyType>([
  ['email', 'string'],
  ...CONTACT_FIELDS.map((field) => [field, 'string'] as const),
  ['createdAt', 'date'],
  ['updatedAt', 'date'],
]);

const PROPERTY = /^(?:contactProperties|customFields)\.([A-Za-z0-9_]{1,64})$/;
const EVENT_PROPERTY = /^event\.properties\.([A-Za-z0-9_]{1,64})$/;

export function readCondition(group: Record<string, unknown>, declared: DeclaredTypes): Condition | Problem {
  const known = typeof group.field === 'string' ? readField(group.field, declared) : null;
  if (!known) return { problem: `/field: must be one of ${fieldNames(declared)}` };
  const read = readTest(group, known);
  if ('problem' in read) return read;
  const id = typeof group.id === 'string' ? { id: group.id } : {};
  return { field: known.field, ...read, ...id };
}

/** The path of a field of contacts that holds dates: one of that type, or a property that is not declared. */
export function readDateField(name: string, { contactProperties }: DeclaredTypes): { field: string } | Problem {
  const known = readField(name, { contactProperties });
  if (!known) return { problem: ': must be contactProperties.<name>, createdAt or updatedAt' };
  const { field, type, fixed } = known;
  const isDeclared = fixed || Object.hasOwn(contactProperties, field.slice(field.indexOf('.') + 1));
  return type === 'date' || !isDeclared ? { field } : { problem: `: must hold dates, and holds a ${type}` };
}

export interface KnownType {
  type: PropertyType;
  /** A built-in field has one type, whatever the caller names. */
  fixed: boolean;
}

export function readTest(given: Record<string, unknown>, known: KnownType): ValueTest | Problem {
  const fieldType = readType(given.fieldType, known);
  if (typeof fieldType !== 'string') return fieldType;
  const operators: readonly Operator[] = OPERATORS[fieldType];
  const operator = operators.find((one) => one === given.operator);
  if (!operator) return { problem: `/operator: must be one of ${operators.join(', ')} for a ${fieldType}` };
  const test: ValueTest = { fieldType, operator };
  if (operator === 'is_empty' || operator === 'is_not_empty') return test;
  const value = readOperand(given.value, test);
  return isProblem(value) ? value : { ...test, value };
}

function readOperand(given: unknown, test: ValueTest): NonNullable<ValueTest['value']> | Problem {
  if (isInLastDays(test)) return readDays(given);
  return test.operator === 'between' ? readRange(given, test.fieldType) : readValue(given, test.fieldType);
}

interface KnownField extends KnownType {
  field: string;
}

function readField(name: string, declared: DeclaredTypes): KnownField | null {
  const type = FIELD_TYPES.get(name);
  if (type) return { field: name, type, fixed: true };
  const property = PROPERTY.exec(name)?.[1];
  if (property) return readProperty('contactProperties', property, declared.contactProperties);
  if (!declared.event) return null;
  if (name === 'event.name') return { field: name, type: 'string', fixed: true };
  const eventProperty = EVENT_PROPERTY.exec(name)?.[1];
  return eventProperty ? readProperty('event.properties', eventProperty, declared.event) : null;
}

function readProperty(prefix: string, name: string, types: Readonly<Record<string, PropertyType>>): KnownField | null {
  if (name === '__proto__') return null;
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  return { field: `${prefix}.${name}`, type: type ?? 'string', fixed: false };
}

function readType(given: unknown, known: KnownType): PropertyType | Problem {
  if (given === undefined || given === null) return known.type;
  const type = PROPERTY_TYPES.find((name) => name === given);
  if (!type) return { problem: `/fieldType: must be one of ${PROPERTY_TYPES.join(', ')}` };
  return known.fixed && type !== known.type ? { problem: `/fieldType: must be ${known.type} for this field` } : type;
}

function readValue(given: unknown, type: PropertyType): PropertyValue | Problem {
  const read = coerce(type, given);
  if (!read.ok) return { problem: `/value: must be a ${type}` };
  if (typeof read.value !== 'string') return read.value;
  if (read.value === '') return { problem: '/value: must not be empty; use is_empty or is_not_empty' };
  if (read.value.length > VALUE_LENGTH_MAX)
    return { problem: `/value: must be at most ${VALUE_LENGTH_MAX} characters` };
  if (!isText(read.value)) return { problem: '/value: must be valid text' };
  return read.value;
}

function readRange(given: unknown, type: PropertyType): [PropertyValue, PropertyValue] | Problem {
  const problem = { problem: `/value: must be an array of two ${type}s, the lower first` };
  if (!Array.isArray(given) || given.length !== 2) return problem;
  const low = coerce(type, given[0]);
  const high = coerce(type, given[1]);
  return low.ok && high.ok && low.value <= high.value ? [low.value, high.value] : problem;
}

function readDays(given: unknown): number | Problem {
  const read = coerce('number', given);
  const days = read.ok ? Number(read.value) : Number.NaN;
  const isAllowed = Number.isInteger(days) && days >= 1 && days <= LAST_DAYS_MAX;
  return isAllowed ? days : { problem: `/value: must be a whole number of days, 1 to ${LAST_DAYS_MAX}` };
}

function fieldNames(declared: DeclaredTypes): string {
  const names = [...FIELD_TYPES.keys(), 'contactProperties.<name>', LIST_FIELD];
  return [...names, ...(declared.event ? ['event.name', 'event.properties.<name>'] : [])].join(', ');
}

export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

export function isProblem(read: unknown): read is Problem {
  return isObject(read) && 'problem' in read;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
