import type {
  CampaignProgress,
  CampaignReasons,
  CampaignRecipient,
  RecipientStatus,
} from '../../../../../client/index.ts';
import { api } from '../../../../api.ts';
import { count } from '../../../../parts/data/format.ts';
import { currentPage, Pager } from '../../../../parts/data/pager.tsx';
import { type Column, Table } from '../../../../parts/data/table.tsx';
import { Time } from '../../../../parts/data/time.tsx';
import { LoadedTable } from '../../../../parts/page/loaded.tsx';
import { Empty } from '../../../../parts/page/notice.tsx';
import { type Query, useQuery } from '../../../../parts/page/query.ts';
import { type Tab, Tabs } from '../../../../parts/page/tabs.tsx';
import { place } from '../../../../router.ts';
import type { Known } from '../figures.ts';
import { wordsOf } from '../left-out.tsx';
import { RecipientState, recipientWord } from '../words.tsx';
import type { View } from './door.tsx';
import { type Facts, LIMIT, PersonLink } from './facts.tsx';

const CHIPS_MAX = 6;

/** Reloads when the campaign ends: while it runs the rows would jump, and the figures of the tabs move. */
export function ByState({ campaignId, known, reasons, view: { status, reason } }: Facts & { view: View }) {
  const page = currentPage();
  const recipients = useQuery(
    (signal) => {
      const filter = { ...(status && { status }), ...(reason && { reason }) };
      return api.campaigns.recipients(campaignId, { ...filter, page, limit: LIMIT }, { signal });
    },
    [campaignId, status, reason, page, known.moves.value, known.hasBegun.value],
  );
  const data = recipients.data.value;
  const open = place.value.query.get('person');
  const columns: readonly Column<CampaignRecipient>[] = [
    { key: 'email', head: 'Address', cell: (row) => <PersonLink {...row} />, isMain: true, isCut: true },
    { key: 'state', head: 'State', cell: (row) => <RecipientState status={row.status} /> },
    {
      key: 'reply',
      head: 'Reply',
      isMono: true,
      phone: 'hide',
      cell: ({ reply }) => reply && [reply.code, reply.enhanced].filter(Boolean).join(' '),
    },
    {
      key: 'words',
      head: "The relay's words",
      cell: (row) => <span class="sub">{row.reply?.text ?? whyOf(row)}</span>,
    },
    { key: 'at', head: 'At', cell: ({ sentAt }) => <Time at={sentAt} />, isNum: true, isDim: true },
  ];
  return (
    <>
      <StateTabs known={known} />
      {status && <Reasons status={status} reason={reason} reasons={reasons} />}
      <LoadedTable query={recipients}>
        <Table
          label="Recipients"
          columns={columns}
          rows={data?.recipients ?? null}
          keyOf={({ emailId }) => emailId}
          current={data?.recipients.find(({ contactId }) => contactId === open)?.emailId ?? null}
          empty={
            <Empty
              title={status ? `Nobody is ${recipientWord(status).toLowerCase()}` : 'Nobody is in the audience yet'}
            >
              {status ? 'Look at another state.' : 'The audience is written down when sending starts.'}
            </Empty>
          }
        />
      </LoadedTable>
      {data && <Pager pagination={data.pagination} />}
    </>
  );
}

/** Suppressions have no words of a relay. */
function whyOf({ reason, suppressedBy, status }: CampaignRecipient): string {
  if (reason) return reason;
  if (suppressedBy) return `${suppressedBy.reason.toLowerCase()} in group ${suppressedBy.groupId}`;
  return status === 'queued' ? 'Waits to be sent.' : '';
}

function StateTabs({ known }: { known: Known }) {
  const tabs = tabsOf(known.progress.data.value);
  return <Tabs label="Recipients by state" name="status" clears={['reason']} tabs={tabs} />;
}

function tabsOf(progress: CampaignProgress | null): Tab[] {
  const n = (status: RecipientStatus) => progress && countOf(status, progress);
  const tab = (status: RecipientStatus): Tab => ({ key: status, label: recipientWord(status), n: n(status) });
  return [
    { key: '', label: 'All', n: progress?.total },
    ...(['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed', 'unknown'] as const).map(tab),
  ];
}

/** As the list counts them: what is in flight is queued, and bounced mail was sent. */
function countOf(status: RecipientStatus, progress: CampaignProgress): number {
  if (status === 'queued') return Math.max(0, progress.pending - progress.deferred);
  if (status === 'sent') return Math.max(0, progress.sent - progress.bounced);
  return progress[status];
}

/** Of the chosen state; each is a filter. */
function Reasons({
  status,
  reason,
  reasons,
}: {
  status: RecipientStatus;
  reason: string | undefined;
  reasons: Query<CampaignReasons>;
}) {
  const some = reasons.data.value?.reasons.filter((one) => one.status === status) ?? [];
  if (some.length === 0) return null;
  const shown = some.filter(({ id }, index) => index < CHIPS_MAX || id === reason);
  const rest = some.length - shown.length;
  return (
    <p class="chips">
      <span class="dim small">Reasons</span>
      {shown.map((one) => (
        <a
          key={one.id}
          class="chip"
          href={chipHref(one.id === reason ? null : one.id)}
          aria-current={one.id === reason ? 'true' : undefined}
        >
          <span class="cut">{wordsOf(one)}</span> <span class="dim">{count(one.count)}</span>
          {one.id === reason && <span class="sr">, chosen; follow to show all</span>}
        </a>
      ))}
      {rest > 0 && <span class="dim small">{count(rest)} more</span>}
    </p>
  );
}

function chipHref(reason: string | null): string {
  const query = new URLSearchParams(place.value.query);
  query.delete('page');
  if (reason) query.set('reason', reason);
  else query.delete('reason');
  return `${location.pathname}?${query}`;
}
