import type { ReputationReport } from '../../core/figures/reports/reputation.ts';
import { LIMITS } from '../../core/figures/reports/rules/judge.ts';
import type { Series, SeriesQuery } from '../../core/figures/reports/series.ts';

const COMPLAINTS =
  'Complaints are those that reach this server as feedback reports. Google sends none: its Postmaster Tools show the rate for Gmail.';

export function presentSeries({ interval, timezone }: SeriesQuery, { of, since, points }: Series) {
  const [first, last] = [points[0], points.at(-1)];
  const by = { by: of?.dimension ?? null, value: of?.value ?? null };
  return { interval, timezone, from: first?.from, to: last?.to, since, ...by, points };
}

export function presentReputation({ at, since, project, domains }: ReputationReport) {
  return { at, since, limits: LIMITS, note: COMPLAINTS, project, domains };
}
