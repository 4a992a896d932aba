import { expect } from 'chai';
import fc from 'fast-check';
import { type Collection, MongoClient } from 'mongodb';
import { compileFilter, type Filter, filterToQuery, parseFilter } from '../../../core/people/filters/filters.ts';

const WORDS = [
  'Gold',
  'gold',
  'GOLD plus',
  'straße',
  'STRASSE',
  'Ünal',
  'ünal',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος',
  'İstanbul',
  'istanbul',
  'ſweet',
  'Sweet',
  '\u212aelvin',
  'kelvin',
  'Вася',
  'Ა',
  'ა',
  'a.b',
  'a\n',
  'a',
  '$x',
  '(a+)+$',
  '\\',
  'e',
  '1e5',
  '例え',
  '😀',
  'true',
  'False',
  ' ',
  'ß',
  'ẞ',
  'e\u0301',
  'É',
  'ı',
  '\u0345',
  '🙂🙃',
  '\ud801\udc00',
  '\ud801\udc28',
  '\ufb05',
  `${'a'.repeat(150)}b`,
  `${'A'.repeat(300)}B ${'a'.repeat(150)}\u212a`,
];
const NUMBERS = [
  '5',
  '5.0',
  '+5',
  ' 5 ',
  '5 ',
  '05',
  '.5',
  '5.',
  '-0',
  '0',
  '1e3',
  '1E3',
  '1e21',
  '1e+21',
  '1e400',
  '1e-400',
  '0x10',
  'NaN',
  'inf',
  '1,5',
  '9007199254740993',
  '0.1',
  '1e22',
  '5\n',
];
const DATES = [
  '2026-01-15',
  '2026-01-15T00:00:00.000Z',
  '2026-01-15T00:00:00Z',
  '2026-01-15T01:00:00+01:00',
  '2026-01-15T01:00+01',
  '2026-01-15 00:00:00',
  '2026-01-15t00:00z',
  '2026-01-15T00:00:00.0009',
  '2026-01-15T00:00:00.123456789Z',
  '2026-02-30',
  '2024-02-29',
  '0000-01-01',
  '0001-01-01',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-01:00',
  '2026-01-15T24:00',
  '2026-01-15T10:60',
  '2026-01-15T00:00:60Z',
  '2026-01-15T00:00:00+24:00',
  '2026-01-15T00:00:00-0030',
  '2026',
  'today',
  '1 January 2026',
  '2026-01-15\n',
];
const STORED_NUMBERS = [
  5, -5, 0, -0, 0.5, 1e21, 1e22, 5e-7, 9007199254740992, 1768435200000, 1768435200000.5, -62135596800000,
  -62135596800001, 253402300799999, 253402300800000, 8.64e15, 1e300,
];

const word = fc.oneof(fc.constantFrom(...WORDS, ...NUMBERS, ...DATES), fc.string({ unit: 'grapheme', maxLength: 3 }));
const stored = fc.oneof(
  word,
  fc.constantFrom(...STORED_NUMBERS, null, '', true, false),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }).map((date) => date.toISOString()),
);
const name = fc.oneof(word, fc.constantFrom(null, ''));
const time = fc
  .constantFrom('2026-01-15T00:00:00.000Z', '2026-01-15T00:00:00.123Z', '1969-12-31T23:59:59.999Z')
  .map((text) => new Date(text));
const contact = fc.record({
  email: fc.emailAddress(),
  firstName: name,
  lastName: name,
  userId: name,
  mobile: name,
  contactProperties: fc.dictionary(fc.constantFrom('x', 'constructor'), stored),
  createdAt: time,
  updatedAt: time,
});

const OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'is_empty',
  'is_not_empty',
  'greater_than',
  'less_than',
  'between',
  'before',
  'after',
];
const fieldType = fc.constantFrom('string', 'number', 'boolean', 'date', undefined);
const field = fc.constantFrom(
  'contactProperties.x',
  'contactProperties.x',
  'contactProperties.constructor',
  'firstName',
  'lastName',
  'email',
  'createdAt',
  'updatedAt',
  'userId',
);
const value = fc.oneof(
  stored,
  time.map((date) => date.toISOString()),
  fc.tuple(stored, stored),
);
const condition = fc.record({ field, fieldType, operator: fc.constantFrom(...OPERATORS), value });

