import type { PropertyType } from '../../base/model.ts';
import { coerce, readDate } from '../../base/text/coercion.ts';
import { sameCase } from '../../base/text/same-case.ts';
import type { ValueTest } from './model.ts';
import { foldedOnce, searchFor } from './text-search.ts';

type Matches = (stored: unknown) => boolean;

export interface Bounds {
  min: number;
  max: number;
  minIncluded: boolean;
  maxIncluded: boolean;
}

/** For numbers, dates (as milliseconds) and booleans (as 0 and 1), every operator is a range. */
export function conditionBounds({ operator, fieldType, value }: ValueTest): Bounds {
  const [low, high] = (Array.isArray(value) ? value : [value, value]).map(
    (bound) => rank(fieldType, bound) ?? Number.NaN,
  );
  const closed: Bounds = { min: low!, max: high!, minIncluded: true, maxIncluded: true };
  if (operator === 'greater_than' || operator === 'after') return { ...closed, max: Infinity, minIncluded: false };
  if (operator === 'less_than' || operator === 'before') return { ...closed, min: -Infinity, maxIncluded: false };
  return closed;
}

/** Source of the expression by which MongoDB finds the text. */
export function conditionPattern({ operator, value }: ValueTest): string {
  const text = String(value).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const from = operator === 'equals' || operator === 'not_equals' || operator === 'starts_with' ? '^' : '';
  const to = operator === 'equals' || operator === 'not_equals' || operator === 'ends_with' ? '\\z' : '';
  return `${from}${text}${to}`;
}

/** Operators with not_ are the exact opposites of those without, so that missing values satisfy them. */
export function isNegative({ operator }: ValueTest): boolean {
  return operator.startsWith('not_');
}

export function compileTest(condition: ValueTest): Matches {
  if (condition.operator === 'is_empty') return isEmpty;
  if (condition.operator === 'is_not_empty') return (stored) => !isEmpty(stored);
  const matches = condition.fieldType === 'string' ? compileText(condition) : compileRange(condition);
  return isNegative(condition) ? (stored) => !matches(stored) : matches;
}

function compileText(condition: ValueTest): Matches {
  const matches = textTest(condition);
  return (stored) => {
    if (typeof stored === 'string') return stored !== '' && matches(stored);
    const text = coerce('string', stored);
    return text.ok && matches(text.value as string);
  };
}

/** Without regard to not_. In linear time, whatever the texts are: they come from callers, and from strangers at forms. */
export function textTest({ operator, value }: ValueTest): (text: string) => boolean {
  const wanted = sameCase(String(value));
  switch (operator) {
    case 'equals':
    case 'not_equals':
      return (text) => text.length === wanted.length && foldedOnce(text) === wanted;
    case 'starts_with':
      return (text) => text.length >= wanted.length && foldedOnce(text).startsWith(wanted);
    case 'ends_with':
      return (text) => text.length >= wanted.length && foldedOnce(text).endsWith(wanted);
    default:
      return searchFor(wanted);
  }
}

function compileRange(condition: ValueTest): Matches {
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
