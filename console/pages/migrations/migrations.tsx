import { useSignal } from '@preact/signals';
import type { Migration } from '../../../client/index.ts';
import { useAct } from '../../acts.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { Bar } from '../../parts/data/bars.tsx';
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
import { navigate, to } from '../../router.ts';
import { withChange } from './changes.ts';
import { StartDialog } from './start.tsx';
import { isOver, phases, providers, states } from './words.ts';

const LIMIT = 20;

/** Copies of accounts of other providers, newest first. */
export default function Migrations() {
  const page = currentPage();
  const isStarting = useSignal(false);
  useAct('migrations.startProviderA', () => {
    isStarting.value = true;
  });
  const migrations = useQuery((signal) => api.migrations.list({ page, limit: LIMIT }, { signal }), [page]);
  const rows = migrations.data.value?.migrations ?? null;
  const open = rows?.find((migration) => !isOver(migration));

  useLive(
    ['migration.running', 'migration.progress', 'migration.needs_attention', 'migration.completed', 'migration.failed'],
    ({ data }) => {
      const { data: loaded } = migrations;
      if (!loaded.value) return;
      const next = loaded.value.migrations.map((one) => withChange(one, data));
      loaded.value = { ...loaded.value, migrations: next };
    },
    migrations.reload,
  );

  return (
    <Page
      title="Migrations"
      isFlush
      actions={
        <Button
          kind="first"
          icon="plus"
          operation="migrations.startProviderA"
          why={open && 'One migration runs at a time. Finish or cancel the one that is open.'}
          onClick={() => {
            isStarting.value = true;
          }}
        >
          New migration
        </Button>
      }
    >
      <div class="listing">
        <LoadedTable query={migrations}>
          <Table
            label="Migrations"
            isListing
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={
              <Empty title="Nothing was migrated yet">
                A migration copies templates, lists, people and everyone who unsubscribed from SendGrid or Resend. It
                shows what it will copy before it starts, and changes nothing there.
              </Empty>
            }
          />
        </LoadedTable>
        {migrations.data.value && <Pager pagination={migrations.data.value.pagination} isListing />}
      </div>
      {isStarting.value && (
        <StartDialog
          onStarted={(id) => navigate(to(`/migrations/${id}`))}
          onClose={() => {
            isStarting.value = false;
          }}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Migration>[] = [
  {
    key: 'provider',
    head: 'From',
    isMain: true,
    cell: ({ id, provider }) => <a href={to(`/migrations/${id}`)}>{providers[provider]}</a>,
  },
  {
    key: 'state',
    head: 'State',
    cell: ({ status, phase }) => (
      <State tone={states[status].tone}>
        {states[status].word}
        {phase && ` in ${phases[phase].toLowerCase()}`}
      </State>
    ),
  },
  {
    key: 'progress',
    head: 'Progress',
    isWide: true,
    cell: (migration) => {
      const { done, total } = sumOf(migration);
      return (
        <Bar
          label={`${count(done)} of ${count(total)}`}
          all={total}
          parts={[{ label: 'done', value: done, fill: migration.status === 'needs_attention' ? 'bad' : 'accent' }]}
        />
      );
    },
  },
  { key: 'done', head: 'Items', isNum: true, cell: (migration) => count(sumOf(migration).done) },
  { key: 'started', head: 'Started', isNum: true, isDim: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function sumOf({ phases: all }: Migration): { done: number; total: number } {
  const done = all.reduce((sum, phase) => sum + phase.succeeded + phase.failed + phase.skipped, 0);
  return {
    done,
    total: Math.max(
      done,
      all.reduce((sum, phase) => sum + phase.total, 0),
    ),
  };
}
