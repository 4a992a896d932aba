import type { Campaign, Series } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { timezone } from '../../../locale.ts';
import { Legend } from '../../../parts/data/bars.tsx';
import { count, day, moment } from '../../../parts/data/format.ts';
import { Plot } from '../../../parts/data/plot.tsx';
import { Choose } from '../../../parts/forms/choices.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Columns, Section } from '../../../parts/page/page.tsx';
import { type Query, useQuery } from '../../../parts/page/query.ts';
import { place, setQuery } from '../../../router.ts';
import type { Known } from './figures.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const spans = [
  { value: '', label: '48 hours' },
  { value: '14d', label: '14 days' },
  { value: 'all', label: 'All' },
];

/** The days of a gradual plan are those of its zone. */
function zoneOf({ gradual }: Campaign): string {
  return gradual?.timezone ?? timezone;
}

/** Counts by day from its making until now, which say when it began. */
export function useDays(campaign: Campaign, moves: number): Query<Series> {
  const zone = zoneOf(campaign);
  return useQuery(
    (signal) => {
      const from = new Date(Math.max(Date.parse(campaign.createdAt), Date.now() - 730 * DAY_MS)).toISOString();
      return api.reports.series({ campaignId: campaign.id, interval: 'day', timezone: zone, from }, { signal });
    },
    [campaign.id, moves, zone],
  );
}

/** The first day with mail; null while nothing is counted. */
function beganAt(days: Query<Series>): string | null {
  return days.data.value?.points.find(({ sent, opened }) => sent + opened > 0)?.from ?? null;
}

/** Afterwards: by hour or by day since it began. */
export function HoursPlots({ campaign, known, days }: { campaign: Campaign; known: Known; days: Query<Series> }) {
  const span = place.value.query.get('span') ?? '';
  const began = beganAt(days);
  const series = useQuery(
    async (signal) => {
      if (span !== '' || began === null) return null;
      const to = new Date(Math.min(Date.now(), Date.parse(began) + 3 * DAY_MS)).toISOString();
      const asked = { campaignId: campaign.id, interval: 'hour', timezone, from: began, to } as const;
      return api.reports.series(asked, { signal });
    },
    [campaign.id, began, span, known.moves.value],
  );
  const isHours = span === '';
  const points = pointsOf(isHours ? series.data.value : days.data.value, span);
  const unit = isHours ? 'hour' : 'day';
  const step = isHours ? HOUR_MS : DAY_MS;
  const drawn = drawnOf(points, step);
  const shared = {
    times: drawn.map(({ at }) => at),
    until: untilOf(drawn, step),
    formatTime: (at: Date) => (isHours ? moment(at) : day(at)),
    timezone: isHours ? timezone : zoneOf(campaign),
  };
  const sum = (name: 'opened' | 'clicked' | 'sent') => count(points.reduce((all, point) => all + point[name], 0));
  const isAnswered = series.data.value !== null || series.error.value !== null;
  const query = isHours && isAnswered ? series : days;
  return (
    <div class="plots">
      <Columns hasRule>
        <Section
          title={`Opens and clicks by ${unit}`}
          span={7}
          aside={
            <>
              <Legend
                items={[
                  { label: 'opens', value: sum('opened'), fill: 'accent' },
                  { label: 'clicks', value: sum('clicked'), fill: 'idle' },
                ]}
              />
              <Choose
                label="Time shown"
                value={span}
                options={spans}
                onChange={(value) => setQuery({ span: value || null })}
              />
            </>
          }
        >
          <Loaded query={query}>
            {() => (
              <Plot
                {...shared}
                label={`Opens and clicks by ${unit}: ${sum('opened')} opens and ${sum('clicked')} clicks`}
                series={[
                  { label: 'opens', values: drawn.map(({ opened }) => opened), kind: 'area' },
                  { label: 'clicks', values: drawn.map(({ clicked }) => clicked), fill: 'idle' },
                ]}
              />
            )}
          </Loaded>
        </Section>
        <Section
          title={`Sent by ${unit}`}
          span={5}
          aside={<Legend items={[{ label: 'sent', value: sum('sent'), fill: 'accent' }]} />}
        >
          <Loaded query={query}>
            {() => (
              <Plot
                {...shared}
                label={`Sent by ${unit}: ${sum('sent')}`}
                series={[{ label: 'sent', values: drawn.map(({ sent }) => sent), kind: 'bars' }]}
              />
            )}
          </Loaded>
        </Section>
      </Columns>
    </div>
  );
}

/** From the first hour or day with anything in it; of hours the first 48, of days all or the first 14. */
function pointsOf(series: Series | null, span: string): Series['points'] {
  const points = series?.points ?? [];
  const first = points.findIndex(({ sent, opened, clicked }) => sent + opened + clicked > 0);
  if (first < 0) return [];
  const max = span === 'all' ? Number.POSITIVE_INFINITY : span === '14d' ? 14 : 48;
  return points.slice(first, first + max);
}

interface Drawn {
  at: number;
  sent: number;
  opened: number;
  clicked: number;
}

/** With nothing before the first one, so that a single hour is seen as one. */
function drawnOf(points: Series['points'], step: number): Drawn[] {
  const [first] = points;
  if (!first) return [];
  const all = points.map(({ from, sent, opened, clicked }) => ({ at: Date.parse(from), sent, opened, clicked }));
  return [{ at: Date.parse(first.from) - step, sent: 0, opened: 0, clicked: 0 }, ...all];
}

const STEPS_MIN = 12;

/** Half of the last bar needs room, and a short course is not stretched. */
function untilOf(drawn: readonly Drawn[], step: number): number | undefined {
  const [first, last] = [drawn[0], drawn.at(-1)];
  return first && last && Math.max(last.at + step, first.at + STEPS_MIN * step);
}
