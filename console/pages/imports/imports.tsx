import { useSignal } from '@preact/signals';
import type { ContactImport } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { Bar } from '../../parts/data/bars.tsx';
import { bytes, count } from '../../parts/data/format.ts';
import { currentPage, Pager } from '../../parts/data/pager.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Time } from '../../parts/data/time.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { save } from '../../parts/forms/download.ts';
import { Split } from '../../parts/over/drawer.tsx';
import { LoadedTable } from '../../parts/page/loaded.tsx';
import { Empty } from '../../parts/page/notice.tsx';
import { Page } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { place, setQuery, to } from '../../router.ts';
import { ImportDrawer } from './drawer.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ImportState } from './state.tsx';

const LIMIT = 20;

/** Files of people: taken, read as they arrive, with the rows that were refused. */
export default function Imports() {
  const page = currentPage();
  const listId = place.value.query.get('list');
  const openId = place.value.query.get('import');
  const dropped = useSignal<File | null>(null);
  const isChoosing = useSignal(listId !== null);
  useAct('contacts.import', () => {
    isChoosing.value = true;
  });
  const isOver = useSignal(false);
  const imports = useQuery((signal) => api.imports.list({ page, limit: LIMIT }, { signal }), [page]);
  const rows = imports.data.value?.imports ?? null;

  useLive(
    ['import.progress'],
    ({ data: next }) => {
      const { data: loaded } = imports;
      if (!loaded.value) return;
      if (!loaded.value.imports.some(({ id }) => id === next.id)) return void imports.reload();
      loaded.value = {
        ...loaded.value,
        imports: loaded.value.imports.map((one) => (one.id === next.id ? { ...one, ...next } : one)),
      };
    },
    imports.reload,
  );

  return (
    <Page
      title="Imports"
      isFlush
      actions={
        <Button
          kind="first"
          icon="import"
          operation="contacts.import"
          onClick={() => {
            isChoosing.value = true;
          }}
        >
          Import a file
        </Button>
      }
    >
      <Split drawer={openId && <ImportDrawer key={openId} importId={openId} />}>
        <div
          role="group"
          aria-label="Drop a file"
          class={isOver.value ? 'drop over' : 'drop'}
          onDragOver={(event) => {
            event.preventDefault();
            isOver.value = true;
          }}
          onDragLeave={() => {
            isOver.value = false;
          }}
          onDrop={(event) => {
            event.preventDefault();
            isOver.value = false;
            dropped.value = event.dataTransfer?.files[0] ?? null;
            isChoosing.value = dropped.value !== null;
          }}
        >
          <p class="dim">Drop a CSV file here. The first line names the columns.</p>
        </div>
        <LoadedTable query={imports}>
          <Table
            label="Imports"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            current={openId}
            empty={
              <Empty title="No file was imported yet">
                A file needs a column email. Other columns become fields of the person; people who are here already are
                changed, not made twice.
              </Empty>
            }
          />
        </LoadedTable>
        {imports.data.value && <Pager pagination={imports.data.value.pagination} isListing />}
      </Split>
      {isChoosing.value && (
        <ImportDialog
          file={dropped.value}
          listId={listId}
          onDone={(id) => {
            setQuery({ import: id }, { push: true });
            return imports.reload();
          }}
          onClose={() => {
            isChoosing.value = false;
            dropped.value = null;
          }}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<ContactImport>[] = [
  {
    key: 'file',
    head: 'File',
    isMain: true,
    isCut: true,
    cell: ({ id, fileName, sizeBytes }) => (
      <a href={to('/imports', { import: id })}>
        {fileName ?? 'A file without a name'} <span class="dim">{bytes(sizeBytes)}</span>
      </a>
    ),
  },
  {
    key: 'state',
    head: 'State',
    cell: ({ status, failureReason }) => (
      <span title={failureReason ?? undefined}>
        <ImportState status={status} />
      </span>
    ),
  },
  {
    key: 'progress',
    head: 'Progress',
    isWide: true,
    cell: ({ percent, failed, processed }) => (
      <Bar
        label={`${percent} per cent read`}
        all={100}
        parts={[
          { label: 'read', value: processed > 0 ? percent * (1 - failed / processed) : percent, fill: 'accent' },
          { label: 'refused', value: processed > 0 ? (percent * failed) / processed : 0, fill: 'bad' },
        ]}
      />
    ),
  },
  { key: 'created', head: 'Added', isNum: true, cell: ({ created }) => count(created) },
  { key: 'updated', head: 'Changed', isNum: true, cell: ({ updated }) => count(updated) },
  {
    key: 'unchanged',
    head: 'As before',
    isNum: true,
    isDim: true,
    phone: 'hide',
    cell: ({ unchanged }) => count(unchanged),
  },
  {
    key: 'failed',
    head: 'Refused',
    isNum: true,
    cell: ({ id, failed }) =>
      failed === 0 ? (
        '0'
      ) : (
        <Button
          isSmall
          icon="download"
          operation="imports.errors"
          label={`Download the ${failed} refused rows`}
          onClick={() => save(api.imports.errors(id, { format: 'csv' }), 'import-errors.csv')}
        >
          {count(failed)}
        </Button>
      ),
  },
  { key: 'at', head: 'Taken', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
