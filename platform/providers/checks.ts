import { Ajv } from 'ajv';
import type { JsonSchema } from '../../schemas/schema.ts';

const ajv = new Ajv({ strict: false, allErrors: false });

/**
 * The answer when it matches its schema, or an error that names the first fault. The types are written next to the schemas: types with
 * everything nullable unfold too deep to be inferred. Provider A sends `null` for empty answers: `empty` replaces it.
 */
export function checkOf<T>(json: JsonSchema, empty?: T): (value: unknown) => T {
  const validate = ajv.compile(json);
  return (value) => {
    if (value === null && empty !== undefined) return empty;
    if (validate(value)) return value as T;
    const [fault] = validate.errors ?? [];
    throw new Error(`${fault?.instancePath || 'the answer'} ${fault?.message}`);
  };
}

const NAME_LENGTH_MAX = 1_000;
const HTML_LENGTH_MAX = 2 * 1024 * 1024;

/** Fragments: only fields that a migration reads are checked, so that a new field at the source breaks nothing. */
export const text = { type: 'string', maxLength: NAME_LENGTH_MAX } as const;
export const textOrNull = { type: ['string', 'null'], maxLength: NAME_LENGTH_MAX } as const;
export const bodyOrNull = { type: ['string', 'null'], maxLength: HTML_LENGTH_MAX } as const;
