import { useSignal } from '@preact/signals';
import type { EventDefinition } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Split } from '../../parts/over/drawer.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, to } from '../../router.ts';
import { EventDialog } from './event-dialog.tsx';
import { EventDrawer } from './event-drawer.tsx';
import { SettingsListing, SettingsPages } from './pages.tsx';

const LIMIT = 50;

/** The events that programs may send of contacts, and which of them came within the last 30 days. */
export default function Events() {
  const page = currentPage();
  const openId = place.value.query.get('event');
  const editing = useSignal<EventDefinition | 'new' | null>(null);
  const events = useQuery((signal) => api.events.list({ page, limit: LIMIT }, { signal }), [page]);
  const seen = useQuery(async (signal) => {
    const found = await api.events.seen({ signal });
    return new Map(found.events.map(({ eventName, lastRecordedAt }) => [eventName, lastRecordedAt]));
  });
  useLive(
    ['event.recorded'],
    ({ data }) => {
      seen.data.value = new Map(seen.data.peek()).set(data.eventName, data.createdAt);
    },
    seen.reload,
  );
  const rows = events.data.value?.events ?? null;
  return (
    <SettingsListing
      title="Events"
      making="New event"
      operation="events.create"
      editing={editing}
      dialog={(event, close) => <EventDialog event={event} onDone={() => events.reload()} onClose={close} />}
    >
      <Split
        drawer={
          openId && (
            <EventDrawer
              key={`${openId} ${editing.value === null}`}
              eventId={openId}
              onChange={(event) => {
                editing.value = event;
              }}
              onGone={() => events.reload()}
            />
          )
        }
      >
        <SettingsPages />
        <LoadedTable query={events}>
          <Table
            label="Events"
            isListing
            columns={columnsOf(seen.data.value)}
            rows={rows}
            keyOf={({ id }) => id}
            current={openId}
            empty={
              <Empty title="No event yet">
                A program says with an event what a person did: bought something, ended a trial. Automations begin with
                one, and segments ask for it.
              </Empty>
            }
          />
        </LoadedTable>
        {events.data.value && <Pager pagination={events.data.value.pagination} isListing />}
      </Split>
    </SettingsListing>
  );
}

function columnsOf(seen: ReadonlyMap<string, string> | null): readonly Column<EventDefinition>[] {
  return [
    {
      key: 'name',
      head: 'Name',
      isMain: true,
      isCut: true,
      cell: ({ id, eventName }) => <a href={to('/settings/events', { event: id })}>{eventName}</a>,
    },
    { key: 'description', head: 'Description', isCut: true, phone: 'hide', cell: ({ description }) => description },
    {
      key: 'properties',
      head: 'Properties',
      isCut: true,
      cell: ({ properties }) =>
        properties.map(({ propertyName }) => propertyName).join(', ') || <span class="dim">none</span>,
    },
    {
      key: 'seen',
      head: 'Last, within 30 days',
      isNum: true,
      isDim: true,
      cell: ({ eventName }) => {
        const at = seen?.get(eventName);
        return at ? <Time at={at} /> : seen && 'not seen';
      },
    },
  ];
}
