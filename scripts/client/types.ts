import type { Endpoint } from '../../api/http/endpoint.ts';
import { Components, type Json } from '../../api/http/openapi/components.ts';
import { pageQuery } from '../../schemas/common.ts';
import { ERROR_CODES } from '../../schemas/error-codes.ts';
import { webhookEvent } from '../../schemas/events/webhook-events.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { declaration } from './declarations.ts';
import { clientEndpoints, WRITTEN } from './operations.ts';

/** client/types.ts: the bodies, queries and answers of every operation. It imports nothing. */
export function clientTypes(all: Endpoint[]): string {
  const components = new Components();
  components.show(webhookEvent.json);
  const queries = new Map<string, Json>();
  for (const { operation, query, body, answer, events } of clientEndpoints(all)) {
    if (query) queries.set(queryName(operation, query.json), components.show(query.json));
    for (const schema of [body, events ?? answer]) if (schema) components.show(schema.json);
  }
  const named = Object.entries(components.schemas);
  return [
    WRITTEN,
    declaration('ErrorCode', { enum: [...ERROR_CODES] }),
    ...[...named, ...queries].sort(byNoun).map(([name, schema]) => declaration(name, schema)),
  ].join('\n');
}

/** Said of a thing by the names of its types: CreateCampaignBody and UpdateCampaignBody come after Campaign. */
const ABOUT = /^(Create|Update|New|Preview)|(Body|Input|Page|Query)$|ed(?=[A-Z])/g;

/** Types of one thing say many fields alike, and packed closely they take a fourteenth less. */
function byNoun([a]: [string, Json], [b]: [string, Json]): number {
  const [first, second] = [nounOf(a), nounOf(b)];
  return (first === second ? a < b : first < second) ? -1 : 1;
}

const nounOf = (name: string) => name.replaceAll(ABOUT, '');

/** campaigns.list: CampaignsListQuery */
export function queryName(operation: string, schema: JsonSchema): string {
  const words = operation.split('.').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return schema === pageQuery.json ? 'PageQuery' : `${words.join('')}Query`;
}
