import { expect } from 'chai';
import { useHands } from '../support.ts';

const LOCAL = { date: '2026-12-24', time: '09:00', fallbackTimezone: 'Europe/Berlin', late: 'now' } as const;
const GRADUAL = { emailsPerDay: 10, growth: 'fixed', timezone: 'Europe/Berlin' };

describe('The local time of a campaign', function () {
  this.timeout(60_000);
  const { stage } = useHands();
  let toLists: string[];
  const create = (fields: object) => stage.create({ toLists, ...fields });
  const patch = (id: string, fields: object) => stage.own.client.patch(`/campaigns/${id}`, fields);
  const made = async (fields: object = { localTime: LOCAL }) => (await create(fields)).body.data.id as string;

  before(async () => {
    stage.environment.clock.set(new Date('2026-12-20T12:00:00Z'));
    toLists = [await stage.list(2)];
  });

  for (const [what, fields, details] of [
    [
      'a zone that does not exist',
      { localTime: { ...LOCAL, fallbackTimezone: 'Mars/Crater' } },
      'localTime/fallbackTimezone',
    ],
    ['a day that does not exist', { localTime: { ...LOCAL, date: '2026-02-30' } }, 'localTime/date: is not a date'],
    ['a date in other words', { localTime: { ...LOCAL, date: '24.12.2026' } }, 'localTime/date'],
    ['a time that no clock shows', { localTime: { ...LOCAL, time: '24:00' } }, 'localTime/time'],
    ['late people whom it cannot serve', { localTime: { ...LOCAL, late: 'never' } }, 'localTime/late'],
    ['no fallback', { localTime: { date: LOCAL.date, time: LOCAL.time, late: 'now' } }, 'localTime/fallbackTimezone'],
    [
      'a time that is over everywhere',
      { localTime: { ...LOCAL, date: '2026-12-18' } },
      'localTime/date: this time is over in all time zones',
    ],
    [
      'a draft for a time that is over',
      { publish: false, localTime: { ...LOCAL, date: '2025-12-18' } },
      'localTime/date',
    ],
    ['gradual together', { localTime: LOCAL, gradual: GRADUAL }, 'localTime: does not go with gradual'],
    ['sendMode gradual', { localTime: LOCAL, sendMode: 'gradual' }, 'localTime: does not go with sendMode gradual'],
    [
      'sendMode immediate',
      { localTime: LOCAL, sendMode: 'immediate' },
      'localTime: does not go with sendMode immediate',
    ],
    ['sendNow', { localTime: LOCAL, sendNow: true }, 'localTime: does not go with sendNow'],
    [
      'scheduledAt',
      { localTime: LOCAL, scheduledAt: '2026-12-24T09:00:00Z' },
      'localTime: does not go with scheduledAt',
    ],
  ] as const)
    it(`refuses ${what}, naming the field, and writes nothing`, async () => {
      const kept = await made();
      const before = await stage.stored(kept);
      const count = await stage.deps.db.campaigns.countDocuments({ projectId: stage.own.project._id });
      for (const { status, body } of [await create(fields), await patch(kept, fields)]) {
        expect(status).to.equal(400);
        expect(body.error.details).to.contain(details);
      }
      expect(await stage.deps.db.campaigns.countDocuments({ projectId: stage.own.project._id })).to.equal(count);
      expect(await stage.stored(kept)).to.deep.equal(before);
    });

  it('is still to come as long as some zone has it ahead', async () => {
    // 09:00 on the 20th was 13 hours ago in Kiritimati, and is in Honolulu in some hours.
    const id = await made({ localTime: { ...LOCAL, date: '2026-12-20' } });
    const { scheduledAt, status } = await stage.get(id);
    expect(status).to.equal('scheduled');
    expect(Date.parse(scheduledAt), 'it begins now').to.be.closeTo(stage.environment.clock.now().getTime(), 60_000);
  });

  it('of a draft is kept, and publishing finds the moment again', async () => {
    const id = await made({ publish: false, localTime: LOCAL });
    expect(await stage.get(id)).to.deep.include({ status: 'draft', localTime: LOCAL, sendMode: 'scheduled' });
    const { body } = await patch(id, { publish: true });
    expect(body.data).to.deep.include({
      ...{ status: 'scheduled', localTime: LOCAL, sendMode: 'scheduled', sendNow: false },
      scheduledAt: '2026-12-23T19:00:00.000Z',
    });
    expect((await stage.stored(id)).startsAt?.toISOString()).to.equal('2026-12-23T19:00:00.000Z');
  });

  it('that has passed everywhere since is refused when the draft is published', async () => {
    const id = await made({ publish: false, localTime: { ...LOCAL, date: '2026-12-20' } });
    stage.environment.clock.set(new Date('2026-12-21T12:00:00Z'));
    const { status, body } = await patch(id, { publish: true });
    stage.environment.clock.set(new Date('2026-12-20T12:00:00Z'));
    expect([status, body.error?.details]).to.deep.equal([400, 'localTime/date: this time is over in all time zones']);
  });

  it('gives way to another time, and a change of other fields leaves it alone', async () => {
    const id = await made();
    expect((await patch(id, { name: 'Other' })).body.data).to.deep.include({ localTime: LOCAL, status: 'scheduled' });
    const later = { ...LOCAL, date: '2026-12-25' };
    expect((await patch(id, { localTime: later })).body.data).to.deep.include({
      ...{ localTime: later, scheduledAt: '2026-12-24T19:00:00.000Z' },
    });
    const at = '2026-12-28T10:00:00.000Z';
    expect((await patch(id, { scheduledAt: at })).body.data).to.include({
      localTime: null,
      scheduledAt: at,
      status: 'scheduled',
    });
    expect((await patch(id, { localTime: LOCAL })).body.data).to.deep.include({
      localTime: LOCAL,
      sendMode: 'scheduled',
    });
    expect((await patch(id, { gradual: GRADUAL })).status, 'a plan alone begins at once').to.equal(200);
    expect(await stage.get(id)).to.include({ localTime: null, sendMode: 'gradual' });
  });

  it('taken away leaves a draft without a time', async () => {
    const id = await made();
    expect((await patch(id, { localTime: null })).body.data).to.include({
      ...{ localTime: null, scheduledAt: null, status: 'draft' },
    });
    const other = await made();
    const { status, body } = await patch(other, { sendMode: 'immediate' });
    expect([status, body.error.details]).to.deep.equal([400, 'sendMode: does not go with localTime']);
    expect((await patch(other, { sendNow: true })).body.data).to.include({ localTime: null, sendMode: 'immediate' });
  });

  it('cannot be changed once it is sending, and can while it is paused before its start', async () => {
    const id = await made();
    await stage.act(id, 'pause');
    const later = { ...LOCAL, date: '2026-12-26', late: 'skip' };
    expect((await patch(id, { localTime: later })).body.data).to.deep.include({
      ...{ localTime: later, status: 'paused', scheduledAt: '2026-12-25T19:00:00.000Z' },
    });
    await stage.deps.db.campaigns.updateOne(
      { _id: (await stage.stored(id))._id, projectId: stage.own.project._id },
      { $set: { status: 'sending', startedAt: new Date() } },
    );
    const { status, body } = await patch(id, { localTime: LOCAL });
    expect([status, body.error.details]).to.deep.equal([409, 'localTime: cannot be changed now']);
  });

  it('is not copied, since its date would be over', async () => {
    const { body } = await stage.own.client.post(`/campaigns/${await made()}/duplicate`, {});
    expect(body.data).to.include({ localTime: null, sendMode: 'immediate', status: 'draft' });
  });
});

