import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { chainOf, refusedBy } from '../../../core/automations/rules/entering/chain.ts';
import { renderUpdate } from '../../../core/automations/rules/update.ts';
import type { Contact } from '../../../core/people/model.ts';
import { useEnvironment } from '../../support/environment.ts';
import { created, email, filter, makeSending, refusal, simple, wait } from '../support.ts';

const update = (content?: object, more: object = {}) => ({
  ...{ type: 'update_contact', stepId: 'change', ...more },
  ...(content ? { update: content } : {}),
});

describe('An update_contact', () => {
  const env = useEnvironment();
  let listId: string;
  let segmentId: string;
  before(async () => {
    const { client } = env.own;
    await makeSending(env.deps, env.own);
    await created(client, '/custom-fields', { fieldName: 'visits', fieldType: 'number' });
    listId = (await created(client, '/contact-lists', { name: 'News' })).id;
    const filterCriteria = filter('email', 'is_not_empty');
    segmentId = (await created(client, '/contact-lists', { name: 'All', type: 'segment', filterCriteria })).id;
  });
  const refused = async (content: object | undefined, path = '/automations') =>
    refusal(await env.own.client.post(path, { ...simple, steps: [update(content)] }));

  it('is kept as it was given; alone it is an automation', async () => {
    const content = {
      contactProperties: { visits: '{{contactProperties.visits}}1', plan: null, isNew: false, constructor: 'x' },
      addListIds: [listId.toUpperCase(), listId],
    };
    const automation = await created(env.own.client, '/automations', {
      ...{ ...simple, active: true },
      steps: [update({ ...content, removeListIds: [] })],
    });
    expect(automation.steps[0].update).to.deep.equal({ ...content, addListIds: [listId] });
    expect(automation.steps[0]).to.not.have.any.keys('email', 'delay', 'branches', 'shares');
  });

  it('is refused with the place: nothing in it, wrong types, texts that cannot be read, lists that are none', async () => {
    const set = (value: unknown) => ({ contactProperties: { visits: value } });
    const gone = new ObjectId().toHexString();
    const place = 'steps/0/update';
    for (const [content, details] of [
      [undefined, `${place}: must set a property`],
      [{}, `${place}: must set a property`],
      [{ contactProperties: {}, addListIds: [], removeListIds: [] }, `${place}: must set a property`],
      [set('many'), `${place}/contactProperties/visits: must be a number`],
      [set(true), `${place}/contactProperties/visits: must be a number`],
      [set('{{#if}'), `${place}/contactProperties/visits: line 1`],
      [set('{{lookup this "a"}}'), `${place}/contactProperties/visits: line 1`],
      [set({}), `${place}/contactProperties/visits`],
      [{ contactProperties: { 'a.b': 1 } }, `${place}/contactProperties`],
      [{ contactProperties: { a: 'x'.repeat(4_097) } }, `${place}/contactProperties/a`],
      [{ addListIds: [listId], removeListIds: [listId] }, `${place}/removeListIds: names a list that addListIds names`],
      [{ addListIds: ['GLOBAL_CONTACT_LIST'] }, `${place}/addListIds: must not name the global list`],
      [{ removeListIds: ['GLOBAL_CONTACT_LIST'] }, `${place}/removeListIds: must not name the global list`],
      [{ addListIds: [segmentId] }, `${place}/addListIds: names a segment`],
      [{ removeListIds: [segmentId] }, `${place}/removeListIds: names a segment`],
    ] as Array<[object | undefined, string]>) {
      const answer = await refused(content);
      expect(answer, details).to.include({ status: 400 });
      expect(answer.details, details).to.include(details);
    }
    for (const id of [gone, 'no id'])
      expect(await refused({ removeListIds: [id] })).to.include({
        ...{ status: 404, code: 'CONTACT_LIST_NOT_FOUND' },
        details: `${place}/removeListIds: names no contact list of this project`,
      });
    const texts = Object.fromEntries(['a', 'b'].map((name) => [name, `{{email}}${'x'.repeat(3_000)}`]));
    expect((await refused({ contactProperties: texts })).details).to.include('may have 5000 characters together');
    expect(await env.deps.db.automations.countDocuments({ 'steps.update.contactProperties.visits': true })).to.equal(0);
  });

  it('keeps a value that a later declaration does not allow, until its steps are given again', async () => {
    const { client } = env.own;
    const steps = [update({ contactProperties: { since: 'always' } })];
    const { id } = await created(client, '/automations', { ...simple, steps });
    await created(client, '/custom-fields', { fieldName: 'since', fieldType: 'date' });
    expect((await client.patch(`/automations/${id}`, { name: 'Renamed' })).status).to.equal(200);
    expect(refusal(await client.patch(`/automations/${id}`, { steps })).details).to.include(
      'steps/0/update/contactProperties/since: must be a date',
    );
  });

  it('needs a wait somewhere between two emails, and none directly before one', async () => {
    const change = update({ addListIds: [listId] });
    const steps = [wait(1), change, email('one'), update({ removeListIds: [listId] }, { stepId: 'b' }), email('two')];
    const answer = refusal(await env.own.client.post('/automations', { ...simple, steps }));
    expect(answer.details).to.include('steps/4: needs a wait step');
    await created(env.own.client, '/automations', { ...simple, steps: steps.slice(0, 4) });
  });

  it('cannot be activated when its list is gone', async () => {
    const { id } = await created(env.own.client, '/contact-lists', { name: 'Short' });
    const automation = await created(env.own.client, '/automations', {
      ...simple,
      steps: [update({ addListIds: [id] })],
    });
    await env.own.client.delete(`/contact-lists/${id}`);
    const answer = refusal(await env.own.client.post(`/automations/${automation.id}/activate`));
    expect(answer).to.include({ status: 400, code: 'CANNOT_ACTIVATE_AUTOMATION' });
    expect(answer.details).to.include('steps/0/update/addListIds: names no contact list');
  });

  it('is shown by a simulation, which lets the person in once: by its own change it does not', async () => {
    const change = update({
      contactProperties: { plan: 'pro', visits: '{{contactProperties.visits}}1', note: '{{firstName}}' },
      addListIds: [listId],
    });
    const reset = update({ contactProperties: { plan: 'free' } }, { stepId: 'reset' });
    const { id } = await created(env.own.client, '/automations', {
      name: 'Upgrade',
      entryCriteria: {
        type: 'contact_property_matches_with',
        filterCriteria: filter('contactProperties.plan', 'equals', 'pro'),
      },
      steps: [reset, change, wait(1), update({ contactProperties: { visits: 'x{{email}}' } }, { stepId: 'bad' })],
    });
    const contact = { firstName: 'Ann', contactProperties: { plan: 'pro', visits: 4 } };
    const { data } = (await env.own.client.post(`/automations/${id}/simulate`, { contact })).body;
    const [entry, ...others] = data.entries;
    expect(others).to.deep.equal([]);
    expect(entry.steps.map(({ at: _, until: __, ...step }: Record<string, unknown>) => step)).to.deep.equal([
      { type: 'update_contact', stepId: 'reset', update: { contactProperties: { plan: 'free' } } },
      {
        ...{ type: 'update_contact', stepId: 'change' },
        update: { contactProperties: { plan: 'pro', visits: '41', note: 'Ann' }, addListIds: [listId] },
      },
      { type: 'wait', stepId: entry.steps[2].stepId },
      { type: 'update_contact', stepId: 'bad', reason: 'contactProperties/visits: must be a number' },
    ]);
    expect(entry.exit).to.include({ status: 'completed' });
    expect(data.skipped.map(({ reason }: { reason: string }) => reason)).to.deep.equal(['own_change']);
  });

  describe('renders texts', () => {
    const person = {
      ...{ email: 'ann@example.com', firstName: 'Ann', lastName: null, userId: null, mobile: null },
      contactProperties: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`p${n}`, `value ${n}`])),
    } as Contact;
    const event = { name: 'bought', properties: { what: '<b>{{email}}</b>' } };
    const render = (contactProperties: Record<string, string>) =>
      renderUpdate({ contactProperties }, { nowMs: 0, person, event });

    it('as they are: nothing is escaped, and what a person wrote is no template', () => {
      const given = { a: '{{event.properties.what}} {{unsubscribe}}{{nothing}}', b: '{{date}} {{upper firstName}}' };
      expect(render(given)).to.deep.equal({ contactProperties: { a: '<b>{{email}}</b> ', b: '1970-01-01 ANN' } });
    });

    it('within one budget for all of a step', () => {
      const loop = '{{#each contactProperties}}{{#if this}}{{/if}}{{/each}}';
      expect(render({ a: loop })).to.deep.equal({ contactProperties: { a: '' } });
      const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`a${n}`, loop]));
      const { problem } = render(many) as { problem: string };
      expect(problem).to.match(/^contactProperties\/a\d+: Rendering takes more than 20000 steps/);
    });
  });
});

describe('The chain of a change', () => {
  const ids = Array.from({ length: 7 }, () => new ObjectId());
  const [own, ...others] = ids as [ObjectId, ...ObjectId[]];

  it('ends at the automation itself, and at five', () => {
    expect(refusedBy([], own)).to.equal(null);
    expect(refusedBy(others.slice(0, 4), own)).to.equal(null);
    expect(refusedBy(others.slice(0, 5), own)).to.equal('chain_too_long');
    expect(refusedBy([others[0] as ObjectId, own], new ObjectId(own.toHexString()))).to.equal('own_change');
    expect(chainOf({ automationId: own })).to.deep.equal([own]);
    expect(chainOf({ causedBy: others, automationId: own })).to.deep.equal([...others, own]);
  });
});