/** Random conditions mostly do not fit their type; those that do are what is compared. */
const filter = fc
  .record({
    logicalOperator: fc.constantFrom('AND', 'OR'),
    groups: fc.array(condition, { minLength: 1, maxLength: 3 }),
  })
  .map(({ logicalOperator, groups }) => {
    const valid = groups.filter((group) => parseFilter({ groups: [group] }, { contactProperties: {} }).ok);
    return parseFilter({ logicalOperator, groups: valid }, { contactProperties: {} });
  })
  .filter((parsed) => parsed.ok)
  .map((parsed) => (parsed as { ok: true; filter: Filter }).filter);

describe('a filter as a query', function () {
  this.timeout(60_000);
  let client: MongoClient;
  let contacts: Collection<{ _id: number } & Record<string, unknown>>;

  before(async () => {
    client = await MongoClient.connect(process.env.MONGODB_URL ?? '');
    contacts = client.db(`filters_${process.pid}`).collection('contacts');
  });
  after(async () => {
    await client.db(`filters_${process.pid}`).dropDatabase();
    await client.close();
  });

  it('finds exactly the contacts that the filter matches', async () => {
    const values = [...WORDS, ...NUMBERS, ...DATES, ...STORED_NUMBERS, null, '', true, false];
    const [base] = fc.sample(contact, 1);
    const documents = [
      ...values.map((x) => ({
        ...base!,
        firstName: typeof x === 'string' ? x : null,
        contactProperties: { x } as Record<string, unknown>,
      })),
      ...fc.sample(contact, 300),
    ].map((document, index) => ({ ...document, _id: index }));
    await contacts.insertMany(documents);

    let compared = 0;
    let matched = 0;
    const filters = [...fc.sample(fc.constantFrom(...everyPair(values)), 200), ...fc.sample(filter, 100)];
    for (const one of filters) {
      const query = filterToQuery(one);
      if (!query) continue;
      const match = compileFilter(one);
      const expected = documents.filter((document) => match({ contact: document })).map(({ _id }) => _id);
      const found = (await contacts.find(query, { projection: { _id: 1 }, sort: { _id: 1 } }).toArray()).map(
        ({ _id }) => _id,
      );
      const difference = [
        ...expected.filter((id) => !found.includes(id)),
        ...found.filter((id) => !expected.includes(id)),
      ];
      expect(
        found,
        `${JSON.stringify(one)} differs on ${JSON.stringify(difference.slice(0, 5).map((id) => documents[id]))}`,
      ).to.deep.equal(expected);
      compared++;
      if (expected.length > 0 && expected.length < documents.length) matched++;
    }
    expect(compared).to.be.above(filters.length / 2);
    expect(matched).to.be.above(compared / 3);
  });

  it('is not made where a query could not say the same', () => {
    for (const [group, declared] of [
      [
        { field: 'event.name', operator: 'equals', value: 'x' },
        { contactProperties: {}, event: {} },
      ],
      [{ field: 'contactProperties.x', operator: 'contains', value: '12' }, { contactProperties: {} }],
      [{ field: 'firstName', operator: 'equals', value: 'Вася' }, { contactProperties: {} }],
    ] as const) {
      const parsed = parseFilter({ groups: [{ field: 'email', operator: 'is_not_empty' }, group] }, declared);
      expect(parsed.ok && filterToQuery(parsed.filter)).to.equal(null);
    }
  });
});

/** Every type with every operator it has and every value that fits. */
function everyPair(values: unknown[]): Filter[] {
  const filters: Filter[] = [];
  for (const type of ['string', 'number', 'boolean', 'date'])
    for (const operator of OPERATORS)
      for (const value of values) {
        const one = {
          field: 'contactProperties.x',
          fieldType: type,
          operator,
          value: operator === 'between' ? [value, value] : value,
        };
        const parsed = parseFilter({ groups: [one] }, { contactProperties: {} });
        if (parsed.ok) filters.push(parsed.filter);
      }
  return filters;
}
