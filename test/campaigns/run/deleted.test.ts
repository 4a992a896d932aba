// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { removeOldBlocks } from '../../../core/campaigns/audience/retention.ts';
import { useHands } from '../support.ts';

describe('A campaign that is deleted, or whose project is', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands({ perTest: { ackDelayMs: 0 } });

  const blocksOf = (id: string) =>
    stage.deps.db.campaignBlocks.countDocuments({
      projectId: stage.own.project._id,
      campaignId: new ObjectId(id),
    });
  const frozen = async () => {
    const name = new ObjectId().toHexString();
    const id = await stage.launch({ toLists: [await stage.list(3, (i) => `left${i}-${name}@example.org`)] });
    await hands.advance(id);
    await hands.freeze(id);
    await stage.act(id, 'abort');
    return id;
  };

  it('leaves no addresses when it is deleted after an abort', async () => {
    const id = await frozen();
    expect(await blocksOf(id)).to.be.greaterThan(0);
    expect((await stage.own.client.delete(`/campaigns/${id}`)).status).to.equal(200);
    expect(await blocksOf(id)).to.equal(0);
  });

  it('leaves them to the retention job while a sender may write outcomes, and where a former version has left them', async () => {
    const id = await frozen();
    const claim = { projectId: stage.own.project._id, campaignId: new ObjectId(id) };
    const at = new Date();
    const places = { n: 0, from: 0, to: 1, fromSeq: 1, frozenAt: at, claimedAt: at };
    const _id = new ObjectId();
    const leaseUntil = new Date(Date.now() + 60_000);
    await stage.deps.db.campaignClaims.insertOne({ _id, ...claim, ...places, owner: 'a sender', leaseUntil });
    await stage.own.client.delete(`/campaigns/${id}`);
    const removeOld = () => removeOldBlocks(stage.deps, new Date(), () => true);
    await removeOld();
    expect(await blocksOf(id)).to.be.greaterThan(0);
    await stage.deps.db.campaignClaims.updateOne({ _id, ...claim }, { $set: { leaseUntil: new Date(0) } });
    await removeOld();
    expect(await blocksOf(id)).to.equal(0);
    expect(await stage.deps.db.campaignClaims.countDocuments(claim)).to.equal(0);
  });

  it('sends nothing that is claimed after its project was deleted, and is aborted, as are scheduled and paused ones', async () => {
    const { own, environment, deps } = stage;
    const name = new ObjectId().toHexString();
    const list = await stage.list(1_500, (i) => `deleted${i}-${name}@example.org`);
    const paused = await stage.launch({ toLists: [list] });
    await stage.act(paused, 'pause');
    const scheduled = await stage.launch({ toLists: [list] });
    const id = await stage.launch({ toLists: [list] });
    stage.sink.modes.ackDelayMs = 100;
    const driven = hands.drive(id);
    await stage.untilSent(id, 100);
    const admin = environment.client(own.adminKey);
    expect((await admin.delete(`/account/projects/${own.project._id}`)).status).to.equal(200);
    const { localTime: answered } = await deps.mongo.db('admin').command({ hello: 1 });
    stage.sink.modes.ackDelayMs = 0;
    expect(await driven).to.include({ kind: 'end', status: 'aborted' });
    const sent = await stage.messages(id, { state: 'sent' });
    expect(sent.length).to.be.within(100, 1_400);
    expect(sent.filter(({ claimedAt }) => (claimedAt as Date) > answered)).to.deep.equal([]);
    for (const one of [paused, scheduled]) expect((await stage.stored(one)).status).to.equal('aborted');
  });
});
