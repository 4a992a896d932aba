// Written by `npm run openapi` from the endpoint table. A test holds it fresh.

export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'PERMISSION_DENIED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'ALREADY_EXISTS'
  | 'INVALID_STATE'
  | 'ALREADY_SENT'
  | 'MIGRATION_IN_PROGRESS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'BODY_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'MEDIA_FULL'
  | 'DOMAIN_NOT_VERIFIED'
  | 'TEMPLATE_RENDER_FAILED'
  | 'INVALID_PROVIDER_KEY'
  | 'RATE_LIMIT_EXCEEDED'
  | 'SERVER_ERROR'
  | 'UNAVAILABLE'
  | 'NAME_REQUIRED'
  | 'INVALID_STEP_SEQUENCE'
  | 'EMAIL_TEMPLATE_REQUIRED'
  | 'BRANCH_BRANCHES_REQUIRED'
  | 'EVENT_NAME_REQUIRED'
  | 'CANNOT_ACTIVATE_AUTOMATION'
  | 'EMAIL_OR_CONTACT_ID_REQUIRED'
  | 'CONTACT_NOT_FOUND_FOR_EVENT'
  | 'UNKNOWN_PROPERTY'
  | 'INVALID_PROPERTY_VALUE'
  | 'CAMPAIGN_NOT_FOUND'
  | 'CONTACT_NOT_FOUND'
  | 'CONTACT_LIST_NOT_FOUND'
  | 'CUSTOM_FIELD_NOT_FOUND'
  | 'TEMPLATE_NOT_FOUND'
  | 'TEMPLATE_VERSION_NOT_FOUND'
  | 'TRANSLATION_NOT_FOUND'
  | 'SENDER_NOT_FOUND'
  | 'SUPPRESSION_GROUP_NOT_FOUND'
  | 'AUTOMATION_NOT_FOUND'
  | 'ENROLLMENT_NOT_FOUND'
  | 'ENROLLMENT_JOB_NOT_FOUND'
  | 'EVENT_NOT_FOUND'
  | 'EMAIL_NOT_FOUND'
  | 'IMPORT_NOT_FOUND'
  | 'DOMAIN_NOT_FOUND'
  | 'MIGRATION_NOT_FOUND'
  | 'PROJECT_NOT_FOUND'
  | 'API_KEY_NOT_FOUND'
  | 'MEMBER_NOT_FOUND'
  | 'RECIPIENT_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'SESSION_NOT_FOUND'
  | 'MEDIA_NOT_FOUND'
  | 'FORM_NOT_FOUND'
  | 'LAYOUT_NOT_FOUND'
  | 'SNIPPET_NOT_FOUND'
  | 'REPUBLICATION_NOT_FOUND';

export interface AcceptedImport {
  importId: string;
  status: ImportStatus;
}

export interface ActivityChange {
  /** The first 50 fields that changed, with values of 200 characters at most. */
  fields: ActivityField[];
  fieldCount: number;
  joinedListIds: string[];
  leftListIds: string[];
  /** The import that made the change. */
  importId: string | null;
  /** The automation that made the change. */
  automationId: string | null;
}

export interface ActivityConsent {
  consentId: string;
  source: string;
  textVersion: string;
  askedAt: string;
  confirmedAt: string | null;
}

export interface ActivityEntry {
  at: string;
  type: 'email.scheduled' | 'email.cancelled' | 'email.queued' | 'email.sent' | 'email.delivered' | 'email.deferred' | 'email.delayed' | 'email.bounced' | 'email.failed' | 'email.suppressed' | 'email.unknown' | 'email.retried' | 'email.opened' | 'email.clicked' | 'email.unsubscribed' | 'email.spam_reported' | 'event' | 'contact.created' | 'contact.updated' | 'suppression.added' | 'consent.recorded';
  /** Of a step of a mail: type begins with email. */
  email: ActivityMail | null;
  /** Of a custom event. */
  event: ActivityEvent | null;
  /** Of a change of the contact: type is contact.created or contact.updated. */
  change: ActivityChange | null;
  /** Of an entry that stops mail to the contact now: type is suppression.added. */
  suppression: ActivitySuppression | null;
  /** Of a consent when it was recorded: type is consent.recorded. GET /contacts/{contactId}/consents has all of it. */
  consent: ActivityConsent | null;
}

export interface ActivityEvent {
  eventId: string;
  eventName: string;
  properties: Record<string, unknown>;
}

export interface ActivityField {
  /** For example firstName, or contactProperties.plan. */
  field: string;
  from: string | number | boolean | null;
  to: string | number | boolean | null;
}

export interface ActivityMail {
  emailId: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  /** Of a click. */
  url: string | null;
  /** Of an open: whether a machine did it. */
  automated: boolean | null;
  reason: string | null;
}

export interface ActivitySuppression {
  groupId: string;
  reason: string;
  evidence: string | null;
  updatedAt: string | null;
}

export interface AddContactsBody {
  /** A list, or GLOBAL_CONTACT_LIST. */
  contactListId: string;
  emails?: string[];
  contactIds?: string[];
  /** Stored as a record of its own with the change, for GET /contacts/{contactId}/consents. The same evidence given again is one record. */
  consent?: ConsentInput;
}

export interface AddedContacts {
  /** Existing contacts added. */
  added: number;
  /** New contacts created and added. */
  created: number;
  alreadyInList: number;
  errors: RefusedContact[];
  validation: ListValidation;
  totalContactsInList: number;
  contacts: ListMember[];
}

export interface AnalyticsCounts {
  totalContacts: number;
  /** Skipped because a suppression stopped them. */
  suppressed: number;
  failed: number;
  /** totalContacts without suppressed and failed. */
  attempted: number;
  sent: number;
  delivered: number;
  /** Recipients, automated opens included. */
  opened: number;
  /** Recipients with an open that no machine did. */
  humanOpened: number;
  clicked: number;
  bounced: number;
  unsubscribed: number;
  spamReported: number;
  /** No answer came after the final dot: perhaps delivered. */
  unknown: number;
  pending: number;
}

export interface AnalyticsRates {
  openRate: number;
  clickRate: number;
  bounceRate: number;
  unsubscribedRate: number;
  complaintRate: number;
  successRate: number;
  deliveryRate: number;
  trueOpenRate: number;
}

export interface AnswerTimeout {
  value: number;
  unit: 'minutes' | 'hours';
}

export interface ApiKey {
  id: string;
  name: string;
  scope: 'full' | 'send' | 'read';
  /** null: mails may come from every verified domain of the project. */
  domainName: string | null;
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  createdAt: string;
  /** To the minute; null: never. */
  lastUsedAt: string | null;
}

export interface CreateApiKeyBody {
  name: string;
  /** full, the default: everything of the project. send: send mails and replies, and read the mails that this key sent. read: read, without changing anything. */
  scope?: 'full' | 'send' | 'read';
  /** Only with scope send: the one domain that From of its mails and replies may be on. Not its subdomains. */
  domainName?: string;
}

export interface NewApiKey {
  id: string;
  name: string;
  scope: 'full' | 'send' | 'read';
  /** null: mails may come from every verified domain of the project. */
  domainName: string | null;
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  createdAt: string;
  /** To the minute; null: never. */
  lastUsedAt: string | null;
  /** Shown only once; a repeated request does not get it. */
  key?: string;
}

export interface ApiKeysPage {
  apiKeys: ApiKey[];
  pagination: Pagination;
}

export interface Attachment {
  fileName?: string;
  /** Alias of fileName. */
  filename?: string;
  /** Base64; line breaks are tolerated. */
  content?: string;
  /** Public https URL instead of content; fetched when the mail is sent, with scheduledAt at the call. */
  fileUrl?: string;
  contentType?: string;
  /** Bytes; checked when given. */
  fileSize?: number;
  /** For cid: in the HTML. */
  contentId?: string;
  description?: string;
}

export interface Attention {
  kind: 'relay' | 'migration' | 'campaign' | 'webhook' | 'domain' | 'reputation';
  /** Of the migration, campaign, webhook or domain. */
  id: string | null;
  name: string;
  since: string;
  /** People who wait for it, or deliveries of a webhook, at most 200; null where it is not known. */
  count: number | null;
  /** The cause, and its consequence. */
  sentence: string;
}

export interface AudienceEntry {
  /** Of a list or a segment, or GLOBAL_CONTACT_LIST. */
  id: string;
  name: string;
  type: 'list' | 'segment';
  contactCount: number;
}

export interface AudienceZone {
  timezone: string;
  /** true: people without a zone, or with one that does not exist. */
  isFallback: boolean;
  /** null: their time is over, and they get nothing. */
  at: string | null;
  total: number;
}

export interface Automation {
  id: string;
  projectId: string;
  organizationId: string;
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  name: string;
  description: string;
  status: AutomationStatus;
  entryCriteria: EntryCriteria;
  /** Whether a person who left may enter again: never (once), at once (after_exit), or not before so many days after leaving. Omitted: once for contact_created, after_exit for all others. Nobody is inside twice at a time. */
  reentry: Reentry;
  exitCriteria: ExitCriteria;
  steps: AutomationStep[];
  tags: string[];
  /** Left out when the automation names none. */
  unsubscribeGroupId?: string;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm: Utm | null;
  activeAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Moves with each PATCH without draft once it was active, and each publication. */
  version?: number;
  /** The draft of the next version; null: there is none. */
  draft: AutomationDraft | null;
  /** Of an automation that has let people in by a date: how many of the contacts were looked at for theirs since it was activated. Contacts that change are known at once. */
  dates?: DateSearch;
  /** Moves with everything that is saved, a draft or a version. */
  draftRevision: number;
  statistics?: AutomationStatistics;
  /** Faults that activation allows, each with its step. Not in lists. */
  warnings?: AutomationWarning[];
}

export interface CreateAutomationBody {
  name?: string;
  description?: string;
  entryCriteria?: EntryCriteriaInput;
  /** Whether a person who left may enter again: never (once), at once (after_exit), or not before so many days after leaving. Omitted: once for contact_created, after_exit for all others. Nobody is inside twice at a time. */
  reentry?: Reentry;
  exitCriteria?: ExitCriteriaInput;
  steps?: AutomationStepInput[];
  tags?: string[];
  /** Suppression group of every mail of this automation. */
  unsubscribeGroupId?: string | null;
  trackingOpen?: boolean;
  trackingClick?: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm?: Utm | null;
  /** true: validate and activate at once. */
  active?: boolean;
}

export interface UpdateAutomationBody {
  name?: string;
  description?: string;
  entryCriteria?: EntryCriteriaInput;
  /** Whether a person who left may enter again: never (once), at once (after_exit), or not before so many days after leaving. Omitted: once for contact_created, after_exit for all others. Nobody is inside twice at a time. */
  reentry?: Reentry;
  exitCriteria?: ExitCriteriaInput;
  steps?: AutomationStepInput[];
  tags?: string[];
  /** Suppression group of every mail of this automation. */
  unsubscribeGroupId?: string | null;
  trackingOpen?: boolean;
  trackingClick?: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm?: Utm | null;
  /** Enrolled contacts: keep the version they entered with (default), or move to this one. */
  existing?: 'keep' | 'move';
  /** true: saved as the draft of the next version, in any status but archived. What runs stays as it is until the draft is published. */
  draft?: boolean;
  /** The draftRevision that the caller saw: 409 when a draft or a version was saved since. Omitted: whatever was saved is changed. */
  draftRevision?: number;
}

export interface AutomationBacklog {
  triggers: number;
  starts: number;
}

export interface AutomationBranch {
  branchId: string;
  label: string;
  triggerType: 'contact_property_matches_with' | 'event_property';
  /** null: the branch always holds. */
  filterCriteria: Record<string, unknown> | null;
  appliesTo: 'branch_entry' | 'all_branch_steps';
  nextStepId: string | null;
  mergeStepId: string | null;
}

export interface AutomationBranchInput {
  branchId?: string;
  label?: string;
  triggerType?: 'contact_property_matches_with' | 'event_property';
  /** Omitted: the branch always holds. May ask about lists, behaviour and the last days, as a segment does. */
  filterCriteria?: Record<string, unknown>;
  appliesTo?: 'branch_entry' | 'all_branch_steps';
  /** First step of the branch. */
  nextStepId?: string | null;
  /** The step at which the branch joins the main flow again. */
  mergeStepId?: string | null;
}

export interface AutomationCompletedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A contact came to the end of an automation. */
  type: 'automation.completed';
  createdAt: string;
  data: EnrollmentChange;
}

export interface AutomationDelay {
  value: number;
  unit: 'minutes' | 'mins' | 'hours' | 'days';
}

export interface AutomationDraft {
  /** The version that it was begun from. */
  baseVersion: number;
  /** Another version was saved since: save the draft again with draftRevision to publish it. */
  isOutdated: boolean;
  updatedAt: string;
  /** The id of the member who saved it; null: a key. */
  updatedBy: string | null;
  /** With version=draft: the people inside now, whom a publication keeps or moves. */
  inside?: number;
  /** With version=draft: those of them who stand on a step that the draft does not have, and would leave when moved. */
  leaving?: LeavingPeople[];
}

export type AutomationDraftVersion = 'draft';

export interface AutomationEmail {
  /** An existing template; or give htmlTemplate, or content, and subject. */
  templateId?: string;
  templateName?: string;
  htmlTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** As answers have it: the content blocks of which htmlTemplate was made. Kept while htmlTemplate is what they make; other HTML is code. */
  editorJson?: Record<string, unknown>;
  subject?: string;
  previewText?: string;
  senderEmail?: string;
  senderName?: string;
  senderReplyToEmail?: string;
  senderReplyToName?: string;
  /** Kept and answered as it is given; the mail is always of the automation's project. */
  projectId?: string;
  /** For a person who has had as many marketing mails as the frequency cap of the project allows. skip, the default: the mail is not sent (suppressed, FREQUENCY_CAP). wait: it waits until there is room, where that is within seven days of its step, while the person goes on to the next step. */
  whenCapped?: 'skip' | 'wait';
  /** Pictures of the project's media go inside the mail (cid:), not as links: 20 and 500000 bytes at most. */
  inlinePictures?: boolean;
  /** Of the mails of this step. To find and to count mail by: each name once. No personal data: they stay when a contact is deleted, and in reports. */
  tags?: MailTag[];
}

export interface AutomationEnteredEvent {
  /** The same in every try and replay. */
  id: string;
  /** A contact entered an automation. */
  type: 'automation.entered';
  createdAt: string;
  data: EnrollmentChange;
}

export interface AutomationExitedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A contact left an automation early. */
  type: 'automation.exited';
  createdAt: string;
  data: EnrollmentChange;
}

export interface AutomationLink {
  stepId: string;
  /** The position among all links of the content, from 1; null where links are grouped by URL. */
  position: number | null;
  /** As it is written in the content, before variables. */
  url: string;
  /** All clicks, with those of machines. */
  clicks: number;
  /** Mails in which it was clicked. */
  people: number;
  /** Of them, those in which a person clicked it. A machine clicks within seconds of delivery, is a known scanner, or clicks three links of a mail within two seconds. */
  humanPeople: number;
  /** False for a link that the content does not have at that position any more, and for links grouped by URL. */
  isCurrent: boolean;
}

export interface AutomationLinks {
  /** The time since which all clicks are counted. */
  since: string;
  /** In the order of the content, then links of mail that was sent before, most clicks first. */
  links: AutomationLink[];
  /** Links beyond 500 that are grouped by URL, and clicks on more than 100 links of a mail. */
  other: OtherLinks;
}

export interface AutomationOffset {
  value: number;
  unit: 'minutes' | 'hours' | 'days';
  direction: 'before' | 'after';
}

export interface AutomationShare {
  branchId: string;
  label: string;
  share: number;
  nextStepId: string | null;
}

export interface AutomationShareInput {
  branchId?: string;
  label?: string;
  /** Of a hundred people; those of a step add up to 100. */
  share: number;
  /** First step of the share; null: the step after the split. */
  nextStepId?: string | null;
}

export interface AutomationStatistics {
  entered: number;
  /** Enrolled now. */
  active: number;
  completed: number;
  exited: number;
  /** People who left early, by reason. */
  exitedBy: Record<string, number>;
  /** Mails queued. */
  emails: number;
  /** Held because the automation is paused. */
  parked: number;
  /** Entries that reached a goal. */
  converted: number;
  /** Converted of a hundred that entered, with two decimals; null without an entry or a goal. */
  conversionRate: number | null;
  /** Of date_reached: dates that let nobody in, since they were looked at more than 24 hours later. */
  missed: number;
  /** Triggers that were not processed yet, and contacts whose run was not started yet. */
  backlog: AutomationBacklog;
  steps: StepStatistics[];
}

export type AutomationStatus = 'draft' | 'active' | 'paused' | 'archived';

export interface AutomationStep {
  stepId: string;
  /** split: each person takes one of the shares, always the same one. exit: the person leaves the automation here. wait_until: the person waits until a time of day or a date. update_contact: changes properties and lists of the person. wait_event: the person waits for an event. webhook: posts an event about the person. goal: who reaches it (an event, or what the person matches) from anywhere before it continues here. With one of these, an email needs a wait, wait_until or wait_event somewhere between it and the email or goal before, or the start; without, directly before it. */
  type: AutomationStepType;
  nextStepId: string | null;
  parentBranchStepId: string | null;
  parentBranchId: string | null;
  checkExitCriteria: boolean;
  /** Of a wait. */
  delay?: AutomationDelay;
  /** Of an email. */
  email?: AutomationEmail;
  /** Of a branch. */
  branches?: AutomationBranch[];
  /** Of a split. */
  shares?: AutomationShare[];
  /** Of a wait_until. */
  until?: AutomationUntil;
  /** Of an update_contact. */
  update?: AutomationUpdate;
  /** Of a wait_event: the first event of that name that matches filterCriteria lets the person go on at once, to nextStepId; when none has come by the end of timeout, the person goes on to timeoutStepId. An event at the end itself is in time. */
  waitEvent?: AutomationWaitEvent;
  /** Of a wait_event: the step after its time-out; null: the step after it. */
  timeoutStepId?: string | null;
  /** Of a webhook: posts an event of type automation.step_webhook about the person to one address alone, signed, tried again and logged like the deliveries of every webhook. Either url or webhookId. */
  webhook?: AutomationWebhook;
  /** Of a goal: the event that reaches it. */
  eventName?: string;
  /** Of a goal. With eventName: about the event (event.properties.<name>) and the person. Without it: a person who matches has reached the goal, also on entering. */
  filterCriteria?: Record<string, unknown>;
  /** Of a webhook with wait: the step after a failure; null: the step after it. */
  failureStepId?: string | null;
}

export interface AutomationStepInput {
  /** split: each person takes one of the shares, always the same one. exit: the person leaves the automation here. wait_until: the person waits until a time of day or a date. update_contact: changes properties and lists of the person. wait_event: the person waits for an event. webhook: posts an event about the person. goal: who reaches it (an event, or what the person matches) from anywhere before it continues here. With one of these, an email needs a wait, wait_until or wait_event somewhere between it and the email or goal before, or the start; without, directly before it. */
  type: AutomationStepType;
  stepId?: string;
  nextStepId?: string | null;
  parentBranchStepId?: string | null;
  parentBranchId?: string | null;
  checkExitCriteria?: boolean;
  delay?: AutomationDelay;
  email?: AutomationEmail;
  branches?: AutomationBranchInput[];
  shares?: AutomationShareInput[];
  /** Of a wait_until. Either time: the next moment at which a clock shows it on one of the weekdays; a time that the zone skips is the next moment that it has, one that it has twice the first. Or property: a date of the person, with an offset; a moment that is over passes at once, and a person without a date, or with one more than 3,650 days away, leaves (exitReason no_date). At the end of the wait the moment is computed again from the person as they are then: a date or zone that moved later prolongs the wait, and a date that moved earlier is noticed only then. */
  until?: AutomationUntil;
  /** What changes of the person; one thing at least. */
  update?: AutomationUpdate;
  /** Of a wait_event: the first event of that name that matches filterCriteria lets the person go on at once, to nextStepId; when none has come by the end of timeout, the person goes on to timeoutStepId. An event at the end itself is in time. */
  waitEvent?: AutomationWaitEvent;
  /** Of a wait_event: the step after its time-out. Omitted or null: the step after it, as with the event. */
  timeoutStepId?: string | null;
  /** Of a webhook: posts an event of type automation.step_webhook about the person to one address alone, signed, tried again and logged like the deliveries of every webhook. Either url or webhookId. */
  webhook?: AutomationWebhookInput;
  /** Of a goal: the event that reaches it. */
  eventName?: string;
  /** Of a goal. With eventName: about the event (event.properties.<name>) and the person. Without it: a person who matches has reached the goal, also on entering. */
  filterCriteria?: Record<string, unknown>;
  /** Of a webhook with wait: the step after a failure. Omitted or null: the step after it, as with an answer. */
  failureStepId?: string | null;
}

export type AutomationStepType =
  | 'wait'
  | 'email'
  | 'branch'
  | 'split'
  | 'exit'
  | 'wait_until'
  | 'update_contact'
  | 'wait_event'
  | 'webhook'
  | 'goal';

export interface AutomationStepWebhookEvent {
  /** The same in every try and replay. */
  id: string;
  /** A contact came to a webhook step of an automation; for the webhook of that step alone. */
  type: 'automation.step_webhook';
  createdAt: string;
  data: StepOfContact;
}

export interface AutomationUntil {
  time?: string;
  /** Omitted: every day. */
  weekdays?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
  /** IANA name; or contact: the zone in the timezoneProperty of the project, and that of the project for people without one (counted as zoneMissing). Omitted: the zone of the project. */
  timezone?: string;
  /** The wait ends after as many days, if no such moment comes before. */
  latestAfterDays?: number;
  /** contactProperties.<name>, declared as a date or not declared; createdAt or updatedAt. */
  property?: string;
  offset?: AutomationOffset;
}

export interface AutomationUpdate {
  /** null removes a property. A text may hold placeholders as mails do, such as {{contactProperties.plan}}, {{email}} or {{event.properties.amount}}. */
  contactProperties?: Record<string, PropertyInput>;
  /** Lists, not segments. */
  addListIds?: string[];
  removeListIds?: string[];
}

