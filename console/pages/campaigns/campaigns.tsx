import type { Campaign, CampaignStatus, LiveCampaignProgress } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { newestProgress, useLive } from '../../live.ts';
import { Bar } from '../../parts/data/bars.tsx';
import { count, percent } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { FilterSelect, SearchBox } from '../../parts/forms/search-box.tsx';
import { Menu, type MenuItem } from '../../parts/over/menu.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { type Query, useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { duplicate, editPath, pause, remove, resume } from './campaign/actions.ts';
import { changeTypes, liveCounts } from './campaign/figures.ts';
import { audienceWords, canDelete, canEdit, canPause, StatusState, statusChoices } from './campaign/words.tsx';

const LIMIT = 20;

interface List {
  campaigns: Campaign[];
  pagination: { page: number; limit: number; total: number; pages: number };
}

/** All campaigns, newest first; those that are sending move. */
export default function Campaigns() {
  const { query } = place.value;
  const search = query.get('search') ?? '';
  const status = (query.get('status') ?? '') as CampaignStatus | '';
  const page = currentPage();
  const list = useQuery<List>(
    async (signal) => {
      const filter = { ...(search && { search }), ...(status && { status }) };
      const found = await api.campaigns.list({ ...filter, page, limit: LIMIT }, { signal });
      return { ...found, campaigns: found.campaigns.map(withNewest) };
    },
    [search, status, page],
  );
  useMoves(list);
  const rows = list.data.value?.campaigns ?? null;
  const isFiltered = Boolean(search || status);
  const create = (
    <Button kind="first" icon="plus" operation="campaigns.create" href={to('/campaigns/new')}>
      New campaign
    </Button>
  );

  return (
    <Page
      title="Campaigns"
      isFlush
      state={list.data.value && <span class="dim">{count(list.data.value.pagination.total)}</span>}
      actions={create}
    >
      <div class="listing">
        <Tools>
          <SearchBox
            label="Part of a name"
            value={search}
            onSearch={(text) => setQuery({ search: text, page: null })}
          />
          <FilterSelect
            label="State"
            value={status}
            options={[{ value: '', label: 'Every state' }, ...statusChoices]}
            onChange={(value) => setQuery({ status: value, page: null })}
          />
        </Tools>
        <LoadedTable query={list}>
          <Table
            label="Campaigns"
            isListing
            columns={columnsOf(list)}
            rows={rows}
            keyOf={({ id }) => id}
            empty={isFiltered ? <NothingFound /> : <NothingYet />}
          />
        </LoadedTable>
        {list.data.value && <Pager pagination={list.data.value.pagination} isListing />}
      </div>
    </Page>
  );
}

function columnsOf(list: Query<List>): readonly Column<Campaign>[] {
  return [
    {
      key: 'name',
      head: 'Campaign',
      isMain: true,
      isCut: true,
      cell: ({ id, name, subject }) => (
        <>
          <a href={to(`/campaigns/${id}`)}>{name}</a>
          <br />
          <span class="dim small">{subject}</span>
        </>
      ),
    },
    { key: 'status', head: 'State', cell: (row) => <StatusState status={row.status} /> },
    { key: 'audience', head: 'Audience', cell: audienceWords, isCut: true },
    { key: 'progress', head: 'Progress', cell: (row) => <RowBar {...row} />, isWide: true, phone: 'hide' },
    {
      key: 'done',
      head: 'Done',
      isNum: true,
      cell: ({ metrics }) => percent(metrics.processedCount, metrics.totalContacts),
    },
    { key: 'sent', head: 'Sent', cell: ({ metrics }) => (metrics.sent > 0 ? count(metrics.sent) : '–'), isNum: true },
    {
      key: 'opened',
      head: 'Opened',
      isNum: true,
      cell: ({ metrics, trackingOpen }) => (trackingOpen ? percent(metrics.opened, metrics.delivered) : 'off'),
    },
    {
      key: 'clicked',
      head: 'Clicked',
      isNum: true,
      cell: ({ metrics, trackingClick }) => (trackingClick ? percent(metrics.clicked, metrics.delivered) : 'off'),
    },
    {
      key: 'at',
      head: 'When',
      isNum: true,
      isDim: true,
      cell: ({ sentAt, abortedAt, scheduledAt, updatedAt }) => (
        <Time at={sentAt ?? abortedAt ?? scheduledAt ?? updatedAt} />
      ),
    },
    {
      key: 'acts',
      head: '',
      cell: (row) => <Menu label={`Actions for ${row.name}`} isSmall items={itemsOf(row, list)} />,
    },
  ];
}

