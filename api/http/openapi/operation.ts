import { listIn } from '../../../schemas/common.ts';
import { examples } from '../../../schemas/examples/examples.ts';
import { operations } from '../../../schemas/operations.ts';
import type { JsonSchema } from '../../../schemas/schema.ts';
import { type Endpoint, pathParameters } from '../endpoint.ts';
import { takesIdempotencyKey } from '../idempotency.ts';
import type { Components, Json } from './components.ts';

export const errorResponses: Record<string, string> = {
  BadRequest: 'The request fails its schema, or cannot be parsed.',
  Unauthorized: 'No key or session, or one that is unknown, revoked or over.',
  Forbidden:
    'The wrong kind of key; a call of the console without its header or from another origin; or PERMISSION_DENIED: its scope or domain, or the role of the member, does not include this call.',
  NotFound: 'No such thing in this project.',
  Conflict: 'It exists already, its state does not allow this, or the Idempotency-Key is in use.',
  TooLarge: 'The body is over its limit.',
  UnsupportedMediaType: 'The body is not JSON.',
  Unprocessable: 'Well-formed, but cannot be done.',
  TooManyRequests: 'The limit of this key is reached; Retry-After says for how long.',
  ServerError: 'Our fault; the log has it under X-Request-Id.',
  Unavailable: 'The database is away; Retry-After.',
};

const requestIdHeader = { 'X-Request-Id': { schema: { type: 'string' } } };
const error = { $ref: '#/components/schemas/Error' };

export function errorResponse(description: string, schema: Json = error, alsoAsPage = false): Json {
  return {
    description,
    headers: requestIdHeader,
    content: {
      'application/json': { schema },
      ...(alsoAsPage ? { 'text/html': { schema: { type: 'string' } } } : {}),
    },
  };
}

export function operation(endpoint: Endpoint, components: Components): Json {
  const description = [endpoint.description, callersOf(endpoint)].filter(Boolean).join('\n\n');
  return {
    operationId: endpoint.operation,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(description ? { description } : {}),
    security: security(endpoint),
    parameters: parameters(endpoint, components),
    ...requestBody(endpoint, components),
    responses: responses(endpoint, components),
  };
}

/** The callers that may use the operation. */
function callersOf({ key, operation: name }: Endpoint): string | null {
  if (key === 'none') return null;
  if (key === 'session') return 'Sessions only.';
  const { role, scopes } = operations[name];
  const keys = key === 'admin' ? 'Admin keys only.' : `Scopes of project keys: ${['full', ...scopes].join(', ')}.`;
  return role === null ? keys : `${keys} Least role of members: ${role}.`;
}

function security({ key, path, operation: name }: Endpoint): Json[] {
  if (key === 'none') return [];
  if (key === 'session') return [{ session: [] }];
  const session = operations[name].role === null ? [] : [{ session: [] }];
  return [{ key: [] }, ...(path.startsWith('/inbound') ? [{ headerKey: [] }] : []), ...session];
}

/** The check that api/app.ts makes on every parameter: no NUL and no invalid UTF-8. */
const TEXT = '^[^\\u0000\\ufffd]*$';

function parameters(endpoint: Endpoint, components: Components): Json[] {
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
    schema: components.show(schema.type === 'string' && !schema.enum ? { pattern: TEXT, ...schema } : schema),
  }));
  const projectHeader = {
    name: 'x-project-id',
    in: 'header',
    description: 'With an admin key or a session: the project of the call.',
    schema: { type: 'string' },
  };
  const isForMembers =
    endpoint.key !== 'none' && endpoint.key !== 'session' && operations[endpoint.operation].role !== null;
  const organizationHeader = {
    name: 'x-organization-id',
    in: 'header',
    description: 'With the session of a person who is a member of several organizations: the one of the call.',
    schema: { type: 'string' },
  };
  const consoleHeader = {
    name: 'X-Everpost-Console',
    in: 'header',
    required: true,
    description: 'Calls of the console carry it, and but for GET the Origin of PUBLIC_URL; else they are 403.',
    schema: { type: 'string', const: '1' },
  };
  const idempotencyHeader = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A request repeated with the same key within 24 hours gets the first answer.',
    schema: { type: 'string', minLength: 1, maxLength: 256, pattern: '^[ -~]+$' },
  };
  return [
    ...inPath,
    ...inQuery,
    ...(endpoint.key === 'token' || (endpoint.key === 'project' && isForMembers) ? [projectHeader] : []),
    ...(isForMembers ? [organizationHeader] : []),
    ...(endpoint.forConsole || endpoint.key === 'session' ? [consoleHeader] : []),
    ...(takesIdempotencyKey(endpoint) ? [idempotencyHeader] : []),
  ];
}

