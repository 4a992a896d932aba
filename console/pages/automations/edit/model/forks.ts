import { placeOf, waysOf } from '../../graph/flow.ts';
import { finish } from './sound.ts';
import {
  attempt,
  copyOf,
  forksOf,
  found,
  Impossible,
  lateOf,
  type NewId,
  type Outcome,
  placedIn,
  reachedFrom,
  type Step,
  type Steps,
  setLate,
  targetsOf,
  within,
} from './steps.ts';

type Branch = NonNullable<Step['branches']>[number];

const WAYS_MAX = { branch: 20, split: 10 } as const;

/** One more way, which joins where the others do. Shares are made equal. */
export function addWay(steps: Steps, stepId: string, content: Partial<Branch>, newId: NewId): Outcome {
  return attempt(() => {
    const next = copyOf(steps);
    const fork = found(next, stepId);
    const max = fork.type === 'split' ? WAYS_MAX.split : WAYS_MAX.branch;
    if (forksOf(fork).length >= max) throw new Impossible(`There are ${max} ways at most.`);
    const branchId = newId('way');
    if (fork.type === 'split')
      fork.shares = equal([...(fork.shares ?? []), { branchId, label: '', share: 0, nextStepId: null }]);
    else fork.branches = [...(fork.branches ?? []), { ...newBranch(content), branchId, mergeStepId: joinOf(fork) }];
    return finish(next, stepId, newId);
  });
}

export function newBranch(content: Partial<Branch> = {}): Branch {
  return {
    ...{ branchId: '', label: '', triggerType: 'contact_property_matches_with', appliesTo: 'branch_entry' },
    ...{ filterCriteria: null, nextStepId: null, mergeStepId: null },
    ...content,
  };
}

/** Without a way and the steps on it. */
export function removeWay(steps: Steps, stepId: string, branchId: string, newId: NewId): Outcome {
  return attempt(() => {
    const all = copyOf(steps);
    const fork = found(all, stepId);
    const least = fork.type === 'split' ? 2 : 1;
    if (forksOf(fork).length <= least) throw new Impossible('It needs its ways: remove the whole step instead.');
    const gone = new Set(placedIn(all, stepId, branchId).flatMap((step) => [step.stepId, ...within(all, step.stepId)]));
    const next = all.filter((step) => !gone.has(step.stepId));
    if (fork.shares) fork.shares = equal(fork.shares.filter((one) => one.branchId !== branchId));
    if (fork.branches) fork.branches = fork.branches.filter((one) => one.branchId !== branchId);
    return finish(next, stepId, newId);
  });
}

/** The way leads to another step, or ends. The shares of a split lead to one step. */
export function joinWay(steps: Steps, stepId: string, branchId: string, to: string | null, newId: NewId): Outcome {
  return attempt(() => {
    const next = copyOf(steps);
    const fork = found(next, stepId);
    if (to !== null && !joinsOf(next, stepId).includes(to)) throw new Impossible('The way cannot lead there.');
    const branch = fork.branches?.find((one) => one.branchId === branchId);
    const before = branch ? branch.mergeStepId : fork.nextStepId;
    if (branch) branch.mergeStepId = to;
    else fork.nextStepId = to;
    const inside = within(next, stepId);
    for (const step of next) {
      const isOfWay = inside.has(step.stepId) && (!branch || isOn(next, step, stepId, branchId));
      const isOut = step.nextStepId !== null && !inside.has(step.nextStepId);
      if (isOfWay && isOut && (branch || step.nextStepId === before)) step.nextStepId = null;
      const late = lateOf(step);
      if (isOfWay && late !== null && !inside.has(late) && (branch || late === before)) setLate(step, null);
    }
    const way = branch ?? fork.shares?.find((one) => one.branchId === branchId);
    if (way && before !== null && way.nextStepId === before) way.nextStepId = null;
    return finish(next, stepId, newId);
  });
}

/** The steps that a way may lead to: those around the fork from which no line comes to it. */
export function joinsOf(steps: Steps, stepId: string): string[] {
  const fork = steps.find((step) => step.stepId === stepId);
  if (!fork) return [];
  const targets = targetsOf(waysOf(steps));
  const around = forksAround(steps, fork);
  // A branch may join anywhere around it, a split only in its own place or where that ends.
  const ends = new Set(around.flatMap(({ step, branchId }) => endOf(step, branchId) ?? []));
  const places = new Set([fork, ...(fork.type === 'branch' ? around.map(({ step }) => step) : [])].map(placeOf));
  return steps
    .filter((step) => step !== fork && (places.has(placeOf(step)) || ends.has(step.stepId)))
    .map((step) => step.stepId)
    .filter((id) => !reachedFrom(targets, id).has(stepId));
}

/** Where a fork lets its ways join. */
function joinOf({ branches = [], nextStepId }: Step): string | null {
  return branches.find(({ mergeStepId }) => mergeStepId !== null)?.mergeStepId ?? nextStepId;
}

function forksAround(steps: Steps, step: Step): Array<{ step: Step; branchId: string | null }> {
  const owner = steps.find(({ stepId }) => stepId === step.parentBranchStepId);
  return owner ? [{ step: owner, branchId: step.parentBranchId }, ...forksAround(steps, owner)] : [];
}

function endOf({ branches, nextStepId }: Step, branchId: string | null): string | null {
  return branches ? (branches.find((one) => one.branchId === branchId)?.mergeStepId ?? null) : nextStepId;
}

function isOn(steps: Steps, step: Step, forkId: string, branchId: string): boolean {
  if (step.parentBranchStepId === forkId) return step.parentBranchId === branchId;
  const owner = steps.find(({ stepId }) => stepId === step.parentBranchStepId);
  return owner !== undefined && isOn(steps, owner, forkId, branchId);
}

/** Shares that add up to a hundred; the first ones have what cannot be divided. */
function equal<T extends { share: number }>(shares: readonly T[]): T[] {
  const each = Math.floor(100 / shares.length);
  return shares.map((one, index) => ({ ...one, share: each + (index < 100 - each * shares.length ? 1 : 0) }));
}
