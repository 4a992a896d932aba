import type { AutomationBranch, AutomationStep } from '../../model/definition.ts';

/** A step that people leave by several ways. */
export type ForkStep = AutomationStep & { type: 'branch' | 'split' };
/** A way out of such a step, with the steps that name it as their place. */
export type Fork = Pick<AutomationBranch, 'branchId' | 'nextStepId' | 'mergeStepId'> & { branch?: AutomationBranch };

/** The successors of each step. A null target is the end. */
export interface StepGraph {
  first: AutomationStep | null;
  byId: ReadonlyMap<string, AutomationStep>;
  /** The step after a wait or an email, and after a branch step of which no branch matches; none after an exit. */
  next(step: AutomationStep): string | null;
  /** The step after a wait_event for which no event came, or after a webhook that was not answered. */
  otherwise(step: AutomationStep): string | null;
  /** The first step of a way that was taken. */
  entry(step: ForkStep, way: Pick<Fork, 'branchId'>): string | null;
  /** The ways around a step, the outermost first. */
  around(step: AutomationStep): Array<{ step: ForkStep; fork: Fork }>;
}

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

  function parent(step: AutomationStep): { step: ForkStep; fork: Fork } | null {
    const owner = byId.get(step.parentBranchStepId ?? '');
    if (!owner || !isFork(owner)) return null;
    const fork = forkOf(owner, step.parentBranchId);
    return fork ? { step: owner, fork } : null;
  }

  function next(step: AutomationStep): string | null {
    if (step.type === 'exit') return null;
    if (step.nextStepId !== null || isFork(step)) return step.nextStepId;
    return followers.get(step.stepId) ?? parent(step)?.fork.mergeStepId ?? null;
  }

  return {
    first: steps[0] ?? null,
    byId,
    next,
    otherwise: (step) => otherLink(step)?.[1] ?? next(step),
    entry(step, { branchId }) {
      const fork = forkOf(step, branchId);
      return fork?.nextStepId ?? firsts.get(placeIn(step.stepId, branchId)) ?? fork?.mergeStepId ?? null;
    },
    around(step) {
      const found: ReturnType<StepGraph['around']> = [];
      for (let up = parent(step); up && found.length < steps.length; up = parent(up.step)) found.unshift(up);
      return found;
    },
  };
}

export function isFork(step: AutomationStep): step is ForkStep {
  return step.type === 'branch' || step.type === 'split';
}

/** A step may be within hundreds of others, so they are asked for often. */
const known = new WeakMap<ForkStep, Fork[]>();

/** The ways of a split meet at its own next step, where they lead nowhere else. */
export function forksOf(step: ForkStep): Fork[] {
  const made = known.get(step);
  if (made) return made;
  const forks: Fork[] =
    step.type === 'branch'
      ? step.branches.map((branch) => ({ ...branch, branch }))
      : step.shares.map((share) => ({ ...share, mergeStepId: step.nextStepId }));
  known.set(step, forks);
  return forks;
}

function forkOf(step: ForkStep, branchId: string | null): Fork | undefined {
  return forksOf(step).find((fork) => fork.branchId === branchId);
}

/** The steps that a step names as the next ones, each in its field. */
export function linksOf(step: AutomationStep): Array<[string, string | null]> {
  const other = otherLink(step);
  return [['nextStepId', step.nextStepId], ...(other ? [other] : [])];
}

/** The second way out of a step that waits for something from outside. */
function otherLink(step: AutomationStep): [string, string | null] | null {
  if (step.type === 'wait_event') return ['timeoutStepId', step.timeoutStepId];
  return step.type === 'webhook' ? ['failureStepId', step.failureStepId ?? null] : null;
}

export function targets(graph: StepGraph, step: AutomationStep): string[] {
  const next = graph.next(step);
  const entries = isFork(step) ? forksOf(step).map((fork) => graph.entry(step, fork)) : [];
  if (otherLink(step)) entries.push(graph.otherwise(step));
  // Each person is in one of the shares of a split.
  return [...new Set(step.type === 'split' ? entries : [next, ...entries])].filter((target) => target !== null);
}

/**
 * Whether one step leads to another, or is it. Successors are looked up once and the ways from a step followed once: there may be thousands of
 * branches, each with a step of its own to begin with.
 */
export function reachIn(steps: readonly AutomationStep[], graph: StepGraph): (from: string, to: string) => boolean {
  const places = new Map(steps.map(({ stepId }, place) => [stepId, place]));
  const successors = steps.map((step) => targets(graph, step).flatMap((stepId) => places.get(stepId) ?? []));
  const followed = new Map<number, Uint8Array>();
  const follow = (from: number): Uint8Array => {
    const reached = new Uint8Array(steps.length);
    const open = [from];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (reached[place]) continue;
      reached[place] = 1;
      for (const next of successors[place] ?? []) if (!reached[next]) open.push(next);
    }
    followed.set(from, reached);
    return reached;
  };
  return (from, to) => {
    const [start, end] = [places.get(from), places.get(to)];
    if (start === undefined || end === undefined) return false;
    return (followed.get(start) ?? follow(start))[end] === 1;
  };
}

export function placeOf({ parentBranchStepId, parentBranchId }: AutomationStep): string {
  return parentBranchStepId === null ? '' : placeIn(parentBranchStepId, parentBranchId ?? '');
}

export function placeIn(branchStepId: string, branchId: string): string {
  return `${branchStepId}\u0000${branchId}`;
}
