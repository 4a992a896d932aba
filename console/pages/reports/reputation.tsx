import type { ReputationReport, Series } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Legend } from '../../parts/data/bars.tsx';
import { count } from '../../parts/data/format.ts';
import { Plot } from '../../parts/data/plot.tsx';
import { State } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { Columns, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { sumOf, timesOf } from './figures.tsx';
import { LimitBar, rate } from './limit-bar.tsx';
import { standings } from './standings.ts';

type Limits = ReputationReport['limits'];
type Row = ReputationReport['domains'][number];

/** Complaints and bounces against the limits of Google and Yahoo: the course of the chosen mail, and each sending domain now. */
export function Reputation({ series, again }: { series: Series | null; again: number }) {
  const report = useQuery((signal) => api.reports.reputation({ signal }), [again]);
  return (
    <Section title="Reputation" hasRule note="with the limits of Google and Yahoo">
      <Loaded query={report}>
        {({ limits, note, project, domains }) => (
          <div class="stack">
            {series && <Rates series={series} limits={limits} />}
            <Table
              label="Reputation by sending domain"
              columns={columnsOf(limits)}
              rows={[{ domain: '', ...project }, ...domains]}
              keyOf={({ domain }) => domain}
            />
            <p class="dim small">
              {note} A domain is judged from 100 mails on, by the worse one of 24 hours and 7 days.
            </p>
          </div>
        )}
      </Loaded>
    </Section>
  );
}

function Rates({ series, limits }: { series: Series; limits: Limits }) {
  return (
    <div class="plots">
      <Columns>
        <RatePlot
          title="Complaints in percent of delivered"
          series={series}
          of={['complained', 'delivered']}
          lines={[
            { label: 'warning', at: limits.complaintWarning, fill: 'warn' },
            { label: 'limit', at: limits.complaintLimit, fill: 'bad' },
          ]}
        />
        <RatePlot
          title="Bounces in percent of sent"
          series={series}
          of={['bounced', 'sent']}
          lines={[{ label: 'limit', at: limits.bounceLimit, fill: 'bad' }]}
        />
      </Columns>
    </div>
  );
}

function RatePlot({
  title,
  series,
  of: [part, whole],
  lines,
}: {
  title: string;
  series: Series;
  of: readonly ['complained', 'delivered'] | readonly ['bounced', 'sent'];
  lines: ReadonlyArray<{ label: string; at: number; fill: 'warn' | 'bad' }>;
}) {
  const { points } = series;
  const all = sumOf(points, whole);
  const value = all > 0 ? rate((sumOf(points, part) / all) * 100) : '–';
  const marks = lines.map(({ label, at, fill }) => ({ label, fill, value: rate(at) }));
  return (
    <Section title={title} span={6} aside={<Legend items={[{ label: 'in all', value, fill: 'accent' }, ...marks]} />}>
      <Plot
        {...timesOf(series)}
        size="low"
        label={`${title}: ${value} in all; ${lines.map(({ label, at }) => `${label} at ${rate(at)}`).join(', ')}`}
        format={rate}
        series={[
          {
            label: part === 'bounced' ? 'bounces' : 'complaints',
            values: points.map((point) => (point[whole] > 0 ? (point[part] / point[whole]) * 100 : null)),
          },
          ...lines.map(({ label, at, fill }) => ({
            label,
            fill,
            kind: 'dashed' as const,
            values: points.map(() => at),
          })),
        ]}
      />
    </Section>
  );
}

function columnsOf({ complaintWarning, complaintLimit, bounceLimit }: Limits): readonly Column<Row>[] {
  const complaints = (when: 'last24Hours' | 'last7Days') => (row: Row) => (
    <LimitBar what="complaints" value={row[when].complaintRate} warning={complaintWarning} limit={complaintLimit} />
  );
  const bounces = (when: 'last24Hours' | 'last7Days') => (row: Row) => (
    <LimitBar what="bounces" value={row[when].bounceRate} limit={bounceLimit} />
  );
  return [
    {
      key: 'domain',
      head: 'Domain',
      isMain: true,
      isCut: true,
      cell: ({ domain }) => domain || 'All mail of the project',
    },
    {
      key: 'status',
      head: 'State',
      cell: ({ status }) => <State tone={standings[status].tone}>{standings[status].word}</State>,
    },
    { key: 'sent', head: 'Sent, 7 days', isNum: true, cell: ({ last7Days }) => count(last7Days.sent) },
    { key: 'complaints24', head: 'Complaints, 24 hours', cell: complaints('last24Hours') },
    { key: 'complaints7', head: 'Complaints, 7 days', cell: complaints('last7Days') },
    { key: 'bounces24', head: 'Bounces, 24 hours', cell: bounces('last24Hours') },
    { key: 'bounces7', head: 'Bounces, 7 days', cell: bounces('last7Days') },
  ];
}
