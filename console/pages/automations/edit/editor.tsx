import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import type { Automation } from '../../../../client/index.ts';
import { api } from '../../../api.ts';
import { Button } from '../../../parts/forms/button.tsx';
import { useForm } from '../../../parts/forms/form.ts';
import { useKeptDraft } from '../../../parts/forms/leaving.ts';
import { BothTexts, useConflict } from '../../../parts/forms/overtaken.tsx';
import { RestoredDraft } from '../../../parts/forms/restored.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { Page } from '../../../parts/page/page.tsx';
import { useQuery } from '../../../parts/page/query.ts';
import { changeState } from '../changes.ts';
import { PublishDialog } from '../draft.tsx';
import { compareDefinitions } from '../graph/compare.ts';
import { ENTRY, nameOf as nameIn } from '../graph/flow.ts';
import { useAutomationNames } from '../names.ts';
import { type Simulated, scaleOf, walkedAt } from '../simulate/moments.ts';
import { Simulate } from '../simulate/simulate.tsx';
import { Board, type BoardHandle } from './board/board.tsx';
import { useChoosing } from './choosing.ts';
import { isSavedAsDraft, parts, type Values, valuesOf } from './draft.ts';
import { type Editing, useEditing } from './editing.ts';
import type { Fault } from './faults.ts';
import { HeadActions, HeadState, Outdated, savedWords, whyNotEdited } from './head.tsx';
import type { Step } from './model/steps.ts';
import { Panel } from './panel.tsx';
import { Problems, unwritten } from './problems.tsx';
import { useSaving } from './saving.ts';
import { useSecrets } from './secrets.ts';
import { Toolbar, useKeys } from './toolbar.tsx';

const CRUMB = { label: 'Automations', path: '/automations' } as const;

/** The editor of an automation: of its draft while it runs. */
export default function EditorPage({ params }: { params: Record<string, string> }) {
  const id = params.automationId ?? '';
  const found = useQuery((signal) => read(id, signal), [id]);
  const automation = found.data.value;
  if (automation)
    return (
      <Editor
        key={automation.id}
        automation={automation}
        onSaved={(next) => {
          found.data.value = next;
        }}
      />
    );
  return (
    <Page title="Automation" crumb={CRUMB}>
      <Loaded query={found}>{() => null}</Loaded>
    </Page>
  );
}

interface Props {
  automation: Automation;
  onSaved: (automation: Automation) => void;
}

function read(id: string, signal?: AbortSignal): Promise<Automation> {
  return api.automations.get(id, { version: 'draft' }, signal && { signal });
}

