import { waysOf } from '../../graph/flow.ts';
import { type Block, insert, lead, wayOf } from './add.ts';
import { takeOut, unitOf } from './remove.ts';
import { finish } from './sound.ts';
import {
  attempt,
  copyOf,
  forksOf,
  found,
  Impossible,
  isFork,
  lateOf,
  type NewId,
  type Outcome,
  type Step,
  type Steps,
  setLate,
} from './steps.ts';
import { takeOver } from './waits.ts';

/** The step, with the ways of a fork, on another line. */
export function move(steps: Steps, stepId: string, wayId: string, newId: NewId): Outcome {
  return attempt(() => {
    const next = copyOf(steps);
    const unit = unitOf(next, stepId);
    const ids = new Set(unit.map((step) => step.stepId));
    const { from, to } = wayOf(next, wayId);
    if (ids.has(from) || ids.has(to)) throw new Impossible('It is there already.');
    takeOut(next, unit);
    insert(next, wayOf(next, wayId), blockOf(unit), newId);
    return finish(next, stepId, newId);
  });
}

/** Another one like it, on a line. Without a line: behind it; the copy of a fork comes before the fork, where all of its ways begin. */
export function copy(steps: Steps, stepId: string, wayId: string | null, newId: NewId): Outcome {
  return attempt(() => {
    const next = copyOf(steps);
    const unit = renamed(unitOf(next, stepId), newId);
    const block = blockOf(unit);
    const own = waysOf(next).find(({ from }) => from === stepId);
    const on = wayId ?? own?.id;
    if (wayId === null && (isFork(found(next, stepId)) || on === undefined)) insertBefore(next, stepId, block);
    else insert(next, wayOf(next, on ?? ''), block, newId);
    const made = isFork(block.head) ? block.head : block.tail;
    return finish(next, made.stepId, newId);
  });
}

function insertBefore(steps: Step[], stepId: string, { head, tail, all }: Block): void {
  takeOver(steps, stepId, head);
  Object.assign(tail, { parentBranchStepId: head.parentBranchStepId, parentBranchId: head.parentBranchId });
  steps.splice(steps.indexOf(head), 1, ...all);
  lead(steps, tail, stepId);
}

/** Links out of the block are forgotten: they are those of the place that it leaves. */
function blockOf(unit: readonly Step[]): Block {
  const [head, ...rest] = unit;
  if (!head) throw new Impossible('The step is gone.');
  const ids = new Set(unit.map(({ stepId }) => stepId));
  for (const step of unit) {
    const late = lateOf(step);
    if (late !== null && !ids.has(late)) setLate(step, null);
  }
  for (const step of rest) if (step.nextStepId !== null && !ids.has(step.nextStepId)) step.nextStepId = null;
  for (const step of rest)
    for (const branch of step.branches ?? [])
      if (branch.mergeStepId !== null && !ids.has(branch.mergeStepId)) branch.mergeStepId = null;
  return { head, tail: isFork(head) ? head : (rest.at(-1) ?? head), all: unit };
}

function renamed(unit: readonly Step[], newId: NewId): Step[] {
  const copies = copyOf(unit);
  const ids = new Map(copies.map(({ stepId, type }) => [stepId, newId(type)]));
  const named = (id: string | null) => (id === null ? null : (ids.get(id) ?? id));
  for (const step of copies) {
    step.stepId = named(step.stepId) ?? step.stepId;
    step.parentBranchStepId = named(step.parentBranchStepId);
    step.nextStepId = named(step.nextStepId);
    if (lateOf(step) !== null) setLate(step, named(lateOf(step)));
    const { emailStepId } = step.waitEvent ?? {};
    if (emailStepId) step.waitEvent = { ...step.waitEvent, emailStepId: named(emailStepId) ?? emailStepId };
    for (const fork of forksOf(step)) fork.nextStepId = named(fork.nextStepId);
    for (const branch of step.branches ?? []) branch.mergeStepId = named(branch.mergeStepId);
  }
  return copies;
}
