import type { Collection, ObjectId } from 'mongodb';
import type { Due, PropertyValue } from '../../base/model.ts';

/** Contacts on their way through an automation, and the changes that let them in. */

/** too_early: fewer than `afterDays` days after the person left. */
export type ReentryRefusal = 'entered_before' | 'too_early';

export type ExitReason =
  | 'criteria_no_longer_met'
  | 'unsubscribed'
  | 'contact_deleted'
  | 'step_removed'
  | 'exit_step'
  | 'automation_archived'
  | 'no_date'
  | 'removed';

/** One event in the history of an enrollment. */
export interface EnrollmentEvent {
  type:
    | 'entered'
    | 'wait'
    | 'heard'
    | 'timed_out'
    | 'goal'
    | 'goal_passed'
    | 'email'
    | 'branch'
    | 'branch_left'
    | 'update_contact'
    | 'webhook'
    | 'webhook_answered'
    | 'webhook_failed'
    | 'parked'
    | 'moved'
    | 'completed'
    | 'exited';
  at: Date;
  stepId?: string;
  /** Of a wait: its end. */
  until?: Date;
  emailId?: ObjectId;
  /** Of a webhook: the event that it posts. */
  eventId?: ObjectId;
  branchId?: string | null;
  /** The criteria that decided. */
  rule?: string;
  reason?: string;
}

/** Of a webhook that the person waited for. problem: why there is none, or none that can be used. */
export interface WebhookAnswer {
  contactProperties?: Record<string, PropertyValue | null>;
  problem?: string;
}

/** Something from outside that a step of one enrollment waited for. */
export interface Heard {
  stepId: string;
  /** When it happened: after the end of the wait it is too late. */
  at: Date;
  answer?: WebhookAnswer;
}

/** A contact's way through one automation. `dueAt`: its run must be started, or woken. */
export interface Enrollment extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  automationId: ObjectId;
  contactId: ObjectId;
  status: 'active' | 'completed' | 'exited';
  /** Present while active: a contact is enrolled at most once at a time. */
  live?: true;
  /** Present when a contact may enter only once. */
  once?: true;
  version: number;
  /** Increases with every write, so that of two concurrent decisions about an enrollment only one is stored. */
  revision: number;
  /** false until its first decision, which needs no run. */
  started: boolean;
  /** A run may exist already and must check its enrollment again. */
  asked?: true;
  /** The automation was paused when the enrollment woke up. */
  parked: boolean;
  /** The current step; null before the first one and after the last. */
  stepId: string | null;
  /** Of the current wait: its start and its end. */
  waitFrom: Date | null;
  waitUntil: Date | null;
  /** Names of what the enrollment waits for from outside, as `event:bought`: it is found by them when that happens. */
  awaits?: string[];
  /** Recorded by `wake`, once for each step, also for later ones; removed when the enrollment has left that step. */
  heard?: Heard[];
  exitReason: ExitReason | null;
  /** The event that enrolled the contact. */
  event: { id: ObjectId; name: string; properties: Record<string, PropertyValue> } | null;
  /** The automations that led to the change that enrolled the contact; its own changes carry them on. */
  causedBy?: ObjectId[];
  history: EnrollmentEvent[];
  enteredAt: Date;
  /** Of the event or the change by which it entered, which may be processed later; events count from then on. Not set: `enteredAt`. */
  occurredAt?: Date;
  updatedAt: Date;
  endedAt: Date | null;
}

/** The outcome of a trigger in one automation. */
export interface TriggerOutcome {
  automationId: ObjectId;
  result: 'entered' | 'skipped';
  reason?: 'inside' | ReentryRefusal | 'not_active' | 'contact_deleted' | 'own_change' | 'chain_too_long';
}

/** A contact change that automations follow, written in the transaction of the change; due until it is processed. */
export interface Trigger extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  contactId: ObjectId;
  /**
   * The automations that the change enrolls the contact in; without any, and without `reached`, it was a deletion, which removes personal
   * data from events and enrollments.
   */
  automationIds: ObjectId[];
  /** The automations that led to the change, the last one by making it. */
  causedBy?: ObjectId[];
  /** Names of the goals whose criteria the contact matches since. Absent as none. */
  reached?: string[];
  at: Date;
  outcomes?: TriggerOutcome[];
  erasedAt?: Date;
  doneAt?: Date;
}

/**
 * One writer's part of the counts; `stepId` '' counts the automation itself. Kept by the transactions that move enrollments, never counted
 * on read.
 */
export interface AutomationCount {
  _id: string;
  projectId: ObjectId;
  automationId: ObjectId;
  stepId: string;
  entered: number;
  active: number;
  completed: number;
  parked: number;
  emails: number;
  /** Dates that had been reached more than a day before they were looked at. */
  missed: number;
  /** People who waited in the zone of the project, because they have none. */
  zoneMissing: number;
  /** Of an update_contact step: people it changed, and people it could not change. */
  updated: number;
  failed: number;
  /** Of a webhook step that people wait for: those with an answer. The others count as failed. */
  answered: number;
  /** Of a wait_event step: people whose event came, and people whose event did not come in time. */
  heard: number;
  timedOut: number;
  /** People who reached a goal, of the automation each once. */
  converted: number;
  exited: Partial<Record<ExitReason, number>>;
}

declare module '../../base/collections.ts' {
  interface Collections {
    automationCounts: Collection<AutomationCount>;
    enrollments: Collection<Enrollment>;
    triggers: Collection<Trigger>;
  }
}
