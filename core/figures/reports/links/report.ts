import type { Project } from '../../../base/model.ts';
import { isPageOfMail } from '../../../mail/compose/variables.ts';
import { compiled } from '../../../templates/cache.ts';
import type { WrittenLink } from '../../../templates/language/templates.ts';
import type { FiguresDeps } from '../../deps.ts';
import type { LinkCounts } from '../model.ts';
import { automationSource, campaignSource } from '../parts.ts';
import { completeSince, readState } from '../state.ts';
import { ROWS_MAX } from './documents.ts';
import { campaignLinks, templateSource } from './sources.ts';

const VARIABLE = /\{\{~?\s*(\w+)\s*~?\}\}/g;

interface Sums {
  clicks: number;
  people: number;
  humanPeople: number;
}

export interface LinkRow extends Sums {
  stepId: string | null;
  /** null for links grouped by URL. */
  position: number | null;
  url: string;
  /** The content of today has it there. */
  isCurrent: boolean;
}

export interface LinksReport {
  since: Date;
  links: LinkRow[];
  other: Sums;
}

interface Current {
  stepId: string | null;
  links: readonly WrittenLink[];
}

type ReportDeps = Pick<FiguresDeps, 'db' | 'clock' | 'state'>;

export async function linksOfCampaign(
  deps: ReportDeps,
  project: Project,
  { _id }: { _id: LinkCounts['_id'] },
): Promise<LinksReport> {
  const links = await campaignLinks(deps, project._id, _id);
  return reportOf(deps, project, campaignSource(_id), [{ stepId: null, links }]);
}

/** The people who clicked each link of the content, machines among them. */
export function peopleByPosition({ links }: LinksReport): Map<number, number> {
  return new Map(
    links.flatMap(({ position, people, isCurrent }) => (position && isCurrent ? [[position, people]] : [])),
  );
}

export async function linksOfTemplate(
  deps: ReportDeps,
  project: Project,
  { templateId, emailTemplate }: { templateId: string; emailTemplate: string },
): Promise<LinksReport> {
  return reportOf(deps, project, templateSource(templateId), [{ stepId: null, links: linksIn(emailTemplate) }]);
}

interface Mailing {
  _id: LinkCounts['_id'];
  steps: Array<{ stepId: string; email?: { htmlTemplate?: string; templateId?: string } }>;
}

/** By step. */
export async function linksOfAutomation(
  deps: ReportDeps,
  project: Project,
  { _id, steps }: Mailing,
): Promise<LinksReport> {
  const templateIds = steps.flatMap(({ email }) => email?.templateId ?? []);
  const templates = await deps.db.templates
    .find({ projectId: project._id, templateId: { $in: templateIds } }, { hint: 'template_id' })
    .project<{ templateId: string; emailTemplate: string }>({ templateId: 1, emailTemplate: 1 })
    .toArray();
  const sourceOf = new Map(templates.map(({ templateId, emailTemplate }) => [templateId, emailTemplate]));
  const current = steps.flatMap(({ stepId, email }): Current[] => {
    const html = email?.htmlTemplate ?? sourceOf.get(email?.templateId ?? '');
    return html === undefined ? [] : [{ stepId, links: linksIn(html) }];
  });
  return reportOf(deps, project, automationSource(_id), current);
}

async function reportOf(deps: ReportDeps, project: Project, source: string, current: Current[]): Promise<LinksReport> {
  const state = await readState(deps, project._id);
  const counted = await deps.db.linkCounts
    .find({ projectId: project._id, count: state?.count ?? 0, source }, { hint: 'source' })
    .limit(ROWS_MAX)
    .toArray();
  const rows = new Map<string, LinkRow>();
  const none = { clicks: 0, people: 0, humanPeople: 0 };
  for (const { stepId, links } of current)
    for (const [index, { url, isTracked }] of links.entries())
      if (isTracked && isFollowed(url))
        rows.set(`${stepId} ${index + 1} ${url}`, { stepId, position: index + 1, url, ...none, isCurrent: true });
  const other = { ...none };
  for (const { step: stepId, link: position, url, ...all } of counted) {
    const sums = { clicks: all.clicks, people: all.people, humanPeople: all.humanPeople };
    const key = `${stepId} ${position} ${url}`;
    if (!url) for (const name of ['clicks', 'people', 'humanPeople'] as const) other[name] += sums[name];
    else rows.set(key, { stepId, position, url, ...sums, isCurrent: rows.has(key) });
  }
  const steps = current.map(({ stepId }) => stepId);
  return { since: await completeSince(deps, project, state), links: inOrder([...rows.values()], steps), other };
}

/** As in the mail: by step, then the links of today by position, then others by clicks. */
function inOrder(rows: LinkRow[], steps: Array<string | null>): LinkRow[] {
  const placeOf = ({ stepId }: LinkRow) => (steps.includes(stepId) ? steps.indexOf(stepId) : steps.length);
  const groupOf = ({ isCurrent }: LinkRow) => (isCurrent ? 0 : 1);
  return rows.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      groupOf(a) - groupOf(b) ||
      (a.isCurrent ? a.position! - b.position! : b.clicks - a.clicks || (a.url < b.url ? -1 : 1)),
  );
}

/** A migrated template may have a source that does not compile. */
function linksIn(html: string): readonly WrittenLink[] {
  try {
    return compiled(html, 'html', 'htmlTemplate').links;
  } catch {
    return [];
  }
}

/** Not the addresses that are never rewritten: pages of the mail itself, and others than of the web. */
function isFollowed(url: string): boolean {
  if ([...url.matchAll(VARIABLE)].some(([, name]) => isPageOfMail(name as string))) return false;
  return /^https?:\/\//i.test(url) || url.startsWith('{{');
}
