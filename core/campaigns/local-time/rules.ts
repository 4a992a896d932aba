import { DAY_MS, HOUR_MS } from '../../base/time/durations.ts';
import { firstAt } from '../../base/time/zones.ts';
import type { CampaignLocalTime, Release } from '../model.ts';

/** No zone is further ahead of UTC, or behind it. */
const AHEAD_MS_MAX = 14 * HOUR_MS;
const BEHIND_MS_MAX = 12 * HOUR_MS;

type WallTime = Pick<CampaignLocalTime, 'date' | 'time'>;

/** The moments between which all zones of the world have this time. */
export function anywhere(wall: WallTime): { first: Date; last: Date } {
  const ms = wallMs(wall);
  return { first: new Date(ms - AHEAD_MS_MAX), last: new Date(ms + BEHIND_MS_MAX) };
}

/** Whether the calendar has this day. */
export function isDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(date);
}

/**
 * When people of a zone get their mail. A time that the zone skips is the next moment that it has, and one that it has twice the first.
 * People whose time was before `lateBefore` are late. null: they get nothing.
 */
export function releaseAt(local: CampaignLocalTime, zone: string, lateBefore: Date): Date | null {
  const [beginMs, lateMs] = [wallMs(local), lateBefore.getTime()];
  const firstMs = firstAt(zone, beginMs);
  if (firstMs >= lateMs) return new Date(firstMs);
  if (local.late === 'skip') return null;
  if (local.late === 'now') return lateBefore;
  // Days are 23 to 25 hours long, so this one is still late, or the first that is not.
  for (let day = Math.max(1, Math.floor((lateMs - firstMs) / DAY_MS) - 1); ; day += 1) {
    const ms = firstAt(zone, beginMs + day * DAY_MS);
    if (ms >= lateMs) return new Date(ms);
  }
}

/** The first `seq` that may not be sent to yet, and when it may; null when all may. The clock alone decides, so nothing of it is stored. */
export function releasedAt(
  releases: readonly Release[] | undefined,
  now: Date,
): { upTo: number; nextBatchAt: Date } | null {
  const next = releases?.find(({ at }) => at > now);
  return next ? { upTo: next.fromSeq, nextBatchAt: next.at } : null;
}

function wallMs({ date, time }: WallTime): number {
  return Date.parse(`${date}T${time}:00Z`);
}
