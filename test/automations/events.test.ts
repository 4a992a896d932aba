import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { newestOfEachName } from '../../core/automations/events/recorded.ts';
import { useEnvironment } from '../support/environment.ts';
import { activeAutomation, created, filter, makeSending, refusal } from './support.ts';

const purchase = {
  eventName: 'purchase',
  description: 'Somebody bought something',
  properties: [
    { propertyName: 'amount', type: 'number' },
    { propertyName: 'item', type: 'string', description: 'What', suggestedValues: ['hat', 'coat'] },
    { propertyName: 'gift', type: 'boolean' },
    { propertyName: 'at', type: 'date' },
  ],
};

describe('Event definitions', () => {
  const env = useEnvironment();

  it('are created, listed, read, changed and deleted, with suggestedValues', async () => {
    const { client } = env.own;
    const event = await created(client, '/events', purchase);
    expect(event).to.include({ eventName: 'purchase', description: 'Somebody bought something' });
    expect(event.properties[1]).to.deep.equal({
      propertyName: 'item',
      type: 'string',
      description: 'What',
      suggestedValues: ['hat', 'coat'],
    });
    expect(event.properties[0]).to.deep.equal({
      propertyName: 'amount',
      type: 'number',
      description: '',
      suggestedValues: [],
    });
    expect((await client.get(`/events/${event.id}`)).body.data).to.deep.equal(event);
    const list = (await client.get('/events')).body.data;
    expect(list.events).to.deep.equal([event]);
    expect(list.pagination).to.deep.equal({ page: 1, limit: 20, total: 1, pages: 1 });
    const changed = await client.patch(`/events/${event.id}`, { description: 'Other', properties: [] });
    expect(changed.body.data).to.include({ description: 'Other' });
    expect(changed.body.data.properties).to.deep.equal([]);
    expect((await client.delete(`/events/${event.id}`)).body).to.deep.equal({ success: true });
    expect(refusal(await client.get(`/events/${event.id}`))).to.include({ status: 404, code: 'EVENT_NOT_FOUND' });
  });

  it('a name is taken once per project, of a closed alphabet, and cannot change', async () => {
    const { client } = env.own;
    const { id } = await created(client, '/events', { eventName: 'signup' });
    expect(refusal(await client.post('/events', { eventName: 'signup' }))).to.include({
      status: 409,
      code: 'ALREADY_EXISTS',
    });
    await created(env.other.client, '/events', { eventName: 'signup' });
    for (const eventName of ['', 'with space', 'x'.repeat(65), 'ä', 7])
      expect(refusal(await client.post('/events', { eventName }))).to.include({
        status: 400,
        code: 'VALIDATION_ERROR',
      });
    expect(refusal(await client.patch(`/events/${id}`, { eventName: 'other' }))).to.include({
      status: 400,
      code: 'VALIDATION_ERROR',
    });
    expect((await client.patch(`/events/${id}`, { eventName: 'signup' })).status).to.equal(200);
    const twice = [
      { propertyName: 'a', type: 'string' },
      { propertyName: 'a', type: 'number' },
    ];
    expect(refusal(await client.post('/events', { eventName: 'twice', properties: twice }))).to.include({
      status: 400,
    });
    expect(
      refusal(await client.post('/events', { eventName: 'kind', properties: [{ propertyName: 'a', type: 'object' }] })),
    ).to.include({ status: 400 });
  });

  it('one that starts an active automation cannot be deleted', async () => {
    await makeSending(env.deps, env.own);
    const { client } = env.own;
    const { id } = await created(client, '/events', { eventName: 'needed' });
    const automation = await activeAutomation(client, {
      entryCriteria: { type: 'event_trigger', eventName: 'needed' },
    });
    expect(refusal(await client.delete(`/events/${id}`))).to.include({ status: 409, code: 'INVALID_STATE' });
    await client.post(`/automations/${automation.id}/pause`);
    expect((await client.delete(`/events/${id}`)).status).to.equal(200);
  });
});

