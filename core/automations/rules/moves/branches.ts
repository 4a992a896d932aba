import type { FilterSubject } from '../../../people/filters/filters.ts';
import type { AutomationStep } from '../../model/definition.ts';
import type { CompiledAutomation } from '../compile.ts';
import type { Facts, StepEvent } from './decision.ts';

export function branchLeft(automation: CompiledAutomation, step: AutomationStep, facts: Facts) {
  const left = automation.graph
    .around(step)
    .flatMap(({ fork: { branch } }) => branch ?? [])
    .find((branch) => branch.appliesTo === 'all_branch_steps' && !automation.holds(branch, subjectOf(facts)));
  if (!left) return null;
  const { branchId, mergeStepId } = left;
  const rule = `no longer: ${automation.rule(left)}`;
  const stepEvent: StepEvent = { type: 'branch_left', stepId: step.stepId, branchId, rule };
  return { stepEvent, target: mergeStepId };
}

/** The first branch whose criteria match; when none does, the branch step's own next step. */
export function takeBranch(automation: CompiledAutomation, step: AutomationStep & { type: 'branch' }, facts: Facts) {
  const subject = subjectOf(facts);
  const branch = step.branches.find((one) => automation.holds(one, subject));
  if (!branch) return { branchId: null, rule: 'no branch holds', target: automation.graph.next(step) };
  return {
    branchId: branch.branchId,
    rule: automation.rule(branch),
    target: automation.graph.entry(step, branch),
  };
}

export function takeShare(automation: CompiledAutomation, step: AutomationStep & { type: 'split' }, { person }: Facts) {
  const taken = automation.shareOf(step, person);
  return {
    branchId: taken.branchId,
    rule: `${taken.share} of 100 people`,
    target: automation.graph.entry(step, taken),
  };
}

function subjectOf({ person, event, nowMs, past }: Facts): FilterSubject {
  return { contact: person, nowMs, ...(event && { event }), past };
}
