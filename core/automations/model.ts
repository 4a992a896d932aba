import type { Collection, ObjectId } from 'mongodb';
import type { Made } from '../base/maker.ts';
import type { Due, PropertyType, PropertyValue, Utm } from '../base/model.ts';
import type { Tag } from '../base/text/tags.ts';

/** Automations, the contacts enrolled in them, and the custom events that start them. */

export type AutomationStatus = 'draft' | 'active' | 'paused' | 'archived';

export type EntryType =
  | 'contact_created'
  | 'contact_added_to_list'
  | 'contact_property_matches_with'
  | 'contact_property_changes_from_to'
  | 'event_trigger'
  | 'list_left'
  | 'form_submitted'
  | 'email_received'
  | 'date_reached';

/** Whether a person who left an automation may enter it again; `afterDays`: so many days after leaving. */
export type Reentry = 'once' | 'after_exit' | { afterDays: number };

/** Ids are hexadecimal text. Filters are kept as the caller gave them, and compiled with the types declared at the time of use. */
export interface EntryCriteria {
  type: EntryType;
  listId?: string;
  formId?: string;
  /** Normal form. */
  address?: string;
  eventName?: string;
  property?: string;
  fromValue?: PropertyValue;
  toValue?: PropertyValue;
  /** Of date_reached, from the date in `property`. */
  offset?: AutomationUntil['offset'];
  /** HH:MM */
  time?: string;
  yearly?: boolean;
  filterCriteria?: Record<string, unknown>;
}

/** too_early: fewer than `afterDays` days after the person left. */
export type ReentryRefusal = 'entered_before' | 'too_early';

export interface ExitCriteria {
  type: 'workflow_complete' | 'entry_criteria_no_longer_met';
}

export interface AutomationDelay {
  value: number;
  unit: 'minutes' | 'mins' | 'hours' | 'days';
}

/** Either a time of day, or a date of the person. */
export interface AutomationUntil {
  /** HH:MM */
  time?: string;
  /** Absent: every day. */
  weekdays?: Array<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'>;
  /** An IANA name, or contact: the zone of the person; absent: that of the project. */
  timezone?: string;
  latestAfterDays?: number;
  /** The canonical path of a field that holds a date. */
  property?: string;
  offset?: { value: number; unit: 'minutes' | 'hours' | 'days'; direction: 'before' | 'after' };
}

/** An event that the person waits for, and how long. */
export interface AutomationWaitEvent {
  /** A custom event, or one of the mail of an earlier step: email.opened, email.clicked, email.replied. */
  eventName: string;
  /** Of a mail. */
  emailStepId?: string;
  /** Of email.clicked; absent: any link. */
  url?: string;
  filterCriteria?: Record<string, unknown>;
  timeout: AutomationDelay;
  /** entry: one that came since the person entered counts too. */
  since: 'step' | 'entry';
}

export interface AutomationEmail {
  templateId?: string;
  templateName?: string;
  htmlTemplate?: string;
  /** Of htmlTemplate that was made of content blocks: these, and the source of the text part. */
  editorJson?: Record<string, unknown>;
  text?: string;
  subject?: string;
  previewText?: string;
  senderEmail?: string;
  senderName?: string;
  senderReplyToEmail?: string;
  senderReplyToName?: string;
  /** As the caller gave it; nothing follows from it. */
  projectId?: string;
  /** While the frequency cap of the project has no room for the mail; absent: skip. */
  whenCapped?: 'skip' | 'wait';
  /** Of the mails of the step, each name once. */
  tags?: Tag[];
}

export interface AutomationBranch {
  branchId: string;
  label: string;
  triggerType: 'contact_property_matches_with' | 'event_property';
  /** null: always holds. */
  filterCriteria: Record<string, unknown> | null;
  appliesTo: 'branch_entry' | 'all_branch_steps';
  nextStepId: string | null;
  mergeStepId: string | null;
}

/** Texts may hold placeholders. Ids are hexadecimal text. */
export interface AutomationUpdate {
  /** null removes a property. */
  contactProperties?: Record<string, PropertyValue | null>;
  addListIds?: string[];
  removeListIds?: string[];
}

/** Either url or webhookId. Ids are hexadecimal text. */
export interface AutomationWebhook {
  url?: string;
  webhookId?: string;
  /** The id of their values (`webhookHeaders`), and their names. */
  sealedHeaders?: { id: string; names: string[] };
  /** Whether the person waits for the answer, and how long at most; absent: 24 hours. */
  wait: boolean;
  timeout?: { value: number; unit: 'minutes' | 'hours' };
}