export interface AutomationWaitEvent {
  /** An event of the project; or email.opened (by a person), email.clicked (by a person) or email.replied, of the mail of emailStepId. */
  eventName?: string;
  /** Of email.opened, email.clicked and email.replied: the email step, which leads here. */
  emailStepId?: string;
  /** Of email.clicked: the link. Omitted: any. */
  url?: string;
  /** About the event (event.properties.<name>) and the person as they are when it comes. Omitted: any. */
  filterCriteria?: Record<string, unknown>;
  /** How long the person waits at most. */
  timeout?: AutomationDelay;
  /** step: the event must come while the person waits here. entry: one that came since they entered counts too, but not the one that entered them; of the 1,000 newest. Omitted: step. */
  since?: 'step' | 'entry';
}

export interface AutomationWarning {
  stepId: string;
  /** NO_UNSUBSCRIBE_LINK: the body has neither {{unsubscribe}} nor {{preferencesUrl}}. */
  code: 'NO_UNSUBSCRIBE_LINK';
  message: string;
}

export interface AutomationWebhook {
  /** A public https URL. Its webhook, without events of its own, is made when the automation is activated and listed with the others; POST /webhooks/{webhookId}/rotate-secret shows a secret of it. */
  url?: string;
  /** A webhook of the project, whatever its events are. */
  webhookId?: string;
  /** Their names; a PATCH that repeats them keeps the values. */
  headers?: WebhookHeaderName[];
  /** true: the person waits for a 2xx, whose JSON may set properties: {contactProperties}. An answer of more than 64 KiB, or one that cannot be used, is a failure, and so is none by the end of timeout; a failure leads to failureStepId. false, or left out: the person continues at once, whatever comes of the request. */
  wait: boolean;
  /** With wait: how long the person waits, 24 hours at most. Omitted: 24 hours. */
  timeout?: AnswerTimeout;
}

export interface AutomationWebhookInput {
  /** A public https URL. Its webhook, without events of its own, is made when the automation is activated and listed with the others; POST /webhooks/{webhookId}/rotate-secret shows a secret of it. */
  url?: string;
  /** A webhook of the project, whatever its events are. */
  webhookId?: string;
  /** Sent with each request, beside those of every webhook. */
  headers?: WebhookHeader[];
  /** true: the person waits for a 2xx, whose JSON may set properties: {contactProperties}. An answer of more than 64 KiB, or one that cannot be used, is a failure, and so is none by the end of timeout; a failure leads to failureStepId. false, or left out: the person continues at once, whatever comes of the request. */
  wait?: boolean;
  /** With wait: how long the person waits, 24 hours at most. Omitted: 24 hours. */
  timeout?: AnswerTimeout;
}

export interface AutomationsPage {
  automations: Automation[];
  pagination: Pagination;
}

export interface AutomationsDiscardDraftQuery {
  /** The draftRevision that the caller saw: 409 when a draft or a version was saved since. Omitted: whatever was saved is changed. */
  draftRevision?: number;
}

export interface AutomationsEnrollmentsQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: EnrollmentStatus;
  /** Only the people who are on this step now. */
  stepId?: string;
}

export interface AutomationsGetQuery {
  /** draft: the draft, or the version that runs where there is none. Omitted: the version that runs. */
  version?: AutomationDraftVersion;
}

export interface AutomationsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: AutomationStatus;
  /** Part of the name. */
  search?: string;
}

export interface AwaitedSegment {
  id: string;
  name: string;
  type: 'segment';
  processed: number;
  total: number;
}

export interface BaseText {
  name: string;
  base: string;
  /** Never missing: an address, or variables alone. */
  isOptional: boolean;
}

export interface BatchMailBody {
  /** Each as for POST /mails/send; their attachments have 40 MiB together at most. */
  mails: SendMailBody[];
  /** strict, when omitted: one mail that is refused refuses the call, and nothing is queued. partial: each mail is queued or refused by itself, and the answer is 200. */
  mode?: 'strict' | 'partial';
}

export interface BatchResult {
  index: number;
  emailId?: string;
  error?: ErrorDetails;
}

export interface Brand {
  name: string;
  logoUrl: string | null;
  postalAddress: string | null;
  /** null: the colours of blocks without a brand. */
  colours: BrandColours | null;
  font: 'sans' | 'serif' | 'mono';
  /** Names of fonts, before those of font. */
  families: string[];
  /** Profiles, for social blocks. */
  links: ContentLink[];
  /** Of footer blocks; without spans they have name and address. */
  footer: BrandFooter | null;
  /** Of the project: its settings have name, logo and address too. */
  updatedAt: string;
}

export interface PreviewBrandBody {
  /** Of public pages too, as publicName of the project; null: the name of the project. */
  name?: string | null;
  /** A picture by https, or one of POST /media. */
  logoUrl?: string | null;
  postalAddress?: string | null;
  /** null: the colours of blocks without a brand. */
  colours?: BrandColours | null;
  font?: 'sans' | 'serif' | 'mono';
  /** Names of fonts, before those of font. */
  families?: string[];
  /** Profiles, for social blocks. */
  links?: ContentLink[];
  /** Of footer blocks; without spans they have name and address. */
  footer?: BrandFooter | null;
}

export interface UpdateBrandBody {
  /** Of public pages too, as publicName of the project; null: the name of the project. */
  name?: string | null;
  /** A picture by https, or one of POST /media. */
  logoUrl?: string | null;
  postalAddress?: string | null;
  /** null: the colours of blocks without a brand. */
  colours?: BrandColours | null;
  font?: 'sans' | 'serif' | 'mono';
  /** Names of fonts, before those of font. */
  families?: string[];
  /** Profiles, for social blocks. */
  links?: ContentLink[];
  /** Of footer blocks; without spans they have name and address. */
  footer?: BrandFooter | null;
  /** Templates to publish again with the brand: each gets a new version of the same content. */
  templateIds?: string[];
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface BrandColours {
  /** Of links and buttons, and of public pages; 4.5:1 on paper. */
  primary?: string;
  /** Around the mail. */
  background?: string;
  /** Behind the blocks. */
  paper?: string;
  /** 4.5:1 on paper. */
  text?: string;
}

export interface BrandFooter {
  spans?: ContentSpan[];
  /** The words of the link to unsubscribe. */
  unsubscribe: string;
  /** The words of the link to the preferences. */
  preferences?: string;
}

export interface BrandPreview {
  /** Whose mail would be another one; the newest 100 are compared. */
  templates: BrandTemplate[];
  /** Published templates among them that name it. */
  total: number;
}

export interface BrandTemplate {
  templateId: string;
  templateName: string;
}

export interface BudgetHealth {
  /** With the route and the relay, where the budget is of one. */
  name: string;
  unit: 'connections' | 'per second';
  /** For all processes together. */
  budget: number;
  /** The shares of all processes. */
  shared: number;
  inUse: number;
  /** More than the budget: processes wait for a larger share. */
  wanted: number;
  /** shared: by need, with Redis. divided: equal parts in some process, which Redis does not answer. */
  mode: 'shared' | 'divided';
  processes: BudgetShare[];
}

export interface BudgetShare {
  id: string;
  roles: string[];
  share: number;
  inUse: number;
  wanted: number;
}

export interface BulkFailure {
  email: string;
  code: 'SUPPRESSED' | 'INVALID_EMAIL' | 'RENDER_FAILED';
  message: string;
}

export interface BulkMailBody {
  recipients: BulkRecipient[];
  /** On a verified domain of the project. */
  from: MailAddress;
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  cc?: MailAddress[];
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  bcc?: MailAddress[];
  /** Required without a template that has one. */
  subject?: string;
  /** May hold {{variables}}. */
  html?: string;
  /** Made from the HTML when omitted. */
  text?: string;
  previewText?: string;
  /** html, text and subject of the call win for this mail. */
  templateId?: string;
  /** Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads. */
  language?: string;
  /** Values of the template variables: 256 kB, 10 levels and 5,000 keys at most. */
  dynamicData?: Record<string, unknown>;
  replyTo?: MailAddress;
  /** A suppression group; makes the mail marketing. */
  unsubscribeGroupId?: string;
  /** Alias: unsubscribe.groupId. */
  unsubscribe?: UnsubscribeOption;
  /** Omitted: the project's setting. */
  trackingClick?: boolean;
  /** Omitted: the project's setting. */
  trackingOpen?: boolean;
  /** Custom headers; those that the service writes itself are refused. */
  headers?: Record<string, string>;
  attachments?: Attachment[];
  /** Pictures of the project's media go inside the mail (cid:), not as links: 20 and 500000 bytes at most. */
  inlinePictures?: boolean;
  /** Skips every suppression but a complaint. */
  bypassSuppressions?: boolean;
  /** To find and to count mail by: each name once. No personal data: they stay when a contact is deleted, and in reports. */
  tags?: MailTag[];
  /** ISO 8601 with a zone, up to 30 days ahead, at most a minute ago. Content and template are those of the call, and files behind URLs are fetched at the call; suppressions are checked when the mail leaves. */
  scheduledAt?: string;
}

export interface BulkRecipient {
  /** An invalid address fails without failing the others. */
  email: string;
  name?: string | null;
  /** Values of the template variables: 256 kB, 10 levels and 5,000 keys at most. */
  dynamicData?: Record<string, unknown>;
  /** Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads. */
  language?: string;
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  cc?: MailAddress[];
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  bcc?: MailAddress[];
}

export interface BulkUpdatedContacts {
  successCount: number;
  failedCount: number;
  totalCount: number;
  errors: ContactError[];
}

export interface BulkUpdateContactsBody {
  contacts: Record<string, unknown>[];
  /** Whether automations start for these contacts; omitted: false. Of new contacts false also holds when time alone lets them match later, until something else changes them or they do something. */
  runWorkflow?: boolean;
}

export interface ButtonBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'button';
  spans: ContentSpan[];
  /** http, https, mailto, tel or sms. A variable is the whole, or a value of the query: ?plan={{plan}}. */
  href: string;
  background?: string;
  colour?: string;
  align?: 'left' | 'center' | 'right';
}

export interface Campaign {
  id: string;
  projectId: string;
  organizationId: string;
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  name: string;
  subject: string;
  previewText: string;
  from: CampaignFrom;
  senderId: string | null;
  replyTo: string;
  toLists: AudienceEntry[];
  excludeLists: AudienceEntry[];
  /** Set when the campaign goes to recipients of another one, as POST /campaigns/{campaignId}/duplicate makes it. Setting toLists, or the global list, replaces it. */
  audience: CampaignAudience | null;
  unsubscribeGroupId: string | null;
  sendNow: boolean;
  sendMode: SendMode;
  /** With localTime: the time of the first mail. */
  scheduledAt: string | null;
  templateId: string;
  status: CampaignStatus;
  metrics: CampaignMetrics;
  sentAt: string | null;
  abortedAt: string | null;
  failureReason: string | null;
  pausedAt: string | null;
  resumedAt: string | null;
  pausedReason: string | null;
  thresholdPreset: ThresholdPreset;
  trackingClick: boolean;
  trackingOpen: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm: Utm | null;
  headers: Record<string, string>;
  inlinePictures: boolean;
  tags: MailTag[];
  sendToGlobalList: boolean;
  source: 'api' | 'dashboard';
  template: CampaignTemplate | null;
  gradual: GradualState | null;
  /** Each person gets it when a clock in their zone, by the timezoneProperty of the project, shows this time. With sendMode scheduled; not with scheduledAt, sendNow or gradual. */
  localTime: CampaignLocalTime | null;
  /** On answers with one campaign at local time, once its audience is written down; as last counted. */
  zones?: CampaignZone[];
  variants: CampaignVariant[];
  /** A part gets the variants, the rest the best of them. null: all get them. */
  test: CampaignTestPlan | null;
  holdOutShare: number;
  maxLatenessMinutes: number;
  sendRatePerSecond: number | null;
  /** On the answers of pause, resume, abort and retry. */
  progress?: SettledProgress;
  /** On the answer of GET: the run in the Web UI of Temporal. null when TEMPORAL_UI_URL is not set, and in an installation of several organizations. */
  temporalUrl?: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface CreateCampaignBody {
  name: string;
  subject: string;
  previewText?: string;
  /** Wins over the saved sender, field by field. */
  from?: CampaignFromInput;
  senderId?: string;
  /** Alias of senderId. */
  fromSenderId?: string;
  replyTo?: string;
  templateId?: string;
  /** Raw HTML; with templateId, that template is updated with it. */
  htmlTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** The layout around content or htmlTemplate. Omitted: that of the template that templateId names, else none. */
  layoutId?: string | null;
  /** Lists, segments and GLOBAL_CONTACT_LIST. */
  toLists?: string[];
  /** Lists and segments. */
  excludeLists?: string[];
  sendToGlobalList?: boolean;
  unsubscribeGroupId?: string | null;
  sendMode?: SendMode;
  publish?: boolean;
  sendNow?: boolean;
  scheduledAt?: string | null;
  maxLatenessMinutes?: number;
  thresholdPreset?: ThresholdPreset;
  gradual?: GradualPlan | null;
  /** Each person gets it when a clock in their zone, by the timezoneProperty of the project, shows this time. With sendMode scheduled; not with scheduledAt, sendNow or gradual. */
  localTime?: CampaignLocalTime | null;
  /** Each names what differs from the campaign. */
  variants?: CampaignVariantInput[] | null;
  /** A part gets the variants, the rest the best of them. null: all get them. */
  test?: CampaignTestPlan | null;
  /** Per cent of the audience who get nothing. */
  holdOutShare?: number;
  /** null: no limit. */
  sendRatePerSecond?: number | null;
  trackingClick?: boolean;
  trackingOpen?: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm?: Utm | null;
  /** Custom headers; values may hold {{variables}}. {}: none. */
  headers?: Record<string, string>;
  /** Pictures of the project's media go inside the mail (cid:), not as links: 20 and 500000 bytes at most. */
  inlinePictures?: boolean;
  /** Of all its mails. To find and to count mail by: each name once. No personal data: they stay when a contact is deleted, and in reports. */
  tags?: MailTag[];
}

export interface PreviewCampaignBody {
  /** The contact whose data are filled in. */
  contactId?: string;
  /** Instead of contactId: the address of the contact. */
  email?: string;
  /** Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads. */
  language?: string;
  variantId?: 'A' | 'B' | 'C' | 'D' | 'E';
  /** true: behind each link of the HTML stands the number of people who clicked it, as GET /campaigns/{campaignId}/links counts them. */
  clicks?: boolean;
}

export interface UpdateCampaignBody {
  name?: string;
  subject?: string;
  previewText?: string;
  /** Wins over the saved sender, field by field. */
  from?: CampaignFromInput;
  senderId?: string;
  /** Alias of senderId. */
  fromSenderId?: string;
  replyTo?: string;
  /** null: the draft has no mail until a call names or brings one. */
  templateId?: string | null;
  /** Raw HTML; with templateId, that template is updated with it. */
  htmlTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** The layout around content or htmlTemplate. Omitted: that of the template that templateId names, else none. */
  layoutId?: string | null;
  /** Lists, segments and GLOBAL_CONTACT_LIST. */
  toLists?: string[];
  /** Lists and segments. */
  excludeLists?: string[];
  sendToGlobalList?: boolean;
  unsubscribeGroupId?: string | null;
  sendMode?: SendMode;
  publish?: boolean;
  sendNow?: boolean;
  scheduledAt?: string | null;
  maxLatenessMinutes?: number;
  thresholdPreset?: ThresholdPreset;
  gradual?: GradualPlan | null;
  /** Each person gets it when a clock in their zone, by the timezoneProperty of the project, shows this time. With sendMode scheduled; not with scheduledAt, sendNow or gradual. */
  localTime?: CampaignLocalTime | null;
  /** Each names what differs from the campaign. */
  variants?: CampaignVariantInput[] | null;
  /** A part gets the variants, the rest the best of them. null: all get them. */
  test?: CampaignTestPlan | null;
  /** Per cent of the audience who get nothing. */
  holdOutShare?: number;
  /** null: no limit. */
  sendRatePerSecond?: number | null;
  trackingClick?: boolean;
  trackingOpen?: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm?: Utm | null;
  /** Custom headers; values may hold {{variables}}. {}: none. */
  headers?: Record<string, string>;
  /** Pictures of the project's media go inside the mail (cid:), not as links: 20 and 500000 bytes at most. */
  inlinePictures?: boolean;
  /** Of all its mails. To find and to count mail by: each name once. No personal data: they stay when a contact is deleted, and in reports. */
  tags?: MailTag[];
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface CampaignAbortedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign was aborted. */
  type: 'campaign.aborted';
  createdAt: string;
  data: CampaignChange;
}

export interface CampaignAnalytics {
  campaignId: string;
  name: string;
  status: CampaignStatus;
  sentAt: string | null;
  counts: AnalyticsCounts;
  /** Per cent, with two decimals; 0 when the base is 0. */
  rates: AnalyticsRates;
  tracking: TrackingState;
  refreshedAt: string | null;
}

export interface CampaignAudience {
  campaignId: string;
  did: 'notOpened';
}

export interface CampaignAudienceBody {
  /** Lists, segments and GLOBAL_CONTACT_LIST. */
  toLists?: string[];
  /** Lists and segments. */
  excludeLists?: string[];
  sendToGlobalList?: boolean;
  unsubscribeGroupId?: string | null;
  /** With it the answer has the people of each zone. */
  localTime?: CampaignLocalTime | null;
  /** Recipients of another campaign, as a campaign has them in `audience`. Not together with lists. */
  audience?: CampaignAudienceOfCampaign;
}

export interface CampaignAudienceOfCampaign {
  campaignId: string;
  did: 'notOpened';
}

export interface CampaignChange {
  id: string;
  /** The same as id. */
  campaignId: string;
  name: string;
  status: CampaignStatus;
  startsAt: string | null;
  startedAt: string | null;
  sentAt: string | null;
  pausedAt: string | null;
  abortedAt: string | null;
  pausedReason: string | null;
  failureReason: string | null;
  /** As last counted. */
  counts: CampaignCounts;
}

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

export interface CampaignFailedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign failed. */
  type: 'campaign.failed';
  createdAt: string;
  data: CampaignChange;
}

export type CampaignFigure =
  | 'sent'
  | 'opened'
  | 'humanOpened'
  | 'clicked'
  | 'bounced'
  | 'complained'
  | 'unsubscribed'
  | 'notOpened'
  | 'notClicked'
  | 'failed'
  | 'suppressed'
  | 'unknown';

export interface CampaignFrom {
  email: string;
  name: string;
}

export interface CampaignFromInput {
  /** Empty: none. */
  email?: string;
  name?: string;
}

export interface CampaignInterval {
  from: number;
  to: number;
}

export type CampaignLate = 'now' | 'next_day' | 'skip';

export interface CampaignLead {
  variantId: 'A' | 'B' | 'C' | 'D' | 'E';
  over: 'A' | 'B' | 'C' | 'D' | 'E';
  from: number;
  to: number;
}

export interface CampaignLink {
  /** The position among all links of the content, from 1; null where links are grouped by URL. */
  position: number | null;
  /** As it is written in the content, before variables. */
  url: string;
  /** All clicks, with those of machines. */
  clicks: number;
  /** Mails in which it was clicked. */
  people: number;
  /** Of them, those in which a person clicked it. A machine clicks within seconds of delivery, is a known scanner, or clicks three links of a mail within two seconds. */
  humanPeople: number;
}

export interface CampaignLinks {
  /** The time since which all clicks are counted. */
  since: string;
  /** In the order of the content, then links of mail that was sent before, most clicks first. */
  links: CampaignLink[];
  /** Links beyond 500 that are grouped by URL, and clicks on more than 100 links of a mail. */
  other: OtherLinks;
}

export interface CampaignLocalTime {
  /** For example 2026-12-24. */
  date: string;
  /** For example 09:00. */
  time: string;
  /** Of people without a zone, or with one that does not exist. */
  fallbackTimezone: string;
  /** People whose time was over before it began get it at once, at that time of the next day, or not at all (suppressed, LOCAL_TIME_OVER). */
  late: CampaignLate;
}

export interface CampaignMetrics {
  sent: number;
  delivered: number;
  opened: number;
  suppressed: number;
  clicked: number;
  bounced: number;
  unsubscribed: number;
  spamReported: number;
  processedCount: number;
  totalContacts: number;
  failedCount: number;
  unknown: number;
  pending: number;
  /** Per second. */
  avgSendingRate: number;
  /** Seconds. */
  totalSendTime: number;
}

export type CampaignOnTie = 'first' | 'hold';

export interface CampaignPausedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign was paused, by a call or by a threshold. */
  type: 'campaign.paused';
  createdAt: string;
  data: CampaignChange;
}

export interface CampaignPeoplePage {
  people: CampaignPerson[];
  pagination: Pagination;
  /** The mails of the campaign may be removed after this time, and its figures then have no contacts any more; null before the campaign has begun. */
  keptUntil: string | null;
}

export interface CampaignPerson {
  emailId: string;
  contactId: string | null;
  /** null when the contact was deleted. */
  email: string | null;
  /** Of the mail: sent, bounced, and so on. */
  status: string;
  sentAt: string | null;
  /** The first open, of a person or a machine. */
  openedAt: string | null;
  /** The first open that no machine did. */
  humanOpenedAt: string | null;
  /** The first click. */
  clickedAt: string | null;
  unsubscribedAt: string | null;
  complainedAt: string | null;
}

export interface CampaignProgress {
  status: CampaignStatus;
  total: number;
  suppressed: number;
  failed: number;
  sent: number;
  bounced: number;
  unknown: number;
  pending: number;
  deferred: number;
  inFlight?: number;
  ratePerSecond: number;
  percent: number;
  etaSeconds: number | null;
  nextAt: string | null;
  /** No mail can be handed over since then; no recipient is counted as failed for it. */
  relayNotAnsweringSince: string | null;
  /** Segments of toLists and excludeLists that are being computed; the campaign starts when they are done. */
  waitingFor: AwaitedSegment[];
  /** Of a campaign at local time, in the order of their moments. */
  zones: CampaignZone[];
  test: CampaignTestProgress | null;
  /** Not in total. */
  holdOut: number;
}

export interface CampaignProgressEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign that is under way or paused got further, or has ended; at most twice a second. Only where types names it. */
  type: 'campaign.progress';
  createdAt: string;
  data: LiveCampaignProgress;
}

export interface CampaignRatePoint {
  at: string;
  /** Mails that the relay took. */
  sent: number;
  /** First opens, with those of machines. */
  opened: number;
  /** First clicks. */
  clicked: number;
}

export interface CampaignRates {
  stepSeconds: number;
  points: CampaignRatePoint[];
}

