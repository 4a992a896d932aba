import type { Binary, ClientSession, Collection, ObjectId } from 'mongodb';
import type { Lane } from './mailer.ts';

/** The stored shapes, one interface a noun. The wire shapes are made from them in api/present.ts. */

export interface Organization {
  _id: ObjectId;
  name: string;
  createdAt: Date;
}

export interface Project {
  _id: ObjectId;
  organizationId: ObjectId;
  name: string;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** Moves with every change of fields, segments or automations, so that compiled copies know when they are stale. */
  audienceVersion: number;
  createdAt: Date;
  deletedAt: Date | null;
}

export interface ApiKey {
  _id: ObjectId;
  /** The middle part of the key; finds the record. */
  shortId: string;
  /** SHA-256 of the whole key. The key itself is stored nowhere. */
  hash: Buffer;
  organizationId: ObjectId;
  /** null: an admin key of the organization. */
  projectId: ObjectId | null;
  name: string;
  createdAt: Date;
  revokedAt: Date | null;
}

/** The answer of a POST that carried an Idempotency-Key. `_id` is a hash of tenant and key. */
export interface IdempotencyRow {
  _id: string;
  fingerprint: string;
  state: 'running' | 'done';
  /** Ids of what the request creates are derived from seed and time, so a second try makes the same ones. */
  seed: ObjectId;
  startedAt: Date;
  owner: string;
  leaseUntil: Date;
  status: number | null;
  body: string | null;
  expiresAt: Date;
}

export type PropertyValue = string | number | boolean;
export type PropertyType = 'string' | 'number' | 'boolean' | 'date';

export interface Contact {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/rules/addresses.ts. */
  email: string;
  firstName: string | null;
  lastName: string | null;
  userId: string | null;
  mobile: string | null;
  contactProperties: Record<string, PropertyValue>;
  listIds: ObjectId[];
  segmentIds: ObjectId[];
  createdAt: Date;
  updatedAt: Date;
}

export interface StoredList {
  _id: ObjectId;
  projectId: ObjectId;
  name: string;
  description: string;
  /** global: the one list of every project that holds all its contacts; callers know it as GLOBAL_CONTACT_LIST. */
  type: 'list' | 'segment' | 'global';
  /** As the caller gave it, with every fieldType said; null for lists. */
  filterCriteria: Record<string, unknown> | null;
  /** How far the contacts of the project are held against the filter; null for lists. */
  recompute: SegmentRecompute | null;
  /** There is a recompute to start, or to look after. */
  recomputeDueAt?: Date;
  createdAt: Date;
  updatedAt: Date;
}

export interface ContactList extends StoredList {
  /** Kept by the transactions that change contacts; never counted on read. */
  contactCount: number;
}

/**
 * A part of the count of a list. Writers that run side by side each have a part of their own: two transactions that move one
 * number would stop each other. The count is the sum.
 */
export interface ListCount {
  /** List and writer. */
  _id: string;
  projectId: ObjectId;
  listId: ObjectId;
  count: number;
}

export interface SegmentRecompute {
  /** Moves with every change of the filter: whoever was at work for another one stops. */
  generation: number;
  /** settling: everybody was looked at, and is looked at once more when no change can be under way that did not know the filter. */
  status: 'running' | 'settling' | 'completed';
  /** The last contact that was looked at; null at the beginning of a look. */
  cursor: ObjectId | null;
  processed: number;
  total: number;
  requestedAt: Date;
  completedAt: Date | null;
}

/** A list or segment that is deleted and still stands in contacts; `_id` is its own. */
export interface ListRemoval {
  _id: ObjectId;
  projectId: ObjectId;
  type: 'list' | 'segment';
  lastLookAt: Date;
  dueAt?: Date;
}

