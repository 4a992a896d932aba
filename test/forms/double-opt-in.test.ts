import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { textVersion } from '../../core/consent/consents/record.ts';
import { confirmToken } from '../../core/forms/tokens.ts';
import { until } from '../support/wait.ts';
import { type Desk, type MadeForm, SITE, startDesk } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NAME = [{ name: 'firstName', label: 'Name', type: 'text' }];

describe('Double opt-in', function () {
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
  const address = () => `person${++people}@in.test`;

  it('asks by a mail, and makes the contact when the button is pressed', async () => {
    const email = address();
    const sent = await desk.send(form, { email, firstName: 'Ada' }, { 'Accept-Language': 'de' });
    expect([sent.status, sent.text.includes('Bitte sehen Sie in Ihr Postfach')]).to.deep.equal([200, true]);
    const [mail, ...more] = await desk.mails(email);
    expect(more).to.deep.equal([]);
    expect(mail?.subject).to.equal('Bitte bestätigen Sie Ihre Anmeldung');
    expect(mail?.html)
      .to.contain('/f/confirm/')
      .and.to.contain('lang="de"')
      .and.not.contain('Ada')
      .and.not.contain('/t/');
    expect(mail?.text).to.contain('/f/confirm/').and.not.contain('Ada');
    expect(await desk.contact(email)).to.equal(null);
    const link = await desk.link(email);
    const page = await desk.browser().get(link);
    expect(page.status).to.equal(200);
    expect(page.text).to.contain('Anmeldung bestätigen?').and.to.contain('pe•••@in.test').and.not.contain(email);
    expect(page.text).to.match(/<form method="post" action="">/);
    expect(page.headers.get('content-security-policy')).to.contain("frame-ancestors 'none'");
    expect(await desk.contact(email)).to.equal(null);
    const pressed = await desk.press(link);
    expect([pressed.status, pressed.text.includes('Sie sind angemeldet')]).to.deep.equal([200, true]);
    const contact = await desk.contact(email);
    expect(contact).to.include({ firstName: 'Ada' });
    expect(desk.listIds(contact)).to.deep.equal([form.listId]);
    expect((await desk.own.client.get(`/contact-lists/${form.listId}`)).body.data.contactCount).to.equal(1);
  });

  it('records the consent: the sentence, where and when, and who confirmed', async () => {
    const own = await desk.form({ texts: { consent: 'I want the paper.' } });
    const email = address();
    await desk.send(own, { email });
    const before = new Date();
    await desk.press(await desk.link(email), { 'X-Forwarded-For': '192.0.2.77' });
    const contact = await desk.contact(email);
    const found = await desk.db.consents.find({ projectId: desk.own.project._id, contactId: contact?._id }).toArray();
    expect(found).to.have.length(1);
    const [consent] = found;
    expect(consent).to.include({ source: 'form', email, text: 'I want the paper.', networkAddress: '192.0.2.0/24' });
    expect(consent?.textVersion).to.equal(textVersion('I want the paper.'));
    expect([consent?.formId?.toHexString(), consent?.listIds?.map(String)]).to.deep.equal([own.id, [own.listId]]);
    expect(consent?.confirmedAt?.getTime()).to.be.at.least(before.getTime() - 1_000);
    expect(consent?.askedAt.getTime()).to.be.at.most(consent?.confirmedAt?.getTime() as number);
  });

  it('is not confirmed by programs that follow links, however often and by whatever method but POST', async () => {
    const email = address();
    await desk.send(form, { email });
    const link = await desk.link(email);
    const ask = (method: string) => desk.browser().send(method, link);
    for (let time = 0; time < 20; time += 1)
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
        expect((await ask(method)).status, method).to.equal(['GET', 'HEAD'].includes(method) ? 200 : 405);
    expect(await desk.contact(email)).to.equal(null);
    expect((await desk.pending(email))?.confirmedAt).to.equal(null);
  });

  it('may be confirmed again, which changes nothing', async () => {
    const email = address();
    await desk.send(form, { email, firstName: 'Once' });
    const link = await desk.link(email);
    await desk.press(link);
    const contact = await desk.contact(email);
    await desk.own.client.patch(`/contacts/${contact?._id}`, { firstName: 'Changed' });
    for (const again of [await desk.press(link), await desk.browser().get(link)])
      expect([again.status, again.text.includes('You are subscribed')]).to.deep.equal([200, true]);
    expect((await desk.contact(email))?.firstName).to.equal('Changed');
    expect(await desk.db.consents.countDocuments({ contactId: contact?._id })).to.equal(1);
  });

  it('keeps nothing personal of what was confirmed', async () => {
    const email = address();
    await desk.subscribe(form, { email, firstName: 'Private' });
    expect(await desk.pending(email)).to.equal(null);
    const kept = JSON.stringify(await desk.db.pendingSubscriptions.find({ confirmedAt: { $ne: null } }).toArray());
    expect(kept).to.not.contain(email).and.not.contain('Private');
  });

  it('serves all lists and forms that wait with one confirmation; the fields of the last form win', async () => {
    const other = await desk.form({ fields: [...NAME, { name: 'size', label: 'Size', type: 'number' }] });
    const email = address();
    await desk.send(form, { email, firstName: 'First' });
    const link = await desk.link(email);
    await desk.send(other, { email, firstName: 'Second', size: '4' });
    await desk.settled();
    expect(await desk.mails(email)).to.have.length(1);
    await desk.press(link);
    const contact = await desk.contact(email);
    expect(contact?.firstName).to.equal('Second');
    expect(contact?.contactProperties).to.deep.equal({ size: 4 });
    expect(desk.listIds(contact)).to.have.members([form.listId, other.listId]);
    expect(await desk.db.consents.countDocuments({ contactId: contact?._id })).to.equal(2);
  });

  it('confirms what the page showed: with a form that was sent since, the page comes again and nothing is confirmed', async () => {
    const other = await desk.form({ texts: { consent: 'I want the other paper too.' } });
    const email = address();
    await desk.send(form, { email, firstName: 'Own' });
    const link = await desk.link(email);
    const { text: page } = await desk.browser().get(link);
    await desk.send(other, { email });
    await desk.settled();
    const again = await desk.pressOn(page, link);
    expect(again.status).to.equal(409);
    expect(again.text).to.contain('This page has changed').and.to.contain('I want the other paper too.');
    expect(await desk.contact(email)).to.equal(null);
    expect(await desk.pressOn(again.text, link)).to.include({ status: 200 });
    expect(desk.listIds(await desk.contact(email))).to.have.members([form.listId, other.listId]);
  });

  it('shows the values that it sets, so that those of a stranger who sends the form again are not set unseen', async () => {
    const email = address();
    await desk.send(form, { email, firstName: 'Own' });
    const link = await desk.link(email);
    const { text: page } = await desk.browser().get(link);
    expect(page).to.contain('Name: Own');
    await desk.send(form, { email, firstName: '<b>Stranger</b>' });
    await desk.settled();
    const again = await desk.pressOn(page, link);
    expect(again.status).to.equal(409);
    expect(again.text).to.contain('Name: &lt;b&gt;Stranger&lt;/b&gt;').and.to.not.contain('Name: Own');
    expect(await desk.contact(email)).to.equal(null);
  });

  it('is not confirmed by a button that says nothing of a page, nor by one of nonsense', async () => {
    const email = address();
    await desk.send(form, { email });
    const link = await desk.link(email);
    for (const shown of ['', 'x', '-1', '1e3', '9'.repeat(400)]) {
      const body = `shown=${shown}`;
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      expect((await desk.browser().send('POST', link, { body, headers })).status, shown).to.equal(409);
    }
    expect((await desk.pressOn('', link)).status).to.equal(409);
    expect(await desk.contact(email)).to.equal(null);
  });

  it('sets the fields of a contact that is there, and clears none', async () => {
    const email = address();
    await desk.own.client.post('/contacts/email', { email, firstName: 'Old', lastName: 'Kept' });
    await desk.send(form, { email, firstName: 'New' });
    const link = await desk.link(email);
    expect((await desk.contact(email))?.firstName).to.equal('Old');
    expect(desk.listIds(await desk.contact(email))).to.deep.equal([]);
    await desk.press(link);
    expect(await desk.contact(email)).to.include({ firstName: 'New', lastName: 'Kept' });
    expect(desk.listIds(await desk.contact(email))).to.deep.equal([form.listId]);
  });

  it('leads to the site that the form names', async () => {
    const confirmed = 'https://www.example.com/welcome';
    const own = await desk.form({ redirectTo: { confirmed } });
    const email = address();
    await desk.send(own, { email });
    const link = await desk.link(email);
    const policy = (await desk.browser().get(link)).headers.get('content-security-policy');
    expect(policy).to.contain("form-action 'self' https://www.example.com;");
    for (let time = 0; time < 2; time += 1) {
      const pressed = await desk.press(link);
      expect([pressed.status, pressed.headers.get('location')]).to.deep.equal([303, confirmed]);
    }
  });

  it('knows links of its own alone', async () => {
    const { config } = desk.environment.deps;
    const email = address();
    await desk.send(form, { email });
    const link = await desk.link(email);
    const token = link.split('/').at(-1) as string;
    const { project: other } = desk.environment.other;
    const pendingId = (await desk.pending(email))?._id as ObjectId;
    const foreign = confirmToken(config, { projectId: other._id, pendingId });
    const unknown = confirmToken(config, { projectId: desk.own.project._id, pendingId: new ObjectId() });
    for (const bad of [
      `${token}A`,
      token.slice(0, -1),
      `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`,
      'x',
      foreign,
      unknown,
    ])
      for (const answer of [await desk.browser().get(`/f/confirm/${bad}`), await desk.press(`/f/confirm/${bad}`)])
        expect([answer.status, answer.text.includes('This link is not valid')], bad).to.deep.equal([404, true]);
    expect(await desk.contact(email)).to.equal(null);
  });

  describe('lifts the unsubscribe of the person', () => {
    it('in the default group, the global one and those of the form, and in no other', async () => {
      const groupId = async (name: string) =>
        (await desk.own.client.post('/suppression-groups', { name })).body.data.groupId as string;
      const [named, unnamed] = [await groupId('Named'), await groupId('Unnamed')];
      const own = await desk.form({ unsubscribeGroupIds: [named] });
      const email = address();
      for (const group of [{}, { isGlobal: true }, { groupId: named }, { groupId: unnamed }])
        await desk.suppress(email, 'UNSUBSCRIBE', group);
      await desk.send(own, { email });
      const link = await desk.link(email);
      expect(await desk.entriesOf(email)).to.have.length(4);
      await desk.press(link);
      expect(await desk.entriesOf(email)).to.deep.equal([`${unnamed} UNSUBSCRIBE`]);
      const group = (await desk.own.client.get(`/suppression-groups/${named}`)).body.data;
      expect(group.suppressionCount).to.equal(0);
    });

    it('from everything for the groups of the form, without any for mail that names none, and for nothing else', async () => {
      const named = (await desk.own.client.post('/suppression-groups', { name: 'Alone' })).body.data.groupId as string;
      const { _id: projectId } = desk.own.project;
      const { groupId: unnamed } = (await desk.db.suppressionGroups.findOne({ projectId, isDefault: true }))!;
      const forms: [fields: object, exceptGroupIds: string[]][] = [
        [{ unsubscribeGroupIds: [named] }, [named]],
        [{}, [unnamed]],
      ];
      for (const [fields, exceptGroupIds] of forms) {
        const email = address();
        await desk.suppress(email, 'UNSUBSCRIBE', { isMarketing: true });
        await desk.send(await desk.form(fields), { email });
        await desk.press(await desk.link(email));
        const entries = await desk.db.suppressions.find({ projectId, email }).toArray();
        expect(entries.map((entry) => [entry.isMarketing, entry.exceptGroupIds])).to.deep.equal([
          [true, exceptGroupIds],
        ]);
      }
    });

    for (const reason of ['BOUNCE', 'COMPLAINT', 'MANUAL'])
      it(`and leaves ${reason} where it is: there is not even a mail`, async () => {
        const email = address();
        await desk.suppress(email, reason);
        await desk.send(form, { email });
        expect(await desk.mails(email)).to.deep.equal([]);
        expect((await desk.messages(email))[0]).to.include({ state: 'suppressed' });
        const pending = await desk.pending(email);
        const { config } = desk.environment.deps;
        const ref = { projectId: desk.own.project._id, pendingId: pending?._id as ObjectId };
        await desk.press(`/f/confirm/${confirmToken(config, ref)}`);
        expect(await desk.entriesOf(email)).to.deep.equal([`default ${reason}`]);
      });

    it('and restores the reason that it hid', async () => {
      const email = address();
      await desk.send(form, { email });
      const link = await desk.link(email);
      await desk.suppress(email, 'BOUNCE');
      await desk.suppress(email, 'UNSUBSCRIBE');
      await desk.press(link);
      expect(await desk.entriesOf(email)).to.deep.equal(['default BOUNCE']);
    });
  });

  describe('does not flood an address', () => {
    it('with one mail an hour and three in seven days from a project, whatever the form', async () => {
      const email = address();
      const other = await desk.form();
      const { clock } = desk.environment;
      let at = Date.now();
      const mailsAfter = async (ms: number): Promise<number> => {
        at += ms;
        clock.set(new Date(at));
        for (const one of [form, other]) await desk.send(one, { email });
        return (await desk.mails(email)).length;
      };
      expect(await mailsAfter(0)).to.equal(1);
      expect(await mailsAfter(HOUR_MS - 600_000)).to.equal(1);
      expect(await mailsAfter(1_200_000)).to.equal(2);
      expect(await mailsAfter(2 * HOUR_MS)).to.equal(3);
      expect(await mailsAfter(DAY_MS)).to.equal(3);
      expect(await mailsAfter(6 * DAY_MS)).to.equal(4);
      clock.set(new Date());
    });

    it('with ten mails a day from the installation, whatever the project', async () => {
      const email = address();
      const paths = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const { project, client } = await desk.environment.newTenant(`Flood ${index}`);
          const domain = { ...(await desk.db.domains.findOne({ projectId: desk.own.project._id }))! };
          const names = { _id: new ObjectId(), projectId: project._id, domainName: `d${index}.example.com` };
          await desk.db.domains.insertOne({ ...domain, ...names });
          const { id } = (await client.post('/contact-lists', { name: 'News' })).body.data;
          return `/f/${(await client.post('/forms', { name: 'Form', listIds: [id] })).body.data.id}`;
        }),
      );
      for (const path of paths) expect((await desk.send({ ...form, path }, { email })).status).to.equal(200);
      await desk.settled();
      expect(await desk.messages(email)).to.have.length(10);
    });

    it('and many forms at once for one address make one pending subscription and one mail', async () => {
      const email = address();
      const forms = await Promise.all(Array.from({ length: 6 }, () => desk.form({ allowedOrigins: [SITE] })));
      const all = forms.flatMap((one) => [one, one, one]);
      await Promise.all(all.map((one) => desk.sendJson(one, { email })));
      expect(await desk.mails(email)).to.have.length(1);
      expect((await desk.pending(email))?.agreements).to.have.length(6);
      expect(await desk.messages(email)).to.have.length(1);
    });
  });

  describe('ends after seven days', () => {
    it('the link is 404, and the data are removed', async () => {
      const email = address();
      await desk.send(form, { email, firstName: 'Gone' });
      const link = await desk.link(email);
      desk.environment.clock.advance(7 * DAY_MS - 600_000);
      expect((await desk.browser().get(link)).status).to.equal(200);
      desk.environment.clock.advance(601_000);
      for (const answer of [await desk.browser().get(link), await desk.press(link)])
        expect(answer.status).to.equal(404);
      expect(await desk.contact(email)).to.equal(null);
      await desk.db.pendingSubscriptions.updateMany({ email }, [{ $set: { dueAt: '$$NOW' } }]);
      await desk.stopJobs();
      desk.startJobs();
      await until(
        () => desk.pending(email),
        (pending) => pending === null,
      );
    });

    it('a form that was sent later is kept for its own seven days', async () => {
      const email = address();
      const other = await desk.form();
      await desk.send(form, { email, firstName: 'Old' });
      await desk.settled();
      desk.environment.clock.advance(4 * DAY_MS);
      await desk.send(other, { email });
      const link = await desk.link(email);
      desk.environment.clock.advance(4 * DAY_MS);
      await desk.db.pendingSubscriptions.updateMany({ email }, [{ $set: { dueAt: '$$NOW' } }]);
      await desk.stopJobs();
      desk.startJobs();
      const left = await until(
        () => desk.pending(email),
        (pending) => pending?.agreements.length === 1,
      );
      expect(JSON.stringify(left)).to.not.contain('Old');
      await desk.press(link);
      const contact = await desk.contact(email);
      expect(desk.listIds(contact)).to.deep.equal([other.listId]);
      expect(contact?.firstName).to.equal(null);
    });

    it('both collections have an index that removes what was left', async () => {
      for (const collection of [desk.db.formSubmissions, desk.db.pendingSubscriptions]) {
        const expiry = (await collection.indexes()).find(({ name }) => name === 'expiry');
        expect(expiry).to.deep.include({ key: { expiresAt: 1 }, expireAfterSeconds: 0 });
      }
    });
  });

  describe('its mail', () => {
    const template = (emailTemplate: string, subject = 'For {{email}}') =>
      desk.own.client.post('/templates', { templateName: 'Confirm', emailTemplate, subject });

    it('is made of a template of the project, with its link', async () => {
      const made = await template('<p>{{projectName}} <a href="{{confirmUrl}}">Yes {{firstName}}</a></p>');
      const own = await desk.form({ confirmationTemplateId: made.body.data.templateId, fields: NAME });
      const email = address();
      await desk.send(own, { email, firstName: 'Injected' });
      const [mail] = await desk.mails(email);
      expect(mail?.subject).to.equal(`For ${email}`);
      expect(mail?.html).to.contain(desk.own.project.name).and.not.contain('Injected');
      expect(mail?.text).to.contain('/f/confirm/');
      expect((await desk.press(await desk.link(email))).status).to.equal(200);
      expect((await desk.contact(email))?.firstName).to.equal('Injected');
    });

    it('is ours when the template has no link any more', async () => {
      const { templateId } = (await template('<a href="{{confirmUrl}}">Yes</a>')).body.data;
      const own = await desk.form({ confirmationTemplateId: templateId });
      await desk.own.client.patch(`/templates/${templateId}`, { emailTemplate: '<p>No link</p>' });
      const email = address();
      await desk.send(own, { email });
      expect((await desk.mails(email))[0]?.subject).to.equal('Please confirm your subscription');
    });

    it('has the texts of the form, and the look and sender of the project', async () => {
      const texts = { mailSubject: 'Say yes', mailText: 'Once & for all', mailButton: 'Yes!' };
      const own = await desk.form({ texts });
      const email = address();
      await desk.send(own, { email });
      const [mail] = await desk.mails(email);
      expect(mail?.subject).to.equal('Say yes');
      expect(mail?.html).to.contain('Once &amp; for all').and.to.contain('>Yes!</a>');
      expect(mail?.text).to.contain('Once & for all');
      expect(mail?.from?.address).to.equal('no-reply@mail.example.com');
    });

    it('is not shown by the interface, and has no link that a reader of the database could press', async () => {
      const email = address();
      await desk.send(form, { email });
      await desk.link(email);
      const [message] = await desk.messages(email);
      const token = (await desk.link(email)).split('/').at(-1) as string;
      const answer = await desk.own.client.get(`/emails/${message?._id}`);
      expect(answer.status).to.equal(200);
      expect(answer.text + JSON.stringify(message)).to.not.contain(token);
    });
  });
});
