import { type Endpoint, pathParameters } from '../../api/http/endpoint.ts';
import { Components } from '../../api/http/openapi/components.ts';
import { listIn } from '../../schemas/common.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { comment, typeOf } from './declarations.ts';
import { clientEndpoints, kindOf, WRITTEN } from './operations.ts';
import { queryName } from './types.ts';

/** client/resources.ts: the methods of each resource as a user of the client sees them. */
export function clientResources(all: Endpoint[]): string {
  const components = new Components();
  const resources = [...Map.groupBy(clientEndpoints(all), ({ operation }) => operation.split('.')[0] as string)];
  const interfaces = resources.map(([resource, endpoints]) => {
    const methods = endpoints.map((endpoint) => methodOf(endpoint, components));
    return `export interface ${interfaceName(resource)} {\n${methods.join('')}}\n`;
  });
  const fields = resources.map(([resource]) => `  readonly ${resource}: ${interfaceName(resource)};\n`);
  const text = [...interfaces, `export interface Resources {\n${fields.join('')}}\n`].join('\n');
  return `${WRITTEN}${imports(text)}\n${text}`;
}

function interfaceName(resource: string): string {
  return `${resource[0]?.toUpperCase()}${resource.slice(1)}Calls`;
}

function methodOf(endpoint: Endpoint, components: Components): string {
  const { operation, summary } = endpoint;
  const verb = operation.split('.')[1];
  const given = [...parametersOf(endpoint, components), `options?: ${optionsOf(endpoint)}`];
  return `${comment(summary, '  ')}  ${verb}(${given.join(', ')}): ${returnOf(endpoint, components)};\n`;
}

/** A query without required fields may be left out; so may such a body of a verb on one thing (migrations.retry), not of a change. */
function parametersOf(endpoint: Endpoint, components: Components): string[] {
  const { operation, method, path, body, query, bareArrayAs } = endpoint;
  const mark = ({ required = [] }: JsonSchema, mayMiss: boolean) => {
    return mayMiss && (required as string[]).length === 0 ? '?' : '';
  };
  const isVerb = method === 'post' && path.includes('{');
  const properties = (body?.json.properties ?? {}) as Record<string, JsonSchema>;
  const bare = properties[bareArrayAs ?? ''];
  const bodyType = body && [body.json, ...(bare ? [bare] : [])].map((one) => typeOf(components.show(one))).join(' | ');
  return [
    ...pathParameters(path).map((name) => `${name}: string`),
    ...(kindOf(endpoint) === 'upload' ? ['file: Uploadable'] : []),
    ...(body ? [`body${mark(body.json, isVerb)}: ${bodyType}`] : []),
    ...(query && !body ? [`query${mark(query.json, true)}: ${queryName(operation, query.json)}`] : []),
  ];
}

function optionsOf(endpoint: Endpoint): string {
  if (kindOf(endpoint) === 'stream') return 'StreamOptions';
  return endpoint.method === 'post' && kindOf(endpoint) !== 'upload' ? 'PostOptions' : 'CallOptions';
}

function returnOf(endpoint: Endpoint, components: Components): string {
  const { answer, events } = endpoint;
  const shown = (schema: JsonSchema | undefined) => (schema ? typeOf(components.show(schema)) : 'void');
  switch (kindOf(endpoint)) {
    case 'page':
      return `Pages<${shown(answer?.json)}, ${shown(answer && listIn(answer.json)?.entry)}>`;
    case 'stream':
      return `AsyncGenerator<${shown(events?.json)}, void>`;
    case 'download':
      return 'Promise<Download>';
    default:
      return `Promise<${shown(answer?.json)}>`;
  }
}

const files: Record<string, string> = {
  Download: './calls/downloads.ts',
  Pages: './calls/pages.ts',
  StreamOptions: './calls/streams.ts',
  CallOptions: './calls/transport.ts',
  PostOptions: './calls/transport.ts',
  Uploadable: './calls/uploads.ts',
};
const builtIn = new Set(['Promise', 'AsyncGenerator', 'Record', 'Resources']);

function imports(text: string): string {
  const signatures = text.split('\n').filter((line) => /^ {2}\w+\(/.test(line));
  const names = new Set(
    signatures.flatMap((line) => line.match(/\b[A-Z]\w*\b/g) ?? []).filter((name) => !builtIn.has(name)),
  );
  const byFile = Map.groupBy([...names].sort(), (name) => files[name] ?? './types.ts');
  return [...byFile]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, some]) => `import type { ${some.join(', ')} } from '${file}';\n`)
    .join('');
}