export interface ContactImport {
  _id: ObjectId;
  projectId: ObjectId;
  status: 'queued' | 'running' | 'completed' | 'completed_with_errors' | 'failed';
  format: 'csv' | 'ndjson';
  fileName: string | null;
  sizeBytes: number;
  /** Lists that every contact joins. */
  listIds: ObjectId[];
  runWorkflow: boolean;
  /** What the first line of a CSV file says, once it is read. */
  header: { columns: string[]; delimiter: string } | null;
  /** Where the next row begins. Moves in the transaction that writes the rows before it. */
  cursor: { bytes: number; row: number };
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
  failureReason: string | null;
  startedAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  /** There is a run to start. */
  startDueAt?: Date;
}

/** A piece of the file; deleted when the import is over. */
export interface ImportChunk {
  /** Import and number. */
  _id: string;
  projectId: ObjectId;
  importId: ObjectId;
  number: number;
  bytes: Binary;
  createdAt: Date;
}

export interface ImportError {
  /** Import and row. */
  _id: string;
  projectId: ObjectId;
  importId: ObjectId;
  /** The first row below the header is 1. */
  row: number;
  email: string | null;
  message: string;
  createdAt: Date;
}

export interface CustomField {
  _id: ObjectId;
  projectId: ObjectId;
  fieldName: string;
  fieldType: PropertyType;
  description: string;
  defaultValue: PropertyValue | null;
  createdAt: Date;
  updatedAt: Date;
}

export type SuppressionReason = 'UNSUBSCRIBE' | 'BOUNCE' | 'COMPLAINT' | 'MANUAL';

export interface SuppressionGroup {
  _id: ObjectId;
  projectId: ObjectId;
  /** Six upper-case letters or digits: the id that callers know. */
  groupId: string;
  name: string;
  description: string;
  /** Each project has one global and one default group, made with it. */
  isGlobal: boolean;
  isDefault: boolean;
  /** Entries by reason, kept by the transaction that writes them. */
  counts: Record<SuppressionReason, number>;
  /** Moves with every change of its entries. */
  version?: number;
  createdAt: Date;
  updatedAt: Date;
  /** Set while its entries are being removed; for every caller the group is gone. */
  deletedAt: Date | null;
}

export interface Suppression {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/rules/addresses.ts. */
  email: string;
  groupId: string;
  /** Of its group, which never change there. */
  isGlobal: boolean;
  isDefault: boolean;
  reason: SuppressionReason;
  /** What proves it: the reply of a relay, the address of a page. */
  evidence: string | null;
  /** Beside an unsubscribe: what stands against the address when the person takes it back. */
  beside?: Pick<Suppression, 'reason' | 'evidence'> | undefined;
  createdAt: Date;
  updatedAt: Date;
}

export type VerificationStatus = 'PENDING_CONFIGURATION' | 'PENDING' | 'VERIFIED';

export interface DnsRecord {
  name: string;
  value: string;
  type: 'TXT' | 'MX';
  purpose: string;
  priority?: number;
}

export interface Domain {
  _id: ObjectId;
  projectId: ObjectId;
  /** Normal form of core/rules/addresses.ts: lower case, ASCII. */
  domainName: string;
  regionKey: string;
  verificationStatus: VerificationStatus;
  /** What the TXT record of this project must say. */
  ownershipValue: string;
  dkim: DkimKeys;
  /** relay: the relay signs, we do not. */
  dkimSigning: 'own' | 'relay';
  ownershipVerified: boolean;
  dkimEnabled: boolean;
  mailFromEnabled: boolean;
  dmarcEnabled: boolean;
  /** What the last check has to say to the owner of the domain. */
  message: string | null;
  /** When a check was asked for that has not given its first result. */
  checkRequestedAt: Date | null;
  createdAt: Date;
  lastCheckedAt: Date | null;
  verifiedAt: Date | null;
  /** Since when ownership or DKIM of a verified domain are answered as absent. */
  missingSince: Date | null;
  inboundEnabledAt: Date | null;
  inboundDomainVerifiedAt: Date | null;
  /** Of the demo project: verified without DNS, and never checked. */
  seeded: boolean;
  /** Moves with every change, so that a check never overwrites what was changed while it ran. */
  revision: number;
  /** There is a run to start or to tell. */
  startDueAt?: Date;
  recheckDueAt?: Date;
}

