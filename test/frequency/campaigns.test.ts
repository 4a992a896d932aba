import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { frequencyCapOf } from '../../core/mail/frequency/cap.ts';
import { type Stage, startStage } from '../campaigns/support.ts';
import { until } from '../support/wait.ts';

const IN_WORDS = /^The person has had as many marketing mails as the frequency cap of the project allows\./;

/** No endpoint has to answer: the test reads rows that are written before anything is delivered. */
const HOOK = 'https://hooks.example.com/everpost';

describe('The frequency cap of campaigns and calls', function () {
  this.timeout(120_000);
  let stage: Stage;
  before(async () => {
    stage = await startStage();
    await stage.own.client.post('/webhooks', { url: HOOK, events: ['email.suppressed'] });
  });
  after(() => stage.stop());

  const own = () => stage.own.project._id;
  async function setCap(frequencyCap: object | null) {
    const { adminKey } = stage.own;
    const { body, text } = await stage.environment
      .client(adminKey)
      .patch(`/account/projects/${own()}`, { frequencyCap });
    expect(body.success, text).to.equal(true);
    const stored = body.data.frequencyCap;
    // A process reads it once a second.
    await until(
      () => frequencyCapOf(stage.deps, own()),
      (known) => JSON.stringify(known) === JSON.stringify(stored),
    );
  }
  /** `failed`: no mail of it was sent. */
  const over = (id: string) => stage.until(id, 'sent', 'failed');
  const suppressed = async (campaignId: string) => (await stage.messages(campaignId, { state: 'suppressed' })).length;
  const groups = async () => (await stage.own.client.get('/suppression-groups?limit=100')).body.data.groups;
  const bulk = (emails: string[], fields: object = {}) =>
    stage.own.client.post('/mails/bulk', {
      from: { email: 'news@mail.example.com' },
      ...{ subject: 'Bulk', html: '<p>Bulk</p>', recipients: emails.map((email) => ({ email })) },
      ...fields,
    });
  const rowsTo = (email: string) =>
    stage.deps.db.messages.find({ projectId: own(), email, state: { $ne: 'queued' } }).toArray();

  it('is kept by two campaigns at once: each person gets one of them, and both counts add up', async () => {
    await setCap({ mails: 1, withinDays: 7 });
    const list = await stage.list(120, (index) => `two${index}@example.org`);
    const ids = await Promise.all([1, 2].map(() => stage.launch({ toLists: [list] })));
    const done = await Promise.all(ids.map(over));
    for (const { metrics } of done) {
      expect(metrics).to.include({ totalContacts: 120, failedCount: 0, unknown: 0, pending: 0 });
      expect(metrics.sent + metrics.suppressed).to.equal(120);
    }
    expect(done[0]!.metrics.sent + done[1]!.metrics.sent).to.equal(120);
    const arrived = await Promise.all(ids.map((id) => stage.arrived(id)));
    const got = arrived.flatMap((one) => [...one.keys()]);
    expect([got.length, new Set(got).size]).to.deep.equal([120, 120]);

    const later = await stage.launch({ toLists: [list] });
    const { metrics } = await over(later);
    expect(metrics).to.include({ totalContacts: 120, suppressed: 120, sent: 0 });
    const { recipients } = (await stage.own.client.get(`/campaigns/${later}/recipients?status=suppressed`)).body.data;
    expect(recipients[0].suppressedBy).to.deep.equal({ groupId: null, reason: 'FREQUENCY_CAP' });
    expect(recipients[0].reason).to.match(IN_WORDS);
    const { reasons } = (await stage.own.client.get(`/campaigns/${later}/reasons`)).body.data;
    expect(reasons).to.have.length(1);
    expect(reasons[0]).to.include({ status: 'suppressed', suppression: 'FREQUENCY_CAP', groupId: null, count: 120 });
    expect(reasons[0].reason).to.match(IN_WORDS);
    const chosen = await stage.own.client.get(`/campaigns/${later}/recipients?reason=${reasons[0].id}`);
    expect(chosen.body.data.pagination.total).to.equal(120);
    const story = await stage.own.client.get(`/campaigns/${later}/recipients/${recipients[0].contactId}`);
    expect(story.body.data.reason).to.contain('frequency cap of the project');
    const email = await stage.own.client.get(`/emails/${recipients[0].emailId}`);
    expect(email.body.data).to.deep.include({ suppressedBy: { groupId: null, reason: 'FREQUENCY_CAP' } });
    expect(email.body.data.reason).to.match(IN_WORDS);
    const event = await stage.deps.db.projectEvents.findOne({
      ...{ projectId: own(), type: 'email.suppressed', 'data.emailId': recipients[0].emailId },
    });
    expect(event?.data).to.deep.include({ suppressedBy: { groupId: null, reason: 'FREQUENCY_CAP' } });
    expect(event?.data.reason).to.match(IN_WORDS);
  });

  it('is shared with marketing calls, and lets transactional mail through without counting it', async () => {
    await setCap({ mails: 2, withinDays: 7 });
    const email = 'shared@example.org';
    const list = await stage.list(1, () => email);
    const { groupId } = (await stage.own.client.post('/suppression-groups', { name: 'Offers' })).body.data;
    const receipt = () => bulk([email]);
    await receipt();
    await bulk([email], { unsubscribeGroupId: groupId });
    await until(
      () => rowsTo(email),
      (rows) => rows.length === 2 && rows.every(({ state }) => state === 'sent'),
    );
    expect((await over(await stage.launch({ toLists: [list] }))).metrics).to.include({ sent: 1 });
    expect((await over(await stage.launch({ toLists: [list] }))).metrics).to.include({ suppressed: 1 });
    const held = await bulk([email], { unsubscribeGroupId: groupId });
    await receipt();
    const rows = await until(
      () => rowsTo(email),
      (found) =>
        found.filter(({ lane }) => lane !== 'campaign').every(({ state }) => state !== 'committing') &&
        found.length === 6,
    );
    const byBatch = new Map(rows.map(({ batchId, state }) => [batchId, state]));
    expect(byBatch.get(held.body.data.batchId)).to.equal('suppressed');
    expect(rows.filter(({ state }) => state === 'sent')).to.have.length(4);
  });

  it('does not hold mail of an excepted group, nor count it; the default group means mail that names none', async () => {
    const { groupId } = (await stage.own.client.post('/suppression-groups', { name: 'Digest' })).body.data;
    const standard = (await groups()).find(({ isDefault }: { isDefault: boolean }) => isDefault).groupId;
    const list = await stage.list(3, (index) => `except${index}@example.org`);
    const send = async (fields: object = {}) =>
      (await over(await stage.launch({ toLists: [list], ...fields }))).metrics;
    await setCap({ mails: 1, withinDays: 7, exceptGroupIds: [groupId] });
    for (let times = 0; times < 2; times += 1)
      expect(await send({ unsubscribeGroupId: groupId })).to.include({ sent: 3 });
    expect(await send()).to.include({ sent: 3 });
    expect(await send()).to.include({ suppressed: 3 });
    expect(await send({ unsubscribeGroupId: groupId })).to.include({ sent: 3 });
    await setCap({ mails: 1, withinDays: 7, exceptGroupIds: [standard] });
    expect(await send()).to.include({ sent: 3 });
    expect(await send({ unsubscribeGroupId: groupId })).to.include({ suppressed: 3 });
  });

  it('holds no mail that bypasses suppressions, and counts none', async () => {
    await setCap({ mails: 1, withinDays: 7 });
    const email = 'bypass@example.org';
    const { groupId } = (await stage.own.client.post('/suppression-groups', { name: 'Alarms' })).body.data;
    const send = (fields: object) => bulk([email], { unsubscribeGroupId: groupId, ...fields });
    for (const fields of [{ bypassSuppressions: true }, {}, { bypassSuppressions: true }, {}]) {
      const { body } = await send(fields);
      await until(
        () => stage.deps.db.messages.findOne({ projectId: own(), batchId: body.data.batchId }),
        (row) => row?.state === 'sent' || row?.state === 'suppressed',
      );
    }
    const rows = await rowsTo(email);
    expect(
      rows.toSorted((a, b) => a.createdAt!.getTime() - b.createdAt!.getTime()).map(({ state }) => state),
    ).to.deep.equal(['sent', 'sent', 'sent', 'suppressed']);
  });

  it('does not count mail that reached no one: the relay refused it, or the address is suppressed', async () => {
    await setCap({ mails: 1, withinDays: 7 });
    const address = (index: number) =>
      index === 0 ? 'after-dot-554-5.7.1@once.example.org' : `left${index}@example.org`;
    const list = await stage.list(3, address);
    await stage.own.client.post('/suppression-groups/emails/suppress', { emails: ['left1@example.org'] });
    const first = await over(await stage.launch({ toLists: [list] }));
    expect(first.metrics).to.include({ sent: 1, suppressed: 1, failedCount: 1 });
    await stage.own.client.post('/suppression-groups/emails/unsuppress', { emails: ['left1@example.org'] });
    const second = await stage.launch({ toLists: [list] });
    expect((await over(second)).metrics).to.include({ sent: 1, suppressed: 1, failedCount: 1 });
    expect(await suppressed(second)).to.equal(1);
  });

  it('costs nothing without one: no place is written', async () => {
    await setCap(null);
    const before = await stage.deps.db.frequencyPlaces.countDocuments({ projectId: own() });
    const list = await stage.list(20, (index) => `free${index}@example.org`);
    for (let times = 0; times < 2; times += 1)
      expect((await over(await stage.launch({ toLists: [list] }))).metrics).to.include({ sent: 20 });
    expect(await stage.deps.db.frequencyPlaces.countDocuments({ projectId: own() })).to.equal(before);
  });

  it('leaves with the project', async () => {
    const { adminKey, project } = stage.own;
    const other = new ObjectId();
    await stage.deps.db.frequencyPlaces.insertOne({ _id: other, projectId: other, places: [] });
    await stage.environment.client(adminKey).delete(`/account/projects/${project._id}`);
    expect(await stage.deps.db.frequencyPlaces.countDocuments({ projectId: own() })).to.equal(0);
    expect(await stage.deps.db.frequencyPlaces.countDocuments({ projectId: other })).to.equal(1);
  });
});
