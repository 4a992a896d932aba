import { invalid } from '../../core/base/errors.ts';
import { operations, type ToolOptions } from '../../schemas/operations.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { type Endpoint, fullPath, pathParameters } from '../http/endpoint.ts';
import { checkedKey, takesIdempotencyKey } from '../http/idempotency.ts';
import { validateBody, validateQuery } from '../http/validate.ts';
import type { Json } from './protocol.ts';

/** The arguments of a tool, where its endpoint expects them, checked. */
export interface Input {
  params: Record<string, string>;
  query: Json;
  body: unknown;
  idempotencyKey: string | null;
}

const PATH_PARAMETER_MAX = 256;
const IDEMPOTENCY_KEY = 'idempotencyKey';
/** A provider's key is a secret of its owner: it does not go through a model. */
const SECRETS = /apikey$/i;
/** The formats of JSON Schema that we use; our own mean nothing to other programs. */
const FORMATS = new Set<unknown>(['email', 'date-time', 'uri', 'uuid']);

type Properties = Record<string, JsonSchema>;

/** Path parameters, query and body of an endpoint as one flat object. */
export function argumentsSchema(
  endpoint: Endpoint,
  { readOnlyHint, fixed = {}, brief = {} }: Pick<ToolOptions, 'readOnlyHint' | 'fixed' | 'brief'>,
): JsonSchema {
  const path = pathParameters(endpoint.path);
  const inPath = path.map((name) => [name, { type: 'string', minLength: 1, maxLength: PATH_PARAMETER_MAX }]);
  const key = { type: 'string', description: 'A repeat with the same key and arguments gets the first answer again.' };
  const ofBody = Object.entries(propertiesOf(endpoint.body?.json)).filter(([name]) => !Object.hasOwn(fixed, name));
  const properties = {
    ...Object.fromEntries(inPath),
    ...propertiesOf(endpoint.query?.json),
    ...Object.fromEntries(ofBody.map(([name, json]) => [name, briefly(json, brief[name])])),
    ...(takesIdempotencyKey(endpoint) && !readOnlyHint ? { [IDEMPOTENCY_KEY]: key } : {}),
  };
  const required = [...path, ...requiredOf(endpoint.query?.json), ...requiredOf(endpoint.body?.json)];
  return { type: 'object', properties: forOthers(properties), required, additionalProperties: false };
}

function briefly(json: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? json : { type: json.type, description };
}

/** Throws what the endpoint itself would answer, and refuses names that the tool does not have. */
export function inputOf(endpoint: Endpoint, schema: JsonSchema, given: Json): Input {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schema.properties as Properties, name));
  if (unknown.length > 0)
    throw invalid(
      'The tool has no such argument.',
      unknown.map((name) => `${name.slice(0, 64)}: is unknown`).join('; '),
    );
  const { fixed = {}, either = [] } = operations[endpoint.operation].tool ?? {};
  if (either.filter((name) => given[name] !== undefined).length > 1)
    throw invalid(`The tool takes one of ${either.join(', ')}.`, either.map((name) => `${name}: give one`).join('; '));
  return {
    params: Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, pathParameter(name, given[name])])),
    query: endpoint.query ? validateQuery<Json>(endpoint.query as never, pick(given, endpoint.query.json)) : {},
    body: endpoint.body ? validateBody(endpoint.body, pick({ ...given, ...fixed }, endpoint.body.json), 0) : undefined,
    idempotencyKey: keyIn(given),
  };
}

/** Clients that name every argument give null for those that the agent left out. */
function keyIn({ [IDEMPOTENCY_KEY]: key }: Json): string | null {
  if (key === undefined || key === null) return null;
  if (typeof key !== 'string')
    throw invalid(`${IDEMPOTENCY_KEY} must be a text.`, `${IDEMPOTENCY_KEY}: must be a text`);
  return checkedKey(key);
}

export function pathOf(endpoint: Endpoint, params: Record<string, string>): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return fullPath(endpoint, path);
}

function pathParameter(name: string, value: unknown): string {
  if (value === undefined) throw invalid(`${name} is required.`, `${name}: is required`);
  if (typeof value !== 'string' || value === '' || value.length > PATH_PARAMETER_MAX)
    throw invalid(`${name} must be a text of 1 to ${PATH_PARAMETER_MAX} characters.`, `${name}: must be a text`);
  return value;
}

function pick(given: Json, schema: JsonSchema): Json {
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(propertiesOf(schema), name)));
}

function propertiesOf(schema: JsonSchema | undefined): Properties {
  const all = Object.entries((schema?.properties ?? {}) as Properties);
  return Object.fromEntries(all.filter(([name]) => !SECRETS.test(name)));
}

function requiredOf(schema: JsonSchema | undefined): string[] {
  return (schema?.required ?? []) as string[];
}

function forOthers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forOthers);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name, inner]) => !isOurs(name, inner));
  return Object.fromEntries(kept.map(([name, inner]) => [name, forOthers(inner)]));
}

/** Hints of ours, formats of ours, and second names of fields, which an agent does not need. */
function isOurs(keyword: string, value: unknown): boolean {
  if (keyword.startsWith('x-')) return true;
  if (keyword === 'format') return typeof value === 'string' && !FORMATS.has(value);
  const { description } = (value ?? {}) as { description?: unknown };
  return typeof description === 'string' && description.startsWith('Alias');
}