export interface DkimKeys {
  selector: string;
  /** Base64 of the DER form, as the DNS record says it. */
  publicKey: string;
  /** PKCS 8 PEM, sealed for this project and domain. */
  privateKey: Sealed;
}

export type MigrationProvider = 'providerA' | 'providerB';
export type MigrationStatus =
  | 'queued'
  | 'running'
  | 'needs_attention'
  | 'completed'
  | 'completed_with_errors'
  | 'failed'
  | 'cancelled';
export type MigrationPhaseName =
  | 'customFields'
  | 'templates'
  | 'unsubscribeGroups'
  | 'contactLists'
  | 'audiences'
  | 'contacts'
  | 'topics'
  | 'unsubscribed';

/** One line of a report: what it is about, and why it stands there. */
export interface MigrationNote {
  item: string;
  message: string;
}

export interface MigrationPhase {
  name: MigrationPhaseName;
  status: 'pending' | 'running' | 'completed' | 'skipped' | 'failed';
  /** What the source has of it. */
  total: number;
  succeeded: number;
  failed: number;
  skipped: number;
  /** Parts of `succeeded`. */
  created: number;
  updated: number;
  errors: MigrationNote[];
  review: MigrationNote[];
  /** Further counts of this phase alone: addresses of groups, memberships of lists. */
  details: Record<string, number>;
  /** Where the phase goes on after a stop; only the phase itself reads it. Written together with the counts. */
  cursor: Record<string, unknown> | null;
  startedAt: Date | null;
  completedAt: Date | null;
}

export interface MigrationMapping {
  sourceId: string | null;
  sourceName: string | null;
  fieldName: string;
  fieldType: PropertyType;
}

/** null: everything of that kind. */
export interface MigrationSelection {
  templateIds: string[] | null;
  groupIds: string[] | null;
  /** Never everything: fields are made of mappings. */
  fieldIds: string[];
  listIds: string[] | null;
  topicIds: string[] | null;
}

export interface Migration extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  provider: MigrationProvider;
  status: MigrationStatus;
  selection: MigrationSelection;
  mappings: MigrationMapping[];
  /** Whether templates that were migrated before get their content again. */
  updateTemplates: boolean;
  /** Whether automations start for its contacts; jobs of earlier versions have none. */
  runWorkflow?: boolean;
  phase: MigrationPhaseName | null;
  phases: MigrationPhase[];
  /** Counts the runs of this job; activities of an earlier run find another number and stop. */
  run: number;
  /** The attempt that works on it now; made anew for each, so that an earlier one stops at its next write. */
  owner: string | null;
  /** Moves with every change: the id of an event of the stream. */
  version: number;
  /** What a person asked of a run that holds. The workflow takes it and clears it. */
  decision: 'retry' | 'skip' | null;
  /** Why the run holds. */
  attention: string | null;
  failureReason: string | null;
  startedAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Addresses that a page of the source marked unsubscribed, kept from the phase that reads them to the phase that suppresses them. */
export interface MigrationUnsubscribed {
  _id: string;
  projectId: ObjectId;
  migrationId: ObjectId;
  emails: string[];
  expiresAt: Date;
}

/** What a source's list, group or template became here; `_id` is made of project, provider, kind and source id. */
export interface MigrationLink {
  _id: string;
  projectId: ObjectId;
  /** null until the target is made: the link is written first, and what the target's id is made of follows from it. */
  targetId: string | null;
  /** The job or call that made the target; null: it was here before under the same name. */
  createdBy: ObjectId | null;
  createdAt: Date;
}

/** `_id` is the job's. The key is sealed for this project and job alone (core/secrets.ts). */
export interface MigrationSecret {
  _id: ObjectId;
  projectId: ObjectId;
  sealed: Sealed;
  /** null while the job may still need it. */
  expiresAt: Date | null;
}

