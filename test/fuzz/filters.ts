import { expect } from 'chai';
import fc from 'fast-check';
import {
  compileFilter,
  compileWindows,
  type FilterSubject,
  filterToQuery,
  parseFilter,
  storedForm,
} from '../../core/people/filters/filters.ts';
import { BEHAVIOURS, isBehaviour, leavesOf, OPERATORS } from '../../core/people/filters/model.ts';
import { leastOf } from '../linear/cpu.ts';
import { type FuzzOptions, type FuzzResult, fuzz } from './run.ts';

const declared = {
  contactProperties: { plan: 'string', age: 'number', active: 'boolean', born: 'date' },
  event: { amount: 'number' },
} as const;
const FIELDS = [
  ...['email', 'firstName', 'lastName', 'userId', 'mobile', 'createdAt', 'updatedAt', 'event.name'],
  ...['contactProperties.plan', 'contactProperties.age', 'contactProperties.active', 'contactProperties.born'],
  ...['customFields.plan', 'contactProperties.unknown', 'event.properties.amount', 'event.properties.unknown'],
  ...['contactProperties.__proto__', 'contactProperties.constructor', '$where', 'projectId', 'contactProperties.$gt'],
];
const LONG = 4_096;

/** Runs, almost-matches of runs, and characters that patterns and queries give a meaning. */
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(
      fc.constantFrom('a', 'ab', ' ', '.', '(', '\\', '$', 'ſ', 'İ', '😀', '0', '\u0000'),
      fc.nat(LONG),
      fc.constantFrom('', 'b', '!'),
    )
    .map(([unit, times, end]) => (unit.repeat(times) + end).slice(-LONG)),
  fc.constantFrom(
    '',
    '1e400',
    '-0',
    '0x10',
    '2026-13-01',
    '2026-01-01T00:00:00Z',
    '__proto__',
    '$gt',
    'a'.repeat(999).concat('b'),
  ),
);
const values = fc.oneof(
  texts,
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, [], {}, { $gt: '' }, { $ne: null }),
  fc.tuple(texts, texts),
  fc.tuple(fc.double(), fc.double()),
  fc.jsonValue(),
);
const conditions = fc.record(
  {
    field: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: fc.string() }),
    operator: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...new Set(Object.values(OPERATORS).flat())) },
      { weight: 1, arbitrary: fc.string() },
    ),
    value: values,
    fieldType: fc.constantFrom('string', 'number', 'boolean', 'date', 'object', undefined, undefined),
    id: fc.oneof(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: ['field', 'operator', 'value'] },
);
const numbers = fc.oneof(fc.integer({ min: -1, max: 400 }), fc.double(), fc.string());
const behaviours = fc.record(
  {
    behaviour: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...BEHAVIOURS) },
      { weight: 1, arbitrary: fc.string() },
    ),
    operator: fc.constantFrom('at_least', 'never', 'equals'),
    count: numbers,
    withinDays: numbers,
    from: texts,
    to: texts,
    campaignId: fc.oneof(fc.constant('66f1c0a2e4b0a1b2c3d4e504'), texts),
    url: texts,
    eventName: fc.oneof(fc.constant('order'), texts),
    properties: fc.oneof(fc.dictionary(fc.constantFrom('amount', '__proto__', '$gt'), values), fc.jsonValue()),
  },
  { requiredKeys: ['behaviour', 'operator'] },
);
const { entries } = fc.letrec<{ entries: unknown }>((tie) => ({
  entries: fc.oneof(
    { maxDepth: 6 },
    { weight: 6, arbitrary: conditions },
    { weight: 3, arbitrary: behaviours },
    { weight: 1, arbitrary: fc.record({ groups: fc.array(tie('entries'), { maxLength: 4 }) }) },
  ),
}));
/** As a caller may send them: well-formed for the most part, any JSON else. */
export const filterInputs = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      { logicalOperator: fc.constantFrom('AND', 'OR', 'or', 'XOR'), groups: fc.array(entries, { maxLength: 55 }) },
      { requiredKeys: ['groups'] },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
/** One condition that is right as often as possible, fifty times: the most that a filter may ask of a contact. */
const worst = fc
  .record({
    field: fc.constantFrom('firstName', 'contactProperties.plan', 'contactProperties.age'),
    operator: fc.constantFrom('contains', 'not_contains', 'ends_with', 'equals'),
    value: texts.map((text) => text.slice(-1_000)),
    fieldType: fc.constant('string'),
  })
  .map((condition) => ({ logicalOperator: 'OR', groups: Array.from({ length: 50 }, () => condition) }));

const subjects = fc.record({
  contact: fc.record(
    {
      ...{ email: texts, firstName: texts, lastName: fc.constant(null), mobile: texts, createdAt: fc.date() },
      contactProperties: fc.dictionary(
        fc.constantFrom('plan', 'age', 'active', 'born'),
        fc.oneof(texts, fc.double(), fc.boolean()),
      ),
    },
    { requiredKeys: ['email'] },
  ),
  event: fc.record({ name: texts, properties: fc.record({ amount: fc.double() }) }),
});

/** Read or refused with what is wrong, matched against any contact, and never an operator of the database. */
export function fuzzFilters(options: FuzzOptions): Promise<FuzzResult> {
  return fuzz(
    'filters',
    fc.record({
      input: fc.oneof({ weight: 3, arbitrary: filterInputs }, { weight: 1, arbitrary: worst }),
      subject: subjects,
    }),
    ({ input, subject }) => {
      const work = () => {
        const read = parseFilter(input, declared);
        if (!read.ok) {
          expect(read.details).to.be.a('string').that.is.not.empty;
          expect(read.details.length).to.be.below(5_000);
          return;
        }
        for (const leaf of leavesOf(read.filter)) {
          expect(leaf.operator).to.match(/^[a-z_]+$/);
          if (isBehaviour(leaf)) continue;
          const { field } = leaf;
          expect(FIELDS.includes(field) || /^(contactProperties|event\.properties)\.\w{1,64}$/.test(field)).to.equal(
            true,
          );
        }
        expect(compileFilter(read.filter)(subject as unknown as FilterSubject)).to.be.a('boolean');
        filterToQuery(read.filter);
        expect(compileWindows(read.filter)?.(subject as unknown as FilterSubject) ?? 0).to.be.a('number');
        expect(parseFilter(storedForm(input as Record<string, unknown>, read.filter), declared).ok).to.equal(true);
      };
      return leastOf(work);
    },
    options,
  );
}
