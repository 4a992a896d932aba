import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { compileFilter, type FilterSubject, filterFields, parseFilter } from '../../../core/people/filters/filters.ts';
import { leastOf } from '../../linear/cpu.ts';

const DECLARED = { contactProperties: { age: 'number', vip: 'boolean', born: 'date', plan: 'string' } } as const;
const WITH_EVENT = { ...DECLARED, event: { amount: 'number' } } as const;

const LIST = '66f1c0a2e4b0a1b2c3d4e5a1';
const OTHER_LIST = '66f1c0a2e4b0a1b2c3d4e5b2';

const CONTACT = {
  email: 'ann@b.test',
  firstName: 'Ann',
  lastName: null,
  userId: '',
  mobile: '+12025550123',
  contactProperties: {
    age: 30,
    vip: true,
    born: '1996-03-01T00:00:00.000Z',
    plan: 'Gold Plus',
    seats: 5,
    note: 'ÄRGER?',
  },
  listIds: [new ObjectId(LIST)],
  createdAt: new Date('2026-01-10T00:00:00Z'),
  updatedAt: '2026-02-10T00:00:00.000Z',
};
const EVENT = { name: 'purchase', properties: { amount: 99.5, item: 'Hat' } };

type Row = [field: string, operator: string, value: unknown, fieldType?: string];

const HOLDS: Row[] = [
  ['email', 'equals', 'ANN@B.test'],
  ['firstName', 'starts_with', 'an'],
  ['firstName', 'ends_with', 'NN'],
  ['firstName', 'not_equals', 'Bob'],
  ['lastName', 'not_equals', 'x'],
  ['lastName', 'not_contains', 'x'],
  ['lastName', 'is_empty', undefined],
  ['userId', 'is_empty', null],
  ['contactProperties.nope', 'is_empty', 'ignored'],
  ['mobile', 'is_not_empty', undefined],
  ['mobile', 'contains', '+1202'],
  ['contactProperties.plan', 'contains', 'd p'],
  ['customFields.plan', 'equals', 'gold plus'],
  ['contactProperties.note', 'equals', 'ärger?'],
  ['contactProperties.seats', 'equals', 5],
  ['contactProperties.seats', 'equals', '5'],
  ['contactProperties.seats', 'greater_than', '4', 'number'],
  ['contactProperties.age', 'between', [30, 40]],
  ['contactProperties.age', 'between', ['20', 30]],
  ['contactProperties.age', 'less_than', 30.5],
  ['contactProperties.age', 'equals', '30'],
  ['contactProperties.age', 'contains', '3', 'string'],
  ['contactProperties.vip', 'equals', 'true'],
  ['contactProperties.vip', 'not_equals', false],
  ['contactProperties.gone', 'not_equals', true, 'boolean'],
  ['contactProperties.gone', 'not_equals', 5, 'number'],
  ['contactProperties.born', 'equals', '1996-03-01T01:00:00+01:00'],
  ['contactProperties.born', 'before', '1996-03-02'],
  ['contactProperties.born', 'is_not_empty', undefined],
  ['createdAt', 'after', '2026-01-09'],
  ['createdAt', 'between', ['2026-01-10', '2026-01-10T00:00:00.001Z']],
  ['updatedAt', 'after', 1767225600000],
  ['listIds', 'in_list', LIST.toUpperCase()],
  ['listIds', 'not_in_list', OTHER_LIST],
  ['event.name', 'equals', 'Purchase'],
  ['event.properties.amount', 'greater_than', 99],
  ['event.properties.item', 'equals', 'hat'],
];

