import { errorAnswer, INTERFACE_VERSION } from '../../../schemas/common.ts';
import { type Endpoint, fullPath } from '../endpoint.ts';
import { Components, type Json } from './components.ts';
import { errorResponse, errorResponses, operation } from './operation.ts';
import { webhooks } from './webhooks.ts';

/** The OpenAPI 3.1 document of the endpoint table. The router serves the same table, so it has no undocumented endpoints. */
export function openApiDocument(endpoints: Endpoint[]): Json {
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = fullPath(endpoint, endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint, components) };
  }
  const error = components.show(errorAnswer.json);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Everpost',
      version: INTERFACE_VERSION,
      description:
        'Self-hosted email delivery and marketing. Every answer carries X-Request-Id; every POST takes Idempotency-Key.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: sorted(paths),
    webhooks: webhooks(components),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A project key AS_... or, where it says so, an admin key ASA_...',
        },
        headerKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'The project key, on inbound endpoints.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-everpost',
          description:
            'The session of a member who signed in to the console; without https the cookie is everpost. Calls with it carry X-Everpost-Console: 1, and but for GET the Origin of PUBLIC_URL.',
        },
      },
      schemas: sorted(components.schemas),
      responses: Object.fromEntries(
        Object.entries(errorResponses).map(([name, description]) => [name, errorResponse(description, error)]),
      ),
    },
  };
}

function sorted<T>(named: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}
