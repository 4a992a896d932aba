import type { AutomationBranch, AutomationStep } from '../model.ts';

export type BranchStep = AutomationStep & { type: 'branch' };

/** The successors of each step. A null target is the end. */
export interface StepGraph {
  first: AutomationStep | null;
  byId: ReadonlyMap<string, AutomationStep>;
  /** The step after a wait or an email, and after a branch step of which no branch matches. */
  next(step: AutomationStep): string | null;
  /** The first step of a branch that was taken. */
  entry(step: BranchStep, branch: AutomationBranch): string | null;
  /** The branches around a step, the outermost first. */
  around(step: AutomationStep): Array<{ step: BranchStep; branch: AutomationBranch }>;
}

const FAULTS_MAX = 10;

export function stepGraph(steps: readonly AutomationStep[]): StepGraph {
  const byId = new Map(steps.map((step) => [step.stepId, step]));
  const followers = new Map<string, string>();
  const firsts = new Map<string, string>();
  const latest = new Map<string, string>();
  for (const step of steps) {
    const place = placeOf(step);
    const before = latest.get(place);
    if (before === undefined) firsts.set(place, step.stepId);
    else followers.set(before, step.stepId);
    latest.set(place, step.stepId);
  }

  function parent(step: AutomationStep): { step: BranchStep; branch: AutomationBranch } | null {
    const owner = byId.get(step.parentBranchStepId ?? '');
    if (owner?.type !== 'branch') return null;
    const branch = owner.branches.find(({ branchId }) => branchId === step.parentBranchId);
    return branch ? { step: owner, branch } : null;
  }

  return {
    first: steps[0] ?? null,
    byId,
    next(step) {
      if (step.nextStepId !== null || step.type === 'branch') return step.nextStepId;
      return followers.get(step.stepId) ?? parent(step)?.branch.mergeStepId ?? null;
    },
    entry(step, branch) {
      return branch.nextStepId ?? firsts.get(placeIn(step.stepId, branch.branchId)) ?? branch.mergeStepId;
    },
    around(step) {
      const found: ReturnType<StepGraph['around']> = [];
      for (let up = parent(step); up && found.length < steps.length; up = parent(up.step)) found.unshift(up);
      return found;
    },
  };
}

/** Linear workflows alternate wait and email, from a wait to an email. */
export function sequenceFaults(steps: readonly AutomationStep[]): string[] {
  const faults = steps.flatMap(({ type }, index) => {
    const expected = index % 2 === 0 ? 'wait' : 'email';
    return type === expected ? [] : [`steps/${index}: must be ${expected === 'wait' ? 'a wait' : 'an email'} step`];
  });
  if (faults.length > 0) return faults.slice(0, 1);
  return steps.at(-1)?.type === 'wait' ? [`steps/${steps.length - 1}: the last step must be an email step`] : [];
}

/** The faults of the first kind that is found: later ones would only be consequences. */
export function graphFaults(steps: readonly AutomationStep[]): string[] {
  const graph = stepGraph(steps);
  const path = new Map(steps.map((step, index) => [step.stepId, `steps/${index}`]));
  const at = (step: AutomationStep) => path.get(step.stepId) ?? 'steps';
  for (const check of [namesFaults, targetFaults, placeFaults, mergeFaults, cycleFaults, reachFaults, waitFaults]) {
    const faults = check(steps, graph, at);
    if (faults.length > 0) return faults.slice(0, FAULTS_MAX);
  }
  return [];
}

type Check = (steps: readonly AutomationStep[], graph: StepGraph, at: (step: AutomationStep) => string) => string[];

const namesFaults: Check = (steps) => {
  const seen = new Set<string>();
  return steps.flatMap((step, index) => {
    const faults = seen.has(step.stepId) ? [`steps/${index}/stepId: is given twice`] : [];
    seen.add(step.stepId);
    if (step.type !== 'branch') return faults;
    const branchIds = new Set(step.branches.map(({ branchId }) => branchId));
    return branchIds.size === step.branches.length
      ? faults
      : [...faults, `steps/${index}/branches: two have the same branchId`];
  });
};

const targetFaults: Check = (steps, { byId }, at) =>
  steps.flatMap((step) => {
    const named: Array<[string, string | null]> = [['nextStepId', step.nextStepId]];
    if (step.type === 'branch')
      for (const [index, { nextStepId, mergeStepId }] of step.branches.entries())
        named.push([`branches/${index}/nextStepId`, nextStepId], [`branches/${index}/mergeStepId`, mergeStepId]);
    return named.flatMap(([field, target]) =>
      target === null || byId.has(target) ? [] : [`${at(step)}/${field}: names no step`],
    );
  });

