import { expect } from 'chai';
import { until } from '../support/wait.ts';
import { type Desk, type MadeForm, startDesk } from './support.ts';

const FIELDS = [
  { name: 'firstName', label: 'Name', type: 'text' },
  { name: 'lastName', label: 'Last name', type: 'text' },
  { name: 'size', label: 'Size', type: 'number' },
  { name: 'town', label: 'Town', type: 'text' },
];

describe('A form without double opt-in', function () {
  this.timeout(120_000);
  let desk: Desk;
  let form: MadeForm;
  before(async function () {
    this.timeout(180_000);
    desk = await startDesk();
    form = await desk.form({ doubleOptIn: false, fields: FIELDS });
  });
  after(() => desk.stop());
  beforeEach(() => desk.environment.clock.set(new Date()));

  let people = 0;
  const address = () => `direct${++people}@in.test`;

  it('adds a new person at once, without a mail, and the page says so', async () => {
    const email = address();
    const sent = await desk.send(form, { email, firstName: 'Ada', size: '4' });
    expect(sent.text).to.contain('We have received your subscription');
    await desk.settled();
    const contact = await desk.contact(email);
    expect(contact).to.deep.include({ firstName: 'Ada', contactProperties: { size: 4 } });
    expect(desk.listIds(contact)).to.deep.equal([form.listId]);
    expect(await desk.messages(email)).to.deep.equal([]);
    expect(await desk.pending(email)).to.equal(null);
  });

  it('fills what is empty and changes nothing that is there', async () => {
    const email = address();
    const other = await desk.list('Other');
    const known = { email, firstName: 'Real', contactProperties: { size: 9 }, listIds: [other] };
    await desk.own.client.post('/contacts/email', known);
    await desk.send(form, { email, firstName: 'Fake', lastName: 'Filled', size: '1', town: 'Filled' });
    await desk.settled();
    const contact = await desk.contact(email);
    expect(contact).to.include({ firstName: 'Real', lastName: 'Filled' });
    expect(contact?.contactProperties).to.deep.equal({ size: 9, town: 'Filled' });
    expect(desk.listIds(contact)).to.have.members([other, form.listId]);
  });

  it('lifts no suppression', async () => {
    const email = address();
    await desk.suppress(email, 'UNSUBSCRIBE');
    await desk.suppress(email, 'UNSUBSCRIBE', { isGlobal: true });
    await desk.send(form, { email });
    await desk.settled();
    expect(desk.listIds(await desk.contact(email))).to.deep.equal([form.listId]);
    expect(await desk.entriesOf(email)).to.have.members(['default UNSUBSCRIBE', 'global UNSUBSCRIBE']);
  });

  it('records a consent without a confirmation, with the shortened address of the client', async () => {
    const email = address();
    await desk.send(form, { email }, { 'X-Forwarded-For': '192.0.2.77' });
    await desk.settled();
    const contact = await desk.contact(email);
    const found = await desk.db.consents.find({ contactId: contact?._id }).toArray();
    expect(found).to.have.length(1);
    expect(found[0]).to.include({ source: 'form', confirmedAt: null, networkAddress: '192.0.2.0/24' });
  });

  it('keeps the address of the client whole, or not at all, as the project wants it', async () => {
    const path = `/account/projects/${desk.own.project._id}`;
    const admin = desk.environment.client(desk.own.adminKey);
    for (const [consentAddress, kept] of [
      ['full', '192.0.2.77'],
      ['none', null],
      ['shortened', '192.0.2.0/24'],
    ] as const) {
      expect((await admin.patch(path, { consentAddress })).status).to.equal(200);
      const email = address();
      await desk.send(form, { email }, { 'X-Forwarded-For': '192.0.2.77' });
      await desk.settled();
      const contact = await desk.contact(email);
      expect((await desk.db.consents.findOne({ contactId: contact?._id }))?.networkAddress).to.equal(kept);
    }
  });

  it('subscribes a contact that holds as many properties as it may, without those of the form', async () => {
    const email = address();
    const contactProperties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, index]));
    await desk.own.client.post('/contacts/email', { email, contactProperties });
    await desk.send(form, { email, lastName: 'Filled', town: 'No room' });
    await desk.settled();
    const contact = await desk.contact(email);
    expect(desk.listIds(contact)).to.deep.equal([form.listId]);
    expect(contact?.contactProperties).to.deep.equal(contactProperties);
    expect(contact?.lastName).to.equal('Filled');
  });

  it('leaves out a value that its custom field does not take any more', async () => {
    const own = await desk.form({ doubleOptIn: false, fields: [{ name: 'later', label: 'Later', type: 'text' }] });
    const email = address();
    await desk.stopJobs();
    await desk.send(own, { email, later: 'words' });
    await desk.own.client.post('/custom-fields', { fieldName: 'later', fieldType: 'number' });
    desk.startJobs();
    await desk.settled();
    const contact = await desk.contact(email);
    expect([contact?.contactProperties, desk.listIds(contact)]).to.deep.equal([{}, [own.listId]]);
  });

  it('does as it was when the form was sent, not as it is when the job runs', async () => {
    const own = await desk.form();
    const email = address();
    await desk.stopJobs();
    await desk.send(own, { email });
    await desk.own.client.patch(`/forms/${own.id}`, { doubleOptIn: false });
    desk.startJobs();
    await desk.settled();
    expect(await desk.contact(email)).to.equal(null);
    await until(
      () => desk.pending(email),
      (pending) => pending !== null,
    );
  });
});
