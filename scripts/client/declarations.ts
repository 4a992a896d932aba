import type { Json } from '../../api/http/openapi/components.ts';

/** TypeScript of the JSON Schemas that our components use. openapi-typescript needs the compiler API, which TypeScript 7 has not. */

const LINE_MAX = 100;

export function declaration(name: string, schema: Json): string {
  const about = typeof schema.description === 'string' ? comment(schema.description, '') : '';
  const isInterface = schema.type === 'object' && schema.properties !== undefined;
  if (isInterface) return `${about}export interface ${name} ${typeOf(schema)}\n`;
  return `${about}export type ${name} =${inLines(typeOf(schema))};\n`;
}

function inLines(type: string): string {
  return type.length > LINE_MAX ? `\n  | ${type.replaceAll(' | ', '\n  | ')}` : ` ${type}`;
}

export function comment(text: string, indent: string): string {
  return `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

export function typeOf(schema: Json, indent = ''): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) as string;
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map(literal));
  const variants = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(variants)) return union(variants.map((one) => typeOf(one, indent)));
  const types = [schema.type].flat() as string[];
  return union(types.map((type) => plainType(type, schema, indent)));
}

function plainType(type: string, schema: Json, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return arrayOf(typeOf(schema.items as Json, indent));
    case 'object':
      return schema.properties ? objectOf(schema, indent) : recordOf(schema, indent);
    default:
      throw new Error(`A schema has the type ${type}, which client/types.ts cannot say: ${JSON.stringify(schema)}`);
  }
}

function objectOf({ properties, required = [] }: Json, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(properties as Record<string, Json>).map(([name, schema]) => {
    const about = typeof schema.description === 'string' ? comment(schema.description, inner) : '';
    const isRequired = (required as string[]).includes(name);
    return `${about}${inner}${name}${isRequired ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

function recordOf({ additionalProperties: values }: Json, indent: string): string {
  return `Record<string, ${typeof values === 'object' ? typeOf(values as Json, indent) : 'unknown'}>`;
}

function arrayOf(item: string): string {
  return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}
