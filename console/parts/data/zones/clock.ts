import { count, counted, hourOfDay, people } from '../format.ts';

export interface PlannedZone {
  timezone: string;
  /** People without a zone of their own. */
  isFallback: boolean;
  at: string;
  total: number;
  /** Absent before sending. */
  sent?: number;
}

/** People who get a mail before the others, whose mail is chosen then. */
export interface PlannedTest {
  at: string;
  total: number;
  /** Absent before sending. */
  sent?: number;
  /** When a mail was chosen, or may be at the earliest; null: none will be. */
  decideAt: string | null;
  /** null: not yet. */
  winner: string | null;
}

export interface Span {
  fromMs: number;
  toMs: number;
}

const HOUR_MS = 3_600_000;
const TICKS_MAX = 6;
const STEPS_H = [1, 2, 3, 4, 6, 12, 24, 48, 168];

/** From the first moment to the last, in whole hours, with room for the last mark. */
export function spanOf(zones: readonly PlannedZone[], test: PlannedTest | null): Span {
  const all = [...zones, ...(test ? [test] : [])].map(({ at }) => Date.parse(at));
  if (test?.decideAt) all.push(Date.parse(test.decideAt));
  const fromMs = Math.floor(Math.min(...all) / HOUR_MS) * HOUR_MS;
  const toMs = (Math.floor(Math.max(...all) / HOUR_MS) + 2) * HOUR_MS;
  return { fromMs, toMs };
}

/** In per cent. */
export function placeOf({ fromMs, toMs }: Span, ms: number): number {
  return Number((((ms - fromMs) / (toMs - fromMs)) * 100).toFixed(2));
}

/** Hours at which the clock is named, each with its day where another one begins. */
export function ticksOf({ fromMs, toMs }: Span): Array<{ ms: number; isNewDay: boolean }> {
  const hours = (toMs - fromMs) / HOUR_MS;
  const step = STEPS_H.find((one) => hours / one <= TICKS_MAX) ?? Math.ceil(hours / TICKS_MAX);
  const dayOf = (index: number) => new Date(fromMs + index * step * HOUR_MS).getDate();
  return Array.from({ length: Math.ceil(hours / step) }, (_, index) => ({
    ms: fromMs + index * step * HOUR_MS,
    isNewDay: index === 0 || dayOf(index) !== dayOf(index - 1),
  }));
}

/** Until when people wait who may not get the mail before it is chosen; null: they do not wait. */
export function heldUntil(test: PlannedTest | null, nowMs: number): number | null {
  if (!test?.decideAt) return null;
  const decideMs = Date.parse(test.decideAt);
  // A test without a winner lasts until now at least.
  return test.winner || test.sent === undefined ? decideMs : Math.max(decideMs, nowMs);
}

/** '1 of 5 zones has had its time. Next: Asia/Tokyo, Sat 12:51, 2 people.' */
export function nextWords(zones: readonly PlannedZone[], nowMs: number): string {
  const over = zones.filter(({ at }) => Date.parse(at) <= nowMs);
  const next = zones[over.length];
  if (!next)
    return zones.length === 1 ? 'The zone has had its time.' : `All ${count(zones.length)} zones have had their time.`;
  const had = over.length === 1 ? 'has had its time' : 'have had their time';
  const { timezone, at, total } = next;
  const said = `Next: ${timezone.replaceAll('_', ' ')}, ${hourOfDay(at)}, ${people(total)}.`;
  return over.length === 0 ? said : `${count(over.length)} of ${counted(zones.length, 'zone')} ${had}. ${said}`;
}
