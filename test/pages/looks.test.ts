import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { escapeHtml } from '../../core/base/text/html.ts';
import { LANGUAGES, textsIn } from '../../core/base/text/languages/index.ts';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import type { Client } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const PAGE_BYTES_MAX = 30_000;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('Public pages', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  let visitor: Client;
  beforeEach(async () => {
    tenant = await environment.newTenant('Look');
    visitor = environment.client(null);
  });

  const change = (fields: object) =>
    environment.client(tenant.adminKey).patch(`/account/projects/${tenant.project._id}`, fields);

  function linkTo(email: string): string {
    const ref = { projectId: tenant.project._id, messageId: new ObjectId(), groupId: null, email };
    return `/u/${unsubscribeToken(environment.deps.config, ref)}`;
  }

  async function shown(path: string, language?: string) {
    const reply = await visitor.send('GET', path, language ? { headers: { 'Accept-Language': language } } : {});
    return { ...reply, tag: /<html lang="(\w+)">/.exec(reply.text)?.[1] };
  }

  for (const language of LANGUAGES)
    it(`speak the language of the browser: ${language}`, async () => {
      const { unsubscribe, notFound, layout } = textsIn(language);
      const page = await shown(linkTo('ada@example.org'), `${language}-XX, pl;q=0.5`);
      expect([page.status, page.tag]).to.deep.equal([200, language]);
      for (const text of [unsubscribe.heading, unsubscribe.button, layout.nothingChanges])
        expect(page.text).to.contain(escapeHtml(text));
      expect(page.text)
        .to.contain('Look project')
        .and.not.match(/\{\w+\}<|undefined/);
      for (const path of ['/u/nothing', '/t/c/nothing', '/media/inbound/nothing']) {
        const missing = await shown(path, language);
        expect([missing.status, missing.tag], path).to.deep.equal([404, language]);
        expect(missing.text).to.contain(escapeHtml(notFound.heading));
      }
    });

  it('speak the language of the contact before that of the browser, by the property that the project names', async () => {
    const contactProperties = { language: 'fr-CA', sprache: 'de' };
    const email = 'grace@example.org';
    await tenant.client.post('/contacts/email', { email, contactProperties });
    const path = linkTo(email);
    expect((await shown(path, 'it')).tag).to.equal('fr');
    await change({ languageProperty: 'sprache' });
    expect((await shown(path, 'it')).tag).to.equal('de');
    const left = await visitor.send('POST', path, { body: 'action=unsubscribe', headers: FORM });
    expect(left.text).to.contain(textsIn('de').unsubscribe.leftHeading).and.to.contain('<html lang="de">');
    await change({ languageProperty: 'missing' });
    expect((await shown(path, 'it')).tag).to.equal('it');
    expect((await shown(path)).tag).to.equal('en');
  });

  it('speak the language of the browser when the contact is deleted, and never that of a contact of another project', async () => {
    const email = 'linus@example.org';
    const contactProperties = { language: 'es' };
    await environment.other.client.post('/contacts/email', { email, contactProperties });
    expect((await shown(linkTo(email), 'it')).tag).to.equal('it');
    const { id } = (await tenant.client.post('/contacts/email', { email, contactProperties })).body.data;
    expect((await shown(linkTo(email), 'it')).tag).to.equal('es');
    await tenant.client.delete(`/contacts/${id}`);
    expect((await shown(linkTo(email), 'it')).tag).to.equal('it');
  });

  it('show name, logo, colour and postal address of the project, and load the logo from its host alone', async () => {
    const path = linkTo('ada@example.org');
    const bare = await shown(path);
    expect(bare.headers.get('content-security-policy')).to.not.contain('img-src');
    expect(bare.text).to.not.contain('<img').and.not.contain('<footer');
    await change({
      publicName: 'Shop "<One>" & more',
      logoUrl: 'https://cdn.example.com/logo.png?a=1&b="><script>'.replaceAll('"', '%22'),
      color: '#ffee00',
      postalAddress: 'Shop <One>\nMarket Square 1',
    });
    const { text, headers } = await shown(path);
    expect(text).to.contain('<title>Unsubscribe – Shop &quot;&lt;One&gt;&quot; &amp; more</title>');
    expect(text).to.contain('alt="Shop &quot;&lt;One&gt;&quot; &amp; more"');
    expect(text).to.contain('src="https://cdn.example.com/logo.png?a=1&amp;b=%22&gt;&lt;script&gt;"');
    expect(text).to.contain('--button: #ffee00; --on-button: #000000;');
    expect(text).to.contain('<address>Shop &lt;One&gt;\nMarket Square 1</address>');
    expect(text).to.not.contain('<script').and.not.contain('Look project');
    const policy = headers.get('content-security-policy')!.split('; ');
    expect(policy).to.have.members([
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      'img-src https://cdn.example.com',
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
  });

  it('have less than 30 kB with all that a project can put on them, and no script', async () => {
    await change({
      publicName: '€'.repeat(200),
      logoUrl: `https://example.com/${'a'.repeat(2_000)}`,
      postalAddress: '&'.repeat(500),
      color: '#123456',
    });
    const { body } = await tenant.client.post('/suppression-groups', { name: '“'.repeat(100) });
    const ref = { projectId: tenant.project._id, messageId: new ObjectId(), email: `${'a'.repeat(60)}@example.org` };
    const path = `/u/${unsubscribeToken(environment.deps.config, { ...ref, groupId: body.data.groupId })}`;
    for (const language of LANGUAGES) {
      const { text, status } = await shown(path, language);
      expect(status).to.equal(200);
      expect(Buffer.byteLength(text)).to.be.below(PAGE_BYTES_MAX);
      expect(text).to.not.match(/<script|<link|javascript:|@import|url\(/i);
    }
  });

  it('unsubscribe by one click as before, without a page, when the contact cannot be read', async () => {
    const email = 'ada@example.org';
    const path = linkTo(email);
    const { db } = environment.deps;
    const find = db.contacts.findOne;
    db.contacts.findOne = (() => Promise.reject(new Error('contacts cannot be read'))) as typeof find;
    try {
      const clicked = await visitor.send('POST', path, { body: 'List-Unsubscribe=One-Click', headers: FORM });
      expect([clicked.status, clicked.text]).to.deep.equal([200, '']);
      const page = await shown(path, 'de');
      expect([page.status, page.tag]).to.deep.equal([200, 'de']);
      expect(page.text).to.contain(textsIn('de').unsubscribe.leftHeading);
    } finally {
      db.contacts.findOne = find;
    }
    expect(await db.suppressions.countDocuments({ projectId: tenant.project._id, email })).to.equal(1);
  });
});
