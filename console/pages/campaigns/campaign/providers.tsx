import type { Campaign, ProvidersReport } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Bar } from '../../../parts/data/bars.tsx';
import { count, percent } from '../../../parts/data/format.ts';
import { type Column, Table } from '../../../parts/data/table.tsx';
import { LoadedTable } from '../../../parts/page/loaded.tsx';
import { Empty } from '../../../parts/page/notice.tsx';
import { Section } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import type { Known } from './figures.ts';

type Provider = ProvidersReport['providers'][number];

const DAY_MS = 86_400_000;
/** As far back as the interface counts by provider. */
const DAYS_MAX = 730;

/** Outcomes by the mailbox provider of the recipients. */
export function Providers({ campaign, known }: { campaign: Campaign; known: Known }) {
  const report = useQuery(
    (signal) => {
      const from = new Date(Math.max(Date.parse(campaign.createdAt), Date.now() - DAYS_MAX * DAY_MS)).toISOString();
      return api.reports.providers({ campaignId: campaign.id, from }, { signal });
    },
    [campaign.id, known.moves.value],
  );
  const rows = report.data.value?.providers ?? null;
  const most = Math.max(1, ...(rows ?? []).map(({ sent }) => sent));
  return (
    <Section title="Mailbox providers" hasRule note="by the domain of the address; some seconds late">
      <LoadedTable query={report}>
        <Table
          label="Outcomes by mailbox provider"
          columns={providerColumns(most, campaign)}
          rows={rows}
          keyOf={({ id }) => id}
          skeletonRows={3}
          empty={
            <Empty title="Nothing is counted yet">
              Outcomes appear here by provider, some seconds after the first mails are sent.
            </Empty>
          }
        />
      </LoadedTable>
    </Section>
  );
}

export function providerColumns(
  most: number,
  { trackingOpen, trackingClick }: Pick<Campaign, 'trackingOpen' | 'trackingClick'>,
): readonly Column<Provider>[] {
  const part = (of: number, all: number) => <span class="dim">{percent(of, all)}</span>;
  return [
    { key: 'name', head: 'Provider', cell: ({ id, name }) => (id === 'other' ? 'All others' : name), isMain: true },
    {
      key: 'bar',
      head: 'Delivered, bounced',
      isWide: true,
      phone: 'hide',
      cell: ({ name, delivered, bounced }) => (
        <Bar
          label={`${name}: ${count(delivered)} delivered, ${count(bounced)} bounced`}
          all={most}
          parts={[
            { label: 'delivered', value: delivered, fill: 'accent' },
            { label: 'bounced', value: bounced, fill: 'bad' },
          ]}
        />
      ),
    },
    { key: 'sent', head: 'Sent', cell: ({ sent }) => count(sent), isNum: true },
    { key: 'delivered', head: 'Delivered', cell: ({ sent, delivered }) => part(delivered, sent), isNum: true },
    { key: 'bounced', head: 'Bounced', cell: ({ sent, bounced }) => part(bounced, sent), isNum: true },
    { key: 'deferred', head: 'Deferred', cell: ({ deferred }) => count(deferred), isNum: true },
    ...(trackingOpen
      ? [
          {
            key: 'opened',
            head: 'Opened',
            cell: ({ delivered, opened }: Provider) => part(opened, delivered),
            isNum: true,
          },
        ]
      : []),
    ...(trackingClick
      ? [
          {
            key: 'clicked',
            head: 'Clicked',
            cell: ({ delivered, clicked }: Provider) => part(clicked, delivered),
            isNum: true,
          },
        ]
      : []),
    {
      key: 'complained',
      head: 'Complained',
      cell: ({ delivered, complained }) => <span class="dim">{percent(complained, delivered, 2)}</span>,
      isNum: true,
    },
  ];
}
