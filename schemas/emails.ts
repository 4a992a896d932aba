import { idField, nullableString, nullableTimestamp, pageFields, paginationFields, timestampField } from './common.ts';
import { schema, shape } from './schema.ts';

const EMAIL_STATUSES = [
  'queued',
  'deferred',
  'sent',
  'delivered',
  'bounced',
  'failed',
  'suppressed',
  'unknown',
] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

const filterText = { type: 'string', maxLength: 320 } as const;

export const emailsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status: { type: 'string', enum: EMAIL_STATUSES },
    email: { ...filterText, description: 'An address in to, cc or bcc.' },
    batchId: filterText,
    campaignId: filterText,
    automationId: filterText,
    dateFrom: { type: 'string', format: 'date-time', description: 'Queued at or after; to the second.' },
    dateTo: { type: 'string', format: 'date-time', description: 'Queued at or before; to the second.' },
  },
});

const reply = {
  type: ['object', 'null'],
  required: ['code', 'enhanced', 'text'],
  properties: { code: { type: 'integer' }, enhanced: nullableString, text: { type: 'string' } },
  description: 'What the relay said.',
} as const;

const suppressedBy = {
  type: ['object', 'null'],
  required: ['groupId', 'reason'],
  properties: { groupId: { type: 'string' }, reason: { type: 'string' } },
  description: 'The suppression entry that stopped it.',
} as const;

const status = { type: 'string', enum: EMAIL_STATUSES } as const;

const emailFields = {
  id: idField,
  status,
  email: { ...nullableString, description: 'to; null when the contact was deleted.' },
  name: nullableString,
  subject: nullableString,
  lane: { type: 'string', enum: ['transactional', 'automation', 'campaign'] },
  batchId: nullableString,
  campaignId: { ...nullableString, pattern: idField.pattern },
  automationId: { ...nullableString, pattern: idField.pattern },
  contactId: { ...nullableString, pattern: idField.pattern },
  recipients: {
    type: 'array',
    description: 'to, cc and bcc, each with its own outcome.',
    items: {
      type: 'object',
      required: ['email', 'name', 'kind', 'status', 'reply', 'reason', 'suppressedBy'],
      properties: {
        email: nullableString,
        name: nullableString,
        kind: { type: 'string', enum: ['to', 'cc', 'bcc'] },
        status,
        reply,
        reason: nullableString,
        suppressedBy,
      },
    },
  },
  reply,
  reason: { ...nullableString, description: 'Why it is not sent, in a sentence.' },
  suppressedBy,
  attempts: { type: 'integer', description: 'Attempts that ended without a final answer.' },
  createdAt: timestampField,
  sentAt: nullableTimestamp,
  nextAttemptAt: nullableTimestamp,
} as const;

const required = Object.keys(emailFields);

export const emailsAnswer = shape({
  type: 'object',
  required: ['emails', 'pagination'],
  properties: {
    emails: { type: 'array', items: { type: 'object', required, properties: emailFields } },
    pagination: paginationFields,
  },
});

export const emailAnswer = shape({
  title: 'Email',
  type: 'object',
  required: [...required, 'content', 'timeline'],
  properties: {
    ...emailFields,
    content: {
      type: ['object', 'null'],
      description: 'null for campaign mail, and when it was removed, 7 days after the last outcome.',
      properties: {
        from: { type: 'object' },
        replyTo: { type: ['object', 'null'] },
        templateId: nullableString,
        html: { ...nullableString, description: 'As given, before variables.' },
        text: nullableString,
        headers: { type: 'object' },
        unsubscribeGroupId: nullableString,
        trackingClick: { type: 'boolean' },
        trackingOpen: { type: 'boolean' },
        attachments: { type: 'array', items: { type: 'object' } },
      },
    },
    timeline: {
      type: 'array',
      description:
        'Oldest first: queued, claimed, deferred, sent, bounced, failed, suppressed, unknown, opened, clicked...',
      items: {
        type: 'object',
        required: ['type', 'at'],
        properties: {
          type: { type: 'string' },
          at: timestampField,
          email: { type: 'string' },
          reply,
          reason: { type: 'string' },
          url: { type: 'string' },
          automated: { type: 'boolean' },
        },
      },
    },
  },
});