describe('The people of each zone, before a campaign is sent', function () {
  this.timeout(60_000);
  const { stage } = useHands();

  it('are counted with the moment at which they would get it, and so are those without a zone', async () => {
    const { environment, own, deps } = stage;
    environment.clock.set(new Date('2026-12-24T12:00:00Z'));
    const path = `/account/projects/${own.project._id}`;
    await environment.client(own.adminKey).patch(path, { timezoneProperty: 'home' });
    const list = await stage.list(6, (n) => `p${n}@example.org`);
    const homes = ['Asia/Tokyo', 'America/New_York', 'america/new_york', 'Mars/Crater'];
    for (const [n, home] of homes.entries())
      await deps.db.contacts.updateOne(
        { projectId: own.project._id, email: `p${n}@example.org` },
        { $set: { contactProperties: { home } } },
      );
    const count = async (late: string) =>
      (await own.client.post('/campaigns/audience', { toLists: [list], localTime: { ...LOCAL, late } })).body.data;
    const york = { timezone: 'America/New_York', isFallback: false, at: '2026-12-24T14:00:00.000Z', total: 2 };
    expect(await count('next_day')).to.deep.include({
      ...{ total: 6, suppressed: 0, willReceive: 6, isExact: true },
      zones: [
        york,
        { timezone: 'Asia/Tokyo', isFallback: false, at: '2026-12-25T00:00:00.000Z', total: 1 },
        { timezone: 'Europe/Berlin', isFallback: true, at: '2026-12-25T08:00:00.000Z', total: 3 },
      ],
    });
    expect((await count('skip')).zones).to.deep.equal([
      york,
      { timezone: 'Asia/Tokyo', isFallback: false, at: null, total: 1 },
      { timezone: 'Europe/Berlin', isFallback: true, at: null, total: 3 },
    ]);
    const { body } = await own.client.post('/campaigns/audience', { toLists: [list] });
    expect(body.data, 'not asked for').to.not.have.property('zones');
    const none = await own.client.post('/campaigns/audience', { toLists: [], localTime: LOCAL });
    expect(none.body.data).to.deep.include({ total: 0, zones: [] });
    const wrong = await own.client.post('/campaigns/audience', {
      toLists: [list],
      localTime: { ...LOCAL, date: '2026-02-30' },
    });
    expect([wrong.status, wrong.body.error.details]).to.deep.equal([400, 'localTime/date: is not a date']);
  });
});
