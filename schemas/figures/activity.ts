import { idField, nullableString, nullableTimestamp, pageFields, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';

export const activityQuery = schema({
  type: 'object',
  properties: {
    limit: pageFields.limit,
    before: { type: 'string', maxLength: 100, description: '`next` of the page before; omitted: the newest entries.' },
  },
});

const value = { type: ['string', 'number', 'boolean', 'null'] } as const;
const ids = { type: 'array', items: idField } as const;

const mail = {
  title: 'ActivityMail',
  type: ['object', 'null'],
  required: ['emailId', 'subject', 'campaignId', 'automationId', 'url', 'automated', 'reason'],
  description: 'Of a step of a mail: type begins with email.',
  properties: {
    emailId: idField,
    subject: nullableString,
    campaignId: nullableString,
    automationId: nullableString,
    url: { ...nullableString, description: 'Of a click.' },
    automated: { type: ['boolean', 'null'], description: 'Of an open: whether a machine did it.' },
    reason: nullableString,
  },
} as const;
const event = {
  title: 'ActivityEvent',
  type: ['object', 'null'],
  required: ['eventId', 'eventName', 'properties'],
  description: 'Of a custom event.',
  properties: { eventId: idField, eventName: { type: 'string' }, properties: { type: 'object' } },
} as const;
const change = {
  title: 'ActivityChange',
  type: ['object', 'null'],
  required: ['fields', 'fieldCount', 'joinedListIds', 'leftListIds', 'importId', 'automationId'],
  description: 'Of a change of the contact: type is contact.created or contact.updated.',
  properties: {
    fields: {
      type: 'array',
      description: 'The first 50 fields that changed, with values of 200 characters at most.',
      items: {
        title: 'ActivityField',
        type: 'object',
        required: ['field', 'from', 'to'],
        properties: {
          field: { type: 'string', description: 'For example firstName, or contactProperties.plan.' },
          from: value,
          to: value,
        },
      },
    },
    fieldCount: { type: 'integer', minimum: 0 },
    joinedListIds: ids,
    leftListIds: ids,
    importId: { ...nullableString, description: 'The import that made the change.' },
    automationId: { ...nullableString, description: 'The automation that made the change.' },
  },
} as const;
const suppression = {
  title: 'ActivitySuppression',
  type: ['object', 'null'],
  required: ['groupId', 'reason', 'evidence', 'updatedAt'],
  description: 'Of an entry that stops mail to the contact now: type is suppression.added.',
  properties: {
    groupId: { type: 'string' },
    reason: { type: 'string' },
    evidence: nullableString,
    updatedAt: nullableTimestamp,
  },
} as const;

const consent = {
  title: 'ActivityConsent',
  type: ['object', 'null'],
  required: ['consentId', 'source', 'textVersion', 'askedAt', 'confirmedAt'],
  description:
    'Of a consent when it was recorded: type is consent.recorded. GET /contacts/{contactId}/consents has all of it.',
  properties: {
    consentId: idField,
    source: { type: 'string' },
    textVersion: { type: 'string' },
    askedAt: timestampField,
    confirmedAt: nullableTimestamp,
  },
} as const;

export const activityAnswer = shape({
  title: 'ContactActivity',
  type: 'object',
  required: ['activity', 'next'],
  properties: {
    activity: {
      type: 'array',
      items: {
        title: 'ActivityEntry',
        type: 'object',
        required: ['at', 'type', 'email', 'event', 'change', 'suppression', 'consent'],
        properties: {
          at: timestampField,
          type: {
            type: 'string',
            enum: [
              ...[
                'email.scheduled',
                'email.cancelled',
                'email.queued',
                'email.sent',
                'email.delivered',
                'email.deferred',
                'email.delayed',
              ],
              ...['email.bounced', 'email.failed', 'email.suppressed', 'email.unknown', 'email.retried'],
              ...['email.opened', 'email.clicked', 'email.unsubscribed', 'email.spam_reported', 'event'],
              ...['contact.created', 'contact.updated', 'suppression.added', 'consent.recorded'],
            ],
          },
          email: mail,
          event,
          change,
          suppression,
          consent,
        },
      },
    },
    next: { ...nullableString, description: 'Give it as `before` for the next page; null at the end.' },
  },
});
