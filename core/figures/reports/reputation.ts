import type { Project } from '../../base/model.ts';
import { HOUR_MS } from '../../base/time/durations.ts';
import type { CountName } from '../../mail/ledger/counting/facts.ts';
import type { FiguresDeps } from '../deps.ts';
import { DOMAINS, PROJECT } from './parts.ts';
import { type Counted, readCounts } from './read-counts.ts';
import { type Judged, judge, type Standing, worse } from './rules/judge.ts';
import { noCounts } from './series.ts';
import { completeSince, readState } from './state.ts';

const WINDOWS = { last24Hours: 24 * HOUR_MS, last7Days: 7 * 24 * HOUR_MS } as const;
const DOMAINS_MAX = 200;
/** Clocks of senders may be ahead. */
const FAR = new Date(Date.UTC(2200, 0));

export interface Reputation {
  status: Standing;
  last24Hours: Judged;
  last7Days: Judged;
}

export interface DomainReputation extends Reputation {
  domain: string;
}

export interface ReputationReport {
  at: Date;
  since: Date;
  project: Reputation;
  /** The domains with most mail of the last seven days. */
  domains: DomainReputation[];
}

/** Bounces and complaints of the last 24 hours and 7 days, of the project and of each of its sending domains. */
export async function reputationOf(
  deps: Pick<FiguresDeps, 'db' | 'clock'>,
  project: Project,
): Promise<ReputationReport> {
  const state = await readState(deps, project._id);
  const [at, since] = [deps.clock.now(), await completeSince(deps, project, state)];
  const counted = { projectId: project._id, count: state?.count ?? 0 };
  const [all, domains] = await Promise.all([judgeProject(deps, counted, at), judgeDomains(deps, counted, at)]);
  return { at, since, project: all, domains };
}

interface Found {
  last24Hours: Record<CountName, number>;
  last7Days: Record<CountName, number>;
}

async function judgeProject(deps: Pick<FiguresDeps, 'db'>, counted: Counted, now: Date): Promise<Reputation> {
  const found = await inWindows(deps, counted, now, PROJECT);
  return judged(found.get(PROJECT) ?? { last24Hours: noCounts(), last7Days: noCounts() });
}

export async function judgeDomains(
  deps: Pick<FiguresDeps, 'db'>,
  counted: Counted,
  now: Date,
): Promise<DomainReputation[]> {
  const found = await inWindows(deps, counted, now, { startWith: DOMAINS });
  return [...found]
    .map(([part, one]) => ({ domain: part.slice(DOMAINS.length), ...judged(one) }))
    .toSorted((a, b) => b.last7Days.sent - a.last7Days.sent || (a.domain < b.domain ? -1 : 1))
    .slice(0, DOMAINS_MAX);
}

/** The quarter of an hour in which a window begins is not in it. */
async function inWindows(
  deps: Pick<FiguresDeps, 'db'>,
  counted: Counted,
  now: Date,
  parts: Parameters<typeof readCounts>[2],
): Promise<Map<string, Found>> {
  const week = { from: new Date(now.getTime() - WINDOWS.last7Days), to: FAR };
  const dayAgoMs = now.getTime() - WINDOWS.last24Hours;
  const found = new Map<string, Found>();
  await readCounts(deps, counted, parts, week, ({ part, atMs, name, by }) => {
    const known = found.get(part) ?? { last24Hours: noCounts(), last7Days: noCounts() };
    found.set(part, known);
    known.last7Days[name] += by;
    if (atMs >= dayAgoMs) known.last24Hours[name] += by;
  });
  return found;
}

function judged({ last24Hours, last7Days }: Found): Reputation {
  const [day, week] = [judge(last24Hours), judge(last7Days)];
  return { status: worse(day.status, week.status), last24Hours: day, last7Days: week };
}
