import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { openCore } from '../../../core/base/deps.ts';
import { until } from '../../support/wait.ts';
import { openHands, useHands } from '../support.ts';

describe('Pages of a campaign', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands({ perTest: { ackDelayMs: 0, connectionsMax: null, sendAwayAfter: null } });

  /** Its audience is written down, and nothing is sent yet. */
  const ready = async (fields: object) => {
    const id = await stage.launch(fields);
    expect((await hands.advance(id)).kind).to.equal('freeze');
    await hands.freeze(id);
    return id;
  };

  it('while the relay does not answer no recipient fails and no attempt is counted; progress says since when, until it answers', async () => {
    const id = await ready({ toLists: [await stage.list(40, (i) => `down${i}@example.org`)] });
    await stage.sink.refuse();
    const since = Date.now();
    const page = await hands.page(id, {}, 1_200).finally(() => stage.sink.listen());
    const ended = Date.now();
    expect(page.goOn).to.equal(false);
    expect(page.waitMs).to.be.within(100, 60_000);
    expect(page.details).to.contain('The relay has not answered since').and.contain('refused at connect');
    const progress = await stage.progress(id);
    expect(progress).to.include({ status: 'sending', pending: 40, inFlight: 0, failed: 0, unknown: 0 });
    expect(Date.parse(progress.relayNotAnsweringSince)).to.be.within(since - 50, ended + 50);
    await pause(page.waitMs);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.progress(id)).relayNotAnsweringSince).to.equal(null);
    expect((await stage.messages(id)).every(({ state, deferrals }) => state === 'sent' && !deferrals)).to.equal(true);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('a relay that takes few connections, or few messages on each, gets them as it likes', async () => {
    const id = await ready({ toLists: [await stage.list(120, (i) => `few${i}@example.org`)] });
    Object.assign(stage.sink.modes, { connectionsMax: 3, sendAwayAfter: 7 });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.arrived(id)).size).to.equal(120);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('holds a rate, and another one as soon as it is set', async () => {
    const id = await ready({ toLists: [await stage.list(800, (i) => `rate${i}@example.org`)], sendRatePerSecond: 5 });
    await stage.own.client.patch(`/campaigns/${id}`, { sendRatePerSecond: 5 });
    const begun = performance.now();
    const before = stage.sink.ledger.total;
    const driven = hands.drive(id);
    await until(
      async () => stage.sink.ledger.total - before,
      (sent) => sent >= 10,
      { everyMs: 5 },
    );
    expect(stage.sink.ledger.total - before).to.be.at.most(5 * ((performance.now() - begun) / 1_000) + 4);
    await stage.untilSent(id, 5);
    const [pace, ...others] = stage.deps.paces.states().filter(({ name }) => name === `campaign ${id}`);
    expect(others).to.deep.equal([]);
    expect(pace).to.include({ unit: 'per second', budget: 5 });
    expect(pace?.inUse).to.be.above(0).and.at.most(10);
    await stage.own.client.patch(`/campaigns/${id}`, { sendRatePerSecond: null });
    // At the former rate the others take longer than a test may.
    expect(await driven).to.include({ kind: 'end', status: 'sent' });
  });

  it('a range ends when its time is over and says where to resume', async () => {
    const id = await ready({ toLists: [await stage.list(200, (i) => `box${i}@example.org`)] });
    await stage.own.client.patch(`/campaigns/${id}`, { sendRatePerSecond: 30 });
    const begun = performance.now();
    const first = await hands.page(id, { fromSeq: 1, toSeq: 200 }, 2_500);
    const tookMs = performance.now() - begun;
    expect(first).to.include({ goOn: true, waitMs: 0 });
    const sent = (await stage.messages(id, { state: 'sent' })).length;
    expect(sent).to.be.within(5, Math.min(190, (30 * tookMs) / 1_000 + 4));
    expect(first.nextSeq).to.equal(sent + 1);
    await stage.own.client.patch(`/campaigns/${id}`, { sendRatePerSecond: null });
    const rest = await hands.page(id, { fromSeq: first.nextSeq ?? 0, toSeq: 200 });
    expect(rest).to.include({ goOn: true, nextSeq: null });
    expect((await stage.arrived(id)).size).to.equal(200);
  });

  it('two campaigns in one process share the connections fairly', async () => {
    stage.sink.modes.ackDelayMs = 25;
    const big = await ready({ toLists: [await stage.list(1_000, (i) => `big${i}@example.org`)] });
    const small = await ready({ toLists: [await stage.list(200, (i) => `small${i}@example.org`)] });
    const first = hands.page(big, {});
    await stage.untilSent(big, 100);
    await hands.page(small, {});
    const order = stage.sink.ledger.messages.map(({ to }) => to[0] as string);
    const isOf = (name: string) => (address: string) => address.startsWith(name);
    const during = order.slice(order.findIndex(isOf('small')), order.findLastIndex(isOf('small')));
    // Half of the connections each.
    expect(during.filter(isOf('big')).length).to.be.within(60, 600);
    expect((await stage.arrived(small)).size).to.equal(200);
    await stage.act(big, 'abort');
    await first;
  });

  it('pages of one campaign share what cannot be divided evenly, and none waits for another', async () => {
    stage.sink.modes.ackDelayMs = 20;
    const odd = openHands(stage, { smtpMaxConnections: 10 });
    const id = await ready({ toLists: [await stage.list(300, (i) => `odd${i}@example.org`)] });
    const halves = [
      { fromSeq: 1, toSeq: 150 },
      { fromSeq: 151, toSeq: 300 },
    ];
    const pages = await Promise.all(halves.map((half) => odd.page(id, half, 60_000)));
    // A campaign has five of ten connections, 20 ms a message: 1.2 s of the time that a page may take.
    expect(pages.map(({ nextSeq }) => nextSeq)).to.deep.equal([null, null]);
    expect((await stage.arrived(id)).size).to.equal(300);
    await odd.stop();
  });

  it('a process without a share of the connections claims nothing, and its page ends with its time', async () => {
    const nothing = { join: () => ({ amount: () => 0, ask() {} }), states: () => [] };
    const other = openHands(stage, {}, nothing);
    const id = await ready({ toLists: [await stage.list(20, (i) => `none${i}@example.org`)] });
    expect(await other.page(id, {}, 200)).to.include({ goOn: true, nextSeq: 0, ended: 0 });
    const claims = await stage.deps.db.campaignClaims.countDocuments({
      projectId: stage.own.project._id,
      campaignId: new ObjectId(id),
    });
    expect([claims, (await stage.arrived(id)).size]).to.deep.equal([0, 0]);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    await other.stop();
  });

  it('a process that stops gives back what it claimed; nothing is lost and nothing unknown', async () => {
    stage.sink.modes.ackDelayMs = 100;
    const id = await ready({ toLists: [await stage.list(600, (i) => `stop${i}@example.org`)] });
    const other = openHands(stage);
    const page = other.page(id, {});
    await stage.untilSent(id, 30);
    await other.stop();
    stage.sink.modes.ackDelayMs = 0;
    expect((await page).nextSeq, 'another one goes on from there').to.be.a('number');
    const states = new Set((await stage.messages(id)).map(({ state }) => state));
    expect([...states].sort()).to.deep.equal(['queued', 'sent']);
    expect(stage.sink.ledger.total).to.be.greaterThan(0);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.arrived(id)).size).to.equal(600);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('a domain that is not verified any more pauses the campaign with the reason; no recipient fails for it', async () => {
    const id = await ready({ toLists: [await stage.list(5, (i) => `domain${i}@example.org`)] });
    const domain = { projectId: stage.own.project._id, domainName: 'mail.example.com' };
    await stage.deps.db.domains.updateOne(domain, { $set: { verificationStatus: 'PENDING' } });
    // A process caches a domain for five seconds; the cache of this one is empty.
    const other = openHands({ ...stage, deps: openCore(stage.deps) });
    try {
      expect((await other.page(id, {})).goOn).to.equal(false);
    } finally {
      await other.stop();
      await stage.deps.db.domains.updateOne(domain, { $set: { verificationStatus: 'VERIFIED' } });
    }
    expect(await stage.get(id)).to.deep.include({
      status: 'paused',
      pausedReason: 'The domain that the campaign is sent from is not verified any more.',
    });
    expect(await stage.progress(id)).to.include({ pending: 5, failed: 0 });
  });
});