const FAILS: Row[] = [
  ['listIds', 'in_list', OTHER_LIST],
  ['listIds', 'not_in_list', LIST],
  ['firstName', 'equals', 'Anna'],
  ['firstName', 'contains', '.nn'],
  ['lastName', 'equals', 'null'],
  ['lastName', 'contains', 'x'],
  ['userId', 'starts_with', 'a'],
  ['lastName', 'is_not_empty', undefined],
  ['firstName', 'is_empty', undefined],
  ['firstName', 'not_equals', 'ANN'],
  ['email', 'not_contains', '@'],
  ['contactProperties.constructor', 'is_not_empty', undefined],
  ['contactProperties.plan', 'equals', 5, 'number'],
  ['contactProperties.age', 'greater_than', 30],
  ['contactProperties.age', 'less_than', 30],
  ['contactProperties.age', 'not_equals', 30],
  ['contactProperties.vip', 'equals', 0],
  ['contactProperties.gone', 'equals', false, 'boolean'],
  ['contactProperties.gone', 'less_than', 5, 'number'],
  ['contactProperties.born', 'after', '1996-03-01'],
  ['createdAt', 'before', '2026-01-10'],
  ['event.properties.amount', 'less_than', 99],
  ['event.properties.toString', 'is_not_empty', undefined],
];

const REFUSED: [string, unknown, RegExp][] = [
  ['no object', 'x', /must be an object/],
  ['an array', [], /must be an object/],
  ['no groups', {}, /1 to 50/],
  ['empty groups', { groups: [] }, /1 to 50/],
  ['51 groups', { groups: Array(51).fill({ field: 'email', operator: 'is_empty' }) }, /1 to 50/],
  ['groups that are no array', { groups: { 0: {} } }, /1 to 50/],
  ['an unknown logicalOperator', { logicalOperator: 'XOR', groups: [condition('email', 'is_empty')] }, /AND or OR/],
  ...[
    'contactProperties.$where',
    'contactProperties.__proto__',
    'contactProperties.__proto__.x',
    'contactProperties.',
    'contactProperties.a.b',
    `contactProperties.${'a'.repeat(65)}`,
    'contactProperties',
    'projectId',
    'listIds.$[]',
    'a.b.c',
    'toString',
    'Email',
    '',
    '$where',
    'event.name',
    'event.properties.amount',
  ].map((field): [string, unknown, RegExp] => [
    `the field "${field.slice(0, 40)}"`,
    { groups: [condition(field, 'equals', 'x')] },
    /groups\/0\/field: must be one of email, firstName, lastName, userId, mobile, createdAt, updatedAt, contactProperties\.<name>/,
  ]),
  ['a field that is no string', { groups: [{ field: { $ne: 1 }, operator: 'equals', value: 'x' }] }, /field: must be/],
  ...['$where', 'regex', 'EQUALS', '', 'toString', 'greater_than', 'before'].map(
    (operator): [string, unknown, RegExp] => [
      `the operator "${operator}" for a string`,
      { groups: [condition('email', operator, 'x')] },
      /operator: must be one of equals/,
    ],
  ),
  ['an operator that is no string', { groups: [{ field: 'email', operator: ['equals'], value: 'x' }] }, /operator/],
  ['contains for a number', { groups: [condition('contactProperties.age', 'contains', 3)] }, /for a number/],
  ['is_empty for a boolean', { groups: [condition('contactProperties.vip', 'is_empty')] }, /for a boolean/],
  ['an unknown fieldType', { groups: [condition('contactProperties.x', 'equals', 'x', 'regex')] }, /fieldType/],
  ['another type for createdAt', { groups: [condition('createdAt', 'equals', 'x', 'string')] }, /must be date/],
  ['a missing value', { groups: [condition('email', 'equals')] }, /value: must be a string/],
  ['a null value', { groups: [condition('email', 'equals', null)] }, /value/],
  ['an empty value', { groups: [condition('email', 'equals', '')] }, /use is_empty/],
  ['an object as value', { groups: [condition('email', 'contains', { $regex: '.*' })] }, /value/],
  ['a value with NUL', { groups: [condition('email', 'contains', 'a\0')] }, /valid text/],
  ['a value with half a surrogate pair', { groups: [condition('email', 'contains', '\ud800')] }, /valid text/],
  ['a value over 1,000 characters', { groups: [condition('email', 'contains', 'a'.repeat(1_001))] }, /1000/],
  ['a number that is none', { groups: [condition('contactProperties.age', 'equals', 'abc')] }, /must be a number/],
  ['a day that no calendar has', { groups: [condition('createdAt', 'after', '2026-02-30')] }, /must be a date/],
  ['between with one value', { groups: [condition('contactProperties.age', 'between', [1])] }, /two numbers/],
  ['between with the higher first', { groups: [condition('contactProperties.age', 'between', [2, 1])] }, /lower first/],
  ['days that are no number', { groups: [condition('createdAt', 'in_last_days', 'x')] }, /groups\/0\/value: must be/],
  ['days that are not whole', { groups: [condition('createdAt', 'in_last_days', 1.5)] }, /whole number of days/],
  ['another operator of lists', { groups: [condition('listIds', 'equals', LIST)] }, /operator: must be one of in_list/],
  [
    'a list that is no id',
    { groups: [condition('listIds', 'in_list', 'Customers')] },
    /value: must be the id of a list/,
  ],
  ['several lists', { groups: [condition('listIds', 'in_list', [LIST])] }, /value: must be the id of a list/],
  ['a type for lists', { groups: [condition('listIds', 'in_list', LIST, 'string')] }, /fieldType: must not be given/],
  ['in_last_days of a text', { groups: [condition('email', 'in_last_days', 7)] }, /operator: must be one of/],
  ['a sixth level', nestedIn(6), /^filterCriteria(\/groups\/0){5}: must not be deeper than 5 levels$/],
  [
    '101 conditions in all',
    { groups: [50, 50, 1].map((count) => ({ groups: Array(count).fill(condition('email', 'is_empty')) })) },
    /100 conditions at most/,
  ],
  ['an empty group inside a group', { groups: [{ groups: [] }] }, /groups\/0\/groups: must hold 1 to 50/],
];

