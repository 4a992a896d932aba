import { idField, nullableString, nullableTimestamp, pageAnswer, pageFields, timestampField } from '../common.ts';
import { schema, shape } from '../schema.ts';

export const eventTypes = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.deferred',
  'email.bounced',
  'email.failed',
  'email.suppressed',
  'email.cancelled',
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
  'campaign.variant_decided',
  'automation.entered',
  'automation.completed',
  'automation.exited',
  'template.published',
  'layout.published',
  'snippet.published',
  'migration.running',
  'migration.progress',
  'migration.needs_attention',
  'migration.completed',
  'migration.failed',
  'reputation.warning',
  'reputation.recovered',
] as const;

export type ProjectEventType = (typeof eventTypes)[number];

/** Of streams alone, written while one asks for them by their full names: figures that the next event replaces. */
export const streamOnlyTypes = [
  'campaign.progress',
  'project.summary',
  'import.progress',
  'domain.checked',
  'event.recorded',
] as const;
export const streamedTypes = [...eventTypes, ...streamOnlyTypes] as const;
export type StreamOnlyEventType = (typeof streamOnlyTypes)[number];
export type StreamedEventType = (typeof streamedTypes)[number];
const eventType = { title: 'EventType', enum: eventTypes } as const;

/** Made by `POST /webhooks/{webhookId}/test` alone, for one webhook, so no webhook can ask for it. */
export const TEST_EVENT = 'webhook.test';

/** Posted by a step of an automation to one webhook alone, so no webhook can ask for it. */
export const STEP_EVENT = 'automation.step_webhook';

export const WEBHOOKS_MAX = 50;
/** The replaced secrets of a webhook that may sign at the same time; each adds a signature to every delivery. */
export const PREVIOUS_SECRETS_MAX = 4;
const URL_LENGTH_MAX = 2_048;
const REPLAYED_IDS_MAX = 100;

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
  items: eventType,
  description: 'The types of the events to deliver.',
} as const;

export const createWebhookBody = schema({
  title: 'CreateWebhookBody',
  type: 'object',
  required: ['url', 'events'],
  properties: { url, events },
});

export const updateWebhookBody = schema({
  title: 'UpdateWebhookBody',
  type: 'object',
  properties: {
    url,
    events,
    isActive: { type: 'boolean', description: 'true also resets the count of failing days.' },
  },
});

export const replayBody = schema({
  title: 'ReplayWebhookBody',
  type: 'object',
  properties: {
    from: { ...timestampField, description: 'Events that happened at or after. Required without eventIds.' },
    to: { ...timestampField, description: 'Events that happened before. Required without eventIds.' },
    eventIds: {
      type: 'array',
      minItems: 1,
      maxItems: REPLAYED_IDS_MAX,
      items: { type: 'string', maxLength: 64 },
      description: 'In place of a time range: these events, by the eventId of their deliveries.',
    },
  },
});

const deliveryStatus = { title: 'DeliveryStatus', enum: ['pending', 'delivered', 'failed'] } as const;
export const deliveriesQuery = schema({
  type: 'object',
  properties: { ...pageFields, status: deliveryStatus },
});

const webhookFields = {
  id: idField,
  url: { type: 'string' },
  events: { type: 'array', items: eventType },
  isActive: { type: 'boolean' },
  disabledReason: { ...nullableString, description: 'The reason why it was switched off after five days of failures.' },
  failingSince: nullableTimestamp,
  previousSecretUntil: {
    ...nullableTimestamp,
    description:
      'After a rotation: until then webhook-signature also holds a signature with the replaced secret, and X-Webhook-Signature is made with it.',
  },
  createdAt: timestampField,
  updatedAt: timestampField,
} as const;
const required = Object.keys(webhookFields);

const webhook = { title: 'Webhook', type: 'object', required, properties: webhookFields };
export const webhookAnswer = shape(webhook);
export const newWebhookAnswer = shape({
  ...webhook,
  title: 'NewWebhook',
  properties: {
    ...webhookFields,
    secret: { type: 'string', pattern: '^whsec_', description: 'Shown once: signs every delivery.' },
  },
});
export const webhooksAnswer = pageAnswer('WebhooksPage', 'webhooks', webhook);

const delivery = {
  title: 'WebhookDelivery',
  type: 'object',
  required: ['id', 'eventId', 'type', 'status', 'attempts', 'isReplay', 'createdAt', 'nextAttemptAt', 'tries'],
  properties: {
    id: idField,
    eventId: { ...idField, description: 'webhook-id and X-Webhook-Id, the same in every try.' },
    type: { title: 'DeliveryType', enum: [...eventTypes, TEST_EVENT, STEP_EVENT] },
    status: deliveryStatus,
    attempts: { type: 'integer' },
    isReplay: { type: 'boolean' },
    createdAt: timestampField,
    endedAt: nullableTimestamp,
    nextAttemptAt: nullableTimestamp,
    tries: {
      type: 'array',
      items: {
        title: 'WebhookTry',
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
} as const;
export const deliveryAnswer = shape(delivery);
export const deliveriesAnswer = pageAnswer('WebhookDeliveriesPage', 'deliveries', delivery);

export const replayAnswer = shape({
  title: 'ReplayedEvents',
  type: 'object',
  required: ['replayed'],
  properties: {
    replayed: {
      type: 'integer',
      description: 'Events that are delivered again: those that are kept, of types that the webhook asks for.',
    },
  },
});
