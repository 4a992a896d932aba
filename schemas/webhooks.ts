import { idField, nullableString, nullableTimestamp, pageFields, paginationFields, timestampField } from './common.ts';
import { schema, shape } from './schema.ts';

export const eventTypes = [
  'email.sent',
  'email.delivered',
  'email.deferred',
  'email.bounced',
  'email.failed',
  'email.suppressed',
  'email.opened',
  'email.clicked',
  'email.spam_reported',
  'email.unsubscribed',
  'email.received',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'campaign.scheduled',
  'campaign.sending',
  'campaign.paused',
  'campaign.sent',
  'campaign.failed',
  'campaign.aborted',
  'automation.entered',
  'automation.completed',
  'automation.exited',
  'migration.running',
  'migration.progress',
  'migration.needs_attention',
  'migration.completed',
  'migration.failed',
] as const;

export type ProjectEventType = (typeof eventTypes)[number];

export const WEBHOOKS_MAX = 50;
const URL_LENGTH_MAX = 2_048;

const url = {
  type: 'string',
  minLength: 1,
  maxLength: URL_LENGTH_MAX,
  description: 'A public https URL; redirects are not followed.',
} as const;
const events = {
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: { enum: eventTypes },
  description: 'Which events it is told of.',
} as const;

export const createWebhookBody = schema({ type: 'object', required: ['url', 'events'], properties: { url, events } });

export const updateWebhookBody = schema({
  type: 'object',
  properties: { url, events, isActive: { type: 'boolean', description: 'true also ends the count of failing days.' } },
});

export const replayBody = schema({
  type: 'object',
  required: ['from', 'to'],
  properties: {
    from: { ...timestampField, description: 'Events that happened at or after.' },
    to: { ...timestampField, description: 'Events that happened before.' },
  },
});

export const deliveriesQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: { enum: ['pending', 'delivered', 'failed'] } },
});

const webhookFields = {
  id: idField,
  url: { type: 'string' },
  events: { type: 'array', items: { type: 'string' } },
  isActive: { type: 'boolean' },
  disabledReason: { ...nullableString, description: 'Why it was switched off after five days of failures.' },
  failingSince: nullableTimestamp,
  createdAt: timestampField,
  updatedAt: timestampField,
} as const;
const required = ['id', 'url', 'events', 'isActive', 'disabledReason', 'failingSince', 'createdAt', 'updatedAt'];

export const webhookAnswer = shape({ type: 'object', required, properties: webhookFields });
export const newWebhookAnswer = shape({
  type: 'object',
  required: [...required],
  properties: {
    ...webhookFields,
    secret: { type: 'string', pattern: '^whsec_', description: 'Shown once: signs every delivery.' },
  },
});
export const webhooksAnswer = shape({
  type: 'object',
  required: ['webhooks', 'pagination'],
  properties: { webhooks: { type: 'array', items: webhookAnswer.json }, pagination: paginationFields },
});

export const deliveriesAnswer = shape({
  type: 'object',
  required: ['deliveries', 'pagination'],
  properties: {
    deliveries: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'eventId', 'type', 'status', 'attempts', 'isReplay', 'createdAt', 'nextAttemptAt', 'tries'],
        properties: {
          id: idField,
          eventId: { ...idField, description: 'X-Webhook-Id, the same in every try.' },
          type: { type: 'string' },
          status: { enum: ['pending', 'delivered', 'failed'] },
          attempts: { type: 'integer' },
          isReplay: { type: 'boolean' },
          createdAt: timestampField,
          endedAt: nullableTimestamp,
          nextAttemptAt: nullableTimestamp,
          tries: {
            type: 'array',
            items: {
              type: 'object',
              required: ['at', 'status', 'error', 'tookMs'],
              properties: {
                at: timestampField,
                status: { type: ['integer', 'null'] },
                error: nullableString,
                tookMs: { type: 'integer' },
              },
            },
          },
        },
      },
    },
    pagination: paginationFields,
  },
});

export const replayAnswer = shape({
  type: 'object',
  required: ['replayed'],
  properties: { replayed: { type: 'integer', description: 'Events that are delivered again.' } },
});
