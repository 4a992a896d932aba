import { idReference } from '../common.ts';

/** The step of an automation that posts an event about the person. */

const URL_MAX = 2_048;
const HEADERS_MAX = 20;
const HEADER_VALUE_MAX = 4_096;

const headerName = { type: 'string', minLength: 1, maxLength: 100, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" } as const;

const header = {
  title: 'WebhookHeader',
  type: 'object',
  required: ['name'],
  properties: {
    name: headerName,
    value: {
      type: 'string',
      minLength: 1,
      maxLength: HEADER_VALUE_MAX,
      pattern: '^[\\x20-\\x7e]+$',
      description:
        'Stored sealed, and never answered. Left out: the value that the step has, as long as it calls the same url or webhook.',
    },
  },
} as const;

const headers = {
  type: 'array',
  maxItems: HEADERS_MAX,
  items: header,
  description: 'Sent with each request, beside those of every webhook.',
} as const;

export const webhook = {
  title: 'AutomationWebhookInput',
  type: 'object',
  description:
    'Of a webhook: posts an event of type automation.step_webhook about the person to one address alone, signed, tried again and logged like the deliveries of every webhook. Either url or webhookId.',
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      maxLength: URL_MAX,
      description:
        'A public https URL. Its webhook, without events of its own, is made when the automation is activated and listed with the others; POST /webhooks/{webhookId}/rotate-secret shows a secret of it.',
    },
    webhookId: { ...idReference, description: 'A webhook of the project, whatever its events are.' },
    headers,
    wait: {
      type: 'boolean',
      description:
        'true: the person waits for a 2xx, whose JSON may set properties: {contactProperties}. An answer of more than 64 KiB, or one that cannot be used, is a failure, and so is none by the end of timeout; a failure leads to failureStepId. false, or left out: the person continues at once, whatever comes of the request.',
    },
    timeout: {
      title: 'AnswerTimeout',
      type: 'object',
      required: ['value', 'unit'],
      description: 'With wait: how long the person waits, 24 hours at most. Omitted: 24 hours.',
      properties: { value: { type: 'integer', minimum: 1, maximum: 1_440 }, unit: { enum: ['minutes', 'hours'] } },
    },
  },
} as const;

export const webhookAnswer = {
  ...webhook,
  title: 'AutomationWebhook',
  required: ['wait'],
  properties: {
    ...webhook.properties,
    headers: {
      type: 'array',
      description: 'Their names; a PATCH that repeats them keeps the values.',
      items: {
        title: 'WebhookHeaderName',
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' } },
      },
    },
  },
} as const;
