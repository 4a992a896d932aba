import type { AutomationBranch, AutomationStep } from '../model/definition.ts';
import { isWait } from './waits.ts';

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

function isFork(step: AutomationStep): step is ForkStep {
  return step.type === 'branch' || step.type === 'split';
}

/** A step may be within hundreds of others, so they are asked for often. */
const known = new WeakMap<ForkStep, Fork[]>();

/** The ways of a split meet at its own next step, where they lead nowhere else. */
function forksOf(step: ForkStep): Fork[] {
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
  for (const check of [
    namesFaults,
    targetFaults,
    placeFaults,
    mergeFaults,
    cycleFaults,
    reachFaults,
    mailFaults,
    waitFaults,
  ]) {
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
    if (!isFork(step)) return faults;
    const forks = forksOf(step);
    return new Set(forks.map(({ branchId }) => branchId)).size === forks.length
      ? faults
      : [...faults, `steps/${index}/${listOf(step)}: two have the same branchId`];
  });
};

const targetFaults: Check = (steps, { byId }, at) =>
  steps.flatMap((step) => {
    const named = linksOf(step);
    if (isFork(step))
      for (const [index, { nextStepId, branch }] of forksOf(step).entries()) {
        named.push([`${listOf(step)}/${index}/nextStepId`, nextStepId]);
        if (branch) named.push([`${listOf(step)}/${index}/mergeStepId`, branch.mergeStepId]);
      }
    return named.flatMap(([field, target]) =>
      target === null || byId.has(target) ? [] : [`${at(step)}/${field}: names no step`],
    );
  });

/** The steps that a step names as the next ones, each in its field. */
function linksOf(step: AutomationStep): Array<[string, string | null]> {
  const other = otherLink(step);
  return [['nextStepId', step.nextStepId], ...(other ? [other] : [])];
}

/** The second way out of a step that waits for something from outside. */
function otherLink(step: AutomationStep): [string, string | null] | null {
  if (step.type === 'wait_event') return ['timeoutStepId', step.timeoutStepId];
  return step.type === 'webhook' ? ['failureStepId', step.failureStepId ?? null] : null;
}

/** A branch is entered by its branch step and left to its merge step, nowhere else. */
const placeFaults: Check = (steps, graph, at) =>
  steps.flatMap((step, index) => {
    if ((step.parentBranchStepId === null) !== (step.parentBranchId === null))
      return [`${at(step)}: parentBranchStepId and parentBranchId belong together`];
    if (step.parentBranchStepId !== null && graph.around(step).length === 0)
      return [`${at(step)}/parentBranchId: names no branch`];
    if (index === 0 && step.parentBranchStepId !== null) return [`${at(step)}: the first step must not be in a branch`];
    const own = placeOf(step);
    const stray = linksOf(step).flatMap(([field, link]) => {
      const target = graph.byId.get(link ?? '');
      return target && placeOf(target) !== own && !mayLeaveTo(graph, step, target)
        ? [`${at(step)}/${field}: must name a step of the same branch, or the step where it merges`]
        : [];
    });
    return isFork(step) ? [...stray, ...forkPlaceFaults(step, graph, at)] : stray;
  });

/** To the merge step of a branch around it; a branch without a merge step may join the flow around it anywhere. */
function mayLeaveTo(graph: StepGraph, step: AutomationStep, target: AutomationStep): boolean {
  const around = graph.around(step);
  if (around.some(({ fork }) => fork.mergeStepId === target.stepId)) return true;
  const nearest = around.at(-1);
  if (nearest?.step.type === 'branch' && nearest.fork.mergeStepId !== null) return false;
  return around.some((up) => placeOf(up.step) === placeOf(target));
}

