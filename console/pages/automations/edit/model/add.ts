import { placeIn, placeOf, type Way, waysOf } from '../../graph/flow.ts';
import { nameMail } from './mails.ts';
import { finish } from './sound.ts';
import {
  attempt,
  type Content,
  copyOf,
  END,
  ENTRY,
  forksOf,
  found,
  Impossible,
  isFork,
  isLate,
  isLinear,
  isTwoWay,
  isWait,
  lateOf,
  type NewId,
  newStep,
  nextOf,
  OTHERWISE_ENDS,
  type Outcome,
  type Step,
  type Steps,
  setLate,
} from './steps.ts';
import { takeOver } from './waits.ts';

/** Steps that go together: the first one is entered, the last one is left, and the others are within its ways. */
export interface Block {
  head: Step;
  tail: Step;
  all: readonly Step[];
}

/** A new step on a line. */
export function addOn(steps: Steps, wayId: string, content: Content, newId: NewId): Outcome {
  return attempt(() => {
    const next = copyOf(steps);
    const way = wayOf(next, wayId);
    if (content.type === 'wait' && isLinear(next)) refuseSecondWait(next, way);
    const step = newStep(content, newId);
    insert(next, way, { head: step, tail: step, all: [step] }, newId);
    nameMail(next, step);
    return finish(next, step.stepId, newId);
  });
}

/** A new step that everybody passes who comes to another one, whichever lines they come by. */
export function addBefore(steps: Steps, stepId: string, content: Content, newId: NewId): Outcome {
  return attempt(() => {
    const next = copyOf(steps);
    const step = newStep(content, newId);
    takeOver(next, stepId, step);
    lead(next, step, stepId);
    nameMail(next, step);
    return finish(next, step.stepId, newId);
  });
}

export function wayOf(steps: Steps, wayId: string): Way {
  const way = waysOf(steps).find(({ id }) => id === wayId);
  if (!way) throw new Impossible('The line is gone.');
  return way;
}

/** The block between the two ends of a line. */
export function insert(steps: Step[], way: Way, { head, tail, all }: Block, newId: NewId): void {
  const to = way.to === END ? null : way.to;
  const place = placeOn(steps, way);
  const end = endForOther(steps, way, head, newId);
  const index = end ? steps.indexOf(end) + 1 : way.from === ENTRY ? 0 : indexOn(steps, way, head);
  for (const step of new Set([head, tail])) Object.assign(step, place);
  steps.splice(index, 0, ...all);
  lead(steps, tail, to);
}

function placeOn(steps: Steps, { from, branchId }: Way): Pick<Step, 'parentBranchStepId' | 'parentBranchId'> {
  if (from === ENTRY) return { parentBranchStepId: null, parentBranchId: null };
  const before = found(steps, from);
  if (isFork(before) && branchId) return { parentBranchStepId: from, parentBranchId: branchId };
  const { parentBranchStepId, parentBranchId } = before;
  return { parentBranchStepId, parentBranchId };
}

/** Where the block is written so that the step before it leads to it. */
function indexOn(steps: Step[], way: Way, head: Step): number {
  const { from, branchId } = way;
  const before = found(steps, from);
  const at = steps.indexOf(before);
  if (isTwoWay(before)) {
    partWays(steps, before, { head, isOnLate: isLate(way) });
    return at + 1;
  }
  if (typeof branchId === 'string') {
    for (const fork of forksOf(before)) if (fork.branchId === branchId) fork.nextStepId = null;
    const first = steps.findIndex((step) => placeOf(step) === placeIn(from, branchId));
    return first === -1 ? at + 1 : first;
  }
  // The way of people without a branch names its step; any other step leads to the next one in its place.
  before.nextStepId = branchId === null ? head.stepId : null;
  if (branchId === undefined) return at + 1;
  const follower = steps.findIndex((step, index) => index > at && placeOf(step) === placeOf(before));
  return follower === -1 ? steps.length : follower;
}

/** Of two ways that both end, the one without the block is left by an exit: it would lead to the next step in its place otherwise. */
function endForOther(steps: Step[], way: Way, head: Step, newId: NewId): Step | null {
  const before = steps.find(({ stepId }) => stepId === way.from);
  if (!before || !isTwoWay(before) || nextOf(steps, before) !== null) return null;
  if (lateOf(before) === null ? head.type === 'exit' : !isLate(way)) return null;
  const end = newStep({ type: 'exit' }, newId);
  Object.assign(end, placeOn(steps, way));
  steps.splice(steps.indexOf(before) + 1, 0, end);
  before.nextStepId = isLate(way) ? null : head.stepId;
  setLate(before, isLate(way) ? head.stepId : end.stepId);
  return end;
}

/** A block on one of the two ways leaves the other one where it led. */
function partWays(steps: Steps, step: Step, { head, isOnLate }: { head: Step; isOnLate: boolean }): void {
  const heard = nextOf(steps, step);
  if (heard === null && lateOf(step) === null) return;
  const late = lateOf(step) ?? heard;
  step.nextStepId = isOnLate ? heard : null;
  setLate(step, isOnLate ? head.stepId : late);
}

/** The step leads there, and the ways of a fork join there. */
export function lead(steps: Steps, step: Step, to: string | null): void {
  if (step.type === 'exit') return;
  if (isFork(step)) {
    step.nextStepId = to;
    for (const branch of step.branches ?? []) if (branch.mergeStepId !== null) branch.mergeStepId = to;
    return;
  }
  step.nextStepId = null;
  if (nextOf(steps, step) === to) return;
  if (to === null) throw new Impossible(OTHERWISE_ENDS);
  step.nextStepId = to;
}

function refuseSecondWait(steps: Steps, { from, to }: Way): void {
  const ends = steps.filter(({ stepId }) => stepId === from || stepId === to);
  if (ends.some(isWait)) throw new Impossible('There is a wait here already: change how long it is.');
}
