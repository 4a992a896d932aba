import { useSignal } from '@preact/signals';
import type { Migration, MigrationNote, MigrationPhase } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { useLive } from '../../live.ts';
import { Bar } from '../../parts/data/bars.tsx';
import { count, duration, percent } from '../../parts/data/format.ts';
import { Badge, State, type Tone } from '../../parts/data/state.tsx';
import { type Column, Table } from '../../parts/data/table.tsx';
import { Button } from '../../parts/forms/button.tsx';
import { confirm } from '../../parts/over/confirm.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { NextSteps } from '../../parts/page/next-steps.tsx';
import { Empty, Notice } from '../../parts/page/notice.tsx';
import { Page, Section } from '../../parts/page/page.tsx';
import { type Query, useQuery } from '../../parts/page/query.ts';
import { to } from '../../router.ts';
import { withChange } from './changes.ts';
import { RetryDialog } from './retry.tsx';
import { canRetry, isOver, phases, providers, states } from './words.ts';

/** One migration: its phases as they move, what was refused, and the decision that it waits for. */
export default function MigrationPage({ params }: { params: Record<string, string> }) {
  const id = params.migrationId ?? '';
  const migration = useQuery((signal) => api.migrations.get(id, { signal }), [id]);
  const found = migration.data.value;
  useLive(['migration.running', 'migration.progress'], ({ data }) => {
    if (migration.data.value) migration.data.value = withChange(migration.data.value, data);
  });
  // These bring notes and a report that events do not have.
  useLive(
    ['migration.needs_attention', 'migration.completed', 'migration.failed'],
    ({ data }) => {
      if (data.id === id) void migration.reload();
    },
    migration.reload,
  );

  return (
    <Page
      title={found ? providers[found.provider] : 'Migration'}
      crumb={{ label: 'Migrations', path: '/migrations' }}
      state={found && <Badge tone={states[found.status].tone}>{states[found.status].word}</Badge>}
      actions={found && <Decisions migration={found} query={migration} />}
    >
      <Loaded query={migration}>{(one) => <Work migration={one} />}</Loaded>
    </Page>
  );
}

function Decisions({ migration, query }: { migration: Migration; query: Query<Migration> }) {
  const isRetrying = useSignal(false);
  const { id, status, phase } = migration;
  const show = (next: Migration) => {
    query.data.value = next;
  };
  const left = peopleLeft(migration);

  async function skip(): Promise<void> {
    if (!phase) return;
    const name = phases[phase].toLowerCase();
    await confirm({
      title: `Skip ${name}`,
      text: `The items of this phase that are not here yet are left out${left > 0 ? `: ${count(left)} of them` : ''}. The migration goes on with the next phase. Everyone who was read as unsubscribed stays suppressed.`,
      action: `Skip ${name}`,
      isDangerous: true,
      run: async () => show(await api.migrations.skip(id, {})),
    });
  }
  async function cancel(): Promise<void> {
    await confirm({
      title: 'Cancel the migration',
      text: 'What was copied stays. You can go on with it later by Retry.',
      action: 'Cancel migration',
      isDangerous: true,
      run: async () => show(await api.migrations.cancel(id)),
    });
  }

  return (
    <>
      {!isOver(migration) && (
        <Button kind="danger" operation="migrations.cancel" onClick={cancel}>
          Cancel…
        </Button>
      )}
      {status === 'needs_attention' && phase && (
        <Button operation="migrations.skip" onClick={skip}>
          Skip {phases[phase].toLowerCase()}…
        </Button>
      )}
      {canRetry(migration) && (
        <Button
          kind="first"
          icon="refresh"
          operation="migrations.retry"
          onClick={() => {
            isRetrying.value = true;
          }}
        >
          Retry…
        </Button>
      )}
      {isRetrying.value && (
        <RetryDialog
          migration={migration}
          left={left}
          onDone={show}
          onClose={() => {
            isRetrying.value = false;
          }}
        />
      )}
    </>
  );
}