function Editor(props: Props) {
  const { automation, onSaved } = props;
  const { form, kept, conflict, editing, saving, running, secrets } = useEdited(props);
  const values = form.values.value;
  const edited: Automation = { ...automation, ...values };
  const names = useAutomationNames([edited]);
  const nameOf = (step: Step) => nameIn(step, names.templates);
  const why = whyNotEdited(automation);
  const faults = saving.faults.value;
  const board = useRef<BoardHandle | null>(null);
  const panel = useRef<HTMLElement>(null);
  const zoom = useSignal(1);
  const simulated = useSignal<Simulated | null>(null);
  const toPublish = useSignal<{ draft: Automation; saved: Values } | null>(null);
  useKeys(editing);
  const { stepId, isSimulating, isAsked, choose, close, simulate } = useChoosing(panel);
  const chosen = values.steps.find((step) => step.stepId === stepId) ?? null;
  const marks = useMemo(() => marksOf(running.data.value, edited, faults), [running.data.value, values, faults]);
  const walked = useWalked(edited, isSimulating ? simulated.value : null);
  const isChanged = form.isChanged.value;
  const publishing = toPublish.value;
  const unready = automation.status === 'draft' ? unwritten(values.steps, automation.warnings ?? []) : [];

  /** Text that was typed since the save stays, and is saved into the draft of the next version. */
  async function reload(saved: Values): Promise<void> {
    const next = await read(automation.id);
    form.take(saved, valuesOf(next));
    onSaved(next);
    if (!form.isChanged.peek()) editing.restart();
    await running.reload();
  }
  async function activate(): Promise<void> {
    if (!(await saving.save())) return;
    const saved = form.values.peek();
    await saving.during(async () => {
      if (await changeState(edited, 'activate', saving.refuse)) return reload(saved);
      const first = saving.faults.peek()[0] ?? unready[0];
      if (first) choose(first.stepId, 'fields');
    });
  }
  async function publish(): Promise<void> {
    if (!(await saving.save())) return;
    const saved = form.values.peek();
    const [draft] = await Promise.all([read(automation.id), running.reload()]);
    toPublish.value = { draft, saved };
  }
  /** While it is simulated, a mail of the way is looked at. */
  function chooseOn(id: string | null, then?: 'fields'): void {
    const now = isSimulating ? simulated.peek() : null;
    const mail = now?.moments.find((moment) => moment.stepId === id && moment.mail !== undefined)?.mail;
    if (now && mail !== undefined) simulated.value = { ...now, opened: mail };
    else choose(id, then);
  }
  function leavePanel(): void {
    close();
    board.current?.focus(chosen?.stepId ?? null);
  }
  const words = savedWords({
    ...{ automation, isChanged, isSaving: form.isBusy.value, faults: faults.length },
    isHeld: form.failure.value !== null || automation.draft?.isOutdated === true,
  });
  return (
    <Page
      title={values.name || 'Automation'}
      crumb={CRUMB}
      isFlush
      state={<HeadState automation={automation} isChanged={isChanged} />}
      note={why ?? words}
      actions={<HeadActions {...{ automation, isChanged }} onActivate={activate} onPublish={publish} />}
    >
      <div class="split open editing">
        <div class="body">
          <RestoredDraft
            draft={{
              ...kept,
              drop() {
                kept.drop();
                editing.restart();
              },
            }}
          />
          <Outdated automation={automation} onKeep={saving.keep} />
          <BothTexts
            {...{ conflict, draft: kept, form, parts, valuesOf }}
            onKeep={saving.keep}
            onTake={(taken) => {
              onSaved(taken);
              editing.restart();
            }}
          />
          <Toolbar
            {...{ editing, zoom, why, isSimulating }}
            carriedName={carriedName(editing, values.steps, nameOf)}
            onSimulate={() => simulate(!isSimulating)}
          />
          <Board
            automation={edited}
            {...{ names, editing, why, walked, marks, nameOf }}
            zoom={zoom.value}
            chosen={chosen?.stepId ?? null}
            onChoose={chooseOn}
            handle={board}
          />
          <Problems
            steps={values.steps}
            faults={faults}
            unready={unready}
            nameOf={nameOf}
            onChoose={(id) => choose(id, 'fields')}
          />
          <p class="sr" role="status">
            {editing.said.value}
          </p>
        </div>
        <aside
          ref={panel}
          class={isAsked ? 'drawer' : 'drawer unasked'}
          aria-label={isSimulating ? 'Simulation' : 'Step'}
          onKeyDown={(event) => {
            const isOver = (event.target as Element).closest('dialog') !== null;
            if (event.key === 'Escape' && !event.defaultPrevented && !isSimulating && !isOver) leavePanel();
          }}
        >
          {isSimulating ? (
            <div class="stack">
              <Button isSmall kind="plain" icon="close" onClick={() => simulate(false)}>
                Close the simulation
              </Button>
              <Simulate automation={edited} names={names} simulated={simulated} isDraft before={saving.save} />
            </div>
          ) : (
            <Panel
              {...{ values, step: chosen, faults, why, nameOf, board, secrets }}
              epoch={editing.epoch.value}
              onChange={editing.change}
              onAct={(outcome) => editing.done(outcome, () => 'Done.')}
              onCarry={(isCopy) => {
                if (chosen) editing.carried.value = { stepId: chosen.stepId, isCopy };
                board.current?.focus(chosen?.stepId ?? null);
              }}
              onClose={leavePanel}
            />
          )}
        </aside>
      </div>
      {publishing && running.data.value && (
        <PublishDialog
          automation={running.data.value}
          draft={publishing.draft}
          onDone={() => saving.during(() => reload(publishing.saved))}
          onRefused={saving.refuse}
          onClose={() => {
            toPublish.value = null;
          }}
        />
      )}
    </Page>
  );
}

/** The content that is typed, its acts, and how it is saved; besides, the version that runs. */
function useEdited({ automation, onSaved }: Props) {
  const { id, status, draftRevision, draft, statistics } = automation;
  const form = useForm<Values>(valuesOf(automation));
  const kept = useKeptDraft(form, `automations/${id}`, String(draftRevision));
  const conflict = useConflict(kept, automation, () => read(id));
  const editing = useEditing(form);
  const secrets = useSecrets();
  const saving = useSaving({
    ...{ form, conflict, secrets, isHeld: draft?.isOutdated === true || whyNotEdited(automation) !== null },
    onSaved: (saved) => onSaved({ ...saved, ...(statistics && { statistics }) }),
  });
  const running = useQuery(
    async (signal) => (isSavedAsDraft(automation) ? api.automations.get(id, {}, { signal }) : null),
    [id, status],
  );
  return { form, kept, conflict, editing, saving, running, secrets };
}

/** The differences to the version that runs, and the steps of the faults. */
function marksOf(running: Automation | null, edited: Automation, faults: readonly Fault[]) {
  const marks = new Map<string, 'added' | 'changed' | 'removed' | 'to mend'>(
    running ? compareDefinitions(running, edited).marks : [],
  );
  for (const { stepId } of faults) marks.set(stepId ?? ENTRY, 'to mend');
  return marks;
}

function useWalked(automation: Automation, now: Simulated | null) {
  return useMemo(() => {
    if (!now) return undefined;
    const { unitMs } = scaleOf(now.moments, now.from);
    return walkedAt(automation.steps, now.moments, now.from + now.at * unitMs);
  }, [now, automation.steps]);
}

function carriedName(editing: Editing, steps: readonly Step[], nameOf: (step: Step) => string): string | null {
  const carried = editing.carried.value;
  const step = carried && steps.find(({ stepId }) => stepId === carried.stepId);
  return step ? `${carried.isCopy ? 'Copy' : 'Move'} “${nameOf(step)}”: choose a line.` : null;
}
