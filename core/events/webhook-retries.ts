import { DAY_MS } from '../base/time/durations.ts';

export const WEBHOOK_FAILING_DAYS_MAX = 5;

const DELAYS_SECONDS = [1, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600];
const JITTER = 0.1;

/** When a failed delivery is tried again, or null when 24 hours are over; `jitter` is a number from 0 to 1. */
export function nextTryMs({
  attempts,
  elapsedMs,
  jitter,
}: {
  /** Failed attempts, including this one. */
  attempts: number;
  /** Since the first attempt. */
  elapsedMs: number;
  jitter: number;
}): number | null {
  const leftMs = DAY_MS - elapsedMs;
  if (leftMs <= 0) return null;
  const step = DELAYS_SECONDS[Math.min(Math.max(attempts, 1), DELAYS_SECONDS.length) - 1]! * 1_000;
  return Math.min(leftMs, Math.round(step * (1 + JITTER * jitter)));
}
