import { type Endpoint, fullPath } from '../../api/http/endpoint.ts';
import { listIn } from '../../schemas/common.ts';

export const WRITTEN = '// Written by `npm run openapi` from the endpoint table. A test holds it fresh.\n';

export type Kind = 'json' | 'page' | 'stream' | 'download' | 'upload';

/** How an operation answers: JSON, a page of a list, an event stream or a file; `upload` takes a file and answers JSON. */
export function kindOf({ rawBody, produces, answer }: Endpoint): Kind {
  if (rawBody) return 'upload';
  if (produces) return produces.includes('text/event-stream') ? 'stream' : 'download';
  return answer && listIn(answer.json) ? 'page' : 'json';
}

/** The operations that a client has: those with a key or a session, and those that sign in. MCP has clients of its own. */
export function clientEndpoints(endpoints: Endpoint[]): Endpoint[] {
  const called = endpoints.filter(
    ({ key, forConsole, operation }) => (key !== 'none' || forConsole) && operation !== 'mcp.call',
  );
  return called.toSorted((a, b) => (a.operation < b.operation ? -1 : 1));
}

/** client/operations.ts */
export function clientOperations(endpoints: Endpoint[]): string {
  const resources = Map.groupBy(clientEndpoints(endpoints), ({ operation }) => operation.split('.')[0] as string);
  const tables = [...resources].map(
    ([resource, some]) => `  ${resource}: {\n${some.map((one) => `    ${rowOf(one)}\n`).join('')}  },\n`,
  );
  return `${WRITTEN}
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With {names} in braces, which are the first arguments of the call. */
  readonly path: string;
  /** page: the answer holds \`pagination\`, and its list under \`entries\`. upload: the body is a file. */
  readonly kind: 'json' | 'page' | 'stream' | 'download' | 'upload';
  readonly entries?: string;
  /** Whether the next argument is the body, or the query. */
  readonly takes?: 'body' | 'query';
  /** The field of the answer that is shown once: the answer to a repeat has it no more. */
  readonly secret?: string;
}

/** Resource, verb and the request that it makes; resources.ts has the types of the calls. */
export const operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
${tables.join('')}};
`;
}

function rowOf(endpoint: Endpoint): string {
  const { operation, method, path, answer, body, query, secret } = endpoint;
  const kind = kindOf(endpoint);
  const list = kind === 'page' && answer ? listIn(answer.json) : null;
  const facts = [
    `method: '${method.toUpperCase()}'`,
    `path: '${fullPath(endpoint, path)}'`,
    `kind: '${kind}'`,
    ...(list ? [`entries: '${list.plural}'`] : []),
    ...(body ? ["takes: 'body'"] : query ? ["takes: 'query'"] : []),
    ...(secret ? [`secret: '${secret}'`] : []),
  ];
  return `${operation.split('.')[1]}: { ${facts.join(', ')} },`;
}
