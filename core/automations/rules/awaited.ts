import { breather } from '../../base/work/breathe.ts';
import type { DeclaredTypes, FilterSubject } from '../../people/filters/filters.ts';
import type { AutomationStep, AutomationWaitEvent } from '../model/definition.ts';
import { compileCriteria } from './criteria.ts';
import { reachIn, type StepGraph } from './graph/graph.ts';

/** Waits for things from outside. */

export type WaitEventStep = AutomationStep & { type: 'wait_event' };
export type GoalStep = AutomationStep & { type: 'goal' };
export const MAIL_EVENTS = ['email.opened', 'email.clicked', 'email.replied'] as const;
export type MailEvent = (typeof MAIL_EVENTS)[number];

/** Something that the person did with the mail of a step. */
export interface MailAct {
  event: MailEvent;
  emailStepId: string;
  url?: string | undefined;
}

type AskingStep = WaitEventStep | GoalStep;
/** Of an automation. */
type Owner = { _id: { toHexString(): string } };

/** The types of contact properties, and those of the events of the project by name. */
export type AutomationTypes = DeclaredTypes & { events: Readonly<Record<string, NonNullable<DeclaredTypes['event']>>> };

/** A custom event of a person who is inside. */
export interface PersonEvent {
  name: string;
  properties: Readonly<Record<string, unknown>>;
  at: Date;
}

export interface AwaitedEvents {
  /** The custom events that steps ask for. */
  eventNames: ReadonlySet<string>;
  /** The goals that this step leads to, itself included, in the order of the steps. */
  goalsFrom(step: AutomationStep): GoalStep[];
  /** This step and those it leads to that wait for such an act. */
  waitsFrom(step: AutomationStep, act: MailAct): WaitEventStep[];
  hasMailWaits(step: AutomationStep): boolean;
  leadsTo(stepId: string, target: string): boolean;
  /** The names of what an enrollment on this step waits for; acts on mails count for later steps too. */
  namesAt(step: AutomationStep): string[];
  /** Without an event: whether the person has reached a goal. */
  isMeant(step: AskingStep, subject: FilterSubject): boolean;
  /** The event and the criteria, in words. */
  rule(step: AskingStep): string;
}

/** By it the enrollments are found that wait for the event. */
export function nameOfEvent(eventName: string): string {
  return `event:${eventName}`;
}

/** By it the enrollments are found that wait for acts on mails of the automation. */
export function nameOfMailEvent({ _id }: Owner, event: MailEvent): string {
  return `${event}:${_id.toHexString()}`;
}

export function isMailEvent(eventName: string): eventName is MailEvent {
  return MAIL_EVENTS.some((name) => name === eventName);
}

function mailEventOf(step: AutomationStep): MailEvent | undefined {
  return step.type === 'wait_event' ? MAIL_EVENTS.find((name) => name === step.waitEvent.eventName) : undefined;
}

const OF_PEOPLE = 'goal:';

/** By it the enrollments are found that have a goal before them for which the person itself changes. */
export function nameOfGoal({ _id }: Owner, { stepId }: Pick<GoalStep, 'stepId'>): string {
  return `${OF_PEOPLE}${_id.toHexString()}:${stepId}`;
}

export function hasGoalsOfPeople(names: readonly string[] = []): boolean {
  return names.some((name) => name.startsWith(OF_PEOPLE));
}

/** The goals that changes of the person reach. */
export function goalsOfPeople(steps: readonly AutomationStep[]): GoalStep[] {
  return steps.flatMap((step) => (step.type === 'goal' && step.eventName === undefined ? [step] : []));
}

/** The names of all that steps wait for. */
export function namesAwaited(owner: Owner, steps: readonly AutomationStep[]): string[] {
  return [...new Set(steps.flatMap((step) => nameOf(owner, step)))];
}

function nameOf(owner: Owner, step: AutomationStep): string[] {
  const mailEvent = mailEventOf(step);
  if (mailEvent) return [nameOfMailEvent(owner, mailEvent)];
  const { eventName } = askedBy(step) ?? {};
  if (eventName !== undefined) return [nameOfEvent(eventName)];
  return step.type === 'goal' ? [nameOfGoal(owner, step)] : [];
}

