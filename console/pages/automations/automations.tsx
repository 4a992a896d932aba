import { useSignal } from '@preact/signals';
import type { Automation } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { count } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { FilterSelect } from '../../parts/forms/search-box.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page, Tools } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { AutomationState, entryName, statuses } from './graph/state.tsx';
import { NewAutomation } from './new-automation.tsx';

const LIMIT = 20;

/** Mails that follow what a person does. */
export default function Automations() {
  const status = (place.value.query.get('status') ?? '') as Automation['status'] | '';
  const page = currentPage();
  const isAdding = useSignal(false);
  useAct('automations.create', () => {
    isAdding.value = true;
  });
  const found = useQuery(
    (signal) => api.automations.list({ ...(status && { status }), page, limit: LIMIT }, { signal }),
    [status, page],
  );
  const rows = found.data.value?.automations ?? null;
  const add = (
    <Button
      kind="first"
      icon="plus"
      operation="automations.create"
      onClick={() => {
        isAdding.value = true;
      }}
    >
      New automation
    </Button>
  );
  return (
    <Page
      title="Automations"
      isFlush
      state={found.data.value && <span class="dim">{count(found.data.value.pagination.total)}</span>}
      actions={add}
    >
      <div class="listing">
        <Tools>
          <FilterSelect
            label="State"
            value={status}
            options={[
              { value: '', label: 'Every state' },
              ...Object.entries(statuses).map(([value, { word }]) => ({ value, label: word })),
            ]}
            onChange={(value) => setQuery({ status: value, page: null })}
          />
        </Tools>
        <LoadedTable query={found}>
          <Table
            label="Automations"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={
              status ? (
                <Empty
                  title="No automation is in this state"
                  action={<Button onClick={() => setQuery({ status: null, page: null })}>Show all</Button>}
                >
                  Look at every state.
                </Empty>
              ) : (
                <Empty title="No automation yet" action={add}>
                  An automation sends mails to each person by itself: a welcome after they join, or a reminder after an
                  event.
                </Empty>
              )
            }
          />
        </LoadedTable>
        {found.data.value && <Pager pagination={found.data.value.pagination} isListing />}
      </div>
      {isAdding.value && (
        <NewAutomation
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Automation>[] = [
  {
    key: 'name',
    head: 'Name',
    isMain: true,
    isCut: true,
    cell: ({ id, name }) => <a href={to(`/automations/${id}`)}>{name}</a>,
  },
  {
    key: 'state',
    head: 'State',
    cell: ({ status, draft }) => (
      <>
        <AutomationState status={status} />
        {draft && <span class="dim"> with a draft</span>}
      </>
    ),
  },
  {
    key: 'entry',
    head: 'Lets in',
    isCut: true,
    cell: ({ entryCriteria }) => entryName(entryCriteria, { list: () => 'a list', form: () => 'a form' }),
  },
  { key: 'steps', head: 'Steps', isNum: true, cell: ({ steps }) => count(steps.length) },
  { key: 'since', head: 'Active since', isNum: true, isDim: true, cell: ({ activeAt }) => <Time at={activeAt} /> },
  { key: 'changed', head: 'Changed', isNum: true, isDim: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];
