import { invalid } from '../../base/errors.ts';
import { parseIsoDate } from '../../base/text/dates.ts';
import type { FiguresDeps } from '../deps.ts';

export interface Range {
  from: Date;
  to: Date;
}

interface Limits {
  maxMs: number;
  /** The same in words. */
  max: string;
  /** When `from` is left out. */
  usualMs: number;
}

/** Dates far from the present have no counts, and zones had other offsets then. */
const YEAR_MIN = 2000;
const YEAR_MAX = 2200;

/** `to` is now when it is left out. */
export function rangeOf(
  { clock }: Pick<FiguresDeps, 'clock'>,
  given: { from?: string | undefined; to?: string | undefined },
  { maxMs, max, usualMs }: Limits,
): Range {
  const to = given.to === undefined ? clock.now() : readDate('to', given.to);
  const from = given.from === undefined ? new Date(to.getTime() - usualMs) : readDate('from', given.from);
  if (from >= to) throw invalid('A range begins before it ends.', 'from: must be before to');
  if (to.getTime() - from.getTime() > maxMs)
    throw invalid(`The range may have ${max} at most.`, `from: must be ${max} before to at most`);
  return { from, to };
}

function readDate(field: 'from' | 'to', text: string): Date {
  const date = new Date(parseIsoDate(text) ?? Number.NaN);
  const year = date.getUTCFullYear();
  if (year >= YEAR_MIN && year <= YEAR_MAX) return date;
  throw invalid('There are no counts of that time.', `${field}: must be an ISO 8601 time after ${YEAR_MIN}`);
}
