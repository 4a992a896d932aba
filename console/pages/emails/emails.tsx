import type { EmailStatus, EmailSummary } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { count } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { FilterSelect, SearchBox } from '../../parts/forms/search-box.tsx';
import { Split } from '../../parts/over/drawer.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { EmailDrawer } from './drawer.tsx';
import { EmailState, states, wordsOf } from './state.tsx';

const LIMIT = 20;

/** Every mail, newest first; one of them with its history and the words of the relay. */
export default function Emails() {
  const { query } = place.value;
  const openId = query.get('email');
  const filters = {
    status: (query.get('status') ?? '') as EmailStatus | '',
    email: query.get('address') ?? '',
    campaignId: query.get('campaign') ?? '',
    automationId: query.get('automation') ?? '',
    batchId: query.get('batch') ?? '',
    tag: query.get('tag') ?? '',
    dateFrom: query.get('from') ?? '',
    dateTo: query.get('to') ?? '',
  };
  const page = currentPage();
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value)) as Partial<typeof filters>;
  const emails = useQuery(
    (signal) => api.emails.list({ ...given, page, limit: LIMIT } as Parameters<typeof api.emails.list>[0], { signal }),
    [...Object.values(filters), page],
  );
  const rows = emails.data.value?.emails ?? null;
  const isFiltered = Object.keys(given).length > 0;

  return (
    <Page
      title="Emails"
      isFlush
      state={emails.data.value && <span class="dim">{count(emails.data.value.pagination.total)}</span>}
      actions={
        <Button icon="refresh" onClick={emails.reload}>
          Load again
        </Button>
      }
    >
      <Split drawer={openId && <EmailDrawer key={openId} emailId={openId} onChange={emails.reload} />}>
        <Tools>
          <SearchBox
            label="Address, whole"
            placeholder="ada@harbour.example"
            value={filters.email}
            onSearch={(text) => setQuery({ address: text, page: null })}
          />
          <FilterSelect
            label="State"
            value={filters.status}
            options={[
              { value: '', label: 'Every state' },
              ...Object.entries(states).map(([value, { word }]) => ({ value, label: word })),
            ]}
            onChange={(value) => setQuery({ status: value, page: null })}
          />
          <SearchBox
            label="Tag"
            placeholder="order:1042"
            value={filters.tag}
            onSearch={(text) => setQuery({ tag: text, page: null })}
          />
          {(filters.campaignId || filters.automationId || filters.batchId || filters.dateFrom || filters.dateTo) && (
            <Button isSmall kind="plain" icon="close" onClick={clear}>
              {filters.campaignId ? 'Of one campaign' : filters.automationId ? 'Of one automation' : 'Of a part'}
            </Button>
          )}
        </Tools>
        <LoadedTable query={emails}>
          <Table
            label="Emails"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            current={openId}
            empty={
              isFiltered ? (
                <Empty title="No mail fits" action={<Button onClick={clear}>Clear the filters</Button>}>
                  The whole address is searched, in to, cc and bcc. Mail is kept for the time of retention.
                </Empty>
              ) : (
                <Empty title="No mail yet">Single mails, campaigns and automations all come here.</Empty>
              )
            }
          />
        </LoadedTable>
        {emails.data.value && <Pager pagination={emails.data.value.pagination} isListing />}
      </Split>
    </Page>
  );
}

function clear(): void {
  const all = ['status', 'address', 'campaign', 'automation', 'batch', 'tag', 'from', 'to', 'page'];
  setQuery(Object.fromEntries(all.map((name) => [name, null])));
}

const columns: readonly Column<EmailSummary>[] = [
  {
    key: 'email',
    head: 'To',
    isMain: true,
    isCut: true,
    cell: ({ id, email, recipients }) => (
      <a href={hrefOf(id)}>
        {email ?? <span class="dim">deleted contact</span>}
        {recipients.length > 1 && <span class="dim"> and {recipients.length - 1} more</span>}
      </a>
    ),
  },
  { key: 'subject', head: 'Subject', isCut: true, cell: ({ subject }) => subject ?? <span class="dim">none</span> },
  { key: 'state', head: 'State', cell: ({ status }) => <EmailState status={status} /> },
  {
    key: 'why',
    head: 'The relay’s words, or why not',
    isCut: true,
    isDim: true,
    phone: 'hide',
    cell: ({ reply, reason }) => (reply ? wordsOf(reply) : reason),
  },
  { key: 'lane', head: 'Lane', cell: ({ lane }) => lane, phone: 'hide', isDim: true },
  { key: 'at', head: 'Queued', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The filters stay in the address. */
function hrefOf(id: string): string {
  return to('/emails', { ...Object.fromEntries(place.value.query), email: id });
}
