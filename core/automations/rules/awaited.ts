import type { DeclaredTypes, FilterSubject } from '../../people/filters/filters.ts';
import type { AutomationStep } from '../model.ts';
import { compileCriteria } from './criteria.ts';
import { reachIn, type StepGraph } from './graph.ts';

/** Waits for things from outside. */

export type WaitEventStep = AutomationStep & { type: 'wait_event' };
export type GoalStep = AutomationStep & { type: 'goal' };
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
  /** The names of what an enrollment on this step waits for. */
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
  const { eventName } = askedBy(step) ?? {};
  if (eventName !== undefined) return [nameOfEvent(eventName)];
  return step.type === 'goal' ? [nameOfGoal(owner, step)] : [];
}

/** The event and the criteria that a step asks for, and their place in it; null: it asks for none. */
export function askedBy(step: AutomationStep) {
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
  const reaches = reachIn(steps, graph);
  const criteria = new Map(
    steps.flatMap((step) => {
      const asked = askedBy(step);
      return asked ? [[step.stepId, compileCriteria(asked.filterCriteria ?? null, typesFor(asked, declared))]] : [];
    }),
  );
  const goalsFrom = ({ stepId }: AutomationStep) => goals.filter((goal) => reaches(stepId, goal.stepId));
  return {
    eventNames: new Set(steps.flatMap((step) => askedBy(step)?.eventName ?? [])),
    goalsFrom,
    namesAt: (step) => namesAwaited(owner, step.type === 'wait_event' ? [step, ...goalsFrom(step)] : goalsFrom(step)),
    isMeant: (step, subject) =>
      subject.event?.name === askedBy(step)?.eventName && criteria.get(step.stepId)?.matches(subject) === true,
    rule(step) {
      const { eventName, filterCriteria } = askedBy(step) ?? {};
      const words = filterCriteria ? [criteria.get(step.stepId)?.describe()] : [];
      return [...(eventName === undefined ? [] : [`event ${eventName}`]), ...words].join(', ');
    },
  };
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
export function stepMeant(
  { graph, awaited }: { graph: StepGraph; awaited: AwaitedEvents },
  stepId: string | null,
  event: PersonEvent,
  { contact, wait }: { contact: FilterSubject['contact']; wait: Wait },
): string | null {
  const step = graph.byId.get(stepId ?? '');
  if (!step) return null;
  const goal = awaited.goalsFrom(step).find((one) => awaited.isMeant(one, { contact, event }));
  if (goal) return event.at.getTime() >= wait.enteredMs ? goal.stepId : null;
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