describe('Sending an event', () => {
  const env = useEnvironment();
  let contactId: string;
  before(async () => {
    await created(env.own.client, '/events', purchase);
    contactId = (await created(env.own.client, '/contacts', { email: 'known@example.com' })).id;
  });
  const send = (body: object, headers?: Record<string, string>) => env.own.client.post('/events/send', body, headers);

  it('answers 201 with the record, its properties coerced to their declared types', async () => {
    const eventProperties = { amount: ' 12.50 ', item: 7, gift: 1, at: 1_700_000_000_000 };
    const reply = await send({ eventName: 'purchase', contactId, eventProperties });
    expect(reply.status, reply.text).to.equal(201);
    const { id, createdAt, ...rest } = reply.body.data;
    expect(id).to.match(/^[0-9a-f]{24}$/);
    expect(createdAt).to.be.a('string');
    expect(rest).to.deep.equal({
      eventName: 'purchase',
      contactId,
      properties: { amount: 12.5, item: '7', gift: true, at: '2023-11-14T22:13:20.000Z' },
    });
    const none = await send({ eventName: 'purchase', contactId, eventProperties: { item: null } });
    expect(none.body.data.properties).to.deep.equal({});
  });

  it('an unknown email creates a contact, a known one is found whatever its spelling', async () => {
    const unknown = await send({ eventName: 'purchase', email: 'New@Example.com' });
    expect(unknown.status).to.equal(201);
    const made = (await env.own.client.get(`/contacts/${unknown.body.data.contactId}`)).body.data;
    expect(made.email).to.equal('new@example.com');
    const known = await send({ eventName: 'purchase', email: ' KNOWN@example.COM ' });
    expect(known.body.data.contactId).to.equal(contactId);
  });

  it('contactId takes precedence over email', async () => {
    const reply = await send({ eventName: 'purchase', contactId, email: 'not even an address' });
    expect(reply.status, reply.text).to.equal(201);
    expect(reply.body.data.contactId).to.equal(contactId);
    const gone = await send({
      eventName: 'purchase',
      contactId: new ObjectId().toHexString(),
      email: 'known@example.com',
    });
    expect(refusal(gone)).to.include({ status: 404, code: 'CONTACT_NOT_FOUND_FOR_EVENT' });
  });

  it('checks in the order of the interface, and creates no contact before the last', async () => {
    const email = 'never@example.com';
    const steps: Array<[object, number, string]> = [
      [{ eventName: 7, eventProperties: { nope: 1 } }, 400, 'VALIDATION_ERROR'],
      [{ eventName: 'unknown', eventProperties: { nope: 1 } }, 400, 'EMAIL_OR_CONTACT_ID_REQUIRED'],
      [{ eventName: 'unknown', email: '', contactId: '' }, 400, 'EMAIL_OR_CONTACT_ID_REQUIRED'],
      [{ eventName: 'unknown', email, eventProperties: { nope: 1 } }, 404, 'EVENT_NOT_FOUND'],
      [{ eventName: 'purchase', email, eventProperties: { amount: 'many', nope: 1 } }, 400, 'UNKNOWN_PROPERTY'],
      [{ eventName: 'purchase', email, eventProperties: { amount: 'many' } }, 400, 'INVALID_PROPERTY_VALUE'],
      [{ eventName: 'purchase', contactId: 'nonsense' }, 404, 'CONTACT_NOT_FOUND_FOR_EVENT'],
      [{ eventName: 'purchase', email: 'no address' }, 400, 'VALIDATION_ERROR'],
    ];
    for (const [body, status, code] of steps)
      expect(refusal(await send(body)), JSON.stringify(body)).to.include({ status, code });
    expect(await env.deps.db.contacts.findOne({ email })).to.equal(null);
  });

  it('refuses what cannot be coerced, naming the property', async () => {
    const wrong: Array<[string, unknown]> = [
      ['amount', ''],
      ['amount', true],
      ['amount', '0x10'],
      ['amount', {}],
      ['amount', []],
      ['item', {}],
      ['item', 'x'.repeat(4_097)],
      ['gift', 'yes'],
      ['gift', 2],
      ['at', 'tomorrow'],
      ['at', true],
    ];
    for (const [name, value] of wrong) {
      const { code, details } = refusal(
        await send({ eventName: 'purchase', contactId, eventProperties: { [name]: value } }),
      );
      expect(code, `${name}=${JSON.stringify(value)}`).to.equal('INVALID_PROPERTY_VALUE');
      expect(details).to.include(`eventProperties/${name}`);
    }
    const proto = await env.own.client.send('POST', '/events/send', {
      headers: { 'Content-Type': 'application/json' },
      body: `{"eventName":"purchase","contactId":"${contactId}","eventProperties":{"__proto__":{"x":1}}}`,
    });
    expect(proto.status).to.equal(400);
  });

  it('another project sees neither the event nor its contacts', async () => {
    const reply = await env.other.client.post('/events/send', { eventName: 'purchase', contactId });
    expect(refusal(reply)).to.include({ status: 404, code: 'EVENT_NOT_FOUND' });
    await created(env.other.client, '/events', { eventName: 'purchase' });
    const foreign = await env.other.client.post('/events/send', { eventName: 'purchase', contactId });
    const random = await env.other.client.post('/events/send', {
      eventName: 'purchase',
      contactId: new ObjectId().toHexString(),
    });
    expect(refusal(foreign)).to.include({ status: 404, code: 'CONTACT_NOT_FOUND_FOR_EVENT' });
    expect(foreign.text).to.equal(random.text);
    const admin = env.client(env.own.adminKey, { 'x-project-id': env.own.project._id.toHexString() });
    expect((await admin.post('/events/send', { eventName: 'purchase', contactId })).status).to.equal(403);
  });

  it('the same Idempotency-Key records one event', async () => {
    const body = { eventName: 'purchase', email: 'once@example.com', eventProperties: { amount: 1 } };
    const replies = [await send(body, { 'Idempotency-Key': 'e1' }), await send(body, { 'Idempotency-Key': 'e1' })];
    expect(replies[1]?.body).to.deep.equal(replies[0]?.body);
    const whose = replies[0]?.body.data.contactId;
    expect(await env.deps.db.events.countDocuments({ contactId: new ObjectId(String(whose)) })).to.equal(1);
  });

  it('writes what starts automations with the event itself, and nothing when none is live', async () => {
    await makeSending(env.deps, env.own);
    const quiet = await send({ eventName: 'purchase', contactId });
    const stored = (id: string) => env.deps.db.events.findOne({ _id: new ObjectId(id) });
    expect(await stored(quiet.body.data.id)).to.not.have.any.keys('dueAt', 'automationIds');
    const { id } = await activeAutomation(env.own.client, {
      entryCriteria: {
        type: 'event_trigger',
        eventName: 'purchase',
        filterCriteria: filter('event.properties.amount', 'greater_than', 10),
      },
    });
    const small = await send({ eventName: 'purchase', contactId, eventProperties: { amount: 10 } });
    expect(await stored(small.body.data.id)).to.not.have.property('dueAt');
    const large = await send({ eventName: 'purchase', contactId, eventProperties: { amount: 11 } });
    expect((await stored(large.body.data.id))?.automationIds?.map(String)).to.deep.equal([id]);
    const shown = (await env.own.client.get(`/automations/${id}`)).body.data.statistics;
    expect(shown.backlog).to.deep.equal({ triggers: 1, starts: 0 });
  });

  it('deleting the contact takes what is personal out of its events', async () => {
    const { body } = await send({
      eventName: 'purchase',
      email: 'forget@example.com',
      eventProperties: { item: 'secret' },
    });
    await env.own.client.delete(`/contacts/${body.data.contactId}`);
    const trigger = await env.deps.db.triggers.findOne({ contactId: new ObjectId(String(body.data.contactId)) });
    expect(trigger?.automationIds).to.deep.equal([]);
    expect(trigger?.dueAt).to.be.an.instanceOf(Date);
  });
});

