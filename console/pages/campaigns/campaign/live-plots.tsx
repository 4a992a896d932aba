import type { Campaign, CampaignRatePoint } from '../../../../client/index.ts';
import { Legend } from '../../../parts/data/bars.tsx';
import { count, perSecond } from '../../../parts/data/format.ts';
import { Plot } from '../../../parts/data/plot.tsx';
import { Choose } from '../../../parts/forms/choices.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Columns, Section } from '../../../parts/page/page.tsx';
import { place, setQuery } from '../../../router.ts';
import type { Known } from './figures.ts';
import { isOver, isUnderWay } from './words.tsx';

const MINUTE_MS = 60_000;
/** Of the plot of what comes: no longer than what was. */
const AHEAD_MS_MAX = 15 * MINUTE_MS;

/** While it is sending: the last fifteen minutes. */
export function LivePlots({ campaign, known }: { campaign: Campaign; known: Known }) {
  return (
    <div class="plots">
      <Columns hasRule>
        <SendingPlot campaign={campaign} known={known} />
        <Section
          title="Opens and clicks a second"
          span={6}
          aside={
            <Legend
              items={[
                { label: 'opens', value: numberOf(known.now.value?.opened), fill: 'accent' },
                { label: 'clicks', value: numberOf(known.now.value?.clicked), fill: 'idle' },
              ]}
            />
          }
        >
          <Loaded query={known.rates}>
            {({ points, stepSeconds }) => {
              const steps = evenly(points, stepSeconds);
              const times = steps.map(({ at }) => Date.parse(at));
              return (
                <Plot
                  label="Opens and clicks a second in the last fifteen minutes"
                  times={times}
                  until={untilOf(times, known.progress.data.value?.etaSeconds)}
                  series={[
                    { label: 'opens', values: steps.map(({ opened }) => opened / stepSeconds), kind: 'area' },
                    { label: 'clicks', values: steps.map(({ clicked }) => clicked / stepSeconds), fill: 'idle' },
                  ]}
                  format={perSecond}
                />
              );
            }}
          </Loaded>
        </Section>
      </Columns>
    </div>
  );
}

function SendingPlot({ campaign, known }: { campaign: Campaign; known: Known }) {
  const isSum = place.value.query.get('plot') === 'sum';
  const progress = known.progress.data.value;
  const limit = campaign.sendRatePerSecond ?? undefined;
  const figures = [
    ...(isUnderWay(campaign.status)
      ? [{ label: 'now', value: numberOf(known.now.value?.sent), fill: 'accent' as const }]
      : []),
    { label: 'average', value: numberOf(progress?.ratePerSecond) },
    ...(limit === undefined ? [] : [{ label: 'limit', value: count(limit) }]),
  ];
  return (
    <Section
      title={isSum ? 'Sent so far' : 'Messages a second'}
      span={6}
      aside={
        <>
          {!isSum && <Legend items={figures} />}
          <Choose
            label="What the plot shows"
            value={isSum ? 'sum' : 'rate'}
            options={[
              { value: 'rate', label: 'Rate' },
              { value: 'sum', label: 'Sum' },
            ]}
            onChange={(value) => setQuery({ plot: value === 'sum' ? value : null })}
          />
        </>
      }
    >
      <Loaded query={known.rates}>
        {({ points, stepSeconds }) => {
          const steps = evenly(points, stepSeconds);
          const times = steps.map(({ at }) => Date.parse(at));
          const until = untilOf(times, progress?.etaSeconds);
          return isSum ? (
            <Plot
              label={`Sent so far: ${count(progress?.sent ?? 0)} of ${count(progress?.total ?? 0)}`}
              times={times}
              series={[{ label: 'sent so far', values: sums(steps, progress?.sent ?? 0), kind: 'area' }]}
              limit={progress?.total}
              until={until}
            />
          ) : (
            <Plot
              label="Messages a second in the last fifteen minutes"
              times={times}
              series={[
                { label: 'messages a second', values: steps.map(({ sent }) => sent / stepSeconds), kind: 'area' },
              ]}
              limit={limit}
              until={until}
              format={perSecond}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

function numberOf(rate: number | undefined | null): string {
  return rate === undefined || rate === null ? '–' : perSecond(rate).replace(' / s', '');
}

/** Until it is done, in whole minutes, so that the plot does not breathe with every event. The first seconds are not stretched. */
function untilOf(times: readonly number[], etaSeconds: number | null | undefined): number | undefined {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const leftMs = Math.min((etaSeconds ?? 0) * 1_000, AHEAD_MS_MAX);
  return leftMs > 0 ? Math.ceil((last + leftMs) / MINUTE_MS) * MINUTE_MS : first + MINUTE_MS;
}

/** From the step before the first mail. A step in which nothing happened is zero, not a gap. */
function evenly(all: readonly CampaignRatePoint[], stepSeconds: number): CampaignRatePoint[] {
  const begins = all.findIndex(({ sent, opened, clicked }) => sent + opened + clicked > 0);
  const points = all.slice(Math.max(0, begins - 1));
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [];
  const known = new Map(points.map((point) => [Date.parse(point.at), point]));
  const from = Date.parse(first.at);
  const steps = Math.round((Date.parse(last.at) - from) / (stepSeconds * 1_000));
  return Array.from({ length: steps + 1 }, (_, index) => {
    const at = from + index * stepSeconds * 1_000;
    return known.get(at) ?? { at: new Date(at).toISOString(), sent: 0, opened: 0, clicked: 0 };
  });
}

/** From the newest sum backwards: the points know the last minutes only. */
function sums(steps: readonly CampaignRatePoint[], total: number): number[] {
  let left = total;
  return steps
    .toReversed()
    .map(({ sent }) => {
      const sum = left;
      left = Math.max(0, left - sent);
      return sum;
    })
    .toReversed();
}

/** Whether the last minutes are worth a plot. */
export function isRecent({ campaign, rates }: Known): boolean {
  const status = campaign.data.value?.status;
  if (status && !isOver(status)) return true;
  return (rates.data.value?.points ?? []).some(({ sent }) => sent > 0);
}
