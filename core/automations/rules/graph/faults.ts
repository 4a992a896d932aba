import type { AutomationStep } from '../../model/definition.ts';
import { isWait } from '../waits.ts';
import {
  type ForkStep,
  forksOf,
  isFork,
  linksOf,
  placeIn,
  placeOf,
  reachIn,
  type StepGraph,
  stepGraph,
  targets,
} from './graph.ts';

const FAULTS_MAX = 10;

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

function listOf({ type }: ForkStep): string {
  return type === 'branch' ? 'branches' : 'shares';
}
