import { storedCounts } from '../campaigns/figures.ts';
import { campaignStatus } from '../campaigns/plan.ts';
import { winner } from '../campaigns/variants.ts';
import { idField, mailbox, nullableString, nullableTimestamp, timestampField } from '../common.ts';
import { reputationFields } from '../figures/reports.ts';
import { inboundStatus } from '../inbound.ts';
import { smtpReply, suppressedBy } from '../mail/emails.ts';
import { tagsField } from '../mail/tags.ts';
import { migrationProvider, migrationStatus, phaseCounts, phaseName } from '../migrations/migrations.ts';
import { contactFields, propertyValues } from '../people/contacts.ts';
import { type JsonSchema, shape } from '../schema.ts';
import { type ProjectEventType, STEP_EVENT, TEST_EVENT } from './webhooks.ts';

/** The payload of every event, as webhooks and /stream send it. */

const nullableId = { ...nullableString, pattern: idField.pattern } as const;
const nullableText = nullableString;

function data(title: string, properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { title, type: 'object', required, properties };
}

const mail = {
  emailId: idField,
  email: { type: 'string', description: 'The recipient.' },
  subject: nullableText,
  campaignId: nullableId,
  automationId: nullableId,
  batchId: nullableText,
  contactId: nullableId,
  tags: { ...tagsField, description: 'Left out where the mail has none.' },
} as const;

/** Of an event of a mail. */
function mailData(title: string, more: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  return data(title, { ...mail, ...more }, ['tags', ...optional]);
}

const outcome = mailData(
  'EmailOutcome',
  { reply: smtpReply, reason: { ...nullableText, description: 'In a sentence.' }, suppressedBy },
  ['suppressedBy'],
);
const bounce = mailData(
  'EmailBounce',
  {
    reply: smtpReply,
    reason: nullableText,
    category: { type: 'string', description: 'Of a report that came back later: what kind of failure it was.' },
    suppressed: { type: 'boolean', description: 'Of a report that came back later: the address is suppressed for it.' },
  },
  ['category', 'suppressed'],
);
const delivery = mailData('EmailDelivery', { reason: nullableText });
const schedule = mailData('EmailSchedule', { scheduledAt: timestampField });
const cancelled = mailData('EmailCancellation', {
  reason: { ...nullableText, description: 'null: a call asked for it.' },
});
const userAgent = { type: 'string' } as const;
const open = mailData('EmailOpen', {
  automated: {
    type: 'boolean',
    description: 'A machine did it: within seconds of the delivery, a scanner, a prefetch or mailbox privacy.',
  },
  userAgent,
});
const click = mailData('EmailClick', {
  url: { type: 'string' },
  automated: {
    type: 'boolean',
    description:
      'A machine did it: a scanner, or within seconds of the delivery. Reports know more: a program that follows all links.',
  },
  userAgent,
});
const unsubscribe = mailData('EmailUnsubscribe', {
  reason: { type: 'string', description: 'How the unsubscribe came.' },
});
const complaint = mailData('EmailComplaint', {
  reason: { type: 'string', description: 'The type of the feedback report.' },
});

const mailboxes = { type: 'array', items: mailbox } as const;
const received = data('ReceivedEmail', {
  id: { ...idField, description: 'Of GET /inbound/messages/{inboundId}.' },
  email: { type: 'string', description: 'The sender.' },
  messageId: { type: 'string' },
  domainName: { type: 'string' },
  from: mailbox,
  to: mailboxes,
  subject: { type: 'string' },
  threadId: { type: 'string' },
  status: inboundStatus,
  receivedAt: timestampField,
  inReplyToEmailActivityId: nullableText,
  inReplyToInboundEmailId: nullableText,
  attachmentCount: { type: 'integer' },
  attachments: { type: 'integer', description: 'The former name of attachmentCount.' },
});

const { customFields: _, projectId: __, ...eventFields } = contactFields;
const contact = data('ContactData', eventFields);
const deletedContact = data('DeletedContact', { id: idField });

const campaign = data('CampaignChange', {
  id: idField,
  campaignId: { ...idField, description: 'The same as id.' },
  name: { type: 'string' },
  status: campaignStatus,
  startsAt: nullableTimestamp,
  startedAt: nullableTimestamp,
  sentAt: nullableTimestamp,
  pausedAt: nullableTimestamp,
  abortedAt: nullableTimestamp,
  pausedReason: nullableText,
  failureReason: nullableText,
  counts: { ...storedCounts, description: 'As last counted.' },
});

const decision = data('VariantDecision', {
  ...{ id: idField, campaignId: idField, name: { type: 'string' }, status: campaignStatus },
  ...winner.properties,
});

const enrollment = data('EnrollmentChange', {
  enrollmentId: idField,
  automationId: idField,
  contactId: idField,
  stepId: { ...nullableText, description: 'The step of the person at the end.' },
  exitReason: nullableText,
  enteredAt: timestampField,
  endedAt: nullableTimestamp,
});

const step = data('StepOfContact', {
  enrollmentId: idField,
  automationId: idField,
  stepId: { type: 'string' },
  email: { type: 'string', description: 'The address of the contact.' },
  contact,
  event: {
    type: ['object', 'null'],
    required: ['name', 'properties'],
    description: 'The event that let the contact in; null: another trigger did.',
    properties: { name: { type: 'string' }, properties: propertyValues },
  },
});