/** A branch is entered by its branch step and left to its merge step, nowhere else. */
const placeFaults: Check = (steps, graph, at) =>
  steps.flatMap((step, index) => {
    if ((step.parentBranchStepId === null) !== (step.parentBranchId === null))
      return [`${at(step)}: parentBranchStepId and parentBranchId belong together`];
    if (step.parentBranchStepId !== null && graph.around(step).length === 0)
      return [`${at(step)}/parentBranchId: names no branch`];
    if (index === 0 && step.parentBranchStepId !== null) return [`${at(step)}: the first step must not be in a branch`];
    const own = placeOf(step);
    const target = step.nextStepId === null ? null : (graph.byId.get(step.nextStepId) ?? null);
    const stray =
      target && placeOf(target) !== own && !mayLeaveTo(graph, step, target)
        ? [`${at(step)}/nextStepId: must name a step of the same branch, or the step where it merges`]
        : [];
    return step.type === 'branch' ? [...stray, ...branchPlaceFaults(step, graph, at)] : stray;
  });

/** To the merge step of a branch around it; a branch without a merge step may join the flow around it anywhere. */
function mayLeaveTo(graph: StepGraph, step: AutomationStep, target: AutomationStep): boolean {
  const around = graph.around(step);
  if (around.some(({ branch }) => branch.mergeStepId === target.stepId)) return true;
  if (around.at(-1)?.branch.mergeStepId !== null) return false;
  return around.some((up) => placeOf(up.step) === placeOf(target));
}

function branchPlaceFaults(step: BranchStep, graph: StepGraph, at: (step: AutomationStep) => string): string[] {
  return step.branches.flatMap((branch, index) => {
    const entry = graph.byId.get(branch.nextStepId ?? '');
    if (!entry || entry.stepId === branch.mergeStepId) return [];
    return placeOf(entry) === placeIn(step.stepId, branch.branchId)
      ? []
      : [
          `${at(entry)}: needs parentBranchStepId and parentBranchId of ${at(step)}/branches/${index}, which begins here`,
        ];
  });
}

/** A branch that names a merge step must reach it. */
const mergeFaults: Check = (steps, graph, at) => {
  // Branches that begin with the same step share its way: there may be thousands of them.
  const known = new Map<string, Set<string>>();
  const reachableFrom = (stepId: string) => {
    const found = known.get(stepId) ?? reachable(graph, stepId);
    known.set(stepId, found);
    return found;
  };
  return steps.flatMap((step) => {
    if (step.type !== 'branch') return [];
    return step.branches.flatMap((branch, index) => {
      const merge = graph.byId.get(branch.mergeStepId ?? '');
      if (!merge) return [];
      const place = `${at(step)}/branches/${index}/mergeStepId`;
      const isWithin = graph.around(merge).some((up) => up.step === step && up.branch === branch);
      if (isWithin || merge === step) return [`${place}: must name a step outside of the branch`];
      const entry = graph.entry(step, branch);
      return entry !== null && reachableFrom(entry).has(merge.stepId) ? [] : [`${place}: the branch never gets there`];
    });
  });
};

const cycleFaults: Check = (steps, graph, at) => {
  const state = new Map<string, 'open' | 'done'>();
  const faults: string[] = [];
  const visit = (stepId: string) => {
    const step = graph.byId.get(stepId);
    if (!step || state.get(stepId) === 'done') return;
    if (state.get(stepId) === 'open') {
      faults.push(`${at(step)}: is reached again from itself; a workflow must not turn in a circle`);
      return;
    }
    state.set(stepId, 'open');
    for (const target of targets(graph, step)) visit(target);
    state.set(stepId, 'done');
  };
  for (const { stepId } of steps) visit(stepId);
  return faults;
};

const reachFaults: Check = (steps, graph, at) => {
  const reached = reachable(graph, graph.first?.stepId ?? '');
  return steps.flatMap((step) => (reached.has(step.stepId) ? [] : [`${at(step)}: no step leads here`]));
};

/** Every email step, in branches too, is preceded by a wait step on all ways to it. */
const waitFaults: Check = (steps, graph, at) => {
  const hasto = 'an email step must be preceded by a wait step (delay 0 sends at once)';
  const faults = new Set<string>();
  if (graph.first?.type === 'email') faults.add(`${at(graph.first)}: ${hasto}`);
  for (const step of steps) {
    if (step.type === 'wait') continue;
    for (const target of targets(graph, step)) {
      const found = graph.byId.get(target);
      if (found?.type === 'email') faults.add(`${at(found)}: ${hasto}`);
    }
  }
  return [...faults];
};

function targets(graph: StepGraph, step: AutomationStep): string[] {
  const next = graph.next(step);
  const entries = step.type === 'branch' ? step.branches.map((branch) => graph.entry(step, branch)) : [];
  return [...new Set([next, ...entries])].filter((target) => target !== null);
}

function reachable(graph: StepGraph, from: string): Set<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let stepId = open.pop(); stepId !== undefined; stepId = open.pop()) {
    const step = graph.byId.get(stepId);
    if (!step || reached.has(stepId)) continue;
    reached.add(stepId);
    open.push(...targets(graph, step));
  }
  return reached;
}

function placeOf({ parentBranchStepId, parentBranchId }: AutomationStep): string {
  return parentBranchStepId === null ? '' : placeIn(parentBranchStepId, parentBranchId ?? '');
}

function placeIn(branchStepId: string, branchId: string): string {
  return `${branchStepId}\u0000${branchId}`;
}
