import { ObjectId } from 'mongodb';
import { DECIMAL } from '../../base/text/coercion.ts';
import { DATE_MS_MAX, DATE_MS_MIN, ISO_DATE } from '../../base/text/dates.ts';
import {
  type Condition,
  type Entry,
  type Filter,
  isBehaviour,
  isFilter,
  isInLastDays,
  isMembership,
  type Membership,
} from './model.ts';
import { type Bounds, conditionBounds, conditionPattern, isNegative, textTest } from './value-tests.ts';

type Query = Record<string, unknown>;

/** Outside these alphabets, MongoDB and JavaScript disagree on which letters are equal without case. */
const SAME_CASE_EVERYWHERE =
  /^[\s -\u012f\u0132-\u017e\u0391-\u03a9\u03b1-\u03c9\p{Lo}\p{Nd}\p{Emoji_Presentation}]*$/u;
const CAN_STAND_IN_A_NUMBER = /^[0-9.e+-]+$/i;

/** The same filter as a MongoDB query on contacts; null when a query cannot express exactly the same. */
export function filterToQuery(filter: Filter): Query | null {
  const entries = filter.groups.map(entryQuery);
  if (entries.includes(null)) return null;
  return filter.logicalOperator === 'AND' ? { $and: entries } : { $or: entries };
}

/** Windows are not expressed: their contacts are compared here, where the next change is found too. */
function entryQuery(entry: Entry): Query | null {
  if (isFilter(entry)) return filterToQuery(entry);
  if (isMembership(entry)) return membershipQuery(entry);
  return isBehaviour(entry) || isInLastDays(entry) ? null : conditionQuery(entry);
}

function membershipQuery({ operator, value }: Membership): Query {
  const listId = new ObjectId(value);
  return { listIds: operator === 'in_list' ? listId : { $ne: listId } };
}

function conditionQuery(condition: Condition): Query | null {
  const { field, operator, fieldType } = condition;
  if (field.startsWith('event.')) return null;
  if (operator === 'is_empty') return { [field]: { $in: [null, ''] } };
  if (operator === 'is_not_empty') return { [field]: { $nin: [null, ''] } };
  const query = fieldType === 'string' ? textQuery(condition) : rangeQuery(condition);
  return query && isNegative(condition) ? { $nor: [query] } : query;
}

function textQuery(condition: Condition): Query | null {
  const value = String(condition.value);
  if (!SAME_CASE_EVERYWHERE.test(value)) return null;
  const text = { [condition.field]: { $regex: conditionPattern(condition), $options: 'i' } };
  if (!condition.field.startsWith('contactProperties.')) return text;
  // Properties may be numbers and booleans, which are compared as text.
  const matches = textTest(condition);
  const alike: (boolean | number)[] = [true, false].filter((stored) => matches(String(stored)));
  if (CAN_STAND_IN_A_NUMBER.test(value)) {
    if (condition.operator !== 'equals' && condition.operator !== 'not_equals') return null;
    if (matches(String(Number(value)))) alike.push(Number(value));
  }
  return alike.length === 0 ? text : { $or: [text, { [condition.field]: { $in: alike } }] };
}

function rangeQuery(condition: Condition): Query {
  const bounds = conditionBounds(condition);
  const { field, fieldType } = condition;
  if (fieldType === 'boolean')
    return { [field]: { $in: bounds.min === 1 ? [true, 1, 'true', '1'] : [false, 0, 'false', '0'] } };
  if (fieldType === 'number') return { $expr: inRange(numberOf(`$${field}`), bounds, (bound) => bound) };
  const stored = field.startsWith('contactProperties.') ? dateOf(`$${field}`) : `$${field}`;
  const years = { ...bounds, min: Math.max(bounds.min, DATE_MS_MIN), max: Math.min(bounds.max, DATE_MS_MAX) };
  return { $expr: inRange(stored, years, (ms) => new Date(ms)) };
}

function inRange(stored: unknown, bounds: Bounds, literal: (bound: number) => unknown): Query {
  const tests: Query[] = [{ $ne: ['$$value', null] }];
  if (bounds.min > -Infinity) tests.push({ [bounds.minIncluded ? '$gte' : '$gt']: ['$$value', literal(bounds.min)] });
  if (bounds.max < Infinity) tests.push({ [bounds.maxIncluded ? '$lte' : '$lt']: ['$$value', literal(bounds.max)] });
  return { $let: { vars: { value: stored }, in: { $and: tests } } };
}

function numberOf(path: string): Query {
  const trimmed = { $trim: { input: path, chars: ' ' } };
  return readAs(path, path, DECIMAL, { $convert: { input: trimmed, to: 'double', onError: null } });
}

function dateOf(path: string): Query {
  const whole = {
    $and: [{ $eq: [path, { $trunc: path }] }, { $gte: [path, DATE_MS_MIN] }, { $lte: [path, DATE_MS_MAX] }],
  };
  const fromNumber = { $cond: [whole, { $toDate: { $toLong: path } }, null] };
  return readAs(path, fromNumber, ISO_DATE, { $dateFromString: { dateString: path, onError: null } });
}

function readAs(path: string, number: unknown, grammar: RegExp, text: Query): Query {
  const written = { $regexMatch: { input: path, regex: grammar.source.replace(/\$$/, '\\z') } };
  const fromText = { $cond: [{ $cond: [{ $eq: [{ $type: path }, 'string'] }, written, false] }, text, null] };
  return { $cond: [{ $isNumber: path }, number, fromText] };
}