const publication = {
  version: { type: 'integer' },
  publishedAt: timestampField,
  publishedBy: { ...nullableId, description: 'The id of the member; null: a key published it.' },
} as const;
const template = data('TemplatePublication', {
  templateId: { type: 'string' },
  templateName: { type: 'string' },
  ...publication,
});
const part = data('PartPublication', { id: { type: 'string' }, name: { type: 'string' }, ...publication });

const migration = data('MigrationChange', {
  id: idField,
  bulkOperationId: { ...idField, description: 'The same as id.' },
  projectId: idField,
  provider: migrationProvider,
  status: migrationStatus,
  phase: { ...phaseName, enum: [...phaseName.enum, null] },
  phases: { type: 'array', items: phaseCounts },
  attention: { ...nullableText, description: 'The reason why the migration needs attention.' },
  failureReason: nullableText,
  run: { type: 'integer' },
  version: { type: 'integer' },
});

const reputation = data('ReputationChange', reputationFields);

const test = data('WebhookTest', { webhookId: { ...idField, description: 'The webhook that is tested.' } });

export interface EventFacts {
  description: string;
  data: JsonSchema;
}

type WebhookEventType = ProjectEventType | typeof STEP_EVENT | typeof TEST_EVENT;

/** Every type of event: when it happens, and what it says. */
export const webhookEvents: Record<WebhookEventType, EventFacts> = {
  'email.scheduled': { description: 'A mail waits for its time, or was given another one.', data: schedule },
  'email.sent': { description: 'The relay took a mail.', data: outcome },
  'email.delivered': { description: 'The server of the recipient confirmed a delivery.', data: delivery },
  'email.deferred': { description: 'The relay asked to try later.', data: outcome },
  'email.bounced': { description: 'A mail was refused for good, at once or by a later report.', data: bounce },
  'email.failed': { description: 'A mail cannot be sent.', data: outcome },
  'email.suppressed': { description: 'A suppression stopped a mail.', data: outcome },
  'email.cancelled': { description: 'A mail was cancelled before it was sent.', data: cancelled },
  'email.opened': { description: 'A mail was opened for the first time, by a person or by a machine.', data: open },
  'email.clicked': { description: 'A link was clicked for the first time.', data: click },
  'email.spam_reported': { description: 'A recipient complained.', data: complaint },
  'email.unsubscribed': { description: 'A recipient unsubscribed.', data: unsubscribe },
  'email.received': { description: 'An inbound message arrived.', data: received },
  'contact.created': { description: 'A contact was created.', data: contact },
  'contact.updated': { description: 'A contact changed.', data: contact },
  'contact.deleted': { description: 'A contact was deleted.', data: deletedContact },
  'campaign.scheduled': { description: 'A campaign was scheduled.', data: campaign },
  'campaign.sending': { description: 'A campaign began to send, or continued.', data: campaign },
  'campaign.paused': { description: 'A campaign was paused, by a call or by a threshold.', data: campaign },
  'campaign.sent': { description: 'A campaign is sent.', data: campaign },
  'campaign.failed': { description: 'A campaign failed.', data: campaign },
  'campaign.aborted': { description: 'A campaign was aborted.', data: campaign },
  'campaign.variant_decided': { description: 'A campaign with a test has its winner.', data: decision },
  'automation.entered': { description: 'A contact entered an automation.', data: enrollment },
  'automation.completed': { description: 'A contact came to the end of an automation.', data: enrollment },
  'automation.exited': { description: 'A contact left an automation early.', data: enrollment },
  'template.published': {
    description: 'A version of a template was published: what is sent from now on is made of it.',
    data: template,
  },
  'layout.published': { description: 'A version of a layout was published; templates keep theirs.', data: part },
  'snippet.published': { description: 'A version of a snippet was published; templates keep theirs.', data: part },
  'migration.running': { description: 'A migration began to run, or continued.', data: migration },
  'migration.progress': { description: 'A migration got further.', data: migration },
  'migration.needs_attention': { description: 'A migration waits for the decision of a person.', data: migration },
  'migration.completed': { description: 'A migration is over.', data: migration },
  'migration.failed': { description: 'A migration failed.', data: migration },
  'reputation.warning': {
    description: 'Bounces or complaints of a sending domain are over a limit; at most once in 24 hours.',
    data: reputation,
  },
  'reputation.recovered': {
    description: 'Bounces and complaints of a sending domain are below the limits again; at most once in 24 hours.',
    data: reputation,
  },
  [STEP_EVENT]: {
    description: 'A contact came to a webhook step of an automation; for the webhook of that step alone.',
    data: step,
  },
  [TEST_EVENT]: { description: 'A test of the webhook was asked for.', data: test },
};

/** email.spam_reported: EmailSpamReportedEvent */
export function eventTitle(type: string): string {
  const words = type.split(/[._]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Event`;
}

export function eventSchema(type: WebhookEventType): JsonSchema {
  return schemaOfEvent(type, webhookEvents[type]);
}

export function schemaOfEvent(type: string, { description, data: payload }: EventFacts): JsonSchema {
  return {
    title: eventTitle(type),
    type: 'object',
    required: ['id', 'type', 'createdAt', 'data'],
    properties: {
      id: { ...idField, description: 'The same in every try and replay.' },
      type: { const: type, description },
      createdAt: timestampField,
      data: payload,
    },
  };
}

export const webhookEventTypes = Object.keys(webhookEvents) as WebhookEventType[];

/** Of every delivery. */
export const webhookEvent = shape({ title: 'WebhookEvent', oneOf: webhookEventTypes.map(eventSchema) });
