import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { webhooks } from '../../../client/index.ts';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { eventQueue, triggerQueue } from '../../../core/automations/enrollments/enroll.ts';
import { openCore } from '../../../core/base/deps.ts';
import { webhookDeliveries } from '../../../core/events/webhook-deliveries.ts';
import { type RunningQueues, startQueues } from '../../../core/jobs/queue.ts';
import { createPoster } from '../../../platform/fetch/webhook-poster.ts';
import { anyFreePort } from '../../../stack/ports.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { eventFaults } from '../../support/event-faults.ts';
import { until } from '../../support/wait.ts';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts';
import { peopleInside } from '../people.ts';
import { activeAutomation, created, makeSending, wait } from '../support.ts';

/** Without the workflow engine: steps before a wait are taken with the entry. */
describe('A webhook step', function () {
  this.timeout(60_000);
  let env: Environment;
  let receiver: Receiver;
  let loop: RunningQueues;
  before(async () => {
    const port = await anyFreePort();
    receiver = await startReceiver(port);
    env = await startEnvironment({ ALLOW_PRIVATE_URLS: `127.0.0.1:${port}`, TEMPORAL_ADDRESS: '127.0.0.1:9' });
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', {
      eventName: 'bought',
      properties: [{ propertyName: 'amount', type: 'number' }],
    });
    const { deps } = env;
    loop = startQueues(deps, [
      triggerQueue(deps),
      eventQueue(deps),
      webhookDeliveries(deps, createPoster(deps.config)),
    ]);
    await loop.ready;
  });
  after(async () => {
    await loop.stop();
    await Promise.all([receiver.stop(), env.stop()]);
  });
  beforeEach(() => {
    receiver.answer = { status: 200 };
  });

  let places = 0;
  const address = () => `${receiver.url}?${++places}`;
  const at = (url: string) => receiver.received.filter(({ path }) => url.endsWith(path));
  const hook = (webhook: object, more: object = {}) => ({ type: 'webhook', stepId: 'post', webhook, ...more });
  const webhookOf = async (url: string) => {
    const { webhooks: all } = (await env.own.client.get('/webhooks?limit=100')).body.data;
    return all.find((one: { url: string }) => one.url === url);
  };
  const deliveriesOf = async (url: string) => {
    const { id } = await webhookOf(url);
    return (await env.own.client.get(`/webhooks/${id}/deliveries`)).body.data.deliveries;
  };
  const newContact = async (more: object = {}) =>
    created(env.own.client, '/contacts', { email: `hook${new ObjectId()}@example.com`, ...more });
  const byEvent = { type: 'event_trigger', eventName: 'bought' };
  const enter = (contactId: string) =>
    created(env.own.client, '/events/send', { eventName: 'bought', contactId, eventProperties: { amount: 5 } });

  it('posts the person as the steps before have changed them, once, signed, with the headers of the step; they continue', async () => {
    const url = address();
    const secret = 'Bearer 5f-not-to-be-seen';
    const headers = [{ name: 'Authorization', value: secret }];
    const automation = await activeAutomation(env.own.client, {
      entryCriteria: byEvent,
      steps: [
        { type: 'update_contact', update: { contactProperties: { stage: 'new' } } },
        hook({ url, headers }),
        { type: 'update_contact', update: { contactProperties: { stage: 'old' } } },
      ],
    });
    const { id: webhookId } = await webhookOf(url);
    const { secret: signing } = (await env.own.client.post(`/webhooks/${webhookId}/rotate-secret`)).body.data;
    const { id: contactId, email } = await newContact({ firstName: 'Ann' });
    await enter(contactId);
    const [one] = await until(
      async () => at(url),
      (all) => all.length > 0,
    );
    const event = await webhooks.verify(String(one?.text), one?.headers ?? {}, signing);
    const [person] = await env.deps.db.enrollments.find({ contactId: new ObjectId(contactId) }).toArray();
    const { contact, ...data } = one?.body.data ?? {};
    expect(event.type).to.equal('automation.step_webhook');
    expect(data).to.deep.equal({
      ...{ enrollmentId: person?._id.toHexString(), automationId: automation.id, stepId: 'post', email },
      event: { name: 'bought', properties: { amount: 5 } },
    });
    expect(contact).to.deep.include({ id: contactId, email, firstName: 'Ann', contactProperties: { stage: 'new' } });
    expect(one?.headers.authorization).to.equal(secret);
    expect(person).to.include({ status: 'completed' });
    expect(person?.history.map(({ type }) => type).slice(1, 4)).to.deep.equal([
      ...['update_contact', 'webhook', 'update_contact'],
    ]);
    expect(person?.history[2]?.eventId?.toHexString()).to.equal(one?.body.id);
    const [delivery, ...more] = await until(
      () => deliveriesOf(url),
      ([first]) => first?.status === 'delivered',
    );
    expect(more).to.deep.equal([]);
    expect(delivery).to.include({ eventId: one?.body.id, type: 'automation.step_webhook', attempts: 1 });
    const { statistics } = (await env.own.client.get(`/automations/${automation.id}`)).body.data;
    expect(statistics.steps[1]).to.include({ type: 'webhook', entered: 1 });
    const log = await env.own.client.get(`/webhooks/${webhookId}/deliveries`);
    const people = await env.own.client.get(`/automations/${automation.id}/enrollments`);
    for (const { text } of [log, people]) expect(text).to.not.contain('not-to-be-seen');
    expect(await eventFaults(env.deps)).to.deep.equal([]);
  });

  it('is for its own webhook alone: no stream, no webhook of all types and no other project gets it', async () => {
    const url = address();
    const other = address();
    const { eventTypes } = await import('../../../schemas/events/webhooks.ts');
    const { id: webhookId } = await created(env.own.client, '/webhooks', { url: other, events: ['contact.created'] });
    const all = await created(env.own.client, '/webhooks', { url: address(), events: [...eventTypes] });
    await activeAutomation(env.own.client, {
      entryCriteria: byEvent,
      steps: [hook({ webhookId }), hook({ url }, { stepId: 'b' })],
    });
    const { id } = await newContact();
    await enter(id);
    await until(
      async () => at(other).length + at(url).length,
      (count) => count === 3,
    );
    const types = (of: string) => at(of).map(({ body }) => body.type);
    expect(types(other)).to.have.members(['contact.created', 'automation.step_webhook']);
    expect(types(url)).to.deep.equal(['automation.step_webhook']);
    const { text: deliveries } = await env.own.client.get(`/webhooks/${all.id}/deliveries`);
    expect(deliveries).to.contain('contact.created').and.not.contain('automation.step_webhook');
    const refused = await env.own.client.post('/webhooks', { url, events: ['automation.step_webhook'] });
    expect(refused.status).to.equal(400);
  });

  it('is tried again after a failure under the same id, and is delivered again by a replay', async () => {
    const url = address();
    receiver.answer = { status: 500 };
    await activeAutomation(env.own.client, { entryCriteria: byEvent, steps: [hook({ url })] });
    const { id } = await newContact();
    await enter(id);
    await until(
      async () => at(url).length,
      (count) => count === 1,
    );
    receiver.answer = { status: 204 };
    const [delivery] = await until(
      () => deliveriesOf(url),
      ([one]) => one?.status === 'delivered',
    );
    expect(delivery.tries.map(({ status }: { status: number }) => status)).to.deep.equal([500, 204]);
    const { id: webhookId } = await webhookOf(url);
    const replay = await env.own.client.post(`/webhooks/${webhookId}/replay`, { eventIds: [delivery.eventId] });
    expect(replay.body.data).to.deep.equal({ replayed: 1 });
    await until(
      async () => at(url).length,
      (count) => count === 3,
    );
    expect(new Set(at(url).map(({ body }) => body.id)).size).to.equal(1);
  });

  it('does not keep the person when its webhook is deleted or its headers do not open', async () => {
    const url = address();
    const headers = [{ name: 'X-Key', value: 'a' }];
    await activeAutomation(env.own.client, { entryCriteria: byEvent, steps: [hook({ url, headers })] });
    await env.deps.db.webhookHeaders.deleteMany({});
    const { id } = await newContact();
    await enter(id);
    const [delivery] = await until(
      () => deliveriesOf(url),
      ([one]) => one?.attempts > 0,
    );
    expect(delivery.tries[0].error).to.contain('The headers of the step do not open');
    expect(at(url)).to.deep.equal([]);
    await env.own.client.delete(`/webhooks/${(await webhookOf(url)).id}`);
    const other = await newContact();
    await enter(other.id);
    const [person] = await until(
      () => env.deps.db.enrollments.find({ contactId: new ObjectId(String(other.id)) }).toArray(),
      ([one]) => one?.status === 'completed',
    );
    expect(person?.history.map(({ type }) => type)).to.include('webhook');
  });

  it('leaves the log within a day when the contact is deleted', async () => {
    const url = address();
    await activeAutomation(env.own.client, { entryCriteria: byEvent, steps: [hook({ url })] });
    const { id } = await newContact();
    await enter(id);
    await until(
      async () => at(url).length,
      (count) => count === 1,
    );
    await env.own.client.delete(`/contacts/${id}`);
    const [event] = await env.deps.db.projectEvents.find({ 'data.contact.id': id }).toArray();
    expect(event?.eraseAt).to.be.instanceOf(Date);
  });

  it('posts once, however many look at the person at the same time and in which process', async () => {
    const url = address();
    const one = await activeAutomation(env.own.client, {
      entryCriteria: byEvent,
      steps: [wait(1, 'days', { stepId: 'w' }), hook({ url })],
    });
    const waiting = { started: true, stepId: 'w', waitFrom: new Date(0), waitUntil: new Date(1) };
    const people = await peopleInside(env, one.id, 3, waiting);
    const others = Array.from({ length: 3 }, () => openCore(env.deps));
    const look = ({ projectId, _id: enrollmentId }: (typeof people)[number]) =>
      others.map((deps) => advanceEnrollment(deps, { projectId, enrollmentId }, Date.now()));
    await Promise.all(people.flatMap(look));
    const type = 'automation.step_webhook';
    for (const { _id } of people) {
      const data = { 'data.enrollmentId': _id.toHexString() };
      expect(await env.deps.db.projectEvents.countDocuments({ type, ...data })).to.equal(1);
    }
    const { id: webhookId } = await webhookOf(url);
    expect(await env.deps.db.webhookDeliveries.countDocuments({ webhookId: new ObjectId(String(webhookId)) })).to.equal(
      3,
    );
  });
});
