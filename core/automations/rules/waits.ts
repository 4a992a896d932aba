import { readDate } from '../../base/text/coercion.ts';
import { DAY_MS, MINUTE_MS } from '../../base/time/durations.ts';
import { dayIn, firstAt, isTimezone } from '../../base/time/zones.ts';
import { compileField, type DeclaredTypes, type FilterSubject, readDateField } from '../../people/filters/filters.ts';
import type { AutomationDelay, AutomationStep, AutomationUntil, AutomationWebhook } from '../model/definition.ts';

/** How long people wait in a step. */

export type WaitStep = AutomationStep & { type: 'wait' | 'wait_until' | 'wait_event' };

/** The zone of the project, and the contact property with that of a person. */
export interface Zones {
  timezone: string;
  timezoneProperty: string | null;
}

export interface WaitEnd {
  untilMs: number;
  /** The person has no zone, or none that exists, where the step asks for it. */
  isZoneMissing: boolean;
}

export type Person = FilterSubject['contact'];

type Weekday = NonNullable<AutomationUntil['weekdays']>[number];

export const WEEKDAYS: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DELAY_DAYS_MAX = 3_650;
/** Deliveries are tried for as long. */
const ANSWER_MAX = { value: 24, unit: 'hours' } as const;
const UNIT_MS = { minutes: MINUTE_MS, mins: MINUTE_MS, hours: 60 * MINUTE_MS, days: DAY_MS };
/** One weekday comes every seven days; a zone that moves over the date line may skip it once. */
const DAYS_LOOKED_AT = 16;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('thu');

export function isWait(step: AutomationStep): step is WaitStep {
  return step.type === 'wait' || step.type === 'wait_until' || step.type === 'wait_event';
}

/**
 * The end of a wait that began at `fromMs`, for the person as they are now. null: the person has no date to wait for, or one that is further
 * away than a wait may last: mostly a date that means never, about which a mail in ten years would be wrong.
 */
export function endOfWait(step: WaitStep, fromMs: number, person: Person, zones: Zones): WaitEnd | null {
  if (step.type === 'wait') return { untilMs: fromMs + delayMs(step.delay), isZoneMissing: false };
  if (step.type === 'wait_event') return { untilMs: fromMs + delayMs(step.waitEvent.timeout), isZoneMissing: false };
  const { until } = step;
  if (until.property !== undefined) {
    const dateMs = dateOf(until.property, person);
    if (dateMs === null) return null;
    const untilMs = Math.max(fromMs, dateMs + offsetMs(until.offset));
    return untilMs - fromMs > DELAY_DAYS_MAX * DAY_MS ? null : { untilMs, isZoneMissing: false };
  }
  const { timezone = zones.timezone, latestAfterDays = DELAY_DAYS_MAX } = until;
  const zone = timezone === 'contact' ? zoneOf(person, zones.timezoneProperty) : timezone;
  const untilMs = nextMoment(zone ?? zones.timezone, until, fromMs);
  return { untilMs: Math.min(untilMs, fromMs + latestAfterDays * DAY_MS), isZoneMissing: zone === null };
}

/** null: the person does not wait for the answer. */
export function endOfAnswer({ wait, timeout = ANSWER_MAX }: AutomationWebhook, fromMs: number): number | null {
  return wait ? fromMs + delayMs(timeout) : null;
}

/**
 * The next moment, `fromMs` or later, at which a clock of the zone shows the time on one of the weekdays. A clock shows a time for a minute:
 * who comes within it has arrived in time. A time that the zone skips is the next moment that it has, and one that it has twice the first.
 */
export function nextMoment(
  zone: string,
  { time = '00:00', weekdays = WEEKDAYS }: { time?: string; weekdays?: readonly Weekday[] },
  fromMs: number,
): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const minuteMs = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
  // A time that was skipped yesterday may be the beginning of today.
  const first = dayIn(zone, fromMs) - 1;
  for (let day = first; day < first + DAYS_LOOKED_AT; day += 1) {
    if (!weekdays.includes(weekdayOf(day))) continue;
    const ms = firstAt(zone, day * DAY_MS + hours * UNIT_MS.hours + minutes * MINUTE_MS);
    if (ms >= minuteMs && hasDay(zone, day, ms)) return Math.max(ms, fromMs);
  }
  throw new Error(`no day of ${weekdays.join()} in ${zone}`);
}

/** Zones that moved over the date line have skipped whole days. `ms`: a moment of the day, if there was one. */
function hasDay(zone: string, day: number, ms: number): boolean {
  return dayIn(zone, ms) === day || dayIn(zone, firstAt(zone, day * DAY_MS)) === day;
}

function weekdayOf(day: number): Weekday {
  return WEEKDAYS[(((day + FIRST_WEEKDAY) % 7) + 7) % 7] ?? 'mon';
}

/** null: the property holds no zone, or the project names none. */
export function zoneOf(person: Person, property: string | null): string | null {
  const value = property === null ? null : compileField(`contactProperties.${property}`)({ contact: person });
  return typeof value === 'string' && isTimezone(value) ? value : null;
}

/** A number is no date, though it could be read as one. */
export function dateOf(field: string, person: Person): number | null {
  const value = compileField(field)({ contact: person });
  return typeof value === 'number' ? null : readDate(value);
}

export function offsetMs(offset: AutomationUntil['offset']): number {
  if (!offset) return 0;
  return offset.direction === 'before' ? -delayMs(offset) : delayMs(offset);
}

function delayMs({ value, unit }: AutomationDelay): number {
  return value * UNIT_MS[unit];
}

export function timeoutFaults(timeout: AutomationDelay, path: string): string[] {
  return delayMs(timeout) <= delayMs(ANSWER_MAX) ? [] : [`${path}: must be 24 hours at most`];
}

export function delayFaults(delay: AutomationDelay, path: string): string[] {
  if (delay.value < 0) return [`${path}: is required`];
  return delayMs(delay) <= DELAY_DAYS_MAX * DAY_MS ? [] : [`${path}: must be ${DELAY_DAYS_MAX} days at most`];
}

const OF_TIME = ['weekdays', 'timezone', 'latestAfterDays'] as const;

export function untilFaults(until: AutomationUntil, path: string, declared: DeclaredTypes): string[] {
  const { time, property, timezone, offset } = until;
  if ((time === undefined) === (property === undefined)) return [`${path}: must have either time or property`];
  if (property === undefined) {
    if (offset) return [`${path}/offset: belongs to property, so leave it out`];
    if (timezone === undefined || timezone === 'contact' || isTimezone(timezone)) return [];
    return [`${path}/timezone: must be contact, or an IANA time zone, for example Europe/Berlin`];
  }
  const stray = OF_TIME.filter((field) => until[field] !== undefined);
  if (stray.length > 0) return stray.map((field) => `${path}/${field}: belongs to time, so leave it out`);
  const field = readDateField(property, declared);
  if ('problem' in field) return [`${path}/property${field.problem}`];
  return offset ? delayFaults(offset, `${path}/offset`) : [];
}
