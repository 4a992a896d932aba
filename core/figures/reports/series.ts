import { invalid } from '../../base/errors.ts';
import { parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { DAY_MS, HOUR_MS } from '../../base/time/durations.ts';
import { COUNTS, type CountName } from '../../mail/ledger/counting/facts.ts';
import { PROVIDER_IDS } from '../../mail/ledger/counting/mailbox-providers.ts';
import type { FiguresDeps } from '../deps.ts';
import { automationSource, campaignSource, domainPart, PROJECT, providerPart, tagPart } from './parts.ts';
import { rangeOf } from './ranges.ts';
import { readCounts } from './read-counts.ts';
import { type Interval, type Point, pointsOf } from './rules/zones.ts';
import { completeSince, readState } from './state.ts';

/** A month or two years may have an hour more or less. */
const SPARE_MS = 2 * HOUR_MS;
const RANGES = {
  hour: { maxMs: 31 * DAY_MS + SPARE_MS, max: '31 days', usualMs: DAY_MS },
  day: { maxMs: 731 * DAY_MS + SPARE_MS, max: 'two years', usualMs: 30 * DAY_MS },
} as const;
const DIMENSIONS = ['campaignId', 'automationId', 'domain', 'provider', 'tag'] as const;

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
  deps: Pick<FiguresDeps, 'db' | 'clock'>,
  project: Project,
  query: SeriesQuery,
): Promise<Series> {
  const of = dimensionOf(query);
  const range = rangeOf(deps, query, RANGES[query.interval]);
  const points = pointsOf(query.timezone, query.interval, range);
  const state = await readState(deps, project._id);
  const counted = { projectId: project._id, count: state?.count ?? 0 };
  const filled = points.map((point): SeriesPoint => ({ ...point, ...noCounts() }));
  let index = 0;
  await readCounts(
    deps,
    counted,
    partOf(of),
    { from: points[0]!.from, to: points.at(-1)!.to },
    ({ atMs, name, by }) => {
      while (filled[index]!.to.getTime() <= atMs) index += 1;
      filled[index]![name] += by;
    },
  );
  return { of, since: await completeSince(deps, project, state), points: filled };
}

export function noCounts(): Record<CountName, number> {
  return Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<CountName, number>;
}

function dimensionOf(query: SeriesQuery): Series['of'] {
  const given = DIMENSIONS.filter((dimension) => query[dimension] !== undefined);
  const [dimension, another] = given;
  if (another)
    throw invalid(
      `A series is of one campaign, automation, domain, provider or tag; leave ${another} out.`,
      `${another}: cannot be combined with ${dimension}`,
    );
  if (!dimension) return null;
  if (dimension === 'tag') return { dimension, value: query.tag! };
  const value = query[dimension]!.toLowerCase();
  if (dimension === 'provider' && !PROVIDER_IDS.includes(value))
    throw invalid(
      'There is no such mailbox provider; GET /reports/providers has the ids.',
      'provider: must be the id of a mailbox provider',
    );
  return { dimension, value };
}

function partOf(of: Series['of']): string {
  switch (of?.dimension) {
    case 'campaignId':
      return campaignSource(parseId(of.value)!);
    case 'automationId':
      return automationSource(parseId(of.value)!);
    case 'domain':
      return domainPart(of.value);
    case 'provider':
      return providerPart(of.value);
    case 'tag':
      return tagPart(of.value);
    default:
      return PROJECT;
  }
}