function RowBar({ name, metrics }: Campaign) {
  const { totalContacts, delivered, bounced, failedCount, unknown, suppressed, processedCount } = metrics;
  if (totalContacts === 0) return null;
  return (
    <Bar
      label={`${name}: ${percent(processedCount, totalContacts)}`}
      all={totalContacts}
      parts={[
        { label: 'delivered', value: delivered, fill: 'accent' },
        { label: 'suppressed', value: suppressed, fill: 'idle' },
        { label: 'bounced, failed, unknown', value: bounced + failedCount + unknown, fill: 'bad' },
      ]}
    />
  );
}

function itemsOf(campaign: Campaign, list: Query<List>): MenuItem[] {
  const { id, status, metrics } = campaign;
  const change = (changed: Campaign) => patch(list, id, () => changed);
  return [
    { label: 'Open', icon: 'campaign', href: to(`/campaigns/${id}`) },
    ...(canEdit(status) ? [{ label: 'Edit', icon: 'edit' as const, href: editPath(id) }] : []),
    ...(canPause(status)
      ? [
          {
            label: 'Pause',
            icon: 'pause' as const,
            operation: 'campaigns.pause',
            onPick: async () => change(await pause(campaign)),
          },
        ]
      : []),
    ...(status === 'paused'
      ? [
          {
            label: 'Resume',
            icon: 'play' as const,
            operation: 'campaigns.resume',
            onPick: async () => change(await resume(campaign)),
          },
        ]
      : []),
    { label: 'Duplicate', icon: 'copy', operation: 'campaigns.duplicate', onPick: () => duplicate(campaign) },
    {
      label: 'Duplicate for those who did not open',
      icon: 'copy',
      operation: 'campaigns.duplicate',
      why: metrics.sent === 0 && 'Nobody has got it yet.',
      onPick: () => duplicate(campaign, 'notOpened'),
    },
    {
      label: 'Delete…',
      icon: 'trash',
      isDangerous: true,
      operation: 'campaigns.delete',
      why: !canDelete(status) && 'Abort it first: it is under way.',
      onPick: async () => {
        if (await remove(campaign, metrics.sent)) await list.reload();
      },
    },
  ];
}

/** Rows move with the stream. The first page is loaded again for a campaign that it does not have yet. */
function useMoves(list: Query<List>): void {
  useLive(['campaign.progress', ...changeTypes], ({ type, data }) => {
    const id = String(data.campaignId);
    if (type !== 'campaign.progress') {
      const { status, sentAt, abortedAt } = data as unknown as Pick<Campaign, 'status' | 'sentAt' | 'abortedAt'>;
      const isThere = patch(list, id, (row) => ({ ...row, status, sentAt, abortedAt }));
      if (!isThere && list.data.peek()?.pagination.page === 1) void list.reload();
      return;
    }
    const progress = data as unknown as LiveCampaignProgress;
    patch(list, id, (row) => ({ ...row, status: progress.status, metrics: metricsOf(row, progress) }));
  });
}

/** The stored numbers of an answer are some minutes old. */
function withNewest(row: Campaign): Campaign {
  const newest = newestProgress(row.id);
  return newest ? { ...row, metrics: metricsOf(row, newest) } : row;
}

function metricsOf({ metrics }: Campaign, progress: LiveCampaignProgress): Campaign['metrics'] {
  const { failed, humanOpened: _, ...counts } = liveCounts(progress);
  return { ...metrics, ...counts, failedCount: failed, processedCount: counts.totalContacts - counts.pending };
}

/** Whether the row is there. */
function patch(list: Query<List>, id: string, change: (row: Campaign) => Campaign): boolean {
  const before = list.data.peek();
  if (!before?.campaigns.some((row) => row.id === id)) return false;
  list.data.value = { ...before, campaigns: before.campaigns.map((row) => (row.id === id ? change(row) : row)) };
  return true;
}

function NothingFound() {
  return (
    <Empty
      title="No campaign fits"
      action={<Button onClick={() => setQuery({ search: null, status: null, page: null })}>Clear the filters</Button>}
    >
      Search for a part of the name, or look at every state.
    </Empty>
  );
}

function NothingYet() {
  return (
    <Empty
      title="No campaign yet"
      action={
        <Button icon="plus" operation="campaigns.create" href={to('/campaigns/new')}>
          New campaign
        </Button>
      }
    >
      A campaign sends one mail to the people of your lists and segments, at once, at a time, or a part each day. It
      needs people, from Imports or Contacts, and a mail, from Templates.
    </Empty>
  );
}
