import type { AutomationStep } from '../../model/definition.ts';
import type { WebhookAnswer } from '../../model/enrollment.ts';
import { isWithin } from '../awaited.ts';
import type { CompiledAutomation } from '../compile.ts';
import { endOfAnswer, endOfWait, isWait, type WaitEnd, type WaitStep } from '../waits.ts';
import type { Facts, Next, PersonChange, StepEvent } from './decision.ts';
import { goalReached, isAmong } from './goals.ts';

type WebhookStep = AutomationStep & { type: 'webhook' };

const NO_ANSWER = 'No answer came in time.';

interface WaitLook {
  end: WaitEnd | null;
  /** null: the wait is over. */
  next: Next | null;
  /** How a wait for an event ended. */
  stepEvent?: StepEvent;
  target: string | null;
}

/** A wait that began at `fromMs`, as it is now. */
export async function lookAtWait(
  automation: CompiledAutomation,
  step: WaitStep,
  fromMs: number,
  facts: Facts,
): Promise<WaitLook> {
  const { stepId } = step;
  const { graph, awaited } = automation;
  const target = graph.next(step);
  const end = endOfWait(step, fromMs, facts.person, automation.zones);
  if (!end) return { end, next: { kind: 'exited', reason: 'no_date', stepId }, target };
  const { untilMs } = end;
  if (step.type === 'wait_event' && (await isHeard(automation, step, { fromMs, untilMs }, facts)))
    return { end, next: null, stepEvent: { type: 'heard', stepId, rule: awaited.rule(step) }, target };
  if (untilMs > facts.nowMs)
    return { end, next: { kind: 'wait', stepId, fromMs, untilMs, awaits: awaited.namesAt(step) }, target };
  if (step.type !== 'wait_event') return { end, next: null, target };
  return { end, next: null, stepEvent: { type: 'timed_out', stepId }, target: graph.otherwise(step) };
}

/** Another version may not wait for the answer any more. */
export function isWaiting(step: AutomationStep): step is WaitStep | WebhookStep {
  return isWait(step) || step.type === 'webhook';
}

interface Look extends Pick<WaitLook, 'next' | 'stepEvent' | 'target'> {
  change?: PersonChange;
}

/** An answer that has come is taken before a goal that is reached at the same time, since it may change the person. */
export async function lookAt(
  automation: CompiledAutomation,
  step: WaitStep | WebhookStep,
  fromMs: number,
  facts: Facts,
): Promise<Look> {
  const isAnswered = step.type === 'webhook' && facts.heard?.some(({ stepId }) => stepId === step.stepId);
  const jump = isAnswered ? null : await goalReached(automation, step, facts);
  if (jump) return jump;
  if (step.type === 'webhook') return lookAtAnswer(automation, step, fromMs, facts);
  return lookAtWait(automation, step, fromMs, facts);
}

/** A wait for the answer of a webhook that began at `fromMs`, as it is now. */
async function lookAtAnswer(
  { graph, awaited }: CompiledAutomation,
  step: WebhookStep,
  fromMs: number,
  facts: Facts,
): Promise<Look> {
  const { stepId, webhook } = step;
  const target = graph.next(step);
  const untilMs = endOfAnswer(webhook, fromMs);
  if (untilMs === null) return { next: null, target };
  const heard = facts.heard?.find((one) => one.stepId === stepId && one.at.getTime() <= untilMs);
  if (!heard && untilMs > facts.nowMs)
    return { next: { kind: 'wait', stepId, fromMs, untilMs, awaits: awaited.namesAt(step) }, target };
  const taken = await takeAnswer(heard?.answer ?? { problem: NO_ANSWER }, facts);
  if ('problem' in taken) {
    const stepEvent: StepEvent = { type: 'webhook_failed', stepId, reason: taken.problem };
    return { next: null, stepEvent, target: graph.otherwise(step) };
  }
  const { change } = taken;
  const stepEvent: StepEvent = { type: 'webhook_answered', stepId, ...(change && { update: change.update }) };
  return { next: null, stepEvent, target, ...(change && { change }) };
}

/** An answer that does not fit the person is none. */
async function takeAnswer(
  { problem, contactProperties }: WebhookAnswer,
  { person: before, change }: Facts,
): Promise<{ problem: string } | { change?: PersonChange }> {
  if (problem !== undefined) return { problem };
  if (!contactProperties) return {};
  const update = { contactProperties };
  const after = await change(before, update);
  return 'problem' in after ? after : { change: { update, before, after } };
}

/** It was recorded, or it happened so recently that it is yet to be, or long before the wait. */
async function isHeard(
  { awaited }: CompiledAutomation,
  step: WaitStep & { type: 'wait_event' },
  wait: { fromMs: number; untilMs: number },
  facts: Facts,
): Promise<boolean> {
  const { heard = [], enteredMs } = facts;
  if (heard.some(({ stepId, at }) => stepId === step.stepId && at.getTime() <= wait.untilMs)) return true;
  return isAmong(awaited, step, facts, (event) => isWithin(step, event, { ...wait, enteredMs }));
}
