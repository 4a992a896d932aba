import type { PropertyValue, Utm } from '../../base/model.ts';
import type { Tag } from '../../base/text/tags.ts';

/** The definition of an automation: who enters it, its steps, and who leaves. */

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
  /** Pictures of the project go inside the mail. Absent as false. */
  inlinePictures?: boolean;
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