/** AES-256-GCM: the name of the key that sealed it, nonce, tag and what was sealed. */
export interface Sealed {
  keyId: string;
  nonce: Binary;
  tag: Binary;
  text: Binary;
}

/** When the next request to a provider account may leave; `_id` is a hash of its key. */
export interface ProviderPace {
  _id: string;
  next: Date;
  at: Date;
}

export interface Template {
  _id: ObjectId;
  projectId: ObjectId;
  /** "A-" and 20 hexadecimal characters: the id that callers know. */
  templateId: string;
  templateName: string;
  /** '' when the mails that use it must bring their own. */
  subject: string;
  previewText: string;
  emailTemplate: string;
  templateType: 'marketing' | 'transactional';
  builderType: 'code' | 'editor';
  description: string;
  editorJson: Record<string, unknown> | null;
  parentBodyProperties: Record<string, unknown> | null;
  /** Wants a person to look at it (migrations). */
  isFlagged: boolean;
  source: 'api' | 'dashboard' | 'migration';
  trackingClick: boolean;
  trackingOpen: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export interface Sender {
  _id: ObjectId;
  projectId: ObjectId;
  email: string;
  name: string;
  /** '' when not set. */
  replyTo: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface Mailbox {
  email: string;
  name: string | null;
}

export interface Attachment {
  fileName: string;
  contentType: string | null;
  contentId: string | null;
  description: string | null;
  sizeBytes: number | null;
  /** Where the bytes are: here, in GridFS under this id, or still at a URL that the worker fetches. */
  bytes: Binary | null;
  fileId: ObjectId | null;
  fileUrl: string | null;
}

/** What one call wants sent, shared by its messages. Kept for seven days after their last outcome; what a campaign sends stands on the campaign. */
export interface Content {
  _id: ObjectId;
  projectId: ObjectId;
  messageIds: ObjectId[];
  from: Mailbox;
  replyTo: Mailbox | null;
  templateId: string | null;
  subject: string;
  previewText: string;
  html: string | null;
  text: string | null;
  /** A bulk recipient's own data stands on its message and wins. */
  data: Record<string, unknown>;
  headers: Record<string, string>;
  attachments: Attachment[];
  marketing: boolean;
  /** The suppression group that the mail names. */
  groupId: string | null;
  bypassSuppressions: boolean;
  trackingClick: boolean;
  trackingOpen: boolean;
  /** Not templates: braces mean themselves. */
  verbatim?: true;
  /** Message-IDs, of replies. */
  inReplyTo?: string;
  references?: string;
  createdAt: Date;
  /** When to look whether it may go. */
  removeDueAt?: Date;
}

/** design.md "The send path" has the transitions; core/ledger*.ts makes them. */
export type MessageState =
  | 'queued'
  | 'deferred'
  | 'committing'
  | 'sent'
  | 'bounced'
  | 'failed'
  | 'suppressed'
  | 'unknown';

export interface SmtpReply {
  code: number;
  enhanced: string | null;
  text: string;
}

/** What became of a message, for GET /emails/{id}. The first and the last lines are made from the message's own dates. */
export interface TimelineEntry {
  type: string;
  at: Date;
  /** When the attempt began that ended so. */
  claimedAt?: Date;
  email?: string;
  reply?: SmtpReply;
  reason?: string;
  url?: string;
  automated?: boolean;
}

/** to, cc and bcc of one mail: it travels once, and each has its own outcome. The first one is `to`. */
export interface MessageRecipient extends Mailbox {
  kind: 'to' | 'cc' | 'bcc';
  state: Exclude<MessageState, 'committing'>;
  reply: SmtpReply | null;
  reason: string | null;
  suppressedBy?: { groupId: string; reason: string };
}

/** One mail to one address, whatever it belongs to. */
export interface Message extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  lane: Lane;
  state: MessageState;
  /** '' when the contact was deleted: see core/message-erasures.ts. */
  email: string;
  /** A keyed hash of the address, where that is all that is left of it. */
  emailHash?: string;
  name?: string | null;
  /** Only where there are cc or bcc. */
  recipients?: MessageRecipient[];
  contentId?: ObjectId;
  /** A bulk recipient's own template data. */
  data?: Record<string, unknown>;
  subject?: string;
  batchId?: string;
  campaignId?: ObjectId;
  automationId?: ObjectId;
  contactId?: ObjectId;
  /** Orders the pages of a campaign; not unique. */
  seq?: number;
  createdAt?: Date;
  /** Random per process start; who holds the message, or held it last. */
  owner?: string;
  claim?: number;
  claimedAt?: Date;
  /** When it was claimed first: the mail's Date, the same in every attempt. */
  firstAt?: Date;
  /** Attempts that ended without a final answer: refused for now, lost, or of unknown outcome. */
  deferrals?: number;
  reply?: SmtpReply | null;
  reason?: string | null;
  suppressedBy?: { groupId: string; reason: string };
  sentAt?: Date;
  /** A receiving server confirmed it. */
  deliveredAt?: Date;
  endedAt?: Date;
  timeline?: TimelineEntry[];
}

/** A deleted contact whose messages still say something about it; `_id` is the contact's. */
export interface ContactErasure extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  email: string;
  deletedAt: Date;
}

