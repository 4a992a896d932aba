import { MINUTE_MS } from '../time/durations.ts';

export const ISO_DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)?)?$/;

/** A date, a time of day and a zone; `parseIsoDate` checks the numbers. */
export const WITH_ZONE = /^\d{4}-\d\d-\d\d[Tt ].*(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/;

export const DATE_MS_MIN = -62_135_596_800_000; // 0001-01-01
export const DATE_MS_MAX = 253_402_300_799_999; // the last millisecond of 9999

/** Milliseconds of a full ISO 8601 date or date-time that the calendar has; without an offset it is UTC. */
export function parseIsoDate(text: string): number | null {
  const match = ISO_DATE.exec(text);
  if (!match) return null;
  const [, day, hour = '00', minute = '00', second = '00', fraction = '', sign] = match;
  const [offsetHour = '00', offsetMinute = '00'] = match.slice(7);
  const written = `${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const local = Date.parse(written);
  // The platform's parser turns 30 February into 2 March.
  if (Number.isNaN(local) || new Date(local).toISOString() !== written) return null;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * MINUTE_MS;
  const ms = sign === '+' ? local - offset : local + offset;
  return isDateMs(ms) ? ms : null;
}

/** Whole milliseconds between the years 1 and 9999, the range of an ISO string with four digits for the year. */
export function isDateMs(ms: number): boolean {
  return Number.isInteger(ms) && ms >= DATE_MS_MIN && ms <= DATE_MS_MAX;
}