export interface CampaignReason {
  /** For GET /campaigns/{campaignId}/recipients. */
  id: string;
  status: RecipientStatus;
  /** Of the reply. */
  code: number | null;
  enhanced: string | null;
  /** The reason of the suppression entry. */
  suppression: string | null;
  /** The suppression group of the entry. */
  groupId: string | null;
  groupName: string | null;
  /** In a sentence. */
  reason: string | null;
  /** The words of the relay to one of them, without the address. */
  example: string | null;
  count: number;
}

export interface CampaignReasons {
  /** Most people first; 50 at most. */
  reasons: CampaignReason[];
  others: OtherReasons;
}

export interface CampaignRecipient {
  emailId: string;
  contactId: string | null;
  /** null when the contact was deleted. */
  email: string | null;
  status: RecipientStatus;
  reason: string | null;
  /** The reply of the relay. */
  reply: SmtpReply | null;
  /** The suppression entry that stopped it. The reason SANDBOX is that of the address suppressed@ of the sandbox. FREQUENCY_CAP: no entry stopped it (groupId null), but the frequency cap of the project; LOCAL_TIME_OVER: its campaign began too late for the person. */
  suppressedBy?: SuppressedBy | null;
  sentAt: string | null;
}

export interface CampaignRecipientsPage {
  recipients: CampaignRecipient[];
  pagination: Pagination;
}

export interface CampaignReconciliation {
  status: CampaignStatus;
  /** Counted now. */
  ledger: CampaignCounts;
  /** As analytics and metrics show them. */
  stored: CampaignCounts;
  differences: CountDifference[];
  /** total = suppressed + failed + sent + unknown + pending, counted message by message. */
  isBalanced: boolean;
}

export interface CampaignScheduledEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign was scheduled. */
  type: 'campaign.scheduled';
  createdAt: string;
  data: CampaignChange;
}

export interface CampaignSendingEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign began to send, or continued. */
  type: 'campaign.sending';
  createdAt: string;
  data: CampaignChange;
}

export interface CampaignSentEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign is sent. */
  type: 'campaign.sent';
  createdAt: string;
  data: CampaignChange;
}

export type CampaignStatus = 'draft' | 'scheduled' | 'sending' | 'sending_gradual' | 'paused' | 'sent' | 'failed' | 'aborted';

export interface CampaignTemplate {
  /** Internal; calls take the templateId. */
  id: string;
  templateId: string;
  projectId: string;
  templateName: string;
  subject: string;
  previewText: string;
  /** Code as it was written; HTML made of content blocks. */
  emailTemplate: string;
  templateType: 'transactional' | 'marketing';
  builderType: 'code' | 'editor';
  description: string;
  /** The campaign in which it is written; null: a saved template. */
  campaignId: string | null;
  /** The content blocks of a template that was written with content. */
  editorJson: Record<string, unknown> | null;
  parentBodyProperties: Record<string, unknown> | null;
  isFlagged: boolean;
  /** Of a template that a migration brought: that of the migration. */
  source: 'api' | 'dashboard';
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  trackingClick: boolean;
  trackingOpen: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm: Utm | null;
  /** The layout around the mail. */
  layoutId: string | null;
  /** Whose content this answer has. */
  version: number;
  /** The number of the version that is sent. null: never published. */
  publishedVersion: number | null;
  /** The newest draft that is not published; null: none. */
  draftVersion: number | null;
  newestVersion: number;
  /** A later version than the draft was published since. */
  isDraftOutdated: boolean;
  /** null as well: published before versions were kept. */
  publishedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface CampaignTestPlan {
  /** Per cent of the audience; the others wait for the winner. */
  share: number;
  /** humanOpens, humanClicks or event:<name>. */
  metric: string;
  /** After its last mail. */
  decideAfterMinutes: number;
  minPerVariant: number;
  /** Then onTie decides. Default: 1440. */
  giveUpAfterMinutes?: number;
  onTie?: CampaignOnTie;
}

export interface CampaignTestProgress {
  /** held: waits for a person. */
  state: 'planned' | 'sending' | 'measuring' | 'held' | 'decided';
  decideAt: string | null;
  giveUpAt: string | null;
  winner: CampaignWinner | null;
  /** When its mails may go out; null before sending. */
  at: string | null;
  total: number;
  sent: number;
}

export interface CampaignTestState {
  /** held: waits for a person. */
  state: 'planned' | 'sending' | 'measuring' | 'held' | 'decided';
  decideAt: string | null;
  giveUpAt: string | null;
  winner: CampaignWinner | null;
}

export interface CampaignVariant {
  id: 'A' | 'B' | 'C' | 'D' | 'E';
  subject: string | null;
  previewText: string | null;
  from: CampaignVariantFrom | null;
  templateId: string | null;
  /** null: an equal part. */
  share: number | null;
}

export interface CampaignVariantInput {
  subject?: string;
  previewText?: string;
  /** Wins over the saved sender, field by field. */
  from?: CampaignFromInput;
  templateId?: string;
  htmlTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** The layout around content or htmlTemplate. Omitted: that of the template that templateId names, else none. */
  layoutId?: string | null;
  /** Per cent; of all or none: equal parts. */
  share?: number;
}

export interface CampaignVariantDecidedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A campaign with a test has its winner. */
  type: 'campaign.variant_decided';
  createdAt: string;
  data: VariantDecision;
}

export interface CampaignVariantFigures {
  id: 'A' | 'B' | 'C' | 'D' | 'E';
  subject: string | null;
  previewText: string | null;
  from: CampaignVariantFrom | null;
  templateId: string | null;
  /** null: an equal part. */
  share: number | null;
  total: number;
  sent: number;
  humanOpens: number;
  humanClicks: number;
  unsubscribes: number;
  bounces: number;
  /** People with the event of the metric. */
  events: number;
  /** Per cent of sent. */
  rate: number;
  /** With 95 per cent probability. */
  interval: CampaignInterval;
  probabilityBest: number;
}

export interface CampaignVariantFrom {
  email?: string;
  name?: string;
}

export interface CampaignVariants {
  campaignId: string;
  metric: string | null;
  test: CampaignTestState | null;
  holdOut: number;
  /** The best and the next: points between their rates, with 95 per cent probability. null: none leads. */
  lead: CampaignLead | null;
  explanation: string;
  countedAt: string | null;
  variants: CampaignVariantFigures[];
}

export interface CampaignWinner {
  variantId: 'A' | 'B' | 'C' | 'D' | 'E';
  by: 'figures' | 'tie' | 'person';
  at: string;
}

export interface CampaignWinnerBody {
  variantId: 'A' | 'B' | 'C' | 'D' | 'E';
}

export interface CampaignZone {
  timezone: string;
  /** true: people without a zone, or with one that does not exist. */
  isFallback: boolean;
  at: string;
  /** Without those who were suppressed. */
  total: number;
  sent: number;
}

export interface CampaignsPage {
  campaigns: Campaign[];
  pagination: Pagination;
}

export interface CampaignsExportPeopleQuery {
  /** opened: automated opens included, as in analytics. sent: bounced mail included. notOpened and notClicked: delivered mail that was not opened, or not clicked. failed, suppressed, unknown: by the state of the mail. */
  did: CampaignFigure;
  /** With did=clicked, instead of url: only the people who clicked the link at this position, as GET /campaigns/{campaignId}/links has it. */
  position?: number;
  /** With did=clicked: only the people who clicked this address. */
  url?: string;
  format?: 'csv' | 'ndjson';
}

export interface CampaignsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: CampaignStatus;
  search?: string;
}

export interface CampaignsPeopleQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** opened: automated opens included, as in analytics. sent: bounced mail included. notOpened and notClicked: delivered mail that was not opened, or not clicked. failed, suppressed, unknown: by the state of the mail. */
  did: CampaignFigure;
  /** With did=clicked, instead of url: only the people who clicked the link at this position, as GET /campaigns/{campaignId}/links has it. */
  position?: number;
  /** With did=clicked: only the people who clicked this address. */
  url?: string;
}

export interface CampaignsRecipientsQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: RecipientStatus;
  /** Only these: the id of a reason of GET /campaigns/{campaignId}/reasons. */
  reason?: string;
}

export interface CancelEmailsBody {
  /** Of the answer of POST /mails/bulk or /mails/batch. */
  batchId: string;
}

export interface CancelledEmails {
  /** Mails that are not sent, by this call or an earlier one. */
  cancelled: number;
  /** Mails that were sent or taken before, or ended otherwise. */
  notCancelled: number;
}

export interface ColumnsBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'columns';
  columns: ContentColumn[];
}

export interface ConnectionsUsed {
  used: number;
  allowed: number;
}

export interface Consent {
  id: string;
  /** The address that the contact had then. */
  email: string;
  /** Where it was given: a form, the preference page, an import, or a call with `consent`. */
  source: 'form' | 'page' | 'import' | 'api';
  formId: string | null;
  importId: string | null;
  /** The lists that it was asked for. */
  listIds: string[];
  text: string;
  /** Begins the SHA-256 of the text: another text has another version. */
  textVersion: string;
  askedAt: string;
  confirmedAt: string | null;
  /** An address, or its network such as 203.0.113.0/24; null: none is stored. */
  networkAddress: string | null;
  /** When the record was written. */
  createdAt: string;
}

export interface ConsentInput {
  /** The words that were shown. */
  text: string;
  /** ISO 8601 with a zone, not in the future; omitted: confirmedAt, or the time of the call. */
  askedAt?: string | null;
  /** When a double opt-in was confirmed, by the same rules. */
  confirmedAt?: string | null;
  /** The IP address of the person; the project decides how much of it is stored. */
  networkAddress?: string | null;
}

export interface ConsentsPage {
  consents: Consent[];
  pagination: Pagination;
}

export interface Contact {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  userId: string | null;
  mobile: string | null;
  contactProperties: Record<string, PropertyValue>;
  /** The same as contactProperties. */
  customFields: Record<string, PropertyValue>;
  listIds: string[];
  segmentIds: string[];
  projectId: string;
  createdAt: string;
  updatedAt: string;
}

export interface ContactBody {
  email: string;
  /** An empty string clears the stored value; null or omission leaves it unchanged. */
  firstName?: string | null;
  lastName?: string | null;
  userId?: string | null;
  /** E.164, for example +12025550123. */
  mobile?: string | null;
  /** Custom attributes; null removes one. Those of a contact take 64 KiB at most, as JSON in UTF-8. */
  contactProperties?: Record<string, PropertyInput>;
  /** Alias of contactProperties. */
  customFields?: Record<string, PropertyInput>;
  /** Lists to add the contact to. */
  listIds?: string[];
  /** Stored as a record of its own with the change, for GET /contacts/{contactId}/consents. The same evidence given again is one record. */
  consent?: ConsentInput;
}

export interface UpdateContactBody {
  email?: string;
  /** An empty string clears the stored value; null or omission leaves it unchanged. */
  firstName?: string | null;
  lastName?: string | null;
  userId?: string | null;
  /** E.164, for example +12025550123. */
  mobile?: string | null;
  /** Custom attributes; null removes one. Those of a contact take 64 KiB at most, as JSON in UTF-8. */
  contactProperties?: Record<string, PropertyInput>;
  /** Alias of contactProperties. */
  customFields?: Record<string, PropertyInput>;
  /** Lists to add the contact to. */
  listIds?: string[];
  /** Stored as a record of its own with the change, for GET /contacts/{contactId}/consents. The same evidence given again is one record. */
  consent?: ConsentInput;
}

export interface ContactActivity {
  activity: ActivityEntry[];
  /** Give it as `before` for the next page; null at the end. */
  next: string | null;
}

export interface ContactCreatedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A contact was created. */
  type: 'contact.created';
  createdAt: string;
  data: ContactData;
}

export interface ContactData {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  userId: string | null;
  mobile: string | null;
  contactProperties: Record<string, PropertyValue>;
  listIds: string[];
  segmentIds: string[];
  createdAt: string;
  updatedAt: string;
}

export interface ContactDeletedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A contact was deleted. */
  type: 'contact.deleted';
  createdAt: string;
  data: DeletedContact;
}

export interface ContactError {
  index: number;
  email: string | null;
  message: string;
}

export interface ContactImport {
  id: string;
  /** The same as id. */
  importId: string;
  status: ImportStatus;
  format: 'csv' | 'ndjson';
  fileName: string | null;
  /** The lists that its people join. */
  listIds: string[];
  sizeBytes: number;
  /** Of the bytes of the file. */
  percent: number;
  /** Rows read so far: created, updated, unchanged and failed together. */
  processed: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Each with its row and reason at /errors. */
  failed: number;
  /** Rows that said unsubscribed, bounced or complained: their addresses are suppressed. */
  suppressed: number;
  /** Rows that said subscribed although their address was suppressed; it stays suppressed. */
  stillSuppressed: number;
  /** Records of consent that rows brought. */
  consents: number;
  failureReason: string | null;
  startedAt: string | null;
  completedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ContactImportPreview {
  format: 'csv' | 'ndjson';
  /** false: the counts are of the first 100,000 rows, 400,000 groups in them, or 16 MiB. */
  isWhole: boolean;
  sizeBytes: number;
  /** Of a CSV file, in its order; the first 1,000. */
  columns: ImportColumn[];
  /** Rows read: created, updated, unchanged, repeated and failed together. */
  processed: number;
  created: number;
  updated: number;
  unchanged: number;
  /** Rows with the address of an earlier row. */
  repeated: number;
  failed: number;
  /** The first 100 rows that fail. */
  errors: ImportRowError[];
  /** Entries that would be written, by reason. */
  suppressions: ImportSuppressions;
  /** Entries that the file asks for and that exist. */
  alreadySuppressed: number;
  /** Rows that say subscribed although their address is suppressed, or would be; it stays suppressed. */
  stillSuppressed: number;
  /** Records of consent that rows bring. */
  consents: number;
  /** Why the import would end as failed. */
  failureReason: string | null;
}

export interface ContactImportsPage {
  imports: ContactImport[];
  pagination: Pagination;
}

export interface ContactList {
  /** 24 hexadecimal characters, or GLOBAL_CONTACT_LIST. */
  id: string;
  name: string;
  description: string;
  type: ContactListType;
  /** true: shown on the preference page. Always false for segments. */
  isPublic: boolean;
  contactCount: number;
  /** null for lists. */
  filterCriteria: Record<string, unknown> | null;
  /** Of a filter that asks about behaviour: the days for which it is kept; at_least and never mean within them. Else null. */
  looksBackDays: number | null;
  /** Segments: how far the contacts of the project were compared with the filter. null for lists. */
  recompute: SegmentRecompute | null;
  createdAt: string;
  updatedAt: string;
}

export interface CreateContactListBody {
  name: string;
  description?: string;
  /** Lists only. true: people see the list on their preference page, and may join and leave it there. */
  isPublic?: boolean;
  /** Omitted: segment when filterCriteria is given, else list. */
  type?: ContactListType;
  /** Segments only. logicalOperator AND or OR, and 1 to 50 groups. A group is {field, operator, value, fieldType}, {field: listIds, operator: in_list or not_in_list, value: the id of a list}, {logicalOperator, groups} up to five levels deep, or {behaviour: opened, humanOpened, clicked, received or event; operator: at_least or never; count, withinDays or from and to, campaignId or automationId, url for clicked, eventName and properties for event}. 100 conditions at most. Behaviour concerns mail of campaigns and automations, and custom events: a mail counts once, at its first open, and each link of a mail once. It looks back RETENTION_DAYS at most, and never means within them. */
  filterCriteria?: Record<string, unknown> | null;
}

export interface PreviewContactListBody {
  /** logicalOperator AND or OR, and 1 to 50 groups. A group is {field, operator, value, fieldType}, {field: listIds, operator: in_list or not_in_list, value: the id of a list}, {logicalOperator, groups} up to five levels deep, or {behaviour: opened, humanOpened, clicked, received or event; operator: at_least or never; count, withinDays or from and to, campaignId or automationId, url for clicked, eventName and properties for event}. 100 conditions at most. Behaviour concerns mail of campaigns and automations, and custom events: a mail counts once, at its first open, and each link of a mail once. It looks back RETENTION_DAYS at most, and never means within them. */
  filterCriteria: Record<string, unknown>;
}

export interface UpdateContactListBody {
  name?: string;
  description?: string;
  /** Lists only. true: people see the list on their preference page, and may join and leave it there. */
  isPublic?: boolean;
  /** Omitted: segment when filterCriteria is given, else list. */
  type?: ContactListType;
  /** Segments only. logicalOperator AND or OR, and 1 to 50 groups. A group is {field, operator, value, fieldType}, {field: listIds, operator: in_list or not_in_list, value: the id of a list}, {logicalOperator, groups} up to five levels deep, or {behaviour: opened, humanOpened, clicked, received or event; operator: at_least or never; count, withinDays or from and to, campaignId or automationId, url for clicked, eventName and properties for event}. 100 conditions at most. Behaviour concerns mail of campaigns and automations, and custom events: a mail counts once, at its first open, and each link of a mail once. It looks back RETENTION_DAYS at most, and never means within them. */
  filterCriteria?: Record<string, unknown> | null;
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface ContactListPreview {
  /** null when two seconds were not enough to count. */
  count: number | null;
  /** false when count is null; people are then those found until then. */
  isExact: boolean;
  /** When count is null: about how many, from a sample of 2,000 contacts. null with a count, and when the time was not enough. */
  estimate: number | null;
  /** Of a filter that asks about behaviour: the days for which it is kept; at_least and never mean within them. Else null. */
  looksBackDays: number | null;
  people: ListContact[];
}

export type ContactListType = 'list' | 'segment';

export interface ContactListsPage {
  lists: ContactList[];
  pagination: Pagination;
}

export interface ContactListsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  type?: ContactListType;
  /** Part of the name. */
  search?: string;
  /** By the time that they were made. Otherwise the global list comes first, then lists, then segments. */
  newestFirst?: boolean;
}

export interface ContactUpdatedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A contact changed. */
  type: 'contact.updated';
  createdAt: string;
  data: ContactData;
}

export interface ContactsPage {
  contacts: Contact[];
  pagination: Pagination;
}

export interface ContactsActivityQuery {
  /** Entries a page. */
  limit?: number;
  /** `next` of the page before; omitted: the newest entries. */
  before?: string;
}

export interface ContactsExportQuery {
  format?: 'csv' | 'ndjson';
}

export interface ContactsImportQuery {
  /** Omitted: recognized from content type, file name and first character. */
  format?: 'csv' | 'ndjson';
  /** Lists that every contact joins, comma separated. */
  listIds?: string;
  /** Whether automations start for these contacts; omitted: false. Of new contacts false also holds when time alone lets them match later, until something else changes them or they do something. */
  runWorkflow?: boolean;
}

export interface ContactsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Part of the email address. */
  search?: string;
}

export interface ContactsPreviewImportQuery {
  /** Omitted: recognized from content type, file name and first character. */
  format?: 'csv' | 'ndjson';
  /** Lists that every contact joins, comma separated. */
  listIds?: string;
  /** Whether automations start for these contacts; omitted: false. Of new contacts false also holds when time alone lets them match later, until something else changes them or they do something. */
  runWorkflow?: boolean;
}

export interface ContentBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'content';
}

export interface ContentColumn {
  share: number;
  blocks: Record<string, unknown>[];
}

export interface ContentLink {
  label: string;
  /** http, https, mailto, tel or sms. A variable is the whole, or a value of the query: ?plan={{plan}}. */
  href: string;
}

export interface ContentLook {
  /** What is left out is that of the brand. */
  brand?: true;
  /** Pixels; 600 when left out. */
  width?: number;
  background?: string;
  /** Behind the blocks. */
  paper?: string;
  /** Of text. */
  colour?: string;
  /** Of links and buttons. */
  accent?: string;
  font?: 'sans' | 'serif' | 'mono';
  /** Names of fonts, before those of font. */
  families?: string[];
  /** Of the texts: en, pt-BR. */
  language?: string;
}

export interface ContentNode {
  type: 'paragraph' | 'list';
  /** Of a paragraph. */
  spans?: ContentSpan[];
  align?: 'left' | 'center' | 'right';
  /** Of a list: with numbers. */
  ordered?: boolean;
  /** Of a list: the spans of each item. */
  items?: ContentSpan[][];
}

export interface ContentSpan {
  text?: string;
  /** The name as in {{name}}: firstName, order.total. */
  variable?: string;
  /** Instead of a variable without a value. */
  fallback?: string;
  break?: true;
  bold?: boolean;
  italic?: boolean;
  /** http, https, mailto, tel or sms. A variable is the whole, or a value of the query: ?plan={{plan}}. */
  href?: string;
  colour?: string;
}

export interface ContentTest {
  /** The name as in {{name}}: firstName, order.total. */
  variable: string;
  is: 'set' | 'unset' | 'equals' | 'notEquals' | 'greaterThan' | 'lessThan';
  /** Not of set and unset. */
  value?: string | number;
}

export interface ConversionNote {
  line: number;
  text: string;
}

export interface ConvertTemplateBody {
  from: 'html' | 'mjml';
  source: string;
}

export interface ConvertedTemplate {
  /** Content blocks; null: the source stays code. */
  content: Record<string, unknown> | null;
  /** The source, where no blocks can be made of it. */
  emailTemplate: string | null;
  /** Of the document. */
  title: string;
  notes: ConversionNote[];
}

export interface CountedAudience {
  /** Contacts of toLists, each once, without those of excludeLists. */
  total: number;
  /** Those among them whom a suppression keeps from getting it. */
  suppressed: number;
  willReceive: number;
  /** false: not all were counted within the time, or a segment is being computed; then the numbers are estimates. */
  isExact: boolean;
  /** With localTime alone: the contacts of each zone, estimated from a part of them where they are many. */
  zones?: AudienceZone[];
}

export interface CountDifference {
  count: string;
  ledger: number;
  stored: number;
}

export type CriterionValue = string | number | boolean | null;

export interface CurrentSession {
  id: string;
  email: string;
  createdAt: string;
  expiresAt: string;
  organizations: SessionOrganization[];
}

export interface CreateCustomFieldBody {
  fieldName: string;
  fieldType: 'string' | 'number' | 'boolean' | 'date';
  /** How people read the field: it can change at any time, while templates, filters and programs name it by fieldName. Empty: by fieldName too. */
  label?: string;
  description?: string;
  /** Given to contacts that are created without a value; coerced to fieldType. null: none. */
  defaultValue?: PropertyInput;
}

