import { useSignal } from '@preact/signals';
import type { ContactList } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { count, people } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { State } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { FilterSelect } from '../../parts/forms/search-box.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { toast } from '../../parts/over/toast.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { navigate, place, setQuery, to } from '../../router.ts';
import { ListDialog } from './list-dialog.tsx';

const LIMIT = 50;
const GLOBAL = 'GLOBAL_CONTACT_LIST';

/** Lists, whose members are put there, and segments, which find theirs by a filter. */
export default function Lists() {
  const type = (place.value.query.get('type') ?? '') as ContactList['type'] | '';
  const page = currentPage();
  const isAdding = useSignal(false);
  useAct('contactLists.create', () => {
    isAdding.value = true;
  });
  const lists = useQuery(
    (signal) => api.contactLists.list({ page, limit: LIMIT, ...(type && { type }) }, { signal }),
    [type, page],
  );
  const rows = lists.data.value?.lists ?? null;

  async function remove({ id, name, type: kind, contactCount }: ContactList): Promise<void> {
    const done = await confirm({
      title: `Delete ${name}`,
      text:
        kind === 'segment'
          ? `The filter is gone. The ${people(contactCount)} that it finds stay.`
          : `${people(contactCount)} leave the list. They stay contacts.`,
      action: `Delete ${kind === 'segment' ? 'segment' : 'list'}`,
      isDangerous: true,
      run: () => api.contactLists.delete(id),
    });
    if (!done) return;
    toast(`Deleted ${name}`);
    await lists.reload();
  }

  const columns: readonly Column<ContactList>[] = [
    {
      key: 'name',
      head: 'Name',
      isMain: true,
      isCut: true,
      cell: ({ id, name }) => <a href={id === GLOBAL ? to('/contacts') : to(`/lists/${id}`)}>{name}</a>,
    },
    {
      key: 'type',
      head: 'Kind',
      cell: ({ id, type: kind, isPublic, recompute }) =>
        id === GLOBAL ? (
          <span class="dim">Everybody</span>
        ) : recompute?.status === 'running' ? (
          <State tone="live">Segment, {recompute.percent} % compared</State>
        ) : kind === 'segment' ? (
          'Segment'
        ) : isPublic ? (
          'List, on the preference page'
        ) : (
          'List'
        ),
    },
    {
      key: 'people',
      head: 'People',
      isNum: true,
      cell: ({ id, contactCount }) => (
        <a href={to('/contacts', id === GLOBAL ? {} : { list: id })}>{count(contactCount)}</a>
      ),
    },
    {
      key: 'changed',
      head: 'Changed',
      isNum: true,
      isDim: true,
      phone: 'hide',
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
    {
      key: 'acts',
      head: '',
      cell: (list) =>
        list.id !== GLOBAL && (
          <Button
            isSmall
            kind="danger"
            operation="contactLists.delete"
            label={`Delete ${list.name}`}
            onClick={() => remove(list)}
          >
            Delete…
          </Button>
        ),
    },
  ];

  return (
    <Page
      title="Lists and segments"
      isFlush
      actions={
        <>
          <Button
            icon="plus"
            operation="contactLists.create"
            onClick={() => {
              isAdding.value = true;
            }}
          >
            New list
          </Button>
          <Button kind="first" icon="segment" operation="contactLists.create" href={to('/lists/new')}>
            New segment
          </Button>
        </>
      }
    >
      <div class="listing">
        <Tools>
          <FilterSelect
            label="Kind"
            value={type}
            options={[
              { value: '', label: 'Lists and segments' },
              { value: 'list', label: 'Lists' },
              { value: 'segment', label: 'Segments' },
            ]}
            onChange={(value) => setQuery({ type: value, page: null })}
          />
        </Tools>
        <LoadedTable query={lists}>
          <Table
            label="Lists and segments"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={
              <Empty title="None of this kind yet">
                A list holds the people that you put there. A segment finds its people by a filter and stays up to date.
              </Empty>
            }
          />
        </LoadedTable>
        {lists.data.value && <Pager pagination={lists.data.value.pagination} isListing />}
      </div>
      {isAdding.value && (
        <ListDialog
          onDone={(list) => navigate(to(`/lists/${list.id}`))}
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </Page>
  );
}
