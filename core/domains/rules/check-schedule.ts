const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * A verified domain falls back when its records have been answered as absent for this long, and waiting for records ends after
 * it.
 */
export const RECORDS_PATIENCE_MS = 72 * HOUR;
const FIRST_WAITS_MS = [
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  20 * MINUTE,
  30 * MINUTE,
];

/** The delay between the n-th check (from 1) and the next one; null after three days. */
export function nextCheckDelayMs(looks: number): number | null {
  const first = FIRST_WAITS_MS.slice(0, looks);
  const waitedMs = sum(first.slice(0, looks - 1)) + Math.max(0, looks - 1 - FIRST_WAITS_MS.length) * HOUR;
  return waitedMs < RECORDS_PATIENCE_MS ? (FIRST_WAITS_MS[looks - 1] ?? HOUR) : null;
}

/** A domain with missing records is checked more often, so that it falls back no later than it must. */
export function recheckDelayMs({ missingSince }: { missingSince: Date | null }): number {
  return missingSince ? HOUR : 12 * HOUR;
}

export function describeWait(delayMs: number): string {
  const [count, unit] =
    delayMs < MINUTE
      ? [delayMs / SECOND, 'second']
      : delayMs < HOUR
        ? [delayMs / MINUTE, 'minute']
        : [delayMs / HOUR, 'hour'];
  return `${Math.round(count)} ${unit}${Math.round(count) === 1 ? '' : 's'}`;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
