import { eventSchema, eventTitle, webhookEvents, webhookEventTypes } from '../../../schemas/events/webhook-events.ts';
import { examples } from '../../../schemas/examples/examples.ts';
import type { Components, Json } from './components.ts';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

const headers = [
  header('webhook-id', 'The id of the event, the same in every try.'),
  header('webhook-timestamp', 'Unix seconds of this try.'),
  header(
    'webhook-signature',
    'Standard Webhooks: v1, and base64 of HMAC-SHA256 over `id.timestamp.body`; one for each secret, with a space between.',
  ),
  header('X-Webhook-Id', 'The same as webhook-id.'),
  header('X-Webhook-Timestamp', 'The same as webhook-timestamp.'),
  header('X-Webhook-Signature', 'v1=, and hexadecimal of HMAC-SHA256 over `timestamp.body`.'),
];

/** The posts to the webhooks of a project: one entry for each type of event. */
export function webhooks(components: Components): Json {
  return Object.fromEntries(
    webhookEventTypes.map((type) => {
      const schema = components.show(eventSchema(type));
      const content = { 'application/json': { schema, example: examples[eventTitle(type)] } };
      const post = {
        operationId: `webhook.${type}`,
        // Not the tag of the endpoints: generators write one file for each.
        tags: ['webhook events'],
        summary: webhookEvents[type].description,
        parameters: headers,
        requestBody: { required: true, content },
        responses: {
          '2XX': { description: 'The event was received. After any other answer it is delivered again, for 24 hours.' },
        },
      };
      return [type, { post }];
    }),
  );
}
