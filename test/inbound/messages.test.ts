import { createConnection } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { messageIdOf } from '../../core/mail/compose/links.ts';
import { contentOf } from '../../core/mail/messages/contents.ts';
import { receivingDomain } from '../feedback/support.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { connectClient, type Door, openDoor } from '../support/mail/inbound-door.ts';

const HOST = 'mail.example.com';

describe('Inbound messages', () => {
  let environment: Environment;
  let door: Door;
  let tenant: Tenant;
  let domainName: string;
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: '127.0.0.1:9' });
    door = await openDoor(environment);
    tenant = environment.own;
    domainName = await receivingDomain(environment, tenant);
  });
  after(async () => {
    await door.server.close();
    await environment.stop();
  });

  let count = 0;
  function mail(lines: Record<string, string> = {}, body = 'Hello.'): string {
    count += 1;
    const all = {
      From: 'Ada Example <Ada@Sender.example.net>',
      To: `Support <support@${domainName}>`,
      Subject: `A question ${count}`,
      'Message-ID': `<question-${count}-${new ObjectId().toHexString()}@sender.example.net>`,
      ...lines,
    };
    return `${Object.entries(all)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n')}\r\n\r\n${body}\r\n`;
  }

  const bring = (raw: string | Buffer, to = `support@${domainName}`) =>
    door.send({ from: 'ada@sender.example.net', to, raw });
  const newest = async (query = '', client = tenant.client) =>
    (await client.get(`/inbound/messages${query}`)).body.data.items;

  async function received(raw: string | Buffer) {
    const sent = await bring(raw);
    expect(sent.data, JSON.stringify(sent)).to.match(/^250/);
    return (await newest('?limit=1'))[0];
  }

  it('A mail to a domain that receives becomes a message of its project, and of no other.', async () => {
    const one = await received(
      mail({ Cc: 'b@example.net', 'Reply-To': 'Answers <answers@sender.example.net>' }, 'What?'),
    );
    expect(one).to.deep.include({
      domainName,
      from: { email: 'ada@sender.example.net', name: 'Ada Example' },
      to: [{ email: `support@${domainName}`, name: 'Support' }],
      cc: [{ email: 'b@example.net', name: null }],
      replyTo: [{ email: 'answers@sender.example.net', name: 'Answers' }],
      subject: `A question ${count}`,
      status: 'PROCESSED',
      spamVerdict: 'NONE',
      virusVerdict: 'NONE',
      attachments: [],
    });
    expect(one.text.trim()).to.equal('What?');
    expect(one.id).to.match(/^[0-9a-f]{24}$/);
    const read = await tenant.client.get(`/inbound/messages/${one.id}`);
    expect(read.body.data).to.deep.equal(one);
    expect((await environment.other.client.get(`/inbound/messages/${one.id}`)).status).to.equal(404);
    expect(await newest('', environment.other.client)).to.deep.equal([]);
    expect((await tenant.client.get(`/inbound/messages/${one.id}`)).body).to.not.have.property('error');
    const withHeaderKey = await environment
      .client(null, { 'x-api-key': tenant.projectKey })
      .get(`/inbound/messages/${one.id}`);
    expect(withHeaderKey.status).to.equal(200);
  });

  it('Unknown domains, other addresses of this server and relaying are refused at RCPT.', async () => {
    const raw = mail();
    for (const to of ['a@elsewhere.example.com', `someone@${HOST}`, `a@sub.${domainName}`])
      expect((await bring(raw, to)).rcpt[0], to).to.match(/^550/);
  });

  it('The null sender is taken, as of a read receipt or of a server that asks whether an address exists.', async () => {
    const to = `support@${domainName}`;
    const client = connectClient(door.port);
    await client.line();
    await client.ask('EHLO mx.example.net');
    const asked = [await client.ask('MAIL FROM:<>'), await client.ask(`RCPT TO:<${to}>`), await client.ask('QUIT')];
    expect(asked.map((line) => line.slice(0, 3))).to.deep.equal(['250', '250', '221']);
    const before = (await newest()).length;
    const report = 'multipart/report; report-type=disposition-notification; boundary=b';
    const read =
      '--b\r\nContent-Type: text/plain\r\n\r\nIt was displayed.\r\n--b\r\nContent-Type: message/disposition-notification\r\n\r\nFinal-Recipient: rfc822;ada@sender.example.net\r\nDisposition: manual-action/MDN-sent-manually; displayed\r\n--b--';
    const receipt = mail({ Subject: 'Read: Our news', 'Content-Type': report }, read);
    expect((await door.send({ from: '', to, raw: receipt })).data).to.match(/^250/);
    const [one, ...others] = await newest('?limit=100');
    expect(others).to.have.length(before);
    expect(one).to.deep.include({ subject: 'Read: Our news', status: 'PROCESSED' });
    expect(one.from.email).to.equal('ada@sender.example.net');
    expect(one.attachments[0].filename).to.equal('disposition-notification.txt');
  });

  it('A mail that names a sender nowhere is refused after DATA, and one with an envelope sender is taken.', async () => {
    const to = `support@${domainName}`;
    const raw = mail().replace(/^From: .*\r\n/, '');
    expect((await door.send({ from: '', to, raw })).data).to.match(/^554 5\.6\.0 .*From/);
    expect((await received(raw)).from.email).to.equal('ada@sender.example.net');
  });

  it('A domain that another project has verified since brings its former project no mail, until that one lets it in.', async () => {
    const name = await receivingDomain(environment, tenant);
    const { db } = environment.deps;
    const former = { projectId: tenant.project._id, domainName: name };
    await db.domains.updateOne(former, { $set: { verificationStatus: 'PENDING' } });
    const { client, project } = environment.other;
    const added = await client.post('/domains', { domainName: name });
    expect(added.status, added.text).to.be.within(200, 201);
    // Not verified yet: anybody may add a name, and it takes nothing from the project that receives.
    expect((await bring(mail({ To: `x@${name}` }), `x@${name}`)).data).to.match(/^250/);
    const current = { projectId: project._id, domainName: name };
    await db.domains.updateOne(current, { $set: { verificationStatus: 'VERIFIED' } });
    const before = (await newest()).length;
    expect((await bring(mail({ To: `x@${name}` }), `x@${name}`)).rcpt[0]).to.match(/^550 5\.1\.2/);
    expect(await newest()).to.have.length(before);
    const live = { inboundEnabledAt: new Date(), inboundDomainVerifiedAt: new Date() };
    await db.domains.updateOne(current, { $set: live });
    expect((await bring(mail({ To: `x@${name}` }), `x@${name}`)).data).to.match(/^250/);
    expect((await newest('', client)).map(({ domainName: at }: { domainName: string }) => at)).to.deep.equal([name]);
    expect(await newest()).to.have.length(before);
  });

  it('Enabled and not yet live: 450, and the domain is looked at again.', async () => {
    const name = await receivingDomain(environment, tenant, { live: false });
    expect((await bring(mail(), `support@${name}`)).rcpt[0]).to.match(/^450/);
    const domain = await environment.deps.db.domains.findOne({ projectId: tenant.project._id, domainName: name });
    const starts = await environment.deps.db.starts.find({ kind: 'domain', subjectId: domain?._id }).toArray();
    expect(starts).to.have.length(1);
  });

  it('A domain that lost its verification still receives, and its messages say BLOCKED_UNVERIFIED.', async () => {
    const name = await receivingDomain(environment, tenant);
    await environment.deps.db.domains.updateOne(
      { projectId: tenant.project._id, domainName: name },
      { $set: { verificationStatus: 'PENDING' } },
    );
    expect((await bring(mail({ To: `x@${name}` }), `x@${name}`)).data).to.match(/^250/);
    expect((await newest('?status=BLOCKED_UNVERIFIED'))[0].domainName).to.equal(name);
  });

  it('The same mail handed over twice is one message; another one with its Message-ID is not.', async () => {
    const raw = mail();
    const total = async () => (await tenant.client.get('/inbound/messages')).body.data.pagination.total;
    const before = await total();
    await bring(raw);
    await bring(raw);
    expect(await total()).to.equal(before + 1);
    await bring(raw.replace('Hello.', 'Something else.'));
    expect(await total()).to.equal(before + 2);
  });

  it('A mail whose process ended before it published the event has its event when it is delivered again, and only one.', async () => {
    const { projectEvents } = environment.deps.db;
    const { insertMany } = projectEvents;
    const url = 'https://hooks.example.com/again';
    expect((await tenant.client.post('/webhooks', { url, events: ['email.received'] })).status).to.equal(201);
    const raw = mail();
    projectEvents.insertMany = () => Promise.reject(new Error('cut off after the message was stored'));
    const cut = await bring(raw).finally(() => {
      projectEvents.insertMany = insertMany;
    });
    expect(cut.data).to.match(/^451/);
    const one = (await newest('?limit=1'))[0];
    expect(one.subject).to.equal(`A question ${count}`);
    for (const time of ['second', 'third']) {
      expect((await bring(raw)).data, time).to.match(/^250/);
      const ofProject = { projectId: tenant.project._id, type: 'email.received', 'data.subject': one.subject };
      const events = await projectEvents.find(ofProject as object).toArray();
      expect(events.map(({ data }) => data.id)).to.deep.equal([one.id]);
    }
  });

  it('Attachments come with links that work without a key, for a while, and only as they were made.', async () => {
    const bytes = Buffer.from('%PDF-1.4 not really');
    const body = `--b\r\nContent-Type: text/plain\r\n\r\nSee it.\r\n--b\r\nContent-Type: application/pdf; name="../../etc/\u202erep<ort>.pdf"\r\nContent-Disposition: attachment; filename="../../etc/report.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n--b--`;
    const one = await received(mail({ 'Content-Type': 'multipart/mixed; boundary=b' }, body));
    expect(one.attachments).to.have.length(1);
    const { attachmentId, ...about } = one.attachments[0];
    expect(about).to.deep.equal({
      filename: 'report.pdf',
      contentType: 'application/pdf',
      size: bytes.length,
      index: 0,
    });
    const byIndex = await tenant.client.get(`/inbound/messages/${one.id}/attachments/0`);
    const byId = await tenant.client.get(`/inbound/messages/${one.id}/attachments/${attachmentId}`);
    expect(byIndex.body.data.expiresIn).to.equal(900);
    expect(byId.body.data.attachmentId).to.equal(attachmentId);
    const link = new URL(byIndex.body.data.downloadUrl);
    const path = link.pathname;
    const got = await fetch(environment.url + path);
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).to.equal(true);
    expect(got.headers.get('content-disposition')).to.contain('attachment');
    expect(got.headers.get('x-content-type-options')).to.equal('nosniff');
    const changed = `${path.slice(0, -2)}${path.at(-2) === 'A' ? 'B' : 'A'}${path.at(-1)}`;
    expect((await fetch(environment.url + changed)).status).to.equal(404);
    expect((await tenant.client.get(`/inbound/messages/${one.id}/attachments/7`)).status).to.equal(404);
    environment.clock.advance(901_000);
    expect((await fetch(environment.url + path)).status).to.equal(404);
    environment.clock.advance(-901_000);
  });

  it('Latin-1 that names no charset is read as windows-1252, in headers and texts; UTF-8 and named charsets are read as they are.', async () => {
    const latin = Buffer.from('Gr\xfc\xdfe \x80', 'latin1');
    const raw = (type: string, text: Buffer, subject = text) =>
      Buffer.concat([
        Buffer.from(`${mail({ 'Content-Type': type, 'MIME-Version': '1.0' }, '').trimEnd()}\r\nX-Word: `),
        ...[subject, Buffer.from('\r\n\r\n'), text, Buffer.from('\r\n')],
      ]);
    for (const [type, text, expected] of [
      ['text/plain', latin, 'Grüße €'],
      ['text/html', latin, 'Grüße €'],
      ['text/plain', Buffer.from('Grüße €'), 'Grüße €'],
      ['text/plain; charset=iso-8859-2', Buffer.from('\xb1', 'latin1'), 'ą'],
      ['text/plain; charset=utf-8', Buffer.from('a\xfc', 'latin1'), 'a\ufffd'],
    ] as const) {
      const one = await received(raw(type, text));
      expect((one.text ?? one.html).trim(), type).to.equal(expected);
      if (text === latin) expect(one.headers['x-word']).to.equal(expected);
    }
  });

  it('format=flowed is unfolded within one depth of quotation; signatures, stuffed and fixed lines stay.', async () => {
    const lines = [
      ...['A line that ', 'goes on.', '> quote ', '> more', '>> deeper ', '> back', '>', '', ' From me', ' > no quote'],
      ...['soft ', '> quote', '-- ', 'Ada ', 'Example'],
    ];
    const flowed = async (type: string) =>
      (await received(mail({ 'Content-Type': type, 'MIME-Version': '1.0' }, lines.join('\r\n')))).text
        .trimEnd()
        .split('\n');
    const rest = ['>', '', 'From me', '> no quote', 'soft ', '> quote', '-- ', 'Ada Example'];
    expect(await flowed('text/plain; charset=utf-8; format=flowed')).to.deep.equal([
      ...['A line that goes on.', '> quote more', '>> deeper ', '> back', ...rest],
    ]);
    const delSp = await flowed('text/plain; format=Flowed; delsp=yes');
    expect(delSp.slice(0, 3)).to.deep.equal(['A line thatgoes on.', '> quotemore', '>> deeper']);
    expect(delSp).to.include.members(['-- ', 'AdaExample']);
    expect((await flowed('text/plain'))[0]).to.equal('A line that ');
  });

  it('An attachment without a name is named by its type, one with a name keeps it.', async () => {
    const part = (type: string) => `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment\r\n\r\nx\r\n`;
    const types = ['text/calendar; method=REQUEST', 'application/pdf', 'image/png', 'message/rfc822', 'text/plain'];
    const body = `${[...types, 'application/x-own', 'image/png; name=a.bin'].map(part).join('')}--b--`;
    const one = await received(mail({ 'Content-Type': 'multipart/mixed; boundary=b', 'MIME-Version': '1.0' }, body));
    expect(one.attachments.map(({ filename }: { filename: string }) => filename)).to.deep.equal([
      ...[
        'invite.ics',
        'attachment-2.pdf',
        'image-3.png',
        'message-4.eml',
        'attachment-5.txt',
        'attachment-6',
        'a.bin',
      ],
    ]);
  });

  it('Headers are an object by lower-case name and a list as written, attachments are counted, alike in the list, the message and the event.', async () => {
    const { deps } = environment;
    await tenant.client.post('/webhooks', { url: 'https://hooks.example.com/', events: ['email.received'] });
    const file = 'Content-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\na';
    const head = {
      'X-Trace': 'one',
      'x-trace': 'two, three',
      'Content-Type': 'multipart/mixed; boundary=b',
    };
    const raw = `__proto__: harmless\r\n${mail(head, `--b\r\n${file}\r\n--b\r\n${file}\r\n--b--`)}`;
    const one = await received(raw);
    expect(one.attachmentCount).to.equal(2);
    expect(one.headers['x-trace']).to.equal('one, two, three');
    expect(Object.keys(one.headers)).to.include.members(['from', 'subject', 'message-id']);
    expect(Object.entries(one.headers)).to.deep.include(['__proto__', 'harmless']);
    const traces = one.headerList.filter(({ name }: { name: string }) => /^x-trace$/i.test(name));
    expect(traces).to.deep.equal([
      { name: 'X-Trace', value: 'one' },
      { name: 'x-trace', value: 'two, three' },
    ]);
    expect((await tenant.client.get(`/inbound/messages/${one.id}`)).body.data).to.deep.equal(one);
    expect((await received(mail())).attachmentCount).to.equal(0);
    const event = await deps.db.projectEvents.findOne({
      projectId: tenant.project._id,
      type: 'email.received',
      'data.id': one.id,
    });
    expect(event?.data).to.include({ attachmentCount: 2, attachments: 2 });
  });

  it('Filters: from, to, search, thread, dates; newest first, with an exact total.', async () => {
    const one = await received(mail({ From: 'unique@sender.example.net', Subject: 'Very (special)' }));
    for (const query of ['?from=Unique@sender.example.net', '?search=(special)', `?threadId=${one.threadId}`])
      expect(
        (await newest(query)).map(({ id }: { id: string }) => id),
        query,
      ).to.deep.equal([one.id]);
    expect(await newest('?from=nobody@sender.example.net')).to.deep.equal([]);
    expect(await newest('?dateTo=2020-01-01T00:00:00Z')).to.deep.equal([]);
    expect((await newest(`?to=support@${domainName}&limit=1`)).length).to.equal(1);
    expect((await tenant.client.get('/inbound/messages?limit=0')).status).to.equal(400);
  });

  it('A reply is queued in the conversation: recipient, subject with one Re:, threading headers, 202 and QUEUED.', async () => {
    const one = await received(
      mail({
        'Reply-To': 'answers@sender.example.net',
        References: '<root@sender.example.net> <mid@sender.example.net>',
      }),
    );
    const from = { email: `support@${domainName}`, name: 'Support' };
    const replied = await tenant.client.post(`/inbound/messages/${one.id}/reply`, {
      from,
      html: '<p>Use {{braces}} freely</p>',
      cc: [{ email: 'cc@example.net' }],
      bcc: [{ email: 'bcc@example.net' }],
      attachments: [{ fileName: 'a.txt', content: Buffer.from('text').toString('base64') }],
    });
    expect(replied.status, replied.text).to.equal(202);
    expect(replied.body.data).to.include({ status: 'QUEUED', totalRecipients: 3 });
    const { emailId } = replied.body.data;
    const { db } = environment.deps;
    const projectId = tenant.project._id;
    const message = await db.messages.findOne({ _id: new ObjectId(emailId as string), projectId });
    expect(message).to.include({ state: 'queued', lane: 'transactional', email: 'answers@sender.example.net' });
    expect(message?.subject).to.equal(`Re: ${one.subject}`);
    const content = await contentOf(environment.deps, message!);
    expect(content?.inReplyTo).to.equal(`<${one.messageId}>`);
    expect(content?.references).to.equal(`<root@sender.example.net> <mid@sender.example.net> <${one.messageId}>`);
    expect(content?.html).to.equal('<p>Use {{braces}} freely</p>');

    const ours = messageIdOf({ messageId: message!._id }, domainName);
    const answer = await received(mail({ 'In-Reply-To': `<${ours}>`, References: `${content?.references} <${ours}>` }));
    expect(answer).to.include({ threadId: one.threadId, inReplyToEmailActivityId: emailId, inReplyTo: ours });
    const short = await received(mail({ 'In-Reply-To': `<${ours}>` }));
    expect(short.threadId).to.equal(one.threadId);
    const next = await received(mail({ 'In-Reply-To': `<${answer.messageId}>` }));
    expect(next).to.include({ threadId: one.threadId, inReplyToInboundEmailId: answer.id });
    const other = await received(mail());
    expect(other.threadId).to.not.equal(one.threadId);
    const answersIn = async (threadId: string) =>
      (await tenant.client.get(`/emails?threadId=${threadId}`)).body.data.emails.map(({ id }: { id: string }) => id);
    expect(await answersIn(one.threadId)).to.deep.equal([emailId]);
    expect(await answersIn(other.threadId)).to.deep.equal([]);
    const strangers = await environment.other.client.get(`/emails?threadId=${one.threadId}`);
    expect(strangers.body.data.emails).to.deep.equal([]);
  });

  it('A subject that begins with Re: gets no second one, one that is given wins, and a reply may have no body.', async () => {
    const one = await received(mail({ Subject: 'RE: hello' }));
    const from = { email: `support@${domainName}` };
    const { db } = environment.deps;
    const subjectOf = async (body: object) => {
      const { emailId } = (await tenant.client.post(`/inbound/messages/${one.id}/reply`, body)).body.data;
      return (await db.messages.findOne({ _id: new ObjectId(emailId as string), projectId: tenant.project._id }))
        ?.subject;
    };
    expect(await subjectOf({ from })).to.equal('RE: hello');
    expect(await subjectOf({ from, subject: 'Another', text: 'x' })).to.equal('Another');
  });

  it('Errors of a reply: 400 without a code for the sender, 404 without a code for the message.', async () => {
    const one = await received(mail());
    const path = `/inbound/messages/${one.id}/reply`;
    for (const body of [{}, { from: {} }, { from: { name: 'x' } }, { from: { email: 'x@unverified.example.com' } }]) {
      const refused = await tenant.client.post(path, body);
      expect(refused.status, JSON.stringify(body)).to.equal(400);
      expect(refused.body.error).to.not.have.property('code');
      expect(refused.body.error.details).to.match(/^from\/email: (is required|must be on d)/);
    }
    const from = { email: `support@${domainName}` };
    const unread = await tenant.client.post(path, { from, subject: '' });
    expect([unread.status, unread.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    const crowd = Array.from({ length: 51 }, (_, index) => ({ email: `p${index}@example.net` }));
    expect((await tenant.client.post(path, { from, cc: crowd })).status).to.equal(400);
    expect((await tenant.client.post(path, { from, cc: crowd.slice(1), bcc: crowd.slice(1) })).status).to.equal(202);
    for (const id of [new ObjectId().toHexString(), 'nonsense']) {
      const missing = await tenant.client.post(`/inbound/messages/${id}/reply`, { from });
      expect(missing.status).to.equal(404);
      expect(missing.body.error).to.not.have.property('code');
    }
    const nobody = await received(mail({ From: 'noreply@sender.example.net' }));
    expect((await tenant.client.post(`/inbound/messages/${nobody.id}/reply`, { from })).status).to.equal(404);
    const admin = environment.client(tenant.adminKey, { 'x-project-id': tenant.project._id.toHexString() });
    expect((await admin.post(path, { from })).status).to.equal(403);
  });

  it('A Message-ID with line ends or a References header of 100 kB does no harm to a reply.', async () => {
    const long = Array.from({ length: 3_000 }, (_, index) => `<r${index}-aaaaaaaaaaaaaaaaa@sender.example.net>`).join(
      '\r\n ',
    );
    const one = await received(mail({ References: long }));
    const from = { email: `support@${domainName}` };
    const { emailId } = (await tenant.client.post(`/inbound/messages/${one.id}/reply`, { from })).body.data;
    const { db } = environment.deps;
    const projectId = tenant.project._id;
    const message = await db.messages.findOne({ _id: new ObjectId(emailId as string), projectId });
    const content = await contentOf(environment.deps, message!);
    expect(content!.references!.length).to.be.at.most(998);
    expect(content!.references).to.match(/^<r0-/).and.to.contain(`<${one.messageId}>`);
    expect(content!.references).to.not.match(/[\r\n]/);
  });

  describe('made to do harm', () => {
    const hostile: Array<[string, string]> = [
      [
        '10,000 parts',
        `${'--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment\r\n\r\nx\r\n'.repeat(10_000)}--b--`,
      ],
      ['a depth of 1,000', nested(1_000)],
      ['an unknown charset', '--b\r\nContent-Type: text/plain; charset=x-nothing\r\n\r\nhello\r\n--b--'],
      [
        'base64 with garbage',
        '--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n!!@@##\u0000==\r\n--b--',
      ],
      ['a type that is a path', '--b\r\nContent-Type: ../../x\r\nContent-Disposition: attachment\r\n\r\nx\r\n--b--'],
    ];
    for (const [name, body] of hostile)
      it(`A mail with ${name} is taken or refused, and the next one is taken.`, async () => {
        const sent = await bring(mail({ 'Content-Type': 'multipart/mixed; boundary=b' }, body));
        expect(sent.data).to.match(/^(250|5\d\d)/);
        await received(mail());
      });

    it('100,000 headers, and headers of 5 MB, are taken or refused.', async () => {
      const many = `${'X-Header: y\r\n'.repeat(100_000)}Subject: many\r\n\r\nx`;
      expect((await bring(many)).data).to.match(/^(250|5\d\d)/);
      expect((await bring(`X-Long: ${'y'.repeat(990)}\r\n`.repeat(5_000).concat('\r\nx'))).data).to.match(
        /^(250|5\d\d)/,
      );
      await received(mail());
    });

    it('Encoded words that decode to line ends stay one line.', async () => {
      const word = `=?utf-8?B?${Buffer.from('hello\r\nBcc: x@evil.example').toString('base64')}?=`;
      const one = await received(mail({ Subject: word, From: `${word} <ada@sender.example.net>` }));
      expect(one.subject).to.equal('hello Bcc: x@evil.example');
      expect(one.from.name).to.not.match(/[\r\n]/);
    });

    it('A dot between bare line feeds does not end the mail: there is one message.', async () => {
      const before = (await tenant.client.get('/inbound/messages')).body.data.pagination.total;
      const ends = ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r'];
      const smuggled = 'MAIL FROM:<x@y.example>\r\nRCPT TO:<z@y.example>\r\nDATA\r\nSubject: second\r\n\r\nx';
      for (const end of ends) {
        const raw = mail({}, `before${end}${smuggled}`);
        const sent = await door.send({
          from: 'ada@sender.example.net',
          to: `support@${domainName}`,
          raw,
          isExact: true,
        });
        expect(sent.data, JSON.stringify(end)).to.match(/^250/);
      }
      expect((await tenant.client.get('/inbound/messages')).body.data.pagination.total).to.equal(before + ends.length);
    });

    it('An archive is kept as it came, and never unpacked.', async () => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      const part = `--b\r\nContent-Type: application/gzip; name=a.gz\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
      const body = `${part}${bomb.toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n--b--`;
      const one = await received(mail({ 'Content-Type': 'multipart/mixed; boundary=b' }, body));
      expect(one.attachments[0]).to.include({ filename: 'a.gz', size: bomb.length });
    });

    it('A line that does not end is cut off with 421, and the next mail is taken.', async () => {
      const socket = createConnection(door.port, '127.0.0.1');
      let text = '';
      socket.on('data', (piece) => {
        text += piece;
      });
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.on('error', () => {});
      const endless = Buffer.alloc(1_048_576, 'x');
      for (let sent = 0; sent < 100 && !socket.destroyed && !text.includes('421'); sent += 1)
        await new Promise((resolve) => socket.write(endless, resolve));
      socket.destroy();
      await closed;
      expect(text).to.contain('421');
      await received(mail());
    });

    it('A mail over 25 MB is refused with 552.', async () => {
      const big = mail({}, `${'x'.repeat(76)}\r\n`.repeat(340_000));
      expect((await bring(big)).data).to.match(/^552/);
      await received(mail());
    });
  });
});

function nested(depth: number): string {
  let body = '';
  for (let i = 0; i < depth; i += 1)
    body += `--${i === 0 ? 'b' : `b${i}`}\r\nContent-Type: multipart/mixed; boundary=b${i + 1}\r\n\r\n`;
  return body;
}
