import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/time/durations.ts';

/**
 * A verified domain falls back when its records have been answered as absent for this long, and waiting for records ends after
 * it.
 */
export const RECORDS_PATIENCE_MS = 72 * HOUR_MS;
const FIRST_WAITS_MS = [
  15 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  20 * MINUTE_MS,
  30 * MINUTE_MS,
];

/** The delay between the n-th check (from 1) and the next one; null after three days. */
export function nextCheckDelayMs(looks: number): number | null {
  const first = FIRST_WAITS_MS.slice(0, looks);
  const waitedMs = sum(first.slice(0, looks - 1)) + Math.max(0, looks - 1 - FIRST_WAITS_MS.length) * HOUR_MS;
  return waitedMs < RECORDS_PATIENCE_MS ? (FIRST_WAITS_MS[looks - 1] ?? HOUR_MS) : null;
}

/** A domain with missing records is checked more often, so that it falls back no later than it must. */
export function recheckDelayMs({ missingSince }: { missingSince: Date | null }): number {
  return missingSince ? HOUR_MS : 12 * HOUR_MS;
}

export function describeWait(delayMs: number): string {
  const [count, unit] =
    delayMs < MINUTE_MS
      ? [delayMs / SECOND_MS, 'second']
      : delayMs < HOUR_MS
        ? [delayMs / MINUTE_MS, 'minute']
        : [delayMs / HOUR_MS, 'hour'];
  return `${Math.round(count)} ${unit}${Math.round(count) === 1 ? '' : 's'}`;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
