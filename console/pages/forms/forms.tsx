import type { Form } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useNames } from '../../parts/choose/names.ts';
import { lists } from '../../parts/choose/things.ts';
import { count } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { State } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';

const LIMIT = 20;

/** The pages by which people subscribe, newest first. */
export default function Forms() {
  const page = currentPage();
  const forms = useQuery((signal) => api.forms.list({ page, limit: LIMIT }, { signal }), [page]);
  const { name } = useNames(lists, forms.data.value?.forms.flatMap(({ listIds }) => listIds) ?? []);
  return (
    <Page
      title="Forms"
      isFlush
      state={forms.data.value && <span class="dim">{count(forms.data.value.pagination.total)}</span>}
      actions={
        <>
          <Button href={to('/settings')}>Name, logo and colour</Button>
          <Button kind="first" icon="plus" operation="forms.create" href={to('/forms/new')}>
            New form
          </Button>
        </>
      }
    >
      <div class="listing">
        <LoadedTable query={forms}>
          <Table
            label="Forms"
            isListing
            columns={columnsOf(name)}
            rows={forms.data.value?.forms ?? null}
            keyOf={({ id }) => id}
            empty={
              <Empty title="No form yet">
                A form is a page by which people subscribe, confirmed by a mail. Link to it, or put it into a page of
                your site.
              </Empty>
            }
          />
        </LoadedTable>
        {forms.data.value && <Pager pagination={forms.data.value.pagination} isListing />}
      </div>
    </Page>
  );
}

function columnsOf(nameOf: (listId: string) => string): readonly Column<Form>[] {
  return [
    {
      key: 'name',
      head: 'Name',
      isMain: true,
      isCut: true,
      cell: ({ id, name }) => <a href={to(`/forms/${id}`)}>{name}</a>,
    },
    {
      key: 'state',
      head: 'State',
      cell: ({ isActive }) => (
        <State tone={isActive ? 'good' : 'open'}>{isActive ? 'Takes subscriptions' : 'Not active'}</State>
      ),
    },
    {
      key: 'lists',
      head: 'They join',
      isCut: true,
      cell: ({ listIds }) => listIds.map(nameOf).join(', '),
    },
    {
      key: 'confirmed',
      head: 'Confirmed by mail',
      phone: 'hide',
      cell: ({ doubleOptIn }) => (doubleOptIn ? 'Yes' : 'No'),
    },
    { key: 'changed', head: 'Changed', isNum: true, isDim: true, cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
}
