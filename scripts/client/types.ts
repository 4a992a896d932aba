import { type Endpoint, pathParameters } from '../../api/http/endpoint.ts';
import { Components, type Json } from '../../api/http/openapi/components.ts';
import { listIn, pageQuery } from '../../schemas/common.ts';
import { ERROR_CODES } from '../../schemas/error-codes.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { webhookEvent } from '../../schemas/webhook-events.ts';
import { comment, declaration, typeOf } from './declarations.ts';
import { clientEndpoints, kindOf, WRITTEN } from './operations.ts';

/** client/types.ts: the bodies, queries and answers of every operation. It imports nothing. */
export function clientTypes(all: Endpoint[]): string {
  const components = new Components();
  components.show(webhookEvent.json);
  const queries = new Map<string, Json>();
  const operations = clientEndpoints(all).map((endpoint) => rowOf(endpoint, components, queries));
  const named = Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    WRITTEN,
    declaration('ErrorCode', { enum: [...ERROR_CODES] }),
    ...[...named, ...queries].map(([name, schema]) => declaration(name, schema)),
    `/** By name: the parameters of the path, query, body and answer; of a page also its entries. Of a stream: the data of its events. */
export interface Operations {\n${operations.join('')}}\n`,
  ].join('\n');
}

function rowOf(endpoint: Endpoint, components: Components, queries: Map<string, Json>): string {
  const { operation, summary, path, query, body, answer, events } = endpoint;
  const shown = (schema: JsonSchema | undefined) => (schema ? typeOf(components.show(schema)) : 'undefined');
  const list = kindOf(endpoint) === 'page' && answer ? listIn(answer.json) : null;
  const fields = {
    params: `[${pathParameters(path).map((name) => `${name}: string`)}]`.replaceAll(',', ', '),
    query: query ? queryName(operation, query.json, components, queries) : 'undefined',
    body: shown(body?.json),
    answer: shown((events ?? answer)?.json),
    ...(list ? { entry: shown(list.entry) } : {}),
  };
  const lines = Object.entries(fields).map(([name, type]) => `    ${name}: ${type};\n`);
  return `${comment(summary, '  ')}  '${operation}': {\n${lines.join('')}  };\n`;
}

/** campaigns.list: CampaignsListQuery */
function queryName(operation: string, schema: JsonSchema, components: Components, queries: Map<string, Json>): string {
  const words = operation.split('.').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  const name = schema === pageQuery.json ? 'PageQuery' : `${words.join('')}Query`;
  queries.set(name, components.show(schema));
  return name;
}