export interface AutomationShare {
  branchId: string;
  label: string;
  /** Of a hundred people; those of a step add up to 100. */
  share: number;
  /** null: the step after the split. */
  nextStepId: string | null;
}

interface AnyStep {
  stepId: string;
  nextStepId: string | null;
  parentBranchStepId: string | null;
  parentBranchId: string | null;
  checkExitCriteria: boolean;
}

export type AutomationStep = AnyStep &
  (
    | { type: 'wait'; delay: AutomationDelay }
    | { type: 'email'; email: AutomationEmail }
    | { type: 'branch'; branches: AutomationBranch[] }
    | { type: 'split'; shares: AutomationShare[] }
    | { type: 'exit' }
    | { type: 'wait_until'; until: AutomationUntil }
    | { type: 'update_contact'; update: AutomationUpdate }
    /** Either an event, with criteria about it, or criteria about the person. */
    | { type: 'goal'; eventName?: string; filterCriteria?: Record<string, unknown> }
    /** `timeoutStepId` null: the step after it, as with the event. */
    | { type: 'wait_event'; waitEvent: AutomationWaitEvent; timeoutStepId: string | null }
    /** `failureStepId` null: the step after it, as with an answer. Absent as null. */
    | { type: 'webhook'; webhook: AutomationWebhook; failureStepId?: string | null }
  );

/** The steps of an automation. A version never changes: enrolled contacts keep theirs. */
export interface AutomationDefinition {
  entryCriteria: EntryCriteria;
  /** Left out: what `reentryOf` says. */
  reentry?: Reentry;
  exitCriteria: ExitCriteria;
  steps: AutomationStep[];
  unsubscribeGroupId: string | null;
  trackingOpen: boolean;
  utm?: Utm | null;
  trackingClick: boolean;
}

/** Everything that a PATCH changes; a draft has all of it, a version that people are inside its definition. */
export interface AutomationContent extends AutomationDefinition {
  name: string;
  description: string;
  tags: string[];
}

/** Says that there is a draft; its content is a document of its own. */
export interface DraftMark {
  /** The version that it was begun from, or compared with since. */
  baseVersion: number;
  updatedAt: Date;
  /** The id of a member; null: a key saved it. */
  updatedBy: ObjectId | null;
}

export interface Automation extends AutomationContent, Due, Made {
  _id: ObjectId;
  projectId: ObjectId;
  organizationId: ObjectId;
  status: AutomationStatus;
  /** Increases with every PATCH. */
  version: number;
  /** Names of what its versions wait for from outside, of all that it ever had: people may be inside each. Absent as none. */
  awaited?: string[];
  /** Enrollments of an older version than this move to this one. */
  moveBefore: number;
  /** Of the next version; absent as null: there is none. */
  draft?: DraftMark | null;
  /** Increases with everything that is saved, a draft or a version. Absent as 0. */
  draftRevision?: number;
  activeAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

/** The content of the next version; `_id` is made of automation and "draft". */
export interface DraftDefinition extends AutomationContent {
  _id: string;
  projectId: ObjectId;
  automationId: ObjectId;
  isDraft: true;
}

/** A definition that another one replaced while contacts were enrolled; `_id` is made of automation and version. */
export interface PastDefinition extends AutomationDefinition {
  _id: string;
  projectId: ObjectId;
  automationId: ObjectId;
  version: number;
}

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

export interface EventProperty {
  propertyName: string;
  type: PropertyType;
  description: string;
  suggestedValues: PropertyValue[];
}

export interface EventDefinition {
  _id: ObjectId;
  projectId: ObjectId;
  eventName: string;
  description: string;
  properties: EventProperty[];
  createdAt: Date;
  updatedAt: Date;
}

/** A custom event of a contact. An event that enrolls the contact is its own trigger. */
export interface EventRecord extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  eventName: string;
  contactId: ObjectId;
  properties: Record<string, PropertyValue>;
  createdAt: Date;
  automationIds?: ObjectId[];
  outcomes?: TriggerOutcome[];
}

declare module '../base/collections.ts' {
  interface Collections {
    automations: Collection<Automation>;
    automationDefinitions: Collection<PastDefinition | DraftDefinition>;
    automationCounts: Collection<AutomationCount>;
    enrollments: Collection<Enrollment>;
    triggers: Collection<Trigger>;
    eventDefinitions: Collection<EventDefinition>;
    events: Collection<EventRecord>;
  }
}
