import type { AutomationStep } from '../../../../../client/index.ts';
import { END, ENTRY, placeIn, placeOf, type Way, waysOf } from '../../graph/flow.ts';

/** Shared by all acts of editing. An act takes steps and answers others; it changes nothing that it was given. */

export type Step = AutomationStep;
export type Steps = readonly Step[];

/** Of a wait for something from outside: where its second way leads, when that does not come. */
type LateLink = 'timeoutStepId' | 'failureStepId';

/** A step without its id and links. */
export type Content = Pick<Step, 'type'> &
  Partial<Omit<Step, 'type' | 'stepId' | 'nextStepId' | LateLink | 'parentBranchStepId' | 'parentBranchId'>>;

/** The steps after the act, and the step that it was about; or why nothing was done. */
export type Outcome = { steps: Steps; stepId: string | null } | { why: string };

/** An id stays with its step for life: the people inside are counted by it. `kind` is for those who read it. */
export type NewId = (kind: string) => string;

/** Ends an act that cannot be done; `attempt` answers it. */
export class Impossible extends Error {}

export const OTHERWISE_ENDS = 'The line would lead elsewhere: this way ends here, and only an exit step can follow it.';

export function attempt(act: () => Outcome): Outcome {
  try {
    return act();
  } catch (error) {
    if (error instanceof Impossible) return { why: error.message };
    throw error;
  }
}

/** Steps whose links may be written. */
export function copyOf(steps: Steps): Step[] {
  return steps.map((step) => ({
    ...step,
    ...(step.branches && { branches: step.branches.map((branch) => ({ ...branch })) }),
    ...(step.shares && { shares: step.shares.map((share) => ({ ...share })) }),
  }));
}

export function newStep({ checkExitCriteria = true, ...content }: Content, newId: NewId): Step {
  return {
    ...structuredClone(content),
    ...(isTwoWay(content) && { [lateLink(content)]: null }),
    stepId: newId(content.type),
    ...{ nextStepId: null, parentBranchStepId: null, parentBranchId: null, checkExitCriteria },
  };
}

/** It has a second way, when nothing comes. */
export function isTwoWay({ type, webhook }: Pick<Step, 'type' | 'webhook'>): boolean {
  return type === 'wait_event' || webhook?.wait === true;
}

export function lateOf(step: Step): string | null {
  return step[lateLink(step)] ?? null;
}

export function setLate(step: Step, to: string | null): void {
  step[lateLink(step)] = to;
}

function lateLink({ type }: Pick<Step, 'type'>): LateLink {
  return type === 'webhook' ? 'failureStepId' : 'timeoutStepId';
}

export function isFork({ type }: Pick<Step, 'type'>): boolean {
  return type === 'branch' || type === 'split';
}

export function isWait({ type }: Pick<Step, 'type'>): boolean {
  return type === 'wait' || type === 'wait_until' || type === 'wait_event';
}

/** Only waits and mails: the interface wants them to take turns. */
export function isLinear(steps: Steps): boolean {
  return steps.every(({ type }) => type === 'wait' || type === 'email');
}

export function forksOf(step: Step): Array<{ branchId: string; nextStepId: string | null }> {
  return [...(step.branches ?? []), ...(step.shares ?? [])];
}

export function found(steps: Steps, stepId: string): Step {
  const step = steps.find((one) => one.stepId === stepId);
  if (!step) throw new Impossible('The step is gone.');
  return step;
}

/** Where the way out of a step that is no fork leads; null: to the end. */
export function nextOf(steps: Steps, { stepId }: Step): string | null {
  const way = waysOf(steps).find((one) => one.from === stepId);
  return !way || way.to === END ? null : way.to;
}

/** The ids of the steps within the ways of a fork, and within theirs. */
export function within(steps: Steps, forkId: string): Set<string> {
  const inside = new Set([forkId]);
  for (let size = 0; size < inside.size; ) {
    size = inside.size;
    for (const { stepId, parentBranchStepId } of steps)
      if (parentBranchStepId !== null && inside.has(parentBranchStepId)) inside.add(stepId);
  }
  inside.delete(forkId);
  return inside;
}

/** Every link that names a step names another one, or none. */
export function retarget(steps: readonly Step[], from: string, to: string | null): void {
  for (const step of steps) {
    if (step.nextStepId === from) step.nextStepId = to;
    if (lateOf(step) === from) setLate(step, to);
    for (const fork of forksOf(step)) if (fork.nextStepId === from) fork.nextStepId = to;
    for (const branch of step.branches ?? []) if (branch.mergeStepId === from) branch.mergeStepId = to;
  }
}

export function placedIn(steps: Steps, forkId: string, branchId: string): Step[] {
  return steps.filter((step) => placeOf(step) === placeIn(forkId, branchId));
}

/** Where the ways of each node lead. */
export type Targets = ReadonlyMap<string, readonly string[]>;

export function targetsOf(ways: readonly Way[]): Targets {
  const targets = new Map<string, string[]>();
  for (const { from, to } of ways) {
    const known = targets.get(from);
    if (known) known.push(to);
    else targets.set(from, [to]);
  }
  return targets;
}

/** The steps that a step leads to, whichever ways are taken. */
export function reachedFrom(targets: Targets, from: string): Set<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const to of targets.get(at) ?? [])
      if (!reached.has(to)) {
        reached.add(to);
        open.push(to);
      }
  return reached;
}

export { END, ENTRY };

/** The second ways, as the history says them. */
export function isLate({ branchId }: Pick<Way, 'branchId'>): boolean {
  return branchId === 'timed_out' || branchId === 'webhook_failed';
}

/** In a new branch: it joins wherever its step leads to. */
export const JOINS = '';
