import type { LinkRow, LinksReport } from '../../core/figures/reports/links/report.ts';
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

export function presentCampaignLinks(report: LinksReport) {
  return presentLinks(report, (row) => sumsOf(row));
}

export function presentTemplateLinks(report: LinksReport) {
  return presentLinks(report, (row) => ({ ...sumsOf(row), isCurrent: row.isCurrent }));
}

export function presentAutomationLinks(report: LinksReport) {
  return presentLinks(report, (row) => ({ stepId: row.stepId, ...sumsOf(row), isCurrent: row.isCurrent }));
}

function presentLinks<Shown>({ since, links, other }: LinksReport, present: (row: LinkRow) => Shown) {
  return { since, links: links.map(present), other };
}

function sumsOf({ position, url, clicks, people, humanPeople }: LinkRow) {
  return { position, url, clicks, people, humanPeople };
}
