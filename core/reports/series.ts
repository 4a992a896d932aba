import type { Document } from 'mongodb';
import type { Deps } from '../base/deps.ts';
import { invalid } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { COUNTS, type CountName } from '../outbox/counting/facts.ts';
import { PROVIDER_IDS } from '../outbox/counting/mailbox-providers.ts';
import { QUARTER_MS } from '../outbox/counting/tally.ts';
import { automationSource, campaignSource, keyOf } from './documents.ts';
import { type Range, rangeOf } from './ranges.ts';
import { type Interval, localDay, type Point, pointsOf, type Stretch, stretchesOf } from './rules/zones.ts';
import { completeSince, readState } from './state.ts';

const DAY_MS = 24 * 3_600_000;
/** A month or two years may have an hour more or less. */
const SPARE_MS = 2 * 3_600_000;
const RANGES = {
  hour: { maxMs: 31 * DAY_MS + SPARE_MS, max: '31 days', usualMs: DAY_MS },
  day: { maxMs: 731 * DAY_MS + SPARE_MS, max: 'two years', usualMs: 30 * DAY_MS },
} as const;
const DIMENSIONS = ['campaignId', 'automationId', 'domain', 'provider'] as const;

type Dimension = (typeof DIMENSIONS)[number];

export interface SeriesQuery extends Partial<Record<Dimension, string>> {
  interval: Interval;
  timezone: string;
  from?: string | undefined;
  to?: string | undefined;
}

export type SeriesPoint = Point & Record<CountName, number>;

export interface Series {
  of: { dimension: Dimension; value: string } | null;
  /** From when on everything is counted. */
  since: Date;
  points: SeriesPoint[];
}

/** The counts of each hour or day of the range, of the project or of one part of it. */
export async function seriesOf(
  deps: Pick<Deps, 'db' | 'clock'>,
  project: Project,
  query: SeriesQuery,
): Promise<Series> {
  const of = dimensionOf(query);
  const range = rangeOf(deps, query, RANGES[query.interval]);
  const points = pointsOf(query.timezone, query.interval, range);
  const whole = { from: points[0]!.from, to: points.at(-1)!.to };
  const state = await readState(deps, project._id);
  const tenant = { projectId: project._id, count: state?.count ?? 0 };
  const plan = planOf(tenant, of, whole);
  const stretches = stretchesOf(query.timezone, whole.from.getTime(), whole.to.getTime());
  const group = { _id: query.interval === 'day' ? localDayOf(stretches) : '$at', ...sums(plan.path) };
  const groups = await deps.db.reportCounts
    .aggregate([{ $match: plan.match }, { $group: group }], { hint: plan.hint })
    .toArray();
  const keyOfPoint = query.interval === 'day' ? dayKeys(points, stretches) : quarterKeys(points);
  return { of, since: await completeSince(deps, project, state), points: filled(points, groups, keyOfPoint) };
}

function dimensionOf(query: SeriesQuery): Series['of'] {
  const given = DIMENSIONS.filter((dimension) => query[dimension] !== undefined);
  const [dimension, another] = given;
  if (another)
    throw invalid(
      `A series is of one campaign, automation, domain or provider; leave ${another} out.`,
      `${another}: cannot be combined with ${dimension}`,
    );
  if (!dimension) return null;
  const value = query[dimension]!.toLowerCase();
  if (dimension === 'provider' && !PROVIDER_IDS.includes(value))
    throw invalid(
      'There is no such mailbox provider; GET /reports/providers has the ids.',
      'provider: must be the id of a mailbox provider',
    );
  return { dimension, value };
}

interface Plan {
  match: Document;
  /** Where in a document the counts are. */
  path: string;
  hint: 'project' | 'source';
}

function planOf(tenant: Document, of: Series['of'], { from, to }: Range): Plan {
  const at = { $gte: from, $lt: to };
  const whole = { match: { ...tenant, at }, hint: 'project' } as const;
  switch (of?.dimension) {
    case 'campaignId':
    case 'automationId': {
      const id = parseId(of.value)!;
      const source = of.dimension === 'campaignId' ? campaignSource(id) : automationSource(id);
      return { match: { ...tenant, source, at }, path: 'counts', hint: 'source' };
    }
    case 'domain':
      return { ...whole, path: `domains.${keyOf(of.value)}` };
    case 'provider':
      return { ...whole, path: `providers.${of.value}` };
    default:
      return { ...whole, path: 'counts' };
  }
}

export function sums(path: string): Document {
  return Object.fromEntries(COUNTS.map((name) => [name, { $sum: `$${path}.${name}` }]));
}

/** The number of the local day, with the offset that the zone has at `$at`. */
function localDayOf(stretches: Stretch[]): Document {
  const offset = stretches.reduceRight<Document | number>(
    (later, { toMs, offsetMs }, index) =>
      index === stretches.length - 1 ? offsetMs : { $cond: [{ $lt: ['$at', new Date(toMs)] }, offsetMs, later] },
    0,
  );
  return { $floor: { $divide: [{ $add: [{ $toLong: '$at' }, offset] }, DAY_MS] } };
}

type Keys = Map<number, number>;

function dayKeys(points: Point[], stretches: Stretch[]): Keys {
  return new Map(
    points.map(({ from }, index) => {
      const ms = from.getTime();
      const { offsetMs } = stretches.find(({ toMs }) => ms < toMs)!;
      return [localDay(ms, offsetMs), index];
    }),
  );
}

function quarterKeys(points: Point[]): Keys {
  const keys: Keys = new Map();
  for (const [index, { from, to }] of points.entries())
    for (let ms = from.getTime(); ms < to.getTime(); ms += QUARTER_MS) keys.set(ms, index);
  return keys;
}

function filled(points: Point[], groups: Document[], keys: Keys): SeriesPoint[] {
  const none = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<CountName, number>;
  const result = points.map((point) => ({ ...point, ...none }));
  for (const { _id, ...counts } of groups) {
    const point = result[keys.get(Number(_id)) ?? -1];
    if (point) for (const name of COUNTS) point[name] += counts[name];
  }
  return result;
}
