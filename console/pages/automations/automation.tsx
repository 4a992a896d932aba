import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Automation as Stored } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Legend, Tiles } from '../../parts/data/bars.tsx';
import { count, counted, day, percent } from '../../parts/data/format.ts';
import { Button } from '../../parts/forms/button.tsx';
import { Choose } from '../../parts/forms/choices.tsx';
import { Menu } from '../../parts/over/menu.tsx';
import { LoadFailure } from '../../parts/page/loaded.tsx';
import { Notice, SkeletonLines } from '../../parts/page/notice.tsx';
import { Columns, Page, Section } from '../../parts/page/page.tsx';
import { useQuery } from '../../parts/page/query.ts';
import { currentTab, type Tab, Tabs } from '../../parts/page/tabs.tsx';
import { navigate, place, setQuery, to } from '../../router.ts';
import { can } from '../../session.ts';
import { changeState } from './changes.ts';
import { DraftNotice } from './draft.tsx';
import { Enrollments } from './enrollments.tsx';
import { compareDefinitions, type Mark } from './graph/compare.ts';
import { nameOf } from './graph/flow.ts';
import { Graph } from './graph/graph.tsx';
import { AutomationState, exitWords } from './graph/state.tsx';
import { ChosenStep } from './graph/step.tsx';
import { Links } from './links.tsx';
import { Mails } from './mails.tsx';
import { type Names, useAutomationNames } from './names.ts';
import { unreadyMails } from './ready.ts';
import { type Simulated, scaleOf, walkedAt } from './simulate/moments.ts';
import { Simulate } from './simulate/simulate.tsx';

const CRUMB = { label: 'Automations', path: '/automations' } as const;

/** One automation: its graph with the people on each step, its simulation, its people and its links. */
export default function Automation({ params }: { params: Record<string, string> }) {
  const id = params.automationId ?? '';
  const found = useQuery((signal) => api.automations.get(id, {}, { signal }), [id]);
  const automation = found.data.value;
  const hasDraft = Boolean(automation?.draft);
  const drafted = useQuery(
    async (signal) => (hasDraft ? api.automations.get(id, { version: 'draft' }, { signal }) : null),
    [id, hasDraft, automation?.draftRevision],
  );
  const draft = hasDraft ? drafted.data.value : null;
  const names = useAutomationNames([automation, draft]);
  const tabs: Tab[] = [
    { key: '', label: 'Steps' },
    { key: 'people', label: 'People', n: automation?.statistics?.entered },
    { key: 'mails', label: 'Mails' },
    { key: 'links', label: 'Links' },
  ];
  const tab = currentTab(tabs);
  const error = found.error.value;

  async function change(act: Parameters<typeof changeState>[1]): Promise<void> {
    if (!automation) return;
    const changed = await changeState(automation, act);
    if (!changed) return;
    if (act === 'delete') navigate(to('/automations'));
    else await found.reload();
  }
  return (
    <Page
      title={automation?.name ?? 'Automation'}
      crumb={CRUMB}
      state={automation && <AutomationState status={automation.status} isHead />}
      note={automation && noteOf(automation)}
      actions={automation && <Actions automation={automation} onAct={change} onReload={found.reload} />}
    >
      {error !== null && <LoadFailure error={error} hasOld={automation !== null} onRetry={found.reload} />}
      {automation ? (
        <>
          {draft && <DraftNotice automation={automation} draft={draft} onDone={found.reload} />}
          <Figures automation={automation} />
          {(automation.status === 'draft' || automation.status === 'paused') && (
            <NotReady automation={automation} names={names} />
          )}
          <Tabs label="Parts of the automation" tabs={tabs} />
          {tab === 'people' && <Enrollments automation={automation} names={names} />}
          {tab === 'mails' && <Mails automationId={automation.id} />}
          {tab === 'links' && <Links automation={automation} names={names} />}
          {tab === '' && <Steps automation={automation} draft={draft} names={names} />}
        </>
      ) : (
        error === null && <SkeletonLines count={8} />
      )}
    </Page>
  );
}

function noteOf({ version, activeAt }: Stored): string {
  return [`Version ${version ?? 1}`, activeAt && `active since ${day(activeAt)}`].filter(Boolean).join(', ');
}

function Actions({
  automation: { id, status },
  onAct,
  onReload,
}: {
  automation: Stored;
  onAct: (act: Parameters<typeof changeState>[1]) => Promise<void>;
  onReload: () => unknown;
}) {
  const isOver = status === 'archived';
  return (
    <>
      {!isOver && (
        <Button icon="edit" href={to(`/automations/${id}/edit`)}>
          {can('automations.update') ? 'Edit' : 'Look into it'}
        </Button>
      )}
      {status === 'active' && (
        <Button icon="pause" operation="automations.pause" onClick={() => onAct('pause')}>
          Pause…
        </Button>
      )}
      {status === 'paused' && (
        <Button kind="first" icon="play" operation="automations.resume" onClick={() => onAct('resume')}>
          Resume…
        </Button>
      )}
      {status === 'draft' && (
        <Button kind="first" icon="play" operation="automations.activate" onClick={() => onAct('activate')}>
          Activate…
        </Button>
      )}
      <Menu
        label="More"
        items={[
          { label: 'Load again', icon: 'refresh', onPick: onReload },
          {
            ...{ label: 'Archive…', icon: 'stop', isDangerous: true, operation: 'automations.archive' },
            why: isOver && 'It is archived already.',
            onPick: () => onAct('archive'),
          },
          {
            ...{ label: 'Delete…', icon: 'trash', isDangerous: true, operation: 'automations.delete' },
            why: status === 'active' && 'Pause it first.',
            onPick: () => onAct('delete'),
          },
        ]}
      />
    </>
  );
}

