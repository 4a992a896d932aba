import {
  idField,
  mailbox,
  nullableString,
  nullableTimestamp,
  pageAnswer,
  pageFields,
  timestampField,
} from '../common.ts';
import { schema, shape } from '../schema.ts';
import { previewLinkFields } from '../templates/previews.ts';
import { scheduledAtField } from './mails.ts';
import { tagFilter, tagsField } from './tags.ts';

const EMAIL_STATUSES = [
  'scheduled',
  'queued',
  'deferred',
  'sent',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'unknown',
  'cancelled',
] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

const status = { title: 'EmailStatus', type: 'string', enum: EMAIL_STATUSES } as const;
const filterText = { type: 'string', maxLength: 320 } as const;

export const emailsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status,
    email: { ...filterText, description: 'An address in to, cc or bcc.' },
    batchId: filterText,
    campaignId: filterText,
    automationId: filterText,
    threadId: { ...filterText, description: 'Our answers in a conversation of mail that came in.' },
    tag: tagFilter,
    dateFrom: { type: 'string', format: 'date-time', description: 'Queued at or after; to the second.' },
    dateTo: { type: 'string', format: 'date-time', description: 'Queued at or before; to the second.' },
  },
});

export const smtpReply = {
  title: 'SmtpReply',
  type: ['object', 'null'],
  required: ['code', 'enhanced', 'text'],
  properties: {
    code: { type: 'integer' },
    enhanced: nullableString,
    text: { type: 'string' },
    relay: { type: 'string', description: 'Host and port of the relay that had the mail; where there are several.' },
  },
  description: 'The reply of the relay.',
} as const;

export const suppressedBy = {
  title: 'SuppressedBy',
  type: ['object', 'null'],
  required: ['groupId', 'reason'],
  properties: { groupId: nullableString, reason: { type: 'string' } },
  description:
    'The suppression entry that stopped it. The reason SANDBOX is that of the address suppressed@ of the sandbox. FREQUENCY_CAP: no entry stopped it (groupId null), but the frequency cap of the project; LOCAL_TIME_OVER: its campaign began too late for the person.',
} as const;

const emailFields = {
  id: idField,
  status,
  email: { ...nullableString, description: 'to; null when the contact was deleted.' },
  name: nullableString,
  subject: {
    ...nullableString,
    description: 'Of a campaign, filled with the data that the contact has now; null when it is not kept any more.',
  },
  lane: { type: 'string', enum: ['transactional', 'automation', 'campaign'] },
  batchId: nullableString,
  campaignId: { ...nullableString, pattern: idField.pattern },
  automationId: { ...nullableString, pattern: idField.pattern },
  contactId: { ...nullableString, pattern: idField.pattern },
  tags: { ...tagsField, description: 'Those of the call, of the campaign, or of the step of the automation.' },
  recipients: {
    type: 'array',
    description: 'to, cc and bcc, each with its own outcome.',
    items: {
      title: 'EmailRecipient',
      type: 'object',
      required: ['email', 'name', 'kind', 'status', 'reply', 'reason', 'suppressedBy'],
      properties: {
        email: nullableString,
        name: nullableString,
        kind: { type: 'string', enum: ['to', 'cc', 'bcc'] },
        status,
        reply: smtpReply,
        reason: nullableString,
        suppressedBy,
      },
    },
  },
  reply: smtpReply,
  reason: { ...nullableString, description: 'The reason why it is not sent, in a sentence.' },
  suppressedBy,
  attempts: { type: 'integer', description: 'Attempts that ended without a final answer.' },
  createdAt: timestampField,
  scheduledAt: { ...nullableTimestamp, description: 'The time that was chosen; null: as soon as possible.' },
  sentAt: nullableTimestamp,
  nextAttemptAt: nullableTimestamp,
} as const;

const required = Object.keys(emailFields);

export const emailsAnswer = pageAnswer('EmailsPage', 'emails', {
  title: 'EmailSummary',
  type: 'object',
  required,
  properties: emailFields,
});

/** A line of the history of a mail. */
export const timelineEntry = {
  title: 'TimelineEntry',
  type: 'object',
  required: ['type', 'at'],
  properties: {
    type: { type: 'string' },
    at: timestampField,
    claimedAt: { ...timestampField, description: 'The beginning of the attempt with this outcome.' },
    email: { type: 'string', description: 'Of mail to several addresses: the address with this outcome.' },
    reply: smtpReply,
    reason: { type: 'string' },
    relay: { type: 'string', description: 'The relay that gave no reply; where there are several.' },
    url: { type: 'string', description: 'Of a click.' },
    automated: { type: 'boolean', description: 'Of an open: a machine did it.' },
  },
} as const;

const content = {
  title: 'EmailContent',
  type: ['object', 'null'],
  description: 'null for campaign mail, and when it was removed, 7 days after the last outcome.',
  required: [
    ...['from', 'replyTo', 'templateId', 'html', 'text', 'headers', 'unsubscribeGroupId'],
    ...['trackingClick', 'trackingOpen', 'attachments'],
  ],
  properties: {
    from: mailbox,
    replyTo: { ...mailbox, type: ['object', 'null'] },
    templateId: nullableString,
    html: { ...nullableString, description: 'As given, before variables.' },
    text: nullableString,
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    unsubscribeGroupId: nullableString,
    trackingClick: { type: 'boolean' },
    trackingOpen: { type: 'boolean' },
    attachments: {
      type: 'array',
      items: {
        title: 'EmailAttachment',
        type: 'object',
        required: ['fileName', 'contentType', 'contentId', 'fileSize', 'fileUrl'],
        properties: {
          fileName: { type: 'string' },
          contentType: nullableString,
          contentId: nullableString,
          fileSize: { type: ['integer', 'null'] },
          fileUrl: nullableString,
        },
      },
    },
  },
} as const;

export const emailAnswer = shape({
  title: 'Email',
  type: 'object',
  required: [...required, 'content', 'timeline'],
  properties: {
    ...emailFields,
    content,
    timeline: {
      type: 'array',
      description:
        'Oldest first: queued, scheduled, claimed, deferred, sent, bounced, failed, suppressed, unknown, cancelled, opened, clicked... A queued mail has `waiting` with the reason while no relay takes mail.',
      items: timelineEntry,
    },
  },
});

export const updateEmailBody = schema({
  title: 'UpdateEmailBody',
  type: 'object',
  required: ['scheduledAt'],
  properties: { scheduledAt: scheduledAtField },
});

export const cancelEmailsBody = schema({
  title: 'CancelEmailsBody',
  type: 'object',
  required: ['batchId'],
  properties: { batchId: { ...filterText, description: 'Of the answer of POST /mails/bulk or /mails/batch.' } },
});

export const cancelledEmailsAnswer = shape({
  title: 'CancelledEmails',
  type: 'object',
  required: ['cancelled', 'notCancelled'],
  properties: {
    cancelled: { type: 'integer', description: 'Mails that are not sent, by this call or an earlier one.' },
    notCancelled: { type: 'integer', description: 'Mails that were sent or taken before, or ended otherwise.' },
  },
});

export const renderedEmailAnswer = shape({
  title: 'RenderedEmail',
  type: 'object',
  required: ['subject', 'previewText', 'html', 'text', 'previewUrl', 'expiresIn'],
  properties: {
    subject: nullableString,
    previewText: { type: 'string' },
    html: { ...nullableString, description: 'null for mail of text alone, and when the content is removed.' },
    text: nullableString,
    previewUrl: { ...previewLinkFields.previewUrl, type: ['string', 'null'] },
    expiresIn: previewLinkFields.expiresIn,
  },
});
