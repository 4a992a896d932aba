import type { Series } from '../../../client/index.ts';

const dimensions = ['campaignId', 'automationId', 'domain', 'provider', 'tag'] as const;

export type Dimension = (typeof dimensions)[number];

/** Of which mail, of which time, in which steps; as the address of the page says it. */
export interface Asked {
  /** '' is the whole project. */
  dimension: Dimension | '';
  /** '' until the person has chosen one. */
  value: string;
  span: Span;
  interval: Series['interval'];
  /** Hours of a longer time are not counted. */
  canHaveHours: boolean;
  from: Date;
  to: Date;
}

type Span = (typeof spans)[number]['value'];

export const spans = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '1y', label: 'A year' },
  { value: 'own', label: 'Other days' },
] as const;

const DAY_MS = 86_400_000;
const HOURS_DAYS_MAX = 31;
/** Days of fewer are few points. */
const DAYS_FROM = 3;
const days: Record<Exclude<Span, 'own'>, number> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 };

export function askedOf(query: URLSearchParams, now: Date): Asked {
  const span = spans.find(({ value }) => value === query.get('span'))?.value ?? '30d';
  const dimension = dimensions.find((one) => one === query.get('of')) ?? '';
  const { from, to } = span === 'own' ? ownDays(query, now) : lastDays(days[span], now);
  const length = (to.getTime() - from.getTime()) / DAY_MS;
  const canHaveHours = length <= HOURS_DAYS_MAX;
  const wished = query.get('by') ?? (length < DAYS_FROM ? 'hour' : 'day');
  const interval = wished === 'hour' && canHaveHours ? 'hour' : 'day';
  return { dimension, value: dimension && (query.get('value') ?? ''), span, interval, canHaveHours, from, to };
}

/** The day of now is the last one. */
function lastDays(n: number, to: Date): { from: Date; to: Date } {
  if (n === 1) return { from: new Date(to.getTime() - DAY_MS + 3_600_000), to };
  return { from: new Date(to.getTime() - (n - 1) * DAY_MS), to };
}

/** From the beginning of the first day to the end of the last one, or to now. */
function ownDays(query: URLSearchParams, now: Date): { from: Date; to: Date } {
  const [first, last] = [dayOf(query.get('from')), dayOf(query.get('to'))];
  const usual = lastDays(days['7d'], now);
  last?.setDate(last.getDate() + 1);
  const to = last && last < now ? last : now;
  return { from: first ?? usual.from, to };
}

function dayOf(text: string | null): Date | null {
  const at = new Date(`${text}T00:00`);
  return Number.isNaN(at.getTime()) ? null : at;
}

/** As `<input type="date">` has it, in the zone of the browser. */
export function dateText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
