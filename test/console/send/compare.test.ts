import { expect } from 'chai';
import {
  changedParts,
  compareDefinitions,
  type Definition,
  differenceWords,
} from '../../../console/pages/automations/graph/compare.ts';
import { ENTRY } from '../../../console/pages/automations/graph/flow.ts';

const place = { nextStepId: null, parentBranchStepId: null, parentBranchId: null, checkExitCriteria: true };
const wait = (stepId: string, value = 1) =>
  ({ ...place, stepId, type: 'wait', delay: { value, unit: 'days' } }) as const;
const email = (stepId: string, more: object = {}) =>
  ({ ...place, stepId, type: 'email', email: { subject: stepId, htmlTemplate: 'x', ...more } }) as const;
const running: Definition = {
  name: 'Welcome',
  description: '',
  tags: ['a'],
  entryCriteria: { type: 'contact_created' },
  exitCriteria: { type: 'workflow_complete' },
  steps: [wait('w1'), email('m1'), wait('w2'), email('m2')],
  trackingOpen: true,
  trackingClick: true,
  utm: null,
  reentry: 'after_exit',
};

describe('The differences between a draft and what runs', () => {
  const compared = (draft: Partial<Definition>) => compareDefinitions(running, { ...running, ...draft });
  const marks = (draft: Partial<Definition>) => Object.fromEntries(compared(draft).marks);
  const words = (draft: Partial<Definition>) => differenceWords(compared(draft));

  it('are none for the same content, whatever the order of its keys and the absent fields', () => {
    const [first, ...rest] = running.steps;
    const turned = Object.fromEntries(Object.entries(first!).reverse()) as typeof first;
    const same = { steps: [turned!, ...rest], unsubscribeGroupId: undefined };
    expect(compared(same as Partial<Definition>)).to.deep.equal({ marks: new Map(), isReordered: false, others: [] });
    expect(words(same as Partial<Definition>)).to.equal('no difference');
  });

  it('name the parts of a step that differ', () => {
    const parts = (before: object, after: object) =>
      changedParts(email('m', before), { ...email('m', after), nextStepId: 'w2' });
    expect(parts({}, { subject: 'Other', htmlTemplate: 'y' })).to.deep.equal([
      'where it leads',
      'subject',
      'text of the mail',
    ]);
    expect(changedParts(wait('w'), wait('w', 3))).to.deep.equal(['how long']);
    expect(changedParts(wait('w'), wait('w'))).to.deep.equal([]);
  });

  it('mark steps by their ids: added, changed, removed', () => {
    const steps = [wait('w1', 2), email('m1'), wait('w3'), email('m2', { subject: 'Other' })];
    expect(marks({ steps })).to.deep.equal({ w1: 'changed', w2: 'removed', w3: 'added', m2: 'changed' });
    expect(words({ steps })).to.equal('1 step added, 2 changed, 1 removed');
  });

  it('say when steps have only changed their order; one that is added or removed moves none', () => {
    const [w1, m1, w2, m2] = running.steps as [Definition['steps'][0], ...Definition['steps']];
    expect(compared({ steps: [w2!, m1!, w1, m2!] })).to.include({ isReordered: true });
    expect(words({ steps: [w2!, m1!, w1, m2!] })).to.equal('steps in another order');
    expect(compared({ steps: [wait('new'), w1, m2!] })).to.include({ isReordered: false });
  });

  it('name the entry and all other fields that changed', () => {
    const entryCriteria = { type: 'event_trigger', eventName: 'bought' } as const;
    expect(marks({ entryCriteria })).to.deep.equal({ [ENTRY]: 'changed' });
    expect(words({ entryCriteria, name: 'Other', tags: [], steps: running.steps.slice(2) })).to.equal(
      '2 steps removed; entry, name and tags changed',
    );
    expect(words({ unsubscribeGroupId: 'ABC123' })).to.equal('unsubscribe group changed');
  });
});
