import { type Endpoint, fullPath, pathParameters } from '../../api/http/endpoint.ts';
import type { Environment } from '../support/environment.ts';

export const UNKNOWN = '0123456789abcdef01234567';
/** Queries of operations that do nothing without one. */
const NEEDED: Record<string, string> = {
  'campaigns.people': '?did=sent',
  'campaigns.exportPeople': '?did=sent',
};

/** Calls the endpoint with an empty body, about the thing with this id. A stream is left as soon as its headers have come. */
export async function ask(
  { url }: Pick<Environment, 'url'>,
  endpoint: Endpoint,
  headers: Record<string, string>,
  id = UNKNOWN,
) {
  const [first, ...rest] = pathParameters(endpoint.path);
  const path = rest.reduce((made, name) => made.replace(`{${name}}`, UNKNOWN), endpoint.path.replace(`{${first}}`, id));
  const leaving = new AbortController();
  const json = endpoint.body ? { 'Content-Type': 'application/json' } : {};
  const query = endpoint.query?.json.required ? NEEDED[endpoint.operation] : '';
  const response = await fetch(`${url}${fullPath(endpoint, path)}${query}`, {
    method: endpoint.method.toUpperCase(),
    headers: { ...json, ...headers },
    ...(endpoint.body ? { body: '{}' } : {}),
    signal: leaving.signal,
  });
  const { status, headers: answered } = response;
  const isStream = answered.get('content-type')?.startsWith('text/event-stream');
  if (isStream) leaving.abort();
  const text = isStream ? '' : await response.text();
  return { status, text, body: answered.get('content-type')?.includes('json') ? JSON.parse(text) : undefined };
}
