import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import {
  compileFilter,
  compileWindows,
  type Fact,
  filterFields,
  parseFilter,
  Tally,
} from '../../../core/people/filters/filters.ts';
import { behavioursOf } from '../../../core/people/filters/model.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-30T12:00:00Z');
const CAMPAIGN = '66f1c0a2e4b0a1b2c3d4e504';
const LIMITS = {
  contactProperties: {},
  behaviour: { retentionDays: 30, nowMs: NOW, events: { order: { amount: 'number', item: 'string' } } },
} as const;
const WHO = 'contact';

const opened = { behaviour: 'opened', operator: 'at_least' };

const REFUSED: [what: string, group: object, message: RegExp][] = [
  ['an unknown behaviour', { ...opened, behaviour: 'slept' }, /groups\/0\/behaviour: must be one of opened/],
  ['another operator', { ...opened, operator: 'equals' }, /operator: must be one of at_least, never/],
  ['an unknown field', { ...opened, withinDay: 3 }, /withinDay: is not known/],
  ['a count of none', { ...opened, count: 0 }, /count: must be a whole number/],
  ['a count that is a text', { ...opened, count: '2' }, /count: must be a whole number/],
  ['a count with never', { ...opened, operator: 'never', count: 2 }, /count: must not be given with never/],
  ['a window longer than facts are kept', { ...opened, withinDays: 31 }, /withinDays: must be at most 30/],
  ['a window of no day', { ...opened, withinDays: 0 }, /withinDays: must be a whole number/],
  ['two windows', { ...opened, withinDays: 3, from: '2026-06-20' }, /withinDays: must not be given with from or to/],
  ['a date that is none', { ...opened, from: '2026-02-30' }, /from: must be an ISO 8601 date/],
  ['dates in the wrong order', { ...opened, from: '2026-06-21', to: '2026-06-20' }, /to: must not be before from/],
  ['a date before facts are kept', { ...opened, from: '2026-05-30' }, /from: must be within the last 30 days/],
  ['a campaign that is no id', { ...opened, campaignId: 'x' }, /campaignId: must be an id/],
  [
    'a campaign and an automation',
    { ...opened, campaignId: CAMPAIGN, automationId: CAMPAIGN },
    /automationId: must not/,
  ],
  ['a link of an open', { ...opened, url: 'https://example.com' }, /url: must be given for clicked only/],
  ['an event of a mail', { ...opened, eventName: 'order' }, /eventName: must be given for event only/],
  ['an event without a name', { behaviour: 'event', operator: 'never' }, /eventName: is required/],
  ['an event that is not declared', event({ eventName: 'gone' }), /eventName: names no event/],
  ['an event of a campaign', event({ campaignId: CAMPAIGN }), /campaignId: must not be given for an event/],
  ['a property that is not declared', event({ properties: { size: 3 } }), /properties\/size: is not declared/],
  [
    'a property of another type',
    event({ properties: { amount: 'much' } }),
    /properties\/amount\/value: must be a number/,
  ],
  ['a field next to a behaviour', { ...opened, field: 'email' }, /behaviour: must not be given with field/],
];

function event(more: object) {
  return { behaviour: 'event', operator: 'at_least', eventName: 'order', ...more };
}

