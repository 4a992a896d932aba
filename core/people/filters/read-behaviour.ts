import type { PropertyType } from '../../base/model.ts';
import { readDate } from '../../base/text/coercion.ts';
import { DAY_MS } from '../../base/time/durations.ts';
import { BEHAVIOURS, type Behaviour, isInLastDays, type ValueTest } from './model.ts';
import { isObject, isProblem, isText, type Problem, readTest } from './read-condition.ts';

const COUNT_MAX = 1_000;
const URL_LENGTH_MAX = 2_000;
const PROPERTIES_MAX = 10;
const OBJECT_ID = /^[0-9a-f]{24}$/i;
const EVENT_NAME = /^[A-Za-z0-9_]{1,64}$/;
const PROPERTY_NAME = /^[A-Za-z0-9_]{1,64}$/;
const OPERATORS = ['at_least', 'never'] as const;
const KEYS = new Set([
  ...['id', 'behaviour', 'operator', 'count', 'withinDays', 'from', 'to'],
  ...['campaignId', 'automationId', 'url', 'eventName', 'properties'],
]);

type EventTypes = Readonly<Record<string, Readonly<Record<string, PropertyType>>>>;

/** The limits that a filter is checked against when it is saved; a stored filter is read without. */
export interface BehaviourLimits {
  retentionDays: number;
  nowMs: number;
  /** The declared events, with the types of their properties. */
  events: EventTypes;
}

type Given = Record<string, unknown>;
type Part = Partial<Behaviour> | Problem;

export function readBehaviour(given: Given, limits: BehaviourLimits | undefined): Behaviour | Problem {
  const unknown = Object.keys(given).find((key) => !KEYS.has(key));
  if (unknown !== undefined) return { problem: `/${unknown.slice(0, 64)}: is not known for a behaviour` };
  const behaviour = BEHAVIOURS.find((name) => name === given.behaviour);
  if (!behaviour) return { problem: `/behaviour: must be one of ${BEHAVIOURS.join(', ')}` };
  const operator = OPERATORS.find((name) => name === given.operator);
  if (!operator) return { problem: `/operator: must be one of ${OPERATORS.join(', ')} for a behaviour` };
  const read: Behaviour = { behaviour, operator, ...(typeof given.id === 'string' ? { id: given.id } : {}) };
  for (const part of [readCount, readWindow, readMail, readUrl, readEvent]) {
    const found = part(given, read, limits);
    if (isProblem(found)) return found;
    Object.assign(read, found);
  }
  return read;
}

function readCount({ count }: Given, { operator }: Behaviour): Part {
  if (isAbsent(count)) return {};
  if (operator === 'never') return { problem: '/count: must not be given with never' };
  const isAllowed = Number.isInteger(count) && (count as number) >= 1 && (count as number) <= COUNT_MAX;
  return isAllowed ? { count: count as number } : { problem: `/count: must be a whole number from 1 to ${COUNT_MAX}` };
}

function readWindow(given: Given, _read: Behaviour, limits: BehaviourLimits | undefined): Part {
  const { withinDays, from, to } = given;
  if (isAbsent(withinDays)) return readDates(given, limits);
  if (!isAbsent(from) || !isAbsent(to)) return { problem: '/withinDays: must not be given with from or to' };
  if (!Number.isInteger(withinDays) || (withinDays as number) < 1)
    return { problem: '/withinDays: must be a whole number of days, at least 1' };
  if (limits && (withinDays as number) > limits.retentionDays)
    return { problem: `/withinDays: must be at most ${limits.retentionDays}, the days for which this is kept` };
  return { withinDays: withinDays as number };
}

function readDates(given: Given, limits: BehaviourLimits | undefined): Part {
  const window: Partial<Record<'from' | 'to', string>> = {};
  for (const name of ['from', 'to'] as const) {
    if (isAbsent(given[name])) continue;
    const ms = typeof given[name] === 'string' ? readDate(given[name]) : null;
    if (ms === null) return { problem: `/${name}: must be an ISO 8601 date` };
    if (limits && ms < limits.nowMs - limits.retentionDays * DAY_MS)
      return { problem: `/${name}: must be within the last ${limits.retentionDays} days, for which this is kept` };
    window[name] = new Date(ms).toISOString();
  }
  if (window.from && window.to && window.from > window.to) return { problem: '/to: must not be before from' };
  return window;
}

function readMail(given: Given, { behaviour }: Behaviour): Part {
  const named = (['campaignId', 'automationId'] as const).filter((name) => !isAbsent(given[name]));
  const [name, second] = named;
  if (!name) return {};
  if (second) return { problem: `/${second}: must not be given with ${name}` };
  if (behaviour === 'event') return { problem: `/${name}: must not be given for an event` };
  const id = given[name];
  if (typeof id !== 'string' || !OBJECT_ID.test(id)) return { problem: `/${name}: must be an id` };
  return { [name]: id.toLowerCase() };
}

function readUrl({ url }: Given, { behaviour }: Behaviour): Part {
  if (isAbsent(url)) return {};
  if (behaviour !== 'clicked') return { problem: '/url: must be given for clicked only' };
  const isAllowed = typeof url === 'string' && url !== '' && url.length <= URL_LENGTH_MAX && isText(url);
  return isAllowed ? { url } : { problem: `/url: must be a text of 1 to ${URL_LENGTH_MAX} characters` };
}

function readEvent(given: Given, { behaviour }: Behaviour, limits: BehaviourLimits | undefined): Part {
  const { eventName, properties } = given;
  if (behaviour !== 'event') {
    const named = isAbsent(eventName) ? (isAbsent(properties) ? null : 'properties') : 'eventName';
    return named ? { problem: `/${named}: must be given for event only` } : {};
  }
  if (isAbsent(eventName)) return { problem: '/eventName: is required for event' };
  if (typeof eventName !== 'string' || !EVENT_NAME.test(eventName))
    return { problem: '/eventName: must be 1 to 64 letters, digits or underscores' };
  const types = limits && (Object.hasOwn(limits.events, eventName) ? limits.events[eventName] : null);
  if (types === null) return { problem: '/eventName: names no event of this project' };
  const read = readProperties(properties, types);
  return isProblem(read) ? read : { eventName, ...read };
}

/** Each property: a value that it equals, or {operator, value}. */
function readProperties(given: unknown, types: EventTypes[string] | undefined): Part {
  if (isAbsent(given)) return {};
  if (!isObject(given) || Object.keys(given).length > PROPERTIES_MAX)
    return { problem: `/properties: must be an object with ${PROPERTIES_MAX} properties at most` };
  const properties: Record<string, ValueTest> = {};
  for (const [name, value] of Object.entries(given)) {
    const place = `/properties/${name.slice(0, 64)}`;
    const isKnown = PROPERTY_NAME.test(name) && name !== '__proto__' && (!types || Object.hasOwn(types, name));
    if (!isKnown) return { problem: `${place}: is not declared by the event` };
    const test = isObject(value) ? value : { operator: 'equals', value };
    const read = readTest(test, { type: types?.[name] ?? 'string', fixed: types !== undefined });
    if (isProblem(read)) return { problem: `${place}${read.problem}` };
    if (isInLastDays(read)) return { problem: `${place}/operator: must not be ${read.operator} here` };
    properties[name] = read;
  }
  return Object.keys(properties).length === 0 ? {} : { properties };
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
