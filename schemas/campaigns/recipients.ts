import { idField, nullableString, nullableTimestamp, pageAnswer, pageFields } from '../common.ts';
import { smtpReply, suppressedBy, timelineEntry } from '../mail/emails.ts';
import { schema, shape } from '../schema.ts';
import { integer } from './values.ts';

export const retryCampaignBody = schema({
  title: 'RetryCampaignBody',
  type: 'object',
  required: ['states'],
  properties: {
    states: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      items: { type: 'string', enum: ['failed', 'unknown'] },
    },
  },
});

const recipientStatus = {
  title: 'RecipientStatus',
  type: 'string',
  enum: ['queued', 'deferred', 'sent', 'bounced', 'failed', 'suppressed', 'unknown'],
} as const;

const recipient = {
  title: 'CampaignRecipient',
  type: 'object',
  required: ['emailId', 'contactId', 'email', 'status', 'reason', 'reply', 'sentAt'],
  properties: {
    emailId: idField,
    contactId: { type: ['string', 'null'] },
    email: { type: ['string', 'null'], description: 'null when the contact was deleted.' },
    status: recipientStatus,
    reason: nullableString,
    reply: smtpReply,
    suppressedBy,
    sentAt: nullableTimestamp,
  },
} as const;

export const recipientsQuery = schema({
  type: 'object',
  properties: {
    ...pageFields,
    status: recipientStatus,
    reason: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]+$',
      maxLength: 2_000,
      description: 'Only these: the id of a reason of GET /campaigns/{campaignId}/reasons.',
    },
  },
});

export const recipientsAnswer = pageAnswer('CampaignRecipientsPage', 'recipients', recipient);

export const reasonsAnswer = shape({
  title: 'CampaignReasons',
  type: 'object',
  required: ['reasons', 'others'],
  properties: {
    reasons: {
      type: 'array',
      description: 'Most people first; 50 at most.',
      items: {
        title: 'CampaignReason',
        type: 'object',
        required: [
          ...['id', 'status', 'code', 'enhanced', 'suppression', 'groupId', 'groupName', 'reason', 'example', 'count'],
        ],
        properties: {
          id: { type: 'string', description: 'For GET /campaigns/{campaignId}/recipients.' },
          status: recipientStatus,
          code: { type: ['integer', 'null'], description: 'Of the reply.' },
          enhanced: nullableString,
          suppression: { ...nullableString, description: 'The reason of the suppression entry.' },
          groupId: { ...nullableString, description: 'The suppression group of the entry.' },
          groupName: nullableString,
          reason: { ...nullableString, description: 'In a sentence.' },
          example: { ...nullableString, description: 'The words of the relay to one of them, without the address.' },
          count: integer,
        },
      },
    },
    others: {
      title: 'OtherReasons',
      type: 'object',
      required: ['count'],
      properties: { count: { ...integer, description: 'People with further reasons.' } },
    },
  },
});

const engagement = {
  title: 'Engagement',
  type: ['object', 'null'],
  required: ['openedAt', 'humanOpenedAt', 'clickedAt', 'unsubscribedAt', 'complainedAt'],
  description: 'null: neither opened nor clicked, as far as is known.',
  properties: {
    openedAt: nullableTimestamp,
    humanOpenedAt: { ...nullableTimestamp, description: 'The first open that no machine did.' },
    clickedAt: nullableTimestamp,
    unsubscribedAt: nullableTimestamp,
    complainedAt: nullableTimestamp,
  },
} as const;

export const recipientAnswer = shape({
  title: 'RecipientStory',
  type: 'object',
  required: ['campaignId', 'contactId', 'reason', 'recipient', 'engagement', 'timeline'],
  properties: {
    campaignId: idField,
    contactId: { type: 'string' },
    reason: { type: 'string', description: 'The reason why this person got it, or not.' },
    recipient: { ...recipient, type: ['object', 'null'] },
    engagement,
    timeline: { type: 'array', items: timelineEntry },
  },
});