export interface CustomField {
  id: string;
  fieldName: string;
  fieldType: 'string' | 'number' | 'boolean' | 'date';
  label: string;
  description: string;
  defaultValue: PropertyValue;
  createdAt: string;
  updatedAt: string;
}

export interface UpdateCustomFieldBody {
  fieldName?: string;
  fieldType?: 'string' | 'number' | 'boolean' | 'date';
  /** How people read the field: it can change at any time, while templates, filters and programs name it by fieldName. Empty: by fieldName too. */
  label?: string;
  description?: string;
  /** Given to contacts that are created without a value; coerced to fieldType. null: none. */
  defaultValue?: PropertyInput;
}

export interface CreateCustomFieldsBody {
  customFields: CreateCustomFieldBody[];
}

export interface CustomFieldsPage {
  customFields: CustomField[];
  pagination: Pagination;
}

export interface DateSearch {
  status: 'running' | 'completed';
  looked: number;
  total: number;
}

export interface DeferralReply {
  /** Its codes; empty when the connection ended without one. */
  reply: string;
  /** An example of the texts, without addresses and long numbers. */
  text: string;
  count: number;
}

export interface DeletedContact {
  id: string;
}

export interface DeletedContacts {
  deleted: number;
}

export interface DeleteContactsByEmailBody {
  emails: string[];
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export type DeliveryType =
  | 'email.scheduled'
  | 'email.sent'
  | 'email.delivered'
  | 'email.deferred'
  | 'email.bounced'
  | 'email.failed'
  | 'email.suppressed'
  | 'email.cancelled'
  | 'email.opened'
  | 'email.clicked'
  | 'email.spam_reported'
  | 'email.unsubscribed'
  | 'email.received'
  | 'contact.created'
  | 'contact.updated'
  | 'contact.deleted'
  | 'campaign.scheduled'
  | 'campaign.sending'
  | 'campaign.paused'
  | 'campaign.sent'
  | 'campaign.failed'
  | 'campaign.aborted'
  | 'campaign.variant_decided'
  | 'automation.entered'
  | 'automation.completed'
  | 'automation.exited'
  | 'template.published'
  | 'layout.published'
  | 'snippet.published'
  | 'migration.running'
  | 'migration.progress'
  | 'migration.needs_attention'
  | 'migration.completed'
  | 'migration.failed'
  | 'reputation.warning'
  | 'reputation.recovered'
  | 'webhook.test'
  | 'automation.step_webhook';

export interface DividerBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'divider';
  colour?: string;
  thickness?: number;
}

export interface DnsRecord {
  name: string;
  value: string;
  type: 'TXT' | 'MX';
  purpose: string;
  /** Of MX records. */
  priority?: number;
  /** At the last check. different: there are records at the name, and none is this one. null: not checked. */
  found: 'found' | 'absent' | 'different' | 'unanswered' | null;
  /** The records that DNS had at the name then; five at most. */
  values: string[];
}

export interface DnsRecords {
  ownership: DnsRecord;
  dkim: DnsRecord;
  /** Recommended, not required. Missing in domains of an earlier version before `npm run admin -- setup`. */
  dkimEd25519?: DnsRecord;
  mailFrom: DnsRecord[];
  dmarc: DnsRecord;
  /** Only while inbound mail is enabled. */
  inboundMx?: DnsRecord;
}

export interface CreateDomainBody {
  /** For example news.example.com. Required, under this name or as domain. */
  domainName?: string;
  /** Alias of domainName. */
  domain?: string;
  /** Kept as given; omitted: default. */
  regionKey?: string;
}

export interface Domain {
  id: string;
  domainName: string;
  verificationStatus: 'PENDING_CONFIGURATION' | 'PENDING' | 'VERIFIED';
  /** The TXT ownership record was found. */
  ownershipVerified: boolean;
  /** The DKIM record was found and holds our key. */
  dkimEnabled: boolean;
  /** The record of the second key was found: mail has an Ed25519 signature too. */
  dkimEd25519Enabled: boolean;
  /** MX and SPF of the return path were found. */
  mailFromEnabled: boolean;
  /** A DMARC record was found, at the domain or above it. */
  dmarcEnabled: boolean;
  /** relay: the relay signs, this service does not. */
  dkimSigning: 'own' | 'relay';
  /** The DNS records to publish. */
  dnsRecords: DnsRecords;
  /** The result of the last check, in a sentence. */
  message: string | null;
  createdAt: string;
  lastCheckedAt: string | null;
  /** Only of verified domains. */
  verifiedAt?: string;
  regionKey: string;
  /** A check was asked for and has no result yet. */
  verificationInProgress: boolean;
  inboundEnabledAt: string | null;
  inboundDomainVerifiedAt: string | null;
}

export interface UpdateDomainBody {
  /** relay: the relay signs, this service does not. */
  dkimSigning?: 'own' | 'relay';
  regionKey?: string;
}

export interface DomainCheckedEvent {
  /** The same in every try and replay. */
  id: string;
  /** The DNS records of a domain were checked. Only where types names it. */
  type: 'domain.checked';
  createdAt: string;
  data: Domain;
}

export interface DomainReputation {
  domain: string;
  /** few: fewer than 100 mails, which are not judged. The worse one of both times counts. */
  status: 'few' | 'good' | 'warning' | 'over';
  last24Hours: JudgedRates;
  last7Days: JudgedRates;
}

export interface DomainsPage {
  domains: Domain[];
  pagination: Pagination;
}

export interface DomainsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: 'PENDING_CONFIGURATION' | 'PENDING' | 'VERIFIED';
}

export interface PreviewDraftBody {
  /** HTML with {{variables}}, {{#if}}, {{#each}}; instead of content. */
  emailTemplate: string;
  /** May hold {{variables}}. */
  subject?: string;
  previewText?: string;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm?: Utm | null;
  /** The layout around the mail. */
  layoutId?: string | null;
  /** With marketing properties of the contact are known by their bare names, as in a campaign. */
  templateType?: 'transactional' | 'marketing';
  /** Values of the template variables: 256 kB, 10 levels and 5,000 keys at most. */
  dynamicData?: Record<string, unknown>;
  /** The contact whose data are filled in. */
  contactId?: string;
  /** Instead of contactId: the address of the contact. */
  email?: string;
}

export interface DuplicateCampaignBody {
  /** notOpened: the copy goes to the contacts who got this campaign and neither opened it themselves nor clicked in it. They are chosen when the copy starts, without contacts who have left its lists, were deleted or unsubscribed. Omitted: the copy goes to the same audience. */
  to?: 'notOpened';
}

export interface EachBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'each';
  /** The name as in {{name}}: firstName, order.total. */
  list: string;
  blocks: Record<string, unknown>[];
  otherwise?: Record<string, unknown>[];
}

export interface Email {
  id: string;
  status: EmailStatus;
  /** to; null when the contact was deleted. */
  email: string | null;
  name: string | null;
  /** Of a campaign, filled with the data that the contact has now; null when it is not kept any more. */
  subject: string | null;
  lane: 'transactional' | 'automation' | 'campaign';
  batchId: string | null;
  campaignId: string | null;
  automationId: string | null;
  contactId: string | null;
  /** Those of the call, of the campaign, or of the step of the automation. */
  tags: MailTag[];
  /** to, cc and bcc, each with its own outcome. */
  recipients: EmailRecipient[];
  /** The reply of the relay. */
  reply: SmtpReply | null;
  /** The reason why it is not sent, in a sentence. */
  reason: string | null;
  /** The suppression entry that stopped it. The reason SANDBOX is that of the address suppressed@ of the sandbox. FREQUENCY_CAP: no entry stopped it (groupId null), but the frequency cap of the project; LOCAL_TIME_OVER: its campaign began too late for the person. */
  suppressedBy: SuppressedBy | null;
  /** Attempts that ended without a final answer. */
  attempts: number;
  createdAt: string;
  /** The time that was chosen; null: as soon as possible. */
  scheduledAt: string | null;
  sentAt: string | null;
  nextAttemptAt: string | null;
  /** null for campaign mail, and when it was removed, 7 days after the last outcome. */
  content: EmailContent | null;
  /** Oldest first: queued, scheduled, claimed, deferred, sent, bounced, failed, suppressed, unknown, cancelled, opened, clicked... A queued mail has `waiting` with the reason while no relay takes mail. */
  timeline: TimelineEntry[];
}

export interface UpdateEmailBody {
  /** ISO 8601 with a zone, up to 30 days ahead, at most a minute ago. Content and template are those of the call, and files behind URLs are fetched at the call; suppressions are checked when the mail leaves. */
  scheduledAt: string;
}

export interface EmailAttachment {
  fileName: string;
  contentType: string | null;
  contentId: string | null;
  fileSize: number | null;
  fileUrl: string | null;
}

export interface EmailBouncedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A mail was refused for good, at once or by a later report. */
  type: 'email.bounced';
  createdAt: string;
  data: EmailBounce;
}

export interface EmailBounce {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  /** The reply of the relay. */
  reply: SmtpReply | null;
  reason: string | null;
  /** Of a report that came back later: what kind of failure it was. */
  category?: string;
  /** Of a report that came back later: the address is suppressed for it. */
  suppressed?: boolean;
}

export interface EmailCancelledEvent {
  /** The same in every try and replay. */
  id: string;
  /** A mail was cancelled before it was sent. */
  type: 'email.cancelled';
  createdAt: string;
  data: EmailCancellation;
}

export interface EmailCancellation {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  /** null: a call asked for it. */
  reason: string | null;
}

export interface EmailClick {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  url: string;
  /** A machine did it: a scanner, or within seconds of the delivery. Reports know more: a program that follows all links. */
  automated: boolean;
  userAgent: string;
}

export interface EmailClickedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A link was clicked for the first time. */
  type: 'email.clicked';
  createdAt: string;
  data: EmailClick;
}

export interface EmailComplaint {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  /** The type of the feedback report. */
  reason: string;
}

export interface EmailContent {
  from: Mailbox;
  replyTo: Mailbox | null;
  templateId: string | null;
  /** As given, before variables. */
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  unsubscribeGroupId: string | null;
  trackingClick: boolean;
  trackingOpen: boolean;
  attachments: EmailAttachment[];
}

export interface EmailDeferredEvent {
  /** The same in every try and replay. */
  id: string;
  /** The relay asked to try later. */
  type: 'email.deferred';
  createdAt: string;
  data: EmailOutcome;
}

export interface EmailDeliveredEvent {
  /** The same in every try and replay. */
  id: string;
  /** The server of the recipient confirmed a delivery. */
  type: 'email.delivered';
  createdAt: string;
  data: EmailDelivery;
}

export interface EmailDelivery {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  reason: string | null;
}

export interface EmailFailedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A mail cannot be sent. */
  type: 'email.failed';
  createdAt: string;
  data: EmailOutcome;
}

export interface EmailOpen {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  /** A machine did it: within seconds of the delivery, a scanner, a prefetch or mailbox privacy. */
  automated: boolean;
  userAgent: string;
}

export interface EmailOpenedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A mail was opened for the first time, by a person or by a machine. */
  type: 'email.opened';
  createdAt: string;
  data: EmailOpen;
}

export interface EmailOutcome {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  /** The reply of the relay. */
  reply: SmtpReply | null;
  /** In a sentence. */
  reason: string | null;
  /** The suppression entry that stopped it. The reason SANDBOX is that of the address suppressed@ of the sandbox. FREQUENCY_CAP: no entry stopped it (groupId null), but the frequency cap of the project; LOCAL_TIME_OVER: its campaign began too late for the person. */
  suppressedBy?: SuppressedBy | null;
}

export interface EmailReceivedEvent {
  /** The same in every try and replay. */
  id: string;
  /** An inbound message arrived. */
  type: 'email.received';
  createdAt: string;
  data: ReceivedEmail;
}

export interface EmailRecipient {
  email: string | null;
  name: string | null;
  kind: 'to' | 'cc' | 'bcc';
  status: EmailStatus;
  /** The reply of the relay. */
  reply: SmtpReply | null;
  reason: string | null;
  /** The suppression entry that stopped it. The reason SANDBOX is that of the address suppressed@ of the sandbox. FREQUENCY_CAP: no entry stopped it (groupId null), but the frequency cap of the project; LOCAL_TIME_OVER: its campaign began too late for the person. */
  suppressedBy: SuppressedBy | null;
}

export interface EmailScheduledEvent {
  /** The same in every try and replay. */
  id: string;
  /** A mail waits for its time, or was given another one. */
  type: 'email.scheduled';
  createdAt: string;
  data: EmailSchedule;
}

export interface EmailSchedule {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  scheduledAt: string;
}

export interface EmailSentEvent {
  /** The same in every try and replay. */
  id: string;
  /** The relay took a mail. */
  type: 'email.sent';
  createdAt: string;
  data: EmailOutcome;
}

export interface EmailSpamReportedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A recipient complained. */
  type: 'email.spam_reported';
  createdAt: string;
  data: EmailComplaint;
}

export type EmailStatus =
  | 'scheduled'
  | 'queued'
  | 'deferred'
  | 'sent'
  | 'delivered'
  | 'bounced'
  | 'failed'
  | 'suppressed'
  | 'unknown'
  | 'cancelled';

export interface EmailSummary {
  id: string;
  status: EmailStatus;
  /** to; null when the contact was deleted. */
  email: string | null;
  name: string | null;
  /** Of a campaign, filled with the data that the contact has now; null when it is not kept any more. */
  subject: string | null;
  lane: 'transactional' | 'automation' | 'campaign';
  batchId: string | null;
  campaignId: string | null;
  automationId: string | null;
  contactId: string | null;
  /** Those of the call, of the campaign, or of the step of the automation. */
  tags: MailTag[];
  /** to, cc and bcc, each with its own outcome. */
  recipients: EmailRecipient[];
  /** The reply of the relay. */
  reply: SmtpReply | null;
  /** The reason why it is not sent, in a sentence. */
  reason: string | null;
  /** The suppression entry that stopped it. The reason SANDBOX is that of the address suppressed@ of the sandbox. FREQUENCY_CAP: no entry stopped it (groupId null), but the frequency cap of the project; LOCAL_TIME_OVER: its campaign began too late for the person. */
  suppressedBy: SuppressedBy | null;
  /** Attempts that ended without a final answer. */
  attempts: number;
  createdAt: string;
  /** The time that was chosen; null: as soon as possible. */
  scheduledAt: string | null;
  sentAt: string | null;
  nextAttemptAt: string | null;
}

export interface EmailSuppressedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A suppression stopped a mail. */
  type: 'email.suppressed';
  createdAt: string;
  data: EmailOutcome;
}

export interface EmailUnsubscribedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A recipient unsubscribed. */
  type: 'email.unsubscribed';
  createdAt: string;
  data: EmailUnsubscribe;
}

export interface EmailUnsubscribe {
  emailId: string;
  /** The recipient. */
  email: string;
  subject: string | null;
  campaignId: string | null;
  automationId: string | null;
  batchId: string | null;
  contactId: string | null;
  /** Left out where the mail has none. */
  tags?: MailTag[];
  /** How the unsubscribe came. */
  reason: string;
}

export interface EmailsPage {
  emails: EmailSummary[];
  pagination: Pagination;
}

export interface EmailsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: EmailStatus;
  /** An address in to, cc or bcc. */
  email?: string;
  batchId?: string;
  campaignId?: string;
  automationId?: string;
  /** Our answers in a conversation of mail that came in. */
  threadId?: string;
  /** name:value of a tag. */
  tag?: string;
  /** Queued at or after; to the second. */
  dateFrom?: string;
  /** Queued at or before; to the second. */
  dateTo?: string;
}

export interface EndedSessions {
  /** How many sessions were ended. */
  ended: number;
}

export interface Engagement {
  openedAt: string | null;
  /** The first open that no machine did. */
  humanOpenedAt: string | null;
  clickedAt: string | null;
  unsubscribedAt: string | null;
  complainedAt: string | null;
}

export interface EnrollBody {
  contactIds?: string[];
  /** Of contacts that are there: none is created. */
  emails?: string[];
  /** A list or a segment of any size; GLOBAL_CONTACT_LIST is all contacts. */
  listId?: string;
}

export interface Enrollment {
  id: string;
  contactId: string;
  /** null when the contact was deleted. */
  email: string | null;
  status: EnrollmentStatus;
  /** The step that the person is at. */
  stepId: string | null;
  nextStepId?: string | null;
  /** The end of the wait. */
  wakeAt: string | null;
  parked?: boolean;
  exitReason: string | null;
  version: number;
  enteredAt: string;
  endedAt?: string | null;
  history: EnrollmentEvent[];
}

export interface EnrollmentChange {
  enrollmentId: string;
  automationId: string;
  contactId: string;
  /** The step of the person at the end. */
  stepId: string | null;
  exitReason: string | null;
  enteredAt: string;
  endedAt: string | null;
}

export interface EnrollmentEvent {
  type: 'entered' | 'wait' | 'heard' | 'timed_out' | 'goal' | 'goal_passed' | 'email' | 'branch' | 'branch_left' | 'update_contact' | 'webhook' | 'webhook_answered' | 'webhook_failed' | 'parked' | 'moved' | 'completed' | 'exited';
  at: string;
  stepId?: string;
  /** Of a wait, and a webhook whose answer the person waits for: its end. */
  until?: string;
  emailId?: string;
  /** Of a webhook: the event that it posts, in the deliveries of its webhook. */
  eventId?: string;
  branchId?: string | null;
  /** The criteria that decided. */
  rule?: string;
  /** Of an exit or a mail that was not made, or why an update_contact could not change the person, or a webhook failed. zone_missing: a wait in the zone of the project, since the person has none. */
  reason?: string;
}

export interface EnrollmentJob {
  id: string;
  automationId: string;
  status: EnrollmentJobStatus;
  /** Distinct people: entered, skipped, missing and pending together. Of a list it follows who joins or leaves meanwhile. */
  total: number;
  entered: number;
  /** People who did not enter, by reason: inside, entered_before, too_early (`reentry` of the automation), not_active (the automation was paused or archived meanwhile), contact_deleted. */
  skipped: Record<string, number>;
  /** Ids and addresses of no contact of the project. */
  missing: number;
  /** The first 100 of them. Empty a day after the end of the job. */
  missingNamed: string[];
  /** People who were not looked at yet. */
  pending: number;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
}

export type EnrollmentJobStatus = 'queued' | 'running' | 'completed';

export type EnrollmentStatus = 'active' | 'completed' | 'exited';

export interface EnrollmentsPage {
  enrollments: Enrollment[];
  pagination: Pagination;
}

export interface EntryCriteria {
  type: EntryType;
  /** A list or a segment. */
  listId?: string;
  /** Of form_submitted: the form. */
  formId?: string;
  /** Of email_received: an address at a domain of the project that receives mail. */
  address?: string;
  eventName?: string;
  /** A field of the contact, or contactProperties.<name>. Of date_reached: contactProperties.<name> that is declared as a date or not declared, createdAt or updatedAt. */
  property?: string;
  /** Omitted: any value. */
  fromValue?: CriterionValue;
  /** Omitted: any value. */
  toValue?: CriterionValue;
  /** Of date_reached: so much before or after the date; days are those of the calendar. */
  offset?: AutomationOffset;
  /** Of date_reached: the time of that day, in the zone of the person. */
  time?: string;
  /** Of date_reached. true: on each anniversary of the date, from the date itself on; 29 February is 28 February in other years. Omitted: once for each date. */
  yearly?: boolean;
  /** logicalOperator (AND or OR) and groups of {field, operator, value, fieldType}, nested up to five levels. {field: listIds, operator: in_list or not_in_list, value: the id of a list} asks about a list. */
  filterCriteria?: Record<string, unknown>;
}

export interface EntryCriteriaInput {
  type?: EntryType;
  /** A list or a segment. */
  listId?: string;
  /** Of form_submitted: the form. */
  formId?: string;
  /** Of email_received: an address at a domain of the project that receives mail. */
  address?: string;
  eventName?: string;
  /** A field of the contact, or contactProperties.<name>. Of date_reached: contactProperties.<name> that is declared as a date or not declared, createdAt or updatedAt. */
  property?: string;
  /** Omitted: any value. */
  fromValue?: CriterionValue;
  /** Omitted: any value. */
  toValue?: CriterionValue;
  /** Of date_reached: so much before or after the date; days are those of the calendar. */
  offset?: AutomationOffset;
  /** Of date_reached: the time of that day, in the zone of the person. */
  time?: string;
  /** Of date_reached. true: on each anniversary of the date, from the date itself on; 29 February is 28 February in other years. Omitted: once for each date. */
  yearly?: boolean;
  /** logicalOperator (AND or OR) and groups of {field, operator, value, fieldType}, nested up to five levels. {field: listIds, operator: in_list or not_in_list, value: the id of a list} asks about a list. */
  filterCriteria?: Record<string, unknown>;
}

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

export interface ErrorDetails {
  /** A sentence that says what to do. */
  message: string;
  /** Missing on some answers. VALIDATION_ERROR, UNAUTHORIZED, PERMISSION_DENIED, NOT_FOUND, METHOD_NOT_ALLOWED, ALREADY_EXISTS, INVALID_STATE, ALREADY_SENT, MIGRATION_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_IN_PROGRESS, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, MEDIA_FULL, DOMAIN_NOT_VERIFIED, TEMPLATE_RENDER_FAILED, INVALID_PROVIDER_KEY, RATE_LIMIT_EXCEEDED, SERVER_ERROR, UNAVAILABLE, NAME_REQUIRED, INVALID_STEP_SEQUENCE, EMAIL_TEMPLATE_REQUIRED, BRANCH_BRANCHES_REQUIRED, EVENT_NAME_REQUIRED, CANNOT_ACTIVATE_AUTOMATION, EMAIL_OR_CONTACT_ID_REQUIRED, CONTACT_NOT_FOUND_FOR_EVENT, UNKNOWN_PROPERTY, INVALID_PROPERTY_VALUE, CAMPAIGN_NOT_FOUND, CONTACT_NOT_FOUND, CONTACT_LIST_NOT_FOUND, CUSTOM_FIELD_NOT_FOUND, TEMPLATE_NOT_FOUND, TEMPLATE_VERSION_NOT_FOUND, TRANSLATION_NOT_FOUND, SENDER_NOT_FOUND, SUPPRESSION_GROUP_NOT_FOUND, AUTOMATION_NOT_FOUND, ENROLLMENT_NOT_FOUND, ENROLLMENT_JOB_NOT_FOUND, EVENT_NOT_FOUND, EMAIL_NOT_FOUND, IMPORT_NOT_FOUND, DOMAIN_NOT_FOUND, MIGRATION_NOT_FOUND, PROJECT_NOT_FOUND, API_KEY_NOT_FOUND, MEMBER_NOT_FOUND, RECIPIENT_NOT_FOUND, WEBHOOK_NOT_FOUND, SESSION_NOT_FOUND, MEDIA_NOT_FOUND, FORM_NOT_FOUND, LAYOUT_NOT_FOUND, SNIPPET_NOT_FOUND, REPUBLICATION_NOT_FOUND. */
  code?: string;
  /** The fields, with what is wrong with each. */
  details?: string;
}

