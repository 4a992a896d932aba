import { answerFault } from '../../api/http/validate.ts';
import type { Deps } from '../../core/base/deps.ts';
import { webhookBody } from '../../core/feed/webhook-deliveries.ts';
import { type Schema, shape } from '../../schemas/schema.ts';
import { eventSchema, webhookEventTypes } from '../../schemas/webhook-events.ts';

const schemas = new Map<string, Schema<unknown>>(webhookEventTypes.map((type) => [type, shape(eventSchema(type))]));

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
