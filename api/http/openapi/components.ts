import { isDeepStrictEqual } from 'node:util';
import { type JsonSchema, mapInside } from '../../../schemas/schema.ts';

export type Json = Record<string, unknown>;

/** Every schema with a title, under that title: one component, however many operations use it. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /** A schema as the document shows it: parts with a title are references. */
  show(schema: JsonSchema): Json {
    const { title, description, ...rest } = schema;
    if (typeof title !== 'string') return this.#inside(schema);
    const { own, isNullable } = withoutNull(rest);
    const reference = this.add(title, this.#inside(own));
    const shown = isNullable ? { oneOf: [reference, { type: 'null' }] } : reference;
    return description === undefined ? shown : { ...shown, description };
  }

  add(title: string, schema: Json): Json {
    const known = this.schemas[title];
    if (known && !isDeepStrictEqual(known, schema))
      throw new Error(`Two different schemas have the title ${title}. Give one of them another.`);
    this.schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  }

  #inside(schema: JsonSchema): Json {
    return mapInside(forOthers(schema), (inner) => this.show(inner));
  }
}

/** null is said where a component is used, so that the component itself is the same everywhere; unless it is a choice of types. */
function withoutNull(schema: JsonSchema): { own: JsonSchema; isNullable: boolean } {
  const types = [schema.type].flat().filter((type) => type !== undefined);
  const values = schema.enum as readonly unknown[] | undefined;
  const isNullable = types.includes('null') || (types.length === 0 && values?.includes(null) === true);
  if (!isNullable) return { own: schema, isNullable };
  const rest = types.filter((type) => type !== 'null');
  if (rest.length > 1) return { own: schema, isNullable: false };
  const own = {
    ...schema,
    ...(rest.length > 0 ? { type: rest[0] } : {}),
    ...(values ? { enum: values.filter((value) => value !== null) } : {}),
  };
  return { own, isNullable };
}

const CONTROL = '\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029';
const LINE = `^[^${CONTROL}]*$`;
const LINE_OF_TEXT = `^[^${CONTROL}]*[^\\s\\ufeff${CONTROL}][^${CONTROL}]*$`;

/** Other tools do not know our own formats and keywords, and want a type with every list of values. */
function forOthers(schema: JsonSchema): Json {
  const { format, ...rest } = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !keyword.startsWith('x-')),
  );
  const typed = rest.type === undefined ? { ...typeOf(rest), ...rest } : rest;
  if (format === undefined) return oneTypeEach(typed);
  if (format === 'line') return oneTypeEach({ ...typed, pattern: rest.pattern === undefined ? LINE : LINE_OF_TEXT });
  return oneTypeEach({ ...typed, format });
}

const ofStrings = ['minLength', 'maxLength', 'pattern', 'format'];

/** A value of several types is one of several schemas: generators know no type that is a list, but for null. */
function oneTypeEach(schema: Json): Json {
  const { type, description, ...rest } = schema;
  if (!Array.isArray(type) || type.filter((one) => one !== 'null').length < 2) return schema;
  const rules = Object.entries(rest);
  const rulesOf = (one: string) =>
    Object.fromEntries(rules.filter(([name]) => one === 'string' && ofStrings.includes(name)));
  const others = Object.fromEntries(rules.filter(([name]) => !ofStrings.includes(name)));
  const anyOf = type.map((one: string) => ({ type: one, ...rulesOf(one) }));
  return { ...others, anyOf, ...(description === undefined ? {} : { description }) };
}

function typeOf({ enum: values, const: value }: Json): Json {
  const listed = Array.isArray(values) ? values : value === undefined ? [] : [value];
  const types = [...new Set(listed.map((one) => (one === null ? 'null' : typeof one)))];
  return types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types };
}