describe('Recorded events', () => {
  const env = useEnvironment();

  it('are seen by name for 30 days, and listed newest first with the address, in one project alone', async () => {
    const { own, other, deps } = env;
    const [viewed, bought] = [
      await created(own.client, '/events', { eventName: 'viewed' }),
      await created(own.client, '/events', purchase),
    ];
    const old = await created(own.client, '/events', { eventName: 'old' });
    const theirs = await created(other.client, '/events', { eventName: 'viewed' });
    const send = async (eventName: string, eventProperties = {}) =>
      created(own.client, '/events/send', { eventName, email: 'ada@example.org', eventProperties });
    await send('old');
    const projectId = own.project._id;
    const before = new Date(Date.now() - 31 * 86_400_000);
    await deps.db.events.updateMany({ projectId, eventName: 'old' }, { $set: { createdAt: before } });
    await send('viewed');
    for (let amount = 1; amount <= 12; amount += 1) await send('purchase', { amount });

    const { events } = (await own.client.get('/events/seen')).body.data;
    expect(events.map(({ eventName }: { eventName: string }) => eventName).sort()).to.deep.equal([
      'purchase',
      'viewed',
    ]);
    expect((await other.client.get('/events/seen')).body.data).to.deep.equal({ events: [] });

    const { records } = (await own.client.get(`/events/${bought.id}/records`)).body.data;
    expect(records).to.have.length(10);
    expect(records[0]).to.deep.include({ eventName: 'purchase', email: 'ada@example.org', properties: { amount: 12 } });
    expect((await own.client.get(`/events/${old.id}/records?limit=1`)).body.data.records).to.have.length(1);
    expect((await other.client.get(`/events/${theirs.id}/records`)).body.data.records).to.deep.equal([]);
    expect(refusal(await other.client.get(`/events/${viewed.id}/records`))).to.include({ code: 'EVENT_NOT_FOUND' });
    for (const limit of ['0', '101', 'many'])
      expect(refusal(await own.client.get(`/events/${viewed.id}/records?limit=${limit}`))).to.include({ status: 400 });

    await own.client.delete(`/contacts/${records[0].contactId}`);
    const left = (await own.client.get(`/events/${bought.id}/records?limit=1`)).body.data.records;
    expect(left.map(({ email }: { email: string | null }) => email)).to.deep.equal([null]);
  });

  it('are seen by one key of the index for each name, however many there are', async () => {
    const { db } = env.deps;
    const read: object[] = [];
    const plan = await db.events
      .aggregate(newestOfEachName(env.own.project._id), { hint: 'name_newest' })
      .explain('executionStats');
    JSON.stringify(plan, (key, value) => {
      if (key === 'stage' && /SCAN/.test(value)) read.push(value);
      return value;
    });
    expect(new Set(read)).to.deep.equal(new Set(['DISTINCT_SCAN']));
  });
});
