import type { Endpoint } from '../../api/http/endpoint.ts';
import type { JsonSchema } from '../../schemas/schema.ts';
import { clientEndpoints, WRITTEN } from './operations.ts';

/** client/cli/fields.ts: what each command takes as flags, and what its help says. */
export function commandFields(all: Endpoint[]): string {
  const rows = clientEndpoints(all).map(({ operation, summary, body, query }) => {
    const fields = fieldsOf((body ?? query)?.json);
    const lines = fields.map((field) => `    ${JSON.stringify(field)},\n`).join('');
    return `  ${JSON.stringify(operation)}: { about: ${JSON.stringify(summary)}, fields: [${lines && `\n${lines}  `}] },\n`;
  });
  return `${WRITTEN}import type { Field } from './command.ts';

/** By operation: what it does, and the fields of its body or query. */
export const commandFields: Readonly<Record<string, { about: string; fields: readonly Field[] }>> = {\n${rows.join('')}};\n`;
}

function fieldsOf(schema: JsonSchema | undefined): object[] {
  const required = (schema?.required ?? []) as string[];
  const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties).map(([name, property]) => {
    const { enum: own, items } = property as { enum?: unknown[]; items?: { enum?: unknown[] } };
    const choices = (own ?? items?.enum ?? []).filter((choice) => choice !== null).join(', ');
    const about = [property.description, choices && `One of ${choices}.`].filter(Boolean).join(' ');
    return {
      name,
      kind: kindOf(property),
      ...(required.includes(name) ? { isRequired: true } : {}),
      ...(about ? { about } : {}),
    };
  });
}

function kindOf({ type, enum: choices, oneOf, anyOf }: JsonSchema): string {
  if (choices || oneOf || anyOf) return choices ? 'text' : 'object';
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.includes('string')) return 'text';
  if (types.includes('integer') || types.includes('number')) return 'number';
  if (types.includes('boolean')) return 'boolean';
  return types.includes('array') ? 'list' : 'object';
}
