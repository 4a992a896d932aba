import { CONTACT_FIELDS } from '../../../schemas/contacts.ts';
import type { PropertyType, PropertyValue } from '../../base/model.ts';
import { coerce, PROPERTY_TYPES } from '../../base/text/coercion.ts';
import { type Condition, type Filter, OPERATORS, type Operator } from './model.ts';

export { compileFilter, type FilterSubject } from './matching.ts';
export type { Condition, Filter, Operator } from './model.ts';
export { filterToQuery } from './queries.ts';

const CONDITIONS_MAX = 50;
const VALUE_LENGTH_MAX = 1_000;
const PROBLEMS_MAX = 5;

export interface DeclaredTypes {
  contactProperties: Readonly<Record<string, PropertyType>>;
  /** Types of the event's properties; given only where a filter may use an event. */
  event?: Readonly<Record<string, PropertyType>>;
}

type ParsedFilter = { ok: true; filter: Filter } | { ok: false; details: string };

const FIELD_TYPES: ReadonlyMap<string, PropertyType> = new Map<string, PropertyType>([
  ['email', 'string'],
  ...CONTACT_FIELDS.map((field) => [field, 'string'] as const),
  ['createdAt', 'date'],
  ['updatedAt', 'date'],
]);

const PROPERTY = /^(?:contactProperties|customFields)\.([A-Za-z0-9_]{1,64})$/;
const EVENT_PROPERTY = /^event\.properties\.([A-Za-z0-9_]{1,64})$/;

/** Parses filterCriteria as callers write them into the one form that is matched; `path` is their location in the body, for messages. */
export function parseFilter(input: unknown, declared: DeclaredTypes, path = 'filterCriteria'): ParsedFilter {
  if (!isObject(input)) return { ok: false, details: `${path}: must be an object with logicalOperator and groups` };
  const problems: string[] = [];
  const logicalOperator = readLogicalOperator(input.logicalOperator);
  if (!logicalOperator) problems.push(`${path}/logicalOperator: must be AND or OR`);
  const groups = input.groups ?? input.conditions;
  if (!Array.isArray(groups) || groups.length < 1 || groups.length > CONDITIONS_MAX)
    return { ok: false, details: `${path}/groups: must hold 1 to ${CONDITIONS_MAX} conditions` };

  const conditions: Condition[] = [];
  for (const [index, group] of groups.entries()) {
    const read = readCondition(group, declared);
    if ('problem' in read) problems.push(`${path}/groups/${index}${read.problem}`);
    else conditions.push(read);
    if (problems.length >= PROBLEMS_MAX) break;
  }
  if (!logicalOperator || problems.length > 0) return { ok: false, details: problems.join('; ') };
  return { ok: true, filter: { logicalOperator, groups: conditions } };
}

/** The fields that the filter uses: while none of them changes, its result does not change. */
export function filterFields(filter: Filter): string[] {
  return [...new Set(filter.groups.map((condition) => condition.field))];
}

type Problem = { problem: string };

function readLogicalOperator(given: unknown): 'AND' | 'OR' | null {
  const text = given === undefined || given === null ? 'AND' : typeof given === 'string' ? given.toUpperCase() : '';
  return text === 'AND' || text === 'OR' ? text : null;
}

function readCondition(group: unknown, declared: DeclaredTypes): Condition | Problem {
  if (!isObject(group)) return { problem: ': must be an object with field, operator and value' };
  const known = typeof group.field === 'string' ? readField(group.field, declared) : null;
  if (!known) return { problem: `/field: must be one of ${fieldNames(declared)}` };
  const fieldType = readType(group.fieldType, known);
  if (typeof fieldType !== 'string') return fieldType;
  const operators: readonly Operator[] = OPERATORS[fieldType];
  const operator = operators.find((one) => one === group.operator);
  if (!operator) return { problem: `/operator: must be one of ${operators.join(', ')} for a ${fieldType}` };
  const condition: Condition = { field: known.field, fieldType, operator };
  if (typeof group.id === 'string') condition.id = group.id;
  if (operator === 'is_empty' || operator === 'is_not_empty') return condition;
  const value = operator === 'between' ? readRange(group.value, fieldType) : readValue(group.value, fieldType);
  return isObject(value) && 'problem' in value ? (value as Problem) : { ...condition, value: value as PropertyValue };
}

interface KnownField {
  field: string;
  type: PropertyType;
  /** A built-in field has one type, whatever the caller names. */
  fixed: boolean;
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

function readType(given: unknown, known: KnownField): PropertyType | Problem {
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
  if (!read.value.isWellFormed() || read.value.includes('\0')) return { problem: '/value: must be valid text' };
  return read.value;
}

function readRange(given: unknown, type: PropertyType): [PropertyValue, PropertyValue] | Problem {
  const problem = { problem: `/value: must be an array of two ${type}s, the lower first` };
  if (!Array.isArray(given) || given.length !== 2) return problem;
  const low = coerce(type, given[0]);
  const high = coerce(type, given[1]);
  return low.ok && high.ok && low.value <= high.value ? [low.value, high.value] : problem;
}

function fieldNames(declared: DeclaredTypes): string {
  const names = [...CONTACT_FIELDS.keys(), 'contactProperties.<name>'];
  return [...names, ...(declared.event ? ['event.name', 'event.properties.<name>'] : [])].join(', ');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
