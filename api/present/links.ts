import type { LinkRow, LinksReport } from '../../core/figures/reports/links/report.ts';

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