export interface CreateEventBody {
  eventName: string;
  description?: string;
  properties?: EventPropertyInput[];
}

export interface UpdateEventBody {
  /** Cannot change. */
  eventName?: string;
  description?: string;
  properties?: EventPropertyInput[];
}

export interface EventDefinition {
  id: string;
  eventName: string;
  description: string;
  properties: EventProperty[];
  projectId?: string;
  createdAt: string;
  updatedAt: string;
}

export interface EventDefinitionsPage {
  events: EventDefinition[];
  pagination: Pagination;
}

export interface EventProperty {
  propertyName: string;
  type: 'string' | 'number' | 'date' | 'boolean';
  description: string;
  suggestedValues: SuggestedValue[];
}

export interface EventPropertyInput {
  propertyName: string;
  type: 'string' | 'number' | 'date' | 'boolean';
  description?: string;
  suggestedValues?: SuggestedValue[];
}

export interface EventRecord {
  id: string;
  eventName: string;
  contactId: string;
  properties: Record<string, PropertyValue>;
  createdAt: string;
}

export interface EventRecordedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A custom event was recorded; ten at most of those that are recorded together. Only where types names it. */
  type: 'event.recorded';
  createdAt: string;
  data: EventRecord;
}

export type EventType =
  | 'email.scheduled'
  | 'email.sent'
  | 'email.delivered'
  | 'email.deferred'
  | 'email.bounced'
  | 'email.failed'
  | 'email.suppressed'
  | 'email.cancelled'
  | 'email.opened'
  | 'email.clicked'
  | 'email.spam_reported'
  | 'email.unsubscribed'
  | 'email.received'
  | 'contact.created'
  | 'contact.updated'
  | 'contact.deleted'
  | 'campaign.scheduled'
  | 'campaign.sending'
  | 'campaign.paused'
  | 'campaign.sent'
  | 'campaign.failed'
  | 'campaign.aborted'
  | 'campaign.variant_decided'
  | 'automation.entered'
  | 'automation.completed'
  | 'automation.exited'
  | 'template.published'
  | 'layout.published'
  | 'snippet.published'
  | 'migration.running'
  | 'migration.progress'
  | 'migration.needs_attention'
  | 'migration.completed'
  | 'migration.failed'
  | 'reputation.warning'
  | 'reputation.recovered';

export interface EventsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Part of the name. */
  search?: string;
}

export interface EventsRecordsQuery {
  limit?: number;
}

export interface ExitCriteria {
  type: 'workflow_complete' | 'entry_criteria_no_longer_met';
}

export interface ExitCriteriaInput {
  type?: 'workflow_complete' | 'entry_criteria_no_longer_met';
}

export interface FieldMappingA {
  providerAFieldId?: SourceId;
  providerAFieldName?: string;
  sendgridFieldId?: SourceId;
  sendgridFieldName?: string;
  fieldName: string;
  fieldType: 'string' | 'number' | 'date';
}

export interface FieldMappingB {
  providerBFieldId?: SourceId;
  providerBFieldName?: string;
  resendFieldId?: SourceId;
  resendFieldName?: string;
  fieldName: string;
  fieldType: 'string' | 'number' | 'boolean' | 'date';
}

export interface FindContactsByEmailBody {
  emails: string[];
}

export interface FooterBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'footer';
  spans?: ContentSpan[];
  /** The words of the link to unsubscribe. */
  unsubscribe?: string;
  /** The words of the link to the preferences. */
  preferences?: string;
  /** Instead of unsubscribe: that of the brand. */
  brand?: true;
}

export interface CreateFormBody {
  name: string;
  /** Lists to add the person to. No segments, and not GLOBAL_CONTACT_LIST, which holds every contact. */
  listIds: string[];
  /** Next to the email address, which every form asks for. */
  fields?: FormFieldInput[];
  /** Omitted: true. The address is confirmed by a mail before anything is stored about the person. false: the person is added at once; nothing that is stored changes, and no suppression is lifted. */
  doubleOptIn?: boolean;
  /** Each replaces the text of the language; null or omission leaves that. */
  texts?: FormTextsInput;
  redirectTo?: FormRedirectsInput;
  /** Sites that may show the form in a frame or send it, as https://example.com; http for localhost only. */
  allowedOrigins?: string[];
  /** A template of the project that names {{confirmUrl}}; null: a mail of ours. */
  confirmationTemplateId?: string | null;
  /** Groups in which the confirmation takes the unsubscribe of the person back, next to the default one. */
  unsubscribeGroupIds?: string[];
  /** Omitted: true. The page of an inactive form is 404. */
  isActive?: boolean;
}

export interface Form {
  id: string;
  name: string;
  listIds: string[];
  fields: FormField[];
  doubleOptIn: boolean;
  /** null: the text of the language. */
  texts: FormTexts;
  redirectTo: FormRedirects;
  allowedOrigins: string[];
  confirmationTemplateId: string | null;
  unsubscribeGroupIds: string[];
  isActive: boolean;
  /** The page of the form. With ?lang=de it is in that language. */
  url: string;
  embed: FormEmbed;
  createdAt: string;
  updatedAt: string;
}

export interface PreviewFormBody {
  /** Next to the email address, which every form asks for. */
  fields?: FormFieldInput[];
  /** Omitted: true. The address is confirmed by a mail before anything is stored about the person. false: the person is added at once; nothing that is stored changes, and no suppression is lifted. */
  doubleOptIn?: boolean;
  /** Each replaces the text of the language; null or omission leaves that. */
  texts?: FormTextsInput;
  /** form, the default; submitted: the page after it was sent; confirm: that of the link in the mail; confirmed. */
  page?: FormPageName;
  /** The language of the page; omitted: en. */
  lang?: string;
}

export interface UpdateFormBody {
  name?: string;
  /** Lists to add the person to. No segments, and not GLOBAL_CONTACT_LIST, which holds every contact. */
  listIds?: string[];
  /** Next to the email address, which every form asks for. */
  fields?: FormFieldInput[];
  /** Omitted: true. The address is confirmed by a mail before anything is stored about the person. false: the person is added at once; nothing that is stored changes, and no suppression is lifted. */
  doubleOptIn?: boolean;
  /** Each replaces the text of the language; null or omission leaves that. */
  texts?: FormTextsInput;
  redirectTo?: FormRedirectsInput;
  /** Sites that may show the form in a frame or send it, as https://example.com; http for localhost only. */
  allowedOrigins?: string[];
  /** A template of the project that names {{confirmUrl}}; null: a mail of ours. */
  confirmationTemplateId?: string | null;
  /** Groups in which the confirmation takes the unsubscribe of the person back, next to the default one. */
  unsubscribeGroupIds?: string[];
  /** Omitted: true. The page of an inactive form is 404. */
  isActive?: boolean;
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface FormEmbed {
  /** A form for a page of an allowed origin. */
  html: string;
  /** The page of the form in a frame. */
  iframe: string;
}

export interface FormField {
  name: string;
  label: string;
  type: FormFieldType;
  options: string[] | null;
  required: boolean;
  default: string | number | boolean | null;
}

export interface FormFieldInput {
  /** firstName, lastName or mobile, or a property of the contact. */
  name: string;
  label: string;
  type: FormFieldType;
  /** Of select only, which needs them. */
  options?: string[];
  /** Omitted: false. A required checkbox must be ticked. */
  required?: boolean;
  /** The value that the field begins with. A checkbox begins without a tick unless it is true. */
  default?: string | number | boolean | null;
}

export type FormFieldType = 'text' | 'number' | 'date' | 'checkbox' | 'select';

export type FormPageName = 'form' | 'submitted' | 'confirm' | 'confirmed';

export interface FormPreview {
  /** The HTML as a page of its own, for a frame: without scripts, without an origin. Needs no key. */
  previewUrl: string;
  /** Seconds. */
  expiresIn: number;
}

export interface FormRedirects {
  submitted: string | null;
  confirmed: string | null;
}

export interface FormRedirectsInput {
  /** An https address to go to when the form was sent; null: a page of ours. */
  submitted?: string | null;
  /** An https address to go to after the confirmation; null: a page of ours. */
  confirmed?: string | null;
}

export interface FormTexts {
  title: string | null;
  intro: string | null;
  button: string | null;
  consent: string | null;
  submitted: string | null;
  confirmed: string | null;
  mailSubject: string | null;
  mailText: string | null;
  mailButton: string | null;
}

export interface FormTextsInput {
  /** The heading of the page. */
  title?: string | null;
  /** Below the heading. */
  intro?: string | null;
  button?: string | null;
  /** The sentence that the person agrees to. It is kept with the consent. */
  consent?: string | null;
  /** The page after the form was sent. */
  submitted?: string | null;
  /** The page after the confirmation. */
  confirmed?: string | null;
  /** Of the confirmation mail, when it has no template. */
  mailSubject?: string | null;
  mailText?: string | null;
  mailButton?: string | null;
}

export interface FormsPage {
  forms: Form[];
  pagination: Pagination;
}

export interface FoundContacts {
  contacts: Contact[];
}

export interface FrequencyCap {
  mails: number;
  /** Days of 24 hours up to now. */
  withinDays: number;
  /** Suppression groups whose mail neither counts nor is held back. The default group stands for mail that names none. */
  exceptGroupIds: string[];
}

export interface FrequencyCapInput {
  mails: number;
  /** Days of 24 hours up to now. */
  withinDays: number;
  /** Suppression groups whose mail neither counts nor is held back. The default group stands for mail that names none. */
  exceptGroupIds?: string[];
}

export interface GradualPlan {
  emailsPerDay: number;
  growth: 'fixed' | '1.25x' | '1.5x' | '1.75x' | '2x';
  /** IANA name, for example Europe/Berlin. */
  timezone: string;
  startAt?: string | null;
}

export interface GradualState {
  emailsPerDay: number;
  growth: 'fixed' | '1.25x' | '1.5x' | '1.75x' | '2x';
  /** IANA name, for example Europe/Berlin. */
  timezone: string;
  startAt: string | null;
  day: number;
  sentToday: number;
  nextBatchAt: string | null;
}

export interface HeaderBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'header';
  name?: string;
  /** http, https or cid. A variable is the whole, or a value of the query. */
  src?: string;
  /** http, https, mailto, tel or sms. A variable is the whole, or a value of the query: ?plan={{plan}}. */
  href?: string;
  /** Pixels. */
  width?: number;
  align?: 'left' | 'center' | 'right';
  /** Instead of name: that of the brand. */
  brand?: true;
}

export interface HeadingBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'heading';
  level: 1 | 2 | 3;
  spans: ContentSpan[];
  align?: 'left' | 'center' | 'right';
}

export interface HealthDetails {
  at: string;
  /** Of the process that answers. */
  version: string;
  mongodb: 'up';
  redis: 'up' | 'down';
  temporal: 'up' | 'down';
  /** The Web UI of Temporal, if TEMPORAL_UI_URL is set. */
  temporalUrl: string | null;
  /** null in an installation of several organizations. */
  processes: ProcessReport[] | null;
  /** The same. */
  relays: RelayHealth[] | null;
  /** The same. */
  budgets: BudgetHealth[] | null;
  /** Mail to people that came in today, beside its quotas. */
  inbound: InboundToday;
  jobs: WaitingJobs[];
}

export interface HourOfToday {
  from: string;
  to: string;
  /** Mails taken for sending; with those that a suppression stops. */
  accepted: number;
  sent: number;
  delivered: number;
  bounced: number;
  /** Attempts that the relay put off. */
  deferred: number;
  complained: number;
  opened: number;
  humanOpened: number;
  clicked: number;
}

export interface HtmlBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'html';
  /** HTML of your own, with {{variables}}. */
  html: string;
}

export interface ImageBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'image';
  /** http, https or cid. A variable is the whole, or a value of the query. */
  src: string;
  /** In words, with variables where they help; '' for decoration alone. */
  alt: string;
  title?: string;
  /** http, https, mailto, tel or sms. A variable is the whole, or a value of the query: ?plan={{plan}}. */
  href?: string;
  /** Pixels. */
  width?: number;
  align?: 'left' | 'center' | 'right';
}

export interface ImportColumn {
  name: string;
  kind: 'field' | 'property' | 'properties' | 'lists' | 'consent' | 'ignored';
  /** The field or property; null for the other kinds. */
  becomes: string | null;
}

export interface ImportProgressEvent {
  /** The same in every try and replay. */
  id: string;
  /** Rows of an import were read, or it ended; at most twice a second. Only where types names it. */
  type: 'import.progress';
  createdAt: string;
  data: ContactImport;
}

export interface ImportRowError {
  /** The first row below the names of the columns is 1. */
  row: number;
  email: string | null;
  message: string;
}

export type ImportStatus = 'queued' | 'running' | 'completed' | 'completed_with_errors' | 'failed';

export interface ImportSuppressions {
  UNSUBSCRIBE: number;
  BOUNCE: number;
  COMPLAINT: number;
}

export interface ImportsErrorsQuery {
  format?: 'csv' | 'ndjson';
}

export interface ImportsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: ImportStatus;
}

export interface InboundAttachment {
  attachmentId: string;
  filename: string;
  contentType: string;
  size: number;
  index: number;
}

export interface InboundAttachmentLink {
  attachmentId: string;
  filename: string;
  contentType: string;
  size: number;
  /** Needs no key; works until it expires. */
  downloadUrl: string;
  /** Seconds. */
  expiresIn: number;
}

export interface InboundHeader {
  name: string;
  value: string;
}

export interface InboundListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Address of the sender. */
  from?: string;
  /** Address among the recipients. */
  to?: string;
  threadId?: string;
  /** Part of the subject, the text or the sender. */
  search?: string;
  status?: InboundStatus;
  /** Of each conversation only the newest message that the other filters find. */
  newestOfThread?: boolean;
  /** Received at or after. */
  dateFrom?: string;
  /** Received at or before. */
  dateTo?: string;
}

export interface InboundMessage {
  id: string;
  messageId: string;
  domainName: string;
  from: Mailbox;
  to: Mailbox[];
  cc?: Mailbox[];
  bcc?: Mailbox[];
  replyTo?: Mailbox[];
  subject: string;
  text?: string | null;
  html?: string | null;
  attachments: InboundAttachment[];
  /** The number of entries in `attachments`. */
  attachmentCount: number;
  /** By lower-case name; the values of a repeated header are joined by ", ". */
  headers: Record<string, string>;
  /** The headers as they were written, in their order. */
  headerList: InboundHeader[];
  spamVerdict?: InboundVerdict;
  virusVerdict?: InboundVerdict;
  spfVerdict?: InboundVerdict;
  dkimVerdict?: InboundVerdict;
  dmarcVerdict?: InboundVerdict;
  status: InboundStatus;
  threadId: string;
  inReplyTo?: string | null;
  inReplyToEmailActivityId?: string | null;
  inReplyToInboundEmailId?: string | null;
  receivedAt: string;
}

export interface InboundMessagesPage {
  items: InboundMessage[];
  pagination: Pagination;
}

export interface InboundPreview {
  /** The HTML as a page of its own, for a frame: without scripts, without an origin. Needs no key. */
  previewUrl: string;
  /** Seconds. */
  expiresIn: number;
  pictures: boolean;
}

export interface InboundPreviewQuery {
  /** Load pictures of other servers, which then know that the mail was looked at. */
  pictures?: boolean;
}

export type InboundStatus = 'PROCESSED' | 'PROCESSING' | 'FAILED' | 'BLOCKED_UNVERIFIED' | 'BLOCKED_UNROUTED';

export interface InboundToday {
  /** Midnight UTC. */
  from: string;
  /** The next one, when all of it is free again. */
  to: string;
  /** INBOUND_PROJECT_MB_PER_DAY. */
  project: ProjectInbound;
  /** INBOUND_NETWORK_MB_PER_DAY: those whose mail was put off, 20 at most. null in an installation of several organizations. */
  networks: NetworkInbound[] | null;
}

export type InboundVerdict = 'PASS' | 'FAIL' | 'SOFTFAIL' | 'NEUTRAL' | 'TEMPERROR' | 'PERMERROR' | 'POLICY' | 'NONE';

export interface JudgedRates {
  sent: number;
  delivered: number;
  bounced: number;
  complained: number;
  /** Percent of those sent. */
  bounceRate: number;
  /** Percent of those delivered. */
  complaintRate: number;
  /** few: fewer than 100 mails, which are not judged. The worse one of both times counts. */
  status: 'few' | 'good' | 'warning' | 'over';
}

export interface LaneNow {
  lane: 'transactional' | 'automation' | 'campaign';
  /** Mails of the project that no process has claimed. */
  waiting: number;
  /** false: there are more. */
  isExact: boolean;
  inFlight: number;
  /** For how long the first of them has waited; null: none waits. */
  oldestSeconds: number | null;
  ratePerSecond: number;
  /** Of the last five minutes; 95 % of the mails took no longer. Of a campaign since its audience was written down. */
  acceptedToRelayP95Ms: number | null;
}

export interface CreateLayoutBody {
  name: string;
  description?: string;
  /** HTML; instead of content. */
  emailTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** Saved as a draft, which no mail has. For authors always. */
  draft?: boolean;
}

export interface UpdateLayoutBody {
  name?: string;
  description?: string;
  /** HTML; instead of content. */
  emailTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** Saved as a draft, which no mail has. For authors always. */
  draft?: boolean;
  /** The newest version that the caller saw: 409 when there is a newer one. */
  newestVersion?: number;
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface LayoutPublishedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A version of a layout was published; templates keep theirs. */
  type: 'layout.published';
  createdAt: string;
  data: PartPublication;
}

export interface LayoutsPage {
  layouts: MailPart[];
  pagination: Pagination;
}

export interface LayoutsGetQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface LayoutsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Part of the name. */
  search?: string;
}

export interface LayoutsTouchedQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface LeavingPeople {
  stepId: string;
  inside: number;
}

export interface ListContact {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ListContactsPage {
  contacts: ListContact[];
  pagination: Pagination;
}

export interface ListedEmail {
  email: string;
  status: 'created' | 'added' | 'already_in_list';
}

export interface ListMember {
  id: string;
  email: string;
  createdAt: string;
  updatedAt: string;
  projectId: string;
  listIds: string[];
  segmentIds: string[];
}

export interface ListValidation {
  valid: ListedEmail[];
  invalid: RefusedContact[];
  /** Added like the others, not mailed. */
  suppressed: string[];
}

export interface LiveCampaignProgress {
  campaignId: string;
  name: string;
  status: CampaignStatus;
  total: number;
  suppressed: number;
  failed: number;
  sent: number;
  bounced: number;
  unknown: number;
  pending: number;
  deferred: number;
  inFlight: number;
  ratePerSecond: number;
  percent: number;
  etaSeconds: number | null;
  nextAt: string | null;
  /** No mail can be handed over since then; no recipient is counted as failed for it. */
  relayNotAnsweringSince: string | null;
  /** Segments of toLists and excludeLists that are being computed; the campaign starts when they are done. */
  waitingFor: AwaitedSegment[];
  /** Of a campaign at local time, in the order of their moments. */
  zones: CampaignZone[];
  test: CampaignTestProgress | null;
  /** Not in total. */
  holdOut: number;
  opened: number;
  humanOpened: number;
  clicked: number;
  spamReported: number;
  unsubscribed: number;
  sentPerSecond: number;
  openedPerSecond: number;
  clickedPerSecond: number;
  /** The newest steps of GET /campaigns/{campaignId}/rates. */
  points: CampaignRatePoint[];
}

export interface MailAddress {
  email: string;
  name?: string | null;
}

export interface MailPart {
  /** Of a layout: its layoutId; of a snippet: its name. */
  id: string;
  projectId: string;
  name: string;
  description: string;
  emailTemplate: string;
  builderType: 'code' | 'editor';
  editorJson: Record<string, unknown> | null;
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  version: number;
  publishedVersion: number | null;
  draftVersion: number | null;
  newestVersion: number;
  isDraftOutdated: boolean;
  publishedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Of GET of one: what has it in its published version or its draft; the newest 100. */
  usedBy?: PartUser[];
  /** Of GET of one: how many there are. */
  uses?: number;
}

export interface MailTag {
  name: string;
  value: string;
}

export interface Mailbox {
  email: string;
  name: string | null;
}

export interface Media {
  id: string;
  /** Needs no key: for the HTML of a mail. */
  url: string;
  width: number;
  height: number;
  /** Bytes. */
  size: number;
  contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  source: 'api' | 'dashboard' | 'migration';
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  createdAt: string;
}

export interface MediaPage {
  media: Media[];
  pagination: Pagination;
}

export interface MediaListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
}

export interface CreateMemberBody {
  email: string;
  /** In all projects of the organization. owner: everything. editor: everything of a project but members, keys and domains. author: prepares campaigns, templates and automations. viewer: reads. */
  role: 'viewer' | 'author' | 'editor' | 'owner';
}

export interface Member {
  id: string;
  email: string;
  /** In all projects of the organization. owner: everything. editor: everything of a project but members, keys and domains. author: prepares campaigns, templates and automations. viewer: reads. */
  role: 'viewer' | 'author' | 'editor' | 'owner';
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface UpdateMemberBody {
  /** In all projects of the organization. owner: everything. editor: everything of a project but members, keys and domains. author: prepares campaigns, templates and automations. viewer: reads. */
  role?: 'viewer' | 'author' | 'editor' | 'owner';
}

export interface MembersPage {
  members: Member[];
  pagination: Pagination;
}

export interface MenuBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'menu';
  links: ContentLink[];
  align?: 'left' | 'center' | 'right';
}

export interface MigratedGroup {
  groupId: string;
  name: string;
  /** With importedEmails when the group is new, or its addresses were imported. */
  created?: boolean;
  importedEmails?: number;
  /** With the rest of the record, when the group was there already. */
  id?: string;
  description?: string;
  isGlobal?: boolean;
  isDefault?: boolean;
  isMarketing?: boolean;
  isPublic?: boolean;
  suppressionCount?: number;
  createdAt?: string;
  updatedAt?: string;
}