describe('Filters about behaviour', () => {
  for (const [what, group, message] of REFUSED)
    it(`are refused with ${what}, and the field is named`, () => {
      const parsed = parseFilter({ groups: [{ logicalOperator: 'OR', groups: [group] }] }, LIMITS);
      expect(parsed.ok).to.equal(false);
      if (!parsed.ok)
        expect(parsed.details)
          .to.match(message)
          .and.to.match(/^filterCriteria\/groups\/0\/groups\/0\//);
    });

  it('are refused where the caller says so, and dates of the last days with them', () => {
    for (const group of [opened, { field: 'createdAt', operator: 'in_last_days', value: 3 }]) {
      const parsed = parseFilter({ groups: [{ groups: [group] }] }, { contactProperties: {}, behaviour: 'refused' });
      expect(!parsed.ok && parsed.details).to.match(/groups\/0\/groups\/0\/.*is not allowed here/);
    }
  });

  it('that are stored are read however old their dates are', () => {
    const group = { ...opened, from: '2020-01-01', withinDays: undefined };
    expect(parseFilter({ groups: [group] }, { contactProperties: {} }).ok).to.equal(true);
  });

  it('are read from their own result again, with the type of each property', () => {
    const once = parseFilter(
      { groups: [event({ properties: { amount: { operator: 'greater_than', value: '5' }, item: 'Hat' } })] },
      LIMITS,
    );
    expect(once.ok && once.filter.groups).to.deep.equal([
      event({
        properties: {
          amount: { operator: 'greater_than', value: 5, fieldType: 'number' },
          item: { operator: 'equals', value: 'Hat', fieldType: 'string' },
        },
      }),
    ]);
    expect(once.ok && parseFilter(once.filter, LIMITS)).to.deep.equal(once);
  });

  it('depend on their kind and on time', () => {
    const parsed = parseFilter({ groups: [opened, { field: 'email', operator: 'is_empty' }] }, LIMITS);
    expect(parsed.ok && filterFields(parsed.filter)).to.deep.equal(['behaviour.opened', 'time', 'email']);
  });

  describe('match by', () => {
    const ago = (days: number) => new Date(NOW - days * DAY_MS);
    const facts: Fact[] = [
      { kind: 'opened', at: ago(9), campaignId: new ObjectId(CAMPAIGN) },
      { kind: 'opened', at: ago(2) },
      { kind: 'clicked', at: ago(2), url: 'https://example.com/a?x=1&utm_source=news' },
      { kind: 'event', at: ago(4), eventName: 'order', properties: { amount: 60 } },
      { kind: 'opened', at: ago(40) },
    ];
    const look = (group: object, known = facts, nowMs = NOW) => {
      const parsed = parseFilter({ groups: [group] }, LIMITS);
      if (!parsed.ok) throw new Error(parsed.details);
      const tally = new Tally(behavioursOf(parsed.filter), 30 * DAY_MS);
      for (const fact of known) tally.add(WHO, fact);
      const subject = { contact: {}, nowMs, past: tally.of(WHO) };
      return { holds: compileFilter(parsed.filter)(subject), next: compileWindows(parsed.filter)!(subject) };
    };
    const rows: [group: object, holds: boolean][] = [
      [opened, true],
      [{ ...opened, count: 2 }, true],
      [{ ...opened, count: 3 }, false],
      [{ ...opened, count: 2, withinDays: 9 }, false],
      [{ ...opened, count: 2, withinDays: 10 }, true],
      [{ ...opened, operator: 'never' }, false],
      [{ ...opened, operator: 'never', withinDays: 2 }, true],
      [{ ...opened, operator: 'never', withinDays: 3 }, false],
      [{ ...opened, campaignId: CAMPAIGN, withinDays: 5 }, false],
      [{ ...opened, campaignId: CAMPAIGN }, true],
      [{ ...opened, automationId: CAMPAIGN }, false],
      [{ ...opened, from: '2026-06-21', to: '2026-06-22' }, true],
      [{ ...opened, from: '2026-06-22', to: '2026-06-23' }, false],
      [{ ...opened, behaviour: 'humanOpened' }, false],
      [{ ...opened, behaviour: 'clicked', url: 'https://example.com/a?x=1' }, true],
      [{ ...opened, behaviour: 'clicked', url: 'https://example.com/a?x=2' }, false],
      [event({}), true],
      [event({ properties: { amount: { operator: 'greater_than', value: 50 } } }), true],
      [event({ properties: { amount: { operator: 'greater_than', value: 60 } } }), false],
      [event({ properties: { amount: 60 } }), true],
      [event({ properties: { item: 'Hat' } }), false],
    ];
    for (const [group, expected] of rows)
      it(`${JSON.stringify(group)}: ${expected}`, () => expect(look(group).holds).to.equal(expected));

    it('facts in any order alike', () => {
      expect(look({ ...opened, count: 2, withinDays: 10 }, facts.toReversed())).to.deep.equal(
        look({ ...opened, count: 2, withinDays: 10 }),
      );
    });

    it('time: the next change is when the fact that makes it enough leaves the window', () => {
      const twice = { ...opened, count: 2, withinDays: 10 };
      const { next } = look(twice);
      expect(next).to.equal(NOW + DAY_MS);
      expect([look(twice, facts, next - 1).holds, look(twice, facts, next).holds]).to.deep.equal([true, false]);
      expect(look(opened).next).to.equal(NOW + 28 * DAY_MS);
      expect(look({ ...opened, count: 3 }).next).to.equal(Infinity);
      expect(look({ ...opened, operator: 'never', withinDays: 3 }).next).to.equal(NOW + DAY_MS);
    });
  });
});
