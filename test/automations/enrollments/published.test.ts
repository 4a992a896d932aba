import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { png } from '../../providers/images.ts';
import { uploadPicture } from '../../support/client.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { type AutomationStage, openAutomationStage } from '../stage.ts';
import { activeAutomation, created, email, makeSending, wait } from '../support.ts';

type Shown = Enrollment & { id: string };

describe('While people are in an active automation', function () {
  this.timeout(120_000);
  let env: Environment;
  let stage: AutomationStage;
  before(async () => {
    env = await startEnvironment({ ENROLL_PER_SECOND: '1000' });
    await makeSending(env.deps, env.own);
    stage = await openAutomationStage(env);
    stage.onWait(async () => 'stay');
  });
  after(async () => {
    await stage.stop();
    await env.stop();
  });

  it('a draft changes nothing, and its publication keeps or moves them without a pause', async () => {
    const { client } = env.own;
    const list = await created(client, '/contact-lists', { name: 'Joined' });
    const early = await created(client, '/contacts', { email: 'early@example.com' });
    const { id } = await activeAutomation(client, {
      steps: [wait(5, 'days', { stepId: 'w' }), email('m1'), wait(1, 'days', { stepId: 'gone' }), email('m2')],
    });
    const save = (body: object) => client.patch(`/automations/${id}`, { draft: true, ...body });
    const publish = async (existing: string) =>
      (await client.post(`/automations/${id}/publish`, { existing })).body.data;
    const newContact = () => created(client, '/contacts', { email: `${new ObjectId()}@example.com` });
    /** Waits on the step, and its run has begun. */
    const enters = async (contact: { id: string }, stepId: string) => {
      const person = await inside(contact.id, (one) => one.stepId === stepId);
      await until(
        () => env.deps.db.enrollments.findOne({ _id: new ObjectId(person.id) }),
        (one) => one?.dueAt === undefined,
      );
      return contact.id;
    };
    const inside = (contactId: string, isIt: (one: Shown) => boolean): Promise<Shown> =>
      until(
        async () =>
          (await client.get(`/automations/${id}/enrollments?limit=100`)).body.data.enrollments.find(
            (one: Shown) => String(one.contactId) === contactId,
          ),
        (one) => one !== undefined && isIt(one),
      );

    const first = await enters(await newContact(), 'w');
    const entryCriteria = { type: 'contact_added_to_list', listId: list.id };
    await save({ entryCriteria, steps: [wait(3, 'days', { stepId: 'w2' }), email('m1')] });
    const second = await enters(await newContact(), 'w');
    expect((await inside(second, () => true)).version, 'the draft is nobody’s').to.equal(1);

    expect(await publish('keep')).to.deep.include({ version: 2, inside: { kept: 2, moved: 0, leaving: 0 } });
    await client.post('/contacts/email', { email: early.email, listIds: [list.id] });
    const third = await enters(early, 'w2');
    expect((await inside(third, () => true)).version).to.equal(2);
    expect((await inside(first, () => true)).version).to.equal(1);

    await save({ steps: [wait(2, 'days', { stepId: 'w' }), email('m1')] });
    expect(await publish('move')).to.deep.include({ version: 3, inside: { kept: 0, moved: 2, leaving: 1 } });
    for (const contactId of [first, second]) {
      const moved = await inside(contactId, ({ version }) => version === 3);
      expect(moved).to.include({ status: 'active', stepId: 'w' });
      expect(moved.history.map(({ type }) => type)).to.deep.equal(['entered', 'wait', 'moved']);
    }
    expect(await inside(third, ({ status }) => status !== 'active')).to.include({ exitReason: 'step_removed' });
  });

  for (const end of ['move', 'leave'] as const)
    it(`the template, group, webhook and picture of their version are held until they ${end}`, async () => {
      const { client } = env.own;
      const list = await created(client, '/contact-lists', { name: `Readers ${end}` });
      const mail = { templateName: `Later ${end}`, emailTemplate: '<p>Later</p>', subject: 'Later' };
      const { templateId } = await created(client, '/templates', mail);
      const { groupId } = await created(client, '/suppression-groups', { name: `Readers ${end}` });
      const webhook = await created(client, '/webhooks', { url: `https://example.com/${end}`, events: ['email.sent'] });
      const picture = (await uploadPicture(client, png(4, 4))).body.data;
      const showing = { htmlTemplate: `<img src="${picture.url}" alt="">`, subject: 'Shown' };
      const { id, name } = await activeAutomation(client, {
        ...{ name: `Readers who ${end}`, unsubscribeGroupId: groupId },
        entryCriteria: { type: 'contact_added_to_list', listId: list.id },
        steps: [
          wait(5),
          email('later', { email: { templateId } }),
          { type: 'webhook', stepId: 'posts', webhook: { webhookId: webhook.id } },
          wait(1, 'days', { stepId: 'before' }),
          email('shown', { email: showing }),
        ],
      });
      await created(client, '/contacts', { email: `${new ObjectId()}@example.com`, listIds: [list.id] });
      const inside = async () => {
        const { enrollments } = (await client.get(`/automations/${id}/enrollments?status=active`)).body.data;
        return enrollments as Shown[];
      };
      await until(inside, ([one]) => one?.stepId !== undefined && one.stepId !== null);
      const paths = [`/templates/${templateId}`, `/suppression-groups/${groupId}`].concat([
        `/webhooks/${webhook.id}`,
        `/v1/media/${picture.id}`,
      ]);
      const publish = async (existing: string, draft: object) => {
        await client.patch(`/automations/${id}`, { draft: true, ...draft });
        const { status, text } = await client.post(`/automations/${id}/publish`, { existing });
        expect(status, text).to.equal(200);
      };
      const without = { unsubscribeGroupId: null, steps: [wait(5), email('other')] };
      await publish('keep', without);
      for (const path of paths) {
        const { status, body } = await client.delete(path);
        expect([status, body.error?.code], path).to.deep.equal([409, 'INVALID_STATE']);
        expect(body.error.message).to.contain(`version 1 of the automation "${name}"`);
      }
      const [person] = await inside();
      if (end === 'move') await publish('move', { steps: [wait(6), email('other')] });
      else await client.delete(`/automations/${id}/enrollments/${person?.id}`);
      for (const path of paths) {
        const { status, text } = await client.delete(path);
        expect(status, text).to.equal(200);
      }
    });
});
