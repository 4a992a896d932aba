import type { FilterSubject, Past } from '../../people/filters/filters.ts';
import type { Contact } from '../../people/model.ts';
import type { AutomationStep } from '../model/definition.ts';
import type { ExitReason, Heard, WebhookAnswer } from '../model/enrollment.ts';
import { type AwaitedEvents, type GoalStep, isWithin, type PersonEvent } from './awaited.ts';
import type { CompiledAutomation } from './compile.ts';
import { type PersonUpdate, renderUpdate } from './update.ts';
import { endOfAnswer, endOfWait, isWait, type WaitEnd, type WaitStep } from './waits.ts';

type WebhookStep = AutomationStep & { type: 'webhook' };

const NO_ANSWER = 'No answer came in time.';

/** The position of an enrollment: before the first step, or in a wait. */
export interface Position {
  stepId: string | null;
  waitFromMs: number | null;
}

/** The data that the next steps are decided with. */
export interface Facts {
  nowMs: number;
  person: Contact;
  /** The event that enrolled the contact. */
  event?: { name: string; properties: Readonly<Record<string, unknown>> } | undefined;
  /** Things from outside that the step of the enrollment waited for, or one after it. */
  heard?: readonly Heard[] | undefined;
  /** Custom events of the person since they entered, the oldest first: those that steps ask for, but the one that enrolled them. */
  events?: readonly PersonEvent[] | undefined;
  enteredMs: number;
  isUnsubscribed: boolean;
  /** The contact's past, as far as branches ask. */
  past?: Past | undefined;
  /** The person after an update, by the rules of every change of a contact. */
  change(person: Contact, update: PersonUpdate): Promise<Contact | { problem: string }>;
}

export type StepEvent =
  /** Of all kinds of waits. zone_missing: it is counted in the zone of the project, since the person has none. */
  | { type: 'wait'; stepId: string; untilMs: number; reason?: 'zone_missing' }
  | { type: 'heard'; stepId: string; rule: string }
  /** No event came before the end of the wait. */
  | { type: 'timed_out'; stepId: string }
  /** The person reached it, and continues there. */
  | { type: 'goal'; stepId: string; rule: string }
  /** The person came to it without having reached it. */
  | { type: 'goal_passed'; stepId: string }
  | { type: 'email'; stepId: string }
  /** untilMs: the person waits for the answer. */
  | { type: 'webhook'; stepId: string; untilMs?: number }
  | { type: 'webhook_answered'; stepId: string; update?: PersonUpdate }
  | { type: 'webhook_failed'; stepId: string; reason: string }
  /** Of a split too. */
  | { type: 'branch'; stepId: string; branchId: string | null; rule: string }
  /** appliesTo all_branch_steps: the criteria of the branch no longer match before this step of it. */
  | { type: 'branch_left'; stepId: string; branchId: string; rule: string }
  | UpdateEvent;

/** With a reason: the person could not be changed. */
export type UpdateEvent = { type: 'update_contact'; stepId: string } & ({ update: PersonUpdate } | { reason: string });

type Next =
  /** `awaits`: names of what may end the wait earlier. */
  | { kind: 'wait'; stepId: string; fromMs: number; untilMs: number; awaits?: string[] }
  | { kind: 'completed' }
  | { kind: 'exited'; reason: ExitReason; stepId: string };

/** A change of the person, to be written with the decision. */
export interface PersonChange {
  update: PersonUpdate;
  before: Contact;
  after: Contact;
}

export interface Decision {
  stepEvents: StepEvent[];
  changes: PersonChange[];
  next: Next;
}

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
    const jump = goalReached(automation, step, facts);
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
      const { end, next, stepEvent, target } = lookAtWait(automation, step, facts.nowMs, facts);
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

/** The first goal, of those that the step leads to, that the person has reached by now. */
function goalReached({ awaited, graph }: CompiledAutomation, step: AutomationStep, facts: Facts) {
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

interface WaitLook {
  end: WaitEnd | null;
  /** null: the wait is over. */
  next: Next | null;
  /** How a wait for an event ended. */
  stepEvent?: StepEvent;
  target: string | null;
}

/** A wait that began at `fromMs`, as it is now. */
function lookAtWait(automation: CompiledAutomation, step: WaitStep, fromMs: number, facts: Facts): WaitLook {
  const { stepId } = step;
  const { graph, awaited } = automation;
  const target = graph.next(step);
  const end = endOfWait(step, fromMs, facts.person, automation.zones);
  if (!end) return { end, next: { kind: 'exited', reason: 'no_date', stepId }, target };
  const { untilMs } = end;
  if (step.type === 'wait_event' && isHeard(automation, step, { fromMs, untilMs }, facts))
    return { end, next: null, stepEvent: { type: 'heard', stepId, rule: awaited.rule(step) }, target };
  if (untilMs > facts.nowMs)
    return { end, next: { kind: 'wait', stepId, fromMs, untilMs, awaits: awaited.namesAt(step) }, target };
  if (step.type !== 'wait_event') return { end, next: null, target };
  return { end, next: null, stepEvent: { type: 'timed_out', stepId }, target: graph.otherwise(step) };
}

/** Another version may not wait for the answer any more. */
function isWaiting(step: AutomationStep): step is WaitStep | WebhookStep {
  return isWait(step) || step.type === 'webhook';
}

interface Look extends Pick<WaitLook, 'next' | 'stepEvent' | 'target'> {
  change?: PersonChange;
}

/** An answer that has come is taken before a goal that is reached at the same time, since it may change the person. */
async function lookAt(
  automation: CompiledAutomation,
  step: WaitStep | WebhookStep,
  fromMs: number,
  facts: Facts,
): Promise<Look> {
  const isAnswered = step.type === 'webhook' && facts.heard?.some(({ stepId }) => stepId === step.stepId);
  const jump = isAnswered ? null : goalReached(automation, step, facts);
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
function isHeard(
  { awaited }: CompiledAutomation,
  step: WaitStep & { type: 'wait_event' },
  wait: { fromMs: number; untilMs: number },
  { heard = [], events = [], enteredMs, person }: Facts,
): boolean {
  if (heard.some(({ stepId, at }) => stepId === step.stepId && at.getTime() <= wait.untilMs)) return true;
  return events.some(
    (event) => isWithin(step, event, { ...wait, enteredMs }) && awaited.isMeant(step, { contact: person, event }),
  );
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

function branchLeft(automation: CompiledAutomation, step: AutomationStep, facts: Facts) {
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
function takeBranch(automation: CompiledAutomation, step: AutomationStep & { type: 'branch' }, facts: Facts) {
  const subject = subjectOf(facts);
  const branch = step.branches.find((one) => automation.holds(one, subject));
  if (!branch) return { branchId: null, rule: 'no branch holds', target: automation.graph.next(step) };
  return {
    branchId: branch.branchId,
    rule: automation.rule(branch),
    target: automation.graph.entry(step, branch),
  };
}

function takeShare(automation: CompiledAutomation, step: AutomationStep & { type: 'split' }, { person }: Facts) {
  const taken = automation.shareOf(step, person);
  return {
    branchId: taken.branchId,
    rule: `${taken.share} of 100 people`,
    target: automation.graph.entry(step, taken),
  };
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

function subjectOf({ person, event, nowMs, past }: Facts): FilterSubject {
  return { contact: person, nowMs, ...(event && { event }), past };
}
