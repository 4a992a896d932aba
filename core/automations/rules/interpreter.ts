import type { AutomationStep } from '../model/definition.ts';
import type { ExitReason } from '../model/enrollment.ts';
import type { CompiledAutomation } from './compile.ts';
import { branchLeft, takeBranch, takeShare } from './moves/branches.ts';
import type { Decision, Facts, PersonChange, Position, StepEvent, UpdateEvent } from './moves/decision.ts';
import { goalReached } from './moves/goals.ts';
import { isWaiting, lookAt, lookAtWait } from './moves/waiting.ts';
import { renderUpdate } from './update.ts';
import { endOfAnswer, isWait } from './waits.ts';

/** The step interpreter: everything an enrollment does now, up to the next wait or the end. Real runs and simulations share it. */
export async function decide(automation: CompiledAutomation, position: Position, given: Facts): Promise<Decision> {
  const { graph } = automation;
  let facts = given;
  const stepEvents: StepEvent[] = [];
  const changes: PersonChange[] = [];
  const waiting = position.stepId === null ? null : graph.byId.get(position.stepId);
  if (position.stepId !== null && !(waiting && isWaiting(waiting)))
    return { stepEvents, changes, next: { kind: 'exited', reason: 'step_removed', stepId: position.stepId } };
  let cursor = graph.first?.stepId ?? null;
  if (waiting && isWaiting(waiting)) {
    const look = await lookAt(automation, waiting, position.waitFromMs ?? facts.nowMs, facts);
    if (look.next) return { stepEvents, changes, next: look.next };
    if (look.stepEvent) stepEvents.push(look.stepEvent);
    if (look.change) take(look.change);
    cursor = look.target;
  }
  for (let step = stepAt(automation, cursor); step; step = stepAt(automation, cursor)) {
    const { stepId } = step;
    const jump = await goalReached(automation, step, facts);
    if (jump) {
      stepEvents.push(jump.stepEvent);
      cursor = jump.target;
      continue;
    }
    const reason = exitReason(automation, step, facts);
    if (reason) return { stepEvents, changes, next: { kind: 'exited', reason, stepId } };
    const left = branchLeft(automation, step, facts);
    if (left) {
      stepEvents.push(left.stepEvent);
      cursor = left.target;
      continue;
    }
    if (isWait(step)) {
      const { end, next, stepEvent, target } = await lookAtWait(automation, step, facts.nowMs, facts);
      if (end) {
        const { untilMs, isZoneMissing } = end;
        stepEvents.push({ type: 'wait', stepId, untilMs, ...(isZoneMissing && { reason: 'zone_missing' }) });
      }
      if (next) return { stepEvents, changes, next };
      if (stepEvent) stepEvents.push(stepEvent);
      cursor = target;
    } else if (step.type === 'email') {
      stepEvents.push({ type: 'email', stepId });
      cursor = graph.next(step);
    } else if (step.type === 'webhook') {
      const fromMs = facts.nowMs;
      const untilMs = endOfAnswer(step.webhook, fromMs);
      stepEvents.push({ type: 'webhook', stepId, ...(untilMs !== null && { untilMs }) });
      const awaits = automation.awaited.namesAt(step);
      if (untilMs !== null) return { stepEvents, changes, next: { kind: 'wait', stepId, fromMs, untilMs, awaits } };
      cursor = graph.next(step);
    } else if (step.type === 'goal') {
      stepEvents.push({ type: 'goal_passed', stepId });
      cursor = graph.next(step);
    } else if (step.type === 'exit') {
      return { stepEvents, changes, next: { kind: 'exited', reason: 'exit_step', stepId } };
    } else if (step.type === 'update_contact') {
      const { stepEvent, change } = await takeUpdate(step, facts);
      stepEvents.push(stepEvent);
      if (change) take(change);
      cursor = graph.next(step);
    } else {
      const taken = step.type === 'branch' ? takeBranch(automation, step, facts) : takeShare(automation, step, facts);
      stepEvents.push({ type: 'branch', stepId, branchId: taken.branchId, rule: taken.rule });
      cursor = taken.target;
    }
  }
  return { stepEvents, changes, next: { kind: 'completed' } };

  /** Later steps see the changed person. */
  function take(change: PersonChange): void {
    changes.push(change);
    facts = { ...facts, person: change.after };
  }
}

/** The step after a wait if nothing changes, for the Web UI. */
export function stepAfter({ graph }: CompiledAutomation, stepId: string): string | null {
  const step = graph.byId.get(stepId);
  return step ? graph.next(step) : null;
}

function stepAt({ graph }: CompiledAutomation, stepId: string | null): AutomationStep | undefined {
  return stepId === null ? undefined : graph.byId.get(stepId);
}

function exitReason(
  { definition, entry }: CompiledAutomation,
  step: AutomationStep,
  { person, isUnsubscribed }: Facts,
): ExitReason | null {
  if (isUnsubscribed) return 'unsubscribed';
  if (definition.exitCriteria.type !== 'entry_criteria_no_longer_met' || !step.checkExitCriteria) return null;
  return entry.stillHolds(person) ? null : 'criteria_no_longer_met';
}

async function takeUpdate(
  { stepId, update: asked }: AutomationStep & { type: 'update_contact' },
  facts: Facts,
): Promise<{ stepEvent: UpdateEvent; change?: PersonChange }> {
  const type = 'update_contact';
  const update = renderUpdate(asked, facts);
  if ('problem' in update) return { stepEvent: { type, stepId, reason: update.problem } };
  const { person: before } = facts;
  const after = await facts.change(before, update);
  if ('problem' in after) return { stepEvent: { type, stepId, reason: after.problem } };
  return { stepEvent: { type, stepId, update }, change: { update, before, after } };
}
