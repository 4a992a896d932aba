import type { ObjectId } from 'mongodb';
import { oncePerCore } from '../../base/deps.ts';
import type { Project } from '../../base/model.ts';
import { HOUR_MS } from '../../base/time/durations.ts';
import { costlyCache } from '../../base/work/cache.ts';
import { COUNTS, type CountName } from '../../mail/ledger/counting/facts.ts';
import { quarterOf } from '../../mail/ledger/counting/tally.ts';
import type { FiguresDeps } from '../deps.ts';
import type { ReportState } from './model.ts';
import { PROJECT } from './parts.ts';
import { type Counted, readCounts } from './read-counts.ts';
import { type Point, pointsOf } from './rules/zones.ts';
import { noCounts } from './series.ts';
import { completeSince, readState } from './state.ts';

/** The day of every zone began less than so long ago: it has 25 hours where clocks are moved back. */
const DAY_MAX_MS = 25 * HOUR_MS;
/** At most that share of the time is spent on adding up. */
const SHARE = 1 / 50;

type Counts = Record<CountName, number>;

/** The counts of the last quarters of an hour, by their beginnings in milliseconds. */
export interface LastQuarters {
  byQuarter: ReadonlyMap<number, Counts>;
  /** From when on everything is counted. */
  since: Date;
}

export interface Today extends Point {
  timezone: string;
  since: Date;
  totals: Counts;
  /** With those that are still to come. */
  hours: Array<Point & Counts>;
}

const kept = oncePerCore((_deps: Pick<FiguresDeps, 'state'>) =>
  costlyCache<LastQuarters>({ sizeMax: 1_000, factor: 1 / SHARE }),
);

/** Of all mail of a project, read by an index and kept for some moments. */
export function lastQuarters(
  deps: Pick<FiguresDeps, 'db' | 'clock' | 'state'>,
  project: Pick<Project, '_id' | 'createdAt'>,
): Promise<LastQuarters> {
  return kept(deps).get(project._id.toHexString(), () => readQuarters(deps, project));
}

/** The present day of a zone. */
export function todayIn(timezone: string, { byQuarter, since }: LastQuarters, now: Date): Today {
  const [day] = pointsOf(timezone, 'day', { from: now, to: new Date(now.getTime() + 1) });
  const { from, to } = day!;
  const hours = pointsOf(timezone, 'hour', { from, to }).map((hour) => ({ ...hour, ...within(byQuarter, hour) }));
  return { timezone, from, to, since, totals: within(byQuarter, { from, to }), hours };
}

/** Of the whole quarters of an hour that began since then. */
export function countsSince({ byQuarter }: LastQuarters, from: Date): Counts {
  return within(byQuarter, { from: quarterOf(from), to: new Date(8.64e15) });
}

function within(byQuarter: LastQuarters['byQuarter'], { from, to }: Point): Counts {
  const total = noCounts();
  for (const [ms, counts] of byQuarter)
    if (ms >= from.getTime() && ms < to.getTime()) for (const name of COUNTS) total[name] += counts[name];
  return total;
}

async function readQuarters(
  deps: Pick<FiguresDeps, 'db' | 'clock'>,
  project: Pick<Project, '_id' | 'createdAt'>,
): Promise<LastQuarters> {
  const state = await readState(deps, project._id);
  const nowMs = deps.clock.now().getTime();
  const range = { from: new Date(nowMs - DAY_MAX_MS), to: new Date(nowMs + DAY_MAX_MS) };
  const byQuarter = new Map<number, Counts>();
  await readCounts(deps, countedIn(project._id, state), PROJECT, range, ({ atMs, name, by }) => {
    if (!byQuarter.has(atMs)) byQuarter.set(atMs, noCounts());
    byQuarter.get(atMs)![name] += by;
  });
  return { byQuarter, since: await completeSince(deps, project, state) };
}

/** All counts of a part of the mail since a time, such as those of a campaign. */
export async function totalsOf(
  deps: Pick<FiguresDeps, 'db' | 'clock'>,
  { projectId, part, since }: { projectId: ObjectId; part: string; since: Date },
): Promise<Counts> {
  const total = noCounts();
  const to = new Date(deps.clock.now().getTime() + DAY_MAX_MS);
  const counted = countedIn(projectId, await readState(deps, projectId));
  await readCounts(deps, counted, part, { from: since, to }, ({ name, by }) => {
    total[name] += by;
  });
  return total;
}

function countedIn(projectId: ObjectId, state: ReportState | null): Counted {
  return { projectId, count: state?.count ?? 0 };
}