function requestBody(endpoint: Endpoint, components: Components): Json {
  if (endpoint.rawBody) {
    const types = endpoint.bodyLimit ? endpoint.rawBody : endpoint.rawBody.slice(0, 1);
    const content = Object.fromEntries(types.map((type) => [type, { schema: rawSchema(endpoint, type) }]));
    return { requestBody: { required: true, content } };
  }
  if (!endpoint.body) return {};
  const schema = components.show(endpoint.body.json);
  const fields = endpoint.body.json.properties as Record<string, JsonSchema>;
  const bare = endpoint.bareArrayAs && fields[endpoint.bareArrayAs];
  const either = bare ? { oneOf: [schema, components.show(bare)] } : schema;
  const example = examples[endpoint.body.json.title as string];
  const required = !endpoint.bodyOptional;
  return { requestBody: { required, content: { 'application/json': { schema: either, example } } } };
}

const bytes = { type: 'string', format: 'binary' };

/** An upload is the file itself, or a form with the file and the options of the query. The other raw body is that of an unsubscribe. */
function rawSchema({ bodyLimit, query }: Endpoint, type: string): Json {
  if (!bodyLimit) return { type: 'object', properties: { 'List-Unsubscribe': { type: 'string' } } };
  if (!type.includes('form')) return bytes;
  const options = (query?.json.properties ?? {}) as Json;
  return { type: 'object', required: ['file'], properties: { file: bytes, ...options } };
}

function responses(endpoint: Endpoint, components: Components): Json {
  const status = String(endpoint.status ?? 200);
  const named: Json = { [status]: success(endpoint, components) };
  for (const [code, description] of Object.entries(endpoint.also ?? {})) {
    const answer = code === '202' ? { headers: requestIdHeader } : success(endpoint, components);
    named[code] = { ...answer, description };
  }
  const add = (code: number, name: string) => {
    named[code] = { $ref: `#/components/responses/${name}` };
  };
  add(400, 'BadRequest');
  if (endpoint.key !== 'none') {
    add(401, 'Unauthorized');
    add(403, 'Forbidden');
    add(404, 'NotFound');
  }
  if (endpoint.forConsole) add(403, 'Forbidden');
  if (endpoint.method !== 'get') {
    add(409, 'Conflict');
    add(413, 'TooLarge');
    add(415, 'UnsupportedMediaType');
  }
  add(429, 'TooManyRequests');
  add(500, 'ServerError');
  add(503, 'Unavailable');
  for (const [code, description] of Object.entries(endpoint.errors ?? {}))
    named[code] = errorResponse(description, error, endpoint.tag === 'public');
  if (endpoint.faults) {
    const either = { anyOf: [error, components.show(endpoint.faults.json)] };
    named[400] = errorResponse(errorResponses.BadRequest!, either);
    named[404] = errorResponse(errorResponses.NotFound!, either);
  }
  return named;
}

function success(endpoint: Endpoint, components: Components): Json {
  const { answer, produces, events, summary: description } = endpoint;
  const headers = requestIdHeader;
  if (produces) {
    const schemaOf = (type: string) => {
      if (type === 'text/event-stream') return streamed(endpoint, components);
      const json = type === 'application/json' ? (events ?? answer)?.json : undefined;
      return json ? components.show(json) : { type: 'string' };
    };
    const content = Object.fromEntries(produces.map((type) => [type, { schema: schemaOf(type) }]));
    return { description, headers, content };
  }
  const name = answer ? `${answer.json.title}Answer` : 'EmptyAnswer';
  const schema = components.add(name, {
    type: 'object',
    required: ['success', ...(answer ? ['data'] : [])],
    properties: {
      success: { type: 'boolean', const: true },
      ...(answer ? { data: components.show(answer.json) } : {}),
      message: { type: 'string' },
    },
  });
  const example = answer && exampleOf(answer.json);
  const shown = example ? { schema, example: { success: true, data: example } } : { schema };
  return { description, headers, content: { 'application/json': shown } };
}

/** Of each event; its data are JSON. */
function streamed({ operation: name, events }: Endpoint, components: Components): Json {
  if (!events) throw new Error(`${name} is a stream: name the schema of its events.`);
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema: components.show(events.json) };
  return components.add(`${events.json.title}Message`, {
    type: 'object',
    required: ['data'],
    properties: { id: { type: 'string' }, event: { type: 'string' }, data },
  });
}

/** A page is shown with the example of its entry. */
function exampleOf(schema: JsonSchema): unknown {
  const list = listIn(schema);
  const entry = list && examples[list.entry.title as string];
  if (!list || entry === undefined) return examples[schema.title as string];
  return { [list.plural]: [entry], pagination: { page: 1, limit: 20, total: 1, pages: 1 } };
}
