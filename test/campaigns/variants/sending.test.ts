import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { refreshMetrics } from '../../../core/campaigns/run/metrics.ts';
import { variantAt } from '../../../core/campaigns/variants/places.ts';
import { someOf } from '../../support/random.ts';
import { openHands, useHands } from '../support.ts';

const MINUTE_MS = 60_000;
const TEST = { share: 20, metric: 'humanClicks', decideAfterMinutes: 60, minPerVariant: 2, giveUpAfterMinutes: 600 };
const SUBJECTS = [{ subject: 'First' }, { subject: 'Second' }];
const NOW = '2026-12-20T12:00:00Z';

describe('A campaign with variants', function () {
  this.timeout(120_000);
  const { stage, hands } = useHands();
  const later = (minutes: number) =>
    stage.environment.clock.set(new Date(stage.environment.clock.now().getTime() + minutes * MINUTE_MS));
  const figures = async (id: string) => (await stage.own.client.get(`/campaigns/${id}/variants`)).body.data;
  const choose = (id: string, variantId: string) => stage.own.client.post(`/campaigns/${id}/winner`, { variantId });
  const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);

  before(async () => {
    // Events of types that nothing asks for are not kept.
    const events = ['campaign.variant_decided'];
    const { status } = await stage.own.client.post('/webhooks', { url: 'https://hooks.example.com/', events });
    expect(status).to.equal(201);
  });

  beforeEach(() => stage.environment.clock.set(new Date(NOW)));

  async function decisionsOf(id: string): Promise<unknown[]> {
    const projectId = stage.own.project._id;
    const found = await stage.deps.db.projectEvents.find({ projectId, type: 'campaign.variant_decided' }).toArray();
    return found.map(({ data }) => data as Record<string, unknown>).filter(({ campaignId }) => campaignId === id);
  }

  async function launched(people: number, fields: object): Promise<string> {
    const tag = new ObjectId().toHexString().slice(-8);
    const list = await stage.list(people, (index) => `p${index}.${tag}@example.org`);
    return stage.launch({ toLists: [list], ...fields });
  }

  /** Subjects that arrived, by how many. */
  async function subjectsOf(id: string): Promise<Record<string, number>> {
    const { body } = await stage.own.client.get(`/emails?campaignId=${id}&limit=100`);
    const found: Record<string, number> = {};
    for (const { subject, status } of body.data.emails)
      if (status === 'sent') found[subject] = (found[subject] ?? 0) + 1;
    return found;
  }

  /** People who clicked: an hour after delivery, in a browser. */
  async function clicked(id: string, variant: string, count: number): Promise<void> {
    const { variants } = await figures(id);
    const subject = variants.find((one: { id: string }) => one.id === variant).subject;
    const { body } = await stage.own.client.get(`/emails?campaignId=${id}&limit=100`);
    const some = body.data.emails.filter((mail: { subject: string }) => mail.subject === subject).slice(0, count);
    const at = stage.environment.clock.now();
    const deliveredAt = new Date(at.getTime() - 30 * MINUTE_MS);
    const click = { at, deliveredAt, url: 'https://shop.example.com/sale', agent: 'Mozilla/5.0 Firefox/120' };
    for (const mail of some)
      await stage.deps.db.engagements.updateOne(
        { _id: new ObjectId(mail.id as string), projectId: stage.own.project._id },
        { $set: { campaignId: new ObjectId(id), clickedAt: at, clicks: [click] } },
        { upsert: true },
      );
  }

  it('goes out split exactly, each person with one of the mails', async () => {
    const id = await launched(31, {
      variants: [
        { subject: 'First', share: 40 },
        { subject: 'Second', share: 60 },
      ],
    });
    later(1);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect(await subjectsOf(id)).to.deep.equal({ First: 12, Second: 19 });
    const { variants, test, metric } = await figures(id);
    expect([test, metric]).to.deep.equal([null, 'humanClicks']);
    expect(variants.map((one: { total: number; sent: number }) => [one.total, one.sent])).to.deep.equal([
      [12, 12],
      [19, 19],
    ]);
  });

  it('shows each person the mail that they got', async () => {
    const id = await launched(6, { variants: SUBJECTS });
    later(1);
    await hands.drive(id);
    const { body } = await stage.own.client.get(`/emails?campaignId=${id}&limit=100`);
    for (const mail of body.data.emails) {
      const content = await stage.own.client.get(`/emails/${mail.id}/content`);
      expect(content.body.data.subject).to.equal(mail.subject);
    }
    expect(await subjectsOf(id)).to.deep.equal({ First: 3, Second: 3 });
  });

  it('leaves a hold-out without a mail, in none of the counts', async () => {
    const id = await launched(60, { holdOutShare: 50 });
    later(1);
    await hands.drive(id);
    const { total, sent, suppressed, holdOut } = await stage.progress(id);
    expect(holdOut).to.be.within(1, 59);
    expect({ total, sent, suppressed }).to.deep.equal({ total: 60 - holdOut, sent: 60 - holdOut, suppressed: 0 });
    expect((await figures(id)).holdOut).to.equal(holdOut);
    const { toLists } = await stage.stored(id);
    const people = await stage.deps.db.contacts.find({ listIds: new ObjectId(toLists[0]!.id) }).toArray();
    const reached = new Set((await stage.messages(id)).map(({ contactId }) => String(contactId)));
    const left = people.find(({ _id }) => !reached.has(_id.toHexString()))!;
    const story = await stage.own.client.get(`/campaigns/${id}/recipients/${left._id}`);
    expect(story.body.data.reason).to.equal('Left without a mail: in the hold-out of the campaign.');
    expect((await stage.get(id)).metrics.totalContacts).to.equal(60 - holdOut);
  });

  it('sends the test share first, waits, and sends the better one to the rest', async () => {
    const id = await launched(40, { variants: SUBJECTS, test: TEST });
    later(1);
    expect(await hands.drive(id)).to.include({ kind: 'wait', status: 'sending' });
    const progress = await stage.progress(id);
    expect(progress).to.include({ status: 'sending', sent: 8, pending: 32, etaSeconds: null });
    expect(progress.test).to.include({ state: 'measuring', winner: null, total: 8, sent: 8 });
    expect(progress.nextAt).to.equal(progress.test.decideAt);
    expect(await subjectsOf(id)).to.deep.equal({ First: 4, Second: 4 });
    await clicked(id, 'B', 3);
    await clicked(id, 'A', 1);
    later(59);
    expect(await hands.drive(id), 'not before its time').to.include({ kind: 'wait' });
    expect((await stage.progress(id)).sent).to.equal(8);
    later(2);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    const { variants, test, explanation } = await figures(id);
    expect(test.winner).to.include({ variantId: 'B', by: 'figures' });
    expect(explanation).to.contain('B was chosen by its figures');
    expect(variants[0]).to.deep.include({ id: 'A', total: 4, sent: 4, humanClicks: 1, rate: 25 });
    expect(variants[1]).to.deep.include({ id: 'B', total: 4, sent: 4, humanClicks: 3, rate: 75 });
    expect(await subjectsOf(id)).to.deep.equal({ First: 4, Second: 36 });
    expect(stage.sink.ledger.duplicates).to.equal(0);
    expect(await decisionsOf(id)).to.have.length(1);
  });

  it('never counts a click of a machine', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: TEST });
    later(1);
    await hands.drive(id);
    await clicked(id, 'A', 2);
    await stage.deps.db.engagements.updateMany(
      { campaignId: new ObjectId(id), projectId: stage.own.project._id },
      { $set: { 'clicks.$[].agent': 'Barracuda' } },
    );
    expect((await figures(id)).variants.map((one: { humanClicks: number }) => one.humanClicks)).to.deep.equal([0, 0]);
  });

  it('waits while nothing decides, and takes the first when it gives up', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: TEST });
    later(1);
    await hands.drive(id);
    later(61);
    expect(await hands.drive(id)).to.include({ kind: 'wait', summary: 'waits for more figures of the variants' });
    later(540);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await figures(id)).test.winner).to.include({ variantId: 'A', by: 'tie' });
  });

  it('waits below minPerVariant, however clear the figures are', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: { ...TEST, minPerVariant: 3 } });
    later(1);
    await hands.drive(id);
    await clicked(id, 'B', 2);
    later(61);
    expect(await hands.drive(id)).to.include({ kind: 'wait' });
    expect((await figures(id)).test).to.include({ state: 'measuring', winner: null });
  });

  it('holds a tie for a person, who chooses once', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: { ...TEST, onTie: 'hold' } });
    later(1);
    expect((await choose(id, 'B')).status, 'before it is sent').to.equal(409);
    await hands.drive(id);
    later(601);
    expect(await hands.drive(id)).to.include({ kind: 'wait', summary: 'waits for a person to choose the variant' });
    expect((await stage.progress(id)).test.state).to.equal('held');
    const answers = await Promise.all(['A', 'B', 'A', 'B'].map((variant) => choose(id, variant)));
    const taken = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.test.winner.variantId);
    expect(new Set(taken).size).to.equal(1);
    expect(taken).to.have.length(2);
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await figures(id)).test.winner).to.include({ variantId: taken[0], by: 'person' });
  });

  it('has one winner when two processes and a person decide at once', async () => {
    const id = await launched(40, { variants: SUBJECTS, test: TEST });
    later(1);
    await hands.drive(id);
    await clicked(id, 'B', 3);
    later(61);
    const other = openHands(stage);
    try {
      await Promise.all([hands.drive(id), other.drive(id), choose(id, 'A'), choose(id, 'B')]);
      await hands.drive(id);
    } finally {
      await other.stop();
    }
    const { winner } = (await figures(id)).test;
    expect(await decisionsOf(id)).to.have.length(1);
    expect((await decisionsOf(id))[0]).to.deep.include({ variantId: winner.variantId, by: winner.by });
    const counts = winner.variantId === 'A' ? { First: 36, Second: 4 } : { First: 4, Second: 36 };
    expect(await subjectsOf(id)).to.deep.equal(counts);
    expect(stage.sink.ledger.duplicates).to.equal(0);
  });

  it('takes no choice while its figures cannot be read', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: { ...TEST, onTie: 'hold' } });
    later(1);
    await hands.drive(id);
    const { campaignClaims } = stage.deps.db;
    const { aggregate } = campaignClaims;
    campaignClaims.aggregate = () => {
      throw new Error('The figures cannot be read.');
    };
    try {
      expect((await choose(id, 'B')).status).to.equal(500);
    } finally {
      campaignClaims.aggregate = aggregate;
    }
    expect((await figures(id)).test.winner).to.equal(null);
    expect((await choose(id, 'B')).body.data.test.winner).to.include({ variantId: 'B', by: 'person' });
  });

  it('keeps its figures when retention removes what they are counted from', async () => {
    const id = await launched(20, { variants: SUBJECTS });
    later(1);
    await hands.drive(id);
    await clicked(id, 'B', 3);
    const { projectId, _id: campaignId } = await stage.stored(id);
    later(11);
    await refreshMetrics(stage.deps, { projectId: projectId.toHexString(), campaignId: id });
    const shown = ({ total, sent, humanClicks }: Record<string, number>) => ({ total, sent, humanClicks });
    const counted = (await stage.stored(id)).freeze?.variantCounts?.map((one) => shown({ ...one }));
    expect(counted).to.deep.equal([
      { total: 10, sent: 10, humanClicks: 0 },
      { total: 10, sent: 10, humanClicks: 3 },
    ]);
    later((stage.deps.config.retentionDays + 1) * 24 * 60);
    for (const name of ['messages', 'engagements'] as const)
      await stage.deps.db[name].deleteMany({ projectId, campaignId } as object);
    await refreshMetrics(stage.deps, { projectId: projectId.toHexString(), campaignId: id });
    expect((await figures(id)).variants.map(shown)).to.deep.equal(counted);
  });

  it('is split the same however many processes send it one after the other', async () => {
    const id = await launched(90, { variants: SUBJECTS });
    later(1);
    expect(await hands.advance(id)).to.include({ kind: 'freeze' });
    await hands.freeze(id);
    const variantOf = variantAt(await stage.stored(id));
    const processes = someOf(20);
    for (let process = 0; process < processes; process += 1) {
      const other = openHands(stage);
      const upTo = Math.round((90 * (process + 1)) / processes);
      await other.page(id, { fromSeq: 1, toSeq: upTo });
      await other.stop();
    }
    await hands.drive(id);
    expect(await subjectsOf(id)).to.deep.equal({ First: 45, Second: 45 });
    const { body } = await stage.own.client.get(`/emails?campaignId=${id}&limit=100`);
    const subjects = new Map(body.data.emails.map((mail: { id: string; subject: string }) => [mail.id, mail.subject]));
    for (const { _id, seq } of await stage.messages(id))
      expect(subjects.get(_id.toHexString())).to.equal(variantOf(seq!) === 'A' ? 'First' : 'Second');
  });

  it('is decided by an event that people have after their mail', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: { ...TEST, metric: 'event:bought' } });
    later(1);
    await hands.drive(id);
    const { campaign, variantOf } = { campaign: await stage.stored(id), variantOf: variantAt(await stage.stored(id)) };
    const sent = await stage.messages(id, { state: 'sent' });
    const buyers = sent.filter(({ seq }) => variantOf(seq!) === 'B');
    const fact = (contactId: ObjectId, at: Date) => ({
      ...{ _id: new ObjectId(), projectId: campaign.projectId, contactId },
      ...{ kind: 'event' as const, at, eventName: 'bought', properties: {} },
    });
    const after = new Date(Math.max(...sent.map(({ sentAt }) => sentAt!.getTime())) + MINUTE_MS);
    const before = new Date(campaign.freeze!.at.getTime() - MINUTE_MS);
    const early = sent.filter(({ seq }) => variantOf(seq!) === 'A').map(({ contactId }) => fact(contactId!, before));
    const facts = buyers.flatMap(({ contactId }) => [fact(contactId!, after), fact(contactId!, after)]);
    await stage.deps.db.contactFacts.insertMany([...early, ...facts]);
    expect((await figures(id)).variants.map((one: { events: number }) => one.events)).to.deep.equal([0, 2]);
    later(61);
    await hands.drive(id);
    expect((await figures(id)).test.winner).to.include({ variantId: 'B', by: 'figures' });
  });

  it('keeps pause and abort while it waits', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: TEST });
    later(1);
    await hands.drive(id);
    expect((await stage.act(id, 'pause')).body.data.status).to.equal('paused');
    later(700);
    expect(await hands.drive(id)).to.include({ kind: 'park' });
    expect((await stage.progress(id)).test.winner).to.equal(null);
    expect((await stage.act(id, 'resume')).body.data.status).to.equal('sending');
    expect((await stage.act(id, 'abort')).body.data.progress).to.include({ sent: 4, remaining: 16 });
  });

  it('finds each person by address, in the test and among those who wait', async () => {
    const id = await launched(20, { variants: SUBJECTS, test: TEST });
    later(1);
    await hands.drive(id);
    for (const { contactId, state, seq } of await stage.audience(id)) {
      const { body } = await stage.own.client.get(`/campaigns/${id}/recipients/${contactId}`);
      expect(body.data.recipient.status).to.equal(seq! <= 4 ? 'sent' : 'queued');
      expect(state).to.equal(seq! <= 4 ? 'sent' : 'queued');
    }
  });

  it('at local time sends the test first, and the winner when the clock of each person has the time', async () => {
    const localTime = { date: '2026-12-24', time: '09:00', fallbackTimezone: 'Europe/Berlin', late: 'now' };
    const list = await stage.list(20, (index) => `l${index}.${new ObjectId()}@example.org`);
    const { body } = await stage.create({ toLists: [list], localTime, variants: SUBJECTS, test: TEST });
    expect(body.data.scheduledAt).to.equal('2026-12-23T18:00:00.000Z');
    const id = body.data.id as string;
    stage.environment.clock.set(new Date('2026-12-23T18:00:00Z'));
    await hands.drive(id);
    expect(await stage.progress(id)).to.include({ sent: 4 });
    await clicked(id, 'B', 1);
    later(61);
    const step = await hands.drive(id);
    expect(step).to.include({ kind: 'wait', summary: 'next slice at 2026-12-24T08:00:00.000Z' });
    const { zones, test } = await stage.progress(id);
    expect(test.winner).to.include({ variantId: 'B' });
    expect(test).to.include({ total: 4, sent: 4 });
    expect(test.at).to.match(/^2026-12-23T18:00:/);
    expect(zones).to.have.length(1);
    expect(zones[0]).to.include({ total: 16, sent: 0 });
    stage.environment.clock.set(new Date('2026-12-24T08:00:00Z'));
    expect(await hands.drive(id)).to.include({ kind: 'end', status: 'sent' });
    expect((await stage.progress(id)).zones[0]).to.include({ total: 16, sent: 16 });
  });

  it('is refused at a local time that comes before the decision', async () => {
    const localTime = { date: '2026-12-20', time: '23:00', fallbackTimezone: 'Europe/Berlin', late: 'now' };
    const list = await stage.list(2);
    const { status, body } = await stage.create({ toLists: [list], localTime, variants: SUBJECTS, test: TEST });
    expect(status).to.equal(400);
    expect(body.error.details).to.contain('localTime: the first zone has it before test/decideAfterMinutes');
  });

  it('sends the rest gradually, and none of it before the decision', async () => {
    const gradual = { emailsPerDay: 10, growth: 'fixed', timezone: 'UTC' };
    const id = await launched(40, { variants: SUBJECTS, test: TEST, gradual, sendMode: 'gradual' });
    later(1);
    await hands.drive(id);
    for (let day = 0; day < 2; day += 1) {
      later(24 * 60);
      await hands.drive(id);
    }
    const { test, sent, status } = await stage.progress(id);
    expect([status, test.winner?.variantId]).to.deep.equal(['sending_gradual', 'A']);
    expect(sent).to.be.within(9, 30);
    expect(sumOf(Object.values(await subjectsOf(id)))).to.equal(sent);
  });

  it('is refused with a variant of another domain, or a template that was never published', async () => {
    const list = await stage.list(2);
    const launch = (variants: object[]) => stage.create({ toLists: [list], publish: true, sendNow: true, variants });
    const other = await launch([{}, { from: { email: 'news@other.example.com' } }]);
    expect([other.status, other.body.error.details]).to.deep.equal([
      400,
      'variants/1/from/email: is not on the domain of the campaign',
    ]);
  });
});
