import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { hearAnswer } from '../../../core/automations/enrollments/answers.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { webhookDeliveries } from '../../../core/events/webhook-deliveries.ts';
import { type RunningQueues, startQueues } from '../../../core/jobs/queue.ts';
import { createPoster } from '../../../platform/fetch/webhook-poster.ts';
import { anyFreePort } from '../../../stack/ports.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { activeAutomation, created, filter, makeSending, wait } from '../support.ts';

const HOUR_MS = 3_600_000;
const SECRET = 'Bearer 5f-not-to-be-seen';
const timeout = { value: 2, unit: 'hours' };
const set = (property: string) => ({ type: 'update_contact', update: { contactProperties: { [property]: true } } });

/** A real receiver, the real deliveries, and the runs of Temporal. */
describe('A wait for the answer of a webhook', function () {
  this.timeout(60_000);
  let env: Environment;
  let stage: AutomationStage;
  let receiver: Receiver;
  let loop: RunningQueues;
  before(async () => {
    const port = await anyFreePort();
    receiver = await startReceiver(port);
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000', ALLOW_PRIVATE_URLS: `127.0.0.1:${port}` });
    await makeSending(env.deps, env.own);
    await created(env.own.client, '/events', { eventName: 'began' });
    await created(env.own.client, '/custom-fields', { fieldName: 'score', fieldType: 'number' });
    stage = await openAutomationStage(env);
    loop = startQueues(env.deps, [webhookDeliveries(env.deps, createPoster(env.deps.config))]);
    await loop.ready;
  });
  after(async () => {
    await loop.stop();
    await stage.stop();
    await Promise.all([receiver.stop(), env.stop()]);
  });
  beforeEach(() => stage.onWait(async () => 'stay'));

  let places = 0;
  const address = () => `${receiver.url}?w${++places}`;
  const answers = (status: number, body: string | object = '') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    receiver.answer = { status, write: (response) => response.writeHead(status).end(text) };
  };
  const stepsFor = (url: string, more: object = {}) => [
    {
      ...{ type: 'webhook', stepId: 'ask', failureStepId: 'other' },
      webhook: { url, wait: true, timeout, headers: [{ name: 'Authorization', value: SECRET }], ...more },
    },
    { ...set('wentOn'), stepId: 'on' },
    { type: 'exit', stepId: 'out' },
    { ...set('failed'), stepId: 'other' },
  ];
  const asking = (url: string, more: object = {}) =>
    activeAutomation(env.own.client, {
      entryCriteria: { type: 'event_trigger', eventName: 'began' },
      steps: stepsFor(url),
      ...more,
    });
  const enter = async () => {
    const { id } = await created(env.own.client, '/contacts', { email: `${new ObjectId()}@example.com` });
    await created(env.own.client, '/events/send', { eventName: 'began', contactId: id });
    return id as string;
  };
  const stored = (id: string, contactId: string) =>
    env.deps.db.enrollments.findOne({ automationId: new ObjectId(id), contactId: new ObjectId(contactId) });
  const ended = async (id: string, contactId: string) =>
    (await until(
      () => stored(id, contactId),
      (one) => one?.endedAt != null,
    )) as Enrollment;
  const waiting = async (id: string, contactId: string) =>
    (await until(
      () => stored(id, contactId),
      (one) => one?.waitUntil != null && one.dueAt === undefined,
    )) as Enrollment;
  const properties = async (id: string) =>
    (await env.own.client.get(`/contacts/${id}`)).body.data.contactProperties as object;
  const stepOf = async (id: string) => (await env.own.client.get(`/automations/${id}`)).body.data.statistics.steps[0];
  const reasonOf = ({ history }: Enrollment) => history.find(({ type }) => type === 'webhook_failed')?.reason;
  const archive = (id: string) => env.own.client.post(`/automations/${id}/archive`);

  it('ends with the answer, which sets properties, by a change with its cause, before the next step', async () => {
    const led = await created(env.own.client, '/contact-lists', {
      ...{ name: 'Scored', type: 'segment' },
      filterCriteria: filter('contactProperties.score', 'greater_than', 5),
    });
    const other = await activeAutomation(env.own.client, {
      entryCriteria: { type: 'contact_added_to_list', listId: led.id },
      steps: [set('seen')],
    });
    answers(200, { contactProperties: { score: '7', text: '{{email}}', gone: null }, more: [1, 2] });
    const one = await asking(address());
    const contactId = await enter();
    const person = await ended(one.id, contactId);
    expect(person.history.map(({ type }) => type)).to.deep.equal([
      ...['entered', 'webhook', 'webhook_answered', 'update_contact', 'exited'],
    ]);
    expect(Number(person.history[1]?.until) - Number(person.history[1]?.at)).to.equal(2 * HOUR_MS);
    expect(person).to.not.have.any.keys('heard', 'awaits');
    await ended(other.id, contactId);
    expect(await properties(contactId)).to.deep.equal({ score: 7, text: '{{email}}', wentOn: true, seen: true });
    expect((await stored(other.id, contactId))?.causedBy?.map(String)).to.deep.equal([one.id]);
    expect(await stepOf(one.id)).to.include({ entered: 1, answered: 1, failed: 0, active: 0 });
    const posts = receiver.received.filter(({ body }) => body.data?.contact?.id === contactId);
    expect(posts).to.have.length(1);
    expect(posts[0]?.headers.authorization).to.equal(SECRET);
    await archive(one.id);
  });

  it('ends without properties for an empty answer, and waits through failures until one is taken', async () => {
    answers(503);
    const one = await asking(address());
    const contactId = await enter();
    await waiting(one.id, contactId);
    await until(
      async () => receiver.received.filter(({ body }) => body.data?.contact?.id === contactId).length,
      (count) => count > 0,
    );
    expect((await stored(one.id, contactId))?.status).to.equal('active');
    expect(await stepOf(one.id)).to.include({ entered: 1, answered: 0, active: 1 });
    answers(204);
    await ended(one.id, contactId);
    expect(await properties(contactId)).to.deep.equal({ wentOn: true });
    await archive(one.id);
  });

  it('ends in the failure with a reason for an answer that cannot be used; nothing of it is set', async () => {
    const one = await asking(address());
    for (const [body, reason] of [
      ['<p>Thanks</p>', 'The answer is not valid JSON.'],
      [`${'['.repeat(40)}${']'.repeat(40)}`, 'nested deeper than 32 levels'],
      [`{"contactProperties":{"plan":"${'x'.repeat(70_000)}"}}`, 'The answer has more than 64 KiB.'],
      [{ contactProperties: { plan: 'pro', score: 'many' } }, 'contactProperties/score: must be a number'],
      [{ contactProperties: { plan: { a: 1 } } }, 'contactProperties/plan: must be a text'],
      [{ contactProperties: { 'a b': 1 } }, 'contactProperties/a b: must be named'],
      [[1], 'The answer must be a JSON object'],
    ] as const) {
      answers(200, body as string);
      const contactId = await enter();
      const person = await ended(one.id, contactId);
      expect(reasonOf(person)).to.contain(reason);
      expect(await properties(contactId)).to.deep.equal({ failed: true });
    }
    expect(await stepOf(one.id)).to.include({ entered: 7, answered: 0, failed: 7 });
    const { data } = (await env.own.client.get(`/automations/${one.id}/enrollments?limit=100`)).body;
    expect(data.enrollments[0].history.map(({ type }: { type: string }) => type)).to.include('webhook_failed');
    await archive(one.id);
  });

  it('hears an answer once, for the visit that asked, and at its end the one that is stored first counts', async () => {
    answers(500);
    const one = await asking(address());
    const contactId = await enter();
    const person = await waiting(one.id, contactId);
    const event = { _id: person.history[1]?.eventId as ObjectId, projectId: person.projectId };
    const data = { enrollmentId: person._id.toHexString(), stepId: 'ask' };
    const answer = {
      ...event,
      data,
      at: person.waitUntil as Date,
      answered: { json: { contactProperties: { n: 1 } } },
    };
    expect(await hearAnswer(env.deps, { ...answer, _id: new ObjectId() })).to.equal('missed');
    expect(await hearAnswer(env.deps, { ...answer, projectId: env.other.project._id })).to.equal('missed');
    const past = new Date(Number(person.waitUntil) + 1);
    expect(await hearAnswer(env.deps, { ...answer, at: past })).to.equal('missed');
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => hearAnswer(env.deps, answer)));
    expect(outcomes.filter((outcome) => outcome === 'heard')).to.have.length(1);
    await ended(one.id, contactId);
    expect(await properties(contactId)).to.deep.equal({ n: 1, wentOn: true });
    await archive(one.id);
  });

  it('is kept by a pause: the answer counts when the automation is resumed', async () => {
    answers(500);
    const one = await asking(address());
    const contactId = await enter();
    await waiting(one.id, contactId);
    await env.own.client.post(`/automations/${one.id}/pause`);
    answers(200, { contactProperties: { n: 2 } });
    await until(
      () => stored(one.id, contactId),
      (found) => found?.parked === true,
    );
    await env.own.client.post(`/automations/${one.id}/resume`);
    await ended(one.id, contactId);
    expect(await properties(contactId)).to.deep.equal({ n: 2, wentOn: true });
    await archive(one.id);
  });

  it('ends without an answer when another version does not wait any more', async () => {
    answers(500);
    const one = await asking(address());
    const contactId = await enter();
    await waiting(one.id, contactId);
    const steps = [{ type: 'webhook', stepId: 'ask', webhook: { url: address() } }, set('moved')];
    await env.own.client.patch(`/automations/${one.id}`, { draft: true, steps });
    const published = await env.own.client.post(`/automations/${one.id}/publish`, { existing: 'move' });
    expect(published.status, published.text).to.equal(200);
    const person = await ended(one.id, contactId);
    expect(person.history.map(({ type }) => type)).to.not.include.members(['webhook_failed', 'webhook_answered']);
    expect(await properties(contactId)).to.include({ moved: true });
    await archive(one.id);
  });

  it('fails at once for a webhook that is off, and leaves nothing of the address or the headers in the history of the run', async () => {
    answers(500);
    const url = address();
    const one = await asking(url);
    const contactId = await enter();
    const person = await waiting(one.id, contactId);
    const { webhooks } = (await env.own.client.get('/webhooks?limit=100')).body.data;
    const { id } = webhooks.find((found: { url: string }) => found.url === url);
    await env.own.client.patch(`/webhooks/${id}`, { isActive: false });
    expect(reasonOf(await ended(one.id, contactId))).to.equal('The webhook was deleted or switched off.');
    const history = JSON.stringify(await stage.handle(person._id.toHexString()).fetchHistory());
    const decoded = history.replace(/"data":"([^"]+)"/g, (_, data) => Buffer.from(data, 'base64').toString());
    for (const text of ['127.0.0.1', 'hook?', 'not-to-be-seen', 'example.com']) expect(decoded).to.not.contain(text);
    await archive(one.id);
  });

  it('ends in the failure after its time-out, and an answer that comes then changes nothing', async () => {
    answers(500);
    const one = await asking(address());
    const contactId = await enter();
    const person = await waiting(one.id, contactId);
    const late = person.waitUntil as Date;
    const place = { projectId: person.projectId, enrollmentId: person._id };
    expect(await advanceEnrollment(env.deps, place, 0)).to.include({ kind: 'wait' });
    env.clock.set(late);
    await advanceEnrollment(env.deps, place, 0);
    expect(reasonOf(await ended(one.id, contactId))).to.equal('No answer came in time.');
    const event = { _id: person.history[1]?.eventId as ObjectId, projectId: person.projectId };
    const data = { enrollmentId: person._id.toHexString(), stepId: 'ask' };
    const answered = { json: { contactProperties: { plan: 'late' } } };
    expect(await hearAnswer(env.deps, { ...event, data, at: late, answered })).to.equal('missed');
    expect(await properties(contactId)).to.deep.equal({ failed: true });
    await archive(one.id);
  });

  it('is never begun once the project is deleted: people inside leave, and nothing is posted', async () => {
    const { client, adminKey, project } = await env.newTenant('Deleted');
    answers(200);
    const url = address();
    const later = wait(1, 'days', { stepId: 'later' });
    const { id } = await activeAutomation(client, { steps: [later, ...stepsFor(url)] });
    const { id: contactId } = await created(client, '/contacts', { email: `${new ObjectId()}@example.com` });
    const { _id: enrollmentId, waitUntil } = await waiting(id, contactId);
    expect((await env.client(adminKey).delete(`/account/projects/${project._id}`)).status).to.equal(200);
    expect((await ended(id, contactId)).exitReason).to.equal('automation_archived');
    await advanceEnrollment(env.deps, { projectId: project._id, enrollmentId }, Number(waitUntil));
    expect(receiver.received.filter((one) => JSON.stringify(one).includes(url.split('?')[1]!))).to.deep.equal([]);
    const webhooks = await env.deps.db.webhooks.find({ projectId: project._id }).toArray();
    expect(webhooks.map(({ isActive }) => isActive)).to.deep.equal([false]);
  });
});
