import type { Endpoint } from '../../api/http/endpoint.ts';
import { Components } from '../../api/http/openapi/components.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { clientEndpoints, WRITTEN } from './operations.ts';
import { queryName } from './types.ts';

/** client/cli/fields.ts: what each command takes as flags. The types have the words of its help. */
export function commandFields(all: Endpoint[]): string {
  const rows = clientEndpoints(all).map((endpoint) => {
    const fields = fieldsOf((endpoint.body ?? endpoint.query)?.json);
    const takes = fields && `, type: ${JSON.stringify(typeName(endpoint))}, fields: ${JSON.stringify(fields)}`;
    return `  ${JSON.stringify(endpoint.operation)}: { about: ${JSON.stringify(endpoint.summary)}${takes} },\n`;
  });
  return `${WRITTEN}
/** By operation: what it does, the type of its body or query, and the fields of that: \`name:kind\`, with \`!\` when it is required, and in brackets what is text in an object. */
export const commandFields: Readonly<Record<string, { about: string; type?: string; fields?: string }>> = {\n${rows.join('')}};\n`;
}

function typeName({ body, query, operation }: Endpoint): string {
  if (!body) return query ? queryName(operation, query.json) : '';
  return String(new Components().show(body.json).$ref).split('/').at(-1) as string;
}

function fieldsOf(schema: JsonSchema | undefined): string {
  const required = (schema?.required ?? []) as string[];
  const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties)
    .map(([name, property]) => `${name}:${kindOf(property)}${required.includes(name) ? '!' : ''}${textsIn(property)}`)
    .join(' ');
}

/** The values in an object that are always text. `*`: each that the schema does not name. */
function textsIn({ properties, additionalProperties = {} }: JsonSchema): string {
  const inner = { ...(properties as object), '*': additionalProperties } as Record<string, JsonSchema>;
  const texts = Object.keys(inner).filter((name) => {
    const types = [inner[name]?.type].flat().filter((one) => one !== 'null');
    return types.every((one) => one === 'string');
  });
  return texts.length > 0 ? `(${texts})` : '';
}

function kindOf({ type, enum: choices, oneOf, anyOf }: JsonSchema): string {
  if (choices || oneOf || anyOf) return choices ? 'text' : 'object';
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.includes('string')) return 'text';
  if (types.includes('integer') || types.includes('number')) return 'number';
  if (types.includes('boolean')) return 'boolean';
  return types.includes('array') ? 'list' : 'object';
}
