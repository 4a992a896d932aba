import { readDate } from '../../base/text/coercion.ts';
import { escapeFor } from '../html/escapes.ts';
import { isTruthy, type Run, textOf } from './values.ts';

interface Helper {
  /** The fewest and the most arguments it takes. */
  arguments: [number, number];
  call: (values: unknown[], run: Run) => unknown;
}

/** All functions that a template can call. They read only their arguments. */
export const HELPERS: ReadonlyMap<string, Helper> = new Map(
  Object.entries({
    default: helper(2, 2, ([value, otherwise]) => (isMissing(value) ? otherwise : value)),
    insert: helper(1, 2, ([value, otherwise], run) =>
      isMissing(value) ? textOf(otherwise, run).replace(/^default=/, '') : value,
    ),
    equals: helper(2, 2, ([a, b], run) => textOf(a, run) === textOf(b, run)),
    notEquals: helper(2, 2, ([a, b], run) => textOf(a, run) !== textOf(b, run)),
    greaterThan: helper(2, 2, ([a, b], run) => compare(a, b, run) > 0),
    lessThan: helper(2, 2, ([a, b], run) => compare(a, b, run) < 0),
    and: helper(1, 20, (values) => values.find((value) => !isTruthy(value)) ?? values.every(isTruthy)),
    or: helper(1, 20, (values) => values.find(isTruthy) ?? false),
    length: helper(1, 1, ([value]) => (Array.isArray(value) || typeof value === 'string' ? value.length : 0)),
    upper: helper(1, 1, ([value], run) => textOf(value, run).toUpperCase()),
    lower: helper(1, 1, ([value], run) => textOf(value, run).toLowerCase()),
    capitalize: helper(1, 1, ([value], run) => capitalize(textOf(value, run))),
    encode: helper(1, 1, ([value], run) => encodeQuery(textOf(value, run))),
    formatDate: helper(1, 3, ([value, format, offset], run) =>
      formatDate(value, textOf(format, run) || 'YYYY-MM-DD', textOf(offset, run)),
    ),
  }),
);

const encodeQuery = escapeFor('query', false);

function helper(min: number, max: number, call: Helper['call']): Helper {
  return { arguments: [min, max], call };
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function capitalize(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0x20);
  return text === '' ? '' : first.toUpperCase() + text.slice(first.length);
}

/** Numbers, also those written as text, by size; everything else as text, which orders ISO dates too. */
function compare(a: unknown, b: unknown, run: Run): number {
  const [left, right] = [textOf(a, run), textOf(b, run)];
  const difference = Number(left) - Number(right);
  if (left.trim() !== '' && right.trim() !== '' && !Number.isNaN(difference)) return difference;
  return left < right ? -1 : left > right ? 1 : 0;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const TOKENS = /\[([^[\]]*)\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|dddd|ddd|HH|H|hh|h|mm|m|ss|s|A|a/g;

/** The tokens of provider A's formatDate, in UTC or at an offset like "-0800". */
function formatDate(value: unknown, format: string, offset: string): string {
  const ms = readDate(value);
  if (ms === null) return '';
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(offset) ?? [];
  const shift = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  const at = new Date(ms + shift);
  return format.slice(0, 200).replace(TOKENS, (token, literal: string | undefined) => literal ?? datePart(at, token));
}

function datePart(at: Date, token: string): string {
  const [month, day, hour] = [at.getUTCMonth(), at.getUTCDate(), at.getUTCHours()];
  const half = hour % 12 === 0 ? 12 : hour % 12;
  switch (token) {
    case 'YYYY':
      return pad(at.getUTCFullYear(), 4);
    case 'YY':
      return pad(at.getUTCFullYear() % 100, 2);
    case 'MMMM':
      return MONTHS[month]!;
    case 'MMM':
      return MONTHS[month]!.slice(0, 3);
    case 'dddd':
      return DAYS[at.getUTCDay()]!;
    case 'ddd':
      return DAYS[at.getUTCDay()]!.slice(0, 3);
    case 'A':
      return hour < 12 ? 'AM' : 'PM';
    case 'a':
      return hour < 12 ? 'am' : 'pm';
  }
  const numbers: Record<string, number> = {
    M: month + 1,
    D: day,
    H: hour,
    h: half,
    m: at.getUTCMinutes(),
    s: at.getUTCSeconds(),
  };
  return pad(numbers[token[0]!] ?? 0, token.length);
}

function pad(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
