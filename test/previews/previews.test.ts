import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { PREVIEWS_A_MINUTE } from '../../api/http/endpoint.ts';
import { openPixelUrl } from '../../core/mail/compose/links.ts';
import { clickToken } from '../../core/mail/compose/tokens.ts';
import type { Message } from '../../core/mail/ledger/model.ts';
import { deleteFile, storeFile } from '../../core/mail/messages/contents.ts';
import { makers } from '../edge/makers.ts';
import { png } from '../providers/images.ts';
import { type Environment, startEnvironment, type Tenant, useEnvironment } from '../support/environment.ts';

const POLICY =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data: http:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'";

describe('Previews', () => {
  const environment = useEnvironment({ OPERATION_TIMEOUT_MS: '20000' });
  let own: Tenant;
  let contactId: string;
  before(async () => {
    own = environment.own;
    const ada = { email: 'ada@example.org', firstName: 'Ada', contactProperties: { plan: 'pro', empty: '' } };
    contactId = (await own.client.post('/contacts', ada)).body.data.id;
  });

  const draft = (body: object, headers?: Record<string, string>) =>
    own.client.post('/templates/preview', body, headers);
  const shown = async (body: object) => {
    const { status, body: answer, text } = await draft(body);
    expect(status, text).to.equal(200);
    return answer.data;
  };
  const tokenOf = (url: string) => url.split('/previews/')[1]!;

  describe('of a template that is written', () => {
    it('show subject, preview text, HTML, text, and the variables with those that have no value', async () => {
      const data = await shown({
        ...{ subject: 'Hi {{firstName}}', previewText: 'On {{plan}}', templateType: 'marketing' },
        emailTemplate:
          '<p>{{firstName}} {{coupon default="-"}} {{contactProperties.plan}}{{#each items}}{{name}}{{/each}} {{empty}} {{unsubscribe}}</p>',
        dynamicData: { items: [{ name: 'x' }] },
        contactId,
      });
      expect(data).to.deep.include({ subject: 'Hi Ada', previewText: 'On pro', expiresIn: 600 });
      expect(data.html).to.contain('Ada - prox').and.to.contain('/u/preview');
      expect(data.text).to.contain('Ada - prox');
      expect(data.variables).to.deep.equal([
        { name: 'firstName', hasValue: true },
        { name: 'plan', hasValue: true },
        { name: 'coupon', hasValue: false },
        { name: 'contactProperties.plan', hasValue: true },
        { name: 'items', hasValue: true },
        { name: 'empty', hasValue: false },
        { name: 'unsubscribe', hasValue: true },
      ]);
      expect(await environment.deps.db.templates.countDocuments({ projectId: own.project._id })).to.equal(0);
    });

    it('know properties by their bare names only for marketing, as the mail does', async () => {
      const emailTemplate = '<p>[{{plan}}]</p>';
      expect((await shown({ emailTemplate, email: 'Ada@Example.org' })).html).to.equal('<p>[]</p>');
      expect((await shown({ emailTemplate, contactId, templateType: 'marketing' })).html).to.equal('<p>[pro]</p>');
    });

    it('answer a fault with its field, line and column', async () => {
      for (const [body, details] of [
        [{ emailTemplate: '<p>\n  {{#if a}}x</p>\n' }, /^emailTemplate: line 3, column 1: /],
        [
          { emailTemplate: '<p>\r\n\r\n  <b>{{> part}}</b>' },
          /^emailTemplate: line 3, column 6: there is no published snippet/,
        ],
        [{ emailTemplate: 'x {{lookup a "b"}}' }, /^emailTemplate: line 1, column 3: /],
        [{ emailTemplate: 'x\n {{#if a}}{{/each}}' }, /^emailTemplate: line 2, column 5: .*if doesn't match each/],
        [{ emailTemplate: 'x\n {{a ! b}}' }, /^emailTemplate: line 2, column \d+: /],
        [{ emailTemplate: `${'x'.repeat(40)}{{${'a'.repeat(3_000)}}}` }, /^emailTemplate: line 1, column 41: /],
        [
          { emailTemplate: 'x', subject: 'News {{#each}}' },
          /^subject: line 1, column 6: |^subject: line 1, column 15: /,
        ],
        [{ emailTemplate: 'x', previewText: '{{#a}}' }, /^previewText: line 1, column 7: /],
      ] as const) {
        const { status, body: answer } = await draft(body);
        expect([status, answer.error.code], JSON.stringify(body)).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(answer.error.details).to.match(details);
      }
      const a = Array.from({ length: 300 }, (_, index) => index);
      const slow = {
        emailTemplate: '{{#each a}}{{#each ../a}}{{#each ../../a}}x{{/each}}{{/each}}{{/each}}',
        dynamicData: { a },
      };
      expect((await draft(slow)).body.error.code).to.equal('TEMPLATE_RENDER_FAILED');
    });

    it('take the data of a contact of this project alone: another or none is 404 with the field', async () => {
      const theirs = (await environment.other.client.post('/contacts', { email: 'theirs@example.org' })).body.data.id;
      const emailTemplate = '<p>{{firstName}}</p>';
      const [foreign, random] = [
        await draft({ emailTemplate, contactId: theirs }),
        await draft({ emailTemplate, contactId: '0'.repeat(24) }),
      ];
      expect([foreign.status, foreign.text]).to.deep.equal([404, random.text]);
      expect(foreign.body.error.details).to.equal('contactId: names no contact of this project');
      const byAddress = await draft({ emailTemplate, email: 'theirs@example.org' });
      expect([byAddress.status, byAddress.body.error.details]).to.deep.equal([
        404,
        'email: names no contact of this project',
      ]);
      expect((await draft({ emailTemplate, email: 'ada@example.org', contactId })).status).to.equal(400);
      for (const body of [
        {},
        { emailTemplate: 5 },
        { emailTemplate: 'x', email: 'no' },
        { emailTemplate: 'x', dynamicData: [] },
      ])
        expect((await draft(body)).status, JSON.stringify(body)).to.equal(400);
    });

    it('are computed each time: an Idempotency-Key stores nothing', async () => {
      const key = { 'Idempotency-Key': 'the same' };
      expect((await draft({ emailTemplate: 'one' }, key)).body.data.html).to.equal('one');
      expect((await draft({ emailTemplate: 'two' }, key)).body.data.html).to.equal('two');
      expect(await environment.deps.db.idempotency.countDocuments({})).to.equal(0);
    });
  });

  describe('as pages', () => {
    it('have a policy of their own: no script, no origin, no cache, no referrer, pictures of http as well while this service is on http', async () => {
      const { previewUrl, html } = await shown({
        emailTemplate: '<p>Grüße <script>alert(1)</script><img src="https://a.test/x.png"></p>',
      });
      const page = await fetch(previewUrl);
      expect(await page.text()).to.equal(html);
      expect(Object.fromEntries(page.headers)).to.include({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    });

    it('work for ten minutes, with the link as it is alone', async () => {
      const { previewUrl } = await shown({ emailTemplate: '<p>Secret</p>' });
      const token = tokenOf(previewUrl);
      environment.clock.advance(570_000);
      expect((await fetch(previewUrl)).status).to.equal(200);
      environment.clock.advance(31_000);
      const late = await fetch(previewUrl);
      environment.clock.advance(-601_000);
      expect([late.status, late.headers.get('content-security-policy')?.startsWith('sandbox;')]).to.deep.equal([
        404,
        true,
      ]);
      expect(await late.text()).to.not.contain('Secret');
      const bytes = Buffer.from(token, 'base64url');
      for (let index = 0; index < bytes.length; index += 1) {
        const changed = Buffer.from(bytes);
        changed[index]! ^= 1;
        const url = previewUrl.replace(token, changed.toString('base64url'));
        expect((await fetch(url)).status, `byte ${index}`).to.equal(404);
      }
      for (const other of ['', 'x', `${token}A`, token.slice(0, -1), 'x'.repeat(9_000)])
        expect((await fetch(previewUrl.replace(token, other))).status, other.slice(0, 80)).to.be.within(400, 431);
    });

    it('are stored sealed, expire by themselves, and are some 40 a project', async () => {
      const { db } = environment.deps;
      const { previewUrl: first } = await shown({ emailTemplate: '<p>The first secret</p>' });
      for (let count = 0; count < 42; count += 1) await shown({ emailTemplate: `<p>${count}</p>` });
      const projectId = own.project._id;
      const kept = await db.previews.find({ projectId }).toArray();
      expect(kept.length).to.be.within(40, 41);
      expect(kept.every(({ html }) => !Buffer.from(html.text.buffer).includes('<p>'))).to.equal(true);
      expect(kept[0]!.expiresAt.getTime() - Date.now()).to.be.within(500_000, 601_000);
      expect((await fetch(first)).status).to.equal(404);
      const indexes = await db.previews.indexes();
      expect(indexes.find(({ name }) => name === 'expiry')?.expireAfterSeconds).to.equal(0);
    });

    it('of another project are not opened by a token with its ids', async () => {
      const { previewUrl } = await shown({ emailTemplate: '<p>Ours</p>' });
      const _id = (await environment.deps.db.previews.findOne({ projectId: own.project._id }, { sort: { _id: -1 } }))!
        ._id;
      await environment.deps.db.previews.updateOne(
        { _id, projectId: own.project._id },
        { $set: { projectId: environment.other.project._id } },
      );
      expect((await fetch(previewUrl)).status).to.equal(404);
    });
  });

  describe('of mail that came in', () => {
    const bring = async (fields: object) => {
      const id = await makers.inboundId!.make(own, environment);
      await environment.deps.db.inboundMessages.updateOne(
        { _id: new ObjectId(id), projectId: own.project._id },
        { $set: fields },
      );
      return id;
    };
    const previewOf = async (id: string, query = '') =>
      (await own.client.get(`/inbound/messages/${id}/preview${query}`)).body.data;

    it('load pictures of others only on request', async () => {
      const html = '<p style="background:url(https://spy.test/bg.png)">Hi<img src="https://spy.test/x.gif"></p>';
      const id = await bring({ html });
      const without = await previewOf(id);
      expect([without.pictures, without.expiresIn]).to.deep.equal([false, 600]);
      const quiet = await fetch(without.previewUrl);
      expect(quiet.headers.get('content-security-policy')).to.contain('img-src data:;');
      expect(await quiet.text()).to.equal(html);
      const loud = await previewOf(id, '?pictures=true');
      expect(loud.pictures).to.equal(true);
      expect((await fetch(loud.previewUrl)).headers.get('content-security-policy')).to.equal(POLICY);
      expect(tokenOf(loud.previewUrl)).to.not.equal(tokenOf(without.previewUrl));
      expect((await own.client.get(`/inbound/messages/${id}/preview?pictures=maybe`)).status).to.equal(400);
    });

    it('show the pictures that they brought, which no server learns of', async () => {
      const { deps } = environment;
      const picture = png(3, 2);
      const [logo, drawing] = [new ObjectId(), new ObjectId()];
      for (const fileId of [logo, drawing])
        await storeFile(deps, own.project._id, { fileId, fileName: 'a', bytes: picture });
      const file = (fileId: ObjectId, contentId: string, contentType: string) => ({
        ...{ fileId, contentId, contentType, fileName: 'a', sizeBytes: picture.length },
      });
      const id = await bring({
        html: `<img src="cid:logo%20a@x"><p style="background:url(cid:logo a@x)">cid:logo</p><img src='CID:svg@x'><img src=cid:none@x>`,
        attachments: [file(logo, 'logo a@x', 'IMAGE/PNG'), file(drawing, 'svg@x', 'image/svg+xml')],
      });
      const served = await (await fetch((await previewOf(id)).previewUrl)).text();
      const uri = `data:image/png;base64,${Buffer.from(picture).toString('base64')}`;
      expect(served).to.equal(
        `<img src="${uri}"><p style="background:url(cid:logo a@x)">cid:logo</p><img src='CID:svg@x'><img src=cid:none@x>`,
      );

      const often = await bring({
        html: '<img src="cid:l@x">'.repeat(30),
        attachments: [{ ...file(logo, 'l@x', 'image/png'), sizeBytes: 1_000_000 }],
      });
      const large = Buffer.alloc(1_000_000, 1);
      await deleteFile(deps, logo);
      await storeFile(deps, own.project._id, { fileId: logo, fileName: 'a', bytes: large });
      const page = await (await fetch((await previewOf(often)).previewUrl)).text();
      expect(page.match(/data:image/g)).to.have.length(8);
      expect(page.match(/cid:/g)).to.have.length(22);
    });

    it('without HTML are their text, as text', async () => {
      const page = await fetch(
        (await previewOf(await bring({ html: null, text: '<script>alert(1)</script>\n> quoted' }))).previewUrl,
      );
      expect(await page.text()).to.contain('&lt;script&gt;alert(1)&lt;/script&gt;\n&gt; quoted');
    });

    it('are gone as soon as the message is', async () => {
      const id = await bring({ html: '<p>Hi</p>' });
      const { previewUrl } = await previewOf(id);
      await environment.deps.db.inboundMessages.deleteOne({ _id: new ObjectId(id), projectId: own.project._id });
      expect((await fetch(previewUrl)).status).to.equal(404);
    });

    it('neither open nor click our own mail that a reply quotes', async () => {
      const { config } = environment.deps;
      const ref = { projectId: own.project._id, messageId: new ObjectId() };
      const click = `${config.publicUrl}/t/c/${clickToken(config, ref, 'https://shop.example.com/')}`;
      const logo = `${config.publicUrl}/media/${'0'.repeat(64)}.png`;
      const html = `<p>Thanks</p><blockquote><a href="${click}">Sale</a><img src="${logo}"><img src='${openPixelUrl(config, ref)}'></blockquote>`;
      const page = await fetch((await previewOf(await bring({ html }), '?pictures=true')).previewUrl);
      const served = await page.text();
      expect(served).to.not.contain(`${new URL(config.publicUrl).host}/t/`);
      expect(served).to.contain('//preview.invalid/t/').and.to.contain(logo);
    });
  });

  describe('of mail that was sent', () => {
    it('show what was sent to this recipient as long as it is kept', async () => {
      const emailId = await makers.emailId!.make(own, environment);
      const content = async () => (await own.client.get(`/emails/${emailId}/content`)).body.data;
      const { previewUrl, ...rest } = await content();
      expect(rest).to.deep.equal({ subject: 'x', previewText: '', html: null, text: 'x', expiresIn: 600 });
      expect(await (await fetch(previewUrl)).text()).to.contain('x');
      const message = { _id: new ObjectId(emailId), projectId: own.project._id };
      await environment.deps.db.messages.updateOne(message, { $unset: { content: '' } });
      expect(await content()).to.deep.equal({
        subject: 'x',
        previewText: '',
        html: null,
        text: null,
        previewUrl: null,
        expiresIn: 600,
      });
      expect((await fetch(previewUrl)).status).to.equal(404);
    });

    it('show nothing of a person whose data are erased', async () => {
      const emailId = await makers.emailId!.make(own, environment);
      const message = { _id: new ObjectId(emailId), projectId: own.project._id };
      await environment.deps.db.messages.updateOne(message, { $set: { email: '' } as Partial<Message> });
      expect((await own.client.get(`/emails/${emailId}/content`)).body.data).to.include({
        html: null,
        text: null,
        previewUrl: null,
      });
    });
  });
});

describe('Previews of an installation under https', () => {
  const environment = useEnvironment({ PUBLIC_URL: 'https://mail.example.com/post' });

  it('load pictures of https and data alone, so that a console under https shows no mixed content', async () => {
    const { previewUrl } = (
      await environment.own.client.post('/templates/preview', {
        emailTemplate: '<img src="https://mail.example.com/post/t/o/x.gif">',
      })
    ).body.data;
    expect(previewUrl).to.match(/^https:\/\/mail\.example\.com\/post\/previews\//);
    const page = await fetch(previewUrl.replace('https://mail.example.com/post', environment.url));
    expect(page.headers.get('content-security-policy')).to.equal(POLICY.replace(' http:', ''));
    expect(await page.text()).to.equal('<img src="https://preview.invalid/t/o/x.gif">');
  });
});

describe('Previews are bounded', () => {
  let environment: Environment;
  before(async () => {
    environment = await startEnvironment();
  });
  after(() => environment.stop());

  it('by their number: after 600 a minute of all keys of a project 429 says when; another project is served', async () => {
    const { own, other } = environment;
    const ask = (tenant: Tenant) => tenant.client.post('/templates/preview', { emailTemplate: 5 });
    const answers: number[] = [];
    // A minute may end in between.
    while (!answers.includes(429) && answers.length <= 2 * PREVIEWS_A_MINUTE.most)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => ask(own)))).map(({ status }) => status));
    expect(answers.indexOf(429)).to.be.at.least(PREVIEWS_A_MINUTE.most);
    expect((await ask(other)).status).to.equal(400);
    expect((await own.client.get('/templates')).status).to.equal(200);
  });

  it('by their size: a template of 1 MiB, 2,000,000 characters rendered', async () => {
    const { client } = await environment.newTenant('Size');
    expect((await client.post('/templates/preview', { emailTemplate: 'x'.repeat(1_048_577) })).status).to.be.oneOf([
      400, 413,
    ]);
    const dynamicData = { items: Array.from({ length: 3_000 }, () => 1) };
    const emailTemplate = `{{#each items}}${'x'.repeat(1_000)}{{/each}}`;
    expect((await client.post('/templates/preview', { emailTemplate, dynamicData })).status).to.equal(422);
  });
});
