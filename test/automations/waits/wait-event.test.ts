import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { wake } from '../../../core/automations/enrollments/wake.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { inTransaction } from '../../../core/base/database/transactions.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { activeAutomation, created, email, filter, makeSending, refusal, simple, wait } from '../support.ts';

const DAY_MS = 86_400_000;
const timeout = { value: 2, unit: 'days' };
const waitEvent = (event: object | undefined, more: object = {}) => ({
  ...{ type: 'wait_event', stepId: 'w', nextStepId: 'thanks', timeoutStepId: 'remind' },
  ...(event && { waitEvent: event }),
  ...more,
});
const ends = [email('thanks', { nextStepId: 'done' }), email('remind'), { type: 'exit', stepId: 'done' }];
const forBought = (more: object = {}) => [waitEvent({ eventName: 'bought', timeout, ...more }), ...ends];
const moreThanTen = filter('event.properties.amount', 'greater_than', 10);

describe('A wait for an event', () => {
  let env: Environment;
  let stage: AutomationStage;
  before(async () => {
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000' });
    await makeSending(env.deps, env.own);
    for (const { client } of [env.own, env.other]) {
      await created(client, '/events', {
        eventName: 'bought',
        properties: [{ propertyName: 'amount', type: 'number' }],
      });
      await created(client, '/events', { eventName: 'began' });
    }
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
  const contact = () => created(env.own.client, '/contacts', { email: `${new ObjectId()}@example.com` });
  const bought = (contactId: string, amount = 20, { client } = env.own) =>
    created(client, '/events/send', { eventName: 'bought', contactId, eventProperties: { amount } });
  const stored = async (id: string, contactId: string) =>
    (await env.deps.db.enrollments.findOne({
      automationId: new ObjectId(id),
      contactId: new ObjectId(contactId),
    })) as Enrollment;
  const personIn = (id: string, contactId: string, isIt: (one: Enrollment | null) => boolean) =>
    until(() => stored(id, contactId), isIt);
  /** The person waits, and the run knows it. */
  const waiting = (id: string, contactId: string) =>
    personIn(id, contactId, (one) => one?.waitUntil != null && one.dueAt === undefined);
  const ended = (id: string, contactId: string) => personIn(id, contactId, (one) => one?.endedAt != null);
  const stepsOf = ({ history }: Enrollment) =>
    history.map(({ type, stepId }) => (stepId ? `${type} ${stepId}` : type)).slice(1);
  const turn = (ms: number) => {
    if (ms > env.clock.now().getTime()) env.clock.set(new Date(ms));
  };
  /** The look of the run at this time. */
  const look = ({ projectId, _id: enrollmentId }: Enrollment) =>
    advanceEnrollment(env.deps, { projectId, enrollmentId }, 0);

  it('is kept as it was given, and is a pause before both mails', async () => {
    const steps = forBought({ filterCriteria: moreThanTen, since: 'entry' });
    const { steps: kept } = await created(env.own.client, '/automations', { ...simple, steps });
    expect(kept[0]).to.deep.include({ type: 'wait_event', nextStepId: 'thanks', timeoutStepId: 'remind' });
    expect(kept[0].waitEvent).to.deep.include({ eventName: 'bought', timeout, since: 'entry' });
    expect(kept[0].waitEvent.filterCriteria.groups[0]).to.deep.include({ fieldType: 'number', value: 10 });
    const { steps: short } = await created(env.own.client, '/automations', {
      ...simple,
      steps: [{ type: 'wait_event', waitEvent: { eventName: 'bought', timeout } }, email('both')],
    });
    expect(short[0]).to.deep.include({
      timeoutStepId: null,
      waitEvent: { eventName: 'bought', timeout, since: 'step' },
    });
  });

  it('that is not valid is refused with the step, and nothing is written', async () => {
    const before = await env.deps.db.automations.countDocuments();
    const cases: Array<[object, string, string]> = [
      [waitEvent(undefined), 'EVENT_NAME_REQUIRED', 'steps/0/waitEvent/eventName: is required'],
      [waitEvent({ timeout }), 'EVENT_NAME_REQUIRED', 'steps/0/waitEvent/eventName: is required'],
      [waitEvent({ eventName: 'bought' }), 'VALIDATION_ERROR', 'steps/0/waitEvent/timeout: is required'],
      [
        waitEvent({ eventName: 'bought', timeout: { value: 3_651, unit: 'days' } }),
        ...(['VALIDATION_ERROR', 'steps/0/waitEvent/timeout: must be 3650 days at most'] as const),
      ],
      [
        waitEvent({ eventName: 'bought', timeout: { value: -1, unit: 'days' } }),
        ...(['VALIDATION_ERROR', 'steps/0/waitEvent/timeout/value'] as const),
      ],
      [waitEvent({ eventName: 'a b', timeout }), 'VALIDATION_ERROR', 'steps/0/waitEvent/eventName: must be'],
      [waitEvent({ eventName: 'bought', timeout, since: 'ever' }), 'VALIDATION_ERROR', 'steps/0/waitEvent/since'],
      [
        waitEvent({ eventName: 'bought', timeout, filterCriteria: filter('event.properties.amount', 'contains', 'x') }),
        ...(['VALIDATION_ERROR', 'steps/0/waitEvent/filterCriteria/groups/0'] as const),
      ],
      [
        waitEvent({ eventName: 'bought', timeout, filterCriteria: { groups: [{ behaviour: 'opened' }] } }),
        ...(['VALIDATION_ERROR', 'steps/0/waitEvent/filterCriteria/groups/0/behaviour: is not allowed here'] as const),
      ],
      [
        waitEvent({ eventName: 'bought', timeout }, { timeoutStepId: 'gone' }),
        ...(['INVALID_STEP_SEQUENCE', 'steps/0/timeoutStepId: names no step'] as const),
      ],
      [
        waitEvent({ eventName: 'bought', timeout }, { timeoutStepId: 'w' }),
        ...(['INVALID_STEP_SEQUENCE', 'steps/0: is reached again from itself'] as const),
      ],
    ];
    for (const [step, code, details] of cases) {
      const fault = refusal(await env.own.client.post('/automations', { ...simple, steps: [step, ...ends] }));
      expect([fault.status, fault.code], details).to.deep.equal([400, code]);
      expect(fault.details).to.include(details);
    }
    expect(await env.deps.db.automations.countDocuments()).to.equal(before);
  });

  it('asks at activation for an event of the project, which stays while the automation is active', async () => {
    const steps = [waitEvent({ eventName: 'unknown', timeout }), ...ends];
    const fault = refusal(await env.own.client.post('/automations', { ...simple, steps, active: true }));
    expect(fault.code).to.equal('CANNOT_ACTIVATE_AUTOMATION');
    expect(fault.details).to.include('steps/0/waitEvent/eventName: names no event of this project');
    await activeAutomation(env.own.client, { steps: forBought() });
    const { events } = (await env.own.client.get('/events?search=bought')).body.data;
    const refused = refusal(await env.own.client.delete(`/events/${events[0].id}`));
    expect(refused.status).to.equal(409);
  });

  it('ends with the event, or at its time-out: only the event that is meant, of that person, in that project', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: forBought({ filterCriteria: moreThanTen }) });
    const [ann, bob] = [await contact(), await contact()];
    await waiting(id, ann.id);
    await waiting(id, bob.id);
    const neighbour = await created(env.other.client, '/contacts', { email: bob.email });
    await bought(neighbour.id, 20, env.other);
    await bought(bob.id, 5);
    await created(env.own.client, '/events/send', { eventName: 'began', contactId: bob.id });
    await bought(ann.id, 20);
    expect(stepsOf(await ended(id, ann.id))).to.deep.equal(['wait w', 'heard w', 'email thanks', 'exited done']);
    await stage.settled();
    expect(await stored(id, bob.id)).to.not.have.any.keys('heard', 'asked');
    turn(Date.now() + 2 * DAY_MS + 60_000);
    await look(await stored(id, bob.id));
    await bought(bob.id, 20);
    expect(stepsOf(await ended(id, bob.id))).to.deep.equal(['wait w', 'timed_out w', 'email remind', 'exited done']);
    const figures = await statistics(id);
    expect(figures.steps[0]).to.deep.include({ entered: 2, active: 0, heard: 1, timedOut: 1 });
  });

  it('continues after a kill between the record of the event and the signal of the run: the job is in the same write', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: forBought() });
    const { id: contactId } = await contact();
    const { _id: enrollmentId, projectId } = await waiting(id, contactId);
    const heard = { stepId: 'w', at: env.clock.now() };
    // Without announceWakes, as after a kill.
    await inTransaction(env.deps, (session) => wake(env.deps, { projectId, enrollmentId, session }, heard));
    expect(stepsOf(await ended(id, contactId))).to.include('heard w');
  });

  it('that no automation asks for costs an event no job', async () => {
    const { id } = await contact();
    await bought(id);
    expect(await env.deps.db.events.findOne({ contactId: new ObjectId(id) })).to.not.have.any.keys('dueAt', 'outcomes');
  });

  it('counts an event that came after the entry where it is asked for, and never the one that entered the person', async () => {
    const entryCriteria = { type: 'event_trigger', eventName: 'bought' };
    const steps = (since: string) => [wait(1, 'hours', { stepId: 'first' }), ...forBought({ since })];
    const ids: string[] = [];
    for (const since of ['entry', 'step'])
      ids.push((await activeAutomation(env.own.client, { entryCriteria, steps: steps(since) })).id);
    const { id: contactId } = await contact();
    await bought(contactId);
    for (const id of ids) await waiting(id, contactId);
    const other = await contact();
    await bought(other.id);
    for (const id of ids) await waiting(id, other.id);
    turn(env.clock.now().getTime() + 60_000);
    await bought(contactId);
    await stage.settled();
    turn(env.clock.now().getTime() + 3_600_000);
    for (const id of ids) for (const one of [contactId, other.id]) await look(await stored(id, one));
    const [entry = '', step = ''] = ids;
    expect(stepsOf(await ended(entry, contactId))).to.include.members(['heard w', 'email thanks']);
    for (const person of [await stored(step, contactId), await stored(entry, other.id), await stored(step, other.id)])
      expect(stepsOf(person)).to.deep.equal(['wait first', 'wait w']);
  });

  it('holds while the automation is paused, and follows an event that came in time', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: forBought() });
    const [early, late] = [await contact(), await contact()];
    for (const one of [early, late]) await waiting(id, one.id);
    await env.own.client.post(`/automations/${id}/pause`);
    await bought(early.id);
    // The run reads events too: it may park the person before the job of the event writes that it was heard.
    const held = await personIn(id, early.id, (one) => one?.parked === true && one.heard !== undefined);
    expect(held.heard).to.have.length(1);
    turn(env.clock.now().getTime() + 3 * DAY_MS);
    await bought(late.id);
    await stage.settled();
    expect(await stored(id, late.id)).to.not.have.any.keys('heard');
    expect(stepsOf(await stored(id, early.id))).to.deep.equal(['wait w', 'parked w']);
    await look(await stored(id, late.id));
    await env.own.client.post(`/automations/${id}/resume`);
    expect(stepsOf(await ended(id, early.id))).to.include.members(['heard w', 'email thanks']);
    expect(stepsOf(await ended(id, late.id))).to.include.members(['timed_out w', 'email remind']);
  });

  it('waits for the event of the version that the person moves to, or leaves with the step', async () => {
    const { id } = await activeAutomation(env.own.client, { steps: forBought() });
    const { id: contactId } = await contact();
    expect((await waiting(id, contactId)).awaits).to.deep.equal(['event:bought']);
    const publish = async (steps: object[], existing: string) => {
      await env.own.client.patch(`/automations/${id}`, { draft: true, steps });
      expect((await env.own.client.post(`/automations/${id}/publish`, { existing })).status).to.equal(200);
    };
    await publish([waitEvent({ eventName: 'began', timeout }), ...ends], 'keep');
    await bought(contactId);
    expect((await ended(id, contactId)).version).to.equal(1);
    const next = await contact();
    await waiting(id, next.id);
    await publish(forBought(), 'move');
    await personIn(id, next.id, (one) => one?.awaits?.[0] === 'event:bought');
    const last = await contact();
    await waiting(id, last.id);
    await bought(next.id);
    expect((await ended(id, next.id)).version).to.equal(3);
    await publish([waitEvent({ eventName: 'bought', timeout }, { stepId: 'other' }), ...ends], 'move');
    expect((await ended(id, last.id)).exitReason).to.equal('step_removed');
    expect(await stored(id, last.id)).to.not.have.any.keys('awaits', 'heard');
  });
});
