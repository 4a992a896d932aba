import type { AutomationStep } from '../../model/definition.ts';
import type { AwaitedEvents, GoalStep } from '../awaited.ts';
import type { CompiledAutomation } from '../compile.ts';
import type { Facts, StepEvent } from './decision.ts';

/** The first goal, of those that the step leads to, that the person has reached by now. */
export function goalReached({ awaited, graph }: CompiledAutomation, step: AutomationStep, facts: Facts) {
  if (facts.isUnsubscribed) return null;
  const { heard = [], person: contact, nowMs } = facts;
  const goal = awaited.goalsFrom(step).find((one) => {
    if (heard.some(({ stepId }) => stepId === one.stepId)) return true;
    if (one.eventName === undefined) return awaited.isMeant(one, { contact, nowMs });
    return hasHappened(awaited, one, facts);
  });
  if (!goal) return null;
  const stepEvent: StepEvent = { type: 'goal', stepId: goal.stepId, rule: awaited.rule(goal) };
  return { next: null, stepEvent, target: graph.next(goal) };
}

/** By the facts, which are others once the person changes: each step of a walk asks again. */
const happened = new WeakMap<Facts, Map<GoalStep, boolean>>();

function hasHappened(awaited: AwaitedEvents, goal: GoalStep, facts: Facts): boolean {
  const { events = [], person: contact } = facts;
  const known = happened.get(facts) ?? new Map<GoalStep, boolean>();
  happened.set(facts, known);
  const found = known.get(goal) ?? events.some((event) => awaited.isMeant(goal, { contact, event }));
  known.set(goal, found);
  return found;
}
