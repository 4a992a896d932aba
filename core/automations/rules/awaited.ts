import type { DeclaredTypes, FilterSubject } from '../../people/filters/filters.ts';
import type { AutomationStep } from '../model.ts';
import { compileCriteria } from './criteria.ts';
import type { StepGraph } from './graph.ts';

/** Waits for things from outside. */

export type WaitEventStep = AutomationStep & { type: 'wait_event' };

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
  /** The names of what an enrollment on this step waits for. */
  namesAt(step: AutomationStep): string[];
  isMeant(step: WaitEventStep, subject: FilterSubject): boolean;
  /** The event and its criteria, in words. */
  rule(step: WaitEventStep): string;
}

/** By it the enrollments are found that wait for the event. */
export function nameOfEvent(eventName: string): string {
  return `event:${eventName}`;
}

/** The names of all that steps wait for. */
export function namesAwaited(steps: readonly AutomationStep[]): string[] {
  return [...new Set(steps.flatMap((step) => eventNamesOf(step).map(nameOfEvent)))];
}

export function eventNamesOf(step: AutomationStep): string[] {
  return step.type === 'wait_event' ? [step.waitEvent.eventName] : [];
}

export function compileAwaited(steps: readonly AutomationStep[], declared: AutomationTypes): AwaitedEvents {
  const waits = steps.filter((step) => step.type === 'wait_event');
  const criteria = new Map(
    waits.map(({ stepId, waitEvent: { eventName, filterCriteria = null } }) => [
      stepId,
      compileCriteria(filterCriteria, typesOf(eventName, declared)),
    ]),
  );
  return {
    eventNames: new Set(steps.flatMap(eventNamesOf)),
    namesAt: (step) => eventNamesOf(step).map(nameOfEvent),
    isMeant: ({ stepId, waitEvent }, subject) =>
      subject.event?.name === waitEvent.eventName && criteria.get(stepId)?.matches(subject) === true,
    rule({ stepId, waitEvent: { eventName, filterCriteria } }) {
      return filterCriteria ? `event ${eventName}, ${criteria.get(stepId)?.describe()}` : `event ${eventName}`;
    },
  };
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
  if (step?.type !== 'wait_event' || !isWithin(step, event, wait)) return null;
  return awaited.isMeant(step, { contact, event }) ? step.stepId : null;
}

interface Wait {
  fromMs: number;
  untilMs: number;
  enteredMs: number;
}

/** At the end of the wait itself an event is in time. */
export function isWithin(
  { waitEvent }: WaitEventStep,
  { at }: PersonEvent,
  { fromMs, untilMs, enteredMs }: Wait,
): boolean {
  const ms = at.getTime();
  return ms >= (waitEvent.since === 'entry' ? enteredMs : fromMs) && ms <= untilMs;
}
