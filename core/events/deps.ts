import type { Needs } from '../base/deps.ts';
import type { TemplatesDeps } from '../templates/deps.ts';

/** The ports and collections that functions of this room touch, with those of the rooms below. */
export type EventsDeps = TemplatesDeps &
  Needs<
    never,
    'eventStreams' | 'previousWebhookSecrets' | 'projectEvents' | 'webhookDeliveries' | 'webhookHeaders' | 'webhooks'
  >;
