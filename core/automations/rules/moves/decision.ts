import type { Past } from '../../../people/filters/filters.ts';
import type { Contact } from '../../../people/model.ts';
import type { ExitReason, Heard } from '../../model/enrollment.ts';
import type { PersonEvent } from '../awaited.ts';
import type { PersonUpdate } from '../update.ts';

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

export type Next =
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
