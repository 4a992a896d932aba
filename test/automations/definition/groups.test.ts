// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { advanceEnrollment } from '../../../core/automations/enrollments/advance.ts';
import type { Enrollment } from '../../../core/automations/model/enrollment.ts';
import { builtInGroup } from '../../../core/consent/suppressions/built-in-groups.ts';
import { changeSuppressions } from '../../../core/consent/suppressions/changes.ts';
import { SENDER, type Stage, startStage } from '../../campaigns/support.ts';
import { until } from '../../support/wait.ts';
import { activeAutomation, created, email, simple, wait } from '../support.ts';

const MINUTE_MS = 60_000;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('A suppression group that an automation or a mail names', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage({ lanes: ['workflows', 'background', 'mail'], sinkOptions: { keepRaw: 200 } });
    await created(stage.own.client, '/senders', { email: SENDER, name: 'News' });
    await created(stage.own.client, '/events', { eventName: 'joined' });
  });
  after(() => stage.stop());

  const tag = () => new ObjectId().toHexString();
  const newGroup = async () =>
    (await created(stage.own.client, '/suppression-groups', { name: tag() })).groupId as string;
  const remove = (groupId: string) => stage.own.client.delete(`/suppression-groups/${groupId}`);
  /** A database in which an earlier version has deleted a group that was named. */
  const vanish = async (groupId: string) => {
    const own = { projectId: stage.own.project._id, groupId };
    await stage.deps.db.suppressionGroups.deleteOne(own);
    await stage.deps.db.suppressions.deleteMany(own);
  };
  const arrived = (address: string) => stage.sink.ledger.messages.filter(({ to }) => to.includes(address));
  const firstMail = (address: string) =>
    until(
      async () => arrived(address),
      (mails) => mails.length === 1,
    );
  const unsubscribeLink = async (address: string) => {
    const raw = (await firstMail(address))[0]?.raw ?? '';
    return /<(http[^>]+\/u\/[^>]+)>/.exec(raw.replace(/\r\n[ \t]/g, ''))?.[1] as string;
  };
  const oneClick = async (link: string) =>
    (await fetch(link, { method: 'POST', headers: FORM, body: 'List-Unsubscribe=One-Click' })).status;
  const stored = async (automationId: string) =>
    (await stage.deps.db.enrollments.findOne({
      projectId: stage.own.project._id,
      automationId: new ObjectId(automationId),
    })) as Enrollment;
  const advance = async (automationId: string) => {
    const { projectId, _id } = await stored(automationId);
    return advanceEnrollment(stage.deps, { projectId, enrollmentId: _id }, Date.now() + 2 * MINUTE_MS);
  };
  /** A contact that waits between the two mails of an automation that names a group. */
  const someoneInside = async (unit = 'minutes') => {
    const groupId = await newGroup();
    const eventName = `joined_${groupId}`;
    await created(stage.own.client, '/events', { eventName });
    const { id } = await activeAutomation(stage.own.client, {
      name: `Follows ${groupId}`,
      entryCriteria: { type: 'event_trigger', eventName },
      steps: [wait(0), email('first'), wait(1, unit), email('second')],
      unsubscribeGroupId: groupId,
    });
    const address = `${tag()}@example.org`;
    await stage.own.client.post('/events/send', { eventName, email: address });
    const link = await unsubscribeLink(address);
    return { id: id as string, groupId, address, link };
  };

  it('cannot be deleted while an automation that is not archived names it: 409 names the automation', async () => {
    const groupId = await newGroup();
    const body = { ...simple, name: `Names ${groupId}`, unsubscribeGroupId: groupId };
    const draft = await created(stage.own.client, '/automations', body);
    const refuses = async (when: string) => {
      const { status, body: answer } = await remove(groupId);
      expect([status, answer.error?.code], when).to.deep.equal([409, 'INVALID_STATE']);
      expect(answer.error.message, when).to.contain(`Names ${groupId}`);
    };
    await refuses('draft');
    await stage.own.client.patch(`/automations/${draft.id}`, {
      entryCriteria: { type: 'event_trigger', eventName: 'joined' },
    });
    await stage.own.client.post(`/automations/${draft.id}/activate`);
    await refuses('active');
    await stage.own.client.post(`/automations/${draft.id}/pause`);
    await refuses('paused');
    await stage.own.client.post(`/automations/${draft.id}/archive`);
    expect((await remove(groupId)).status).to.equal(200);
  });

  it('deleted all the same, the link of the first mail ends the way, and the second mail does not leave', async () => {
    const { id, groupId, address, link } = await someoneInside();
    expect((await remove(groupId)).status).to.equal(409);
    await vanish(groupId);
    expect(await oneClick(link)).to.equal(200);
    expect(await stored(id)).to.include({ status: 'exited', exitReason: 'unsubscribed' });
    expect(await advance(id)).to.deep.equal({ kind: 'end', status: 'exited', reason: 'unsubscribed' });
    const contactId = (await stored(id)).contactId;
    expect(await stage.deps.db.messages.countDocuments({ projectId: stage.own.project._id, contactId })).to.equal(1);
    expect(arrived(address).length).to.equal(1);
  });

  it('deleted all the same, each step looks at the default group', async () => {
    const { id, groupId, address } = await someoneInside();
    await vanish(groupId);
    const group = await builtInGroup(stage.deps, stage.own.project, 'default');
    await changeSuppressions(stage.deps, group, [{ email: address, reason: 'UNSUBSCRIBE', evidence: null }]);
    expect(await stored(id)).to.include({ status: 'active' });
    expect(await advance(id)).to.deep.equal({ kind: 'end', status: 'exited', reason: 'unsubscribed' });
  });

  it('ends the way of people whose version names it, when they unsubscribe from it', async () => {
    for (const existing of ['keep', 'move']) {
      const { id, address, link } = await someoneInside('days');
      const groupId = await newGroup();
      const saved = await stage.own.client.patch(`/automations/${id}`, { draft: true, unsubscribeGroupId: groupId });
      expect(saved.status, saved.text).to.equal(200);
      const published = await stage.own.client.post(`/automations/${id}/publish`, { existing });
      expect(published.body.data?.version, published.text).to.equal(2);
      const newer = { groupId, emails: [address], reason: 'UNSUBSCRIBE' };
      const { status } = await stage.own.client.post('/suppression-groups/emails/suppress', newer);
      expect(status).to.equal(200);
      if (existing === 'keep') {
        expect(await stored(id), existing).to.include({ status: 'active', exitReason: null });
        expect(await oneClick(link)).to.equal(200);
      }
      expect(await stored(id), existing).to.include({ status: 'exited', exitReason: 'unsubscribed' });
    }
  });

  it('a mail that waits to be sent holds its group; without it the mail is judged at the claim as one that names none', async () => {
    const groupId = await newGroup();
    const address = `temp-rcpt-450+${tag()}@example.org`;
    const { body } = await stage.own.client.post('/mails/send', {
      from: { email: SENDER },
      to: { email: address },
      subject: 'News',
      html: '<p>News</p>',
      unsubscribeGroupId: groupId,
    });
    const mail = { _id: new ObjectId(body.data.emailId as string), projectId: stage.own.project._id };
    const state = async () => (await stage.deps.db.messages.findOne(mail))?.state;
    await until(state, (now) => now === 'deferred');
    const refused = await remove(groupId);
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    await vanish(groupId);
    await stage.own.client.post('/suppression-groups/emails/suppress', { emails: [address], reason: 'UNSUBSCRIBE' });
    await stage.deps.db.messages.updateOne(mail, [{ $set: { dueAt: '$$NOW' } }]);
    await until(state, (now) => now !== 'deferred' && now !== 'committing' && now !== 'queued');
    const message = await stage.deps.db.messages.findOne(mail);
    expect(message).to.deep.include({ state: 'suppressed' });
    expect(message?.suppressedBy?.reason).to.equal('UNSUBSCRIBE');
  });
});