/** The mails that must be changed before it may start, each with the way to it. */
function NotReady({ automation, names }: { automation: Stored; names: Names }) {
  const { id, steps } = automation;
  const unready = useQuery((signal) => unreadyMails(automation, signal), [automation]);
  const found = unready.data.value ?? [];
  if (found.length === 0) return null;
  return (
    <Notice kind="warn" title={`${counted(found.length, 'mail')} must be changed before it can start`}>
      {found.map(({ stepId, templateId, text }) => {
        const step = steps.find((one) => one.stepId === stepId);
        return (
          <p key={stepId}>
            <a
              class="link"
              href={templateId ? to(`/templates/${templateId}`) : to(`/automations/${id}/edit`, { step: stepId })}
            >
              {step ? nameOf(step, names.templates) : stepId}
            </a>
            : {text}
          </p>
        );
      })}
    </Notice>
  );
}

function Figures({ automation: { id, statistics } }: { automation: Stored }) {
  if (!statistics) return null;
  const { entered, active, completed, exited, exitedBy, emails, parked, backlog, converted, conversionRate } =
    statistics;
  const [reason, most] = Object.entries(exitedBy).sort(([, a], [, b]) => b - a)[0] ?? [];
  const door = (status?: string) => to(`/automations/${id}`, { tab: 'people', status });
  const waiting = backlog.triggers + backlog.starts;
  return (
    <Tiles
      label="People and mails"
      tiles={[
        {
          ...{ label: 'Entered', value: count(entered), href: door() },
          of: waiting > 0 ? `${count(waiting)} about to` : undefined,
        },
        {
          ...{ label: 'On the way', value: count(active), href: door('active') },
          of: parked > 0 ? `${count(parked)} held` : 'now',
        },
        { label: 'Completed', value: count(completed), of: percent(completed, entered), href: door('completed') },
        ...(conversionRate === null
          ? []
          : [{ label: 'Converted', value: count(converted), of: percent(converted, entered) }]),
        {
          ...{ label: 'Left early', value: count(exited), href: door('exited') },
          of: reason && most ? `${count(most)} ${exitWords(reason)}` : percent(exited, entered),
        },
        { label: 'Mails', value: count(emails), href: to('/emails', { automation: id }) },
      ]}
    />
  );
}

/** The graph of what runs, or of the draft, with the differences marked in both. */
function Steps({ automation, draft, names }: { automation: Stored; draft: Stored | null; names: Names }) {
  const isDraft = draft !== null && place.value.query.get('show') === 'draft';
  const marks = useMemo(() => (draft ? compareDefinitions(automation, draft).marks : undefined), [automation, draft]);
  const shown = isDraft ? draft : automation;
  return (
    <StepsOf key={isDraft ? 'draft' : ''} {...{ automation: shown, hasDraft: draft !== null, isDraft, marks, names }} />
  );
}

function StepsOf({
  automation,
  hasDraft,
  isDraft,
  marks,
  names,
}: {
  automation: Stored;
  hasDraft: boolean;
  isDraft: boolean;
  marks: ReadonlyMap<string, Mark> | undefined;
  names: Names;
}) {
  const chosen = place.value.query.get('step');
  const simulated = useSignal<Simulated | null>(null);
  const now = simulated.value;
  const walked = useMemo(() => {
    if (!now) return undefined;
    const { unitMs } = scaleOf(now.moments, now.from);
    return walkedAt(automation.steps, now.moments, now.from + now.at * unitMs);
  }, [now, automation.steps]);
  return (
    <Columns>
      <Section
        title="Steps"
        span={8}
        aside={
          <>
            <Legend
              items={[
                { label: 'figures: people on the step now' },
                ...(walked ? [{ label: 'the simulated way', fill: 'accent' as const }] : []),
              ]}
            />
            {hasDraft && (
              <Choose
                label="Version"
                value={isDraft ? 'draft' : ''}
                options={[
                  { value: '', label: automation.activeAt ? 'Running' : 'As it is' },
                  { value: 'draft', label: 'Draft' },
                ]}
                onChange={(value) => setQuery({ show: value || null })}
              />
            )}
          </>
        }
      >
        <Graph automation={automation} names={names} chosen={chosen} walked={walked} marks={marks} isDraft={isDraft} />
      </Section>
      <div class="stack c4 far">
        <ChosenStep automation={automation} names={names} stepId={chosen} isDraft={isDraft} />
        <Simulate automation={automation} names={names} simulated={simulated} isDraft={isDraft} />
      </div>
    </Columns>
  );
}