export interface MigratedTemplate {
  sourceId: string;
  templateId: string | null;
  templateName: string | null;
  status: 'created' | 'updated' | 'skipped' | 'failed';
  needsReview: boolean;
  notes?: string[];
}

export interface MigratedTemplates {
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  templates: MigratedTemplate[];
}

export interface MigrateGroupBody {
  /** The source provider's key; required. Used for this call or job, and never stored in plain text. */
  apiKey?: string;
  /** Alias of apiKey. */
  providerAApiKey?: string;
  /** Alias of apiKey. */
  providerBApiKey?: string;
  /** Alias of apiKey. */
  sendgridApiKey?: string;
  /** Alias of apiKey. */
  resendApiKey?: string;
  unsubscribeGroupId: SourceId;
  /** Whether its addresses are imported; omitted: false. */
  addEmailsInSuppression?: boolean;
}

export interface MigrateTemplatesBody {
  /** The source provider's key; required. Used for this call or job, and never stored in plain text. */
  apiKey?: string;
  /** Alias of apiKey. */
  providerAApiKey?: string;
  /** Alias of apiKey. */
  providerBApiKey?: string;
  /** Alias of apiKey. */
  sendgridApiKey?: string;
  /** Alias of apiKey. */
  resendApiKey?: string;
  templateIds: SourceId[];
  /** Whether a template that was migrated before gets its content again; omitted: false. */
  onExistUpdateHTML?: boolean;
}

export interface Migration {
  id: string;
  bulkOperationId: string;
  projectId: string;
  provider: MigrationProvider;
  status: MigrationStatus;
  phase: MigrationPhaseName | null;
  phases: MigrationPhase[];
  /** Set when the migration is over, and while it needs attention. */
  report?: MigrationPhaseReport[] | null;
  /** The reason why the migration needs attention. */
  attention?: string | null;
  run?: number;
  /** Moves with every change: the id of an event of the stream. */
  version?: number;
  startedAt: string | null;
  completedAt: string | null;
  failureReason: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface MigrationChange {
  id: string;
  /** The same as id. */
  bulkOperationId: string;
  projectId: string;
  provider: MigrationProvider;
  status: MigrationStatus;
  phase: MigrationPhaseName | null;
  phases: MigrationPhaseCounts[];
  /** The reason why the migration needs attention. */
  attention: string | null;
  failureReason: string | null;
  run: number;
  version: number;
}

export interface MigrationCompletedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A migration is over. */
  type: 'migration.completed';
  createdAt: string;
  data: MigrationChange;
}

export interface MigrationFailedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A migration failed. */
  type: 'migration.failed';
  createdAt: string;
  data: MigrationChange;
}

export interface MigrationNeedsAttentionEvent {
  /** The same in every try and replay. */
  id: string;
  /** A migration waits for the decision of a person. */
  type: 'migration.needs_attention';
  createdAt: string;
  data: MigrationChange;
}

export interface MigrationNote {
  item: string;
  message: string;
}

export interface MigrationPhase {
  name: MigrationPhaseName;
  status: MigrationPhaseStatus;
  total: number;
  succeeded: number;
  failed: number;
  skipped: number;
  created?: number;
  updated?: number;
  errors: MigrationNote[];
  startedAt: string | null;
  completedAt: string | null;
}

export interface MigrationPhaseCounts {
  name: MigrationPhaseName;
  status: MigrationPhaseStatus;
  total: number;
  succeeded: number;
  failed: number;
  skipped: number;
}

export type MigrationPhaseName =
  | 'customFields'
  | 'templates'
  | 'unsubscribeGroups'
  | 'contactLists'
  | 'audiences'
  | 'contacts'
  | 'topics'
  | 'unsubscribed';

export interface MigrationPhaseReport {
  name: MigrationPhaseName;
  status: MigrationPhaseStatus;
  sourceCount: number;
  targetCount: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  details?: Record<string, number>;
  needsReview: MigrationNote[];
}

export type MigrationPhaseStatus = 'pending' | 'running' | 'completed' | 'skipped' | 'failed';

export interface MigrationProgressEvent {
  /** The same in every try and replay. */
  id: string;
  /** A migration got further. */
  type: 'migration.progress';
  createdAt: string;
  data: MigrationChange;
}

export type MigrationProvider = 'providerA' | 'providerB';

export interface MigrationRunningEvent {
  /** The same in every try and replay. */
  id: string;
  /** A migration began to run, or continued. */
  type: 'migration.running';
  createdAt: string;
  data: MigrationChange;
}

export type MigrationStatus =
  | 'queued'
  | 'running'
  | 'needs_attention'
  | 'completed'
  | 'completed_with_errors'
  | 'failed'
  | 'cancelled';

export interface MigrationsPage {
  migrations: Migration[];
  pagination: Pagination;
}

export interface MigrationsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: MigrationStatus;
}

export interface NetworkInbound {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  network: string;
  /** Taken today. */
  bytes: number;
  /** Taken in a day at most; more is put off with 452. */
  bytesMax: number;
  /** How often mail was put off today, since it was over that. */
  putOff: number;
}

export interface OtherLinks {
  /** All clicks, with those of machines. */
  clicks: number;
  /** Mails in which it was clicked. */
  people: number;
  /** Of them, those in which a person clicked it. A machine clicks within seconds of delivery, is a known scanner, or clicks three links of a mail within two seconds. */
  humanPeople: number;
}

export interface OtherReasons {
  /** People with further reasons. */
  count: number;
}

export interface PageQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
}

export interface Pagination {
  page: number;
  limit: number;
  total: number;
  pages: number;
}

export interface PartPublication {
  id: string;
  name: string;
  version: number;
  publishedAt: string;
  /** The id of the member; null: a key published it. */
  publishedBy: string | null;
}

export interface PartUser {
  kind: 'template' | 'layout' | 'snippet';
  id: string;
  name: string;
}

export interface PersonalData {
  /** The name of the project. */
  project: string;
  email: string;
  madeAt: string;
}

export interface PlanMigrationBody {
  /** The source provider's key; required. Used for this call or job, and never stored in plain text. */
  apiKey?: string;
  /** Alias of apiKey. */
  providerAApiKey?: string;
  /** Alias of apiKey. */
  providerBApiKey?: string;
  /** Alias of apiKey. */
  sendgridApiKey?: string;
  /** Alias of apiKey. */
  resendApiKey?: string;
}

export interface PlanOfProviderA {
  templates: PlannedItem[];
  unsubscribeGroups: PlannedItem[];
  customFields: PlannedField[];
  contactLists: PlannedList[];
  totalContacts: number;
  /** Addresses that the account does not mail. They are suppressed here before contacts are imported. */
  suppressions: PlannedSuppressions;
  /** false: the addresses of suppressions were not counted to the end; there are at least as many. */
  countsComplete: boolean;
  /** Sections that the key may not read; they come back empty. For suppressions with the missing scope and what follows from it. */
  skipped: string[];
}

export interface PlanOfProviderB {
  templates: PlannedItem[];
  customFields: PlannedField[];
  audiences: PlannedItem[];
  topics: PlannedItem[];
  totalContacts: number;
  unsubscribedContacts: number;
  /** false: not every contact was counted within 25 seconds; the two counts are those so far. */
  countsComplete: boolean;
  /** Sections that the key may not read; they come back empty. */
  skipped: string[];
}

export interface PlannedField {
  id: string;
  name: string;
  fieldType?: string;
}

export interface PlannedItem {
  id: string;
  name: string;
}

export interface PlannedList {
  id: string;
  name: string;
  contactCount?: number;
}

export interface PlannedSuppressions {
  unsubscribes: number;
  bounces: number;
  invalidEmails: number;
  spamReports: number;
}

export interface ProcessReport {
  id: string;
  roles: string[];
  version: string;
  startedAt: string;
  seenAt: string;
  memoryBytes: number;
  /** That it runs now. */
  jobs: number;
  /** Mails that it has claimed. */
  held: number;
  /** Outcomes that are not stored yet. */
  unwritten: number;
  connections: ConnectionsUsed;
}

export interface CreateProjectBody {
  name: string;
  trackingOpen?: boolean;
  trackingClick?: boolean;
  /** Mail to the addresses at sandbox.everpost.test is answered by Everpost itself, as their name says, and reaches no relay. false: such mail is refused. */
  sandboxAddresses?: boolean;
  /** Bounces and complaints of sandbox addresses suppress them, as they do others. */
  sandboxSuppressions?: boolean;
  /** With what mail of the domains of the project is signed; both by default. Ed25519 signs once its record is found; until then RSA signs, also when it is not named. */
  dkimAlgorithms?: ('rsa-sha256' | 'ed25519-sha256')[];
  /** IANA name, for example Europe/Berlin: the zone of the project, UTC by default. */
  timezone?: string;
  /** The contact property with the zone of a person, such as timezone or contactProperties.timezone; null, the default: none. A person without a zone is in that of the project. */
  timezoneProperty?: string | null;
  /** Of pages and mails to people; null: name. */
  publicName?: string | null;
  /** A picture by https, or one of POST /media. null: the name is shown. */
  logoUrl?: string | null;
  /** Of buttons and links, as #rrggbb. Links are made darker or lighter until they can be read. */
  color?: string | null;
  /** In the footer of pages, with its line ends. */
  postalAddress?: string | null;
  /** The contact property with the language of a person (de, fr-CA, ...); null: language. */
  languageProperty?: string | null;
  /** How much of the network address of a person a consent record keeps: shortened (/24 of IPv4, /48 of IPv6), full or none. */
  consentAddress?: 'shortened' | 'full' | 'none' | null;
}

export interface Project {
  id: string;
  name: string;
  /** The first verified domain. */
  domain: string | null;
  domains: ProjectDomain[];
  createdAt: string;
  updatedAt: string;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** Mail to the addresses at sandbox.everpost.test is answered by Everpost itself, as their name says, and reaches no relay. false: such mail is refused. */
  sandboxAddresses: boolean;
  /** Bounces and complaints of sandbox addresses suppress them, as they do others. */
  sandboxSuppressions: boolean;
  /** With what mail of the domains of the project is signed; both by default. Ed25519 signs once its record is found; until then RSA signs, also when it is not named. */
  dkimAlgorithms: ('rsa-sha256' | 'ed25519-sha256')[];
  /** IANA name, for example Europe/Berlin: the zone of the project, UTC by default. */
  timezone: string;
  /** The name of the property; null: people are in the zone of the project. */
  timezoneProperty: string | null;
  /** How many marketing mails one address gets at most within so many days: of campaigns, automations and calls together. Transactional mail neither counts nor is held back. null, the default: any number. */
  frequencyCap: FrequencyCap | null;
  /** Of pages and mails to people; null: name. */
  publicName: string | null;
  logoUrl: string | null;
  color: string | null;
  /** In the footer of pages, with its line ends. */
  postalAddress: string | null;
  /** The contact property with the language of a person. */
  languageProperty: string;
  /** How much of the network address of a person a consent record keeps: shortened (/24 of IPv4, /48 of IPv6), full or none. */
  consentAddress: 'shortened' | 'full' | 'none';
  /** The sender of confirmations and of links to data. null: no-reply@ the first verified domain of the project. */
  publicFrom: Mailbox | null;
  /** The first domain with inbound on; left out when there is none. */
  inboundEmailDomain?: string;
}

export interface UpdateProjectBody {
  name?: string;
  trackingOpen?: boolean;
  trackingClick?: boolean;
  /** Mail to the addresses at sandbox.everpost.test is answered by Everpost itself, as their name says, and reaches no relay. false: such mail is refused. */
  sandboxAddresses?: boolean;
  /** Bounces and complaints of sandbox addresses suppress them, as they do others. */
  sandboxSuppressions?: boolean;
  /** With what mail of the domains of the project is signed; both by default. Ed25519 signs once its record is found; until then RSA signs, also when it is not named. */
  dkimAlgorithms?: ('rsa-sha256' | 'ed25519-sha256')[];
  /** IANA name, for example Europe/Berlin: the zone of the project, UTC by default. */
  timezone?: string;
  /** The contact property with the zone of a person, such as timezone or contactProperties.timezone; null, the default: none. A person without a zone is in that of the project. */
  timezoneProperty?: string | null;
  /** Of pages and mails to people; null: name. */
  publicName?: string | null;
  /** A picture by https, or one of POST /media. null: the name is shown. */
  logoUrl?: string | null;
  /** Of buttons and links, as #rrggbb. Links are made darker or lighter until they can be read. */
  color?: string | null;
  /** In the footer of pages, with its line ends. */
  postalAddress?: string | null;
  /** The contact property with the language of a person (de, fr-CA, ...); null: language. */
  languageProperty?: string | null;
  /** How much of the network address of a person a consent record keeps: shortened (/24 of IPv4, /48 of IPv6), full or none. */
  consentAddress?: 'shortened' | 'full' | 'none' | null;
  /** The sender of confirmations and of links to data. null: no-reply@ the first verified domain of the project. Must be on a verified domain of the project. */
  publicFrom?: MailAddress | null;
  /** How many marketing mails one address gets at most within so many days: of campaigns, automations and calls together. Transactional mail neither counts nor is held back. null, the default: any number. */
  frequencyCap?: FrequencyCapInput | null;
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface ProjectDomain {
  id: string;
  domainName: string;
  verificationStatus: 'PENDING_CONFIGURATION' | 'PENDING' | 'VERIFIED';
  regionKey: string;
}

export interface ProjectInbound {
  /** Taken today. */
  bytes: number;
  /** Taken in a day at most; more is put off with 452. */
  bytesMax: number;
  /** How often mail was put off today, since it was over that. */
  putOff: number;
}

export interface ProjectNow {
  at: string;
  rates: Rates;
  today: Today;
  lanes: LaneNow[];
  relay: RelayNow;
  /** Latest first. */
  attention: Attention[];
  /** Under way or paused, newest first; 20 at most. */
  campaigns: RunningCampaign[];
}

export interface ProjectSummary {
  at: string;
  /** The newest steps. */
  rates: Rates;
  /** One for each timezone that an open stream names. */
  today: TodayTotals[];
  lanes: LaneNow[];
  relay: RelayNow;
  /** Latest first. */
  attention: Attention[];
  /** Under way or paused, newest first; 20 at most. */
  campaigns: RunningCampaign[];
}

export interface ProjectSummaryEvent {
  /** The same in every try and replay. */
  id: string;
  /** The figures of the project have changed; at most twice a second. Only where types names it. */
  type: 'project.summary';
  createdAt: string;
  data: ProjectSummary;
}

export interface ProjectsPage {
  projects: Project[];
  pagination: Pagination;
}

export type PropertyInput = string | number | boolean | null;

export type PropertyValue = string | number | boolean | null;

export interface ProviderReport {
  /** other: domains that are in no table. */
  id: string;
  name: string;
  /** Messages accepted for sending, by that time; a campaign counts when its audience is written. Suppressed ones included. */
  accepted: number;
  /** Messages that the relay took, by that time. */
  sent: number;
  /** Messages sent at that time that have not bounced since. */
  delivered: number;
  /** Messages opened, by the time of the first open; machines included. */
  opened: number;
  /** Messages opened by a person, by the time of the first such open. */
  humanOpened: number;
  /** Messages with a click, by the time of the first one. */
  clicked: number;
  /** Messages refused for good, by the time of the refusal or the report. */
  bounced: number;
  /** Attempts that the relay deferred; a message may be deferred several times. */
  deferred: number;
  /** Complaints, by the time they came. */
  complained: number;
  /** Unsubscribes, by time. */
  unsubscribed: number;
  /** Percent of those delivered. */
  openRate: number;
  /** Percent of those delivered. */
  humanOpenRate: number;
  /** Percent of those sent. */
  bounceRate: number;
  /** Percent of those delivered. */
  complaintRate: number;
  /** The five most frequent ones. */
  deferralReplies: DeferralReply[];
}

export interface ProvidersReport {
  from: string;
  to: string;
  /** The time since which everything is counted: before it counts are missing or too low. */
  since: string;
  providers: ProviderReport[];
}

export interface PublishAutomationBody {
  /** Enrolled contacts: keep the version they entered with (default), or move to this one. */
  existing?: 'keep' | 'move';
  /** The draftRevision that the caller saw: 409 when a draft or a version was saved since. Omitted: whatever was saved is changed. */
  draftRevision?: number;
}

export interface PublishedAutomation {
  id: string;
  projectId: string;
  organizationId: string;
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  name: string;
  description: string;
  status: AutomationStatus;
  entryCriteria: EntryCriteria;
  /** Whether a person who left may enter again: never (once), at once (after_exit), or not before so many days after leaving. Omitted: once for contact_created, after_exit for all others. Nobody is inside twice at a time. */
  reentry: Reentry;
  exitCriteria: ExitCriteria;
  steps: AutomationStep[];
  tags: string[];
  /** Left out when the automation names none. */
  unsubscribeGroupId?: string;
  trackingOpen: boolean;
  trackingClick: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm: Utm | null;
  activeAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** Moves with each PATCH without draft once it was active, and each publication. */
  version?: number;
  /** The draft of the next version; null: there is none. */
  draft: AutomationDraft | null;
  /** Of an automation that has let people in by a date: how many of the contacts were looked at for theirs since it was activated. Contacts that change are known at once. */
  dates?: DateSearch;
  /** Moves with everything that is saved, a draft or a version. */
  draftRevision: number;
  statistics?: AutomationStatistics;
  /** Faults that activation allows, each with its step. Not in lists. */
  warnings?: AutomationWarning[];
  /** The people inside when it was published. */
  inside: PublishedInside;
}

export interface PublishedInside {
  /** They keep the version they have. */
  kept: number;
  /** They go on in the new version. */
  moved: number;
  /** Their step is gone, so they leave with step_removed. */
  leaving: number;
}

export interface PublishTemplateBody {
  /** The newest draft. */
  version: number;
}

export interface QueuedBatch {
  /** Of all mails of the call, for GET /emails. */
  batchId: string;
  /** to, cc and bcc of the mails that were queued. */
  totalRecipients: number;
  /** Mails that were queued; one to a suppressed address is among them. */
  successCount: number;
  /** Mails that were refused. */
  failedCount: number;
  /** In the order of the call: each has emailId or error. */
  results: BatchResult[];
}

export interface QueuedBulk {
  batchId: string;
  totalRecipients: number;
  successCount: number;
  failedCount: number;
  failures: BulkFailure[];
}

export interface QueuedMail {
  emailId: string;
  message: string;
  /** to, cc and bcc. */
  totalRecipients: number;
}

export interface QueuedReply {
  emailId: string;
  message: string;
  status: 'QUEUED';
  /** The recipient, cc and bcc. */
  totalRecipients: number;
}

export interface QueuedTest {
  emailIds: string[];
  totalRecipients: number;
}

export interface QuoteBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'quote';
  spans: ContentSpan[];
  by?: string;
}

export interface RatePoint {
  /** The beginning of the step. */
  at: string;
  transactional: number;
  automation: number;
  campaign: number;
}

export interface Rates {
  stepSeconds: number;
  /** Mails that the relay took in each step, by lane. */
  points: RatePoint[];
}

export interface ReceivedEmail {
  /** Of GET /inbound/messages/{inboundId}. */
  id: string;
  /** The sender. */
  email: string;
  messageId: string;
  domainName: string;
  from: Mailbox;
  to: Mailbox[];
  subject: string;
  threadId: string;
  status: InboundStatus;
  receivedAt: string;
  inReplyToEmailActivityId: string | null;
  inReplyToInboundEmailId: string | null;
  attachmentCount: number;
  /** The former name of attachmentCount. */
  attachments: number;
}

export type RecipientStatus = 'queued' | 'deferred' | 'sent' | 'bounced' | 'failed' | 'suppressed' | 'unknown';

export interface RecipientStory {
  campaignId: string;
  contactId: string;
  /** The reason why this person got it, or not. */
  reason: string;
  recipient: CampaignRecipient | null;
  /** null: neither opened nor clicked, as far as is known. */
  engagement: Engagement | null;
  timeline: TimelineEntry[];
}

export type Reentry = 'once' | 'after_exit' | {
  afterDays: number;
};

export interface RefusedContact {
  email?: string;
  contactId?: string;
  message: string;
}

export interface RelayHealth {
  /** default: SMTP_URL; transactional: SMTP_TRANSACTIONAL_URL. */
  route: 'default' | 'transactional';
  /** With the port. */
  host: string;
  /** 0 comes first. */
  priority: number;
  weight: number;
  /** not_answering: some process cannot hand mail to it. */
  state: 'answering' | 'not_answering';
  notAnsweringSince: string | null;
  reason: string | null;
  /** That are open, of all processes. */
  connections: number;
  /** Mails that it took since the processes started. */
  taken: number;
}

export interface RelayNow {
  /** not_answering: none of several relays does. unknown: no process that sends is running. */
  state: 'answering' | 'not_answering' | 'unknown';
  notAnsweringSince: string | null;
  /** Of the project's own mail of the last five minutes. */
  answerP95Ms: number | null;
  /** The project's own mail of the last 60 to 75 minutes. */
  sentLastHour: number;
  deferredLastHour: number;
  /** The reason why it does not answer; null in an installation of several organizations. */
  reason: string | null;
  /** The same; of several relays all of them. */
  host: string | null;
  /** Of all processes; null in an installation of several organizations. */
  connections: ConnectionsUsed | null;
}

export interface RemovedContacts {
  removed: number;
  notInList: number;
  errors: RefusedContact[];
}

export interface RemoveContactsBody {
  emails?: string[];
  contactIds?: string[];
}

export interface RenderedContent {
  /** The HTML with its {{variables}}. */
  html: string;
  /** The text part with its {{variables}}. */
  text: string;
}

export interface RenderedEmail {
  subject: string | null;
  previewText: string;
  /** null for mail of text alone, and when the content is removed. */
  html: string | null;
  text: string | null;
  /** The HTML as a page of its own, for a frame: without scripts, without an origin. Needs no key. */
  previewUrl: string | null;
  /** Seconds. */
  expiresIn: number;
}

export interface RenderTemplateBody {
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content: TemplateContent;
  /** The layout around the mail. */
  layoutId?: string | null;
  /** Of the texts, in the place of look.language. */
  language?: string;
  /** The content is one; left out: a mail. */
  part?: 'layout' | 'snippet';
}

export interface ReplayedEvents {
  /** Events that are delivered again: those that are kept, of types that the webhook asks for. */
  replayed: number;
}

