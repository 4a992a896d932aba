import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Enrollment } from '../../core/automations/model/enrollment.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { type AutomationStage, openAutomationStage } from './stage.ts';
import { activeAutomation, created, email, enrollmentsOf, makeSending, refusal, simple, wait } from './support.ts';

const bought = { behaviour: 'event', operator: 'at_least', eventName: 'order', properties: { amount: 60 } };
const clicked = { behaviour: 'clicked', operator: 'at_least', withinDays: 7 };

describe('Behaviour in automations', function () {
  this.timeout(120_000);
  let env: Environment;
  let stage: AutomationStage;
  /** No wait ends before this. */
  const mayGo = Promise.withResolvers<void>();
  before(async () => {
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000' });
    await makeSending(env.deps, env.own);
    const properties = [{ propertyName: 'amount', type: 'number' }];
    await created(env.own.client, '/events', { eventName: 'order', properties });
    stage = await openAutomationStage(env);
    stage.onWait(async ({ untilMs }) => {
      await mayGo.promise;
      if (untilMs > env.clock.now().getTime()) env.clock.set(new Date(untilMs));
      return 'skip';
    });
  });
  after(async () => {
    mayGo.resolve();
    await stage.stop();
    await env.stop();
  });

  const branching = (...groups: object[]) => [
    wait(1, 'days', { stepId: 'w' }),
    {
      type: 'branch',
      stepId: 'choice',
      nextStepId: 'quiet-wait',
      branches: [
        {
          branchId: 'active',
          filterCriteria: { logicalOperator: 'AND', groups },
          nextStepId: 'active-wait',
          mergeStepId: null,
        },
      ],
    },
    wait(0, 'days', {
      stepId: 'active-wait',
      parentBranchStepId: 'choice',
      parentBranchId: 'active',
      nextStepId: 'active-mail',
    }),
    email('active-mail', { parentBranchStepId: 'choice', parentBranchId: 'active' }),
    wait(0, 'days', { stepId: 'quiet-wait' }),
    email('quiet-mail'),
  ];
  const mailsSent = ({ history }: Pick<Enrollment, 'history'>) =>
    history.flatMap(({ type, stepId }) => (type === 'email' ? [stepId] : []));

  it('is refused in entry criteria, with dates of the last days, and the field is named', async () => {
    const recent = { field: 'createdAt', operator: 'in_last_days', value: 3 };
    for (const [group, field] of [
      [clicked, 'groups/0/behaviour'],
      [{ logicalOperator: 'OR', groups: [clicked] }, 'groups/0/groups/0/behaviour'],
      [recent, 'groups/0/operator'],
    ] as const) {
      const entryCriteria = { type: 'contact_property_matches_with', filterCriteria: { groups: [group] } };
      const { status, code, details } = refusal(
        await env.own.client.post('/automations', { ...simple, entryCriteria }),
      );
      expect([status, code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(details).to.include(`entryCriteria/filterCriteria/${field}: `);
    }
  });

  it('is refused in a branch with a window longer than facts are kept', async () => {
    const steps = branching({ ...clicked, withinDays: 181 });
    const { details } = refusal(await env.own.client.post('/automations', { name: 'Long', steps }));
    expect(details).to.match(/steps\/1\/branches\/0\/filterCriteria\/groups\/0\/withinDays: must be at most 180/);
  });

  it('decides a branch by what the contact had done when the step came', async () => {
    const { id } = await activeAutomation(env.own.client, {
      steps: branching(bought, { ...clicked, operator: 'never' }),
    });
    const people = await Promise.all(
      ['active', 'quiet', 'clicker'].map((name) =>
        created(env.own.client, '/contacts', { email: `${name}@example.com` }),
      ),
    );
    const nowMs = env.clock.now().getTime();
    const fact = (index: number, more: object) => ({
      ...{ _id: new ObjectId(), projectId: env.own.project._id, contactId: new ObjectId(people[index].id) },
      ...{ at: new Date(nowMs), kind: 'event' as const, eventName: 'order', properties: { amount: 60 } },
      ...more,
    });
    await env.deps.db.contactFacts.insertMany([
      fact(0, {}),
      fact(1, { properties: { amount: 10 } }),
      fact(2, {}),
      { ...fact(2, {}), kind: 'clicked' as const, url: 'https://example.com/' },
    ]);
    mayGo.resolve();
    const ended = await until(
      async () => (await enrollmentsOf(env, id)) as Array<Enrollment & { contactId: string }>,
      (all) => all.length === 3 && all.every(({ status }) => status === 'completed'),
    );
    const mails = people.map(({ id: contactId }) =>
      mailsSent(ended.find((one) => String(one.contactId) === contactId)!),
    );
    expect(mails).to.deep.equal([['active-mail'], ['quiet-mail'], ['quiet-mail']]);
    const rules = ended.flatMap(({ history }) => history.flatMap(({ rule }) => rule ?? []));
    expect(rules).to.include(
      'event at_least 1, eventName "order", properties {"amount":{"fieldType":"number","operator":"equals","value":60}} AND clicked never, withinDays 7',
    );
  });

  it('is simulated with the events that the caller gives, and with the past of a stored contact', async () => {
    const made = await created(env.own.client, '/automations', { name: 'Simulated', steps: branching(bought) });
    const simulate = async (body: object) => {
      const { data } = (await env.own.client.post(`/automations/${made.id}/simulate`, body)).body;
      return data.mails.map(({ stepId }: { stepId: string }) => stepId);
    };
    const from = '2026-05-01T00:00:00.000Z';
    const event = (at: string, amount: number) => ({ at, eventName: 'order', properties: { amount } });
    expect(await simulate({ from })).to.deep.equal(['quiet-mail']);
    expect(await simulate({ from, events: [event('2026-05-01T12:00:00Z', 60)] })).to.deep.equal(['active-mail']);
    expect(await simulate({ from, events: [event('2026-05-01T12:00:00Z', 10)] })).to.deep.equal(['quiet-mail']);
    expect(await simulate({ from, events: [event('2026-05-03T00:00:00Z', 60)] })).to.deep.equal(['quiet-mail']);
    const known = await env.deps.db.contacts.findOne({ projectId: env.own.project._id, email: 'active@example.com' });
    expect(await simulate({ contact: { contactId: known!._id.toHexString() } })).to.deep.equal(['active-mail']);
  });

  it('keeps a stored branch whose date has become older than facts are kept, when other fields change', async () => {
    const at = new Date(env.clock.now().getTime() - 179 * 86_400_000).toISOString();
    const steps = branching({ ...clicked, withinDays: undefined, from: at });
    const made = await created(env.own.client, '/automations', { name: 'Dated', steps });
    env.clock.advance(3 * 86_400_000);
    const renamed = await env.own.client.patch(`/automations/${made.id}`, { name: 'Renamed' });
    expect([renamed.status, renamed.body.data.name]).to.deep.equal([200, 'Renamed']);
    expect(refusal(await env.own.client.patch(`/automations/${made.id}`, { steps })).details).to.include(
      '/from: must be',
    );
  });
});