function forkPlaceFaults(step: ForkStep, graph: StepGraph, at: (step: AutomationStep) => string): string[] {
  return forksOf(step).flatMap(({ branchId, nextStepId, mergeStepId }, index) => {
    const entry = graph.byId.get(nextStepId ?? '');
    if (!entry || entry.stepId === mergeStepId) return [];
    const place = `${at(step)}/${listOf(step)}/${index}`;
    return placeOf(entry) === placeIn(step.stepId, branchId)
      ? []
      : [`${at(entry)}: needs parentBranchStepId and parentBranchId of ${place}, which begins here`];
  });
}

/** A branch that names a merge step must reach it. */
const mergeFaults: Check = (steps, graph, at) => {
  const reaches = reachIn(steps, graph);
  return steps.flatMap((step) => {
    if (step.type !== 'branch') return [];
    return step.branches.flatMap((branch, index) => {
      const merge = graph.byId.get(branch.mergeStepId ?? '');
      if (!merge) return [];
      const place = `${at(step)}/branches/${index}/mergeStepId`;
      const isWithin = graph.around(merge).some((up) => up.step === step && up.fork.branchId === branch.branchId);
      if (isWithin || merge === step) return [`${place}: must name a step outside of the branch`];
      const entry = graph.entry(step, branch);
      return entry !== null && reaches(entry, merge.stepId) ? [] : [`${place}: the branch never gets there`];
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
  const reaches = reachIn(steps, graph);
  const { stepId = '' } = graph.first ?? {};
  return steps.flatMap((step) => (reaches(stepId, step.stepId) ? [] : [`${at(step)}: no step leads here`]));
};

/** A wait for an act on a mail comes after the step of the mail. */
const mailFaults: Check = (steps, graph, at) => {
  const reaches = reachIn(steps, graph);
  return steps.flatMap((step) => {
    if (step.type !== 'wait_event' || step.waitEvent.emailStepId === undefined) return [];
    const { emailStepId } = step.waitEvent;
    const isBefore = graph.byId.get(emailStepId)?.type === 'email' && reaches(emailStepId, step.stepId);
    return isBefore ? [] : [`${at(step)}/waitEvent/emailStepId: must name an email step that leads here`];
  });
};

/** Workflows of these alone keep the stricter rule. */
const OLD_TYPES: ReadonlyArray<AutomationStep['type']> = ['wait', 'email', 'branch'];

/** Every email step, in branches too, is preceded by a wait step on all ways to it. */
const waitFaults: Check = (steps, graph, at) => {
  if (steps.some(({ type }) => !OLD_TYPES.includes(type))) return pauseFaults(steps, graph, at);
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

/**
 * With other steps a wait step must be somewhere between an email and the one before it, or the start. People come to a goal from any step
 * before it, so there must be one between it and an email too.
 */
const pauseFaults: Check = (steps, graph, at) => {
  const faults = new Set<string>();
  const seen = new Set<string>();
  const open = steps.flatMap((step) => (step.type === 'email' || step.type === 'goal' ? after(step) : []));
  if (graph.first) open.push(graph.first);
  for (let step = open.pop(); step; step = open.pop()) {
    if (seen.has(step.stepId) || isWait(step)) continue;
    seen.add(step.stepId);
    if (step.type === 'email')
      faults.add(`${at(step)}: needs a wait step before it, after the email or goal before (delay 0 sends at once)`);
    else open.push(...after(step));
  }
  return [...faults];

  function after(step: AutomationStep): AutomationStep[] {
    return targets(graph, step).flatMap((stepId) => graph.byId.get(stepId) ?? []);
  }
};

function targets(graph: StepGraph, step: AutomationStep): string[] {
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

function listOf({ type }: ForkStep): string {
  return type === 'branch' ? 'branches' : 'shares';
}

function placeOf({ parentBranchStepId, parentBranchId }: AutomationStep): string {
  return parentBranchStepId === null ? '' : placeIn(parentBranchStepId, parentBranchId ?? '');
}

function placeIn(branchStepId: string, branchId: string): string {
  return `${branchStepId}\u0000${branchId}`;
}
