import type { Document, ObjectId } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import type { Project } from '../base/model.ts';
import { nameOf } from './documents.ts';
import { type Judged, judge, type Standing, worse } from './rules/judge.ts';
import { sums } from './series.ts';
import { completeSince, readState } from './state.ts';

const HOUR_MS = 3_600_000;
const WINDOWS = { last24Hours: 24 * HOUR_MS, last7Days: 7 * 24 * HOUR_MS } as const;
const DOMAINS_MAX = 200;

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
export async function reputationOf(deps: Pick<Deps, 'db' | 'clock'>, project: Project): Promise<ReputationReport> {
  const state = await readState(deps, project._id);
  const [at, since] = [deps.clock.now(), await completeSince(deps, project, state)];
  const counted = { projectId: project._id, count: state?.count ?? 0 };
  const [all, domains] = await Promise.all([judgeProject(deps, counted, at), judgeDomains(deps, counted, at)]);
  return { at, since, project: all, domains };
}

interface Counted {
  projectId: ObjectId;
  count: number;
}

type Found = { _id: string; last24Hours: Document; last7Days: Document };

async function judgeProject(deps: Pick<Deps, 'db'>, counted: Counted, now: Date): Promise<Reputation> {
  const [found] = await inWindows(deps, counted, now, { path: 'counts', by: null, stages: [] });
  return judged(found ?? { _id: '', last24Hours: {}, last7Days: {} });
}

export async function judgeDomains(deps: Pick<Deps, 'db'>, counted: Counted, now: Date): Promise<DomainReputation[]> {
  const stages = [{ $project: { at: 1, one: { $objectToArray: { $ifNull: ['$domains', {}] } } } }, { $unwind: '$one' }];
  const found = await inWindows(deps, counted, now, { path: 'one.v', by: '$one.k', stages });
  return found
    .map((one) => ({ domain: nameOf(one._id), ...judged(one) }))
    .toSorted((a, b) => b.last7Days.sent - a.last7Days.sent || (a.domain < b.domain ? -1 : 1))
    .slice(0, DOMAINS_MAX);
}

/** The quarter of an hour in which a window begins is not in it. */
async function inWindows(
  { db }: Pick<Deps, 'db'>,
  counted: Counted,
  now: Date,
  { path, by, stages }: { path: string; by: string | null; stages: Document[] },
): Promise<Found[]> {
  const since = (ms: number) => new Date(now.getTime() - ms);
  const isRecent = { $gte: ['$at', since(WINDOWS.last24Hours)] };
  const week = sums(path);
  const recent = Object.entries(week).map(([name, { $sum }]) => [
    `recent_${name}`,
    { $sum: { $cond: [isRecent, $sum, 0] } },
  ]);
  const groups = await db.reportCounts
    .aggregate(
      [
        { $match: { ...counted, at: { $gte: since(WINDOWS.last7Days) } } },
        ...stages,
        { $group: { _id: by, ...week, ...Object.fromEntries(recent) } },
      ],
      { hint: 'project' },
    )
    .toArray();
  return groups.map(({ _id, ...counts }) => ({
    _id,
    last7Days: counts,
    last24Hours: Object.fromEntries(Object.keys(week).map((name) => [name, counts[`recent_${name}`]])),
  }));
}

function judged({ last24Hours, last7Days }: Found): Reputation {
  const [day, week] = [judge(last24Hours), judge(last7Days)];
  return { status: worse(day.status, week.status), last24Hours: day, last7Days: week };
}
