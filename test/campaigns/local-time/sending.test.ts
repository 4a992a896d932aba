import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { doubtAfterRestore } from '../../../core/campaigns/audience/after-restore.ts';
import { freezeAudience } from '../../../core/campaigns/run/freeze.ts';
import { eraseFromBlocks } from '../../../core/mail/erase/erase-blocks.ts';
import { findMail } from '../../../core/mail/ledger/blocks/find-mail.ts';
import { recipientId } from '../../../core/mail/ledger/blocks/recipient-id.ts';
import { isBalanced, useHands } from '../support.ts';

type Zones = Record<string, string | number | null>;

const HOUR_MS = 3_600_000;
const LOCAL = { date: '2026-12-24', time: '09:00', fallbackTimezone: 'Europe/Berlin', late: 'now' } as const;
/** A day before, in the whole world. */
const BEFORE = '2026-12-22T12:00:00Z';

describe('A campaign at local time', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();
  const at = (time: string) => stage.environment.clock.set(new Date(time));
  const sentOf = async (id: string) => (await stage.progress(id)).zones.map((zone: { sent: number }) => zone.sent);

  const setProperty = async (timezoneProperty: string | null) => {
    const { environment, own } = stage;
    const admin = environment.client(own.adminKey);
    const { body, text } = await admin.patch(`/account/projects/${own.project._id}`, { timezoneProperty });
    expect(body.success, text).to.equal(true);
  };
  before(() => setProperty('home'));

  /** A list of people, `zones` by the beginning of their addresses. */
  async function peopleIn(
    zones: Zones,
    each = 3,
  ): Promise<{ list: string; email: (name: string, n?: number) => string }> {
    const tag = new ObjectId().toHexString().slice(-8);
    const email = (name: string, n = 0) => `${name}${n}.${tag}@example.org`;
    const emails = Object.keys(zones).flatMap((name) => Array.from({ length: each }, (_, n) => email(name, n)));
    const list = await stage.list(emails.length, (index) => emails[index]!);
    const projectId = stage.own.project._id;
    for (const [name, home] of Object.entries(zones))
      await stage.deps.db.contacts.updateMany(
        { projectId, email: { $in: Array.from({ length: each }, (_, n) => email(name, n)) } },
        { $set: { contactProperties: home === null ? {} : { home } } },
      );
    return { list, email };
  }

  async function scheduled(list: string, local: object = {}, fields: object = {}): Promise<string> {
    const { body, text } = await stage.create({ toLists: [list], localTime: { ...LOCAL, ...local }, ...fields });
    expect(body.success, text).to.equal(true);
    return body.data.id;
  }

  const WORLD = {
    tokyo: 'Asia/Tokyo',
    berlin: 'Europe/Berlin',
    // In another case, and not a zone, and nothing.
    paris: 'europe/PARIS',
    mars: 'Mars/Crater',
    nobody: null,
    number: 7,
    york: 'America/New_York',
  };

  it('goes to each zone at its moment, in the order of the moments and then of addresses, and never before', async () => {
    at(BEFORE);
    const { list, email } = await peopleIn(WORLD);
    const id = await scheduled(list);
    expect(await stage.get(id)).to.deep.include({
      ...{ status: 'scheduled', sendMode: 'scheduled', scheduledAt: '2026-12-23T19:00:00.000Z', zones: [] },
      localTime: LOCAL,
    });
    at('2026-12-23T19:00:00Z');
    const step = await hands.drive(id);
    expect(step).to.include({ kind: 'wait', status: 'sending', summary: 'next slice at 2026-12-24T00:00:00.000Z' });
    const now = stage.environment.clock.now().getTime();
    expect('waitMs' in step && step.waitMs + now).to.be.within(
      Date.parse('2026-12-24T00:00:00Z'),
      Date.parse('2026-12-24T00:00:01Z') + 60_000,
    );
    const zone = (timezone: string, moment: string, total: number, isFallback = false) => ({
      ...{ timezone, isFallback, at: moment, total, sent: 0 },
    });
    const zones = [
      zone('Asia/Tokyo', '2026-12-24T00:00:00.000Z', 3),
      zone('Europe/Berlin', '2026-12-24T08:00:00.000Z', 9, true),
      zone('Europe/Berlin', '2026-12-24T08:00:00.000Z', 3),
      zone('Europe/Paris', '2026-12-24T08:00:00.000Z', 3),
      zone('America/New_York', '2026-12-24T14:00:00.000Z', 3),
    ];
    const progress = await stage.progress(id);
    expect(progress).to.deep.include({ status: 'sending', nextAt: zones[0]!.at, etaSeconds: null, zones, pending: 21 });
    expect(await stage.get(id)).to.deep.include({ scheduledAt: '2026-12-24T00:00:00.000Z', zones });
    const looks = [
      ['2026-12-23T23:59:00Z', [0, 0, 0, 0, 0], '2026-12-24T00:00:00.000Z'],
      ['2026-12-24T00:00:00Z', [3, 0, 0, 0, 0], '2026-12-24T08:00:00.000Z'],
      ['2026-12-24T08:00:00Z', [3, 9, 3, 3, 0], '2026-12-24T14:00:00.000Z'],
      ['2026-12-24T13:59:00Z', [3, 9, 3, 3, 0], '2026-12-24T14:00:00.000Z'],
    ] as const;
    for (const [now, sent, nextAt] of looks) {
      at(now);
      await hands.drive(id);
      expect(await sentOf(id), now).to.deep.equal(sent);
      expect(await stage.progress(id)).to.include({ status: 'sending', nextAt });
    }
    at('2026-12-24T14:00:00Z');
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect(await stage.progress(id)).to.include({ status: 'sent', sent: 21, pending: 0, percent: 100 });
    // Blocks are gone, and the figures of zones stay.
    expect((await stage.stored(id)).freeze?.run).to.equal(undefined);
    expect(await sentOf(id)).to.deep.equal([3, 9, 3, 3, 3]);
    expect((await stage.get(id)).zones.map((one: { sent: number }) => one.sent)).to.deep.equal([3, 9, 3, 3, 3]);
    const order = (await stage.messages(id)).map((message) => message.email);
    const names = ['tokyo', 'mars', 'nobody', 'number', 'berlin', 'paris', 'york'];
    expect(order).to.deep.equal(names.flatMap((name) => [0, 1, 2].map((n) => email(name, n))));
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('that begins after the time of some sends to them at once, on the next day or never, and the counts add up', async () => {
    for (const [late, sent, zones] of [
      ['now', 4, ['Asia/Tokyo', 'Europe/Berlin']],
      ['next_day', 0, []],
      ['skip', 0, []],
    ] as const) {
      at('2026-12-24T12:00:00Z');
      const { list, email } = await peopleIn({ ...{ a: 'Asia/Tokyo', b: 'Europe/Berlin', c: 'America/New_York' } }, 2);
      const id = await scheduled(list, { late });
      const { scheduledAt: began } = await stage.get(id);
      expect(Date.parse(began)).to.be.within(Date.parse('2026-12-24T12:00:00Z'), Date.parse('2026-12-24T12:10:00Z'));
      await hands.drive(id);
      const progress = await stage.progress(id);
      expect(isBalanced(progress)).to.equal(true);
      expect(progress).to.include({ total: 6, sent, suppressed: late === 'skip' ? 4 : 0 });
      const named = progress.zones.map((zone: Record<string, string>) => `${zone.timezone} ${zone.at}`);
      expect(named).to.deep.equal([
        ...zones.map((zone) => `${zone} ${began}`),
        'America/New_York 2026-12-24T14:00:00.000Z',
        ...(late === 'next_day'
          ? ['Asia/Tokyo 2026-12-25T00:00:00.000Z', 'Europe/Berlin 2026-12-25T08:00:00.000Z']
          : []),
      ]);
      at('2026-12-25T08:00:00Z');
      expect(await hands.drive(id)).to.include({ status: 'sent' });
      expect(await stage.progress(id)).to.include({ total: 6, sent: late === 'skip' ? 2 : 6, pending: 0 });
      if (late !== 'skip') continue;
      const { reasons } = (await stage.own.client.get(`/campaigns/${id}/reasons`)).body.data;
      expect(reasons).to.have.length(1);
      expect(reasons[0]).to.include({ suppression: 'LOCAL_TIME_OVER', groupId: null, count: 4 });
      const contact = await stage.deps.db.contacts.findOne({ projectId: stage.own.project._id, email: email('a') });
      const story = (await stage.own.client.get(`/campaigns/${id}/recipients/${contact!._id}`)).body.data;
      expect(story.reason).to.contain('the time for this mail was over before the campaign began');
    }
  });

  it('does not follow a person into another zone after the audience is written down', async () => {
    at(BEFORE);
    const { list, email } = await peopleIn({ a: 'Asia/Tokyo', b: 'America/New_York' }, 1);
    const id = await scheduled(list);
    at('2026-12-23T19:00:00Z');
    await hands.drive(id);
    const projectId = stage.own.project._id;
    const moved = { $set: { 'contactProperties.home': 'America/New_York' } };
    await stage.deps.db.contacts.updateOne({ projectId, email: email('a') }, moved);
    at('2026-12-24T00:00:00Z');
    await hands.drive(id);
    expect([...(await stage.arrived(id)).keys()]).to.deep.equal([email('a')]);
    await stage.act(id, 'abort');
    expect(await stage.progress(id)).to.include({ status: 'aborted', sent: 1, pending: 1 });
    expect(await sentOf(id)).to.deep.equal([1, 0]);
  });

  it('paused over a release and resumed sends it then, and nothing of the next one', async () => {
    at(BEFORE);
    const { list } = await peopleIn({ a: 'Asia/Tokyo', b: 'Europe/Berlin', c: 'America/New_York' }, 2);
    const id = await scheduled(list);
    for (const now of ['2026-12-23T19:00:00Z', '2026-12-24T00:00:00Z']) {
      at(now);
      await hands.drive(id);
    }
    expect((await stage.act(id, 'pause')).body.data.progress).to.include({ sent: 2, remaining: 4, inFlight: 0 });
    at('2026-12-24T10:00:00Z');
    expect(await hands.drive(id)).to.include({ kind: 'park' });
    expect(await sentOf(id)).to.deep.equal([2, 0, 0]);
    expect((await stage.act(id, 'resume')).body.data).to.include({ status: 'sending' });
    expect((await stage.progress(id)).nextAt, 'now').to.equal(null);
    await hands.drive(id);
    expect(await sentOf(id)).to.deep.equal([2, 2, 0]);
    await stage.act(id, 'abort');
  });

  it('without a property in the project sends to everybody in the zone of the campaign', async () => {
    at(BEFORE);
    const { list } = await peopleIn({ a: 'Asia/Tokyo', b: 'Europe/Berlin' }, 1);
    await setProperty(null);
    const id = await scheduled(list);
    at('2026-12-23T19:00:00Z');
    await hands.drive(id);
    const { zones } = await stage.progress(id);
    expect(zones).to.have.length(1);
    expect(zones[0]).to.include({ timezone: 'Europe/Berlin', isFallback: true, total: 2 });
    await setProperty('home');
    await stage.act(id, 'abort');
  });

  it('finds a person in each release: waiting, erased, and one whose mail comes back before it has a row', async () => {
    at(BEFORE);
    const { list, email } = await peopleIn({ b: 'Asia/Tokyo', a: 'Europe/Berlin', c: 'Europe/Berlin' }, 300);
    const id = await scheduled(list);
    at('2026-12-23T19:00:00Z');
    await hands.drive(id);
    const { db } = stage.deps;
    const projectId = stage.own.project._id;
    const storyOf = async (address: string) => {
      const contact = await db.contacts.findOne({ projectId, email: address });
      return (await stage.own.client.get(`/campaigns/${id}/recipients/${contact!._id}`)).body.data;
    };
    const found = async (address: string) =>
      (await stage.own.client.get(`/emails?campaignId=${id}&email=${encodeURIComponent(address)}`)).body.data.emails;
    for (const address of [email('a'), email('a', 299), email('b', 150), email('c'), email('c', 299)]) {
      expect((await storyOf(address)).recipient, address).to.include({ email: address, status: 'queued' });
      expect(
        (await found(address)).map((one: { email: string }) => one.email),
        address,
      ).to.deep.equal([address]);
    }
    expect(await found('b@example.org')).to.deep.equal([]);
    const gone = await db.contacts.findOne({ projectId, email: email('a', 150) });
    await eraseFromBlocks(stage.deps, {
      ...{ _id: gone!._id, projectId, email: gone!.email, deletedAt: stage.environment.clock.now() },
    } as never);
    expect(await found(gone!.email)).to.deep.equal([]);
    expect(await found(email('a', 151))).to.have.length(1);
    // A mail in flight is found by its claim, in whichever release.
    const { _id, freeze } = await stage.stored(id);
    const block = await db.campaignBlocks.findOne(
      { projectId, campaignId: _id, run: freeze!.run!, first: { $lt: email('b') } },
      { sort: { n: 1 } },
    );
    const held = block!.recipients[0]!;
    expect(held, "nobody's zone is kept").to.have.all.keys('contactId', 'email');
    await db.campaignClaims.insertOne({
      ...{ _id: new ObjectId(), projectId, campaignId: _id, n: block!.n, from: 0, to: 1, fromSeq: block!.fromSeq },
      ...{ frozenAt: freeze!.at, owner: 'x', claimedAt: new Date(), leaseUntil: new Date(Date.now() + HOUR_MS) },
    });
    const messageId = recipientId(freeze!.at, _id, held.contactId);
    expect(await findMail(stage.deps, { projectId, messageId })).to.equal('inFlight');
    await db.campaignClaims.deleteMany({ projectId, campaignId: _id });
    await stage.act(id, 'abort');
  });

  it('counts people who could not be sent to in their zone, and not as sent', async () => {
    at(BEFORE);
    const { list, email } = await peopleIn({ a: 'Asia/Tokyo', b: 'Europe/Berlin' }, 2);
    const id = await scheduled(list);
    at('2026-12-23T19:00:00Z');
    await hands.drive(id);
    const projectId = stage.own.project._id;
    const gone = await stage.deps.db.contacts.findOne({ projectId, email: email('a') });
    await stage.own.client.delete(`/contacts/${gone!._id}`);
    at('2026-12-24T00:00:00Z');
    await hands.drive(id);
    expect(await stage.progress(id)).to.include({ sent: 1, failed: 1, pending: 2 });
    expect(await sentOf(id)).to.deep.equal([1, 0]);
    await stage.act(id, 'abort');
  });

  it('restored from a backup is in doubt about people whose time has come, and not about the others', async () => {
    at(BEFORE);
    const { list } = await peopleIn({ a: 'Asia/Tokyo', b: 'Europe/Berlin' }, 2);
    const id = await scheduled(list);
    at('2026-12-23T19:00:00Z');
    await hands.drive(id);
    at('2026-12-24T01:00:00Z');
    const { _id, projectId } = await stage.stored(id);
    await doubtAfterRestore(stage.deps, { _id: projectId });
    const claims = await stage.deps.db.campaignClaims.find({ projectId, campaignId: _id }).toArray();
    expect(claims.map(({ fromSeq, from, to }) => [fromSeq, to - from])).to.deep.equal([[1, 2]]);
    await stage.deps.db.campaignClaims.deleteMany({ projectId, campaignId: _id });
    await stage.act(id, 'abort');
  });

  it('leaves out who joins an excluded list while it is written down, and keeps the releases apart', async () => {
    at(BEFORE);
    const { list, email } = await peopleIn({ a: 'Asia/Tokyo', b: 'Europe/Berlin', c: 'America/New_York' }, 2);
    const without = await stage.list(0);
    const id = await scheduled(list, {}, { excludeLists: [without] });
    at('2026-12-23T19:00:00Z');
    await hands.advance(id);
    const emails = [email('b', 0), email('b', 1), email('c', 0)];
    let joining: Promise<unknown> | undefined;
    const join = () =>
      (joining ??= stage.own.client.post('/contact-lists/contacts/bulk-add', { contactListId: without, emails }));
    const control = { signal: new AbortController().signal, onProgress() {} };
    await freezeAudience(afterReading(stage.deps, join), await stage.stored(id), control);
    expect((await joining) !== undefined).to.equal(true);
    await hands.drive(id);
    const { zones } = await stage.progress(id);
    expect(zones.map((zone: Record<string, unknown>) => [zone.timezone, zone.total])).to.deep.equal([
      ['Asia/Tokyo', 2],
      ['America/New_York', 1],
    ]);
    at('2026-12-24T14:00:00Z');
    expect(await hands.drive(id)).to.include({ status: 'sent' });
    expect((await stage.arrived(id)).size).to.equal(3);
  });
});

/** Dependencies that do something when everybody is read and written, before the freeze ends. */
function afterReading(deps: Deps, then: () => Promise<unknown>): Deps {
  const campaigns = new Proxy(deps.db.campaigns, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'updateOne') return value.bind(target);
      return async (...args: unknown[]) => {
        if (JSON.stringify(args[1]).includes('freeze.written')) await then();
        return value.apply(target, args);
      };
    },
  });
  return { ...deps, db: { ...deps.db, campaigns } };
}
