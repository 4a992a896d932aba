import type { ProvidersReport } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { type Column, Table } from '../../parts/data/table.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { providerColumns } from '../campaigns/campaign/providers.tsx';
import type { Asked } from './asked.ts';

type Provider = ProvidersReport['providers'][number];

/** As far as the interface counts the whole project by provider. */
const RANGE_MS = 31 * 86_400_000;

/** Outcomes by the mailbox provider of the recipients, of the project or of one campaign. */
export function Providers({ asked, again }: { asked: Asked; again: number }) {
  const { dimension, value, from, to } = asked;
  const campaignId = dimension === 'campaignId' ? value : '';
  const since = campaignId ? from : new Date(Math.max(from.getTime(), to.getTime() - RANGE_MS));
  const report = useQuery(
    (signal) =>
      api.reports.providers(
        { from: since.toISOString(), to: to.toISOString(), ...(campaignId && { campaignId }) },
        { signal },
      ),
    [campaignId, asked.span, from.toDateString(), to.toDateString(), again],
  );
  const rows = report.data.value?.providers ?? null;
  const most = Math.max(1, ...(rows ?? []).map(({ sent }) => sent));
  const isShorter = since > from;
  return (
    <Section
      title="Mailbox providers"
      hasRule
      note={`${campaignId ? 'of the campaign' : 'of the whole project'}${isShorter ? ', the last 31 days' : ''}; by the domain of the address`}
    >
      <LoadedTable query={report}>
        <Table
          label="Outcomes by mailbox provider"
          columns={[...providerColumns(most, { trackingOpen: true, trackingClick: true }), words]}
          rows={rows}
          keyOf={({ id }) => id}
          skeletonRows={3}
          empty={<Empty title="Nothing is counted yet">Outcomes are here some seconds after mail was sent.</Empty>}
        />
      </LoadedTable>
    </Section>
  );
}

const words: Column<Provider> = {
  key: 'words',
  head: 'Why deferred, most often',
  isCut: true,
  isDim: true,
  phone: 'hide',
  cell: ({ deferralReplies: [first] }) =>
    first && (
      <span class="mono small" title={`${first.reply} ${first.text}`}>
        {first.reply} {first.text}
      </span>
    ),
};
