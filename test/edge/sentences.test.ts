import { expect } from 'chai';
import { endpointTable } from '../../api/http/table.ts';
import { validateBody } from '../../api/http/validate.ts';
import type { AppError } from '../../core/base/errors.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { type JsonSchema, shape } from '../../schemas/schema.ts';
import {
  FIELD_SENTENCES,
  FORMAT_SENTENCES,
  PATTERN_SENTENCES,
  type Refused,
  sentenceOf,
} from '../../schemas/sentences.ts';
import { useEnvironment } from '../support/environment.ts';

/** Keywords that refuse nothing, and those that only hold other schemas. */
const SILENT = new Set([
  'title',
  'description',
  'default',
  'examples',
  'x-hint',
  'x-checked-alone',
  'items',
  'properties',
  'propertyNames',
]);
/** The names that Ajv gives to what a rule allows. */
const PARAMS: Record<string, (value: unknown) => Record<string, unknown>> = {
  pattern: (pattern) => ({ pattern }),
  format: (format) => ({ format }),
  enum: (allowedValues) => ({ allowedValues }),
  type: (type) => ({ type }),
  additionalProperties: () => ({ additionalProperty: 'x' }),
  required: () => ({ missingProperty: 'x' }),
};

/** Each rule of a schema, with the field that it is a rule of. */
function rulesOf(json: JsonSchema, field = ''): Refused[] {
  return Object.entries(json).flatMap(([rule, value]): Refused[] => {
    if (rule === 'properties')
      return Object.entries(value as Record<string, JsonSchema>).flatMap(([name, inner]) => rulesOf(inner, name));
    const inside =
      typeof value === 'object' && value !== null && ['items', 'propertyNames', 'additionalProperties'].includes(rule);
    if (inside) return rulesOf(value as JsonSchema, field);
    if (SILENT.has(rule)) return [];
    const params = PARAMS[rule]?.(value) ?? { limit: value };
    return [{ rule, params, field, schema: json }];
  });
}

const rules = endpointTable(createMetrics()).flatMap(({ operation, body, query }) =>
  [body, query].flatMap((one) => (one ? rulesOf(one.json).map((refused) => ({ operation, ...refused })) : [])),
);
const withoutSentence = (all: readonly Refused[]) => all.filter((refused) => sentenceOf(refused) === null);

describe('The sentences of refusals', () => {
  it('are there for every rule of every body and query', () => {
    expect(rules.length).to.be.greaterThan(1_000);
    const missing = rules.filter((refused) => sentenceOf(refused) === null);
    expect(missing.map(({ operation, field, rule, params }) => [operation, field, rule, params])).to.deep.equal([]);
    const unknown = rulesOf({ properties: { a: { pattern: '^x$' }, b: { format: 'shape' }, c: { contains: 1 } } });
    expect(withoutSentence(unknown).map(({ field }) => field)).to.deep.equal(['a', 'b', 'c']);
  });

  it('are plain words, without the signs of a pattern or a semicolon', () => {
    for (const refused of rules.filter(({ rule }) => rule !== 'enum'))
      expect(sentenceOf(refused)).to.match(/^(must|is) (?:(?!pattern|schema|integer|boolean)[^;^$\\<>=[\]])+$/);
  });

  it('are all used', () => {
    const seen = new Set(rules.flatMap(({ field, rule, params }) => [`${field} ${rule}`, ...Object.values(params)]));
    for (const table of [FIELD_SENTENCES, PATTERN_SENTENCES, FORMAT_SENTENCES])
      expect(Object.keys(table).filter((key) => !seen.has(key))).to.deep.equal([]);
  });

  it('say what each kind of value may be', () => {
    const refusal = (json: JsonSchema, body: unknown) => {
      try {
        validateBody(shape({ type: 'object', properties: { a: json } }), body, 10);
        return null;
      } catch (error) {
        return (error as AppError).details;
      }
    };
    const cases: Array<[JsonSchema, unknown, string]> = [
      [{ type: 'integer', minimum: 1, maximum: 9 }, 10, 'must be from 1 to 9'],
      [{ type: 'integer', minimum: 1 }, 0, 'must be 1 or more'],
      [{ type: 'integer', maximum: 9 }, 10, 'must be 9 or less'],
      [{ type: ['integer', 'null'] }, 'x', 'must be a whole number, or null for none'],
      [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
      [{ type: 'array', minItems: 1, items: {} }, [], 'must hold at least one entry'],
      [{ type: 'array', maxItems: 1, items: {} }, [1, 2], 'must hold 1 entry at most'],
      [{ enum: ['x', null] }, 'y', 'must be one of x, null'],
      [
        { type: 'object', propertyNames: { pattern: '^[A-Za-z0-9_]{1,64}$' } },
        { 'b c': 1 },
        `has a name that is not allowed: b c (it must be 1 to 64 letters (a to z), digits and underscores, without spaces)`,
      ],
      [{ type: 'string', pattern: '^nothing knows this$' }, 'x', 'is not valid'],
    ];
    for (const [json, value, said] of cases) expect(refusal(json, { a: value })).to.equal(`a: ${said}`);
    expect(refusal({ type: 'integer', maximum: 9 }, { a: 9 })).to.equal(null);
  });
});

describe('A refusal', () => {
  const environment = useEnvironment();

  it('has the same sentence in its message and its details', async () => {
    const { client } = environment.own;
    const { status, body } = await client.post('/custom-fields', { fieldName: 'City name', fieldType: 'string' });
    const details = 'fieldName: must be 1 to 64 letters (a to z), digits and underscores, without spaces';
    expect([status, body.error]).to.deep.equal([
      400,
      { message: `The request is not valid: ${details}`, code: 'VALIDATION_ERROR', details },
    ]);
  });
});