/** The custom event and the criteria that a step asks for, and their place in it; null: it asks for none. */
export function askedBy(step: AutomationStep) {
  if (mailEventOf(step)) return null;
  if (step.type === 'wait_event') return { ...step.waitEvent, path: 'waitEvent/' };
  if (step.type !== 'goal') return null;
  const { eventName, filterCriteria } = step;
  return { eventName, filterCriteria, path: '' };
}

export function compileAwaited(
  owner: Owner,
  steps: readonly AutomationStep[],
  graph: StepGraph,
  declared: AutomationTypes,
): AwaitedEvents {
  const goals = steps.filter((step) => step.type === 'goal');
  const mailWaits = steps.filter((step) => step.type === 'wait_event').filter(mailEventOf);
  const reaches = reachIn(steps, graph);
  const criteria = new Map(
    steps.flatMap((step) => {
      const asked = askedBy(step);
      return asked ? [[step.stepId, compileCriteria(asked.filterCriteria ?? null, typesFor(asked, declared))]] : [];
    }),
  );
  const goalsFrom = ({ stepId }: AutomationStep) => goals.filter((goal) => reaches(stepId, goal.stepId));
  const mailWaitsFrom = ({ stepId }: AutomationStep) => mailWaits.filter((one) => reaches(stepId, one.stepId));
  return {
    eventNames: new Set(steps.flatMap((step) => askedBy(step)?.eventName ?? [])),
    goalsFrom,
    waitsFrom: (step, act) => mailWaitsFrom(step).filter(({ waitEvent }) => isAct(waitEvent, act)),
    hasMailWaits: (step) => mailWaitsFrom(step).length > 0,
    leadsTo: reaches,
    namesAt: (step) => namesAwaited(owner, [step, ...goalsFrom(step), ...mailWaitsFrom(step)]),
    isMeant: (step, subject) =>
      subject.event?.name === askedBy(step)?.eventName && criteria.get(step.stepId)?.matches(subject) === true,
    rule(step) {
      const mailEvent = mailEventOf(step);
      if (mailEvent && step.type === 'wait_event') return `${mailEvent} of ${step.waitEvent.emailStepId}`;
      const { eventName, filterCriteria } = askedBy(step) ?? {};
      const words = filterCriteria ? [criteria.get(step.stepId)?.describe()] : [];
      return [...(eventName === undefined ? [] : [`event ${eventName}`]), ...words].join(', ');
    },
  };
}

function isAct({ eventName, emailStepId, url }: AutomationWaitEvent, act: MailAct): boolean {
  return eventName === act.event && emailStepId === act.emailStepId && (url === undefined || url === act.url);
}

/** The types for the criteria of such a step. */
export function typesFor({ eventName }: { eventName?: string | undefined }, declared: AutomationTypes): DeclaredTypes {
  if (eventName !== undefined) return typesOf(eventName, declared);
  const { event: _, events: __, ...ofPeople } = declared;
  return ofPeople;
}

/** The types for a filter about an event of that name. */
export function typesOf(eventName: string, { events, ...declared }: AutomationTypes): DeclaredTypes {
  return { ...declared, event: Object.hasOwn(events, eventName) ? (events[eventName] ?? {}) : {} };
}

/** The step that an event is for, of a person who waits in this one; null: none. */
export async function stepMeant(
  { graph, awaited }: { graph: StepGraph; awaited: AwaitedEvents },
  stepId: string | null,
  event: PersonEvent,
  { contact, wait }: { contact: FilterSubject['contact']; wait: Wait },
): Promise<string | null> {
  const step = graph.byId.get(stepId ?? '');
  if (!step) return null;
  const pause = breather();
  for (const goal of awaited.goalsFrom(step)) {
    if (awaited.isMeant(goal, { contact, event })) return event.at.getTime() >= wait.enteredMs ? goal.stepId : null;
    await pause();
  }
  if (step.type !== 'wait_event' || !isWithin(step, event, wait)) return null;
  return awaited.isMeant(step, { contact, event }) ? stepId : null;
}

interface Wait {
  fromMs: number;
  untilMs: number;
  enteredMs: number;
}

/** In time at the very end of the wait, and too early at its very beginning: that may be the event by which the person came here. */
export function isWithin({ waitEvent }: WaitEventStep, { at }: PersonEvent, wait: Wait): boolean {
  const ms = at.getTime();
  if (ms > wait.untilMs) return false;
  return waitEvent.since === 'entry' ? ms >= wait.enteredMs : ms > wait.fromMs;
}