/** Work on all projects that one process does at a time; `_id` is its name. */
export interface Upkeep {
  _id: string;
  dueAt: Date;
}

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

export type CampaignStatus =
  | 'draft'
  | 'scheduled'
  | 'sending'
  | 'sending_gradual'
  | 'paused'
  | 'sent'
  | 'failed'
  | 'aborted';

export interface AudienceEntry {
  /** An ObjectId in hexadecimal, or GLOBAL_CONTACT_LIST. */
  id: string;
  name: string;
  type: 'list' | 'segment';
  contactCount: number;
}

/** What the ledger said at the last count; the numbers that people read. */
export interface CampaignCounts {
  totalContacts: number;
  suppressed: number;
  failed: number;
  sent: number;
  unknown: number;
  pending: number;
  bounced: number;
  opened: number;
  humanOpened: number;
  clicked: number;
  unsubscribed: number;
  spamReported: number;
}

export interface CampaignGradual {
  emailsPerDay: number;
  growth: 'fixed' | '1.25x' | '1.5x' | '1.75x' | '2x';
  timezone: string;
  startAt: Date | null;
  /** Moved by one compare-and-set for each release: a crash can neither spend a budget twice nor lose it. */
  day: number;
  calendarDay: string | null;
  releasedToday: number;
  dayStartedAt: Date | null;
  /** Recipients with a lower `seq` may be sent to. */
  releasedUpTo: number;
}

export interface Campaign {
  _id: ObjectId;
  projectId: ObjectId;
  organizationId: ObjectId;
  name: string;
  subject: string;
  previewText: string;
  /** What the caller said; the saved sender fills the rest. */
  from: { email?: string; name?: string };
  senderId: ObjectId | null;
  replyTo: string | null;
  toLists: AudienceEntry[];
  excludeLists: AudienceEntry[];
  sendToGlobalList: boolean;
  unsubscribeGroupId: string | null;
  templateId: string;
  trackingClick: boolean;
  trackingOpen: boolean;
  sendMode: 'immediate' | 'scheduled' | 'gradual';
  sendNow: boolean;
  scheduledAt: Date | null;
  maxLatenessMinutes: number;
  thresholdPreset: 'balanced' | 'aggressive' | 'conservative';
  sendRatePerSecond: number | null;
  gradual: CampaignGradual | null;
  status: CampaignStatus;
  /** When sending is to begin; null in drafts. */
  startsAt: Date | null;
  /** Due document: a run of `campaignSend` must be started or told. */
  startDueAt?: Date;
  /** Due document: the run that refreshes its numbers must be started. */
  metricsDueAt?: Date;
  startedAt: Date | null;
  /** While it is under way, and how long it was before that: pauses take no time. */
  sendingSince?: Date | null;
  sendingMs?: number;
  /** What the senders find while they cannot hand over anything. */
  relay?: { notAnsweringSince: Date; reason: string } | null;
  sentAt: Date | null;
  abortedAt: Date | null;
  failureReason: string | null;
  pausedAt: Date | null;
  resumedAt: Date | null;
  pausedReason: string | null;
  counts: CampaignCounts;
  refreshedAt: Date | null;
  nextBatchAt: Date | null;
  /** null before sending starts. */
  freeze: CampaignFreeze | null;
  /** Counts when it started or was resumed last: thresholds look at what came since. */
  stretch: { sent: number; bounced: number; spamReported: number };
  createdAt: Date;
  updatedAt: Date;
}