function Work({ migration }: { migration: Migration }) {
  const { attention, failureReason, status, phase, phases: all, run } = migration;
  const at = all.find(({ name }) => name === phase);
  const notes = all.flatMap(({ name, errors }) => errors.map((note) => ({ ...note, phase: name, kind: 'refused' })));
  const review = (migration.report ?? []).flatMap(({ name, needsReview }) =>
    needsReview.map((note) => ({ ...note, phase: name, kind: 'review' })),
  );
  return (
    <>
      {status.startsWith('completed') && (
        <NextSteps
          steps={[
            { label: 'See the people', href: to('/contacts') },
            { label: 'Lists and segments', href: to('/lists') },
            { label: 'Templates', href: to('/templates') },
            { label: 'Suppressions', href: to('/suppressions') },
            { label: 'New campaign', href: to('/campaigns/new'), operation: 'campaigns.create' },
          ]}
        />
      )}
      {status === 'needs_attention' && (
        <Notice
          kind="bad"
          title={`${phase ? `${phases[phase]}: the migration` : 'The migration'} ${at && at.total > 0 ? `holds at ${count(doneOf(at))} of ${count(at.total)}` : 'holds'}`}
        >
          {attention} Nothing is lost: it goes on from there when you retry.
        </Notice>
      )}
      {status === 'failed' && (
        <Notice kind="bad" title="The migration failed">
          {failureReason} What was copied stays.
        </Notice>
      )}
      <Section title="Phases" note={`${noteOf(all)}${run && run > 1 ? `, run ${run}` : ''}`}>
        <Table label="Phases" columns={phaseColumns} rows={all} keyOf={({ name }) => name} current={phase} />
      </Section>
      <Section title="Refused, and to look at" hasRule>
        <Table
          label="Refused items"
          columns={noteColumns}
          rows={[...notes, ...review].map((note, index) => ({ ...note, key: String(index) }))}
          keyOf={({ key }) => key}
          empty={<Empty title="Nothing was refused">{isOver(migration) ? '' : 'So far.'}</Empty>}
        />
      </Section>
    </>
  );
}

function noteOf(all: readonly MigrationPhase[]): string {
  const total = all.reduce((sum, { total: n }) => sum + n, 0);
  const done = all.reduce((sum, phase) => sum + doneOf(phase), 0);
  return total === 0
    ? 'not counted yet'
    : `${percent(done, Math.max(done, total))} of ${count(Math.max(done, total))} items`;
}

const doneOf = ({ succeeded, failed, skipped }: MigrationPhase): number => succeeded + failed + skipped;

function peopleLeft({ phase, phases: all }: Migration): number {
  const at = all.find(({ name }) => name === phase);
  return at ? Math.max(0, at.total - doneOf(at)) : 0;
}

const phaseStates: Record<MigrationPhase['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'open', word: 'Waits' },
  running: { tone: 'live', word: 'Running' },
  completed: { tone: 'good', word: 'Completed' },
  skipped: { tone: 'idle', word: 'Skipped' },
  failed: { tone: 'bad', word: 'Stopped' },
};

const phaseColumns: readonly Column<MigrationPhase>[] = [
  { key: 'name', head: 'Phase', isMain: true, cell: ({ name }) => phases[name] },
  {
    key: 'state',
    head: 'State',
    cell: ({ status }) => <State tone={phaseStates[status].tone}>{phaseStates[status].word}</State>,
  },
  {
    key: 'bar',
    head: 'Progress',
    isWide: true,
    cell: (phase) => (
      <Bar
        label={`${phases[phase.name]}: ${count(doneOf(phase))} of ${count(phase.total)}`}
        all={Math.max(phase.total, doneOf(phase))}
        parts={[
          {
            label: 'done',
            value: phase.succeeded + phase.skipped,
            fill: phase.status === 'completed' ? 'good' : 'accent',
          },
          { label: 'refused', value: phase.failed, fill: 'bad' },
        ]}
      />
    ),
  },
  {
    key: 'done',
    head: 'Done',
    isNum: true,
    cell: (phase) =>
      phase.total === 0 && phase.status === 'pending'
        ? 'counted then'
        : `${count(doneOf(phase))} of ${count(phase.total)}`,
  },
  {
    key: 'came',
    head: 'What came of it',
    isDim: true,
    cell: ({ created, updated, skipped, failed }) =>
      [
        [created, 'created'],
        [updated, 'updated'],
        [skipped, 'left as they were'],
        [failed, 'refused'],
      ]
        .filter(([n]) => n)
        .map(([n, word]) => `${count(Number(n))} ${word}`)
        .join(', '),
  },
  {
    key: 'took',
    head: 'Took',
    isNum: true,
    isDim: true,
    cell: ({ startedAt, completedAt }) =>
      startedAt && completedAt ? duration(new Date(completedAt).getTime() - new Date(startedAt).getTime()) : '',
  },
];

interface NoteRow extends MigrationNote {
  key: string;
  phase: MigrationPhase['name'];
  kind: string;
}

const noteColumns: readonly Column<NoteRow>[] = [
  { key: 'item', head: 'Item', isMain: true, isMono: true, isCut: true, cell: ({ item }) => item },
  { key: 'phase', head: 'Phase', cell: ({ phase }) => phases[phase] },
  {
    key: 'why',
    head: 'Why',
    isCut: true,
    cell: ({ kind, message }) => (kind === 'review' ? <State tone="warn">{message}</State> : message),
  },
];
