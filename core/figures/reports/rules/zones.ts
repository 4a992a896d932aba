import { BoundedMap } from '../../../base/work/cache.ts';

/** Hours and days of a zone, as instants. Zones of today are whole quarters of an hour from UTC. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Zones that move their clocks back for Ramadan do so for a month; none does for less than this. */
const STEP_MS = 7 * DAY_MS;
const QUARTER_MS = HOUR_MS / 4;
/** More than a day with its change of clocks. */
const MARGIN_MS = 50 * HOUR_MS;
const FORMATS_MAX = 600;

export type Interval = 'hour' | 'day';

export interface Point {
  from: Date;
  to: Date;
}

/** A time in which a zone keeps its offset. */
export interface Stretch {
  fromMs: number;
  toMs: number;
  offsetMs: number;
}

const formats = new BoundedMap<string, Intl.DateTimeFormat>(FORMATS_MAX);

/**
 * The hours or days from the one that has `from` to the one before `to`, or that has it. The hour that clocks repeat is two points, and one
 * that they skip is none; where they are moved by half an hour, a point has 30 or 90 minutes.
 */
export function pointsOf(zone: string, interval: Interval, { from, to }: Point): Point[] {
  const stretches = stretchesOf(zone, from.getTime() - MARGIN_MS, to.getTime() + MARGIN_MS);
  const starts = stretches.flatMap((stretch, index) => startsIn(stretch, stretches[index - 1], interval));
  const first = starts.findLastIndex((ms) => ms <= from.getTime());
  const end = starts.findIndex((ms) => ms >= to.getTime());
  return starts
    .slice(first, end)
    .map((ms, index) => ({ from: new Date(ms), to: new Date(starts[first + index + 1]!) }));
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

/** The first quarter of an hour with the offset of `highMs`. */
function changeBetween(zone: string, lowMs: number, highMs: number): number {
  const offsetMs = offsetAt(zone, highMs);
  let [low, high] = [Math.floor(lowMs / QUARTER_MS), Math.ceil(highMs / QUARTER_MS)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * QUARTER_MS) === offsetMs) high = middle;
    else low = middle;
  }
  return high * QUARTER_MS;
}

function startsIn({ fromMs, toMs, offsetMs }: Stretch, before: Stretch | undefined, interval: Interval): number[] {
  const unitMs = interval === 'hour' ? HOUR_MS : DAY_MS;
  const unitOf = (ms: number, offset: number) => Math.floor((ms + offset) / unitMs);
  const starts: number[] = [];
  const isAnother = before !== undefined && unitOf(fromMs - 1, before.offsetMs) !== unitOf(fromMs, offsetMs);
  const isRepeated = before !== undefined && interval === 'hour' && (fromMs + offsetMs) % HOUR_MS === 0;
  if (isAnother || isRepeated) starts.push(fromMs);
  for (let ms = (unitOf(fromMs, offsetMs) + 1) * unitMs - offsetMs; ms < toMs; ms += unitMs) starts.push(ms);
  return starts;
}

function offsetAt(zone: string, ms: number): number {
  const name = formatOf(zone)
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name ?? '') ?? [];
  const offsetMs = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -offsetMs : offsetMs;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, made);
  return made;
}
