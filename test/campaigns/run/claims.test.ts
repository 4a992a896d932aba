// Promise: nothing is sent twice.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { until } from '../../support/wait.ts';
import { openHands, useHands } from '../support.ts';

describe('Claims of a campaign', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands({ perTest: { ackDelayMs: 0, mailReply: null } });

  const ready = async (count: number, name: string, fields: object = {}) => {
    const id = await stage.launch({ toLists: [await stage.list(count, (i) => `${name}${i}@example.org`)], ...fields });
    expect((await hands.advance(id)).kind).to.equal('freeze');
    await hands.freeze(id);
    return id;
  };
  const ofCampaign = (id: string) => ({ projectId: stage.own.project._id, campaignId: new ObjectId(id) });
  const claimsOf = (id: string) => stage.deps.db.campaignClaims.find(ofCampaign(id)).sort({ fromSeq: 1 }).toArray();
  const statesOf = async (id: string) => {
    const found = await stage.messages(id);
    return Object.fromEntries(
      [...Map.groupBy(found, ({ state }) => state)].map(([state, some]) => [state, some.length]),
    );
  };

  it('claims only as far as the range goes, in a block that goes further', async () => {
    const id = await ready(300, 'cap');
    expect(await hands.page(id, { fromSeq: 1, toSeq: 100 })).to.include({ nextSeq: null, ended: 100 });
    expect((await stage.messages(id)).map(({ seq }) => seq)).to.deep.equal(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect(await hands.page(id, { fromSeq: 1, toSeq: 260 })).to.include({ nextSeq: null, ended: 160 });
    expect(await stage.progress(id)).to.include({ sent: 260, pending: 40, inFlight: 0 });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.arrived(id)).size).to.equal(300);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('sent by two processes at once, each recipient is claimed by one of them', async () => {
    const id = await ready(700, 'two');
    const other = openHands(stage);
    await Promise.all([hands.page(id, {}), other.page(id, {})]);
    await other.stop();
    const claims = await claimsOf(id);
    const taken = claims.flatMap(({ fromSeq, from, to }) => Array.from({ length: to - from }, (_, n) => fromSeq + n));
    expect(taken).to.deep.equal(Array.from({ length: 700 }, (_, index) => index + 1));
    expect(claims.every(({ endedAt, leaseUntil }) => endedAt && !leaseUntil)).to.equal(true);
    expect((await stage.arrived(id)).size).to.equal(700);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('a contact that was deleted after the audience was written gets nothing, from a block or from a row', async () => {
    const id = await ready(40, 'gone');
    const [one, two] = ['gone3@example.org', 'gone7@example.org'];
    await stage.deps.db.contacts.deleteOne({ projectId: stage.own.project._id, email: one! });
    await hands.page(id, { fromSeq: 1, toSeq: 40 });
    expect(await statesOf(id)).to.deep.equal({ sent: 39, failed: 1 });
    expect((await stage.messages(id, { state: 'failed' }))[0]).to.include({
      email: one,
      reason: 'The contact was deleted.',
    });
    const row = { ...ofCampaign(id), email: two! };
    await stage.deps.db.messages.updateOne(row, { $set: { state: 'queued' }, $unset: { endedAt: '', sentAt: '' } });
    await stage.deps.db.contacts.deleteOne({ projectId: stage.own.project._id, email: two! });
    await hands.page(id, { isDeferred: true });
    expect(await statesOf(id)).to.deep.equal({ sent: 38, failed: 2 });
  });

  it('a process holds at most two recipients for each connection and 64 more without a row', async () => {
    stage.sink.modes.ackDelayMs = 1_500;
    const id = await ready(600, 'bound');
    const page = hands.page(id, {}, 500);
    let connectionsMost = 0;
    await until(
      async () => {
        connectionsMost = Math.max(connectionsMost, hands.sending.deps.mailer.states()[0]!.connectionsInUse);
        return (await stage.progress(id)).sent as number;
      },
      (sent) => sent > 0,
      { everyMs: 10 },
    );
    const claimed = (await claimsOf(id)).reduce((sum, { from, to }) => sum + to - from, 0);
    const written = (await stage.messages(id)).length;
    expect(connectionsMost).to.be.greaterThan(5);
    expect(claimed - written).to.be.at.most(2 * connectionsMost + 64);
    stage.sink.modes.ackDelayMs = 0;
    await page;
  });

  it('after a pause nothing is claimed, and recipients without a dot wait in a row until the campaign is resumed', async () => {
    stage.sink.modes.ackDelayMs = 200;
    const id = await ready(500, 'pause');
    const page = hands.page(id, {});
    await stage.untilSent(id, 30);
    expect((await stage.act(id, 'pause', { reason: 'wait' })).body.data.progress).to.include({ inFlight: 0 });
    const arrived = stage.sink.ledger.total;
    expect((await page).goOn).to.equal(false);
    expect((await claimsOf(id)).filter(({ leaseUntil }) => leaseUntil)).to.deep.equal([]);
    expect(Object.keys(await statesOf(id)).sort()).to.deep.equal(['queued', 'sent']);
    expect(stage.sink.ledger.total).to.equal(arrived);
    stage.sink.modes.ackDelayMs = 0;
    await stage.act(id, 'resume');
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect(await statesOf(id)).to.deep.equal({ sent: 500 });
    expect((await stage.arrived(id)).size).to.equal(500);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('while the relay turns mail away, recipients stay claimed, and are sent to when it takes mail', async () => {
    stage.sink.modes.mailReply = '421 4.7.0 too busy\r\n';
    const id = await ready(100, 'busy');
    const page = hands.page(id, {}, 20_000);
    await until(
      async () => hands.sending.deps.mailer.states()[0]!,
      ({ faults }) => faults > 0,
    );
    expect(await stage.messages(id)).to.deep.equal([]);
    expect((await claimsOf(id)).length).to.be.greaterThan(0);
    stage.sink.modes.mailReply = null;
    await page;
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    const rows = await stage.messages(id);
    expect(rows.every(({ state, timeline, deferrals }) => state === 'sent' && !timeline && !deferrals)).to.equal(true);
    expect((await stage.arrived(id)).size).to.equal(100);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });
});
