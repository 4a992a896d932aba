import { waysOf } from '../../graph/flow.ts';
import { END, ENTRY, isWait, type NewId, newStep, retarget, type Step, type Steps, targetsOf } from './steps.ts';

/** Automations of these alone need a wait directly before each mail. */
const STRICT: ReadonlyArray<Step['type']> = ['wait', 'email', 'branch'];

const AT_ONCE = { value: 0, unit: 'minutes' } as const;
const A_DAY = { value: 1, unit: 'days' } as const;

/** A wait before each mail that needs one: a day after another mail, otherwise at once. */
export function withWaits(steps: readonly Step[], newId: NewId): Step[] {
  const all = [...steps];
  for (let email = hasty(all); email; email = hasty(all)) {
    const before = waysOf(all).filter(({ to }) => to === email?.stepId);
    const isAfterMail = before.some(({ from }) => all.find(({ stepId }) => stepId === from)?.type === 'email');
    takeOver(all, email.stepId, newStep({ type: 'wait', delay: isAfterMail ? A_DAY : AT_ONCE }, newId));
  }
  return all;
}

/** The first mail that would come without a wait. */
export function hasty(steps: Steps): Step | undefined {
  const ids = steps.every(({ type }) => STRICT.includes(type)) ? directly(steps) : unpaused(steps);
  return steps.find(({ stepId, type }) => type === 'email' && ids.has(stepId));
}

/** The step comes before another one, on all lines to it. */
export function takeOver(steps: Step[], stepId: string, before: Step): void {
  const index = steps.findIndex((one) => one.stepId === stepId);
  const step = steps[index];
  if (!step) return;
  retarget(steps, stepId, before.stepId);
  before.parentBranchStepId = step.parentBranchStepId;
  before.parentBranchId = step.parentBranchId;
  steps.splice(index, 0, before);
}

/** Steps that something else than a wait leads to. */
function directly(steps: Steps): Set<string> {
  const waits = new Set(steps.filter(isWait).map(({ stepId }) => stepId));
  return new Set(waysOf(steps).flatMap(({ from, to }) => (waits.has(from) || to === END ? [] : [to])));
}

/** Steps that are reached from a mail, a goal or the entry, with no wait between. */
function unpaused(steps: Steps): Set<string> {
  const targets = targetsOf(waysOf(steps));
  const waits = new Set(steps.filter(isWait).map(({ stepId }) => stepId));
  const reached = new Set<string>();
  const open = [ENTRY, ...steps.filter(({ type }) => type === 'email' || type === 'goal').map(({ stepId }) => stepId)];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const to of targets.get(at) ?? []) {
      if (waits.has(to) || reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  return reached;
}
