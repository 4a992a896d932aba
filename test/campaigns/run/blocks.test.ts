import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { doubtAfterRestore } from '../../../core/campaigns/audience/after-restore.ts';
import type { Campaign } from '../../../core/campaigns/model.ts';
import { ledgerCounts, refreshCounts, shownCounts } from '../../../core/campaigns/numbers/counts.ts';
import { countProject } from '../../../core/figures/reports/counting/count.ts';
import { startQueues } from '../../../core/jobs/queue.ts';
import { messageErasures } from '../../../core/mail/erase/erase.ts';
import type { BlockClaim } from '../../../core/mail/ledger/blocks/model.ts';
import { recipientId } from '../../../core/mail/ledger/blocks/recipient-id.ts';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { ledgerFault } from '../../../core/mail/ledger/version.ts';
import { removeOld } from '../../../core/retention.ts';
import { until } from '../../support/wait.ts';
import { openHands, type Stage, useHands } from '../support.ts';

const DAY_MS = 24 * 3_600_000;

const ERASURES_MAX_MS = 60_000;

describe('Recipients in blocks', function () {
  this.timeout(180_000);
  const { stage, hands } = useHands({ env: { RETENTION_DAYS: '30' } });

  const tag = () => new ObjectId().toHexString().slice(-8);
  const own = () => ({ projectId: stage.own.project._id });
  const of = (id: string) => ({ ...own(), campaignId: new ObjectId(id) });
  const frozen = async (count: number, name = tag(), fields: object = {}) => {
    const email = (i: number) => `${name}-${String(i).padStart(4, '0')}@example.org`;
    const id = await stage.launch({ toLists: [await stage.list(count, email)], ...fields });
    await hands.advance(id);
    await hands.freeze(id);
    return { id, email };
  };
  const blocks = (id: string) => stage.deps.db.campaignBlocks.find(of(id)).sort({ n: 1 }).toArray();
  const claims = (id: string) => stage.deps.db.campaignClaims.find(of(id)).toArray();

  /** A claim of a process that is alive elsewhere, with rows of some of its recipients. */
  const claimed = async (
    id: string,
    {
      n = 0,
      from = 0,
      to,
      rows = {},
    }: { n?: number; from?: number; to: number; rows?: Record<number, Message['state']> },
  ): Promise<BlockClaim> => {
    const [block, { freeze }] = [(await blocks(id))[n]!, await stage.stored(id)];
    const times = { claimedAt: new Date(), leaseUntil: new Date(Date.now() + 30_000) };
    const place = { _id: new ObjectId(), ...of(id), n, from, to, fromSeq: block.fromSeq + from };
    const claim = { ...place, frozenAt: freeze!.at, owner: new ObjectId().toHexString(), ...times };
    await stage.deps.db.campaignClaims.insertOne(claim);
    const made = Object.entries(rows).map(([place, state]): Message => {
      const { contactId, email } = block.recipients[Number(place)]!;
      const _id = recipientId(freeze!.at, new ObjectId(id), contactId);
      return { _id, ...of(id), lane: 'campaign', state, email, contactId, seq: block.fromSeq + Number(place) };
    });
    if (made.length > 0) await stage.deps.db.messages.insertMany(made);
    return claim;
  };
  const close = ({ _id, projectId }: BlockClaim) =>
    stage.deps.db.campaignClaims.updateOne(
      { _id, projectId },
      { $set: { endedAt: new Date() }, $unset: { leaseUntil: '' } },
    );
  const listed = async (path: string, status?: string, limit = 7) => {
    const found: Array<{ email: string; status: string }> = [];
    for (let page = 1; ; page += 1) {
      const query = `page=${page}&limit=${limit}${status ? `&status=${status}` : ''}`;
      const { body } = await stage.own.client.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
      const entries = body.data.recipients ?? body.data.emails;
      found.push(...entries);
      if (entries.length < limit) {
        expect(body.data.pagination.total, path).to.equal(found.length);
        return found.map((one) => one.email).toSorted();
      }
    }
  };

  it('are counted in parts: without a claim, in flight, and by the state of their rows', async () => {
    const name = tag();
    const suppressed = [1, 2, 3].map((i) => `${name}-${String(i).padStart(4, '0')}@example.org`);
    await stage.own.client.post('/suppression-groups/emails/suppress', {
      emails: suppressed,
      isGlobal: true,
      reason: 'BOUNCE',
    });
    const { id } = await frozen(300, name);
    const first = await claimed(id, {
      to: 64,
      rows: { 0: 'sent', 1: 'bounced', 2: 'failed', 5: 'queued', 6: 'committing' },
    });
    await claimed(id, { from: 64, to: 70, rows: { 64: 'unknown' } });
    await claimed(id, { n: 1, to: 10 });
    const counts = await ledgerCounts(stage.deps, await stage.stored(id));
    expect(counts).to.deep.equal({
      total: 300,
      suppressed: 3,
      failed: 1,
      sent: 2,
      bounced: 1,
      unknown: 1,
      pending: 293,
      deferred: 0,
      inFlight: 59 + 5 + 10 + 1,
    });
    await close(first);
    const after = await ledgerCounts(stage.deps, await stage.stored(id));
    expect(after.total, 'people of a closed claim without a row are missing, and that shows').to.equal(300 - 59);
    const { body } = await stage.own.client.get(`/campaigns/${id}/reconcile`);
    expect(body.data).to.include({ isBalanced: false });
    await stage.deps.db.campaignClaims.deleteMany(of(id));
    await stage.deps.db.messages.updateMany({ ...of(id), state: 'committing' }, { $set: { state: 'sent' } });
    await stage.act(id, 'abort');
  });

  it('a campaign that is over keeps the numbers it had when some of its rows are gone', async () => {
    const { id } = await frozen(5);
    await hands.drive(id);
    const [row] = await stage.messages(id);
    await stage.deps.db.messages.deleteOne({ _id: row!._id, ...own() });
    await refreshCounts(stage.deps, await stage.stored(id));
    expect((await stage.get(id)).metrics).to.include({ totalContacts: 5, sent: 5, pending: 0 });
  });

  it('are never counted as sent or lost while they are claimed and written, whenever one looks', async () => {
    const { id } = await frozen(600);
    // Slow enough to be looked at on the way.
    stage.sink.modes.ackDelayMs = 40;
    let ended = false;
    const driven = hands.drive(id).finally(() => {
      ended = true;
    });
    let looks = 0;
    for (; !ended; looks += 1) {
      const counts = await ledgerCounts(stage.deps, await stage.stored(id));
      expect(counts.total, JSON.stringify(counts)).to.equal(600);
      expect(counts.inFlight).to.be.at.most(counts.pending);
    }
    await driven;
    stage.sink.modes.ackDelayMs = 0;
    expect(looks).to.be.greaterThan(3);
    expect(await stage.progress(id)).to.include({ total: 600, sent: 600, pending: 0 });
  });

  it('a pause is not answered while another process has an open claim', async () => {
    const { id } = await frozen(20);
    const claim = await claimed(id, { to: 10, rows: { 0: 'sent' } });
    let answered = false;
    const paused = stage.act(id, 'pause').then((answer) => {
      answered = true;
      return answer;
    });
    await until(
      () => stage.get(id),
      ({ status }) => status === 'paused',
    );
    await pause(400);
    expect(answered).to.equal(false);
    const rest = (await blocks(id))[0]!.recipients.slice(1, 10);
    const { freeze } = await stage.stored(id);
    await stage.deps.db.messages.insertMany(
      rest.map(({ contactId, email }, index) => ({
        _id: recipientId(freeze!.at, new ObjectId(id), contactId),
        ...of(id),
        lane: 'campaign' as const,
        state: 'sent' as const,
        email,
        contactId,
        seq: index + 2,
      })),
    );
    await close(claim);
    expect((await paused).body.data.progress).to.include({ sent: 10, inFlight: 0, remaining: 10 });
    await stage.act(id, 'abort');
  });

  it('are listed with the others, by status and page by page, alike as recipients and as emails of the campaign', async () => {
    const { id, email } = await frozen(300);
    await claimed(id, { to: 64, rows: { 0: 'sent', 1: 'queued', 2: 'failed', 63: 'sent' } });
    const all = Array.from({ length: 300 }, (_, i) => email(i));
    const waiting = all.filter((_, i) => ![0, 2, 63].includes(i));
    for (const path of [`/campaigns/${id}/recipients`, `/emails?campaignId=${id}`]) {
      expect(await listed(path, 'queued'), path).to.deep.equal(waiting);
      expect(await listed(path, undefined, 41), path).to.deep.equal(all);
      expect(await listed(path, 'sent'), path).to.deep.equal([email(0), email(63)]);
    }
    const emails = async (query: string) => (await stage.own.client.get(`/emails?${query}`)).body.data;
    expect((await emails(`campaignId=${id}&email=${email(299)}`)).emails).to.have.length(1);
    expect((await emails(`campaignId=${id}&email=${email(0)}`)).pagination.total, 'it has a row').to.equal(1);
    expect((await emails(`campaignId=${id}&email=${email(299)}&status=sent`)).emails).to.deep.equal([]);
    expect((await emails(`email=${email(299)}`)).emails, 'without a campaign only mails with an outcome').to.deep.equal(
      [],
    );
    const at = (await stage.stored(id)).freeze!.at.getTime();
    const dates = (from: number, to: number) =>
      `dateFrom=${new Date(at + from).toISOString()}&dateTo=${new Date(at + to).toISOString()}`;
    expect((await emails(`campaignId=${id}&${dates(-5_000, 5_000)}`)).pagination.total).to.equal(300);
    expect((await emails(`campaignId=${id}&${dates(5_000, 9_000)}`)).pagination.total).to.equal(0);
    expect((await emails(`campaignId=${id}&${dates(-9_000, -5_000)}`)).pagination.total).to.equal(0);
    await stage.deps.db.campaignClaims.deleteMany(of(id));
    await stage.act(id, 'abort');
  });

  it('each is found by contact, also where the address has changed since', async () => {
    const { id, email } = await frozen(600);
    const contact = async (address: string) => (await stage.deps.db.contacts.findOne({ ...own(), email: address }))!;
    const story = async (_id: ObjectId) => (await stage.own.client.get(`/campaigns/${id}/recipients/${_id}`)).body.data;
    for (const index of [0, 255, 256, 599]) {
      const { recipient, reason } = await story((await contact(email(index)))._id);
      expect(recipient).to.include({ email: email(index), status: 'queued' });
      expect(reason).to.contain('Waits to be sent.');
    }
    const { _id } = await contact(email(300));
    await stage.deps.db.contacts.updateOne({ _id, ...own() }, { $set: { email: `aaa${tag()}@example.org` } });
    expect((await story(_id)).recipient).to.include({ email: email(300), status: 'queued' });
    const stranger = await stage.own.client.post('/contacts/email', { email: `x${tag()}@example.org` });
    expect((await story(stranger.body.data.id)).recipient).to.equal(null);
    await stage.act(id, 'abort');
  });

  it('one who is deleted has no row before the turn comes, and then one that failed', async () => {
    const { id, email } = await frozen(4);
    const { _id } = (await stage.deps.db.contacts.findOne({ ...own(), email: email(2) }))!;
    expect((await stage.own.client.delete(`/contacts/${_id}`)).status).to.equal(200);
    expect(await stage.messages(id)).to.deep.equal([]);
    expect(await stage.progress(id)).to.include({ total: 4, failed: 0, pending: 4 });
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    const failed = await stage.messages(id, { state: 'failed' });
    expect(failed.map(({ reason }) => reason)).to.deep.equal(['The contact was deleted.']);
    expect([...(await stage.arrived(id)).keys()]).to.not.include(email(2));
  });

  it('are counted again for each watcher of a small campaign, and once more at the end of the freeze of a large one', async () => {
    const { id } = await frozen(4);
    const small = await stage.stored(id);
    const counted = (campaign: Campaign) => shownCounts(stage.deps, campaign);
    const [one, other] = await Promise.all([counted(small), counted(small)]);
    expect(one).to.include({ total: 4, pending: 4 });
    expect(other, 'not kept').to.not.equal(one);
    const freezing = { ...small, freeze: { ...small.freeze!, written: 5_000, frozen: null } };
    const frozenNow = { ...small, freeze: { ...small.freeze!, frozen: { total: 5_000, inBlocks: 5_000 } } };
    const [first, second, after] = await Promise.all([counted(freezing), counted(freezing), counted(frozenNow)]);
    expect(second, 'watchers share a count').to.equal(first);
    expect(after, 'what was counted before the end is not shown after it').to.not.equal(first);
    await stage.act(id, 'abort');
  });

  it('one who is erased leaves an empty place: nothing says who it was, and the others are found as before', async () => {
    const { id, email } = await frozen(520);
    const gone = [0, 255, 256, 300, 519].map(email);
    const given = await claimed(id, { n: 1, to: 45 });
    const rows = Object.fromEntries(Array.from({ length: 44 }, (_, i) => [i, 'sent' as const]));
    const [, second] = await blocks(id);
    const { freeze } = await stage.stored(id);
    await stage.deps.db.messages.insertMany(
      Object.keys(rows).map((place): Message => {
        const { contactId, email: address } = second!.recipients[Number(place)]!;
        const _id = recipientId(freeze!.at, new ObjectId(id), contactId);
        return { _id, ...of(id), lane: 'campaign', state: 'sent', email: address, contactId, seq: 257 + Number(place) };
      }),
    );
    const people = await stage.deps.db.contacts.find({ ...own(), email: { $in: gone } }).toArray();
    expect(people.length).to.equal(5);
    for (const { _id } of people) expect((await stage.own.client.delete(`/contacts/${_id}`)).status).to.equal(200);
    // One of them is given back to the rows after the deletion, and waits for good: the campaign is aborted.
    const { contactId, email: address } = second!.recipients[44]!;
    const rowId = recipientId(freeze!.at, new ObjectId(id), contactId);
    const returned: Message = {
      _id: rowId,
      ...of(id),
      lane: 'campaign',
      state: 'queued',
      email: address,
      contactId,
      seq: 301,
    };
    await stage.deps.db.messages.insertOne(returned);
    await close(given);
    await stage.act(id, 'abort');
    expect(await stage.progress(id)).to.include({ total: 520, sent: 44, pending: 476 });
    await erase();
    const left = await blocks(id);
    const text = JSON.stringify([left, await stage.messages(id)]);
    for (const address of gone) expect(text).to.not.contain(address);
    expect(left.map(({ recipients }) => recipients.length)).to.deep.equal([256, 256, 8]);
    expect(left.map(({ first, last }) => [first, last])).to.deep.equal([
      [email(1), email(254)],
      [email(257), email(511)],
      [email(512), email(518)],
    ]);
    const after = await stage.progress(id);
    expect(after).to.include({ total: 520, sent: 44, failed: 1, pending: 475 });
    const { _id } = (await stage.deps.db.contacts.findOne({ ...own(), email: email(511) }))!;
    const story = (await stage.own.client.get(`/campaigns/${id}/recipients/${_id}`)).body.data;
    expect(story.recipient).to.include({ email: email(511), status: 'queued' });
    const { recipient } = (await stage.own.client.get(`/campaigns/${id}/recipients/${people[0]!._id}`)).body.data;
    expect(recipient).to.include({ email: null });
  });

  /** The erasures of all deleted contacts, until none is left; those that wait for a sender are asked at once. */
  async function erase(): Promise<void> {
    const { contactErasures } = stage.deps.db;
    const end = performance.now() + ERASURES_MAX_MS;
    for (let left = 1; left > 0; left = await contactErasures.countDocuments(own())) {
      if (performance.now() > end) throw new Error(`${left} contacts are not erased yet`);
      await contactErasures.updateMany(own(), [{ $set: { dueAt: '$$NOW' } }]);
      const loop = startQueues(stage.deps, [messageErasures(stage.deps)]);
      const soon = { ...own(), dueAt: { $lt: new Date(stage.deps.clock.now().getTime() + 60_000) } };
      await until(
        () => contactErasures.countDocuments(soon),
        (due) => due === 0,
      );
      await loop.stop();
    }
  }

  it('leave when the campaign is sent; those of an aborted one are its pending people, and leave with retention', async () => {
    const [sent, aborted] = [await frozen(300), await frozen(300)];
    expect(await hands.drive(sent.id)).to.include({ kind: 'end', status: 'sent' });
    expect(await blocks(sent.id)).to.deep.equal([]);
    await countProject(stage.deps, own().projectId);
    expect(await claims(sent.id), 'they are counted').to.deep.equal([]);
    expect(await stage.progress(sent.id)).to.include({ total: 300, sent: 300, pending: 0 });
    expect(await listed(`/campaigns/${sent.id}/recipients`, undefined, 50)).to.have.length(300);
    await stage.act(aborted.id, 'abort');
    expect(await hands.drive(aborted.id)).to.include({ kind: 'end', status: 'aborted' });
    await removeOld(stage.deps);
    expect(await blocks(aborted.id)).to.have.length(2);
    expect(await stage.progress(aborted.id)).to.include({ total: 300, pending: 300 });
    expect(await listed(`/campaigns/${aborted.id}/recipients`, 'queued', 50)).to.have.length(300);
    stage.environment.clock.advance(31 * DAY_MS);
    try {
      await removeOld(stage.deps);
    } finally {
      stage.environment.clock.advance(-31 * DAY_MS);
    }
    expect(await blocks(aborted.id)).to.deep.equal([]);
    expect((await stage.get(aborted.id)).metrics, 'its numbers stay').to.include({ totalContacts: 300, pending: 300 });
  });

  it('stay while a claim is open or a row is missing, though the campaign is sent', async () => {
    const { id } = await frozen(10);
    const claim = await claimed(id, {
      to: 10,
      rows: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [i, 'sent' as const])),
    });
    await stage.deps.db.campaigns.updateOne({ _id: new ObjectId(id), ...own() }, { $set: { status: 'sent' } });
    await removeOld(stage.deps);
    expect(await blocks(id)).to.have.length(1);
    const [row] = await stage.messages(id);
    await stage.deps.db.messages.deleteOne({ _id: row!._id, ...own() });
    await close(claim);
    await removeOld(stage.deps);
    expect(await blocks(id)).to.have.length(1);
    await stage.deps.db.messages.insertOne(row!);
    await removeOld(stage.deps);
    expect([await blocks(id), await claims(id)]).to.deep.equal([[], []]);
  });

  it('a retry sends nothing twice, though a process that was stopped still has a block in its memory', async () => {
    const { id } = await frozen(40);
    const { deps } = stage;
    let isStopped = true;
    // Between the block and the claim: the others send it, the claims go, and a retry is asked for.
    const campaignClaims = new Proxy(deps.db.campaignClaims, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name !== 'findOneAndUpdate') return value.bind(target);
        return async (...args: unknown[]) => {
          if (isStopped) {
            isStopped = false;
            expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
            const rows = await stage.messages(id);
            await deps.db.messages.updateOne({ _id: rows[0]!._id, ...own() }, { $set: { state: 'failed' } });
            await refreshCounts(deps, await stage.stored(id));
            expect((await stage.act(id, 'retry', { states: ['failed'] })).status).to.equal(200);
          }
          return value.apply(target, args);
        };
      },
    });
    const sleeper = openHands({ ...stage, deps: { ...deps, db: { ...deps.db, campaignClaims } } } as Stage);
    await sleeper.page(id, { fromSeq: 1, toSeq: 40 });
    expect(isStopped).to.equal(false);
    await hands.drive(id);
    await sleeper.stop();
    const counts = [...(await stage.arrived(id)).values()];
    expect(
      counts.reduce((sum, times) => sum + times, 0),
      'one was asked for again',
    ).to.equal(41);
  });

  it('after a restore none of them is sent to: each is in doubt, and campaigns that were due or freezing are paused', async () => {
    const { id } = await frozen(300);
    await claimed(id, { to: 64, rows: { 0: 'sent', 1: 'queued' } });
    const due = await stage.launch({ toLists: [await stage.list(1, () => `${tag()}@example.org`)] });
    const later = await stage.launch({
      toLists: [await stage.list(1, () => `${tag()}@example.org`)],
      ...{ sendNow: false, sendMode: 'scheduled', scheduledAt: new Date(Date.now() + DAY_MS).toISOString() },
    });
    const freezing = await stage.launch({ toLists: [await stage.list(1, () => `${tag()}@example.org`)] });
    await hands.advance(freezing);
    const arrived = stage.sink.ledger.total;
    const first = await doubtAfterRestore(stage.deps, stage.own.project);
    expect(first).to.deep.include({ paused: 2 });
    expect(first.doubted).to.be.at.least(300 - 64 + 1);
    expect((await doubtAfterRestore(stage.deps, stage.own.project)).paused, 'twice does no harm').to.equal(0);
    for (const one of [due, freezing]) expect(await stage.get(one)).to.include({ status: 'paused' });
    expect((await stage.get(due)).pausedReason).to.contain('backup');
    expect(await stage.get(later)).to.include({ status: 'scheduled' });
    await until(
      () => hands.drive(id),
      (step) => step.kind === 'end',
    );
    expect(stage.sink.ledger.total).to.equal(arrived);
    expect(await stage.progress(id)).to.include({ status: 'sent', total: 300, sent: 1, unknown: 299, pending: 0 });
    for (const one of [due, freezing, later]) await stage.act(one, 'abort');
  });

  it('a process with another version of the ledger says so', async () => {
    expect(await ledgerFault(stage.deps)).to.equal(null);
    await stage.deps.db.upkeep.updateOne({ _id: 'ledger' }, { $inc: { version: 1 } });
    try {
      expect(await ledgerFault(stage.deps)).to.match(/^The ledger in this database is of version \d/);
    } finally {
      await stage.deps.db.upkeep.updateOne({ _id: 'ledger' }, { $inc: { version: -1 } });
    }
  });

  it('a campaign that an older version froze is sent from its rows; one that it was freezing is frozen again', async () => {
    const name = tag();
    const list = await stage.list(6, (i) => `${name}-${i}@example.org`);
    const people = await stage.deps.db.contacts
      .find({ ...own(), listIds: new ObjectId(list) })
      .sort({ email: 1 })
      .toArray();
    const old = async (isDone: boolean) => {
      const id = await stage.launch({ toLists: [list] });
      await hands.advance(id);
      const at = new Date();
      const rows = people.map(({ _id: contactId, email }, index): Message => {
        const _id = recipientId(at, new ObjectId(id), contactId);
        return { _id, ...of(id), lane: 'campaign', state: 'queued', email, contactId, seq: index + 1 };
      });
      const written = isDone ? 6 : 4;
      await stage.deps.db.messages.insertMany(rows.slice(0, written));
      const freeze = { at, list: 0, after: null, written, isDone };
      await stage.deps.db.campaigns.updateOne(
        { _id: new ObjectId(id), ...own() },
        { $set: { freeze: freeze as never } },
      );
      expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
      expect([...(await stage.arrived(id)).values()]).to.deep.equal([1, 1, 1, 1, 1, 1]);
      expect(await stage.progress(id)).to.include({ total: 6, sent: 6, pending: 0 });
    };
    await old(true);
    await old(false);
  });
});
