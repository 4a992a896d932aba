import type { Series, SeriesPoint } from '../../../client/index.ts';
import { Legend, Tiles } from '../../parts/data/bars.tsx';
import { count, day, moment, percent } from '../../parts/data/format.ts';
import { Plot, type PlotSeries } from '../../parts/data/plot.tsx';
import { Columns, Section } from '../../parts/page/page.tsx';

export type Figure = Exclude<keyof SeriesPoint, 'from' | 'to'>;

const figures = [
  'accepted',
  'sent',
  'delivered',
  'opened',
  'humanOpened',
  'clicked',
  'bounced',
  'deferred',
  'complained',
  'unsubscribed',
] as const satisfies readonly Figure[];

export function sumOf(points: readonly SeriesPoint[], name: Figure): number {
  return points.reduce((sum, point) => sum + point[name], 0);
}

export function hasMail(points: readonly SeriesPoint[]): boolean {
  return points.some((point) => figures.some((name) => point[name] > 0));
}

/** Shared by the plots of a series. */
export function timesOf({ points, interval }: Series) {
  return {
    times: points.map(({ from }) => Date.parse(from)),
    formatTime: (at: Date) => (interval === 'hour' ? moment(at) : day(at)),
  };
}

/** The whole time in figures. */
export function Sums({ points }: { points: Series['points'] }) {
  const sum = (name: Figure) => sumOf(points, name);
  const [accepted, sent, delivered, people] = [sum('accepted'), sum('sent'), sum('delivered'), sum('humanOpened')];
  const part = (name: Figure, all: number, of: string, digits?: number) => ({
    value: count(sum(name)),
    of: `${percent(sum(name), all, digits)} of ${of}`,
  });
  return (
    <Tiles
      label="In this time"
      tiles={[
        { label: 'Accepted', value: count(accepted), of: 'for sending' },
        { label: 'Sent', ...part('sent', accepted, 'accepted') },
        { label: 'Delivered', ...part('delivered', sent, 'sent') },
        { label: 'Opened by people', ...part('humanOpened', delivered, 'delivered') },
        { label: 'Clicked', ...part('clicked', people, 'opened') },
        { label: 'Bounced', ...part('bounced', sent, 'sent', 2) },
        { label: 'Complaints', ...part('complained', delivered, 'delivered', 3) },
        { label: 'Unsubscribed', ...part('unsubscribed', delivered, 'delivered', 2) },
      ]}
    />
  );
}

const mail: readonly Line[] = [
  { name: 'sent', label: 'sent', kind: 'area', fill: 'accent' },
  { name: 'deferred', label: 'deferred', fill: 'warn' },
  { name: 'bounced', label: 'bounced', fill: 'bad' },
];
const reading: readonly Line[] = [
  { name: 'humanOpened', label: 'opened by people', kind: 'area', fill: 'accent' },
  { name: 'clicked', label: 'clicked', fill: 'idle' },
];

type Line = Pick<PlotSeries, 'kind'> & { name: Figure; label: string; fill: NonNullable<PlotSeries['fill']> };

export function Courses({ series }: { series: Series }) {
  return (
    <div class="plots">
      <Columns hasRule>
        <Course title={`Mail by ${series.interval}`} series={series} lines={mail} span={7} />
        <Course title={`Opens and clicks by ${series.interval}`} series={series} lines={reading} span={5} />
      </Columns>
    </div>
  );
}

function Course({
  title,
  series,
  lines,
  span,
}: {
  title: string;
  series: Series;
  lines: readonly Line[];
  span: 5 | 7;
}) {
  const items = lines.map(({ name, label, fill }) => ({ label, fill, value: count(sumOf(series.points, name)) }));
  return (
    <Section title={title} span={span} aside={<Legend items={items} />}>
      <Plot
        {...timesOf(series)}
        label={`${title}: ${items.map(({ label, value }) => `${value} ${label}`).join(', ')}`}
        series={lines.map(({ name, ...line }) => ({ ...line, values: series.points.map((point) => point[name]) }))}
      />
    </Section>
  );
}
