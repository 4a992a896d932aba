import { Ajv, type ValidateFunction } from 'ajv';
import type { JsonSchema } from '../../../../schemas/schema.ts';
import { sentenceOf } from '../../../../schemas/sentences.ts';
import type { Fault } from './kind.ts';

const ajv = new Ajv({
  allowUnionTypes: true,
  strictTypes: false,
  verbose: true,
  formats: { line: (text: string) => !/\p{Cc}|\u2028|\u2029/u.test(text) },
});
const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** The first fault of a value by its schema. */
export function shapeFault(schema: JsonSchema, value: unknown): Fault | undefined {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return undefined;
  const { keyword, params, instancePath, parentSchema = {} } = validate.errors![0]!;
  const inside: unknown = params.missingProperty ?? params.additionalProperty;
  const places = [...instancePath.split('/').slice(1), ...(inside === undefined ? [] : [String(inside)])];
  const field = places.findLast((place) => !/^\d+$/.test(place)) ?? '';
  const sentence = sentenceOf({ rule: keyword, params, field, schema: parentSchema as JsonSchema });
  return { field: places.join('/'), sentence: sentence ?? 'is not valid' };
}
