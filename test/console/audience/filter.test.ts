import { expect } from 'chai';
import fc from 'fast-check';
import { fromCriteria, knownFields, operators, problemsOf, toCriteria } from '../../../console/pages/lists/filter.ts';
import { beginningOf, isAsked } from '../../../console/pages/lists/from-campaign.ts';

const at = '2026-01-01T00:00:00.000Z';
const custom = (['string', 'number', 'boolean', 'date'] as const).map((fieldType) => ({
  ...{ id: fieldType, fieldName: `a_${fieldType}`, fieldType, label: '', description: '', defaultValue: null },
  ...{ createdAt: at, updatedAt: at },
}));
const fields = knownFields(custom);

const values = {
  string: fc.string({ minLength: 1 }),
  number: fc.integer(),
  boolean: fc.boolean(),
  date: fc.constantFrom('2026-11-22', '2024-02-29'),
};
const condition = fc.constantFrom(...fields).chain(({ path, type }) =>
  fc.constantFrom(...operators[type].map(({ value }) => value)).chain((operator) => {
    const entry = { field: path, operator, fieldType: type };
    if (operator.startsWith('is_')) return fc.constant(entry);
    if (operator.endsWith('last_days')) return fc.integer({ min: 1, max: 90 }).map((value) => ({ ...entry, value }));
    const one: fc.Arbitrary<unknown> = values[type];
    return (operator === 'between' ? fc.tuple(one, one) : one).map((value) => ({ ...entry, value }));
  }),
);
const MAILING = '66f1c0a2e4b0a1b2c3d4e5a2';
const behaviour = fc
  .record({
    behaviour: fc.constantFrom('opened', 'clicked', 'received'),
    operator: fc.constant('at_least'),
    count: fc.integer({ min: 1, max: 9 }),
    withinDays: fc.integer({ min: 1, max: 90 }),
  })
  .chain((asked) =>
    fc.constantFrom({}, { campaignId: MAILING }, { automationId: MAILING }).map((of) => ({ ...asked, ...of })),
  );
const inList = fc.record({
  field: fc.constant('listIds'),
  operator: fc.constantFrom('in_list', 'not_in_list'),
  value: fc.constant('66f1c0a2e4b0a1b2c3d4e5a1'),
});
/** No control of the builder makes these. */
const foreign = fc.constantFrom(
  { behaviour: 'opened', operator: 'never', from: at, to: at },
  { field: 'createdAt', operator: 'after', fieldType: 'date', value: '2026-11-22T10:30:00.000Z' },
  { field: 'contactProperties.unknown', operator: 'equals', fieldType: 'string', value: 'x' },
);
const { filter } = fc.letrec((tie) => ({
  filter: fc.record({
    logicalOperator: fc.constantFrom('AND', 'OR'),
    groups: fc.array(fc.oneof({ depthSize: 'small' }, condition, behaviour, inList, foreign, tie('filter')), {
      maxLength: 4,
    }),
  }),
}));

describe('The filter builder', () => {
  it('opens every stored filter and saves it unchanged', () => {
    fc.assert(
      fc.property(filter, (stored) => {
        expect(toCriteria(fromCriteria(stored, fields), fields)).to.deep.equal(stored);
      }),
    );
  });

  it('shows the people of a campaign, by what they did, as rows that one can change', () => {
    const campaign = { id: '5f0000000000000000000000', name: '📚'.repeat(100) };
    const dids = ['delivered', 'opened', 'humanOpened', 'clicked', 'notOpened', 'notClicked'].filter(isAsked);
    expect(dids).to.have.length(6);
    for (const did of dids) {
      const { name, filterCriteria } = beginningOf(campaign, did);
      const group = fromCriteria(filterCriteria, fields);
      expect(toCriteria(group, fields)).to.deep.equal(filterCriteria);
      expect(group.rows.map(({ kind }) => kind))
        .to.include.members(['behaviour'])
        .and.not.include('other');
      expect(name.length).to.be.at.most(200);
    }
    expect(['sent', 'bounced', 'complained', 'toString', null].some(isAsked)).to.equal(false);
  });

  it('shows a refusal at the row that it is about, inside groups too', () => {
    const entry = { field: 'email', operator: 'equals', value: 'x' };
    const group = fromCriteria({ groups: [entry, { logicalOperator: 'OR', groups: [entry, entry] }] }, fields);
    const [, inner] = group.rows;
    const details =
      'filterCriteria/groups/1/groups/1/value: must be a string; filterCriteria/groups/9/value: is not there';
    const found = problemsOf(details, group);
    const row = inner?.kind === 'group' ? inner.rows[1] : undefined;
    expect([...found]).to.deep.equal([[row?.key, 'must be a string']]);
  });
});
