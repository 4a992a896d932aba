import type { ContactField } from '../../../schemas/contacts.ts';
import type { PropertyType } from '../../base/model.ts';
import { coerce, readDate } from '../../base/text/coercion.ts';
import type { Condition, Filter } from './model.ts';

/** The contact as it is stored; times may also be ISO strings, as in JSON. */
export interface FilterSubject {
  contact: Partial<Record<ContactField, string | null>> & {
    email?: string;
    contactProperties?: Readonly<Record<string, unknown>>;
    createdAt?: Date | string;
    updatedAt?: Date | string;
  };
  event?: { name: string; properties: Readonly<Record<string, unknown>> };
}

type Matches = (stored: unknown) => boolean;

/** Compile once, match many: the result for one contact and the event in question. */
export function compileFilter(filter: Filter): (subject: FilterSubject) => boolean {
  const conditions = filter.groups.map((condition) => {
    const read = compileField(condition.field);
    const matches = compileCondition(condition);
    return (subject: FilterSubject) => matches(read(subject));
  });
  return filter.logicalOperator === 'AND'
    ? (subject) => conditions.every((holds) => holds(subject))
    : (subject) => conditions.some((holds) => holds(subject));
}

export interface Bounds {
  min: number;
  max: number;
  minIncluded: boolean;
  maxIncluded: boolean;
}

/** For numbers, dates (as milliseconds) and booleans (as 0 and 1), every operator is a range. */
export function conditionBounds({ operator, fieldType, value }: Condition): Bounds {
  const [low, high] = (Array.isArray(value) ? value : [value, value]).map(
    (bound) => rank(fieldType, bound) ?? Number.NaN,
  );
  const closed: Bounds = { min: low!, max: high!, minIncluded: true, maxIncluded: true };
  if (operator === 'greater_than' || operator === 'after') return { ...closed, max: Infinity, minIncluded: false };
  if (operator === 'less_than' || operator === 'before') return { ...closed, min: -Infinity, maxIncluded: false };
  return closed;
}

/** Source of the expression that finds the text; `end` is the dialect's anchor for the very end. */
export function conditionPattern({ operator, value }: Condition, end: string): string {
  const text = String(value).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const from = operator === 'equals' || operator === 'not_equals' || operator === 'starts_with' ? '^' : '';
  const to = operator === 'equals' || operator === 'not_equals' || operator === 'ends_with' ? end : '';
  return `${from}${text}${to}`;
}

/** not_equals and not_contains are the exact opposites, so that missing values satisfy them. */
export function isNegative(condition: Condition): boolean {
  return condition.operator === 'not_equals' || condition.operator === 'not_contains';
}

function compileField(field: string): (subject: FilterSubject) => unknown {
  const name = field.slice(field.lastIndexOf('.') + 1);
  if (field === 'event.name') return ({ event }) => event?.name;
  if (field.startsWith('event.')) return ({ event }) => own(event?.properties, name);
  if (field.startsWith('contactProperties.')) return ({ contact }) => own(contact.contactProperties, name);
  return ({ contact }) => own(contact, name);
}

function compileCondition(condition: Condition): Matches {
  if (condition.operator === 'is_empty') return isEmpty;
  if (condition.operator === 'is_not_empty') return (stored) => !isEmpty(stored);
  const matches = condition.fieldType === 'string' ? compileText(condition) : compileRange(condition);
  return isNegative(condition) ? (stored) => !matches(stored) : matches;
}

function compileText(condition: Condition): Matches {
  const pattern = new RegExp(conditionPattern(condition, '$'), 'iu');
  return (stored) => {
    if (typeof stored === 'string') return stored !== '' && pattern.test(stored);
    const text = coerce('string', stored);
    return text.ok && pattern.test(text.value as string);
  };
}

function compileRange(condition: Condition): Matches {
  const { min, max, minIncluded, maxIncluded } = conditionBounds(condition);
  return (stored) => {
    const value = rank(condition.fieldType, stored);
    if (value === null) return false;
    return (value > min || (minIncluded && value === min)) && (value < max || (maxIncluded && value === max));
  };
}

function rank(type: PropertyType, value: unknown): number | null {
  if (type === 'date') return readDate(value);
  const read = coerce(type, value);
  return read.ok ? Number(read.value) : null;
}

function isEmpty(stored: unknown): boolean {
  return stored === undefined || stored === null || stored === '';
}

function own(record: object | undefined, name: string): unknown {
  return record && Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : undefined;
}