/** What a campaign sends, frozen when sending starts. `_id` is the campaign's. */
export interface CampaignContent {
  _id: ObjectId;
  projectId: ObjectId;
  from: Mailbox;
  replyTo: Mailbox | null;
  domainName: string;
  subject: string;
  previewText: string;
  html: string;
  trackingClick: boolean;
  trackingOpen: boolean;
  groupId: string | null;
  frozenAt: Date;
}

/** What people, and machines, did with one message; there is none until somebody did something. `_id` is the message's. */
export interface Engagement {
  _id: ObjectId;
  projectId: ObjectId;
  campaignId?: ObjectId;
  automationId?: ObjectId;
  openedAt?: Date;
  humanOpenedAt?: Date;
  clickedAt?: Date;
  unsubscribedAt?: Date;
  complainedAt?: Date;
  /** The evidence: the first opens as they came, so that the verdict can be made again when its rules change. */
  opens?: OpenSignal[];
  openCount?: number;
  clicks?: ClickSignal[];
  clickCount?: number;
}

export interface OpenSignal {
  at: Date;
  /** When the relay took the mail; null when that was not known yet. */
  deliveredAt: Date | null;
  /** The first characters of User-Agent. */
  agent: string;
  /** What a browser said about why it asked: Sec-Purpose or Purpose. */
  purpose: string;
  method: string;
}

export interface ClickSignal {
  at: Date;
  url: string;
  agent: string;
}

/** What happened in a project, for webhooks and /stream. `_id` follows from what happened, so a repeat is the same event. */
export interface ProjectEvent {
  _id: ObjectId;
  projectId: ObjectId;
  type: string;
  createdAt: Date;
  /** Orders the stream. */
  writtenAt: Date;
  /** The contact that it tells of was deleted. */
  eraseAt?: Date;
  data: Record<string, unknown>;
}

/** Somebody listened to /stream: events are kept until an hour after that. `_id` is the project's. */
export interface EventStreamRow {
  _id: ObjectId;
  projectId: ObjectId;
  openUntil: Date;
}

export interface Webhook {
  _id: ObjectId;
  projectId: ObjectId;
  url: string;
  events: string[];
  secret: Sealed;
  isActive: boolean;
  /** Why we switched it off; null when a person did, or it is on. */
  disabledReason: string | null;
  /** The first failure since the last success. */
  failingSince: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface WebhookTry {
  at: Date;
  status: number | null;
  error: string | null;
  tookMs: number;
}

/** One event for one endpoint; due until it was taken or given up. */
export interface WebhookDelivery extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  webhookId: ObjectId;
  eventId: ObjectId;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  firstTryAt: Date | null;
  /** The last ones. */
  tries: WebhookTry[];
  isReplay: boolean;
  createdAt: Date;
  endedAt: Date | null;
}

export type AuthVerdict = 'PASS' | 'FAIL' | 'SOFTFAIL' | 'NEUTRAL' | 'TEMPERROR' | 'PERMERROR' | 'POLICY' | 'NONE';

