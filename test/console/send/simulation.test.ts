import { expect } from 'chai';
import { requestOf, type Scenario } from '../../../console/pages/automations/simulation.ts';

const scenario: Scenario = {
  ...{ contactId: null, isBySegment: false, after: 'nothing', eventName: '', url: '', afterDays: 0 },
};
const from = new Date('2026-03-02T09:00:00.000Z');

describe('A simulation that the console asks for', () => {
  for (const type of ['contact_added_to_list', 'list_left'] as const)
    it(`lets a person join a list for ${type}, and enter by hand for a segment, into which people are not put`, () => {
      const entry = { entryCriteria: { type, listId: 'a'.repeat(24) } };
      const list = requestOf(entry, scenario, from);
      expect(list.byHand).to.equal(false);
      expect(JSON.stringify(list)).to.contain('istIds');
      const segment = requestOf(entry, { ...scenario, isBySegment: true }, from);
      expect(segment.byHand).to.equal(true);
      expect(JSON.stringify(segment)).to.not.contain('istIds');
    });
});
