import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Automation } from '../../../../../client/index.ts';
import { Icon } from '../../../../parts/icon.tsx';
import type { Walked } from '../../graph/flow.ts';
import { END, ENTRY, OTHERWISE, type Way, waysOf } from '../../graph/flow.ts';
import { Graph } from '../../graph/graph.tsx';
import { entryName } from '../../graph/state.tsx';
import type { Names } from '../../names.ts';
import type { Editing } from '../editing.ts';
import { addBefore, addOn } from '../model/add.ts';
import { copy, move } from '../model/move.ts';
import { remove } from '../model/remove.ts';
import type { Content, Outcome, Step, Steps } from '../model/steps.ts';
import { useNarrow } from '../narrow.ts';
import { newId } from '../new-id.ts';
import { AddMenu } from './add-menu.tsx';
import { StepList } from './step-list.tsx';
import { neighbour } from './walking.ts';

const ADD_PX = 28;
const ADD_TOUCH_PX = 44;

export interface BoardProps {
  /** With the content that is edited. */
  automation: Automation;
  names: Names;
  editing: Editing;
  /** A step; null: the entry, or none. */
  chosen: string | null;
  why: string | null;
  walked: Walked | undefined;
  zoom: number;
  marks: ReadonlyMap<string, 'added' | 'changed' | 'removed' | 'to mend'>;
  nameOf: (step: Step) => string;
  onChoose: (stepId: string | null, then?: 'fields') => void;
  /** For the panel. */
  handle: RefObject<BoardHandle | null>;
}

export interface BoardHandle {
  remove(stepId: string): void;
  copy(stepId: string): void;
  /** On all lines that lead to the step. */
  addBefore(stepId: string): void;
  /** The step has the focus. */
  focus(stepId: string | null): void;
}

/** The place where "+" was pressed. */
interface Asked {
  at: Element;
  add: (content: Content) => Outcome;
}

/** The graph, or the list of a narrow screen, with what can be done in it by mouse and by keys. */
export function Board(props: BoardProps) {
  const { automation, names, editing, chosen, why, walked, zoom, marks, nameOf, onChoose, handle } = props;
  const { steps } = automation;
  const box = useRef<HTMLDivElement>(null);
  const isListed = useNarrow();
  const asked = useSignal<Asked | null>(null);
  /** The one node that Tab comes to. Not rendered again when it changes: two hundred steps took longer than a picture may. */
  const at = useRef<string>(chosen ?? ENTRY);
  const focused = useRef<string | null>(null);
  const isKnown = [ENTRY, END, ...steps.map(({ stepId }) => stepId)].includes(at.current);
  const here = isKnown ? at.current : ENTRY;
  at.current = here;
  const size = matchMedia('(pointer: coarse)').matches ? ADD_TOUCH_PX : ADD_PX;
  const carried = editing.carried.value;

  function settle(outcome: Outcome, words: (name: string) => string): void {
    const stepId = editing.done(outcome, (all) => words(nameIn(all, 'stepId' in outcome ? outcome.stepId : null)));
    if (stepId === undefined) return;
    focused.current = stepId ?? ENTRY;
    at.current = stepId ?? ENTRY;
    onChoose(stepId);
  }
  function comeTo(node: string): void {
    if (node === at.current) return;
    if (!isListed)
      for (const [id, tabIndex] of [
        [at.current, -1],
        [node, 0],
      ] as const)
        letTabTo(box.current, steps, id, tabIndex);
    at.current = node;
  }
  const nameIn = (all: Steps, stepId: string | null): string => {
    const step = all.find((one) => one.stepId === stepId);
    return step ? nameOf(step) : 'the entry';
  };
  const act = {
    put(way: Way) {
      if (!carried) return;
      const { stepId, isCopy } = carried;
      editing.carried.value = null;
      const outcome = (isCopy ? copy : move)(steps, stepId, way.id, newId);
      settle(outcome, (name) => `${name} is ${lineWords(way, steps, nameOf)}.`);
    },
    remove(stepId: string) {
      const gone = nameIn(steps, stepId);
      const outcome = remove(steps, stepId, newId);
      const left = 'steps' in outcome ? { ...outcome, stepId: stepBefore(steps, stepId, outcome.steps) } : outcome;
      settle(left, (name) => `${gone} is removed. ${name} is before it.`);
    },
    copy: (stepId: string) => settle(copy(steps, stepId, null, newId), (name) => `A copy of ${name} is next to it.`),
    addBefore(stepId: string) {
      const node = nodeOf(box.current, stepId);
      if (node) asked.value = { at: node, add: (content) => addBefore(steps, stepId, content, newId) };
    },
    focus(stepId: string | null) {
      nodeOf(box.current, stepId ?? ENTRY)?.focus();
    },
  };
  handle.current = act;
  function add(way: Way, button: Element): void {
    if (carried) act.put(way);
    else asked.value = { at: button, add: (content) => addOn(steps, way.id, content, newId) };
  }

  useLayoutEffect(() => {
    if (focused.current === null) return;
    nodeOf(box.current, focused.current)?.focus();
    focused.current = null;
  });

  function onKeyDown(event: KeyboardEvent): void {
    const node = (event.target as Element).closest('[data-node]')?.getAttribute('data-node');
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) {
      const next = neighbour(steps, node, event.key, (id) => placeIn(box.current, id));
      if (next === null) return;
      event.preventDefault();
      nodeOf(box.current, next)?.focus();
    } else if (event.key === 'Enter' && node !== END) {
      event.preventDefault();
      onChoose(node === ENTRY ? null : node, 'fields');
    } else if (why !== null || node === END) return;
    else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      if (node !== ENTRY) act.remove(node);
    } else if (event.key === '+' || event.key === 'Insert') {
      event.preventDefault();
      addAfter(node);
    }
  }
  /** A step with several ways out: the person chooses one of them. */
  function addAfter(node: string): void {
    const ways = waysOf(steps).filter(({ from }) => from === node);
    const [way] = ways;
    const button = way && box.current?.querySelector<HTMLElement>(`[data-way="${CSS.escape(way.id)}"]`);
    if (way && button && ways.length === 1) add(way, button);
    else button?.focus();
  }
  const addButton = (way: Way) => {
    const words = carried
      ? `Put ${nameIn(steps, carried.stepId)} here, ${lineWords(way, steps, nameOf)}`
      : `Add a step ${lineWords(way, steps, nameOf)}`;
    return (
      <button
        class="add"
        type="button"
        tabIndex={isListed || way.from === here ? 0 : -1}
        data-way={way.id}
        aria-label={words}
        aria-haspopup={carried ? undefined : 'menu'}
        // Two hundred and more of them: only the one that is pointed at needs its words to be shown.
        onPointerEnter={({ currentTarget }) => {
          currentTarget.title = currentTarget.ariaLabel ?? '';
        }}
        onClick={(event) => add(way, event.currentTarget)}
      >
        <Icon name="plus" />
        {isListed && (
          <span class="dim small">
            {carried ? `Put ${nameIn(steps, carried.stepId)} here` : 'Add a step'}
            {way.label && `${carried ? ',' : ''} on ${way.label}`}
          </span>
        )}
      </button>
    );
  };
  return (
    <div
      ref={box}
      class={carried ? 'carrying' : undefined}
      role="group"
      aria-label="Steps and lines"
      onKeyDown={onKeyDown}
      onFocusIn={(event) => {
        const node = (event.target as Element).closest('[data-node]')?.getAttribute('data-node');
        if (node) comeTo(node);
      }}
      onClick={(event) => {
        const node = (event.target as Element).closest('a[data-node]')?.getAttribute('data-node');
        if (!node || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        if (node !== END) onChoose(node === ENTRY ? null : node);
      }}
    >
      {isListed ? (
        <StepList
          {...{ steps, chosen, nameOf }}
          entry={entryName(automation.entryCriteria, { list: names.lists.name, form: names.forms.name })}
          markOf={(stepId) => marks.get(stepId)}
          addOn={why === null ? addButton : null}
          onChoose={(id) => onChoose(id === ENTRY ? null : id)}
        />
      ) : (
        <Graph
          {...{ automation, names, walked, marks }}
          chosen={chosen ?? ENTRY}
          isDraft={false}
          editing={{ here, zoom, addSize: size, addOn: why === null ? addButton : null }}
        />
      )}
      {asked.value && (
        <AddMenu
          at={asked.value.at}
          onClose={() => {
            asked.value = null;
          }}
          onPick={(content) => {
            const outcome = asked.value?.add(content);
            asked.value = null;
            if (outcome) settle(outcome, (name) => `${name} is added${waitWords(outcome, steps)}.`);
          }}
        />
      )}
    </div>
  );
}

