import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/**
 * A JSON Schema together with the type it describes. The type is inferred here once, so that the compiler never unfolds it twice. A `title`
 * makes a schema, or a part of one, a component of the OpenAPI document; one title is one schema, with or without null.
 */
export interface Schema<T> {
  readonly json: JsonSchema;
  readonly described?: T;
}

export type JsonSchema = { readonly [keyword: string]: unknown };
export type Described<S> = S extends Schema<infer T> ? T : never;

export function schema<const S extends JSONSchema>(json: S): Schema<FromSchema<S>> {
  return { json: json as unknown as JsonSchema };
}

const named = ['properties'];
const listed = ['oneOf', 'anyOf', 'allOf'];
const single = ['items', 'additionalProperties', 'propertyNames'];

/** A schema with each of the schemas directly inside it replaced. */
export function mapInside(schema: JsonSchema, replace: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (typeof value !== 'object' || value === null) return [keyword, value];
    if (named.includes(keyword))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replace(inner)]))];
    if (listed.includes(keyword)) return [keyword, (value as JsonSchema[]).map(replace)];
    return [keyword, single.includes(keyword) ? replace(value as JsonSchema) : value];
  });
  return Object.fromEntries(entries);
}

/** For answers: their type is not used, and inferring it would cost the compiler more than all bodies together. */
export function shape(json: JsonSchema): Schema<unknown> {
  return { json };
}
