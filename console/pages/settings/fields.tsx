import { useSignal } from '@preact/signals';
import type { CustomField } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Split } from '../../parts/over/drawer.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, to } from '../../router.ts';
import { FieldDialog } from '../contacts/field-dialog.tsx';
import { labelOf, typeWords } from '../contacts/field-names.ts';
import { FieldDrawer } from './field-drawer.tsx';
import { SettingsListing, SettingsPages } from './pages.tsx';

const LIMIT = 50;

const columns: readonly Column<CustomField>[] = [
  {
    key: 'name',
    head: 'Name',
    isMain: true,
    isCut: true,
    cell: (field) => (
      <>
        <a href={to('/settings/fields', { field: field.id })}>{labelOf(field)}</a>
        {field.label && <code class="dim small"> {field.fieldName}</code>}
      </>
    ),
  },
  { key: 'type', head: 'Type', cell: ({ fieldType }) => typeWords[fieldType] },
  { key: 'description', head: 'Description', isCut: true, phone: 'hide', cell: ({ description }) => description },
  {
    key: 'default',
    head: 'Of new contacts',
    isCut: true,
    cell: ({ defaultValue }) => (defaultValue === null ? <span class="dim">empty</span> : String(defaultValue)),
  },
  { key: 'made', head: 'Made', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The fields that the contacts of a project have, in addition to those of every contact. */
export default function Fields() {
  const page = currentPage();
  const openId = place.value.query.get('field');
  const editing = useSignal<CustomField | 'new' | null>(null);
  const fields = useQuery((signal) => api.customFields.list({ page, limit: LIMIT }, { signal }), [page]);
  return (
    <SettingsListing
      title="Fields"
      making="New field"
      operation="customFields.create"
      editing={editing}
      dialog={(field, close) => <FieldDialog field={field} onDone={() => fields.reload()} onClose={close} />}
    >
      <Split
        drawer={
          openId && (
            <FieldDrawer
              key={`${openId} ${editing.value === null}`}
              fieldId={openId}
              onChange={(field) => {
                editing.value = field;
              }}
              onGone={() => fields.reload()}
            />
          )
        }
      >
        <SettingsPages />
        <LoadedTable query={fields}>
          <Table
            label="Fields"
            isListing
            columns={columns}
            rows={fields.data.value?.customFields ?? null}
            keyOf={({ id }) => id}
            current={openId}
            empty={
              <Empty title="No field yet">
                Contacts have an address, names and a number by themselves. Whatever else mails and segments need is a
                field: a city, a plan, a date. Imports and migrations make them too.
              </Empty>
            }
          />
        </LoadedTable>
        {fields.data.value && <Pager pagination={fields.data.value.pagination} isListing />}
      </Split>
    </SettingsListing>
  );
}