export interface ReplayWebhookBody {
  /** Events that happened at or after. Required without eventIds. */
  from?: string;
  /** Events that happened before. Required without eventIds. */
  to?: string;
  /** In place of a time range: these events, by the eventId of their deliveries. */
  eventIds?: string[];
}

export interface ReplyBody {
  /** Required. */
  from?: ReplyFrom;
  /** Omitted: the original one with Re: in front, once. */
  subject?: string;
  /** As it is: not a template. */
  html?: string;
  /** As it is: not a template. */
  text?: string;
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  cc?: MailAddress[];
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  bcc?: MailAddress[];
  attachments?: Attachment[];
}

export interface ReplyFrom {
  /** Required; on a verified domain of the project. */
  email?: string;
  name?: string | null;
}

export interface ReportsNowQuery {
  /** IANA name, for example Europe/Berlin: whose day is today. */
  timezone?: string;
}

export interface ReportsProvidersQuery {
  /** The first quarter of an hour is the one that has it. Seven days before to if it is left out; 31 days before it at most, two years with campaignId. */
  from?: string;
  /** ISO 8601; the end, now if it is left out. */
  to?: string;
  /** Only mail of this campaign; without the replies of deferrals. */
  campaignId?: string;
}

export interface ReportsSeriesQuery {
  /** Hours of at most 31 days, or days of at most two years. */
  interval?: 'hour' | 'day';
  /** IANA name, for example Europe/Berlin. */
  timezone?: string;
  /** The first hour or day is the one that has it; 24 hours or 30 days before to. */
  from?: string;
  /** The end: the last hour or day may begin before it and end after it. Now. */
  to?: string;
  /** Only mail of this campaign. At most one of these five. */
  campaignId?: string;
  /** Only mail of this automation. */
  automationId?: string;
  /** Only mail from this sending domain. */
  domain?: string;
  /** Only mail to this mailbox provider: an id of GET /reports/providers, for example google. */
  provider?: string;
  /** Only mail with this tag, as name:value. A project has 1,000 of them a UTC day; all others of that day are "other". */
  tag?: string;
}

export interface Republication {
  id: string;
  status: RepublicationStatus;
  total: number;
  /** As a new version. */
  published: number;
  /** Their mail is the same. */
  unchanged: number;
  failed: number;
  /** The first 100. */
  failures: UnpublishedTemplate[];
  pending: number;
  createdAt: string;
  updatedAt: string;
  completedAt: string | null;
}

export type RepublicationStatus = 'queued' | 'running' | 'completed';

export interface RepublishBody {
  templateIds?: string[];
  /** All that have it. */
  layoutId?: string;
  /** The name; all that have it. */
  snippet?: string;
  /** All that name it. */
  brand?: true;
}

export interface Reputation {
  /** few: fewer than 100 mails, which are not judged. The worse one of both times counts. */
  status: 'few' | 'good' | 'warning' | 'over';
  last24Hours: JudgedRates;
  last7Days: JudgedRates;
}

export interface ReputationChange {
  domain: string;
  /** few: fewer than 100 mails, which are not judged. The worse one of both times counts. */
  status: 'few' | 'good' | 'warning' | 'over';
  last24Hours: JudgedRates;
  last7Days: JudgedRates;
  /** In percent, as Google and Yahoo ask. */
  limits: ReputationLimits;
}

export interface ReputationLimits {
  /** Percent. */
  complaintWarning: number;
  /** Percent. */
  complaintLimit: number;
  /** Percent. */
  bounceLimit: number;
}

export interface ReputationRecoveredEvent {
  /** The same in every try and replay. */
  id: string;
  /** Bounces and complaints of a sending domain are below the limits again; at most once in 24 hours. */
  type: 'reputation.recovered';
  createdAt: string;
  data: ReputationChange;
}

export interface ReputationReport {
  at: string;
  /** The time since which everything is counted: before it counts are missing or too low. */
  since: string;
  /** In percent, as Google and Yahoo ask. */
  limits: ReputationLimits;
  /** The complaints that can be counted. */
  note: string;
  project: Reputation;
  /** Sending domains with mail in the last seven days, most mail first. */
  domains: DomainReputation[];
}

export interface ReputationWarningEvent {
  /** The same in every try and replay. */
  id: string;
  /** Bounces or complaints of a sending domain are over a limit; at most once in 24 hours. */
  type: 'reputation.warning';
  createdAt: string;
  data: ReputationChange;
}

export interface RequestSignInLinkBody {
  email: string;
}

export interface RestoreTemplateBody {
  version: number;
  /** The newest version that the caller saw: 409 when there is a newer one. */
  newestVersion?: number;
}

export interface RetryCampaignBody {
  states: ('failed' | 'unknown')[];
}

export interface RetryMigrationBody {
  /** The source provider's key; required. Used for this call or job, and never stored in plain text. */
  apiKey?: string;
  /** Alias of apiKey. */
  providerAApiKey?: string;
  /** Alias of apiKey. */
  providerBApiKey?: string;
  /** Alias of apiKey. */
  sendgridApiKey?: string;
  /** Alias of apiKey. */
  resendApiKey?: string;
  /** Begins again with this phase; omitted: where the job stopped. */
  fromPhase?: MigrationPhaseName;
}

export interface RunningCampaign {
  id: string;
  name: string;
  status: CampaignStatus;
  sendMode: SendMode;
  total: number;
  percent: number;
  sent: number;
  pending: number;
  /** Lately. */
  ratePerSecond: number;
  etaSeconds: number | null;
  nextAt: string | null;
  pausedReason: string | null;
  /** Of a gradual campaign. */
  day: number | null;
}

export interface SearchListContactsBody {
  /** A list, or GLOBAL_CONTACT_LIST. */
  contactListId: string;
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Part of the email address. */
  email?: string;
}

export interface SearchSuppressionsBody {
  /** Code of a suppression group. */
  groupId?: string;
  reason?: SuppressionReason;
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Entries created on or after. */
  startDate?: string;
  /** Entries created on or before. */
  endDate?: string;
  /** Part of address, reason or group code. */
  search?: string;
  /** Exactly this address, in any spelling. */
  email?: string;
  /** true: only entries of the global group. */
  isGlobal?: boolean;
  /** true: only entries of the marketing group. */
  isMarketing?: boolean;
}

export interface SeenEvent {
  eventName: string;
  lastRecordedAt: string;
}

export interface SeenEvents {
  /** Recorded within the last 30 days, the newest first; 100 names at most. */
  events: SeenEvent[];
}

export interface SegmentRecompute {
  status: 'running' | 'completed';
  processed: number;
  total: number;
  percent: number;
  requestedAt: string;
  completedAt: string | null;
}

export interface SendEventBody {
  /** Name of an existing event definition. */
  eventName: string;
  /** An unknown address creates a contact. */
  email?: string | null;
  /** Wins over email. */
  contactId?: string | null;
  /** Keys are declared properties of the event. */
  eventProperties?: Record<string, unknown> | null;
}

export interface SendMailBody {
  to: MailAddress;
  /** On a verified domain of the project. */
  from: MailAddress;
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  cc?: MailAddress[];
  /** Of marketing mail each address gets a copy of its own, with its own unsubscribe link, under the same emailId. */
  bcc?: MailAddress[];
  /** Required without a template that has one. */
  subject?: string;
  /** May hold {{variables}}. */
  html?: string;
  /** Made from the HTML when omitted. */
  text?: string;
  previewText?: string;
  /** html, text and subject of the call win for this mail. */
  templateId?: string;
  /** Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads. */
  language?: string;
  /** Values of the template variables: 256 kB, 10 levels and 5,000 keys at most. */
  dynamicData?: Record<string, unknown>;
  replyTo?: MailAddress;
  /** A suppression group; makes the mail marketing. */
  unsubscribeGroupId?: string;
  /** Alias: unsubscribe.groupId. */
  unsubscribe?: UnsubscribeOption;
  /** Omitted: the project's setting. */
  trackingClick?: boolean;
  /** Omitted: the project's setting. */
  trackingOpen?: boolean;
  /** Custom headers; those that the service writes itself are refused. */
  headers?: Record<string, string>;
  attachments?: Attachment[];
  /** Pictures of the project's media go inside the mail (cid:), not as links: 20 and 500000 bytes at most. */
  inlinePictures?: boolean;
  /** Skips every suppression but a complaint. */
  bypassSuppressions?: boolean;
  /** To find and to count mail by: each name once. No personal data: they stay when a contact is deleted, and in reports. */
  tags?: MailTag[];
  /** ISO 8601 with a zone, up to 30 days ahead, at most a minute ago. Content and template are those of the call, and files behind URLs are fetched at the call; suppressions are checked when the mail leaves. */
  scheduledAt?: string;
}

export type SendMode = 'immediate' | 'scheduled' | 'gradual';

export interface CreateSenderBody {
  /** On a verified domain of the project. */
  email: string;
  /** Display name. */
  name?: string;
  /** An email address; empty: none. */
  replyTo?: string;
}

export interface Sender {
  id: string;
  email: string;
  name: string;
  /** Empty when not set. */
  replyTo: string;
  createdAt: string;
  updatedAt: string;
}

export interface UpdateSenderBody {
  email?: string;
  /** Display name. */
  name?: string;
  /** An email address; empty: none. */
  replyTo?: string;
}

export interface SendersPage {
  senders: Sender[];
  pagination: Pagination;
}

export interface SendersListQuery {
  /** Page number, from 1. Without page and limit all senders are answered. */
  page?: number;
  /** Entries a page, 20 when only page is given. */
  limit?: number;
  /** Part of the address or of the name. */
  search?: string;
  /** By the time that they were made. Otherwise the oldest comes first. */
  newestFirst?: boolean;
}

export interface Series {
  interval: 'hour' | 'day';
  timezone: string;
  from: string;
  to: string;
  /** The time since which everything is counted: before it counts are missing or too low. */
  since: string;
  by: 'campaignId' | 'automationId' | 'domain' | 'provider' | 'tag' | null;
  value: string | null;
  points: SeriesPoint[];
}

export interface SeriesPoint {
  from: string;
  to: string;
  /** Messages accepted for sending, by that time; a campaign counts when its audience is written. Suppressed ones included. */
  accepted: number;
  /** Messages that the relay took, by that time. */
  sent: number;
  /** Messages sent at that time that have not bounced since. */
  delivered: number;
  /** Messages opened, by the time of the first open; machines included. */
  opened: number;
  /** Messages opened by a person, by the time of the first such open. */
  humanOpened: number;
  /** Messages with a click, by the time of the first one. */
  clicked: number;
  /** Messages refused for good, by the time of the refusal or the report. */
  bounced: number;
  /** Attempts that the relay deferred; a message may be deferred several times. */
  deferred: number;
  /** Complaints, by the time they came. */
  complained: number;
  /** Unsubscribes, by time. */
  unsubscribed: number;
}

export interface CreateSessionBody {
  /** Of a sign-in link; it works once. */
  token: string;
}

export interface Session {
  id: string;
  /** The session of this call. */
  current: boolean;
  /** The browser, as it named itself when it signed in. */
  userAgent: string | null;
  createdAt: string;
  /** To the minute. */
  lastUsedAt: string;
  expiresAt: string;
}

export interface SessionOrganization {
  id: string;
  name: string;
  /** The member of this organization that the person is. */
  memberId: string;
  role: 'viewer' | 'author' | 'editor' | 'owner';
  /** The operations that the role includes, by operationId. Some are refused by what they would do. */
  operations: string[];
  /** The first 100; GET /account/projects has all. */
  projects: SessionProject[];
}

export interface SessionProject {
  id: string;
  name: string;
}

export interface SessionsPage {
  sessions: Session[];
  pagination: Pagination;
}

export interface SettledProgress {
  sent: number;
  inFlight: number;
  remaining: number;
  nextAt: string | null;
}

export interface SignatureBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'signature';
  name: string;
  lines?: ContentSpan[][];
  /** http, https or cid. A variable is the whole, or a value of the query. */
  src?: string;
  /** In words, with variables where they help; '' for decoration alone. */
  alt?: string;
}

export interface SimulatedAct {
  at: string;
  /** opens: by a person. A click alone is no open. */
  kind: 'opens' | 'clicks' | 'replies' | 'submits' | 'writes';
  /** Of opens, clicks and replies: the email step of the mail. Omitted: the last mail. */
  stepId?: string;
  /** Of clicks: the link. Omitted: one without an address. */
  url?: string;
  /** Of submits: the form. */
  formId?: string;
  /** Of writes: the address. */
  address?: string;
}

export interface SimulatedAnswer {
  status?: number;
  contactProperties?: Record<string, PropertyInput>;
}

export interface SimulatedBranch {
  at: string;
  stepId: string;
  branchId: string | null;
  rule: string;
}

export interface SimulatedChange {
  at: string;
  firstName?: string | null;
  lastName?: string | null;
  userId?: string | null;
  mobile?: string | null;
  contactProperties?: Record<string, PropertyInput>;
  customFields?: Record<string, PropertyInput>;
  listIds?: string[];
  removeListIds?: string[];
  /** true: the contact unsubscribes. */
  unsubscribed?: boolean;
  /** true: the contact is deleted. */
  deleted?: boolean;
}

export interface SimulatedContact {
  contactId?: string;
  email?: string;
  firstName?: string | null;
  lastName?: string | null;
  userId?: string | null;
  mobile?: string | null;
  contactProperties?: Record<string, PropertyInput>;
  customFields?: Record<string, PropertyInput>;
  listIds?: string[];
}

export interface SimulatedEntry {
  enteredAt: string;
  enteredBy: string;
  steps: SimulatedStep[];
  /** null: still inside when nothing more happens. */
  exit: SimulatedExit | null;
}

export interface SimulatedEvent {
  at: string;
  eventName: string;
  properties?: Record<string, unknown>;
}

export interface SimulatedExit {
  at: string;
  status: 'completed' | 'exited';
  reason: string | null;
}

export interface SimulatedMail {
  at: string;
  stepId: string;
  subject: string | null;
  templateId: string | null;
}

export interface SimulatedStep {
  type: 'wait' | 'heard' | 'timed_out' | 'goal' | 'goal_passed' | 'email' | 'branch' | 'branch_left' | 'update_contact' | 'webhook' | 'webhook_answered' | 'webhook_failed';
  at: string;
  stepId: string;
  /** Of a wait, and a webhook whose answer the person waits for: its end. */
  until?: string;
  branchId?: string | null;
  /** The criteria that decided. */
  rule?: string;
  /** Of an update_contact: what it changes, with the texts rendered. Of webhook_answered: what the answer changes. */
  update?: AutomationUpdate;
  /** Why an update_contact cannot change the person, or a webhook fails. zone_missing: a wait in the zone of the project, since the person has none. */
  reason?: string;
}

export interface SimulateAutomationBody {
  /** The contact as it is created at `from`; or contactId, to take the values of a stored one. */
  contact?: SimulatedContact;
  events?: SimulatedEvent[];
  changes?: SimulatedChange[];
  /** Opens and clicks of a mail that the automation has sent by then, and answers to it (replies); before its first mail they do nothing. submits: the person sends a form, and confirms it where it asks for that; its values are given as a change of that time. writes: they write a mail to an address of the project. */
  acts?: SimulatedAct[];
  /** By the stepId of webhook steps with wait: what their webhooks answer. Omitted: 200, without properties. With a status that is no 2xx the wait ends after its time-out. */
  answers?: Record<string, SimulatedAnswer>;
  /** true: the contact enters at `from` by hand, whatever the entry criteria are. */
  byHand?: boolean;
  /** The beginning; omitted: now. */
  from?: string;
  /** The number of a mail in `mails`, from 0: it is rendered as the person sees it, with the data that they have then. */
  preview?: number;
  /** draft: the draft, or the version that runs where there is none. Omitted: the version that runs. */
  version?: AutomationDraftVersion;
}

export interface Simulation {
  entered: boolean;
  mails: SimulatedMail[];
  branches: SimulatedBranch[];
  /** Of the last entry. */
  exit: SimulatedExit | null;
  entries: SimulatedEntry[];
  /** Triggers that changed nothing, and why. */
  skipped: SkippedTrigger[];
  /** null: none was asked for. */
  preview: TemplatePreview | null;
}

export interface SkipPhaseBody {
  /** Kept in the report. */
  reason?: string;
}

export interface SkippedTrigger {
  at: string;
  trigger: string;
  reason: string;
}

export interface SmtpReply {
  code: number;
  enhanced: string | null;
  text: string;
  /** Host and port of the relay that had the mail; where there are several. */
  relay?: string;
}

export interface CreateSnippetBody {
  /** As in {{> name}}; it stays. */
  name: string;
  description?: string;
  /** HTML; instead of content. */
  emailTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** Saved as a draft, which no mail has. For authors always. */
  draft?: boolean;
}

export interface UpdateSnippetBody {
  description?: string;
  /** HTML; instead of content. */
  emailTemplate?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** Saved as a draft, which no mail has. For authors always. */
  draft?: boolean;
  /** The newest version that the caller saw: 409 when there is a newer one. */
  newestVersion?: number;
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface SnippetBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'snippet';
  /** Of a snippet of content blocks. */
  name: string;
}

export interface SnippetPublishedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A version of a snippet was published; templates keep theirs. */
  type: 'snippet.published';
  createdAt: string;
  data: PartPublication;
}

export interface SnippetsPage {
  snippets: MailPart[];
  pagination: Pagination;
}

export interface SnippetsGetQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface SnippetsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Part of the name. */
  search?: string;
}

export interface SnippetsTouchedQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface SocialBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'social';
  links?: ContentLink[];
  align?: 'left' | 'center' | 'right';
  /** Instead of links: that of the brand. */
  brand?: true;
}

export type SourceId = string | number;

export interface SpaceBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'space';
  height: number;
}

export interface StartedMigration {
  bulkOperationId: string;
  status: MigrationStatus;
}

export interface StartMigrationABody {
  /** The source provider's key; required. Used for this call or job, and never stored in plain text. */
  apiKey?: string;
  /** Alias of apiKey. */
  providerAApiKey?: string;
  /** Alias of apiKey. */
  providerBApiKey?: string;
  /** Alias of apiKey. */
  sendgridApiKey?: string;
  /** Alias of apiKey. */
  resendApiKey?: string;
  /** Everything; else at least one id is required. */
  migrateAll?: boolean;
  templateIds?: SourceId[];
  unsubscribeGroupIds?: SourceId[];
  customFieldIds?: SourceId[];
  contactListIds?: SourceId[];
  /** Whether a template that was migrated before gets its content again; omitted: false. */
  onExistUpdateHTML?: boolean;
  /** Whether automations start for these contacts; omitted: false. Of new contacts false also holds when time alone lets them match later, until something else changes them or they do something. */
  runWorkflow?: boolean;
  /** Whether the job holds before it imports contacts when the key may not read who must not be mailed; omitted: false, and the report names the missing scopes. */
  requireSuppressions?: boolean;
  customFieldMappings?: FieldMappingA[];
}

export interface StartMigrationBBody {
  /** The source provider's key; required. Used for this call or job, and never stored in plain text. */
  apiKey?: string;
  /** Alias of apiKey. */
  providerAApiKey?: string;
  /** Alias of apiKey. */
  providerBApiKey?: string;
  /** Alias of apiKey. */
  sendgridApiKey?: string;
  /** Alias of apiKey. */
  resendApiKey?: string;
  /** Everything; else at least one id is required. */
  migrateAll?: boolean;
  templateIds?: SourceId[];
  customFieldIds?: SourceId[];
  audienceIds?: SourceId[];
  topicIds?: SourceId[];
  /** Whether a template that was migrated before gets its content again; omitted: false. */
  onExistUpdateHTML?: boolean;
  /** Whether automations start for these contacts; omitted: false. Of new contacts false also holds when time alone lets them match later, until something else changes them or they do something. */
  runWorkflow?: boolean;
  customFieldMappings?: FieldMappingB[];
}

export interface Starter {
  id: string;
  name: string;
  /** With the data that it needs, if it needs any. */
  description: string;
  templateType: 'transactional' | 'marketing';
  subject: string;
  previewText: string;
  /** As POST /templates takes it. */
  content: Record<string, unknown>;
  /** The content, compiled: to show it. */
  html: string;
}

export interface Starters {
  starters: Starter[];
}

export interface StepOfContact {
  enrollmentId: string;
  automationId: string;
  stepId: string;
  /** The address of the contact. */
  email: string;
  contact: ContactData;
  /** The event that let the contact in; null: another trigger did. */
  event: {
    name: string;
    properties: Record<string, PropertyValue>;
  } | null;
}

export interface StepStatistics {
  stepId: string;
  type?: 'wait' | 'email' | 'branch' | 'split' | 'exit' | 'wait_until' | 'update_contact' | 'wait_event' | 'webhook' | 'goal' | 'removed';
  entered: number;
  active: number;
  exited: number;
  /** People who left early, by reason. */
  exitedBy: Record<string, number>;
  emails: number;
  /** People who waited in the zone of the project, because they have none, or none that exists. */
  zoneMissing: number;
  /** People that an update_contact changed. */
  updated: number;
  /** People that an update_contact could not change, or for whom a webhook that they waited for did not answer; they continued. */
  failed: number;
  /** People for whom the webhook answered that they waited for. */
  answered: number;
  /** People whose event came, of a wait_event. */
  heard: number;
  /** People whose event did not come in time. */
  timedOut: number;
  /** People who reached this goal. */
  converted?: number;
}

export type StreamEvent =
  | EmailScheduledEvent
  | EmailSentEvent
  | EmailDeliveredEvent
  | EmailDeferredEvent
  | EmailBouncedEvent
  | EmailFailedEvent
  | EmailSuppressedEvent
  | EmailCancelledEvent
  | EmailOpenedEvent
  | EmailClickedEvent
  | EmailSpamReportedEvent
  | EmailUnsubscribedEvent
  | EmailReceivedEvent
  | ContactCreatedEvent
  | ContactUpdatedEvent
  | ContactDeletedEvent
  | CampaignScheduledEvent
  | CampaignSendingEvent
  | CampaignPausedEvent
  | CampaignSentEvent
  | CampaignFailedEvent
  | CampaignAbortedEvent
  | CampaignVariantDecidedEvent
  | AutomationEnteredEvent
  | AutomationCompletedEvent
  | AutomationExitedEvent
  | TemplatePublishedEvent
  | LayoutPublishedEvent
  | SnippetPublishedEvent
  | MigrationRunningEvent
  | MigrationProgressEvent
  | MigrationNeedsAttentionEvent
  | MigrationCompletedEvent
  | MigrationFailedEvent
  | ReputationWarningEvent
  | ReputationRecoveredEvent
  | CampaignProgressEvent
  | ProjectSummaryEvent
  | ImportProgressEvent
  | DomainCheckedEvent
  | EventRecordedEvent;