describe('filters', () => {
  for (const row of HOLDS) it(`${describeRow(row)} holds`, () => expect(holds(row)).to.equal(true));
  for (const row of FAILS) it(`${describeRow(row)} does not hold`, () => expect(holds(row)).to.equal(false));

  for (const [what, input, message] of REFUSED)
    it(`refuses ${what}`, () => {
      const parsed = parseFilter(input, DECLARED);
      expect(parsed.ok).to.equal(false);
      if (!parsed.ok)
        expect(parsed.details)
          .to.match(message)
          .and.to.match(/^filterCriteria/);
    });

  it('takes conditions for groups and and for AND, and keeps the ids of conditions', () => {
    const parsed = parseFilter(
      { logicalOperator: 'and', conditions: [{ id: 'c1', field: 'customFields.age', operator: 'equals', value: '7' }] },
      DECLARED,
    );
    expect(parsed).to.deep.equal({
      ok: true,
      filter: {
        logicalOperator: 'AND',
        groups: [{ id: 'c1', field: 'contactProperties.age', fieldType: 'number', operator: 'equals', value: 7 }],
      },
    });
  });

  it('needs every condition with AND and one with OR', () => {
    const groups = [condition('firstName', 'equals', 'ann'), condition('firstName', 'equals', 'bob')];
    expect(matches({ logicalOperator: 'AND', groups })).to.equal(false);
    expect(matches({ logicalOperator: 'OR', groups })).to.equal(true);
  });

  it('needs what each level says: OR inside AND, down to the fifth', () => {
    const either = {
      logicalOperator: 'OR',
      groups: [condition('firstName', 'equals', 'bob'), condition('email', 'contains', 'ann')],
    };
    const age = (value: number) => condition('contactProperties.age', 'equals', value);
    expect(matches({ groups: [age(30), either] })).to.equal(true);
    expect(matches({ groups: [age(31), either] })).to.equal(false);
    expect(matches({ logicalOperator: 'OR', groups: [age(31), { groups: [either, age(30)] }] })).to.equal(true);
    expect(matches(nestedIn(5))).to.equal(true);
  });

  it('holds dates of the last days, up to now, and for not_in_last_days the others and those without a date', () => {
    const nowMs = Date.parse('2026-01-17T00:00:00Z');
    const isIn = (field: string, days: number, operator = 'in_last_days', fieldType?: string) =>
      matches({ groups: [condition(field, operator, days, fieldType)] }, { contact: CONTACT, nowMs });
    expect([isIn('createdAt', 8), isIn('createdAt', 7)]).to.deep.equal([true, false]);
    expect([isIn('createdAt', 8, 'not_in_last_days'), isIn('createdAt', 7, 'not_in_last_days')]).to.deep.equal([
      false,
      true,
    ]);
    // It was updated in February, which is still to come.
    expect([isIn('updatedAt', 100), isIn('updatedAt', 100, 'not_in_last_days')]).to.deep.equal([false, true]);
    expect(isIn('contactProperties.gone', 7, 'not_in_last_days', 'date')).to.equal(true);
  });

  it('names up to five faults at once and their places', () => {
    const parsed = parseFilter(
      { groups: Array(9).fill(condition('nope', 'equals', 'x')) },
      DECLARED,
      'branches/1/filterCriteria',
    );
    expect(parsed.ok).to.equal(false);
    if (!parsed.ok) expect(parsed.details.match(/branches\/1\/filterCriteria\/groups\/\d\/field/g)).to.have.length(5);
  });

  it('refuses 1,000 nested groups at once', () => {
    let nested: unknown = condition('email', 'is_empty');
    for (let depth = 0; depth < 1_000; depth++) nested = { groups: [nested] };
    expect(parseFilter(nested, DECLARED).ok).to.equal(false);
    expect(leastOf(() => parseFilter(nested, DECLARED), 300)).to.be.below(300);
  });

  it('says what it depends on', () => {
    const parsed = parseFilter(
      {
        groups: [
          condition('email', 'is_empty'),
          condition('customFields.age', 'equals', 1),
          condition('contactProperties.age', 'equals', 2),
          condition('listIds', 'in_list', LIST),
        ],
      },
      DECLARED,
    );
    expect(parsed.ok && filterFields(parsed.filter)).to.deep.equal(['email', 'contactProperties.age', 'listIds']);
  });

  it('reads its own result to the same filter', () => {
    for (const [field, operator, value, fieldType] of HOLDS) {
      const once = parseFilter({ groups: [condition(field, operator, value, fieldType)] }, WITH_EVENT);
      expect(once.ok && parseFilter(once.filter, WITH_EVENT)).to.deep.equal(once);
    }
  });

  it('answers every input without throwing', () => {
    const anything = fc.anything({ withNullPrototype: true });
    const group = fc.record(
      {
        field: fc.oneof(fc.constantFrom('email', 'contactProperties.x', 'createdAt'), anything),
        operator: fc.oneof(fc.constantFrom('equals', 'between', 'contains'), anything),
        value: anything,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.record({ logicalOperator: anything, groups: fc.array(group) }, { requiredKeys: [] })),
        (input) => {
          const parsed = parseFilter(input, DECLARED);
          if (parsed.ok) expect(compileFilter(parsed.filter)({ contact: CONTACT })).to.be.a('boolean');
        },
      ),
      { numRuns: 400 },
    );
  });

  it('is quick enough to look at every change of every contact', () => {
    const parsed = parseFilter(
      { groups: HOLDS.slice(0, 10).map(([field, operator, value]) => condition(field, operator, value)) },
      DECLARED,
    );
    if (!parsed.ok) throw new Error(parsed.details);
    const match = compileFilter(parsed.filter);
    const matchMany = () => {
      for (let run = 0; run < 100_000; run++) match({ contact: CONTACT });
    };
    expect(leastOf(matchMany, 5_000)).to.be.below(5_000);
  });
});

function nestedIn(levels: number): unknown {
  return levels === 0 ? condition('email', 'is_not_empty') : { groups: [nestedIn(levels - 1)] };
}

function condition(field: string, operator: string, value?: unknown, fieldType?: string): Record<string, unknown> {
  return { field, operator, value, fieldType };
}

function matches(input: unknown, subject: FilterSubject = { contact: CONTACT, event: EVENT }): boolean {
  const parsed = parseFilter(input, WITH_EVENT);
  if (!parsed.ok) throw new Error(parsed.details);
  return compileFilter(parsed.filter)(subject);
}

function holds([field, operator, value, fieldType]: Row): boolean {
  return matches({ groups: [condition(field, operator, value, fieldType)] });
}

function describeRow([field, operator, value, fieldType]: Row): string {
  return `${field} ${operator} ${JSON.stringify(value) ?? ''}${fieldType ? ` as ${fieldType}` : ''}`;
}
