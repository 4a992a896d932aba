import { DAY_MS } from '../../base/time/durations.ts';
import { dayIn, dayStart } from '../../base/time/zones.ts';

/**
 * The plan of a gradual campaign: day n sends floor(emailsPerDay x growth^(n-1)), spread over the calendar day of its time zone.
 */
const growthFactors = { fixed: 1, '1.25x': 1.25, '1.5x': 1.5, '1.75x': 1.75, '2x': 2 } as const;
type Growth = keyof typeof growthFactors;

export interface GradualPlan {
  emailsPerDay: number;
  growth: Growth;
  /** IANA name. */
  timezone: string;
}

/** The stored state: the planned day, its calendar day, and how many recipients that day has released. */
export interface GradualState {
  /** 0 before the first day. */
  day: number;
  calendarDay: string | null;
  releasedToday: number;
  /** The beginning of the window over which today's number is spread. */
  dayStartedAt: Date | null;
}

interface Release {
  state: GradualState;
  /** How many more may be sent to now. */
  count: number;
  nextBatchAt: Date;
}

export const TICK_MS = 5 * 60_000;

export function quotaOfDay(
  { emailsPerDay, growth }: Pick<GradualPlan, 'emailsPerDay' | 'growth'>,
  day: number,
): number {
  return Math.min(Math.floor(emailsPerDay * growthFactors[growth] ** (day - 1)), Number.MAX_SAFE_INTEGER);
}

/**
 * How many the plan allows by now. The first day begins when sending does and is full however late that is; later days begin at
 * midnight. A day without any call (paused all day) is not a planned day, and nothing is caught up.
 */
export function releaseByNow(plan: GradualPlan, state: GradualState, now: Date): Release {
  const today = calendarDay(now, plan.timezone);
  // After a change to a time zone that is behind, the day lasts until its date is over there too.
  const isNewDay = state.calendarDay === null || today.name > state.calendarDay;
  const end = isNewDay ? today.end : dayEnd(state.calendarDay ?? today.name, plan.timezone);
  const day = isNewDay ? state.day + 1 : state.day;
  const dayStartedAt = isNewDay || !state.dayStartedAt ? (state.day === 0 ? now : today.start) : state.dayStartedAt;
  const releasedToday = isNewDay ? 0 : state.releasedToday;
  const quota = quotaOfDay(plan, day);
  const windowMs = Math.max(1, end.getTime() - dayStartedAt.getTime());
  // The slice that ends with the next tick is released at its beginning, so that the last one is not left for midnight.
  const share = Math.min(1, (now.getTime() - dayStartedAt.getTime() + TICK_MS) / windowMs);
  const allowed = Math.min(quota, Math.ceil(quota * share));
  const count = Math.max(0, allowed - releasedToday);
  const released = releasedToday + count;
  // A small number is not checked every five minutes, but when the next recipient may be released.
  const nextMs = dayStartedAt.getTime() + (released * windowMs) / quota - TICK_MS + 1;
  const tick = new Date(Math.min(Math.max(now.getTime() + TICK_MS, nextMs), end.getTime()));
  return {
    state: {
      day,
      calendarDay: isNewDay ? today.name : state.calendarDay,
      releasedToday: releasedToday + count,
      dayStartedAt,
    },
    count,
    nextBatchAt: released >= quota ? end : tick,
  };
}

interface CalendarDay {
  /** 2026-03-29 */
  name: string;
  start: Date;
  /** The start of the next day; 23 or 25 hours later where clocks change. */
  end: Date;
}

export function calendarDay(at: Date, timezone: string): CalendarDay {
  const day = dayIn(timezone, at.getTime());
  const name = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return { name, start: new Date(dayStart(timezone, day)), end: dayEnd(name, timezone) };
}

function dayEnd(name: string, timezone: string): Date {
  return new Date(dayStart(timezone, Date.parse(name) / DAY_MS + 1));
}