export interface InboundAttachment {
  fileName: string;
  contentType: string;
  contentId: string | null;
  sizeBytes: number;
  /** In GridFS. */
  fileId: ObjectId;
}

export interface InboundMessage {
  _id: ObjectId;
  projectId: ObjectId;
  /** Of what was sent: the same mail handed over twice is one message. */
  dedupe: string;
  /** Message-ID without < and >; "" when there was none. */
  messageId: string;
  domainName: string;
  from: Mailbox;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  replyTo: Mailbox[];
  subject: string;
  text: string | null;
  html: string | null;
  attachments: InboundAttachment[];
  headers: Array<{ name: string; value: string }>;
  spfVerdict: AuthVerdict;
  dkimVerdict: AuthVerdict;
  dmarcVerdict: AuthVerdict;
  status: 'PROCESSED' | 'PROCESSING' | 'FAILED' | 'BLOCKED_UNVERIFIED' | 'BLOCKED_UNROUTED';
  threadId: string;
  inReplyTo: string | null;
  references: string[];
  inReplyToEmailActivityId: ObjectId | null;
  inReplyToInboundEmailId: ObjectId | null;
  receivedAt: Date;
  /** When it is removed, or what it says is erased: see core/inbound-removals.ts. */
  removeDueAt?: Date;
  /** The contact that wrote it was deleted. */
  isOfDeleted?: true;
  /** A keyed hash of the address that wrote it, where that is all that is left. */
  fromHash?: string;
}

/** How far the audience is written down. Ids of its messages are derived, so any part may be written again. */
export interface CampaignFreeze {
  /** When it began: the seconds in the ids of the messages. */
  at: Date;
  /** Which list is being read, and the address below which everything of it is written. */
  list: number;
  after: string | null;
  /** Recipients written so far, for progress; the ledger has the exact number. */
  written: number;
  isDone: boolean;
}

/** The one thing that every collection of due documents shares (core/due.ts): the time of its next turn, absent when there is nothing to do. */
export interface Due {
  dueAt?: Date;
}

export interface Collections {
  migrations: Collection<Migration>;
  migrationSecrets: Collection<MigrationSecret>;
  migrationLinks: Collection<MigrationLink>;
  migrationUnsubscribed: Collection<MigrationUnsubscribed>;
  providerPaces: Collection<ProviderPace>;
  organizations: Collection<Organization>;
  projects: Collection<Project>;
  apiKeys: Collection<ApiKey>;
  idempotency: Collection<IdempotencyRow>;
  contacts: Collection<Contact>;
  contactLists: Collection<StoredList>;
  listCounts: Collection<ListCount>;
  listRemovals: Collection<ListRemoval>;
  imports: Collection<ContactImport>;
  importChunks: Collection<ImportChunk>;
  importErrors: Collection<ImportError>;
  customFields: Collection<CustomField>;
  suppressionGroups: Collection<SuppressionGroup>;
  suppressions: Collection<Suppression>;
  templates: Collection<Template>;
  campaigns: Collection<Campaign>;
  campaignContents: Collection<CampaignContent>;
  engagements: Collection<Engagement>;
  projectEvents: Collection<ProjectEvent>;
  eventStreams: Collection<EventStreamRow>;
  webhooks: Collection<Webhook>;
  webhookDeliveries: Collection<WebhookDelivery>;
  inboundMessages: Collection<InboundMessage>;
  senders: Collection<Sender>;
  contents: Collection<Content>;
  messages: Collection<Message>;
  contactErasures: Collection<ContactErasure>;
  upkeep: Collection<Upkeep>;
  domains: Collection<Domain>;
  automations: Collection<Automation>;
  automationDefinitions: Collection<PastDefinition>;
  automationCounts: Collection<AutomationCount>;
  enrollments: Collection<Enrollment>;
  triggers: Collection<Trigger>;
  eventDefinitions: Collection<EventDefinition>;
  events: Collection<EventRecord>;
}

export type Session = ClientSession;