/** The nearest step before one that was removed; null: the entry. */
function stepBefore(steps: Steps, stepId: string, left: Steps): string | null {
  const ways = waysOf(steps);
  const isLeft = (id: string) => left.some((step) => step.stepId === id);
  let at: string | undefined = stepId;
  while (at !== undefined && !isLeft(at)) at = ways.find(({ to }) => to === at)?.from;
  return at ?? null;
}

/** A mail may come with the wait that it needs. */
function waitWords(outcome: Outcome, before: Steps): string {
  return 'steps' in outcome && outcome.steps.length > before.length + 1 ? ', with a wait' : '';
}

/** 'after Wait 1 day', 'on yes of opened it?', 'at the beginning'. */
function lineWords({ from, label, branchId }: Way, steps: Steps, nameOf: (step: Step) => string): string {
  const step = steps.find(({ stepId }) => stepId === from);
  if (!step) return 'at the beginning';
  return branchId === undefined ? `after ${nameOf(step)}` : `on ${label ?? OTHERWISE} of ${nameOf(step)}`;
}

/** The one that is shown, of the graph and the list. */
function nodeOf(box: Element | null, id: string): HTMLElement | SVGElement | undefined {
  // The ids of the two ends hold a character that no selector can name.
  const all = box?.querySelectorAll<HTMLElement | SVGElement>('[data-node]') ?? [];
  return [...all].find((node) => node.getAttribute('data-node') === id && node.getClientRects().length > 0);
}

/** The links of a node, and the "+" after it. */
function letTabTo(box: Element | null, steps: Steps, id: string, tabIndex: number): void {
  const links = nodeOf(box, id)?.parentElement?.querySelectorAll('a') ?? [];
  const ways = waysOf(steps).filter(({ from }) => from === id);
  const adds = ways.map((way) => box?.querySelector(`[data-way="${CSS.escape(way.id)}"]`));
  for (const one of [...links, ...adds]) one?.setAttribute('tabindex', `${tabIndex}`);
}

function placeIn(box: Element | null, id: string): { x: number; y: number } | null {
  const rect = nodeOf(box, id)?.getBoundingClientRect();
  return rect ? { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 } : null;
}