export interface StreamOpenQuery {
  /** Types of events, comma separated; a type may end in * (email.*). Omitted: all that webhooks can have. Live figures need their full names: campaign.progress, project.summary, import.progress, domain.checked, event.recorded. */
  types?: string;
  /** IANA name: whose day is today in project.summary. */
  timezone?: string;
}

export type SuggestedValue = string | number | boolean;

export interface SuppressBody {
  emails: string[];
  /** Omitted: the default group. */
  groupId?: string;
  /** true: the global group of the project; not together with groupId. */
  isGlobal?: boolean;
  /** true: the marketing group of the project, which stops all marketing mail, whichever group it names; not together with groupId or isGlobal. */
  isMarketing?: boolean;
  /** Omitted: MANUAL. */
  reason?: SuppressionReason;
}

export interface SuppressedBy {
  groupId: string | null;
  reason: string;
}

export interface SuppressedEmails {
  /** Distinct addresses of the call. */
  suppressed: number;
}

export interface Suppression {
  id: string;
  email: string;
  groupId: string;
  reason: SuppressionReason;
  isGlobal: boolean;
  isMarketing: boolean;
  /** Of an entry of the marketing group: the groups that the person turned on again since. */
  exceptGroupIds: string[];
  /** The evidence, for example the reply of a relay. */
  evidence: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface CreateSuppressionGroupBody {
  name: string;
  description?: string;
  /** true: people see the group on their preference page. Not for the global and the marketing group; the default group is shown there as mail that names no group. */
  isPublic?: boolean;
}

export interface SuppressionGroup {
  id: string;
  /** The same as id. */
  groupId: string;
  name: string;
  description: string;
  isGlobal: boolean;
  isDefault: boolean;
  /** true: its entries stop all marketing mail, whichever group it names. */
  isMarketing: boolean;
  /** true: shown on the preference page. */
  isPublic: boolean;
  suppressionCount: number;
  createdAt: string;
  updatedAt: string;
}

export interface UpdateSuppressionGroupBody {
  name?: string;
  description?: string;
  /** true: people see the group on their preference page. Not for the global and the marketing group; the default group is shown there as mail that names no group. */
  isPublic?: boolean;
}

export interface SuppressionGroupsPage {
  groups: SuppressionGroup[];
  pagination: Pagination;
}

export interface SuppressionGroupsExportEntriesQuery {
  format?: 'csv' | 'ndjson';
}

export interface SuppressionGroupsListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  /** Part of the name. */
  search?: string;
  /** By the time that they were made. Otherwise they come by their code. */
  newestFirst?: boolean;
}

export type SuppressionReason = 'UNSUBSCRIBE' | 'BOUNCE' | 'COMPLAINT' | 'MANUAL';

export interface SuppressionsPage {
  entries: Suppression[];
  pagination: Pagination;
}

export interface TableBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'table';
  head?: string[];
  /** Of each column. */
  align?: ('left' | 'center' | 'right')[];
  rows: ContentSpan[][][];
}

export interface CreateTemplateBody {
  templateName: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** HTML with {{variables}}, {{#if}}, {{#each}}; instead of content. */
  emailTemplate?: string;
  /** May hold {{variables}}. */
  subject?: string;
  previewText?: string;
  templateType?: 'transactional' | 'marketing';
  /** visual is an alias of editor. */
  builderType?: 'code' | 'editor' | 'visual';
  description?: string;
  /** The state that your own editor keeps with the code; answers have the content blocks here. */
  editorJson?: Record<string, unknown> | null;
  parentBodyProperties?: Record<string, unknown> | null;
  trackingClick?: boolean;
  trackingOpen?: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm?: Utm | null;
  /** The layout around the mail. */
  layoutId?: string | null;
  /** Instead of content: a mail of GET /templates/starters. */
  starter?: 'newsletter' | 'announcement' | 'welcome' | 'sale' | 'event' | 'digest' | 'survey' | 'win-back' | 'consent' | 'letter' | 'receipt' | 'password';
  /** The first is that of the template, the others are translations; en when left out. */
  starterLanguages?: ('en' | 'de' | 'fr')[];
  /** Saved as a draft: it cannot be sent before it is published. */
  draft?: boolean;
}

export interface PreviewTemplateBody {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
  /** Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads. */
  language?: string;
  /** Values of the template variables: 256 kB, 10 levels and 5,000 keys at most. */
  dynamicData?: Record<string, unknown>;
  /** The contact whose data are filled in. */
  contactId?: string;
  /** Instead of contactId: the address of the contact. */
  email?: string;
}

export interface Template {
  /** Internal; calls take the templateId. */
  id: string;
  templateId: string;
  projectId: string;
  templateName: string;
  subject: string;
  previewText: string;
  /** Code as it was written; HTML made of content blocks. */
  emailTemplate: string;
  templateType: 'transactional' | 'marketing';
  builderType: 'code' | 'editor';
  description: string;
  /** The campaign in which it is written; null: a saved template. */
  campaignId: string | null;
  /** The content blocks of a template that was written with content. */
  editorJson: Record<string, unknown> | null;
  parentBodyProperties: Record<string, unknown> | null;
  isFlagged: boolean;
  source: 'api' | 'dashboard' | 'migration';
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  trackingClick: boolean;
  trackingOpen: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm: Utm | null;
  /** The layout around the mail. */
  layoutId: string | null;
  /** Whose content this answer has. */
  version: number;
  /** The number of the version that is sent. null: never published. */
  publishedVersion: number | null;
  /** The newest draft that is not published; null: none. */
  draftVersion: number | null;
  newestVersion: number;
  /** A later version than the draft was published since. */
  isDraftOutdated: boolean;
  /** null as well: published before versions were kept. */
  publishedAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface UpdateTemplateBody {
  templateName?: string;
  /** The mail as content blocks, instead of emailTemplate, which is compiled of it (docs/blocks.md). Faults name the block: content/blocks/2/href (block "offer"). */
  content?: TemplateContent;
  /** HTML with {{variables}}, {{#if}}, {{#each}}; instead of content. */
  emailTemplate?: string;
  /** May hold {{variables}}. */
  subject?: string;
  previewText?: string;
  templateType?: 'transactional' | 'marketing';
  /** visual is an alias of editor. */
  builderType?: 'code' | 'editor' | 'visual';
  description?: string;
  /** The state that your own editor keeps with the code; answers have the content blocks here. */
  editorJson?: Record<string, unknown> | null;
  parentBodyProperties?: Record<string, unknown> | null;
  trackingClick?: boolean;
  trackingOpen?: boolean;
  /** Added to the http and https links of the HTML as utm_source and so on. Not to links that have a utm_ parameter or a signature already, links with data-no-track, and those of this service. null: none. */
  utm?: Utm | null;
  /** The layout around the mail. */
  layoutId?: string | null;
  /** Saved as a draft: what is sent stays as it is until the draft is published. For authors always. */
  draft?: boolean;
  /** The newest version that the caller saw: 409 when there is a newer one. */
  newestVersion?: number;
  /** The updatedAt that the caller saw: 409 when it was changed since. Omitted: whatever was saved is changed. */
  updatedAt?: string;
}

export interface TemplateContent {
  v: 1;
  look?: ContentLook;
  blocks: (TextBlock | HeadingBlock | ImageBlock | ButtonBlock | ColumnsBlock | DividerBlock | SpaceBlock | SocialBlock | MenuBlock | QuoteBlock | TableBlock | VideoBlock | SignatureBlock | HeaderBlock | FooterBlock | HtmlBlock | WhenBlock | EachBlock | SnippetBlock | ContentBlock)[];
}

export interface TemplateLink {
  /** The position among all links of the content, from 1; null where links are grouped by URL. */
  position: number | null;
  /** As it is written in the content, before variables. */
  url: string;
  /** All clicks, with those of machines. */
  clicks: number;
  /** Mails in which it was clicked. */
  people: number;
  /** Of them, those in which a person clicked it. A machine clicks within seconds of delivery, is a known scanner, or clicks three links of a mail within two seconds. */
  humanPeople: number;
  /** False for a link that the content does not have at that position any more, and for links grouped by URL. */
  isCurrent: boolean;
}

export interface TemplateLinks {
  /** The time since which all clicks are counted. */
  since: string;
  /** In the order of the content, then links of mail that was sent before, most clicks first. */
  links: TemplateLink[];
  /** Links beyond 500 that are grouped by URL, and clicks on more than 100 links of a mail. */
  other: OtherLinks;
}

export interface TemplatePreview {
  subject: string;
  previewText: string;
  /** As a recipient gets it, without tracking. */
  html: string;
  /** Made from the HTML. */
  text: string;
  /** Those of a campaign, filled in; without empty ones. */
  headers?: Record<string, string>;
  /** The variables that the content names, in their order. */
  variables: TemplateVariable[];
  /** The HTML as a page of its own, for a frame: without scripts, without an origin. Needs no key. */
  previewUrl: string;
  /** Seconds. */
  expiresIn: number;
}

export interface TemplatePublication {
  templateId: string;
  templateName: string;
  version: number;
  publishedAt: string;
  /** The id of the member; null: a key published it. */
  publishedBy: string | null;
}

export interface TemplatePublishedEvent {
  /** The same in every try and replay. */
  id: string;
  /** A version of a template was published: what is sent from now on is made of it. */
  type: 'template.published';
  createdAt: string;
  data: TemplatePublication;
}

export interface TemplateVariable {
  name: string;
  hasValue: boolean;
}

export interface TemplateVersion {
  version: number;
  /** published: what is sent. draft: may be published. outdated: the draft, older than what is published; restore it to publish it. */
  state: 'published' | 'draft' | 'outdated' | 'earlier';
  /** The id of the member who made it; null: a key made it. */
  createdBy: string | null;
  createdAt: string;
  /** Of the published version. */
  publishedAt: string | null;
  /** Of the published version: the id of the member; null: a key. */
  publishedBy: string | null;
}

export interface TemplateVersionsPage {
  versions: TemplateVersion[];
  pagination: Pagination;
}

export interface TemplatesPage {
  templates: Template[];
  pagination: Pagination;
}

export interface TemplatesDeleteTranslationQuery {
  /** The newest version that the caller saw: 409 when there is a newer one. */
  newestVersion?: number;
}

export interface TemplatesExportTranslationsQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface TemplatesGetQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface TemplatesImportTranslationsQuery {
  /** The newest version that the caller saw: 409 when there is a newer one. */
  newestVersion?: number;
}

export interface TemplatesListQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  templateType?: 'transactional' | 'marketing';
  /** Part of the name. */
  search?: string;
  /** true: lists the mails of campaigns too. */
  campaignMails?: boolean;
}

export interface TemplatesStartersQuery {
  /** Of the mails; en when left out. */
  language?: 'en' | 'de' | 'fr';
}

export interface TemplatesTranslationQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface TemplatesTranslationsQuery {
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
}

export interface TestCampaignBody {
  emails: string[];
  /** Whose data are filled in; omitted: each mail has the data of the contact with its address. */
  contactId?: string;
  /** Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads. */
  language?: string;
  variantId?: 'A' | 'B' | 'C' | 'D' | 'E';
}

export interface TestTemplateBody {
  emails: string[];
  /** Whose data are filled in; omitted: each mail has the data of the contact with its address. */
  contactId?: string;
  /** Of a translated template: fr-CA, else fr, else its own. Omitted: the one that the contact reads. */
  language?: string;
  /** The number of a version, or draft: the newest draft, or the published version where there is none. Omitted: the published version, or the draft of a template that was never published. */
  version?: string;
  /** On a verified domain; required without senderId. */
  from?: MailAddress;
  senderId?: string;
  /** Values of the template variables: 256 kB, 10 levels and 5,000 keys at most. */
  dynamicData?: Record<string, unknown>;
}

export interface TextBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'text';
  nodes: ContentNode[];
}

export type ThresholdPreset = 'balanced' | 'aggressive' | 'conservative';

export interface TimelineEntry {
  type: string;
  at: string;
  /** The beginning of the attempt with this outcome. */
  claimedAt?: string;
  /** Of mail to several addresses: the address with this outcome. */
  email?: string;
  /** The reply of the relay. */
  reply?: SmtpReply | null;
  reason?: string;
  /** The relay that gave no reply; where there are several. */
  relay?: string;
  /** Of a click. */
  url?: string;
  /** Of an open: a machine did it. */
  automated?: boolean;
}

export interface Today {
  timezone: string;
  from: string;
  to: string;
  /** The time since which everything is counted. */
  since: string;
  /** Mails taken for sending; with those that a suppression stops. */
  accepted: number;
  sent: number;
  delivered: number;
  bounced: number;
  /** Attempts that the relay put off. */
  deferred: number;
  complained: number;
  opened: number;
  humanOpened: number;
  clicked: number;
  /** All hours of the day, also those to come. */
  hours: HourOfToday[];
}

export interface TodayTotals {
  timezone: string;
  from: string;
  to: string;
  /** The time since which everything is counted. */
  since: string;
  /** Mails taken for sending; with those that a suppression stops. */
  accepted: number;
  sent: number;
  delivered: number;
  bounced: number;
  /** Attempts that the relay put off. */
  deferred: number;
  complained: number;
  opened: number;
  humanOpened: number;
  clicked: number;
}

export interface TrackingState {
  open: boolean;
  click: boolean;
}

export interface Translation {
  language: string;
  /** Texts that mail has as they are in the base: title/spans. */
  missing: string[];
  /** Texts whose base was changed since. */
  outdated: string[];
  /** null, of these three: that of the base. */
  subject: string | null;
  previewText: string | null;
  emailTemplate: string | null;
  /** By block and field, as they were given. */
  texts: Record<string, unknown>;
  /** Everything that can be translated, in the order of the mail. */
  bases: BaseText[];
  version: number;
  publishedVersion: number | null;
  draftVersion: number | null;
  newestVersion: number;
}

export interface TranslationBody {
  subject?: string;
  previewText?: string;
  /** Whole HTML of its own, instead of texts. */
  emailTemplate?: string;
  /** By the id of the block and the path of the field: {"hero": {"alt": "Trois pains"}}. Words with looks have tags: <b>, <i>, <br>, <a href="...">, {{firstName default="vous"}}. */
  texts?: Record<string, Record<string, string>>;
  /** Names of texts that are as they were, and right for the base as it is now. */
  reviewed?: string[];
  /** The newest version that the caller saw: 409 when there is a newer one. */
  newestVersion?: number;
}

export interface TranslationGaps {
  language: string;
  /** Texts that mail has as they are in the base: title/spans. */
  missing: string[];
  /** Texts whose base was changed since. */
  outdated: string[];
}

export interface Translations {
  /** Of the base: look.language of its content; null: not known. */
  language: string | null;
  translations: TranslationGaps[];
  version: number;
  publishedVersion: number | null;
  draftVersion: number | null;
  newestVersion: number;
}

export interface UnpublishedTemplate {
  templateId: string;
  message: string;
}

export interface UnsubscribeGroup {
  id: string;
  /** The same as id. */
  groupId: string;
  name: string;
  description: string;
  isGlobal: boolean;
  isDefault: boolean;
  /** true: its entries stop all marketing mail, whichever group it names. */
  isMarketing: boolean;
  /** true: shown on the preference page. */
  isPublic: boolean;
  suppressionCount: number;
  createdAt: string;
  updatedAt: string;
  reason: SuppressionReason;
  /** Of an entry of the marketing group: the groups that the person turned on again since. */
  exceptGroupIds: string[];
  suppressedAt: string;
}

export interface UnsubscribeGroupsPage {
  groups: UnsubscribeGroup[];
  pagination: Pagination;
}

export interface UnsubscribeOption {
  groupId?: string;
}

export interface UnsuppressBody {
  emails: string[];
  /** Omitted: the default group. */
  groupId?: string;
  /** true: the global group of the project; not together with groupId. */
  isGlobal?: boolean;
  /** true: the marketing group of the project, which stops all marketing mail, whichever group it names; not together with groupId or isGlobal. */
  isMarketing?: boolean;
}

export interface UnsuppressedEmails {
  /** Entries removed. */
  unsuppressed: number;
}

export interface Utm {
  source?: string;
  medium?: string;
  campaign?: string;
  term?: string;
  content?: string;
}

export interface VariantDecision {
  id: string;
  campaignId: string;
  name: string;
  status: CampaignStatus;
  variantId: 'A' | 'B' | 'C' | 'D' | 'E';
  by: 'figures' | 'tie' | 'person';
  at: string;
}

export interface VideoBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'video';
  /** http, https, mailto, tel or sms. A variable is the whole, or a value of the query: ?plan={{plan}}. */
  href: string;
  /** http, https or cid. A variable is the whole, or a value of the query. */
  src: string;
  /** In words, with variables where they help; '' for decoration alone. */
  alt: string;
  label?: string;
  /** Pixels. */
  width?: number;
}

export interface WaitingJobs {
  name: string;
  /** Jobs of the project that are due. */
  waiting: number;
  /** false: there are more. */
  isExact: boolean;
  /** For how long the first of them has been due. */
  oldestSeconds: number | null;
}

export interface CreateWebhookBody {
  /** A public https URL; redirects are not followed. */
  url: string;
  /** The types of the events to deliver. */
  events: EventType[];
}

export interface NewWebhook {
  id: string;
  url: string;
  events: EventType[];
  isActive: boolean;
  /** The reason why it was switched off after five days of failures. */
  disabledReason: string | null;
  failingSince: string | null;
  /** After a rotation: until then webhook-signature also holds a signature with the replaced secret, and X-Webhook-Signature is made with it. */
  previousSecretUntil: string | null;
  createdAt: string;
  updatedAt: string;
  /** Shown once: signs every delivery. */
  secret?: string;
}

export interface UpdateWebhookBody {
  /** A public https URL; redirects are not followed. */
  url?: string;
  /** The types of the events to deliver. */
  events?: EventType[];
  /** true also resets the count of failing days. */
  isActive?: boolean;
}

export interface Webhook {
  id: string;
  url: string;
  events: EventType[];
  isActive: boolean;
  /** The reason why it was switched off after five days of failures. */
  disabledReason: string | null;
  failingSince: string | null;
  /** After a rotation: until then webhook-signature also holds a signature with the replaced secret, and X-Webhook-Signature is made with it. */
  previousSecretUntil: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookDeliveriesPage {
  deliveries: WebhookDelivery[];
  pagination: Pagination;
}

export interface WebhookDelivery {
  id: string;
  /** webhook-id and X-Webhook-Id, the same in every try. */
  eventId: string;
  type: DeliveryType;
  status: DeliveryStatus;
  attempts: number;
  isReplay: boolean;
  createdAt: string;
  endedAt?: string | null;
  nextAttemptAt: string | null;
  tries: WebhookTry[];
}

export type WebhookEvent =
  | EmailScheduledEvent
  | EmailSentEvent
  | EmailDeliveredEvent
  | EmailDeferredEvent
  | EmailBouncedEvent
  | EmailFailedEvent
  | EmailSuppressedEvent
  | EmailCancelledEvent
  | EmailOpenedEvent
  | EmailClickedEvent
  | EmailSpamReportedEvent
  | EmailUnsubscribedEvent
  | EmailReceivedEvent
  | ContactCreatedEvent
  | ContactUpdatedEvent
  | ContactDeletedEvent
  | CampaignScheduledEvent
  | CampaignSendingEvent
  | CampaignPausedEvent
  | CampaignSentEvent
  | CampaignFailedEvent
  | CampaignAbortedEvent
  | CampaignVariantDecidedEvent
  | AutomationEnteredEvent
  | AutomationCompletedEvent
  | AutomationExitedEvent
  | TemplatePublishedEvent
  | LayoutPublishedEvent
  | SnippetPublishedEvent
  | MigrationRunningEvent
  | MigrationProgressEvent
  | MigrationNeedsAttentionEvent
  | MigrationCompletedEvent
  | MigrationFailedEvent
  | ReputationWarningEvent
  | ReputationRecoveredEvent
  | AutomationStepWebhookEvent
  | WebhookTestEvent;

export interface WebhookHeader {
  name: string;
  /** Stored sealed, and never answered. Left out: the value that the step has, as long as it calls the same url or webhook. */
  value?: string;
}

export interface WebhookHeaderName {
  name: string;
}

export interface WebhookTest {
  /** The webhook that is tested. */
  webhookId: string;
}

export interface WebhookTestEvent {
  /** The same in every try and replay. */
  id: string;
  /** A test of the webhook was asked for. */
  type: 'webhook.test';
  createdAt: string;
  data: WebhookTest;
}

export interface WebhookTry {
  at: string;
  status: number | null;
  error: string | null;
  tookMs: number;
}

export interface WebhooksPage {
  webhooks: Webhook[];
  pagination: Pagination;
}

export interface WebhooksDeliveriesQuery {
  /** Page number, from 1. */
  page?: number;
  /** Entries a page. */
  limit?: number;
  status?: DeliveryStatus;
}

export interface WhenBlock {
  /** Unique in the content, and kept for life. */
  id: string;
  type: 'when';
  match?: 'all' | 'any';
  tests: ContentTest[];
  blocks: Record<string, unknown>[];
  otherwise?: Record<string, unknown>[];
}

export interface UpdatedBrand {
  name: string;
  logoUrl: string | null;
  postalAddress: string | null;
  /** null: the colours of blocks without a brand. */
  colours: BrandColours | null;
  font: 'sans' | 'serif' | 'mono';
  /** Names of fonts, before those of font. */
  families: string[];
  /** Profiles, for social blocks. */
  links: ContentLink[];
  /** Of footer blocks; without spans they have name and address. */
  footer: BrandFooter | null;
  /** Of the project: its settings have name, logo and address too. */
  updatedAt: string;
  published: string[];
  failed: UnpublishedTemplate[];
}

export interface CreatedCustomFields {
  /** In the order of the request. A name that was declared already has its field as it was. */
  customFields: CustomField[];
  createdCount: number;
}

export interface NewestEventRecord {
  id: string;
  eventName: string;
  contactId: string;
  /** null when the contact was deleted. */
  email: string | null;
  properties: Record<string, PropertyValue>;
  createdAt: string;
}

export interface NewestEventRecords {
  /** The newest first. */
  records: NewestEventRecord[];
}
