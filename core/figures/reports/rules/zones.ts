import { DAY_MS, HOUR_MS } from '../../../base/time/durations.ts';
import { type Stretch, stretchesOf } from '../../../base/time/zones.ts';

/** Hours and days of a zone, as instants. */

/** More than a day with its change of clocks. */
const MARGIN_MS = 50 * HOUR_MS;

export type Interval = 'hour' | 'day';

export interface Point {
  from: Date;
  to: Date;
}

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
