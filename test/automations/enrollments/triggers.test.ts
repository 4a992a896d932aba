import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { eventQueue, triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import { type RunningQueues, startQueues } from '../../../core/jobs/queue.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { activeAutomation, created, filter, makeSending, refusal, simple } from '../support.ts';

/** Without the workflow engine: who enters is decided and stored before a run is started. */
describe('Triggers', function () {
  this.timeout(120_000);
  let env: Environment;
  let loop: RunningQueues;
  before(async () => {
    // A hundred calls wait for one contact, one after the other.
    env = await startEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9', OPERATION_TIMEOUT_MS: '60000' });
    await makeSending(env.deps, env.own);
    await follow();
  });
  after(async () => {
    await loop.stop();
    await env.stop();
  });
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: 'active' }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  async function follow(): Promise<void> {
    loop = startQueues(env.deps, [triggerQueue(env.deps), eventQueue(env.deps)]);
    await loop.ready;
  }

  let people = 0;
  const address = () => `trigger${++people}@example.com`;
  const upsert = async (email: string, more: object = {}) => {
    const reply = await env.own.client.post('/contacts/email', { email, ...more });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.data;
  };
  const automation = (entryCriteria: object) => activeAutomation(env.own.client, { entryCriteria });
  /** Addresses of the people who entered, in any order, once everything was followed. */
  async function entered({ id }: { id: string }): Promise<string[]> {
    const due = { dueAt: { $exists: true }, 'automationIds.0': { $exists: true } };
    await until(
      async () => (await env.deps.db.triggers.countDocuments(due)) + (await env.deps.db.events.countDocuments(due)),
      (count) => count === 0,
      { everyMs: 10 },
    );
    const found = await env.deps.db.enrollments.find({ automationId: new ObjectId(id) }).toArray();
    const contacts = await env.deps.db.contacts
      .find({ _id: { $in: found.map(({ contactId }) => contactId) } })
      .toArray();
    expect(found.length).to.equal(contacts.length);
    return contacts.map(({ email }) => email);
  }

  it('contact_created: each new contact, however it comes; not for existing contacts', async () => {
    const old = address();
    await upsert(old);
    const one = await automation({ type: 'contact_created' });
    const [a, b, c, d] = [address(), address(), address(), address()];
    await upsert(a);
    await upsert(a, { firstName: 'Changed' });
    await upsert(old, { firstName: 'Changed' });
    await created(env.own.client, '/contacts', { email: b });
    const list = await created(env.own.client, '/contact-lists', { name: 'Bulk' });
    await env.own.client.post('/contact-lists/contacts/bulk-add', { contactListId: list.id, emails: [c] });
    await created(env.own.client, '/events', { eventName: 'hello' });
    await created(env.own.client, '/events/send', { eventName: 'hello', email: d });
    expect(await entered(one)).to.have.members([a, b, c, d]);
  });

  it('optional filterCriteria apply to every type', async () => {
    const one = await automation({ type: 'contact_created', filterCriteria: filter('firstName', 'equals', 'Ann') });
    const [a, b] = [address(), address()];
    await upsert(a, { firstName: 'ann' });
    await upsert(b, { firstName: 'Bob' });
    expect(await entered(one)).to.deep.equal([a]);
  });

  it('contact_added_to_list: by upsert and by bulk-add; not for members that were in it before', async () => {
    const list = await created(env.own.client, '/contact-lists', { name: 'News' });
    const before = address();
    await upsert(before, { listIds: [list.id] });
    const one = await automation({ type: 'contact_added_to_list', listId: list.id.toUpperCase() });
    const [a, b] = [address(), address()];
    await upsert(before, { firstName: 'x', listIds: [list.id] });
    await upsert(a);
    await upsert(a, { listIds: [list.id] });
    await env.own.client.post('/contact-lists/contacts/bulk-add', { contactListId: list.id, emails: [b, before] });
    expect(await entered(one)).to.have.members([a, b]);
  });

  it('contact_added_to_list for a segment: when the contact enters it, also because the segment was edited', async () => {
    const segment = await created(env.own.client, '/contact-lists', {
      name: 'Pros',
      type: 'segment',
      filterCriteria: filter('contactProperties.level', 'equals', 'pro'),
    });
    const [was, becomes, later] = [address(), address(), address()];
    await upsert(was, { contactProperties: { level: 'pro' } });
    await upsert(becomes, { contactProperties: { level: 'free' } });
    await upsert(later, { contactProperties: { level: 'semi' } });
    const one = await automation({ type: 'contact_added_to_list', listId: segment.id });
    await upsert(was, { firstName: 'x' });
    await upsert(becomes, { contactProperties: { level: 'pro' } });
    expect(await entered(one)).to.deep.equal([becomes]);
    const filterCriteria = filter('contactProperties.level', 'is_not_empty');
    expect((await env.own.client.patch(`/contact-lists/${segment.id}`, { filterCriteria })).status).to.equal(200);
    expect(await entered(one)).to.have.members([becomes, later]);
  });

  it('list_left: who is removed from a list, and not who was never in it, stays or is deleted; a filter applies', async () => {
    const { client } = env.own;
    const list = await created(client, '/contact-lists', { name: 'Left' });
    const [leaves, filtered, stays, never, deleted] = [address(), address(), address(), address(), address()];
    for (const email of [leaves, filtered, stays, deleted]) await upsert(email, { listIds: [list.id] });
    await upsert(leaves, { firstName: 'Ann' });
    const filterCriteria = filter('firstName', 'equals', 'Ann');
    const entryCriteria = { type: 'list_left', listId: list.id };
    const all = await automation(entryCriteria);
    const some = await automation({ ...entryCriteria, filterCriteria });
    const emails = [leaves, filtered, never];
    await client.post(`/contact-lists/${list.id}/contacts/remove`, { emails });
    await upsert(stays, { lastName: 'x' });
    expect((await client.delete(`/contacts/${(await upsert(deleted)).id}`)).status).to.equal(200);
    expect(await entered(all)).to.have.members([leaves, filtered]);
    expect(await entered(some)).to.deep.equal([leaves]);
    const draft = await created(client, '/automations', { ...simple, entryCriteria: { type: 'list_left' } });
    const without = refusal(await client.post(`/automations/${draft.id}/activate`));
    expect(without.details).to.include('entryCriteria/listId: is required for list_left');
    const everybody = { ...simple, entryCriteria: { type: 'list_left', listId: 'GLOBAL_CONTACT_LIST' } };
    expect(refusal(await client.post('/automations', everybody)).details).to.match(
      /^entryCriteria.listId: must not be/,
    );
  });

  it('list_left for a segment: when a change or an edit of the segment takes the contact out', async () => {
    const segment = await created(env.own.client, '/contact-lists', {
      name: 'Members',
      type: 'segment',
      filterCriteria: filter('contactProperties.tier', 'is_not_empty'),
    });
    const [changed, edited, stays] = [address(), address(), address()];
    for (const email of [changed, edited]) await upsert(email, { contactProperties: { tier: 'gold' } });
    await upsert(stays, { contactProperties: { tier: 'iron' } });
    const one = await automation({ type: 'list_left', listId: segment.id });
    await upsert(changed, { contactProperties: { tier: null } });
    expect(await entered(one)).to.deep.equal([changed]);
    const filterCriteria = filter('contactProperties.tier', 'equals', 'iron');
    expect((await env.own.client.patch(`/contact-lists/${segment.id}`, { filterCriteria })).status).to.equal(200);
    expect(await entered(one)).to.have.members([changed, edited]);
  });

  it('contact_property_matches_with: when a change makes a contact match that did not', async () => {
    const [matches, created1, turns] = [address(), address(), address()];
    await upsert(matches, { contactProperties: { age: 40 } });
    await upsert(turns, { contactProperties: { age: 20 } });
    const filterCriteria = filter('contactProperties.age', 'greater_than', 30, { fieldType: 'number' });
    const one = await automation({ type: 'contact_property_matches_with', filterCriteria });
    await upsert(matches, { contactProperties: { age: 50 } });
    await upsert(created1, { contactProperties: { age: 31 } });
    await upsert(turns, { contactProperties: { age: 25 } });
    expect(await entered(one)).to.deep.equal([created1]);
    await upsert(turns, { contactProperties: { age: 31 } });
    expect(await entered(one)).to.have.members([created1, turns]);
  });

  it('contact_property_changes_from_to: from and to, either omitted is any', async () => {
    const plan = (value: string | null) => ({ contactProperties: { plan: value } });
    const property = 'contactProperties.plan';
    const type = 'contact_property_changes_from_to';
    const cases: Array<[object, string[]]> = [
      [{ property, fromValue: 'free', toValue: 'pro' }, ['free-pro']],
      [{ property, toValue: 'PRO' }, ['free-pro', 'none-pro']],
      [{ property, fromValue: 'free' }, ['free-pro', 'free-team', 'free-none']],
      [{ property: 'plan', fromValue: '' }, ['none-pro']],
      [{ property: 'firstName', toValue: 'Ann' }, []],
      [{ property }, ['free-pro', 'none-pro', 'free-team', 'free-none']],
    ];
    for (const [criteria, expected] of cases) {
      const names = ['free-pro', 'none-pro', 'free-team', 'free-none', 'free-free'];
      const emails = new Map(names.map((name) => [address(), name]));
      const value = (text: string | undefined) => (text === 'none' ? null : (text ?? ''));
      await Promise.all([...emails].map(([email, name]) => upsert(email, plan(value(name.split('-')[0])))));
      const one = await automation({ type, ...criteria });
      await Promise.all([...emails].map(([email, name]) => upsert(email, plan(value(name.split('-')[1])))));
      await upsert(address(), plan('pro'));
      expect(
        (await entered(one)).map((email) => emails.get(email)),
        JSON.stringify(criteria),
      ).to.have.members(expected);
      await env.own.client.post(`/automations/${one.id}/archive`);
    }
  });

  it('event_trigger: events of that name whose contact and properties match', async () => {
    await created(env.own.client, '/events', {
      eventName: 'order',
      properties: [{ propertyName: 'amount', type: 'number' }],
    });
    await created(env.own.client, '/events', { eventName: 'other' });
    const filterCriteria = {
      logicalOperator: 'AND',
      groups: [
        { field: 'event.properties.amount', operator: 'greater_than', value: 9 },
        { field: 'firstName', operator: 'equals', value: 'Ann' },
      ],
    };
    const one = await automation({ type: 'event_trigger', eventName: 'order', filterCriteria });
    const [a, b, c] = [address(), address(), address()];
    await upsert(a, { firstName: 'Ann' });
    await upsert(b, { firstName: 'Bob' });
    await upsert(c, { firstName: 'Ann' });
    const send = (eventName: string, email: string, eventProperties?: object) =>
      created(env.own.client, '/events/send', { eventName, email, eventProperties });
    await send('order', a, { amount: '10' });
    await send('order', b, { amount: 10 });
    await send('order', c, { amount: 9 });
    await send('other', c);
    expect(await entered(one)).to.deep.equal([a]);
  });

  it('runWorkflow false or omitted in a bulk update starts nothing, true does', async () => {
    const one = await automation({ type: 'contact_created' });
    const emails = [address(), address(), address()];
    for (const [index, runWorkflow] of [undefined, false, true].entries()) {
      const reply = await env.own.client.post('/contacts/bulk-update', {
        contacts: [{ email: emails[index] }],
        runWorkflow,
      });
      expect(reply.status, reply.text).to.equal(200);
    }
    expect(await entered(one)).to.deep.equal([emails[2]]);
  });

  it('nothing is written while no automation is live, nor for a contact that enters none', async () => {
    const count = () => env.deps.db.triggers.countDocuments({});
    const start = await count();
    await upsert(address());
    const { id } = await automation({
      type: 'contact_created',
      filterCriteria: filter('firstName', 'equals', 'Nobody'),
    });
    await upsert(address());
    await env.own.client.post(`/automations/${id}/pause`);
    await upsert(address(), { firstName: 'Nobody' });
    expect(await count()).to.equal(start);
  });

  it('an automation that was paused or archived before a trigger is followed lets no contact in', async () => {
    for (const action of ['pause', 'archive']) {
      const one = await automation({ type: 'contact_created' });
      await loop.stop();
      const { id } = await upsert(address());
      const stopped = await env.own.client.post(`/automations/${one.id}/${action}`);
      expect(stopped.status, stopped.text).to.equal(200);
      await follow();
      expect(await entered(one), action).to.deep.equal([]);
      const trigger = await env.deps.db.triggers.findOne({ contactId: new ObjectId(String(id)) });
      expect(trigger?.outcomes?.[0]).to.include({ result: 'skipped', reason: 'not_active' });
    }
  });

  it('a contact is inside at most once: a second trigger is noted and skipped', async () => {
    await created(env.own.client, '/events', { eventName: 'again' });
    const one = await automation({ type: 'event_trigger', eventName: 'again' });
    const email = address();
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => created(env.own.client, '/events/send', { eventName: 'again', email })),
    );
    expect(await entered(one)).to.deep.equal([email]);
    const records = await env.deps.db.events
      .find({ _id: { $in: sent.map(({ id }) => new ObjectId(String(id))) } })
      .toArray();
    const results = records.map(({ outcomes }) => outcomes?.[0]?.reason ?? outcomes?.[0]?.result).sort();
    expect(results).to.deep.equal(['entered', ...Array.from({ length: 19 }, () => 'inside')]);
    const counts = (await env.own.client.get(`/automations/${one.id}`)).body.data.statistics;
    expect(counts).to.deep.include({ entered: 1, active: 1 });
  });

  it('contact_created lets a contact in once ever; the other types again after the end', async () => {
    const email = address();
    const once = await automation({ type: 'contact_created' });
    const contact = await upsert(email);
    await entered(once);
    const { db, clock } = env.deps;
    const automationId = new ObjectId(String(once.id));
    const contactId = new ObjectId(String(contact.id));
    await db.enrollments.updateOne(
      { automationId, contactId },
      { $set: { status: 'completed', endedAt: clock.now() }, $unset: { live: '' } },
    );
    await db.triggers.insertOne({
      _id: new ObjectId(),
      projectId: env.own.project._id,
      contactId,
      automationIds: [automationId],
      at: clock.now(),
      dueAt: new Date(0),
    });
    await entered(once);
    expect(await db.enrollments.countDocuments({ automationId, contactId })).to.equal(1);
    const last = await db.triggers.find({ contactId }).sort({ _id: -1 }).limit(1).next();
    expect(last?.outcomes?.[0]).to.include({ result: 'skipped', reason: 'entered_before' });
  });

  it('a trigger that is followed twice lets its contact in once', async () => {
    const one = await automation({ type: 'contact_created' });
    const contact = await upsert(address());
    await entered(one);
    const contactId = new ObjectId(String(contact.id));
    await env.deps.db.triggers.updateOne({ contactId }, { $set: { dueAt: new Date(0) } });
    await entered(one);
    const found = await env.deps.db.enrollments.find({ contactId }).toArray();
    expect(found.length).to.equal(1);
    expect((await env.own.client.get(`/automations/${one.id}`)).body.data.statistics.entered).to.equal(1);
  });

  it('100 upserts of one new address at once start the automation once', async () => {
    const one = await automation({ type: 'contact_created' });
    const email = address();
    await Promise.all(Array.from({ length: 100 }, () => upsert(email)));
    expect(await entered(one)).to.deep.equal([email]);
    expect((await env.own.client.get(`/automations/${one.id}`)).body.data.statistics.entered).to.equal(1);
  });

  it('who has entered waits for the workflow engine, and is shown as backlog', async () => {
    const one = await automation({ type: 'contact_created' });
    for (let n = 0; n < 3; n += 1) await upsert(address());
    await entered(one);
    const { statistics } = (await env.own.client.get(`/automations/${one.id}`)).body.data;
    expect(statistics).to.deep.include({ entered: 3, active: 3, backlog: { triggers: 0, starts: 3 } });
  });
});
