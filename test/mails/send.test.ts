import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { contentOf } from '../../core/mail/messages/contents.ts';
import { SENDER } from '../delivery/support.ts';
import type { Reply } from '../support/client.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

/** Tests the interface only; nothing is sent: test/composing/mail.test.ts checks mails that arrive. */
describe('POST /mails/send', () => {
  const environment = useEnvironment();
  let own: Tenant;
  before(async () => {
    own = environment.own;
    await seedVerifiedDomain(environment.deps, own.project, 'mail.example.com', new ObjectId());
    await seedVerifiedDomain(environment.deps, environment.other.project, 'theirs.example.com', new ObjectId());
  });

  const mail = (fields: object) => ({
    to: { email: 'ada@in.test' },
    from: { email: SENDER },
    subject: 'Hello',
    html: '<p>Hello</p>',
    ...fields,
  });
  const send = (fields: object, headers?: Record<string, string>) =>
    own.client.post('/mails/send', mail(fields), headers);
  const stored = ({ body }: Reply) =>
    environment.deps.db.messages.findOne({
      _id: new ObjectId(body.data.emailId as string),
      projectId: own.project._id,
    });
  const count = () => environment.deps.db.messages.countDocuments({ projectId: own.project._id });

  async function refused(fields: object, status: number, code: string | undefined, details: RegExp): Promise<void> {
    const before = await count();
    const answer = await send(fields);
    expect(answer.status, answer.text).to.equal(status);
    expect(answer.body.error.code).to.equal(code);
    expect(answer.body.error.details ?? answer.body.error.message).to.match(details);
    expect(await count()).to.equal(before);
  }

  it('queues the mail durably and answers emailId, message and totalRecipients', async () => {
    const answer = await send({ cc: [{ email: 'cc@in.test', name: 'Cc' }], bcc: [{ email: 'bcc@in.test' }] });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.include({ success: true, message: 'Email queued successfully.' });
    expect(answer.body.data).to.have.all.keys('emailId', 'message', 'totalRecipients');
    expect(answer.body.data.totalRecipients).to.equal(3);
    expect(await stored(answer)).to.deep.include({ state: 'queued', lane: 'transactional', email: 'ada@in.test' });
  });

  it('takes text alone, html alone, and a template without a subject of its own', async () => {
    expect((await send({ html: undefined, text: 'Only text' })).status).to.equal(200);
    expect((await send({ html: '<p>Only html</p>' })).status).to.equal(200);
    const template = await own.client.post('/templates', {
      templateName: 'With subject',
      subject: 'From the template',
      emailTemplate: '<p>x</p>',
    });
    const { templateId } = template.body.data;
    const sent = await send({ html: undefined, subject: undefined, templateId });
    expect((await stored(sent))?.subject).to.equal('From the template');
    const own_ = await send({ html: undefined, subject: 'My own', templateId });
    expect((await stored(own_))?.subject).to.equal('My own');
  });

  it('html and text win over the templateId for this mail and do not change the template', async () => {
    const template = { templateName: 'T', subject: 'S', emailTemplate: '<p>of the template</p>' };
    const { templateId } = (await own.client.post('/templates', template)).body.data;
    const sent = await send({ subject: undefined, html: '<p>of the call</p>', text: 'plain', templateId });
    const { body } = await own.client.get(`/emails/${sent.body.data.emailId}`);
    expect(body.data.content).to.include({ html: '<p>of the call</p>', text: 'plain', templateId });
    expect((await own.client.get(`/templates/${templateId}`)).body.data.emailTemplate).to.equal(
      '<p>of the template</p>',
    );
  });

  it('says what is missing', async () => {
    await refused({ to: undefined }, 400, 'VALIDATION_ERROR', /to: is required/);
    await refused({ from: undefined }, 400, 'VALIDATION_ERROR', /from: is required/);
    await refused({ html: undefined }, 400, 'VALIDATION_ERROR', /html: is required without templateId and text/);
    await refused({ subject: undefined }, 400, 'VALIDATION_ERROR', /subject: is required/);
    const { templateId } = (await own.client.post('/templates', { templateName: 'T', emailTemplate: 'x' })).body.data;
    await refused(
      { subject: undefined, templateId },
      400,
      'VALIDATION_ERROR',
      /subject: is required, the template has none/,
    );
  });

  it('points to bulk when `to` is an array', async () => {
    await refused({ to: [{ email: 'a@in.test' }] }, 400, 'VALIDATION_ERROR', /to: must be an object.*\/mails\/bulk/);
  });

  it('what it names must exist in this project: 404, and the same for a foreign id as for a random one', async () => {
    const { client } = environment.other;
    const { templateId } = (await client.post('/templates', { templateName: 'T', emailTemplate: 'x' })).body.data;
    const { groupId } = (await client.post('/suppression-groups', { name: 'Theirs' })).body.data;
    for (const id of [templateId, 'A-00000000000000000000', 'A-$where', 'x'])
      await refused({ templateId: id }, 404, 'TEMPLATE_NOT_FOUND', /^templateId: /);
    for (const id of [groupId, 'ZZZZZZ', 'x'])
      await refused({ unsubscribeGroupId: id }, 404, 'SUPPRESSION_GROUP_NOT_FOUND', /^unsubscribeGroupId: /);
  });

  it('`from` must be on a verified domain of the project, exactly', async () => {
    for (const email of [
      'x@theirs.example.com',
      'x@mail.example.com.evil.test',
      'x@sub.mail.example.com',
      'x@example.com',
      'x@unknown.test',
    ])
      await refused({ from: { email } }, 422, 'DOMAIN_NOT_VERIFIED', /^from\/email: /);
    await refused({ from: { email: 'x@evil.test(mail.example.com)' } }, 400, 'VALIDATION_ERROR', /from\/email/);
    expect((await send({ from: { email: 'X@MAIL.Example.com.' } })).status).to.equal(200);
  });

  it('naming an unsubscribe group, by either name, makes it marketing mail', async () => {
    const { groupId } = (await own.client.post('/suppression-groups', { name: 'News' })).body.data;
    for (const fields of [{ unsubscribeGroupId: groupId }, { unsubscribe: { groupId } }]) {
      const answer = await send(fields);
      expect((await stored(answer))?.lane).to.equal('automation');
      const { body } = await own.client.get(`/emails/${answer.body.data.emailId}`);
      expect(body.data.content.unsubscribeGroupId).to.equal(groupId);
    }
    const template = { templateName: 'M', emailTemplate: 'x', templateType: 'marketing' };
    const { templateId } = (await own.client.post('/templates', template)).body.data;
    expect((await stored(await send({ templateId })))?.lane).to.equal('automation');
  });

  it("tracking that is not given falls back to the project's", async () => {
    const tenant = await environment.newTenant('Untracked');
    await seedVerifiedDomain(environment.deps, tenant.project, 'untracked.example.com', new ObjectId());
    const { _id } = tenant.project;
    await environment.client(tenant.adminKey).patch(`/account/projects/${_id}`, { trackingOpen: false });
    const from = { email: 'a@untracked.example.com' };
    const contentOf = async (fields: object) => {
      const { body } = await tenant.client.post('/mails/send', mail({ from, ...fields }));
      return (await tenant.client.get(`/emails/${body.data.emailId}`)).body.data.content;
    };
    expect(await contentOf({})).to.include({ trackingOpen: false, trackingClick: true });
    expect(await contentOf({ trackingOpen: true, trackingClick: false })).to.include({
      trackingOpen: true,
      trackingClick: false,
    });
  });

  it('an address counts once, and to, cc and bcc are 50 at most', async () => {
    const doubled = await send({
      cc: [{ email: 'ADA@in.test' }, { email: 'b@in.test' }],
      bcc: [{ email: 'b@in.test' }],
    });
    expect(doubled.body.data.totalRecipients).to.equal(2);
    const people = (length: number) => Array.from({ length }, (_, index) => ({ email: `p${index}@in.test` }));
    expect((await send({ cc: people(49) })).body.data.totalRecipients).to.equal(50);
    await refused({ cc: people(30), bcc: people(60).slice(30) }, 400, 'VALIDATION_ERROR', /50 addresses at most/);
    await refused({ cc: people(51) }, 400, 'VALIDATION_ERROR', /cc: must hold 50 entries at most/);
  });

  describe('a suppressed recipient', () => {
    const record = async (answer: Reply) => (await own.client.get(`/emails/${answer.body.data.emailId}`)).body.data;

    it('answers 200 with an emailId whose record says suppressed, and why', async () => {
      await own.client.post('/suppression-groups/emails/suppress', {
        emails: ['bounced@in.test'],
        isGlobal: true,
        reason: 'BOUNCE',
      });
      for (const email of ['bounced@in.test', 'BOUNCED@IN.TEST', 'bounced@in.test.']) {
        const answer = await send({ to: { email } });
        expect(answer.status).to.equal(200);
        const { status, suppressedBy, timeline } = await record(answer);
        expect(status).to.equal('suppressed');
        expect(suppressedBy.reason).to.equal('BOUNCE');
        expect(timeline.map(({ type }: { type: string }) => type)).to.deep.equal(['queued', 'suppressed']);
      }
      expect((await record(await send({ to: { email: 'bounced+tag@in.test' } }))).status).to.equal('queued');
    });

    it('bypassSuppressions skips everything but a complaint', async () => {
      await own.client.post('/suppression-groups/emails/suppress', {
        emails: ['angry@in.test'],
        reason: 'COMPLAINT',
        isGlobal: true,
      });
      const statusOf = async (email: string) =>
        (await record(await send({ to: { email }, bypassSuppressions: true }))).status;
      expect(await statusOf('bounced@in.test')).to.equal('queued');
      expect(await statusOf('angry@in.test')).to.equal('suppressed');
    });

    it('an unsubscribe in the default group stops marketing mail only; in a group it stops the mail that names it', async () => {
      const { groupId } = (await own.client.post('/suppression-groups', { name: 'Weekly' })).body.data;
      await own.client.post('/suppression-groups/emails/suppress', { emails: ['left@in.test'], reason: 'UNSUBSCRIBE' });
      await own.client.post('/suppression-groups/emails/suppress', {
        emails: ['weekly@in.test'],
        reason: 'UNSUBSCRIBE',
        groupId,
      });
      const template = { templateName: 'M', emailTemplate: 'x', templateType: 'marketing' };
      const { templateId } = (await own.client.post('/templates', template)).body.data;
      const statusOf = async (fields: object) => (await record(await send(fields))).status;
      expect(await statusOf({ to: { email: 'left@in.test' } })).to.equal('queued');
      expect(await statusOf({ to: { email: 'left@in.test' }, templateId })).to.equal('suppressed');
      expect(await statusOf({ to: { email: 'weekly@in.test' } })).to.equal('queued');
      expect(await statusOf({ to: { email: 'weekly@in.test' }, unsubscribeGroupId: groupId })).to.equal('suppressed');
    });

    it('is left out alone: cc and bcc each have their own record', async () => {
      const { recipients, status } = await record(await send({ cc: [{ email: 'bounced@in.test' }] }));
      expect(status).to.equal('queued');
      expect(recipients.map(({ email, status: own_ }: Record<string, string>) => `${email} ${own_}`)).to.deep.equal([
        'ada@in.test queued',
        'bounced@in.test suppressed',
      ]);
    });
  });

  describe('templates', () => {
    it('source that does not parse, or uses what is not allowed, is 400 with the line', async () => {
      await refused({ html: '<p>\n{{#if x}}\n</p>' }, 400, 'VALIDATION_ERROR', /^html: line \d/);
      await refused({ html: '<p>\n{{env "HOME"}}</p>' }, 400, 'VALIDATION_ERROR', /^html: line 2/);
      await refused({ subject: '{{> x}}' }, 400, 'VALIDATION_ERROR', /^subject: line 1/);
      await refused({ html: undefined, text: '{{#each a}}' }, 400, 'VALIDATION_ERROR', /^text: line/);
    });

    it('source that fails with these data is 422 TEMPLATE_RENDER_FAILED', async () => {
      const many = Array.from({ length: 300 }, (_, index) => index);
      const html = '{{#each a}}{{#each ../a}}{{#each ../../a}}x{{/each}}{{/each}}{{/each}}';
      await refused({ html, dynamicData: { a: many } }, 422, 'TEMPLATE_RENDER_FAILED', /./);
    });

    it('dynamicData has its limits: 256 kB, 10 levels, 5,000 keys', async () => {
      await refused(
        { dynamicData: { x: 'x'.repeat(256 * 1024 + 1) } },
        400,
        'VALIDATION_ERROR',
        /^dynamicData: .*256 kB/,
      );
      let deep: object = {};
      for (let level = 0; level < 12; level++) deep = { deep };
      await refused({ dynamicData: deep }, 400, 'VALIDATION_ERROR', /^dynamicData: .*levels/);
      const wide = Object.fromEntries(Array.from({ length: 5_001 }, (_, index) => [`k${index}`, 1]));
      await refused({ dynamicData: wide }, 400, 'VALIDATION_ERROR', /^dynamicData: .*keys/);
      await refused({ dynamicData: [1] }, 400, 'VALIDATION_ERROR', /dynamicData: must be an object/);
    });
  });

  describe('attachments', () => {
    const base64 = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64');
    const one = (fields: object) => ({ attachments: [{ fileName: 'a.txt', content: base64(10), ...fields }] });

    it('are taken inline, with line breaks in the base64, under fileName or filename', async () => {
      const lines = base64(200).replace(/.{76}/g, '$&\r\n');
      for (const fields of [
        one({}),
        one({ content: lines }),
        one({ fileName: undefined, filename: 'b.txt' }),
        one({ fileSize: 10 }),
      ])
        expect((await send(fields)).status).to.equal(200);
    });

    it('need a name and either content or a URL, and say what is wrong with which', async () => {
      await refused(one({ fileName: undefined }), 400, 'VALIDATION_ERROR', /attachments\/0\/fileName: is required/);
      await refused(
        one({ content: undefined }),
        400,
        'VALIDATION_ERROR',
        /attachments\/0: must have either content or fileUrl/,
      );
      await refused(one({ fileUrl: 'https://x.test/a' }), 400, 'VALIDATION_ERROR', /attachments\/0: must have either/);
      for (const content of ['not base64!', 'a', '====', '', 'aGk*'])
        await refused(one({ content }), 400, 'VALIDATION_ERROR', /attachments\/0\/content: must be base64/);
      await refused(one({ fileSize: 11 }), 400, 'VALIDATION_ERROR', /attachments\/0\/fileSize: must be the size/);
      await refused(one({ fileSize: 0 }), 400, 'VALIDATION_ERROR', /fileSize/);
      await refused(one({ fileName: 'a\r\nb' }), 400, 'VALIDATION_ERROR', /fileName: must be one line/);
      await refused(one({ fileName: 'x'.repeat(257) }), 400, 'VALIDATION_ERROR', /fileName: must be 256 characters/);
      await refused(one({ contentId: 'x'.repeat(129) }), 400, 'VALIDATION_ERROR', /contentId: must be 128/);
      await refused(one({ description: 'x'.repeat(257) }), 400, 'VALIDATION_ERROR', /description: must be 256/);
    });

    it('are 20 at most, and 40 MiB together after decoding', async () => {
      const twentyOne = Array.from({ length: 21 }, () => ({ fileName: 'a', content: base64(1) }));
      await refused({ attachments: twentyOne }, 400, 'VALIDATION_ERROR', /attachments: must hold 20/);
      const large = { fileName: 'large', content: base64(20 * 1024 * 1024 + 1) };
      await refused({ attachments: [large, large] }, 400, 'VALIDATION_ERROR', /^attachments: .*bytes together/);
    });

    for (const fileUrl of [
      'http://127.0.0.1/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://017700000001/',
      'https://0/',
      'https://0.0.0.0/',
      'https://①②⑦.⓪.⓪.①/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[64:ff9b::7f00:1]/',
      'https://[2002:7f00:1::]/',
      'https://[fe80::1]/',
      'https://[fd00:ec2::254]/',
      'https://10.0.0.1/',
      'https://100.100.100.200/',
      'https://169.254.169.254/latest/meta-data/',
      'https://172.20.0.1/',
      'https://192.168.1.1/',
      'https://localhost/',
      'https://LOCALHOST./',
      'https://x.localhost/',
      'https://metadata.google.internal/',
      'ftp://files.test/a',
      'file:///etc/passwd',
      'gopher://x.test/',
      'data:text/plain,x',
      'javascript:alert(1)',
      'https:\\\\127.0.0.1',
      'https:127.0.0.1',
      '//127.0.0.1',
      'https://user:pw@files.test/',
      'https://files.test:22/',
      'https://files.test:27017/',
      'https://127.0.0.1:80@files.test/',
      'not a url',
    ])
      it(`by URL are refused at once when it is no public one: ${fileUrl}`, () =>
        refused(
          { attachments: [{ fileName: 'a', fileUrl }] },
          400,
          'VALIDATION_ERROR',
          /^attachments\/0\/fileUrl: must be a public https URL$/,
        ));
  });

  describe('hostile addresses and headers', () => {
    for (const email of [
      'a@b.test\r\nBcc: x@y.zz',
      'a@b.test\n',
      '"x@evil.com y"@b.test',
      'a@b.test(c)',
      'b@y.test(c)evil.test',
      'g: evil@e.test;',
      'a@b.test, c@d.test',
      'A <a@b.test>',
      '<a@b.test>',
      'a@[127.0.0.1]',
      'a@localhost',
      'a@b',
      'a@-b.test',
      'a..b@c.test',
      '.a@b.test',
      `${'a'.repeat(65)}@b.test`,
      'b@exa\u00admple.test',
      'a\u200b@b.test',
      '\u0430@b.test',
    ])
      it(`${JSON.stringify(email)} is no address, in to, from, cc, bcc and replyTo`, async () => {
        for (const fields of [
          { to: { email } },
          { from: { email } },
          { cc: [{ email }] },
          { bcc: [{ email }] },
          { replyTo: { email } },
        ])
          await refused(fields, 400, 'VALIDATION_ERROR', /email: must be an email address/);
      });

    it('an address is stored in its normal form, and the two spellings of an international domain are one', async () => {
      for (const [given, kept] of [
        ['A@B.Test', 'a@b.test'],
        [' a@b.test ', 'a@b.test'],
        ['a@例え.jp', 'a@xn--r8jz45g.jp'],
        ['a@xn--r8jz45g.jp', 'a@xn--r8jz45g.jp'],
      ])
        expect((await stored(await send({ to: { email: given } })))?.email).to.equal(kept);
    });

    for (const text of ['a\rb', 'a\nBcc: evil@e.test', 'a\r\n\r\nb', 'a\u000bb', 'a\u2028b'])
      it(`${JSON.stringify(text)} is refused in a subject, a name, a header value and a file name`, async () => {
        await refused({ subject: text }, 400, 'VALIDATION_ERROR', /subject: must be one line/);
        await refused(
          { to: { email: 'a@in.test', name: text } },
          400,
          'VALIDATION_ERROR',
          /to\/name: must be one line/,
        );
        await refused({ from: { email: SENDER, name: text } }, 400, 'VALIDATION_ERROR', /from\/name/);
        await refused({ headers: { 'X-A': text } }, 400, 'VALIDATION_ERROR', /headers\/X-A/);
        await refused({ attachments: [{ fileName: text, content: 'aGk=' }] }, 400, 'VALIDATION_ERROR', /fileName/);
      });

    it('NUL and half a surrogate pair are refused anywhere', async () => {
      await refused({ subject: 'a\u0000b' }, 400, 'VALIDATION_ERROR', /NUL/);
      await refused({ html: 'a\ud800b' }, 400, 'VALIDATION_ERROR', /surrogate/);
    });

    for (const name of [
      ...['Bcc', 'BCC', 'To', 'From', 'Sender', 'Reply-To', 'Return-Path', 'Date', 'Message-ID', 'MIME-Version'],
      ...['Subject', 'Cc', 'Content-Type', 'content-transfer-encoding', 'DKIM-Signature', 'ARC-Seal', 'Received'],
      ...['List-Unsubscribe', 'List-Unsubscribe-Post', 'Feedback-ID', 'X-SES-Configuration-Set', 'Auto-Submitted'],
    ])
      it(`the header ${name} is reserved`, () =>
        refused(
          { headers: { [name]: 'x' } },
          400,
          'VALIDATION_ERROR',
          new RegExp(`headers/${name}: is set by this service`),
        ));

    it('header values are strings, names are letters, digits and hyphens, 20 at most, 1,000 characters at most', async () => {
      for (const value of [{ prepared: true, value: 'v\r\nX-Evil: 1' }, ['a'], 1, true, null])
        await refused({ headers: { 'X-A': value } }, 400, 'VALIDATION_ERROR', /headers\/X-A: must be a string/);
      for (const name of ['X A', 'X:A', 'X_A', '', 'bcc ', 'X'.repeat(77)])
        await refused({ headers: { [name]: 'x' } }, 400, 'VALIDATION_ERROR', /headers: has a name that is not allowed/);
      const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, index) => [`X-${index}`, 'x']));
      expect((await send({ headers: many(20) })).status).to.equal(200);
      await refused({ headers: many(21) }, 400, 'VALIDATION_ERROR', /headers/);
      expect((await send({ headers: { 'X-A': 'x'.repeat(1_000) } })).status).to.equal(200);
      await refused({ headers: { 'X-A': 'x'.repeat(1_001) } }, 400, 'VALIDATION_ERROR', /headers\/X-A: must be 1000/);
    });

    it('a subject has 998 characters at most', async () => {
      expect((await send({ subject: 'é'.repeat(998) })).status).to.equal(200);
      await refused({ subject: 'x'.repeat(999) }, 400, 'VALIDATION_ERROR', /subject: must be 998/);
    });
  });

  it('mails that come together are stored alike; a short content is stored on its message, a long one separately', async () => {
    const storedTogether = async (html: string, copies: number) => {
      const answers = await Promise.all(Array.from({ length: copies }, () => send({ html, dynamicData: { a: null } })));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.data.emailId)).size).to.equal(copies);
      const message = await stored(answers.at(-1)!);
      const content = await contentOf(environment.deps, message!);
      expect([content?.html, content?.data]).to.deep.equal([html, { a: null }]);
      const beside = await environment.deps.db.contents.findOne({ _id: message!.contentId });
      const { content: own, contentDueAt, ...rest } = message!;
      expect(contentDueAt ?? beside?.removeDueAt).to.be.greaterThan(new Date());
      const { removeDueAt: _, ...kept } = content!;
      const where = own && !beside ? 'own' : beside && !own ? 'beside' : 'both';
      return { where, keys: [Object.keys(rest).sort(), Object.keys(kept).sort()] };
    };
    const small = await storedTogether('<p>short</p>', 40);
    const light = await storedTogether(`<p>${'ä'.repeat(20_000)}</p>`, 40);
    const heavy = await storedTogether(`<p>${'ä'.repeat(450_000)}</p>`, 24);
    expect([small.where, light.where, heavy.where]).to.deep.equal(['own', 'beside', 'beside']);
    expect(light.keys).to.deep.equal(small.keys);
    expect(heavy.keys).to.deep.equal(small.keys);
  });

  it('a repeated Idempotency-Key gives the same emailId and one mail; two hundred at once too', async () => {
    const before = await count();
    const tries = await Promise.all(
      Array.from({ length: 200 }, async () => {
        for (;;) {
          const answer = await send({}, { 'Idempotency-Key': 'one-mail' });
          // So many at once may wait too long for a connection to MongoDB, which is 503.
          if (![409, 503].includes(answer.status)) return answer;
          expect(answer.body.error.code).to.be.oneOf(['IDEMPOTENCY_IN_PROGRESS', 'UNAVAILABLE']);
          await sleep(20);
        }
      }),
    );
    expect(new Set(tries.map(({ text }) => text)).size).to.equal(1);
    expect(await count()).to.equal(before + 1);
    const other = await send({ subject: 'Another' }, { 'Idempotency-Key': 'one-mail' });
    expect([other.status, other.body.error.code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_REUSED']);
  });
});
