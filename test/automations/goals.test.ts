import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../core/automations/enrollments/advance.ts';
import type { Enrollment } from '../../core/automations/model/enrollment.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { expectRecount } from './people.ts';
import { type AutomationStage, openAutomationStage } from './stage.ts';
import { activeAutomation, created, email, filter, makeSending, refusal, simple, wait } from './support.ts';

const byEvent = (more: object = {}) => ({ type: 'goal', stepId: 'goal', eventName: 'bought', ...more });
const isPro = filter('contactProperties.plan', 'equals', 'pro');
const byPlan = { type: 'goal', stepId: 'goal', filterCriteria: isPro };
const begin = wait(2, 'days', { stepId: 'w1' });
const end = [wait(1, 'days', { stepId: 'w2' }), email('after')];
const around = (goal: object) => [begin, email('before'), goal, ...end];

describe('A goal', () => {
  let env: Environment;
  let stage: AutomationStage;
  before(async () => {
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000' });
    await makeSending(env.deps, env.own);
    const properties = [{ propertyName: 'amount', type: 'number' }];
    await created(env.own.client, '/events', { eventName: 'bought', properties });
    stage = await openAutomationStage(env);
  });
  after(async () => {
    await stage.stop();
    await env.stop();
  });
  beforeEach(() => stage.onWait(async () => 'stay'));
  afterEach(async () => {
    const live = await env.deps.db.automations.find({ status: { $in: ['active', 'paused'] } }).toArray();
    for (const { _id } of live) await env.own.client.post(`/automations/${_id}/archive`);
  });

  const statistics = async (id: string) => (await env.own.client.get(`/automations/${id}`)).body.data.statistics;
  const contact = (plan?: string) =>
    created(env.own.client, '/contacts', {
      email: `${new ObjectId()}@example.com`,
      ...(plan && { contactProperties: { plan } }),
    });
  const change = (person: { email: string }, plan: string) =>
    env.own.client.post('/contacts/email', { email: person.email, contactProperties: { plan } });
  const bought = (contactId: string, amount = 20) =>
    created(env.own.client, '/events/send', { eventName: 'bought', contactId, eventProperties: { amount } });
  const stored = async (id: string, contactId: string) =>
    (await env.deps.db.enrollments.findOne({
      automationId: new ObjectId(id),
      contactId: new ObjectId(contactId),
    })) as Enrollment;
  const at = (id: string, contactId: string, stepId: string) =>
    until(
      () => stored(id, contactId),
      (one) => one?.stepId === stepId && one.dueAt === undefined,
    );
  const stepsOf = ({ history }: Enrollment) =>
    history.map(({ type, stepId }) => (stepId ? `${type} ${stepId}` : type)).slice(1);
  const JUMPED = ['wait w1', 'goal goal', 'wait w2'];

  it('is kept as it was given, and needs a wait before the next mail', async () => {
    const { steps } = await created(env.own.client, '/automations', {
      ...simple,
      steps: [
        begin,
        email('before'),
        byEvent({ filterCriteria: filter('event.properties.amount', 'greater_than', 5) }),
        byPlan,
        ...end,
      ].map((step, n) => ({ ...step, stepId: `s${n}` })),
    });
    expect(steps[2]).to.deep.include({ type: 'goal', eventName: 'bought' });
    expect(steps[2].filterCriteria.groups[0]).to.deep.include({ fieldType: 'number', value: 5 });
    expect(steps[3]).to.not.have.any.keys('eventName', 'waitEvent', 'delay');
    expect(steps[3].filterCriteria.groups).to.have.length(1);
    const cases: Array<[object[], string, string]> = [
      [around({ type: 'goal' }), 'VALIDATION_ERROR', 'steps/2: needs eventName or filterCriteria'],
      [around(byEvent({ eventName: 'a b' })), 'VALIDATION_ERROR', 'steps/2/eventName: must be 1 to 64'],
      [
        around({ type: 'goal', filterCriteria: filter('event.properties.amount', 'equals', 5) }),
        ...(['VALIDATION_ERROR', 'steps/2/filterCriteria/groups/0'] as const),
      ],
      [
        around({ type: 'goal', filterCriteria: { groups: [{ behaviour: 'opened' }] } }),
        ...(['VALIDATION_ERROR', 'steps/2/filterCriteria/groups/0/behaviour: is not allowed here'] as const),
      ],
      [
        Array.from({ length: 21 }, (_, n) => byEvent({ stepId: `g${n}` })),
        ...(['VALIDATION_ERROR', 'steps: may hold 20 goals at most'] as const),
      ],
      [[begin, byPlan, email('m')], 'INVALID_STEP_SEQUENCE', 'steps/2: needs a wait step before it'],
    ];
    for (const [given, code, details] of cases) {
      const fault = refusal(await env.own.client.post('/automations', { ...simple, steps: given }));
      expect([fault.status, fault.code], details).to.deep.equal([400, code]);
      expect(fault.details).to.include(details);
    }
    const unknown = { ...simple, steps: around(byEvent({ eventName: 'unknown' })), active: true };
    const fault = refusal(await env.own.client.post('/automations', unknown));
    expect(fault.details).to.include('steps/2/eventName: names no event of this project');
  });

  it('of an event is reached by who waits before it, who jumps to it and counts as converted', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: around(byEvent({ filterCriteria: filter('event.properties.amount', 'greater_than', 10) })),
    });
    const [ann, bob] = [await contact(), await contact()];
    for (const one of [ann, bob]) await at(id, one.id, 'w1');
    await bought(ann.id);
    await bought(bob.id, 5);
    const person = await at(id, ann.id, 'w2');
    expect(stepsOf(person)).to.deep.equal(JUMPED);
    expect(person.history.find(({ type }) => type === 'goal')?.rule).to.include(
      'event bought, event.properties.amount',
    );
    expect(person).to.not.have.any.keys('awaits', 'heard');
    expect(stepsOf(await stored(id, bob.id))).to.deep.equal(['wait w1']);
    await bought(ann.id);
    const figures = await statistics(id);
    expect(figures).to.deep.include({ entered: 2, converted: 1, conversionRate: 50, emails: 0 });
    expect(figures.steps[2]).to.deep.include({ type: 'goal', entered: 1, converted: 1 });
    await expectRecount(env, id);
  });

  it('of what a person is, is reached by a change, and on entering', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: around(byPlan) });
    const [ann, bob, eve] = [await contact('free'), await contact(), await contact('pro')];
    expect(stepsOf(await at(id, eve.id, 'w2'))).to.deep.equal(['goal goal', 'wait w2']);
    for (const one of [ann, bob]) await at(id, one.id, 'w1');
    await change(bob, 'team');
    await change(ann, 'pro');
    expect(stepsOf(await at(id, ann.id, 'w2'))).to.deep.equal(JUMPED);
    expect(stepsOf(await stored(id, bob.id))).to.deep.equal(['wait w1']);
    expect((await statistics(id)).conversionRate).to.equal(66.67);
    const ofBob = { contactId: new ObjectId(bob.id), reached: { $exists: true } };
    expect(await env.deps.db.triggers.countDocuments(ofBob)).to.equal(0);
  });

  it('that a person comes to otherwise is passed without being converted', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: around(byEvent()) });
    const { id: contactId } = await contact();
    const { _id: enrollmentId, projectId, waitUntil } = await at(id, contactId, 'w1');
    await advanceEnrollment(env.deps, { projectId, enrollmentId }, Number(waitUntil));
    const person = await stored(id, contactId);
    expect(stepsOf(person)).to.deep.equal(['wait w1', 'email before', 'goal_passed goal', 'wait w2']);
    await bought(contactId);
    await stage.settled();
    expect((await stored(id, contactId)).revision).to.equal(person.revision);
    const figures = await statistics(id);
    expect(figures).to.deep.include({ converted: 0, conversionRate: 0 });
    expect(figures.steps[2]).to.deep.include({ entered: 1, converted: 0 });
  });

  it('is reached by a change that a step before it makes, with no mail in between', async () => {
    const update = { type: 'update_contact', stepId: 'u', update: { contactProperties: { plan: 'pro' } } };
    const steps = [wait(0, 'days', { stepId: 'w0' }), update, email('between'), byPlan, ...end];
    const { id } = await activeAutomation(env.own.client, { steps });
    const { id: contactId } = await contact();
    const person = await at(id, contactId, 'w2');
    expect(stepsOf(person)).to.deep.equal(['wait w0', 'update_contact u', 'goal goal', 'wait w2']);
    expect((await statistics(id)).emails).to.equal(0);
  });

  it('counts a person once, though they reach two', async () => {
    const steps = [begin, byPlan, ...end, byEvent({ stepId: 'second' })];
    const { id } = await activeAutomation(env.own.client, { steps });
    const person = await contact();
    await at(id, person.id, 'w1');
    await change(person, 'pro');
    await at(id, person.id, 'w2');
    await bought(person.id);
    await until(
      () => stored(id, person.id),
      (one) => one?.status === 'completed',
    );
    const { converted, conversionRate, steps: figures } = await statistics(id);
    expect({ converted, conversionRate }).to.deep.equal({ converted: 1, conversionRate: 100 });
    expect(figures.map((one: { converted: number }) => one.converted)).to.deep.equal([0, 1, 0, 0, 1]);
  });

  it('of the version that the person is inside counts, also after the next one was published and during a pause', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: around(byPlan) });
    const [ann, bob] = [await contact(), await contact()];
    for (const one of [ann, bob]) await at(id, one.id, 'w1');
    const steps = around({ ...byPlan, filterCriteria: filter('contactProperties.plan', 'equals', 'team') });
    await env.own.client.patch(`/automations/${id}`, { draft: true, steps });
    expect((await env.own.client.post(`/automations/${id}/publish`)).status).to.equal(200);
    await change(ann, 'team');
    await change(bob, 'pro');
    expect(stepsOf(await at(id, bob.id, 'w2'))).to.deep.equal(JUMPED);
    expect(stepsOf(await stored(id, ann.id))).to.deep.equal(['wait w1']);
    await env.own.client.post(`/automations/${id}/pause`);
    await change(ann, 'pro');
    await until(
      () => stored(id, ann.id),
      (one) => one?.parked === true && one.heard !== undefined,
    );
    await change(ann, 'free');
    await env.own.client.post(`/automations/${id}/resume`);
    expect(stepsOf(await at(id, ann.id, 'w2'))).to.deep.equal(['wait w1', 'parked w1', 'goal goal', 'wait w2']);
  });

  it('costs changes of contacts nothing where no automation has one', async () => {
    const person = await contact();
    await change(person, 'pro');
    expect(await env.deps.db.triggers.countDocuments({ contactId: new ObjectId(person.id) })).to.equal(0);
  });
});
