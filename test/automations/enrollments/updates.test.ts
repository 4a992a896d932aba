import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { eventQueue, triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import type { Deps } from '../../../core/base/deps.ts';
import { type RunningQueues, startQueues } from '../../../core/jobs/queue.ts';
import { useEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { expectRecount, peopleInside } from '../people.ts';
import { activeAutomation, created, email, filter, makeSending, wait } from '../support.ts';
import { interruptedDeps } from './crashing-deps.ts';

const update = (content: object, more: object = {}) => ({ type: 'update_contact', update: content, ...more });
const joins = (listId: string) => ({ type: 'contact_added_to_list', listId });

/** Without the workflow engine: steps before a wait are taken with the entry. */
describe('A step that changes the person', () => {
  const env = useEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
  let loop: RunningQueues;
  before(async () => {
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', {
      eventName: 'bought',
      properties: [{ propertyName: 'amount', type: 'string' }],
    });
    await created(env.own.client, '/custom-fields', { fieldName: 'visits', fieldType: 'number' });
    loop = startQueues(env.deps, [triggerQueue(env.deps), eventQueue(env.deps)]);
    await loop.ready;
  });
  after(() => loop.stop());

  let names = 0;
  const newList = async (): Promise<string> =>
    (await created(env.own.client, '/contact-lists', { name: `List ${++names}` })).id;
  const newContact = async (more: object = {}): Promise<string> =>
    (await created(env.own.client, '/contacts', { email: `update${++names}@example.com`, ...more })).id;
  const contact = async (id: string) => (await env.own.client.get(`/contacts/${id}`)).body.data;
  const inside = (id: string, contactId: string) =>
    env.deps.db.enrollments.find({ automationId: new ObjectId(id), contactId: new ObjectId(contactId) }).toArray();
  const size = async (id: string): Promise<number> =>
    (await env.own.client.get(`/contact-lists/${id}`)).body.data.contactCount;
  const stepOf = async (id: string, stepId: string) => {
    const { statistics } = (await env.own.client.get(`/automations/${id}`)).body.data;
    return statistics.steps.find((one: { stepId: string }) => one.stepId === stepId);
  };
  /** The outcomes of the changes of a contact, in any order. */
  async function outcomes(contactId: string) {
    const of = { contactId: new ObjectId(contactId) };
    const due = { dueAt: { $exists: true } };
    await until(
      async () =>
        (await env.deps.db.triggers.countDocuments({ ...of, ...due })) +
        (await env.deps.db.events.countDocuments({ ...of, ...due })),
      (count) => count === 0,
      { everyMs: 10 },
    );
    const triggers = await env.deps.db.triggers.find(of).toArray();
    return triggers.flatMap(({ outcomes: found = [], causedBy = [] }) =>
      found.map(({ automationId, result, reason }) => ({
        ...{ id: automationId.toHexString(), what: reason ?? result },
        chain: causedBy.map((id) => id.toHexString()),
      })),
    );
  }

  it('changes properties and lists; later steps see it, another automation enters once, the timeline says who did it', async () => {
    const [news, old] = await Promise.all([newList(), newList()]);
    const second = await activeAutomation(env.own.client, { entryCriteria: joins(news), steps: [wait(1), email('b')] });
    const changes = {
      contactProperties: {
        plan: 'pro',
        note: '{{firstName}} <b> {{event.properties.amount}}',
        gone: null,
        visits: '3',
      },
      addListIds: [news],
      removeListIds: [old],
    };
    const choice = {
      ...{ type: 'branch', stepId: 'choice', nextStepId: 'late' },
      branches: [
        { branchId: 'pro', filterCriteria: filter('contactProperties.plan', 'equals', 'pro'), mergeStepId: 'late' },
      ],
    };
    const steps = [update(changes, { stepId: 'first' }), choice, wait(1, 'days', { stepId: 'late' }), email('a')];
    const one = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'bought' },
      steps,
    });
    const given = { firstName: 'Ann', listIds: [old], contactProperties: { gone: 1, stays: true } };
    const id = await newContact(given);
    await created(env.own.client, '/events/send', {
      ...{ eventName: 'bought', contactId: id },
      eventProperties: { amount: '{{email}} & 5' },
    });
    const entered = { id: second.id, what: 'entered', chain: [one.id] };
    expect(
      await until(
        () => outcomes(id),
        (all) => all.length > 0,
      ),
    ).to.deep.equal([entered]);

    const now = await contact(id);
    expect(now.contactProperties).to.deep.equal({
      ...{ stays: true, plan: 'pro', visits: 3 },
      note: 'Ann <b> {{email}} & 5',
    });
    expect(now.listIds).to.deep.equal([news]);
    expect([await size(news), await size(old)]).to.deep.equal([1, 0]);
    const [first] = await inside(one.id, id);
    expect(first?.history.map(({ type }) => type)).to.deep.equal(['entered', 'update_contact', 'branch', 'wait']);
    expect(first?.history[2]?.branchId).to.equal('pro');
    const [led, ...others] = await inside(second.id, id);
    expect(others).to.deep.equal([]);
    expect(led?.causedBy?.map(String)).to.deep.equal([one.id]);
    expect(await stepOf(one.id, 'first')).to.include({ type: 'update_contact', entered: 1, updated: 1, failed: 0 });
    const { activity } = (await env.own.client.get(`/contacts/${id}/activity`)).body.data;
    const [change, ...more] = activity.filter(({ type }: { type: string }) => type === 'contact.updated');
    expect(more).to.deep.equal([]);
    expect(change.change).to.deep.include({ automationId: one.id, joinedListIds: [news], leftListIds: [old] });
  });

  it('does not enroll the person in an automation of its own chain: two that would chase each other stop', async () => {
    const [left, right] = await Promise.all([newList(), newList()]);
    const moves = (from: string, to: string) =>
      activeAutomation(env.own.client, {
        entryCriteria: joins(from),
        steps: [update({ addListIds: [to], removeListIds: [from] })],
      });
    const [one, other] = await Promise.all([moves(left, right), moves(right, left)]);
    const id = await newContact({ listIds: [left] });
    const all = await until(
      () => outcomes(id),
      (found) => found.length >= 3,
    );
    expect(all).to.have.deep.members([
      { id: one.id, what: 'entered', chain: [] },
      { id: other.id, what: 'entered', chain: [one.id] },
      { id: one.id, what: 'own_change', chain: [one.id, other.id] },
    ]);
    expect((await contact(id)).listIds).to.deep.equal([left]);
    // A change from outside begins a chain of its own.
    await env.own.client.post(`/contact-lists/${left}/contacts/remove`, { contactIds: [id] });
    await env.own.client.post('/contact-lists/contacts/bulk-add', { contactListId: left, contactIds: [id] });
    await until(
      () => inside(one.id, id),
      (found) => found.length === 2,
    );
  });

  it('enrolls the person nowhere when five automations led to the change', async () => {
    const lists = await Promise.all(Array.from({ length: 7 }, newList));
    const chain = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        activeAutomation(env.own.client, {
          entryCriteria: joins(String(lists[n])),
          steps: [update({ addListIds: [lists[n + 1]] })],
        }),
      ),
    );
    const ids: string[] = chain.map(({ id }) => id);
    const id = await newContact({ listIds: [lists[0]] });
    const all = await until(
      () => outcomes(id),
      (found) => found.length >= 6,
    );
    const what = (n: number) => (n < 5 ? 'entered' : 'chain_too_long');
    expect(all).to.have.deep.members(ids.map((own, n) => ({ id: own, what: what(n), chain: ids.slice(0, n) })));
    expect((await contact(id)).listIds).to.deep.equal(lists.slice(0, 6));
  });

  it('changes 200 people who come at once, each once, with right counts', async () => {
    const [from, to] = await Promise.all([newList(), newList()]);
    const segment = await created(env.own.client, '/contact-lists', {
      ...{ name: 'Greeted', type: 'segment' },
      filterCriteria: filter('contactProperties.greeted', 'equals', 'yes'),
    });
    const one = await activeAutomation(env.own.client, {
      entryCriteria: joins(from),
      steps: [update({ contactProperties: { greeted: 'yes' }, addListIds: [to] }, { stepId: 'all' })],
    });
    const emails = Array.from({ length: 200 }, (_, n) => `many${n}@example.com`);
    await env.own.client.post('/contact-lists/contacts/bulk-add', { contactListId: from, emails });
    await until(
      () => stepOf(one.id, 'all'),
      ({ updated }) => updated === 200,
    );
    expect(await Promise.all([from, to, segment.id].map(size))).to.deep.equal([200, 200, 200]);
    const automationId = new ObjectId(String(one.id));
    expect(await env.deps.db.contactHistory.countDocuments({ automationId })).to.equal(200);
    expect(await env.deps.db.contacts.countDocuments({ listIds: new ObjectId(to) })).to.equal(200);
    await expectRecount(env, one.id);
  });

  it('that fails for one person is a reason in the history, and the person continues', async () => {
    const [going, from] = await Promise.all([newList(), newList()]);
    const steps = [
      update({ contactProperties: { visits: '{{firstName}}', plan: 'x' } }, { stepId: 'typed' }),
      update({ contactProperties: { note: '{{lastName}}{{lastName}}' } }, { stepId: 'short' }),
      update({ contactProperties: { note: '{{#each contactProperties}}{{this}}{{/each}}' } }, { stepId: 'long' }),
      update({ contactProperties: { plan: 'y' }, addListIds: [going] }, { stepId: 'listed' }),
      update({ removeListIds: [going], contactProperties: { done: true } }, { stepId: 'last' }),
    ];
    const one = await activeAutomation(env.own.client, { entryCriteria: joins(from), steps });
    expect((await env.own.client.delete(`/contact-lists/${going}`)).status).to.equal(200);
    const texts = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, name.repeat(2_000)]));
    const given = { firstName: 'Ann', lastName: 'Lee', listIds: [from], contactProperties: texts };
    const id = await newContact(given);
    const [person] = await until(
      () => inside(one.id, id),
      ([found]) => found?.status === 'completed',
    );
    expect(person?.history.slice(1, -1).map(({ stepId, reason }) => [stepId, reason])).to.deep.equal([
      ['typed', 'contactProperties/visits: must be a number'],
      ['short', undefined],
      ['long', 'contactProperties/note: The rendered text is longer than 4096 characters.'],
      ['listed', 'addListIds: names a list that was deleted'],
      ['last', undefined],
    ]);
    expect((await contact(id)).contactProperties).to.deep.equal({ ...texts, note: 'LeeLee', done: true });
    expect(await stepOf(one.id, 'listed')).to.include({ entered: 1, updated: 0, failed: 1 });
    const { body } = await env.own.client.post(`/automations/${one.id}/simulate`, {
      contact: { email: 'x@example.com', ...given },
    });
    const seen = body.data.entries[0].steps.map(({ stepId, reason }: Record<string, string>) => [stepId, reason]);
    expect(seen).to.deep.equal(person?.history.slice(1, -1).map(({ stepId, reason }) => [stepId, reason]));
  });

  describe('while another call changes the contact between the decision and its commit', () => {
    const waiting = { started: true, stepId: 'w', waitFrom: new Date(0), waitUntil: new Date(1) };
    const advance = (deps: Deps, { _id, projectId }: Enrollment) =>
      advanceEnrollment(deps, { projectId, enrollmentId: _id }, Date.now());

    it('keeps what the step does not name', async () => {
      const [mine, theirs] = await Promise.all([newList(), newList()]);
      const one = await activeAutomation(env.own.client, {
        steps: [wait(1, 'days', { stepId: 'w' }), update({ contactProperties: { a: 1 }, addListIds: [mine] })],
      });
      const [person] = (await peopleInside(env, one.id, 1, waiting)) as [Enrollment];
      const id = person.contactId.toHexString();
      const deps = interruptedDeps(env.deps, () =>
        env.own.client.patch(`/contacts/${id}`, { contactProperties: { b: 2 }, listIds: [theirs] }),
      );
      expect(await advance(deps, person)).to.include({ status: 'completed' });
      const now = await contact(id);
      expect(now.contactProperties).to.deep.equal({ a: 1, b: 2 });
      expect(now.listIds).to.include.members([mine, theirs]);
    });

    it('decides again when the change can no longer be made', async () => {
      const [mine, from] = await Promise.all([newList(), newList()]);
      const last = update({ contactProperties: { a: 1 }, addListIds: [mine] }, { stepId: 'last' });
      const one = await activeAutomation(env.own.client, {
        entryCriteria: joins(from),
        steps: [wait(1, 'days', { stepId: 'w' }), update({ contactProperties: { c: 1 } }), last],
      });
      const [person] = (await peopleInside(env, one.id, 1, waiting)) as [Enrollment];
      const deps = interruptedDeps(env.deps, () => env.own.client.delete(`/contact-lists/${mine}`));
      expect(await advance(deps, person)).to.include({ status: 'completed' });
      const [done] = await inside(one.id, person.contactId.toHexString());
      expect(done?.history.filter(({ type }) => type === 'update_contact').map(({ reason }) => reason)).to.deep.equal([
        undefined,
        'addListIds: names a list that was deleted',
      ]);
      expect((await contact(person.contactId.toHexString())).contactProperties).to.deep.equal({ c: 1 });
    });
  });
});
