import type { CampaignPerson } from '../../../../../client/index.ts';
import { api } from '../../../../api.ts';
import { day } from '../../../../parts/data/format.ts';
import { currentPage, Pager } from '../../../../parts/data/pager.tsx';
import { type Column, Table } from '../../../../parts/data/table.tsx';
import { Time } from '../../../../parts/data/time.tsx';
import { LoadedTable } from '../../../../parts/page/loaded.tsx';
import { Empty } from '../../../../parts/page/notice.tsx';
import { useQuery } from '../../../../parts/page/query.ts';
import { Tabs } from '../../../../parts/page/tabs.tsx';
import { RecipientState } from '../words.tsx';
import { Door, type View } from './door.tsx';
import { type Act, acts, type Facts, LIMIT, linkQuery, PersonLink } from './facts.tsx';

export function ByAct({ campaignId, known, view: { did = 'opened', link } }: Facts & { view: View }) {
  const page = currentPage();
  const people = useQuery(
    (signal) => api.campaigns.people(campaignId, { did, page, limit: LIMIT, ...linkQuery(link) }, { signal }),
    [campaignId, did, link, page, known.moves.value],
  );
  const data = people.data.value;
  const columns: readonly Column<CampaignPerson>[] = [
    { key: 'email', head: 'Address', cell: (row) => <PersonLink {...row} />, isMain: true, isCut: true },
    { key: 'state', head: 'State', cell: ({ status }) => <RecipientState status={status} /> },
    { key: 'sent', head: 'Sent', cell: ({ sentAt }) => <Time at={sentAt} />, isNum: true, isDim: true },
    { key: 'opened', head: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} />, isNum: true },
    { key: 'human', head: 'By a person', cell: ({ humanOpenedAt }) => <Time at={humanOpenedAt} />, isNum: true },
    { key: 'clicked', head: 'Clicked', cell: ({ clickedAt }) => <Time at={clickedAt} />, isNum: true },
    {
      key: 'left',
      head: 'Unsubscribed, complained',
      cell: ({ unsubscribedAt, complainedAt }) => <Time at={complainedAt ?? unsubscribedAt} />,
      isNum: true,
    },
  ];
  return (
    <>
      <Tabs
        label="Recipients by what they did"
        name="did"
        clears={['link']}
        tabs={(Object.keys(acts) as Act[]).map((key) => ({
          key,
          label: acts[key],
          n: key === did ? data?.pagination.total : undefined,
        }))}
      />
      {link && (
        <p class="chips">
          <span class="chip">
            <span class="cut">{/^\d+$/.test(link) ? `Link ${link} of the mail` : link}</span>
          </span>
          <Door view={{ did }}>Show all who clicked</Door>
        </p>
      )}
      <LoadedTable query={people}>
        <Table
          label={acts[did]}
          columns={columns}
          rows={data?.people ?? null}
          keyOf={({ emailId }) => emailId}
          empty={<Empty title="Nobody so far">People appear here when they do it; look again later.</Empty>}
        />
      </LoadedTable>
      {data && <Pager pagination={data.pagination} />}
      {data?.keptUntil && data.pagination.total > 0 && (
        <p class="dim small">The mails, and the people with them, are kept until {day(data.keptUntil)}.</p>
      )}
    </>
  );
}
