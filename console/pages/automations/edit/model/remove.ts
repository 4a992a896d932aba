import { placeOf, type Way, waysOf } from '../../graph/flow.ts';
import { finish } from './sound.ts';
import {
  attempt,
  copyOf,
  END,
  ENTRY,
  forksOf,
  found,
  Impossible,
  isFork,
  isLate,
  isLinear,
  isWait,
  type NewId,
  nextOf,
  OTHERWISE_ENDS,
  type Outcome,
  placedIn,
  retarget,
  type Step,
  type Steps,
  setLate,
  within,
} from './steps.ts';
import { hasty } from './waits.ts';

/** Without the step; a fork goes with the steps of its ways. Answers the step that follows. */
export function remove(steps: Steps, stepId: string, newId: NewId): Outcome {
  return attempt(() => {
    const next = copyOf(steps);
    const unit = unitOf(next, stepId);
    const [last] = unit.slice(-1);
    const follower = last && !isFork(last) ? nextOf(next, last) : (found(next, stepId).nextStepId ?? null);
    takeOut(next, unit);
    refuseHasty(next, found(steps, stepId));
    return finish(next, next.some((step) => step.stepId === follower) ? follower : null, newId);
  });
}

/** The steps that move with one: those in the ways of a fork; where waits and mails take turns, the wait before a mail. */
export function unitOf(steps: Steps, stepId: string): Step[] {
  const step = found(steps, stepId);
  if (isFork(step)) {
    const inside = within(steps, stepId);
    return steps.filter((one) => one === step || inside.has(one.stepId));
  }
  const before = steps[steps.indexOf(step) - 1];
  return step.type === 'email' && before && isLinear(steps) && isWait(before) ? [before, step] : [step];
}

export function takeOut(steps: Step[], unit: readonly Step[]): void {
  const [head] = unit;
  if (head && isFork(head)) {
    const gone = new Set(unit.slice(1));
    const kept = steps.filter((step) => !gone.has(step));
    const to = afterFork(steps, head);
    steps.splice(0, steps.length, ...kept);
    contract(steps, head, to);
  } else for (const step of [...unit].reverse()) contract(steps, step, nextOf(steps, step));
}

/** Where people are after a fork and its ways. */
function afterFork(steps: Steps, { stepId, nextStepId, branches = [] }: Step): string | null {
  const inside = within(steps, stepId);
  const joins = branches.map(({ mergeStepId }) => mergeStepId);
  return [nextStepId, ...joins].find((to) => to !== null && !inside.has(to)) ?? null;
}

/** Whatever led to the step leads to the one after it. */
function contract(steps: Step[], step: Step, to: string | null): void {
  const before = waysOf(steps).filter((way) => way.to === step.stepId);
  retarget(steps, step.stepId, to);
  steps.splice(steps.indexOf(step), 1);
  // After an exit comes the next step in its place.
  if (step.type !== 'exit') for (const way of before) redirect(steps, way, to);
}

function redirect(steps: Step[], way: Way, to: string | null): void {
  const now = waysOf(steps).find(({ id }) => id === way.id);
  if (now?.to === (to ?? END)) return;
  if (to === null && steps.some(({ stepId, type }) => stepId === now?.to && type === 'exit')) return;
  if (to === null) throw new Impossible(OTHERWISE_ENDS);
  if (way.from === ENTRY) moveToFront(steps, to);
  else if (isLate(way)) setLate(found(steps, way.from), to);
  else if (isFork(found(steps, way.from)) && way.branchId)
    redirectFork(steps, found(steps, way.from), way.branchId, to);
  else found(steps, way.from).nextStepId = to;
}

function moveToFront(steps: Step[], stepId: string): void {
  const step = found(steps, stepId);
  if (placeOf(step) !== '') throw new Impossible('The first step must not be within a way.');
  steps.splice(steps.indexOf(step), 1);
  steps.unshift(step);
}

function redirectFork(steps: Steps, fork: Step, branchId: string, to: string): void {
  const way = forksOf(fork).find((one) => one.branchId === branchId);
  const branch = fork.branches?.find((one) => one.branchId === branchId);
  const inside = placedIn(steps, fork.stepId, branchId);
  if (!way) return;
  if (inside.length === 0 && branch) branch.mergeStepId = to;
  else if (inside.some(({ stepId }) => stepId === to)) way.nextStepId = to;
  else throw new Impossible('The way would lead elsewhere: remove what is left of it first.');
}

function refuseHasty(steps: Steps, removed: Step): void {
  if (isWait(removed) && hasty(steps))
    throw new Impossible('A mail needs a wait before it: for a mail at once, let it wait 0 minutes.');
}
