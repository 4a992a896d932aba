import { DATE_MS_MAX } from '../../base/text/dates.ts';
import { DAY_MS, MINUTE_MS } from '../../base/time/durations.ts';
import { dayIn, firstAt } from '../../base/time/zones.ts';
import { type DeclaredTypes, readDateField } from '../../people/filters/filters.ts';
import type { EntryCriteria } from '../model/definition.ts';
import { dateOf, delayFaults, offsetMs, type Person, type Zones, zoneOf } from './waits.ts';

/** When a date of a person lets them in: each date once, or its anniversaries. */

export type DateCriteria = Pick<EntryCriteria, 'property' | 'offset' | 'time' | 'yearly'>;

export interface Occurrence {
  atMs: number;
  /** The date, or the year of an anniversary: the same whatever the zone of the person, the time of day and the offset. */
  key: string;
}

/** After a standstill, or when another zone puts the moment into the past, people enter as much later at most. */
export const LATE_MS_MAX = DAY_MS;

/** The first one at `fromMs` or later; null: there is none. */
export function nextOccurrence(
  criteria: DateCriteria,
  person: Person,
  zones: Zones,
  fromMs: number,
): Occurrence | null {
  const { property = '', yearly = false } = criteria;
  const dateMs = dateOf(property, person);
  if (dateMs === null) return null;
  const zone = zoneOf(person, zones.timezoneProperty) ?? zones.timezone;
  const day = dayOf(zone, dateMs);
  const on = (one: number, key: string) => ({ atMs: momentOf(criteria, zone, one), key: `${property} ${key}` });
  if (!yearly) return withinReach(on(day, new Date(dateMs).toISOString()), fromMs);
  const [first, firstInUtc] = [yearOf(day), yearOf(dateMs / DAY_MS)];
  // One year early, since zones and days of offsets move the moment by some hours.
  const from = yearOf((fromMs - offsetMs(criteria.offset)) / DAY_MS) - 1;
  for (let year = Math.max(first, from); ; year += 1) {
    const found = on(anniversary(day, year), String(year - first + firstInUtc));
    if (found.atMs >= fromMs) return withinReach(found, fromMs);
  }
}

function withinReach(occurrence: Occurrence, fromMs: number): Occurrence | null {
  return occurrence.atMs < fromMs || occurrence.atMs > DATE_MS_MAX ? null : occurrence;
}

/** A date without a time is that day everywhere; one with a time is the day that it is then where the person is. */
function dayOf(zone: string, dateMs: number): number {
  return dateMs % DAY_MS === 0 ? dateMs / DAY_MS : dayIn(zone, dateMs);
}

/** 29 February is 28 February in other years. */
function anniversary(day: number, year: number): number {
  const date = new Date(day * DAY_MS);
  const [month, dayOfMonth] = [date.getUTCMonth(), date.getUTCDate()];
  const found = new Date(0).setUTCFullYear(year, month, dayOfMonth);
  return new Date(found).getUTCMonth() === month ? found / DAY_MS : found / DAY_MS - 1;
}

/** Days of the offset are those of the calendar, so that the time of day stays. */
function momentOf({ time = '00:00', offset }: DateCriteria, zone: string, day: number): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const isInDays = offset?.unit === 'days';
  const moved = isInDays ? day + offsetMs(offset) / DAY_MS : day;
  const ms = firstAt(zone, moved * DAY_MS + (hours * 60 + minutes) * MINUTE_MS);
  return isInDays ? ms : ms + offsetMs(offset);
}

function yearOf(day: number): number {
  return new Date(day * DAY_MS).getUTCFullYear();
}

export function isSameDate(one: DateCriteria, other: DateCriteria): boolean {
  const textOf = ({ property, offset, time, yearly }: DateCriteria) => JSON.stringify([property, offset, time, yearly]);
  return textOf(one) === textOf(other);
}

/** Whether a change of the person moves the occurrences: dates are compared by what they mean, not by how they are written. */
export function movesOccurrences(
  { property = '' }: DateCriteria,
  { timezoneProperty }: Zones,
  before: Person | null,
  after: Person,
): 'date' | 'zone' | null {
  if ((before && dateOf(property, before)) !== dateOf(property, after)) return 'date';
  return before && zoneOf(before, timezoneProperty) !== zoneOf(after, timezoneProperty) ? 'zone' : null;
}

export function dateFaults({ property, offset }: DateCriteria, path: string, declared: DeclaredTypes): string[] {
  const field = property === undefined ? null : readDateField(property, declared);
  const faults = field && 'problem' in field ? [`${path}/property${field.problem}`] : [];
  return offset ? [...faults, ...delayFaults(offset, `${path}/offset`)] : faults;
}

/** Without a time people would get mail at midnight. */
export function missingOfDate({ property, time }: DateCriteria): string[] {
  const missing = [property === undefined && 'property', time === undefined && 'time'].filter((name) => name !== false);
  return missing.map((name) => `entryCriteria/${name}: is required for date_reached`);
}
