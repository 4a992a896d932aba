import type { Collection, ObjectId } from 'mongodb';
import type { Due, PropertyType, PropertyValue } from '../base/model.ts';

/** Automations, the contacts enrolled in them, and the custom events that start them. */

export type AutomationStatus = 'draft' | 'active' | 'paused' | 'archived';

export type EntryType =
  | 'contact_created'
  | 'contact_added_to_list'
  | 'contact_property_matches_with'
  | 'contact_property_changes_from_to'
  | 'event_trigger';

/** Ids are hexadecimal text, filters as the caller gave them: they are compiled with the types declared when they are used. */
export interface EntryCriteria {
  type: EntryType;
  listId?: string;
  eventName?: string;
  property?: string;
  fromValue?: PropertyValue;
  toValue?: PropertyValue;
  filterCriteria?: Record<string, unknown>;
}

export interface ExitCriteria {
  type: 'workflow_complete' | 'entry_criteria_no_longer_met';
}

export interface AutomationDelay {
  value: number;
  unit: 'minutes' | 'mins' | 'hours' | 'days';
}

export interface AutomationEmail {
  templateId?: string;
  templateName?: string;
  htmlTemplate?: string;
  subject?: string;
  previewText?: string;
  senderEmail?: string;
  senderName?: string;
  senderReplyToEmail?: string;
  senderReplyToName?: string;
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
  );

/** What people go through. A version of it never changes: those inside keep it. */
export interface AutomationDefinition {
  entryCriteria: EntryCriteria;
  exitCriteria: ExitCriteria;
  steps: AutomationStep[];
  unsubscribeGroupId: string | null;
  trackingOpen: boolean;
  trackingClick: boolean;
}

export interface Automation extends AutomationDefinition, Due {
  _id: ObjectId;
  projectId: ObjectId;
  organizationId: ObjectId;
  name: string;
  description: string;
  status: AutomationStatus;
  tags: string[];
  /** Moves with every PATCH. */
  version: number;
  /** People who entered with an older version than this go on with this one. */
  moveBefore: number;
  activeAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

/** A definition that a PATCH replaced while people were inside; `_id` is made of automation and version. */
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
  | 'automation_archived';

/** One thing that happened to a person on the way. */
export interface EnrollmentEvent {
  type: 'entered' | 'wait' | 'email' | 'branch' | 'branch_left' | 'parked' | 'moved' | 'completed' | 'exited';
  at: Date;
  stepId?: string;
  /** Of a wait: until when. */
  until?: Date;
  emailId?: ObjectId;
  branchId?: string | null;
  /** What decided. */
  rule?: string;
  reason?: string;
}

/** One person's way through one automation. `dueAt`: its run must be started, or told to look again. */
export interface Enrollment extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  automationId: ObjectId;
  contactId: ObjectId;
  status: 'active' | 'completed' | 'exited';
  /** Present while active: a contact is inside at most once. */
  live?: true;
  /** Present where a contact may enter only once ever. */
  once?: true;
  version: number;
  /** Moves with every write, so that two decisions about one person never both stand. */
  revision: number;
  /** false until its first decision, which needs no run. */
  started: boolean;
  /** A run may be there already, and is to look again. */
  asked?: true;
  /** Stands still because the automation was paused when it woke up. */
  parked: boolean;
  /** The step where it stands; null before the first one and after the last. */
  stepId: string | null;
  /** In a wait: since when and until when. */
  waitFrom: Date | null;
  waitUntil: Date | null;
  exitReason: ExitReason | null;
  /** What let the person in. */
  event: { id: ObjectId; name: string; properties: Record<string, PropertyValue> } | null;
  history: EnrollmentEvent[];
  enteredAt: Date;
  updatedAt: Date;
  endedAt: Date | null;
}

/** What became of a trigger in one automation. */
export interface TriggerOutcome {
  automationId: ObjectId;
  result: 'entered' | 'skipped';
  reason?: 'inside' | 'entered_before' | 'not_active' | 'contact_deleted';
}

/** A contact change that automations follow, written in the transaction of the change; due until they have. */
export interface Trigger extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  contactId: ObjectId;
  /** Who the change let in; empty after a deletion, which takes what is personal out of events and enrollments. */
  automationIds: ObjectId[];
  at: Date;
  outcomes?: TriggerOutcome[];
  erasedAt?: Date;
  doneAt?: Date;
}

/** One writer's part of the counts; `stepId` '' counts the automation itself. Kept by the transactions that move people, never counted on read. */
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

/** A custom event of a contact. One that lets the contact into automations is its own trigger. */
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
    automationDefinitions: Collection<PastDefinition>;
    automationCounts: Collection<AutomationCount>;
    enrollments: Collection<Enrollment>;
    triggers: Collection<Trigger>;
    eventDefinitions: Collection<EventDefinition>;
    events: Collection<EventRecord>;
  }
}
