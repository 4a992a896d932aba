import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { FORMS_PER_CLIENT } from '../../core/forms/submit.ts';
import { HONEYPOT_INPUT, STAMP_INPUT } from '../../schemas/forms.ts';
import { type Desk, hiddenIn, type MadeForm, SITE, startDesk } from './support.ts';

const FIELDS = [
  { name: 'firstName', label: 'First <name>', type: 'text', required: true },
  { name: 'size', label: 'Size', type: 'number' },
  { name: 'born', label: 'Born', type: 'date' },
  { name: 'plan', label: 'Plan', type: 'select', options: ['basic', 'pro'], default: 'pro' },
  { name: 'adult', label: 'Adult', type: 'checkbox' },
  { name: 'mobile', label: 'Mobile', type: 'text' },
];

describe('The page of a form', function () {
  this.timeout(120_000);
  let desk: Desk;
  let form: MadeForm;
  before(async function () {
    this.timeout(180_000);
    desk = await startDesk();
    // Stored forms are looked at before a job takes them.
    await desk.stopJobs();
    form = await desk.form({ fields: FIELDS, allowedOrigins: [SITE] });
  });
  after(() => desk.stop());
  beforeEach(async () => {
    desk.environment.clock.set(new Date());
    await desk.db.formSubmissions.deleteMany({});
  });

  let people = 0;
  const address = () => `page${++people}@in.test`;
  const stored = () => desk.db.formSubmissions.find({}).toArray();
  const policyOf = (headers: Headers) => headers.get('content-security-policy') ?? '';

  it('asks for the address and the fields, without a script, and works without one', async () => {
    const { page } = await desk.shown(form);
    expect(page.headers.get('content-type')).to.contain('text/html');
    expect(page.text).to.not.match(/<script|onclick|javascript:/i);
    expect(page.text.length).to.be.below(30_000);
    expect(page.text).to.contain('First &lt;name&gt;').and.not.contain('<name>');
    for (const type of ['email', 'number', 'date', 'checkbox', 'text', 'hidden'])
      expect(page.text).to.contain(`type="${type}"`);
    expect(page.text).to.contain('<option value="pro" selected>pro</option>');
    expect(page.headers.get('cache-control')).to.equal('no-store');
    expect(page.headers.get('referrer-policy')).to.equal('no-referrer');
  });

  it('may be framed by the allowed origins only, and by no site when there are none', async () => {
    const { page } = await desk.shown(form);
    expect(policyOf(page.headers)).to.contain(`frame-ancestors ${SITE};`).and.to.contain("default-src 'none'");
    const closed = await desk.shown(await desk.form());
    expect(policyOf(closed.page.headers)).to.contain("frame-ancestors 'none'");
    const sent = await desk.send(form, { email: address(), firstName: 'Ada' });
    expect(policyOf(sent.headers)).to.contain(`frame-ancestors ${SITE};`);
  });

  it('is in the language of the browser, or in that of ?lang=', async () => {
    const german = await desk.shown(form, { 'Accept-Language': 'de-AT, en;q=0.5' });
    expect(german.page.text).to.contain('lang="de"').and.to.contain('E-Mail-Adresse');
    const french = await desk.shown({ ...form, path: `${form.path}?lang=fr` }, { 'Accept-Language': 'de' });
    expect(french.page.text).to.contain('lang="fr"').and.to.contain('Adresse e-mail');
  });

  it('has the texts of the form instead of those of the language', async () => {
    const texts = {
      title: 'My <title>',
      intro: 'One\nTwo',
      button: 'Go!',
      consent: 'I say yes.',
      submitted: 'Done so far.',
    };
    const own = await desk.form({ texts });
    const { page } = await desk.shown(own, { 'Accept-Language': 'it' });
    expect(page.text).to.contain('<h1>My &lt;title&gt;</h1>').and.to.contain('<p>One</p>\n<p>Two</p>');
    expect(page.text).to.contain('>Go!</button>').and.to.contain('<p>I say yes.</p>');
    expect((await desk.send(own, { email: address() })).text).to.contain('Done so far.');
    expect((await stored())[0]?.agreement.consent).to.equal('I say yes.');
  });

  it('is 404 of a form that is unknown, inactive, deleted, or of a deleted project', async () => {
    const inactive = await desk.form({ isActive: false });
    const deleted = await desk.form();
    await desk.own.client.delete(`/forms/${deleted.id}`);
    const tenant = await desk.environment.newTenant('Gone');
    const list = await tenant.client.post('/contact-lists', { name: 'Theirs' });
    const theirs = await tenant.client.post('/forms', { name: 'Theirs', listIds: [list.body.data.id] });
    const path = `/f/${theirs.body.data.id}`;
    expect((await desk.browser().get(path)).status).to.equal(200);
    await desk.environment.client(tenant.adminKey).delete(`/account/projects/${tenant.project._id}`);
    const unknown = await desk.browser().get(`/f/${new ObjectId().toHexString()}`);
    for (const gone of [inactive.path, deleted.path, path, '/f/x', '/f/%00']) {
      const page = await desk.browser().get(gone);
      expect([page.status, page.text], gone).to.deep.equal([404, unknown.text]);
      const posted = await desk.sendRaw({ ...form, path: gone }, { email: address() });
      expect([posted.status, posted.text], gone).to.deep.equal([404, unknown.text]);
      const json = await desk.sendJson({ ...form, path: gone }, { email: address() });
      expect(json.status).to.equal(404);
    }
    expect(await stored()).to.deep.equal([]);
  });

  it('stores one document with what was typed, and its job is due', async () => {
    const email = address();
    const values = {
      firstName: ' Ada ',
      size: '4.50',
      born: '2000-02-29',
      plan: 'basic',
      adult: 'true',
      mobile: '+1 (202) 555-0123',
    };
    const sent = await desk.send(form, { email: email.toUpperCase(), ...values, other: 'not asked for' });
    expect(sent.status).to.equal(200);
    const [one, ...more] = await stored();
    expect(more).to.deep.equal([]);
    expect(one).to.include({ email, doubleOptIn: true });
    expect(one?.agreement.fields).to.deep.equal({
      firstName: 'Ada',
      size: 4.5,
      born: '2000-02-29T00:00:00.000Z',
      plan: 'basic',
      adult: true,
      mobile: '+12025550123',
    });
    expect(one?.dueAt).to.be.a('date');
    const days = ((one?.expiresAt.getTime() ?? 0) - (one?.createdAt.getTime() ?? 0)) / 86_400_000;
    expect(days).to.equal(7);
  });

  const wrong: Array<[string, Record<string, string>, string, string]> = [
    ['no address', { email: '' }, 'email', 'Please fill this in.'],
    ['half an address', { email: 'ada@' }, 'email', 'Please enter an email address'],
    ['a missing field', { firstName: ' ' }, 'firstName', 'Please fill this in.'],
    ['a long name', { firstName: 'x'.repeat(257) }, 'firstName', 'This is too long.'],
    ['a name of two lines', { firstName: 'a\r\nb' }, 'firstName', 'Some characters'],
    ['a word as a number', { size: 'many' }, 'size', 'Please enter a number.'],
    ['an endless number', { size: '1e999' }, 'size', 'Please enter a number.'],
    ['a day that never was', { born: '2001-02-29' }, 'born', 'Please enter a date.'],
    ['an option of another form', { plan: 'gold' }, 'plan', 'Please choose one'],
    ['a number without its country', { mobile: '0664 123' }, 'mobile', 'Please enter the number'],
  ];
  for (const [what, values, field, message] of wrong)
    it(`says what is wrong with ${what}, and what was typed is still there`, async () => {
      const { stamp } = await desk.shown(form);
      const typed = { email: 'kept@in.test', firstName: '"Kept"', plan: 'basic', ...values };
      const sent = await desk.sendRaw(form, { [STAMP_INPUT]: stamp, ...typed }, { Origin: 'null' });
      expect(sent.status).to.equal(400);
      expect(sent.text).to.match(new RegExp(`id="wrong-${field}">${message}`));
      expect(sent.text.match(/aria-invalid="true"/g)).to.have.length(1);
      if (field !== 'email') expect(sent.text).to.contain('value="kept@in.test"');
      if (field !== 'firstName') expect(sent.text).to.contain('value="&quot;Kept&quot;"');
      if (field !== 'plan') expect(sent.text).to.contain('<option value="basic" selected>');
      expect(await stored()).to.deep.equal([]);
      expect(hiddenIn(sent.text, STAMP_INPUT)).to.equal(stamp);
    });

  it('takes the value that a custom field of the project declares, and refuses another', async () => {
    await desk.own.client.post('/custom-fields', { fieldName: 'age', fieldType: 'number' });
    const own = await desk.form({ fields: [{ name: 'age', label: 'Age', type: 'text' }] });
    const refused = await desk.send(own, { email: address(), age: 'old' });
    expect([refused.status, refused.text.includes('wrong-age')]).to.deep.equal([400, true]);
    expect((await desk.send(own, { email: address(), age: '42' })).status).to.equal(200);
    expect((await stored())[0]?.agreement.fields).to.deep.equal({ age: 42 });
  });

  it('asks for a tick where the checkbox is required', async () => {
    const own = await desk.form({ fields: [{ name: 'terms', label: 'Terms', type: 'checkbox', required: true }] });
    expect((await desk.send(own, { email: address() })).status).to.equal(400);
    expect((await desk.send(own, { email: address(), terms: 'true' })).status).to.equal(200);
  });

  it('leads to the site that the form names, which its policy allows', async () => {
    const submitted = 'https://www.example.com/thanks?from=form';
    const own = await desk.form({ redirectTo: { submitted } });
    const { page } = await desk.shown(own);
    expect(policyOf(page.headers)).to.contain("form-action 'self' https://www.example.com;");
    const sent = await desk.send(own, { email: address() });
    expect([sent.status, sent.headers.get('location'), sent.text]).to.deep.equal([303, submitted, '']);
  });

  it('is shown again when the sentence that the person agreed to has changed since', async () => {
    const own = await desk.form({ texts: { consent: 'Once a month.' } });
    const { stamp } = await desk.shown(own);
    await desk.own.client.patch(`/forms/${own.id}`, { texts: { consent: 'Every day.' } });
    const email = address();
    const values = { [STAMP_INPUT]: stamp, email };
    const sent = await desk.sendRaw(own, values, { Origin: 'null' });
    expect(sent.status).to.equal(400);
    expect(sent.text).to.contain('role="alert"').and.to.contain('Every day.').and.to.contain(email);
    expect(await stored()).to.deep.equal([]);
  });

  it('is shown again when it is sent within two seconds, with what was typed, and taken the second time', async () => {
    const { stamp } = await desk.shown(form, {}, -60_000);
    const email = address();
    const values = { [STAMP_INPUT]: stamp, email, firstName: 'Ada' };
    const early = await desk.sendRaw(form, values, { Origin: 'null' });
    expect(early.status).to.equal(400);
    expect(early.text).to.contain('nothing was sent yet').and.to.contain(`value="${email}"`);
    expect(hiddenIn(early.text, STAMP_INPUT)).to.equal(stamp);
    expect(await stored()).to.deep.equal([]);
    desk.environment.clock.advance(63_000);
    const later = await desk.sendRaw(form, values, { Origin: 'null' });
    expect([later.status, later.text.includes('nothing was sent yet')]).to.deep.equal([200, false]);
    expect(await stored()).to.have.length(1);
  });

  describe('gives a robot the answer that everyone gets, and stores nothing', () => {
    it('when the field that no person sees is filled in', async () => {
      const sent = await desk.send(form, { email: address(), firstName: 'Ada', [HONEYPOT_INPUT]: 'https://spam.test' });
      const person = await desk.send(form, { email: address(), firstName: 'Ada' });
      expect([sent.status, sent.text]).to.deep.equal([200, person.text]);
      expect(await stored()).to.have.length(1);
    });

    it('when it comes without the time of the page, or with one that is not ours', async () => {
      const { stamp } = await desk.shown(form);
      const forged = `${stamp.slice(0, -2)}${stamp.endsWith('AA') ? 'BB' : 'AA'}`;
      const none: Record<string, string> = {};
      for (const given of [
        none,
        { [STAMP_INPUT]: '' },
        { [STAMP_INPUT]: forged },
        { [STAMP_INPUT]: 'x'.repeat(5_000) },
      ])
        for (const origin of ['null', desk.environment.url]) {
          const sent = await desk.sendRaw(form, { email: address(), firstName: 'Ada', ...given }, { Origin: origin });
          expect(sent.status).to.equal(200);
        }
      expect(await stored()).to.deep.equal([]);
    });

    it('and the time of another form proves nothing', async () => {
      const { stamp } = await desk.shown(await desk.form());
      const values = { [STAMP_INPUT]: stamp, email: address(), firstName: 'Ada' };
      expect((await desk.sendRaw(form, values, { Origin: 'null' })).status).to.equal(400);
      expect(await stored()).to.deep.equal([]);
    });
  });

  describe('sent by a site of its own', () => {
    it('is taken from an allowed origin, without a stamp', async () => {
      const values = { email: address(), firstName: 'Ada' };
      expect((await desk.sendRaw(form, values, { Origin: SITE })).status).to.equal(200);
      expect(await stored()).to.have.length(1);
    });

    it('is refused from another origin: 403', async () => {
      const values = { email: address(), firstName: 'Ada' };
      const foreign = { Origin: 'https://evil.example.com' };
      expect((await desk.sendRaw(form, values, foreign)).status).to.equal(403);
      const json = await desk.sendJson(form, { email: address(), fields: { firstName: 'Ada' } }, foreign);
      expect(json.status).to.equal(403);
      expect(json.headers.get('access-control-allow-origin')).to.equal(null);
      expect(await stored()).to.deep.equal([]);
    });

    it('takes JSON from an allowed origin, which may read the answer', async () => {
      const fields = { firstName: 'Ada', size: 4, adult: false, born: '2000-01-01' };
      const sent = await desk.sendJson(form, { email: address(), fields, lang: 'es' });
      expect([sent.status, sent.body.success]).to.deep.equal([200, true]);
      expect(sent.body.data).to.have.all.keys('message', 'redirectTo');
      expect(sent.headers.get('access-control-allow-origin')).to.equal(SITE);
      expect(sent.headers.get('vary')).to.contain('Origin');
      const [one] = await stored();
      expect(one?.agreement.language).to.equal('es');
      expect(one?.agreement.fields).to.deep.equal({ ...fields, born: '2000-01-01T00:00:00.000Z' });
    });

    it('names the fields that are wrong in JSON: 400', async () => {
      const sent = await desk.sendJson(form, { email: 'x', fields: { size: 'many', plan: 7 } });
      expect([sent.status, sent.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(sent.body.error.details.split('; ')).to.deep.equal([
        'email: must be an email address',
        'fields/firstName: is required',
        'fields/size: must be a number',
        'fields/plan: must be one line of valid text',
      ]);
      expect(sent.headers.get('access-control-allow-origin')).to.equal(SITE);
      for (const body of [{}, { email: 7 }, [], 'x', null, { email: address(), fields: [] }])
        expect((await desk.sendJson(form, body)).status, JSON.stringify(body)).to.equal(400);
      expect(await stored()).to.deep.equal([]);
    });

    it('may be asked for with OPTIONS by the allowed origins alone', async () => {
      const ask = (origin: string) => desk.browser({ Origin: origin }).send('OPTIONS', form.path);
      const allowed = await ask(SITE);
      expect(allowed.status).to.equal(204);
      expect(allowed.headers.get('access-control-allow-origin')).to.equal(SITE);
      expect(allowed.headers.get('access-control-allow-methods')).to.equal('POST');
      expect(allowed.headers.get('access-control-allow-headers')).to.equal('Content-Type');
      for (const origin of ['https://evil.example.com', 'null', `${SITE}.evil.test`]) {
        const other = await ask(origin);
        expect(other.status).to.equal(204);
        expect(other.headers.get('access-control-allow-origin')).to.equal(null);
        expect(other.headers.get('access-control-allow-methods')).to.equal(null);
      }
    });
  });

  describe('limits a client', () => {
    const one = { 'X-Forwarded-For': '203.0.113.7' };
    const other = { 'X-Forwarded-For': '203.0.113.8' };

    it('that floods it: 429 with Retry-After, while another is served', async () => {
      const { stamp } = await desk.shown(form);
      const post = (headers: object) => {
        const values = { [STAMP_INPUT]: stamp, email: address(), firstName: 'Ada' };
        return desk.sendRaw(form, values, { Origin: 'null', ...headers });
      };
      const flood = await Promise.all(Array.from({ length: FORMS_PER_CLIENT.page + 10 }, () => post(one)));
      const refused = flood.filter(({ status }) => status === 429);
      expect(refused).to.have.length(10);
      expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(3_000, 3_600);
      expect(refused[0]?.text).to.contain('Too many forms were sent from your network');
      expect(await stored()).to.have.length(FORMS_PER_CLIENT.page);
      expect((await post(other)).status).to.equal(200);
      desk.environment.clock.advance(3_601_000);
      expect((await post(one)).status).to.equal(200);
    });

    it('harder when it sends no stamp; the answer in JSON has the envelope', async () => {
      const post = (headers: Record<string, string>) =>
        desk.sendJson(form, { email: address(), fields: { firstName: 'Ada' } }, headers);
      const flood = await Promise.all(Array.from({ length: FORMS_PER_CLIENT.site + 5 }, () => post(one)));
      const refused = flood.filter(({ status }) => status === 429);
      expect(refused).to.have.length(5);
      expect(refused[0]?.body.error.code).to.equal('RATE_LIMIT_EXCEEDED');
      expect(refused[0]?.headers.get('retry-after')).to.match(/^\d+$/);
      expect(refused[0]?.headers.get('access-control-allow-origin')).to.equal(SITE);
      expect((await post(other)).status).to.equal(200);
    });
  });
});
