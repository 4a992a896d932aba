const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A verified domain falls back when its records have been answered as absent for so long, and waiting for records ends after it. */
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

/** How long to wait after the n-th look (from 1) before the next one; null when three days have been waited. */
export function nextCheckDelayMs(looks: number): number | null {
  const first = FIRST_WAITS_MS.slice(0, looks);
  const waitedMs = sum(first.slice(0, looks - 1)) + Math.max(0, looks - 1 - FIRST_WAITS_MS.length) * HOUR;
  return waitedMs < RECORDS_PATIENCE_MS ? (FIRST_WAITS_MS[looks - 1] ?? HOUR) : null;
}

/** A domain whose records are missing is looked at more often, so that it falls back no later than it must. */
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
