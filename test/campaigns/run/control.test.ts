// Promise: nothing is sent twice.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { pauseCampaign } from '../../../core/campaigns/control.ts';
import type { Reply } from '../../support/client.ts';
import { profiled } from '../../support/profile.ts';
import { until } from '../../support/wait.ts';
import { openHands, useHands } from '../support.ts';

/** A pause or an abort waits half a minute at most for what is with the relay. */
const SETTLE_MS_MAX = 25_000;

describe('Control of campaigns, with Temporal stopped and no worker running', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands({ perTest: { ackDelayMs: 0 } });

  it('pause, resume and abort return the status, and nothing leaves after pause or abort', async () => {
    const list = await stage.list(1_200, (i) => `hold${i}@example.org`);
    const id = await stage.launch({ toLists: [list] });
    stage.sink.modes.ackDelayMs = 60;
    const driven = hands.drive(id);
    await stage.untilSent(id, 100);
    const begun = performance.now();
    const paused = await stage.act(id, 'pause');
    expect(performance.now() - begun, 'not the longest time that it waits').to.be.below(SETTLE_MS_MAX);
    const arrived = stage.sink.ledger.total;
    expect(paused.body.data).to.include({ status: 'paused' });
    expect(paused.body.data.progress).to.include({ inFlight: 0, sent: arrived, remaining: 1_200 - arrived });
    expect((await driven).kind).to.equal('park');
    await pause(200);
    expect(stage.sink.ledger.total).to.equal(arrived);

    const resumed = await stage.act(id, 'resume');
    expect(resumed.body.data).to.include({ status: 'sending' });
    const again = hands.drive(id);
    await stage.untilSent(id, arrived + 100);
    const aborted = await stage.act(id, 'abort');
    const arrivedThen = stage.sink.ledger.total;
    expect(aborted.body.data.progress).to.include({ inFlight: 0, sent: arrivedThen, remaining: 1_200 - arrivedThen });
    expect(await again).to.include({ kind: 'end', status: 'aborted' });
    await pause(200);
    expect(stage.sink.ledger.total).to.equal(arrivedThen);
    expect(stage.sink.ledger.duplicates).to.equal(0);
    expect((await stage.messages(id, { state: 'committing' })).length).to.equal(0);
  });

  for (const [action, status] of [
    ['pause', 'paused'],
    ['abort', 'aborted'],
  ] as const)
    it(`no message is claimed and handed over after the stored ${action}, whatever two processes have read ahead`, async () => {
      const name = new ObjectId().toHexString();
      const list = await stage.list(2_000, (i) => `stored${i}-${name}@example.org`);
      const id = await stage.launch({ toLists: [list] });
      stage.sink.modes.ackDelayMs = 100;
      const other = openHands(stage);
      await hands.advance(id);
      await hands.freeze(id);
      const driven = Promise.all([hands.drive(id), other.drive(id)]);
      await stage.untilSent(id, 100);
      const acting = stage.act(id, action);
      await until(
        () => stage.stored(id),
        (campaign) => campaign.status === status,
        { everyMs: 2 },
      );
      const { localTime: stored } = await stage.deps.mongo.db('admin').command({ hello: 1 });
      await acting;
      await driven;
      await other.stop();
      const sent = await stage.messages(id, { state: 'sent' });
      expect(sent.length).to.be.within(100, 1_900);
      expect(sent.filter(({ claimedAt }) => (claimedAt as Date) > stored)).to.deep.equal([]);
      expect(stage.sink.ledger.duplicates).to.equal(0);
    });

  it('an answer counts the ledger once, for its figures and for those that are stored', async () => {
    const id = await stage.launch({ toLists: [await stage.list(20, (i) => `once${i}@example.org`)] });
    expect((await hands.advance(id)).kind).to.equal('freeze');
    await hands.freeze(id);
    await hands.page(id, { fromSeq: 1, toSeq: 5 });
    const operations = await profiled(stage.deps, async () => {
      expect((await stage.act(id, 'pause')).body.data.progress).to.include({ sent: 5, remaining: 15 });
    });
    const counts = operations.filter(({ ns, command }) => ns.endsWith('.messages') && command.aggregate === 'messages');
    expect(counts.filter(({ command }) => JSON.stringify(command.pipeline).includes('"$state"')).length).to.equal(1);
    expect((await stage.stored(id)).counts).to.include({ sent: 5, pending: 15, totalContacts: 20 });
    await stage.act(id, 'abort');
  });

  it('a recipient who is suppressed half-way is not claimed after the answer', async () => {
    const name = new ObjectId().toHexString();
    const address = (i: number) => `half${i}-${name}@example.org`;
    const list = await stage.list(1_000, address);
    const id = await stage.launch({ toLists: [list] });
    stage.sink.modes.ackDelayMs = 100;
    const driven = hands.drive(id);
    await stage.untilSent(id, 300);
    const emails = Array.from({ length: 500 }, (_, i) => address(i * 2));
    await stage.own.client.post('/suppression-groups/emails/suppress', { emails, reason: 'UNSUBSCRIBE' });
    const { localTime: answered } = await stage.deps.mongo.db('admin').command({ hello: 1 });
    stage.sink.modes.ackDelayMs = 0;
    expect(await driven).to.include({ kind: 'end', status: 'sent' });
    const suppressed = new Set(emails);
    const sent = (await stage.messages(id, { state: 'sent' })).filter(({ email }) => suppressed.has(email));
    expect(sent.filter(({ claimedAt }) => (claimedAt as Date) > answered)).to.deep.equal([]);
    const { metrics } = await stage.get(id);
    expect(metrics.suppressed).to.be.greaterThan(50);
    expect(metrics.suppressed + sent.length).to.equal(500);
    expect(metrics).to.include({ totalContacts: 1_000, failedCount: 0, pending: 0, sent: 500 + sent.length });
    expect((await stage.arrived(id)).size).to.equal(metrics.sent);
  });

  it('a contact that is deleted half-way gets nothing any more: its mail fails with the deletion, and a retry does not send it', async () => {
    const list = await stage.list(400, (i) => `gone${i + 100}@example.org`);
    const id = await stage.launch({ toLists: [list] });
    stage.sink.modes.ackDelayMs = 250;
    const driven = hands.drive(id);
    await stage.untilSent(id, 20);
    const emails = Array.from({ length: 200 }, (_, i) => `gone${i + 300}@example.org`);
    const { body } = await stage.own.client.post('/contacts/remove', { emails });
    expect(body.data.deleted).to.equal(200);
    const { localTime: answered } = await stage.deps.mongo.db('admin').command({ hello: 1 });
    stage.sink.modes.ackDelayMs = 0;
    expect(await driven).to.include({ kind: 'end', status: 'sent' });
    const deleted = new Set(emails);
    const theirs = (await stage.messages(id)).filter(({ email }) => deleted.has(email));
    const failed = theirs.filter(({ state }) => state === 'failed');
    expect(failed.length).to.be.greaterThan(50);
    expect(failed.every(({ reason }) => reason === 'The contact was deleted.')).to.equal(true);
    const late = theirs.filter(({ state, claimedAt }) => state === 'sent' && (claimedAt as Date) > answered);
    expect(late).to.deep.equal([]);
    const before = stage.sink.ledger.total;
    expect((await stage.act(id, 'retry', { states: ['failed'] })).body.data.status).to.equal('sending');
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect(stage.sink.ledger.total).to.equal(before);
    expect((await stage.get(id)).metrics.failedCount).to.equal(failed.length);
  });

  it('one that is aborted between the reading and the writing of a pause is never paused afterwards', async () => {
    const id = await stage.launch({ toLists: [await stage.list(1, () => `once-${new ObjectId()}@example.org`)] });
    let aborted: Promise<Reply> | undefined;
    const slow = afterReads(stage.deps, () => (aborted ??= stage.act(id, 'abort')));
    const refused = await pauseCampaign(slow, stage.own.project, id, 'late').catch((error) => error);
    expect((await aborted)?.status).to.equal(200);
    expect(refused).to.include({ code: 'INVALID_STATE' });
    expect(await stage.get(id)).to.include({ status: 'aborted', pausedAt: null });
  });

  it('a campaign for two opens two connections at most', async () => {
    const id = await stage.launch({ toLists: [await stage.list(2, (i) => `few${i}@example.org`)] });
    const { connections } = stage.sink.ledger;
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect(stage.sink.ledger.connections - connections).to.be.within(0, 2);
  });

  it('abort during a deferral sends nothing when it becomes due', async () => {
    const list = await stage.list(20, (i) => (i < 5 ? `temp-rcpt-450+${i}@example.org` : `now${i}@example.org`));
    const id = await stage.launch({ toLists: [list] });
    const step = await hands.drive(id);
    expect(step).to.include({ kind: 'wait', summary: 'some are deferred' });
    expect(await stage.progress(id)).to.include({ status: 'sending', sent: 15, deferred: 5, pending: 5 });
    const { nextAt } = await stage.progress(id);
    expect(Date.parse(nextAt) - Date.now()).to.be.within(4 * 60_000, 7 * 60_000);
    const aborted = await stage.act(id, 'abort');
    expect(aborted.body.data.progress).to.deep.equal({ sent: 15, inFlight: 0, remaining: 5, nextAt: null });
    const { connections } = stage.sink.ledger;
    await makeDue(id);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'aborted' });
    await hands.page(id, { isDeferred: true });
    expect(stage.sink.ledger.connections).to.equal(connections);
    expect((await stage.messages(id, { state: 'deferred' })).length).to.equal(5);
  });

  it('what is deferred is sent when it is due, and fails when 24 hours are over', async () => {
    const list = await stage.list(4, (i) => `temp-rcpt-450+late${i}@example.org`);
    const id = await stage.launch({ toLists: [list] });
    await hands.drive(id);
    await makeDue(id);
    expect((await hands.drive(id)).kind).to.equal('wait');
    expect((await stage.messages(id)).map(({ state, deferrals }) => `${state} ${deferrals}`)).to.deep.equal(
      Array(4).fill('deferred 2'),
    );
    await stage.deps.db.messages.updateMany(
      { projectId: stage.own.project._id, campaignId: (await stage.stored(id))._id },
      [{ $set: { firstAt: { $dateSubtract: { startDate: '$firstAt', unit: 'hour', amount: 24 } } } }],
    );
    await makeDue(id);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'failed' });
    const { metrics, failureReason } = await stage.get(id);
    expect(metrics).to.include({ totalContacts: 4, failedCount: 4, sent: 0, pending: 0 });
    expect(failureReason).to.equal('Nothing could be sent: of 4 recipients 0 are suppressed and 4 failed.');
    expect((await stage.messages(id))[0]?.reason).to.contain('24 hours');
  });

  it('each deferral of a mail is an event of its own, whichever process defers it', async () => {
    const hook = { url: 'https://hooks.example.com/', events: ['email.deferred'] };
    expect((await stage.own.client.post('/webhooks', hook)).status).to.equal(201);
    const id = await stage.launch({ toLists: [await stage.list(1, () => 'temp-rcpt-450+each@example.org')] });
    const other = openHands(stage);
    for (const process of [hands, hands, other]) {
      await process.drive(id);
      await makeDue(id);
    }
    await other.stop();
    expect((await stage.messages(id))[0]).to.include({ state: 'deferred', deferrals: 3 });
    const deferred = { projectId: stage.own.project._id, type: 'email.deferred' } as const;
    const events = () => stage.deps.db.projectEvents.find(deferred).toArray();
    await until(events, (found) => found.length === 3);
  });

  it('claims of a dead process are settled by a call that waits, and by the run while it is paused', async () => {
    const list = await stage.list(30, (i) => `lost${i}@example.org`);
    const id = await stage.launch({ toLists: [list] });
    expect((await hands.advance(id)).kind).to.equal('freeze');
    await hands.drive(id);
    const orphan = async (count: number, leaseMs: number) => {
      const ids = (await stage.messages(id, { state: 'sent' })).slice(0, count).map(({ _id }) => _id);
      await stage.deps.db.messages.updateMany({ _id: { $in: ids }, projectId: stage.own.project._id }, [
        {
          $set: {
            state: 'committing',
            owner: 'somebody who died',
            claimedAt: '$$NOW',
            dueAt: { $dateAdd: { startDate: '$$NOW', unit: 'millisecond', amount: leaseMs } },
          },
        },
      ]);
    };
    const { db } = stage.deps;
    const own = { _id: (await stage.stored(id))._id, projectId: stage.own.project._id };
    await db.campaigns.updateOne(own, { $set: { status: 'sending', sentAt: null } });
    const begun = performance.now();
    await orphan(5, 1_500);
    const paused = await stage.act(id, 'pause');
    expect(performance.now() - begun).to.be.within(1_450, SETTLE_MS_MAX);
    expect(paused.body.data.progress).to.include({ inFlight: 0, sent: 25, remaining: 0 });
    expect(paused.body.data.metrics).to.include({ unknown: 5 });

    await orphan(3, 60_000);
    const waits = await hands.advance(id);
    expect(waits).to.include({ kind: 'wait', status: 'paused', summary: '3 are with the relay' });
    await makeDue(id);
    expect((await hands.advance(id)).kind).to.equal('park');
    expect(await stage.progress(id)).to.include({ unknown: 8, sent: 22, inFlight: 0 });
    const listed = await stage.own.client.get(`/campaigns/${id}/recipients?status=unknown`);
    expect(listed.body.data.pagination.total).to.equal(8);
    await stage.act(id, 'resume');
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('with evidence no recipient stays unknown: who has it is sent, who has not gets it, and none gets it twice', async () => {
    const list = await stage.list(6, (i) =>
      i < 3 ? `drop-after-dot+${i}@example.org` : `lose-after-dot+${i}@example.org`,
    );
    const id = await stage.launch({ toLists: [list] });
    const known = openHands(stage);
    Object.assign(known.sending.deps, {
      evidence: { isKnown: true, accepted: async (messageId: string) => stage.sink.ledger.has(messageId) },
    });
    expect(await known.drive(id)).to.include({ kind: 'wait', status: 'sending' });
    expect(await stage.progress(id)).to.include({ unknown: 6, sent: 0 });
    await makeDue(id);
    await known.advance(id);
    const states = (await stage.messages(id)).map(({ email, state }) => `${email.split('+')[0]} ${state}`);
    expect(states.sort()).to.deep.equal([
      ...Array(3).fill('drop-after-dot sent'),
      ...Array(3).fill('lose-after-dot queued'),
    ]);
    await known.stop();
  });

  it('sends again only what failed or is unknown, and unknown only when a person asks', async () => {
    const list = await stage.list(30, (i) =>
      i < 4
        ? `drop-after-dot+r${i}@example.org`
        : i < 8
          ? `after-dot-554-5.7.1+r${i}@example.org`
          : `fine${i}@example.org`,
    );
    const id = await stage.launch({ toLists: [list] });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.get(id)).metrics).to.include({ sent: 22, unknown: 4, failedCount: 4, pending: 0 });
    await hands.drive(id);
    expect(stage.sink.ledger.duplicates).to.equal(0);
    const { sentAt } = await stage.get(id);
    const retried = await stage.act(id, 'retry', { states: ['failed'] });
    expect(retried.body.data).to.include({ status: 'sending', sentAt: null });
    expect(retried.body.data.progress).to.include({ remaining: 4, sent: 22 });
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    expect(stage.sink.ledger.duplicates).to.equal(0);
    await stage.act(id, 'retry', { states: ['unknown'] });
    await hands.drive(id);
    expect(stage.sink.ledger.duplicates, 'they had it already, and a person asked').to.equal(4);
    const { metrics, sentAt: sentAgainAt } = await stage.get(id);
    expect(metrics).to.include({ totalContacts: 30, sent: 22, unknown: 4, failedCount: 4 });
    expect(Date.parse(sentAgainAt)).to.be.greaterThan(Date.parse(sentAt));
    expect((await stage.act(id, 'retry', { states: ['sent'] })).status).to.equal(400);
    const lines = (await stage.messages(id, { state: 'unknown' }))[0]?.timeline ?? [];
    expect(lines.map(({ type }) => type)).to.deep.equal(['unknown', 'retried', 'unknown']);
  });

  it('one that failed before it began can be retried when the reason is mended', async () => {
    const list = await stage.list(2, (i) => `mended${i}@example.org`);
    const id = await stage.launch({ toLists: [list] });
    const { db } = stage.deps;
    const domain = { projectId: stage.own.project._id, domainName: 'mail.example.com' };
    await db.domains.updateOne(domain, { $set: { verificationStatus: 'PENDING' } });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'failed' });
    expect((await stage.get(id)).failureReason).to.contain('verified domain');
    await db.domains.updateOne(domain, { $set: { verificationStatus: 'VERIFIED' } });
    expect((await stage.act(id, 'retry', { states: ['failed'] })).body.data.status).to.equal('sending');
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.get(id)).metrics).to.include({ sent: 2, totalContacts: 2 });
  });

  it('one that missed its time by more than maxLatenessMinutes is paused and says so; resume starts it', async () => {
    const list = await stage.list(1, () => 'late@example.org');
    const scheduledAt = new Date(Date.now() + 60_000).toISOString();
    const [patient, strict] = [
      (await stage.create({ toLists: [list], scheduledAt })).body.data.id,
      (await stage.create({ toLists: [list], scheduledAt, maxLatenessMinutes: 5 })).body.data.id,
    ];
    expect(await hands.advance(strict)).to.include({
      kind: 'wait',
      status: 'scheduled',
      summary: `starts at ${scheduledAt}`,
    });
    stage.environment.clock.advance(8 * 60_000);
    try {
      expect(await hands.drive(patient)).to.include({ kind: 'end', status: 'sent' });
      expect(await hands.drive(strict)).to.include({ kind: 'park', status: 'paused' });
      expect((await stage.get(strict)).pausedReason).to.equal(
        'It could not start on time: it is 7 minutes late, and maxLatenessMinutes is 5. Resume starts it.',
      );
      expect((await stage.act(strict, 'resume')).body.data.status).to.equal('scheduled');
      expect(await hands.drive(strict)).to.include({ kind: 'end', status: 'sent' });
    } finally {
      stage.environment.clock.advance(-8 * 60_000);
    }
  });

  const makeDue = async (id: string) =>
    stage.deps.db.messages.updateMany(
      { campaignId: (await stage.stored(id))._id, projectId: stage.own.project._id, dueAt: { $exists: true } },
      [{ $set: { dueAt: '$$NOW' } }],
    );
});

/** Dependencies whose reads of campaigns are answered after something else has happened. */
function afterReads(deps: Deps, then: () => Promise<unknown>): Deps {
  const campaigns = new Proxy(deps.db.campaigns, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'findOne') return value.bind(target);
      return async (...args: unknown[]) => {
        const found = await value.apply(target, args);
        await then();
        return found;
      };
    },
  });
  return { ...deps, db: { ...deps.db, campaigns } };
}
