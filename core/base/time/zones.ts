import { BoundedMap } from '../work/cache.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from './durations.ts';

/** Time zones by their IANA names. A wall time is what a clock in a zone shows: milliseconds, as if the zone were UTC. */

/** Zones that move their clocks back for Ramadan do so for a month; none does for less than this. */
const STEP_MS = 7 * DAY_MS;
/** More than any zone has ever been away from UTC. */
const OFFSET_MS_MAX = 16 * HOUR_MS;
/** Zones come from strangers' data, so names are kept up to a number, also those of no zone. */
const FORMATS_MAX = 600;
const NAME_LENGTH_MAX = 64;

/** A time in which a zone keeps its offset. */
export interface Stretch {
  fromMs: number;
  toMs: number;
  offsetMs: number;
}

const formats = new BoundedMap<string, Intl.DateTimeFormat | null>(FORMATS_MAX);

export function isTimezone(name: string): boolean {
  return name.length <= NAME_LENGTH_MAX && /^[A-Za-z]/.test(name) && formatOf(name) !== null;
}

/** The number of days from 1970-01-01 to the date that the zone has. */
export function dayIn(zone: string, ms: number): number {
  return Math.floor((ms + offsetAt(zone, ms)) / DAY_MS);
}

/** The first moment of the day: where clocks skip midnight, the one after. */
export function dayStart(zone: string, day: number): number {
  return firstAt(zone, day * DAY_MS);
}

/** The first moment at which a clock shows this wall time, or where it skips it the next moment after. */
export function firstAt(zone: string, wallMs: number): number {
  const stretches = stretchesOf(zone, wallMs - OFFSET_MS_MAX, wallMs + OFFSET_MS_MAX);
  const found = stretches.find(({ toMs, offsetMs }) => wallMs - offsetMs < toMs);
  return found ? Math.max(found.fromMs, wallMs - found.offsetMs) : wallMs;
}

export function stretchesOf(zone: string, fromMs: number, toMs: number): Stretch[] {
  const stretches: Stretch[] = [];
  let [beginMs, offsetMs] = [fromMs, offsetAt(zone, fromMs)];
  for (let ms = fromMs; ms < toMs; ) {
    const nextMs = Math.min(toMs, ms + STEP_MS);
    const next = offsetAt(zone, nextMs);
    if (next !== offsetMs) {
      const changeMs = changeBetween(zone, ms, nextMs);
      stretches.push({ fromMs: beginMs, toMs: changeMs, offsetMs });
      [beginMs, offsetMs] = [changeMs, next];
    }
    ms = nextMs;
  }
  return [...stretches, { fromMs: beginMs, toMs, offsetMs }];
}

/** The first second with the offset of `highMs`. */
function changeBetween(zone: string, lowMs: number, highMs: number): number {
  const offsetMs = offsetAt(zone, highMs);
  let [low, high] = [Math.floor(lowMs / SECOND_MS), Math.ceil(highMs / SECOND_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * SECOND_MS) === offsetMs) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}

function offsetAt(zone: string, ms: number): number {
  const format = formatOf(zone);
  if (!format) throw new RangeError(`${zone} is no time zone`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(format.format(ms)) ?? [];
  const offsetMs = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * SECOND_MS;
  return sign === '-' ? -offsetMs : offsetMs;
}

/** null: there is no such zone. */
function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = newFormat(zone);
  formats.set(zone, made);
  return made;
}

function newFormat(timeZone: string): Intl.DateTimeFormat | null {
  try {
    // The year alone is written in a fifth of the time of a date in parts.
    return new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', timeZoneName: 'longOffset' });
  } catch {
    return null;
  }
}
