import { expect } from 'chai';
import type { AutomationStep, Simulation } from '../../../client/index.ts';
import { contactOf, fieldsOf } from '../../../console/pages/automations/simulate/made-up.ts';
import { momentsOf } from '../../../console/pages/automations/simulate/moments.ts';
import { requestOf, type Scenario, simulated } from '../../../console/pages/automations/simulate/scenario.ts';
import type { Asked, WhatIf } from '../../../console/pages/automations/simulate/what-ifs.ts';

const scenario: Scenario = {
  ...{ contactId: null, made: {}, isBySegment: false, after: 'nothing', eventName: '', afterDays: 0 },
  whatIfs: new Map(),
};
const from = new Date('2026-03-02T09:00:00.000Z');
const hours = (n: number) => new Date(from.getTime() + n * 3_600_000).toISOString();
const links = { nextStepId: null, parentBranchStepId: null, parentBranchId: null, checkExitCriteria: true };
const nothing: Simulation = {
  ...{ entered: true, mails: [], branches: [], exit: null, entries: [], skipped: [], preview: null },
};
const mail = (stepId: string, at: string) => ({ stepId, at, subject: stepId, templateId: null });
const whatIf = (kind: WhatIf['kind'], value: number): WhatIf => ({ kind, value, unit: 'hours', url: '' });

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

  it('asks again until each act comes as long after its mail as was asked, also after mails that it brings about', async () => {
    const whatIfs = new Map([
      ['one', whatIf('opens', 2)],
      ['two', whatIf('clicks', 3)],
      ['never', whatIf('opens', 1)],
    ]);
    let asks = 0;
    // The second mail is sent ten hours after the first one is opened.
    const ask = async ({ acts }: Asked): Promise<Simulation> => {
      asks += 1;
      const opened = acts.find(({ stepId }) => stepId === 'one');
      const second = opened ? [mail('two', new Date(Date.parse(opened.at) + 36_000_000).toISOString())] : [];
      return { ...nothing, mails: [mail('one', hours(1)), ...second] };
    };
    const definition = { entryCriteria: { type: 'contact_created' as const }, steps: [] };
    const { asked, answer } = await simulated(ask, definition, { ...scenario, whatIfs }, from);
    expect(asks).to.equal(3);
    expect(answer.mails.map(({ at }) => at)).to.deep.equal([hours(1), hours(13)]);
    expect(asked.acts).to.deep.equal([
      { at: hours(3), kind: 'opens', stepId: 'one' },
      { at: hours(16), kind: 'opens', stepId: 'two' },
      { at: hours(16), kind: 'clicks', stepId: 'two' },
    ]);
  });

  it('lets an event come with properties that meet the conditions of its wait, and a webhook fail', async () => {
    const condition = (field: string, operator: string, value: unknown) => ({ field, operator, value });
    const groups = [
      condition('event.properties.amount', 'greater_than', 50),
      condition('event.properties.shop', 'equals', 'Kiel'),
      condition('contactProperties.plan', 'equals', 'pro'),
    ];
    const steps: AutomationStep[] = [
      {
        ...links,
        stepId: 'bought',
        type: 'wait_event',
        waitEvent: { eventName: 'bought', filterCriteria: { groups } },
      },
    ];
    const waiting = { type: 'wait' as const, at: hours(4), stepId: 'bought', until: hours(90) };
    const ask = async (): Promise<Simulation> => ({
      ...nothing,
      entries: [{ enteredAt: hours(0), enteredBy: 'contact_created', steps: [waiting], exit: null }],
    });
    const whatIfs = new Map([
      ['bought', whatIf('comes', 5)],
      ['post', whatIf('silent', 0)],
    ]);
    const definition = { entryCriteria: { type: 'contact_created' as const }, steps };
    const { asked } = await simulated(ask, definition, { ...scenario, whatIfs }, from);
    expect(asked.events).to.deep.equal([
      { at: hours(9), eventName: 'bought', properties: { amount: 51, shop: 'Kiel' } },
    ]);
    expect(asked.answers).to.deep.equal({ post: { status: 503 } });
  });

  it('makes up a person from the fields that the automation asks for and writes, so that they enter', () => {
    const groups = [{ field: 'contactProperties.plan', operator: 'equals', value: 'pro' }];
    const steps: AutomationStep[] = [
      {
        ...links,
        stepId: 'm',
        type: 'email',
        email: { subject: '{{firstName}}', htmlTemplate: '{{contactProperties.city}}' },
      },
      { ...links, stepId: 'u', type: 'wait_until', until: { property: 'contactProperties.renewsAt' } },
    ];
    const entryCriteria = { type: 'contact_property_matches_with' as const, filterCriteria: { groups } };
    const fields = fieldsOf({ entryCriteria, steps });
    expect(fields).to.deep.equal({ plan: 'pro', renewsAt: '', firstName: 'Ada', city: '' });
    expect(contactOf({ ...fields, firstName: 'Ann' })).to.deep.equal({
      ...{ firstName: 'Ann', contactProperties: { plan: 'pro' } },
    });
    expect(contactOf({ city: null })).to.deep.equal({});
  });

  it('numbers the mails as the answer does', () => {
    const step = (type: 'wait' | 'email', stepId: string) => ({ type, stepId, at: hours(1) });
    const entry = { enteredAt: hours(0), enteredBy: 'by hand', exit: null };
    const moments = momentsOf({
      ...nothing,
      entries: [
        { ...entry, steps: [step('wait', 'w'), step('email', 'a')] },
        { ...entry, steps: [step('email', 'a')] },
      ],
    });
    expect(
      moments.filter(({ mail: n }) => n !== undefined).map(({ stepId, mail: n }) => `${stepId} ${n}`),
    ).to.deep.equal(['a 0', 'a 1']);
  });
});
