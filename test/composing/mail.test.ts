import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import {
  readClickToken,
  readMailLocalPart,
  readOpenToken,
  readUnsubscribeToken,
} from '../../core/mail/compose/tokens.ts';
import { hurry, type Post, startPost } from '../delivery/support.ts';
import { signatureVerdicts } from '../support/mail/signatures.ts';
import { until } from '../support/wait.ts';

describe('A mail as it arrives', () => {
  let post: Post;
  let files: Server;
  let fileUrl: string;
  const asked: string[] = [];
  before(async () => {
    files = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/busy') return response.writeHead(503).end();
      if (request.url === '/gone') return response.writeHead(404).end();
      if (request.url === '/inside') return response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
      response.writeHead(200, { 'Content-Type': 'image/png' });
      if (request.url === '/large') return response.end(Buffer.alloc(3_000_000, 1));
      if (request.url !== '/endless') return response.end('PNG bytes');
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    const { port } = files.address() as AddressInfo;
    fileUrl = `http://127.0.0.1:${port}`;
    post = await startPost({ env: { ALLOW_PRIVATE_URLS: `127.0.0.1:${port}` } });
  });
  after(async () => {
    files.closeAllConnections();
    files.close();
    await post.stop();
  });

  const config = () => post.environment.deps.config;
  const header = (mail: { headers: Array<{ key: string; value: string }> }, name: string) =>
    mail.headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value);
  const linksIn = (html: string | undefined) =>
    [...(html ?? '').matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url]) => url!.replaceAll('&amp;', '&'));

  async function verify(raw: string) {
    return signatureVerdicts(raw, (await post.own.client.get('/domains')).body.data.domains[0]);
  }

  /** The algorithms of the signatures of a new mail. */
  async function signedWith(): Promise<string[]> {
    const { mail } = await post.arrived(await post.send({ to: { email: 'a@in.test' } }));
    return header(mail, 'dkim-signature').map((value) => /a=([\w-]+);/.exec(value)?.[1] ?? '');
  }

  it('a transactional mail has one of each header, both parts, and nothing that asks to unsubscribe', async () => {
    const answer = await post.send({
      to: { email: 'ada@in.test', name: 'Ada "L" Lövelace' },
      replyTo: { email: 'reply@in.test', name: 'Reply' },
      subject: 'Grüße, {{name}}',
      html: '<p>Hello {{name}}</p><img src="x.png"><a href="mailto:a@b.test">m</a>',
      dynamicData: { name: 'Ada <b>' },
      headers: { 'X-Order': '42', 'X-Umlaut': 'é' },
    });
    const { mail, raw, envelope } = await post.arrived(answer);
    expect(mail.subject).to.equal('Grüße, Ada <b>');
    expect(mail.from).to.deep.include({ address: 'post@mail.example.com', name: 'The Post' });
    expect(mail.to).to.deep.equal([{ address: 'ada@in.test', name: 'Ada "L" Lövelace' }]);
    expect(mail.replyTo?.[0]).to.deep.include({ address: 'reply@in.test' });
    expect(mail.messageId).to.equal(`<${answer.body.data.emailId}@mail.example.com>`);
    expect(mail.html).to.include('Hello Ada &lt;b&gt;');
    expect(mail.text?.trim()).to.match(/^Hello Ada <b>/);
    for (const name of ['from', 'to', 'subject', 'date', 'message-id', 'mime-version', 'reply-to', 'feedback-id'])
      expect(header(mail, name), name).to.have.length(1);
    for (const name of ['list-unsubscribe', 'list-unsubscribe-post', 'list-id', 'precedence', 'bcc', 'auto-submitted'])
      expect(header(mail, name), name).to.deep.equal([]);
    expect(header(mail, 'x-order')).to.deep.equal(['42']);
    expect(raw.split('\r\n').every((line) => line.length <= 998)).to.equal(true);
    expect(post.sink.ledger.badLines).to.equal(0);
    expect(readMailLocalPart(config(), envelope.from.split('@')[0]!)).to.deep.include({ kind: 'b' });
    expect(envelope.from).to.match(/@.*mail\.example\.com$/);
    expect(envelope.to).to.deep.equal(['ada@in.test']);
  });

  it('marketing mail can be unsubscribed from in one click, says which list it is of, and that it is bulk', async () => {
    const { groupId } = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const answer = await post.send({
      to: { email: 'ada@in.test' },
      unsubscribeGroupId: groupId,
      html: '<p>News</p><a href="{{unsubscribe}}">leave</a>',
    });
    const { mail } = await post.arrived(answer);
    const [unsubscribe] = header(mail, 'list-unsubscribe');
    const [, url, address] = /^<(http[^>]+)>, <mailto:([^>?]+)\?subject=unsubscribe>$/.exec(unsubscribe!)!;
    const ref = { projectId: post.own.project._id, messageId: (await post.read(answer))._id };
    expect(readUnsubscribeToken(config(), url!.split('/u/')[1]!)).to.deep.equal({
      ...ref,
      groupId,
      email: 'ada@in.test',
    });
    expect(readMailLocalPart(config(), address!.split('@')[0]!)).to.deep.equal({ kind: 'u', ...ref, groupId });
    expect(header(mail, 'list-unsubscribe-post')).to.deep.equal(['List-Unsubscribe=One-Click']);
    expect(header(mail, 'list-id')[0]).to.equal(`<${groupId.toLowerCase()}.${post.own.project._id}.mail.example.com>`);
    expect(header(mail, 'precedence')).to.deep.equal(['bulk']);
    expect(header(mail, 'feedback-id')[0]).to.match(/^single:[0-9a-f]{24}:marketing:[0-9a-f]{12}$/);
    expect(linksIn(mail.html)).to.include(url);
  });

  it('is signed with both keys of its domain, over everything that matters; a change of any of it breaks the signature', async () => {
    const { groupId } = (await post.own.client.post('/suppression-groups', { name: 'Signed' })).body.data;
    const answer = await post.send({
      to: { email: 'a@in.test' },
      cc: [{ email: 'c@in.test' }],
      unsubscribeGroupId: groupId,
    });
    const { raw } = await post.arrived(answer);
    expect(await verify(raw)).to.deep.equal(['pass', 'pass']);
    for (const name of [
      'From',
      'To',
      'Cc',
      'Subject',
      'Date',
      'Message-ID',
      'MIME-Version',
      'Content-Type',
      'List-Id',
      'List-Unsubscribe',
      'List-Unsubscribe-Post',
      'Feedback-ID',
    ]) {
      const altered = raw.replace(new RegExp(`^(${name}: )`, 'm'), '$1x');
      expect(altered, name).to.not.equal(raw);
      expect(await verify(altered), name).to.not.include('pass');
    }
    expect(await verify(raw.replace('Hello', 'Hullo'))).to.not.include('pass');
  });

  it('dkimSigning: relay leaves the signature to the relay', async () => {
    const { id } = (await post.own.client.get('/domains')).body.data.domains[0];
    await post.own.client.patch(`/domains/${id}`, { dkimSigning: 'relay' });
    await until(signedWith, ({ length }) => length === 0, { everyMs: 500 });
    await post.own.client.patch(`/domains/${id}`, { dkimSigning: 'own' });
    await until(signedWith, ({ length }) => length === 2, { everyMs: 500 });
  });

  it('is signed with the algorithms that the project names, and with RSA while the Ed25519 record is not found', async () => {
    const { adminKey, project } = post.own;
    const choose = (dkimAlgorithms: unknown) =>
      post.environment.client(adminKey).patch(`/account/projects/${project._id}`, { dkimAlgorithms });
    const both = ['ed25519-sha256', 'rsa-sha256'];
    for (const algorithms of [['rsa-sha256'], ['ed25519-sha256'], both]) {
      expect((await choose(algorithms)).body.data.dkimAlgorithms).to.deep.equal(algorithms);
      await until(signedWith, (names) => names.sort().join() === algorithms.join(), { everyMs: 500 });
    }
    for (const wrong of [[], ['rsa-sha1'], ['rsa-sha256', 'rsa-sha256'], 'rsa-sha256', null])
      expect((await choose(wrong)).body.error.details).to.match(/^dkimAlgorithms/);
    await choose(['ed25519-sha256']);
    const { db } = post.environment.deps;
    await db.domains.updateMany({ projectId: project._id }, { $set: { dkimEd25519Enabled: false } });
    await until(signedWith, (names) => names.join() === 'rsa-sha256', { everyMs: 500 });
    await db.domains.updateMany({ projectId: project._id }, { $set: { dkimEd25519Enabled: true } });
    await choose(both);
  });

  it('tracked links carry their target under a signature, and the pixel comes last; text and mailto stay as they are', async () => {
    const target = 'https://shop.test/a%2Fb?x=1&y=ü#part';
    const answer = await post.send({
      to: { email: 'a@in.test' },
      html: `<body><a href="${target.replace('&', '&amp;')}">a</a><a href="mailto:x@y.test">b</a><a data-no-track href="https://plain.test/">c</a></body>`,
    });
    const { mail } = await post.arrived(answer);
    const [click, mailto, plain, pixel] = linksIn(mail.html);
    expect(readClickToken(config(), click!.split('/t/c/')[1]!)?.target).to.equal(target);
    expect([mailto, plain]).to.deep.equal(['mailto:x@y.test', 'https://plain.test/']);
    expect(readOpenToken(config(), pixel!.split('/t/o/')[1]!.replace('.gif', ''))?.messageId).to.deep.equal(
      (await post.read(answer))._id,
    );
    expect(mail.text).to.include(target);
    const bare = await post.arrived(
      await post.send({
        to: { email: 'a@in.test' },
        html: `<a href="${target}">a</a>`,
        trackingClick: false,
        trackingOpen: false,
      }),
    );
    expect(linksIn(bare.mail.html)).to.deep.equal([target]);
  });

  it('a link of 5,000 bytes is tracked and its click leads to it; a longer one stays as it is, since its click could not be read', async () => {
    const linkOf = (bytes: number) => `https://shop.test/form?v=${'ü'.repeat(20)}${'a'.repeat(bytes - 65)}`;
    const [longest, longer] = [linkOf(5_000), linkOf(5_001)];
    expect([longest, longer].map((url) => Buffer.byteLength(url))).to.deep.equal([5_000, 5_001]);
    const answer = await post.send({
      to: { email: 'a@in.test' },
      html: `<a href="${longest}">a</a><a href="${longer}">b</a><a href="${linkOf(7_000)}">c</a>`,
    });
    const { mail } = await post.arrived(answer);
    const [click, plain, plainToo, pixel] = linksIn(mail.html);
    expect([plain, plainToo]).to.deep.equal([longer, linkOf(7_000)]);
    const visitor = post.environment.client(null, { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' });
    const visit = (url: string) => visitor.get(url.slice(config().publicUrl.length));
    const clicked = await visit(click!);
    expect([clicked.status, clicked.headers.get('location')]).to.deep.equal([302, new URL(longest).href]);
    expect((await visit(pixel!)).headers.get('content-type')).to.equal('image/gif');
    const { _id, projectId } = await post.read(answer);
    const engagements = post.environment.deps.db.engagements;
    const engaged = await until(
      () => engagements.findOne({ _id, projectId }),
      (one) => one?.clickCount === 1 && one?.openCount === 1,
    );
    expect(engaged?.clicks?.map(({ url }) => url)).to.deep.equal([longest]);
  });

  it('templates: escaped in HTML, plain in subject and text, raw where they say so, never evaluated twice, missing ones empty', async () => {
    const answer = await post.send({
      to: { email: 'a@in.test' },
      subject: '{{v}}|{{missing}}|{{email}}',
      html: '<p>{{v}}|{{{v}}}|{{missing}}|{{date}}|{{twice}}|{{o.toString}}{{constructor}}</p><a href="{{u}}">x</a>',
      text: '{{v}}|{{email}}|{{firstName}}',
      dynamicData: { v: '<b>&', twice: '{{v}}', u: 'javascript:alert(1)' },
      trackingOpen: false,
    });
    const { mail } = await post.arrived(answer);
    expect(mail.subject).to.equal('<b>&||a@in.test');
    const day = new Date(mail.date ?? '').toISOString().slice(0, 10);
    expect(mail.html).to.include(`<p>&lt;b&gt;&amp;|<b>&||${day}|{{v}}|</p>`).and.not.include('javascript:');
    expect(mail.text?.trim()).to.equal('<b>&|a@in.test|');
  });

  it('a contact of that address fills its own fields, and what the call says wins', async () => {
    await post.own.client.post('/contacts/email', {
      email: 'known@in.test',
      firstName: 'Grace',
      contactProperties: { plan: 'pro' },
    });
    const html = '<p>{{firstName}} {{contactProperties.plan}}</p>';
    const one = await post.arrived(await post.send({ to: { email: 'known@in.test' }, html }));
    expect(one.mail.html).to.include('<p>Grace pro</p>');
    const two = await post.arrived(
      await post.send({ to: { email: 'known@in.test' }, html, dynamicData: { firstName: 'Ada' } }),
    );
    expect(two.mail.html).to.include('<p>Ada pro</p>');
  });

  it('a template gives subject, preview text and body', async () => {
    const { templateId } = (
      await post.own.client.post('/templates', {
        templateName: 'T',
        subject: 'Order {{n}}',
        previewText: 'It is <on> its way, {{name}}',
        emailTemplate: '<html><body><h1>Order {{n}}</h1></body></html>',
      })
    ).body.data;
    const { mail } = await post.arrived(
      await post.send({ to: { email: 'a@in.test' }, templateId, dynamicData: { n: 7, name: 'Ada' } }),
    );
    expect(mail.subject).to.equal('Order 7');
    expect(mail.html).to.match(
      /<body><div style="display:none[^>]*>It is &lt;on&gt; its way, Ada<\/div><h1>Order 7<\/h1>/,
    );
    expect(mail.text?.trim()).to.equal('Order 7');
  });

  it('attachments arrive byte by byte: small, large, inline for the HTML, and fetched from a URL once for all attempts', async () => {
    const large = Buffer.from(Array.from({ length: 1_200_000 }, (_, index) => index % 251));
    const answer = await post.send({
      to: { email: 'a@in.test' },
      html: '<img src="cid:logo">',
      attachments: [
        {
          fileName: 'Größe.bin',
          content: large.toString('base64'),
          contentType: 'application/octet-stream',
          description: 'Large',
        },
        { filename: 'logo.png', content: Buffer.from('logo').toString('base64'), contentId: 'logo' },
        { fileName: 'far.png', fileUrl: `${fileUrl}/picture` },
      ],
    });
    const { mail } = await post.arrived(answer);
    const named = new Map(mail.attachments.map((one) => [one.filename, one]));
    expect(Buffer.from(named.get('Größe.bin')!.content as ArrayBuffer).equals(large)).to.equal(true);
    expect(named.get('logo.png')).to.include({ disposition: 'inline', contentId: '<logo>' });
    expect(Buffer.from(named.get('far.png')!.content as ArrayBuffer).toString()).to.equal('PNG bytes');
    expect(named.get('far.png')?.mimeType).to.equal('image/png');
    expect(post.sink.ledger.badLines).to.equal(0);
  });

  it("a bulk's recipients share one fetch of a file", async () => {
    asked.length = 0;
    const recipients = Array.from({ length: 12 }, (_, index) => ({ email: `f${index}@in.test` }));
    const { body } = await post.bulk({
      recipients,
      attachments: [{ fileName: 'a.png', fileUrl: `${fileUrl}/shared` }],
    });
    await until(
      async () =>
        (await post.own.client.get(`/emails?batchId=${body.data.batchId}&status=sent`)).body.data.pagination.total,
      (total) => total === 12,
    );
    expect(asked.length).to.be.at.most(4);
    const more = await post.bulk({
      recipients: [{ email: 'late@in.test' }],
      attachments: [{ fileName: 'a.png', fileUrl: `${fileUrl}/gone` }],
    });
    await until(
      async () => (await post.own.client.get(`/emails?batchId=${more.body.data.batchId}`)).body.data.emails[0],
      ({ status }) => status === 'failed',
    );
  });

  it('a file whose size is not known and turns out large is fetched again in the turn of large mail, and then kept', async () => {
    asked.length = 0;
    const answer = await post.send({
      to: { email: 'a@in.test' },
      attachments: [{ fileName: 'a.bin', fileUrl: `${fileUrl}/large` }],
    });
    const { mail } = await post.arrived(answer);
    expect(Buffer.from(mail.attachments[0]!.content as ArrayBuffer).length).to.equal(3_000_000);
    expect(asked).to.deep.equal(['/large', '/large']);
    const { attempts, timeline } = await post.settled(answer, 'sent');
    expect([attempts, timeline.map(({ type }: { type: string }) => type).join(' ')]).to.deep.equal([
      0,
      'queued claimed sent',
    ]);
  });

  for (const [path, reason] of [
    ['/gone', 'a file that is not there'],
    ['/inside', 'a redirect to an address inside'],
    ['/endless', 'a file without an end'],
  ])
    it(`${reason} fails the mail, with the same sentence for every reason`, async () => {
      const answer = await post.send({
        to: { email: 'a@in.test' },
        attachments: [{ fileName: 'x', fileUrl: fileUrl + path }],
      });
      const record = await post.settled(answer, 'failed');
      expect(record.reason).to.equal(
        'The attachment x: The URL could not be fetched: it must be a public https address that answers in time with a file of allowed size.',
      );
    });

  it('a file that cannot be had for a while defers the mail', async () => {
    const answer = await post.send({
      to: { email: 'a@in.test' },
      attachments: [{ fileName: 'x', fileUrl: `${fileUrl}/busy` }],
    });
    expect((await post.settled(answer, 'deferred')).attempts).to.equal(1);
  });

  it('a name that resolves to an address inside is refused when it is fetched', async () => {
    const answer = await post.send({
      to: { email: 'a@in.test' },
      attachments: [{ fileName: 'x', fileUrl: 'https://localhost.localdomain/' }],
    });
    const record = await post.settled(answer, 'failed', 'deferred');
    expect(record.reason).to.match(/could not be fetched/);
  });

  it('a suppression that comes after the mail was queued stops it', async () => {
    post.sink.modes.mailReply = '451 4.4.3 local error\r\n';
    const one = await post.send({ to: { email: 'late@in.test' } });
    await post.settled(one, 'deferred');
    post.sink.modes.mailReply = null;
    await post.own.client.post('/suppression-groups/emails/suppress', {
      emails: ['late@in.test'],
      reason: 'MANUAL',
      isGlobal: true,
    });
    await hurry(post, 'deferred');
    const record = await post.settled(one, 'suppressed', 'sent');
    expect(record.status).to.equal('suppressed');
    expect(record.suppressedBy.reason).to.equal('MANUAL');
    expect(record.timeline.at(-1).type).to.equal('suppressed');
  });

  it('what a project had queued is not sent when the project is deleted', async () => {
    post.sink.modes.mailReply = '451 4.4.3 local error\r\n';
    const answer = await post.send({ to: { email: 'gone@in.test' } });
    await post.settled(answer, 'deferred');
    post.sink.modes.mailReply = null;
    const { projects } = post.environment.deps.db;
    const { _id } = post.own.project;
    await projects.updateOne({ _id }, { $set: { deletedAt: new Date() } });
    await hurry(post, 'deferred');
    const { state, reason } = await until(
      () => post.read(answer),
      ({ state }) => ['sent', 'failed'].includes(state),
    );
    expect([state, reason]).to.deep.equal(['failed', 'The project was deleted.']);
    await projects.updateOne({ _id }, { $set: { deletedAt: null } });
  });
});
