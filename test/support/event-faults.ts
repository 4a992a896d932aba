import { answerFault } from '../../api/http/validate.ts';
import type { Deps } from '../../core/base/deps.ts';
import { webhookBody } from '../../core/events/webhook-deliveries.ts';
import { streamedEventSchemas } from '../../schemas/events/stream-events.ts';
import { eventSchema } from '../../schemas/events/webhook-events.ts';
import { STEP_EVENT, TEST_EVENT } from '../../schemas/events/webhooks.ts';
import { type Schema, shape } from '../../schemas/schema.ts';

const addressed = ([TEST_EVENT, STEP_EVENT] as const).map((type) => [type, eventSchema(type)] as const);
const schemas = new Map<string, Schema<unknown>>(
  [...streamedEventSchemas, ...addressed].map(([type, json]) => [type, shape(json)]),
);

/** The events that are stored, held against the payloads that the OpenAPI document shows; one line for each type with a fault. */
export async function eventFaults({ db }: Pick<Deps, 'db'>): Promise<string[]> {
  const faults = new Map<string, string>();
  for await (const event of db.projectEvents.find({})) {
    const schema = schemas.get(event.type);
    const fault = schema ? answerFault(schema, webhookBody(event)) : 'has no schema';
    if (fault) faults.set(event.type, `${event.type}: ${fault}`);
  }
  return [...faults.values()];
}
