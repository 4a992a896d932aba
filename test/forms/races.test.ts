import { expect } from 'chai';
import { type Desk, type MadeForm, SITE, startDesk } from './support.ts';

const NAME = [{ name: 'firstName', label: 'Name', type: 'text' }];

describe('Forms in races', function () {
  this.timeout(120_000);
  let desk: Desk;
  let form: MadeForm;
  before(async function () {
    this.timeout(180_000);
    desk = await startDesk();
    form = await desk.form({ fields: NAME, allowedOrigins: [SITE] });
  });
  after(() => desk.stop());
  beforeEach(() => desk.environment.clock.set(new Date()));

  let people = 0;
  const address = () => `race${++people}@in.test`;
  const countOf = async (listId: string) =>
    (await desk.own.client.get(`/contact-lists/${listId}`)).body.data.contactCount;
  const consents = async (email: string) =>
    desk.db.consents.countDocuments({ contactId: (await desk.contact(email))?._id });

  it('twenty confirmations at once are one: each says that it worked', async () => {
    const own = await desk.form({ fields: NAME });
    const email = address();
    await desk.suppress(email, 'UNSUBSCRIBE');
    await desk.send(own, { email, firstName: 'Ada' });
    const link = await desk.link(email);
    const pressed = await Promise.all(Array.from({ length: 20 }, () => desk.press(link)));
    expect(pressed.map(({ status }) => status)).to.deep.equal(Array(20).fill(200));
    expect(await countOf(own.listId)).to.equal(1);
    expect(await consents(email)).to.equal(1);
    expect(await desk.entriesOf(email)).to.deep.equal([]);
    const groups = await desk.db.suppressionGroups.find({ projectId: desk.own.project._id }).toArray();
    for (const { groupId, counts } of groups) {
      const entries = await desk.db.suppressions.countDocuments({ projectId: desk.own.project._id, groupId });
      expect(counts.UNSUBSCRIBE + counts.BOUNCE + counts.COMPLAINT + counts.MANUAL).to.equal(entries);
    }
  });

  it('a form that arrives during a confirmation is confirmed with it or still waits; nothing is lost', async () => {
    for (let round = 0; round < 5; round += 1) {
      const other = await desk.form({ allowedOrigins: [SITE] });
      const email = address();
      await desk.send(form, { email });
      const link = await desk.link(email);
      const [pressed] = await Promise.all([desk.press(link), desk.sendJson(other, { email })]);
      await desk.settled();
      // The other form came between the page and its button: the page is shown again.
      if (pressed.status === 409) await desk.press(link);
      const joined = desk.listIds(await desk.contact(email));
      const pending = await desk.pending(email);
      expect(joined).to.include(form.listId);
      const waits = pending?.agreements.some(({ formId }) => formId.toHexString() === other.id) ?? false;
      expect([joined.includes(other.listId), waits]).to.deep.equal([!waits, waits]);
    }
  });

  it('a form that is deleted or changed in between still leads where the person agreed to', async () => {
    const own = await desk.form({ fields: NAME });
    const email = address();
    await desk.send(own, { email, firstName: 'Ada' });
    const link = await desk.link(email);
    await desk.own.client.patch(`/forms/${own.id}`, { listIds: [form.listId] });
    const [pressed, deleted] = await Promise.all([desk.press(link), desk.own.client.delete(`/forms/${own.id}`)]);
    expect([pressed.status, deleted.status]).to.deep.equal([200, 200]);
    expect(desk.listIds(await desk.contact(email))).to.deep.equal([own.listId]);
    const again = await desk.browser().get(link);
    expect([again.status, again.text.includes('You are subscribed')]).to.deep.equal([200, true]);
  });

  it('a list that is deleted before the confirmation is left out', async () => {
    const own = await desk.form();
    const email = address();
    await desk.send(own, { email });
    const link = await desk.link(email);
    await desk.own.client.delete(`/forms/${own.id}`);
    const [pressed, deleted] = await Promise.all([
      desk.press(link),
      desk.own.client.delete(`/contact-lists/${own.listId}`),
    ]);
    expect([pressed.status, deleted.status]).to.deep.equal([200, 200]);
    expect(await desk.contact(email)).to.not.equal(null);
  });

  it('of a form and the removal of its list one comes through', async () => {
    for (let round = 0; round < 5; round += 1) {
      const listId = await desk.list();
      const [made, removed] = await Promise.all([
        desk.own.client.post('/forms', { name: 'Race', listIds: [listId] }),
        desk.own.client.delete(`/contact-lists/${listId}`),
      ]);
      const isMade = made.status === 201;
      expect([made.status, removed.status]).to.deep.equal(isMade ? [201, 409] : [404, 200]);
    }
  });

  it('a job that ran twice, as after a kill, mails once and asks once', async () => {
    const email = address();
    await desk.stopJobs();
    await desk.sendJson(form, { email });
    const [submission] = await desk.db.formSubmissions.find({ email }).toArray();
    desk.startJobs();
    expect(await desk.mails(email)).to.have.length(1);
    // The process died before it removed its job: another one takes it again when the lease ends.
    await desk.db.formSubmissions.insertOne({ ...submission!, dueAt: new Date(0) });
    expect(await desk.mails(email)).to.have.length(1);
    expect(await desk.messages(email)).to.have.length(1);
    expect((await desk.pending(email))?.agreements).to.have.length(1);
  });
});
