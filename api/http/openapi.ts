import { createHash } from 'node:crypto';
import { errorAnswer } from '../../schemas/common.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { type Endpoint, fullPath, pathParameters } from './endpoint.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the endpoint table. The router serves the same table, so it has no undocumented endpoints. */
export function openApiDocument(endpoints: Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  const shared = new SharedSchemas();
  for (const endpoint of endpoints) {
    const path = fullPath(endpoint, endpoint.path);
    paths[path] = { ...paths[path], [endpoint.method]: operation(endpoint, shared) };
  }
  return withPatterns({
    openapi: '3.1.0',
    info: {
      title: 'Everpost',
      version: '1.0.0',
      description:
        'Self-hosted email delivery and marketing. Every answer carries X-Request-Id; every POST takes Idempotency-Key.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
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
      },
      schemas: { Error: errorAnswer.json, ...shared.schemas },
      responses: Object.fromEntries(
        Object.entries(errorResponses).map(([name, description]) => [name, errorResponse(description)]),
      ),
    },
  }) as Json;
}

const CONTROL = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029';
const LINE = `^[^${CONTROL}]*$`;
const LINE_OF_TEXT = `^[^${CONTROL}]*[^\\s\\ufeff${CONTROL}][^${CONTROL}]*$`;

/** Other tools do not know our own formats, so their rule is written as a pattern. */
function withPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const converted = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withPatterns(inner)]));
  if (converted.format !== 'line') return converted;
  const { format: _, ...rest } = converted;
  return { ...rest, pattern: rest.pattern === undefined ? LINE : LINE_OF_TEXT };
}

const errorResponses: Record<string, string> = {
  BadRequest: 'The request fails its schema, or cannot be parsed.',
  Unauthorized: 'No key, an unknown or a revoked one.',
  Forbidden: 'The wrong kind of key.',
  NotFound: 'No such thing in this project.',
  Conflict: 'It exists already, its state does not allow this, or the Idempotency-Key is in use.',
  TooLarge: 'The body is over its limit.',
  UnsupportedMediaType: 'The body is not JSON.',
  Unprocessable: 'Well-formed, but cannot be done.',
  TooManyRequests: 'The limit of this key is reached; Retry-After says for how long.',
  ServerError: 'Our fault; the log has it under X-Request-Id.',
  Unavailable: 'The database is away; Retry-After.',
};

function errorResponse(description: string, alsoAsPage = false): Json {
  return {
    description,
    headers: { 'X-Request-Id': { schema: { type: 'string' } } },
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' } },
      ...(alsoAsPage ? { 'text/html': { schema: { type: 'string' } } } : {}),
    },
  };
}

function operation(endpoint: Endpoint, shared: SharedSchemas): Json {
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    ...(endpoint.key === 'none' ? { security: [] } : { security: security(endpoint) }),
    parameters: parameters(endpoint),
    ...requestBody(endpoint, shared),
    responses: responses(endpoint, shared),
  };
}

function security({ path }: Endpoint): Json[] {
  return path.startsWith('/inbound') ? [{ key: [] }, { headerKey: [] }] : [{ key: [] }];
}

function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[/{}.-]+/).filter(Boolean);
  return method + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
}

/** The check that api/app.ts makes on every parameter: no NUL and no invalid UTF-8. */
const TEXT = '^[^\\u0000\\ufffd]*$';

function parameters(endpoint: Endpoint): Json[] {
  const inPath = pathParameters(endpoint.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));
  const fields = (endpoint.query?.json.properties ?? {}) as Record<string, JsonSchema>;
  const required = (endpoint.query?.json.required ?? []) as string[];
  const inQuery = Object.entries(fields).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: schema.type === 'string' && !schema.enum ? { pattern: TEXT, ...schema } : schema,
  }));
  const projectHeader = {
    name: 'x-project-id',
    in: 'header',
    description: 'With an admin key: the project that the call is about.',
    schema: { type: 'string' },
  };
  const idempotencyHeader = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key and request again get the first answer again, for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[ -~]+$' },
  };
  const takesKey = endpoint.method === 'post' && !endpoint.rawBody && endpoint.key !== 'none';
  return [
    ...inPath,
    ...inQuery,
    ...(endpoint.key === 'token' ? [projectHeader] : []),
    ...(takesKey ? [idempotencyHeader] : []),
  ];
}

function requestBody(endpoint: Endpoint, shared: SharedSchemas): Json {
  if (endpoint.rawBody)
    return {
      requestBody: {
        required: true,
        content: Object.fromEntries(endpoint.rawBody.filter(Boolean).map((type) => [type, {}])),
      },
    };
  if (!endpoint.body) return {};
  const schema = shared.reference(endpoint.body.json);
  const either = endpoint.bareArrayAs
    ? { oneOf: [schema, (endpoint.body.json.properties as Json)[endpoint.bareArrayAs]] }
    : schema;
  return { requestBody: { required: true, content: { 'application/json': { schema: either } } } };
}

function responses(endpoint: Endpoint, shared: SharedSchemas): Json {
  const status = String(endpoint.status ?? 200);
  const named: Json = { [status]: success(endpoint, shared) };
  const add = (code: number, name: string) => {
    named[code] = { $ref: `#/components/responses/${name}` };
  };
  add(400, 'BadRequest');
  if (endpoint.key !== 'none') {
    add(401, 'Unauthorized');
    add(403, 'Forbidden');
    add(404, 'NotFound');
  }
  if (endpoint.method !== 'get') {
    add(409, 'Conflict');
    add(413, 'TooLarge');
    add(415, 'UnsupportedMediaType');
  }
  add(429, 'TooManyRequests');
  add(500, 'ServerError');
  add(503, 'Unavailable');
  for (const [code, description] of Object.entries(endpoint.errors ?? {}))
    named[code] = errorResponse(description, endpoint.tag === 'public');
  return named;
}

/** Schema of each event; its data are JSON. */
const event = {
  type: 'object',
  required: ['data'],
  properties: { id: { type: 'string' }, event: { type: 'string' }, data: { type: 'string' } },
};

function success({ answer, produces, summary }: Endpoint, shared: SharedSchemas): Json {
  const headers = { 'X-Request-Id': { schema: { type: 'string' } } };
  if (produces)
    return {
      description: summary,
      headers,
      content: Object.fromEntries(
        produces.map((type) => [type, { schema: type === 'text/event-stream' ? event : { type: 'string' } }]),
      ),
    };
  const data = answer ? { data: shared.reference(answer.json) } : {};
  const schema = {
    type: 'object',
    required: ['success', ...(answer ? ['data'] : [])],
    properties: { success: { const: true }, ...data, message: { type: 'string' } },
  };
  return { description: summary, headers, content: { 'application/json': { schema } } };
}

/** Large schemas that several operations use are written once. */
class SharedSchemas {
  readonly schemas: Record<string, JsonSchema> = {};
  private readonly names = new Map<JsonSchema, string>();

  reference(schema: JsonSchema): Json {
    const title = schema.title;
    if (typeof title !== 'string') return schema;
    const known = this.names.get(schema) ?? this.name(schema, title);
    return { $ref: `#/components/schemas/${known}` };
  }

  private name(schema: JsonSchema, title: string): string {
    const taken = Object.hasOwn(this.schemas, title);
    const name = taken
      ? `${title}${createHash('sha256').update(JSON.stringify(schema)).digest('hex').slice(0, 6)}`
      : title;
    this.schemas[name] = schema;
    this.names.set(schema, name);
    return name;
  }
}
