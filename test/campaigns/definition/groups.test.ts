// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { createCampaign } from '../../../core/campaigns/definition/campaigns.ts';
import { HTML, SENDER, useHands } from '../support.ts';

describe('A suppression group that a campaign names', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();

  const tag = () => new ObjectId().toHexString();
  const newGroup = async () =>
    (await stage.own.client.post('/suppression-groups', { name: tag() })).body.data.groupId as string;
  const remove = (groupId: string) => stage.own.client.delete(`/suppression-groups/${groupId}`);
  /** A database in which an earlier version has deleted a group that was named. */
  const vanish = async (groupId: string) => {
    const own = { projectId: stage.own.project._id, groupId };
    await stage.deps.db.suppressionGroups.deleteOne(own);
    await stage.deps.db.suppressions.deleteMany(own);
  };
  const suppress = (email: string) =>
    stage.own.client.post('/suppression-groups/emails/suppress', { emails: [email], reason: 'UNSUBSCRIBE' });

  it('cannot be deleted while it is a draft, scheduled, under way or paused: 409 names the campaign', async () => {
    const groupId = await newGroup();
    const list = await stage.list(2, (i) => `${groupId}-${i}-${tag()}@example.org`.toLowerCase());
    const { body } = await stage.create({ name: `Names ${groupId}`, toLists: [list], unsubscribeGroupId: groupId });
    const { id } = body.data;
    const refuses = async (when: string) => {
      const { status, body: answer } = await remove(groupId);
      expect([status, answer.error?.code], when).to.deep.equal([409, 'INVALID_STATE']);
      expect(answer.error.message, when).to.contain(`Names ${groupId}`);
    };
    await refuses('draft');
    await stage.own.client.patch(`/campaigns/${id}`, { publish: true, sendNow: true });
    await refuses('scheduled');
    await hands.advance(id);
    await refuses('sending');
    await stage.act(id, 'pause');
    await refuses('paused');
    await stage.act(id, 'resume');
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await remove(groupId)).status).to.equal(200);
  });

  it('deleted after the campaign was sent, it is not mailed past: a retry is refused, and a duplicate until it names another', async () => {
    const groupId = await newGroup();
    const name = tag();
    const list = await stage.list(2, (i) => `${i === 0 ? 'after-dot-554-5.7.1' : 'fine'}+${name}@example.org`);
    const id = await stage.launch({ toLists: [list], unsubscribeGroupId: groupId });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await remove(groupId)).status).to.equal(200);
    const retried = await stage.act(id, 'retry', { states: ['failed'] });
    expect([retried.status, retried.body.error?.details]).to.deep.equal([409, 'unsubscribeGroupId: was deleted']);
    expect((await stage.get(id)).metrics).to.include({ sent: 1, failedCount: 1, pending: 0 });
    const copy = (await stage.act(id, 'duplicate', {})).body.data.id as string;
    const publish = (more = {}) =>
      stage.own.client.patch(`/campaigns/${copy}`, { publish: true, sendNow: true, ...more });
    const refused = await publish();
    expect([refused.status, refused.body.error?.code]).to.deep.equal([404, 'SUPPRESSION_GROUP_NOT_FOUND']);
    expect(refused.body.error.details).to.match(/^unsubscribeGroupId/);
    expect((await publish({ unsubscribeGroupId: await newGroup() })).status).to.equal(200);
  });

  it('is free when the campaign names another one', async () => {
    const groupId = await newGroup();
    const { body } = await stage.create({ unsubscribeGroupId: groupId });
    expect((await remove(groupId)).status).to.equal(409);
    await stage.own.client.patch(`/campaigns/${body.data.id}`, { unsubscribeGroupId: null });
    expect((await remove(groupId)).status).to.equal(200);
  });

  it('deleted while a campaign is created with it: one of the two is refused', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const groupId = await newGroup();
      const [made, removed] = await Promise.all([stage.create({ unsubscribeGroupId: groupId }), remove(groupId)]);
      outcomes.add(`${made.status} ${removed.status}`);
    }
    expect(
      [...outcomes].every((outcome) => ['200 409', '404 200'].includes(outcome)),
      [...outcomes].join(),
    ).to.equal(true);
  });

  it('deleted between the look-up and the commit of a campaign, it is 404 with the field', async () => {
    const groupId = await newGroup();
    let removed: Promise<number> | undefined;
    const contactLists = new Proxy(stage.deps.db.contactLists, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'updateMany') return value.bind(target);
        return async (...args: unknown[]) => {
          removed ??= remove(groupId).then(({ status }) => status);
          expect(await removed).to.equal(200);
          return value.apply(target, args);
        };
      },
    });
    const deps = { ...stage.deps, db: { ...stage.deps.db, contactLists } };
    const list = await stage.list(1, () => `${tag()}@example.org`);
    const fields = { name: 'Late', subject: 'Late', htmlTemplate: HTML, from: { email: SENDER } };
    const input = { ...fields, toLists: [list], publish: true, sendNow: true, unsubscribeGroupId: groupId };
    const made = await createCampaign(deps, stage.own.project, input, { at: new Date(), seed: new ObjectId() }).catch(
      (error) => error,
    );
    expect(made).to.include({ kind: 'not_found', code: 'SUPPRESSION_GROUP_NOT_FOUND' });
    expect(made.details).to.match(/^unsubscribeGroupId/);
  });

  it('deleted all the same, who left the default group is not mailed: judged at the freeze and at the claim', async () => {
    const groupId = await newGroup();
    const name = tag();
    const list = await stage.list(4, (i) => `${name}-${i}@example.org`);
    const id = await stage.launch({ toLists: [list], unsubscribeGroupId: groupId });
    await vanish(groupId);
    await suppress(`${name}-1@example.org`);
    await hands.advance(id);
    await hands.freeze(id);
    const frozen = await stage.audience(id);
    expect(frozen.map(({ state }) => state)).to.deep.equal(['queued', 'suppressed', 'queued', 'queued']);
    await suppress(`${name}-2@example.org`);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect([...(await stage.arrived(id)).keys()].sort()).to.deep.equal([0, 3].map((i) => `${name}-${i}@example.org`));
    expect((await stage.get(id)).metrics).to.include({ totalContacts: 4, suppressed: 2, sent: 2 });
  });
});
