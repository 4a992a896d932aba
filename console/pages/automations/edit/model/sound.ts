import { waysOf } from '../../graph/flow.ts';
import {
  ENTRY,
  Impossible,
  type NewId,
  type Outcome,
  placedIn,
  reachedFrom,
  type Step,
  type Targets,
  targetsOf,
} from './steps.ts';
import { withWaits } from './waits.ts';

/** Ends every act: the steps as the interface takes them. */
export function finish(steps: Step[], stepId: string | null, newId: NewId): Outcome {
  const whole = withWaits(steps, newId);
  forgetUnreachedJoins(whole);
  refuseUnsound(whole);
  return { steps: whole, stepId };
}

/** A way that no longer gets to the step where it joined the others ends by itself. */
function forgetUnreachedJoins(steps: readonly Step[]): void {
  const targets = targetsOf(waysOf(steps));
  for (const step of steps)
    for (const branch of step.branches ?? []) {
      const [first] = placedIn(steps, step.stepId, branch.branchId);
      if (!first || branch.mergeStepId === null) continue;
      const entry = branch.nextStepId ?? first.stepId;
      if (entry !== branch.mergeStepId && !reachedFrom(targets, entry).has(branch.mergeStepId))
        branch.mergeStepId = null;
    }
}

function refuseUnsound(steps: readonly Step[]): void {
  const targets = targetsOf(waysOf(steps));
  const reached = reachedFrom(targets, ENTRY);
  if (steps.some(({ stepId }) => !reached.has(stepId)))
    throw new Impossible('Steps after it would never be reached: move or remove them first.');
  if (hasCircle(targets)) throw new Impossible('People would come back to where they were.');
}

/** Takes away whatever no line leads to, until nothing or a circle is left. */
function hasCircle(targets: Targets): boolean {
  const counts = new Map<string, number>();
  for (const to of [...targets.values()].flat()) counts.set(to, (counts.get(to) ?? 0) + 1);
  const open = [...targets.keys()].filter((node) => !counts.has(node));
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const to of targets.get(node) ?? []) {
      const left = (counts.get(to) ?? 0) - 1;
      counts.set(to, left);
      if (left === 0) open.push(to);
    }
  return [...counts.values()].some((left) => left > 0);
}
