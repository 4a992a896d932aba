import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import { eventQueue } from '../../../core/automations/enrollments/enroll.ts';
import { useEnvironment } from '../../support/environment.ts';
import { activeAutomation, created, email, makeSending, wait } from '../support.ts';

const LATE_MS = 60_000;
const timeout = { value: 2, unit: 'days' };
const forBought = (since: string) => ({
  ...{ type: 'wait_event', stepId: 'w', nextStepId: 'thanks', timeoutStepId: 'remind' },
  waitEvent: { eventName: 'bought', timeout, since },
});
const ends = [email('thanks', { nextStepId: 'done' }), email('remind'), { type: 'exit', stepId: 'done' }];

/** As after an outage, or where many events wait: no queue runs until a test takes from it. */
describe('A person whose entry is processed late', () => {
  const env = useEnvironment({ TEMPORAL_ADDRESS: '127.0.0.1:9' });
  before(async () => {
    await makeSending(env.deps, env.own);
    for (const eventName of ['filled', 'bought']) await created(env.own.client, '/events', { eventName });
  });
  afterEach(async () => {
    const { automations } = (await env.own.client.get('/automations?status=active')).body.data;
    for (const { id } of automations) await env.own.client.post(`/automations/${id}/archive`);
  });

  const send = async (eventName: string, contactId: string) => {
    env.clock.advance(1_000);
    await created(env.own.client, '/events/send', { eventName, contactId });
  };
  const process = async () => {
    for (const run of (await eventQueue(env.deps).take(env.own.project._id, 16)).runs) await run();
  };
  const historyOf = async (contactId: string) => {
    const { projectId, _id: enrollmentId } = (await env.deps.db.enrollments.findOne({
      contactId: new ObjectId(contactId),
    }))!;
    await advanceEnrollment(env.deps, { projectId, enrollmentId }, 0);
    const { history } = (await env.deps.db.enrollments.findOne({ _id: enrollmentId }))!;
    return history.map(({ type, stepId }) => (stepId ? `${type} ${stepId}` : type)).slice(1);
  };
  const processedAfter = async (steps: object[], events: string[]) => {
    const entryCriteria = { type: 'event_trigger', eventName: 'filled' };
    await activeAutomation(env.own.client, { entryCriteria, steps });
    const { id } = await created(env.own.client, '/contacts', { email: `${new ObjectId()}@example.com` });
    for (const event of events) await send(event, id);
    env.clock.advance(LATE_MS);
    await process();
    return historyOf(id);
  };

  it('has bought by then: the wait since the entry hears it, and does not hear what came before the entry', async () => {
    const since = [forBought('entry'), ...ends];
    expect(await processedAfter(since, ['filled', 'bought'])).to.deep.equal([
      'wait w',
      'heard w',
      'email thanks',
      'exited done',
    ]);
    expect(await processedAfter(since, ['bought', 'filled'])).to.deep.equal(['wait w']);
  });

  it('has reached the goal by then, and not by what came before the entry', async () => {
    const goal = { type: 'goal', stepId: 'goal', eventName: 'bought' };
    const steps = [wait(1, 'days', { stepId: 'first' }), email('offer'), goal, { type: 'exit', stepId: 'done' }];
    expect(await processedAfter(steps, ['filled', 'bought'])).to.deep.equal(['wait first', 'goal goal', 'exited done']);
    expect(await processedAfter(steps, ['bought', 'filled'])).to.deep.equal(['wait first']);
  });
});
