import { useEffect, useRef } from 'preact/hooks';
import type { InboundMessage } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { counted } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { SearchBox } from '../../parts/forms/search-box.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { NothingYet, ReceivingNote, useReceiving } from './receiving.tsx';
import { Arrival, isOrdinary, subjectOf, writerOf } from './words.tsx';

const LIMIT = 20;
/** Mails that come one after the other are loaded together. */
const TOGETHER_MS = 400;

/** The conversations with people who wrote to a domain of the project, those with the newest mail first. */
export default function Inbound() {
  const search = place.value.query.get('search') ?? '';
  const page = currentPage();
  const receiving = useReceiving();
  const threads = useQuery(
    (signal) => api.inbound.list({ newestOfThread: true, page, limit: LIMIT, ...(search && { search }) }, { signal }),
    [search, page],
  );
  useReceived(threads.reload);
  const rows = threads.data.value?.items ?? null;

  return (
    <Page
      title="Inbound"
      isFlush
      state={
        threads.data.value && <span class="dim">{counted(threads.data.value.pagination.total, 'conversation')}</span>
      }
      note={<ReceivingNote query={receiving} />}
    >
      <div class="listing">
        <Tools>
          <SearchBox
            label="Part of the subject, the text or the sender"
            value={search}
            onSearch={(text) => setQuery({ search: text, page: null })}
          />
        </Tools>
        <LoadedTable query={threads}>
          <Table
            label="Conversations"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={search ? <NothingFound /> : <NothingYet query={receiving} />}
          />
        </LoadedTable>
        {threads.data.value && <Pager pagination={threads.data.value.pagination} isListing />}
      </div>
    </Page>
  );
}

/** Calls `reload` for mails as they come. */
function useReceived(reload: () => Promise<void>): void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useLive(
    ['email.received'],
    () => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        void reload();
      }, TOGETHER_MS);
    },
    reload,
  );
  useEffect(() => () => clearTimeout(timer.current), []);
}

function NothingFound() {
  return (
    <Empty
      title="No mail fits"
      action={<Button onClick={() => setQuery({ search: null, page: null })}>Clear the search</Button>}
    >
      Search for a part of the subject, of the text, or of the address of the sender.
    </Empty>
  );
}

const columns: readonly Column<InboundMessage>[] = [
  {
    key: 'from',
    head: 'From',
    isMain: true,
    isCut: true,
    cell: (mail) => <a href={to(`/inbound/${encodeURIComponent(mail.threadId)}`)}>{writerOf(mail)}</a>,
  },
  { key: 'subject', head: 'Subject', isCut: true, cell: (mail) => subjectOf(mail) },
  {
    key: 'to',
    head: 'To',
    isCut: true,
    isDim: true,
    cell: ({ to: recipients, domainName }) =>
      recipients.find(({ email }) => email.endsWith(`@${domainName}`))?.email ?? domainName,
  },
  {
    key: 'state',
    head: 'State',
    phone: 'bare',
    cell: (mail) => (isOrdinary(mail) ? null : <Arrival mail={mail} />),
  },
  {
    key: 'files',
    head: 'Files',
    isNum: true,
    phone: 'hide',
    cell: ({ attachmentCount }) => attachmentCount || <span class="dim">–</span>,
  },
  { key: 'at', head: 'Received', isNum: true, isDim: true, cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];
