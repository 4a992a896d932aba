import { expect } from 'chai';
import { placesId } from '../../core/mail/frequency/cap.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { activeAutomation, created, email as emailStep, wait } from '../automations/support.ts';
import { SENDER, type Stage, startStage } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';

const DAY_MS = 24 * 3_600_000;

describe('The frequency cap of automations', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage();
    const { adminKey, project } = stage.own;
    await stage.own.client.post('/events', { eventName: 'joined' });
    const frequencyCap = { mails: 1, withinDays: 3 };
    await stage.environment.client(adminKey).patch(`/account/projects/${project._id}`, { frequencyCap });
  });
  after(() => stage.stop());

  const own = () => stage.own.project._id;
  const mails = (address: string): Promise<Message[]> =>
    stage.deps.db.messages.find({ projectId: own(), email: address, lane: 'automation' }).toArray();
  /** Until the only mail of automations to this address is in the state, and nothing works at it. */
  async function settled(address: string, state: Message['state'], more: (message: Message) => boolean = () => true) {
    const [message] = await until(
      () => mails(address),
      ([one]) => one?.state === state && more(one),
    );
    return message!;
  }
  const waits = ({ reason }: Message) => reason?.startsWith('Waits for room') ?? false;
  async function campaignTo(address: string) {
    const toLists = [await stage.list(1, () => address)];
    return (await stage.until(await stage.launch({ toLists }), 'sent', 'failed')).metrics;
  }
  /** Enters the address, which is a contact already, into an automation of one mail, and of another one a month later. */
  async function enter(address: string, more: object = {}, isLast = false) {
    const name = `to ${address}`;
    const mail = { htmlTemplate: '<p>Hello</p>', subject: 'Hello', senderEmail: SENDER, ...more };
    const { id } = await activeAutomation(stage.own.client, {
      ...{ name, entryCriteria: { type: 'event_trigger', eventName: 'joined' } },
      steps: [
        ...[wait(0, 'minutes'), emailStep('hello', { email: mail })],
        ...(isLast ? [] : [wait(30), emailStep('later', { email: mail })]),
      ],
    });
    const entered = await stage.own.client.post(`/automations/${id}/enrollments`, { emails: [address] });
    expect(entered.body.success, entered.text).to.equal(true);
    return id as string;
  }
  const age = (address: string, days: number) => {
    const at = new Date(stage.deps.clock.now().getTime() - days * DAY_MS);
    return stage.deps.db.frequencyPlaces.updateOne(
      { _id: placesId(own(), address), projectId: own() },
      { $set: { 'places.$[].at': at } },
    );
  };
  const dueNow = (address: string) =>
    stage.deps.db.messages.updateMany({ projectId: own(), email: address, state: 'queued' }, [
      { $set: { dueAt: '$$NOW' } },
    ]);

  it('holds a mail of a step back, as `skip` says and as a step without a word does', async () => {
    for (const more of [{}, { whenCapped: 'skip' }]) {
      const address = `skip${Object.keys(more).length}@example.org`;
      expect(await campaignTo(address)).to.include({ sent: 1 });
      await enter(address, more);
      const message = await settled(address, 'suppressed');
      expect(message.suppressedBy).to.deep.equal({ groupId: null, reason: 'FREQUENCY_CAP' });
    }
  });

  it('counts a mail of a step, which holds a campaign back', async () => {
    const address = 'first@example.org';
    await stage.list(1, () => address);
    await enter(address);
    await settled(address, 'sent');
    expect(await campaignTo(address)).to.include({ suppressed: 1, sent: 0 });
  });

  it('lets a mail of a step with `wait` wait until there is room, says until when, and sends it then', async () => {
    const address = 'waits@example.org';
    expect(await campaignTo(address)).to.include({ sent: 1 });
    await enter(address, { whenCapped: 'wait' });
    const message = await settled(address, 'queued', waits);
    const now = stage.deps.clock.now().getTime();
    expect(message.dueAt!.getTime()).to.be.within(now + 2.9 * DAY_MS, now + 3.1 * DAY_MS);
    const { body } = await stage.own.client.get(`/emails/${message._id}`);
    expect(body.data).to.include({ status: 'queued', nextAttemptAt: message.dueAt!.toISOString(), attempts: 0 });
    expect(body.data.reason).to.match(/^Waits for room under the frequency cap of the project until 20/);
    expect(body.data.timeline.map(({ type }: { type: string }) => type)).to.deep.equal(['queued', 'claimed', 'capped']);
    // Due too early it waits on, and takes no place.
    await dueNow(address);
    await settled(address, 'queued', ({ timeline = [] }) => timeline.length === 2);
    await age(address, 3);
    await dueNow(address);
    const sent = await settled(address, 'sent');
    expect(sent.reason ?? null).to.equal(null);
    expect(await campaignTo(address), 'the mail counts from when it was sent').to.include({ suppressed: 1 });
  });

  it('does not let it wait for more than seven days after its step', async () => {
    const address = 'late@example.org';
    expect(await campaignTo(address)).to.include({ sent: 1 });
    await enter(address, { whenCapped: 'wait' });
    const { _id } = await settled(address, 'queued', waits);
    const createdAt = new Date(stage.deps.clock.now().getTime() - 4.1 * DAY_MS);
    await stage.deps.db.messages.updateOne({ _id, projectId: own() }, { $set: { createdAt } });
    await dueNow(address);
    expect((await settled(address, 'suppressed')).suppressedBy?.reason).to.equal('FREQUENCY_CAP');
  });

  it('sends no mail that has waited to a person who has left: removed by a call, or deleted', async () => {
    for (const how of ['removed', 'deleted', 'stayed']) {
      const address = `${how}@example.org`;
      await campaignTo(address);
      const automationId = await enter(address, { whenCapped: 'wait' });
      const { contactId, waitsWith } = await settled(address, 'queued', waits);
      if (how === 'removed') {
        const reply = await stage.own.client.delete(`/automations/${automationId}/enrollments/${waitsWith}`);
        expect(reply.body.success, reply.text).to.equal(true);
      }
      if (how === 'deleted') await stage.own.client.delete(`/contacts/${contactId}`);
      await age(address, 3);
      await dueNow(address);
      const message = await settled(address, how === 'stayed' ? 'sent' : 'failed');
      if (how === 'removed') expect(message.reason).to.contain('The person left the automation');
    }
  });

  it('sends no mail that has waited to the former address of a person who left with the address of today', async () => {
    for (const how of ['left', 'moved']) {
      const address = `${how}-today@example.org`;
      await campaignTo(address);
      await enter(address, { whenCapped: 'wait' }, true);
      const { contactId } = await settled(address, 'queued', waits);
      const email = `present-${address}`;
      expect((await stage.own.client.patch(`/contacts/${contactId}`, { email })).status).to.equal(200);
      const entry = { emails: [email], isGlobal: true, reason: 'UNSUBSCRIBE' };
      if (how === 'left') await stage.own.client.post('/suppression-groups/emails/suppress', entry);
      await age(address, 3);
      await dueNow(address);
      const message = await settled(address, how === 'left' ? 'suppressed' : 'sent');
      if (how === 'left') expect(message.suppressedBy?.reason).to.equal('UNSUBSCRIBE');
    }
  });

  it('fills in the data of its own contact in a mail that has waited, also when another one has its address by then', async () => {
    for (const heir of [null, 'eve']) {
      const address = `named-${heir}@example.org`;
      await campaignTo(address);
      await enter(address, { whenCapped: 'wait', htmlTemplate: '<p>Hello {{firstName}}.</p>' });
      const { _id, contactId } = await settled(address, 'queued', waits);
      const changed = { email: `present-${address}`, firstName: 'Ada' };
      expect((await stage.own.client.patch(`/contacts/${contactId}`, changed)).status).to.equal(200);
      if (heir) await created(stage.own.client, '/contacts', { email: address, firstName: heir });
      await age(address, 3);
      await dueNow(address);
      await settled(address, 'sent');
      const mail = stage.sink.ledger.messages.find(({ messageId }) => messageId?.includes(_id.toHexString()));
      expect(mail?.raw).to.contain('Hello Ada.');
    }
  });

  it('sends no mail of a last step that has waited when its automation was archived or deleted, and sends the others', async () => {
    const { client } = stage.own;
    for (const how of ['archived', 'gone', 'runs']) {
      const address = `last-${how}@example.org`;
      await campaignTo(address);
      const id = await enter(address, { whenCapped: 'wait' }, true);
      await settled(address, 'queued', waits);
      const [person] = (await client.get(`/automations/${id}/enrollments`)).body.data.enrollments;
      expect(person.status).to.equal('completed');
      const acts = { archived: ['archive'], gone: ['pause', 'delete'], runs: [] }[how] ?? [];
      for (const act of acts) {
        const reply = await (act === 'delete'
          ? client.delete(`/automations/${id}`)
          : client.post(`/automations/${id}/${act}`));
        expect(reply.body.success, reply.text).to.equal(true);
      }
      await age(address, 3);
      await dueNow(address);
      const message = await settled(address, how === 'runs' ? 'sent' : 'failed');
      if (how !== 'runs') expect(message.reason).to.contain('was archived');
    }
  });

  it('refuses another word', async () => {
    const reply = await stage.own.client.post('/automations', {
      ...{ name: 'Wrong', steps: [wait(0), emailStep('hello', { email: { whenCapped: 'later' } })] },
    });
    expect([reply.status, reply.body.error.details]).to.deep.equal([
      400,
      'steps/1/email/whenCapped: must be one of skip, wait',
    ]);
  });
});
