import { breather } from '../../../base/work/breathe.ts';
import type { AutomationStep } from '../../model/definition.ts';
import type { AwaitedEvents, GoalStep, PersonEvent, WaitEventStep } from '../awaited.ts';
import type { CompiledAutomation } from '../compile.ts';
import type { Facts, StepEvent } from './decision.ts';

/** The first goal, of those that the step leads to, that the person has reached by now. */
export async function goalReached({ awaited, graph }: CompiledAutomation, step: AutomationStep, facts: Facts) {
  if (facts.isUnsubscribed) return null;
  for (const goal of awaited.goalsFrom(step)) {
    if (!(await isReached(awaited, goal, facts))) continue;
    const stepEvent: StepEvent = { type: 'goal', stepId: goal.stepId, rule: awaited.rule(goal) };
    return { next: null, stepEvent, target: graph.next(goal) };
  }
  return null;
}

async function isReached(awaited: AwaitedEvents, goal: GoalStep, facts: Facts): Promise<boolean> {
  const { heard = [], person: contact, nowMs } = facts;
  if (heard.some(({ stepId }) => stepId === goal.stepId)) return true;
  if (goal.eventName === undefined) return awaited.isMeant(goal, { contact, nowMs });
  return hasHappened(awaited, goal, facts);
}

/** By the facts, which are others once the person changes: each step of a walk asks again. */
const happened = new WeakMap<Facts, Map<GoalStep, boolean>>();

async function hasHappened(awaited: AwaitedEvents, goal: GoalStep, facts: Facts): Promise<boolean> {
  const known = happened.get(facts) ?? new Map<GoalStep, boolean>();
  happened.set(facts, known);
  const found = known.get(goal) ?? (await isAmong(awaited, goal, facts));
  known.set(goal, found);
  return found;
}

/** One for all looks: many goals over few events, each too short for a pause of its own, hold the loop together. */
const pause = breather();

/** A person may have a thousand events, each of which may be compared with long criteria: others have their turn in between. */
export async function isAmong(
  awaited: AwaitedEvents,
  step: GoalStep | WaitEventStep,
  { events = [], person: contact }: Pick<Facts, 'events' | 'person'>,
  isInTime: (event: PersonEvent) => boolean = () => true,
): Promise<boolean> {
  for (const event of events) {
    if (isInTime(event) && awaited.isMeant(step, { contact, event })) return true;
    await pause();
  }
  return false;
}
