import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import PostalMime from 'postal-mime';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { type Post, SENDER, startPost } from '../delivery/support.ts';
import { signatureVerdicts } from '../support/mail/signatures.ts';
import { emailIdOf, openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';
import { until } from '../support/wait.ts';

const run = promisify(execFile);

/** Python's own client: STARTTLS is left out on this machine, LOGIN or PLAIN is chosen by the client. */
const PYTHON = `
import smtplib, sys
from email.message import EmailMessage
host, port, key, sender = sys.argv[1:5]
mail = EmailMessage()
mail['From'], mail['To'], mail['Cc'], mail['Subject'] = sender, 'Ada <ada@in.test>', 'bob@in.test', 'From Python'
mail.set_content('Grüße\\n.hidden dot\\n')
mail.add_alternative('<p>Grüße</p>', subtype='html')
mail.add_attachment(b'\\x00\\x01' * 500, maintype='application', subtype='octet-stream', filename='a.bin')
with smtplib.SMTP(host, int(port)) as server:
    server.login('anyone', key)
    print(server.send_message(mail))
`;

describe('Mail by SMTP', () => {
  let post: Post;
  let door: SubmissionDoor;
  before(async () => {
    post = await startPost();
    const { environment, own } = post;
    await seedVerifiedDomain(environment.deps, environment.other.project, 'theirs.example.com', new ObjectId());
    door = await openSubmission({ deps: environment.deps, key: own.projectKey });
  });
  after(async () => {
    await door.close();
    await post.stop();
  });
  beforeEach(() => post.sink.ledger.reset());

  const head = (more = '') => `From: Shop <${SENDER}>\nTo: Ada <ada@in.test>\nSubject: Hello\n${more}`;
  const messages = () => post.environment.deps.db.messages;
  const projectId = () => post.own.project._id;
  const idOf = (reply: string) => emailIdOf({ response: reply });

  async function arrived(count = 1) {
    expect(await post.sink.ledger.wait(count, 15_000), 'arrived').to.equal(true);
    return post.sink.ledger.messages.map((one) => ({ ...one, raw: one.raw ?? '' }));
  }

  async function signatures(raw: string): Promise<string[]> {
    return signatureVerdicts(raw, (await post.own.client.get('/domains')).body.data.domains[0]);
  }

  it('of nodemailer leaves as it came, under our signature and return path, and has a record for each recipient', async () => {
    const emailId = await door.send({
      from: { name: 'Shop', address: SENDER },
      to: 'Ada <ada@in.test>',
      cc: 'bob@in.test',
      bcc: 'eve@in.test',
      subject: 'Grüße',
      text: 'Hello.\n.a dot\n',
      html: '<p>Hello</p>',
      attachments: [{ filename: 'a.txt', content: 'a file' }],
      headers: { 'X-Own': 'kept', Received: 'from secret.internal by here', 'X-SES-CONFIGURATION-SET': 'x' },
    });
    const [mail] = await arrived();
    expect(mail?.from).to.match(/^b\+/);
    expect(mail?.to).to.deep.equal(['ada@in.test', 'bob@in.test', 'eve@in.test']);
    expect(mail?.raw)
      .to.contain('X-Own: kept')
      .and.not.match(/secret\.internal|^bcc:|eve@|x-ses/im);
    expect(await signatures(mail!.raw)).to.deep.equal(['pass', 'pass']);
    const read = await PostalMime.parse(Buffer.from(mail!.raw, 'latin1'));
    expect([read.subject, read.text?.trimEnd()]).to.deep.equal(['Grüße', 'Hello.\n.a dot']);
    expect(read.attachments.map(({ filename }) => filename)).to.deep.equal(['a.txt']);
    const record = await post.settled(emailId, 'sent');
    expect(record.subject).to.equal('Grüße');
    expect(
      record.recipients.map(({ email, kind, status }: Record<string, string>) => [email, kind, status]),
    ).to.deep.equal([
      ['ada@in.test', 'to', 'sent'],
      ['bob@in.test', 'cc', 'sent'],
      ['eve@in.test', 'bcc', 'sent'],
    ]);
  });

  it("of Python's smtplib is taken too", async () => {
    const args = ['-c', PYTHON, '127.0.0.1', String(door.server.port), post.own.projectKey, SENDER];
    expect((await run('python3', args)).stdout.trim()).to.equal('{}');
    const [mail] = await arrived();
    expect(await signatures(mail!.raw)).to.deep.equal(['pass', 'pass']);
    const read = await PostalMime.parse(Buffer.from(mail!.raw, 'latin1'));
    expect(read.text?.trimEnd()).to.equal('Grüße\n.hidden dot');
    expect(read.attachments[0]?.content).to.have.property('byteLength', 1_000);
  });

  it('keeps every byte of the body, above 127 and after bare line ends too, and signs it as it leaves', async () => {
    const raw = `${head('Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n')}\nGr\u00c3\u00bc\u00c3\u009fe\n`;
    const { socket, ask } = await door.session();
    await ask('MAIL FROM:<>');
    await ask('RCPT TO:<ada@in.test>');
    await ask('DATA');
    socket.write(Buffer.from(`${raw.replace(/\n/g, '\r\n')}bare\nline\rends\r\n.\r\n`, 'latin1'));
    const emailId = idOf(await ask('NOOP'));
    socket.destroy();
    await post.settled(emailId, 'sent');
    const [mail] = await arrived();
    expect(mail?.raw).to.match(/\r\n\r\nGr\u00c3\u00bc\u00c3\u009fe\r\nbare\r\nline\r\nends\r\n$/);
    expect(await signatures(mail!.raw)).to.deep.equal(['pass', 'pass']);
  });

  it('loses the headers by which it would name another sender, its way, or where reports go', async () => {
    const others = ['Sender', 'Resent-From', 'Resent-To', 'Errors-To', 'Delivered-To', 'Apparently-To', 'Envelope-To']
      .map((name) => `${name}: ceo@bank.example\n`)
      .join('');
    const reports =
      'CFBL-Address: fbl@bank.example; report=arf\nCFBL-Feedback-ID: x@bank.example\nFeedback-ID: bank.example\n';
    idOf(await door.hand({ raw: head(`${others}${reports}X-Own: kept\n\nHello`) }));
    const [mail] = await arrived();
    expect(mail?.raw).to.contain('X-Own: kept').and.not.contain('bank.example');
    expect(await signatures(mail!.raw)).to.deep.equal(['pass', 'pass']);
  });

  it('has our Received line, and is refused when the relay hands it back here, as a mail of the REST interface is', async () => {
    const emailId = idOf(await door.hand({ raw: `${head('Received: from a by b; now\n')}\nRound.` }));
    const [mail] = await arrived();
    expect(mail?.raw.match(/^Received: .*\r\n .*$/gm)).to.have.length(1);
    expect(mail?.raw).to.match(
      new RegExp(
        `^Received: by [^ ]+ \\(Everpost\\) with ESMTPA id ${emailId};\\r\\n \\w{3}, \\d\\d .* \\+0000\\r$`,
        'm',
      ),
    );
    const composed = await post.arrived(await post.send({ to: { email: 'ada@in.test' }, subject: 'Round' }));
    const before = await messages().countDocuments({ projectId: projectId() });
    for (const raw of [mail!.raw, `Received: from relay by us; now\r\n${mail!.raw}`, composed.raw])
      expect(await door.hand({ raw })).to.match(/^554 5\.4\.6 This mail was sent from here and has come back/);
    expect(await messages().countDocuments({ projectId: projectId() })).to.equal(before);
    const other = `${head('Received: by smtp.example.net (Everpost) with ESMTPA id 1; now\n')}\nNot ours.`;
    const notOurs = other.replace('\n\n', '\nFeedback-ID: a:65f0c1000000000000000000:b:c\n\n');
    await post.settled(idOf(await door.hand({ raw: notOurs })), 'sent');
  });

  it('of several megabytes goes to storage as it arrives, and leaves nothing there but itself', async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `${index} ${'x'.repeat(120)}`).join('\r\n');
    const emailId = idOf(await door.hand({ raw: `${head()}\n${lines}` }));
    const [mail] = await arrived();
    expect(mail?.raw.endsWith(`\r\n\r\n${lines}\r\n`)).to.equal(true);
    expect(await signatures(mail!.raw)).to.deep.equal(['pass', 'pass']);
    const { db } = post.environment.deps;
    const contents = await db.contents.find({ projectId: projectId(), messageIds: new ObjectId(emailId) }).toArray();
    expect(contents.map(({ attachments: [file] }) => [file?.bytes, file?.sizeBytes])).to.deep.equal([
      [null, lines.length + head().replace(/\n/g, '\r\n').length + 4 + addedIn(mail!.raw)],
    ]);
  });

  it('gets a Message-ID and a Date when it has none, and keeps its own', async () => {
    const emailId = idOf(await door.hand({ raw: `${head()}\nBare.` }));
    const [bare] = await arrived();
    expect(bare?.raw).to.contain(`Message-ID: <${emailId}@mail.example.com>\r\nDate: `);
    post.sink.ledger.reset();
    await door.hand({ raw: `${head('Message-ID: <own@app.example>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n')}\nOwn.` });
    const [own] = await arrived();
    expect(own?.raw.match(/^(message-id|date):.*$/gim)).to.deep.equal([
      'Message-ID: <own@app.example>',
      'Date: Mon, 1 Jan 2024 00:00:00 +0000',
    ]);
  });

  it('is marketing with X-Everpost-Group: a copy for each address, with our List-Unsubscribe', async () => {
    const { groupId } = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const to = ['ada@in.test', 'bob@in.test'];
    const raw = `${head(`X-Everpost-Group: ${groupId}\nList-Unsubscribe: <https://theirs.example>\n`)}\nNews.`;
    const emailId = idOf(await door.hand({ raw, to }));
    const mails = await arrived(2);
    expect(mails.map((mail) => mail.to).toSorted()).to.deep.equal(to.map((one) => [one]));
    const links = mails.map((mail) => {
      expect(mail.raw).to.not.match(/x-everpost|theirs\.example/i);
      return /^List-Unsubscribe: <(http[^>]*\/u\/[\w-]+)>/m.exec(mail.raw)?.[1];
    });
    expect(new Set(links)).to.have.property('size', 2);
    for (const mail of mails) expect(await signatures(mail.raw)).to.deep.equal(['pass', 'pass']);
    expect((await messages().findOne({ _id: new ObjectId(emailId), projectId: projectId() }))?.lane).to.equal(
      'automation',
    );
    const unknown = `${head('X-Everpost-Group: ZZZZZZ\n')}\nNews.`;
    expect(await door.hand({ raw: unknown })).to.match(/^554 5\.6\.0 X-Everpost-Group: names no suppression group/);
  });

  it('has the tags of X-Everpost-Tag', async () => {
    const tagged = (...tags: string[]) => `${head(tags.map((tag) => `X-Everpost-Tag: ${tag}\n`).join(''))}\nTagged.`;
    const emailId = idOf(await door.hand({ raw: tagged('order=17', 'kind=receipt') }));
    const { body } = await post.own.client.get('/emails?tag=order:17');
    expect(body.data.emails.map(({ id }: { id: string }) => id)).to.deep.equal([emailId]);
    for (const tags of [['order'], ['or der=1'], ['a=1', 'a=2'], Array.from({ length: 11 }, (_, at) => `t${at}=x`)])
      expect(await door.hand({ raw: tagged(...tags) }), tags.join()).to.match(/^554 5\.6\.0 /);
    const [mail] = await arrived();
    expect(mail?.raw).to.not.match(/x-everpost/i);
  });

  it('waits for the time of X-Everpost-Send-At, and can be cancelled until then', async () => {
    const at = (value: string) => `${head(`Message-ID: <later@shop.test>\nX-Everpost-Send-At: ${value}\n`)}\nLater.`;
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const emailId = idOf(await door.hand({ raw: at(later) }));
    const read = async () => (await post.own.client.get(`/emails/${emailId}`)).body.data;
    expect(await read()).to.deep.include({ status: 'scheduled', scheduledAt: later });
    expect(await door.hand({ raw: at(later) }), 'again').to.contain(emailId);
    expect((await post.own.client.post(`/emails/${emailId}/cancel`)).status).to.equal(200);
    expect((await read()).status).to.equal('cancelled');
    const tooLate = new Date(Date.now() + 31 * 86_400_000).toISOString();
    for (const value of ['tomorrow', later.slice(0, -1), '2027-02-31T09:00:00Z', tooLate])
      expect(await door.hand({ raw: at(value) }), value).to.match(/^554 5\.6\.0 X-Everpost-Send-At/);
    expect(post.sink.ledger.messages).to.have.length(0);
    idOf(await door.hand({ raw: at(new Date(Date.now() - 600_000).toISOString()) }));
    const [mail] = await arrived();
    expect(mail?.raw).to.not.match(/x-everpost/i);
  });

  it('to a suppressed address has that outcome for this recipient alone', async () => {
    const emails = ['gone@in.test'];
    await post.own.client.post('/suppression-groups/emails/suppress', { emails, isGlobal: true, reason: 'BOUNCE' });
    const emailId = idOf(await door.hand({ raw: `${head()}\nHello.`, to: ['ada@in.test', 'gone@in.test'] }));
    const record = await post.settled(emailId, 'sent');
    expect(record.recipients.map(({ status }: Record<string, string>) => status)).to.deep.equal(['sent', 'suppressed']);
    const none = idOf(await door.hand({ raw: `${head()}\nHello.`, to: 'gone@in.test' }));
    expect((await post.settled(none, 'suppressed')).suppressedBy.reason).to.equal('BOUNCE');
  });

  describe('is refused', () => {
    async function refused(raw: string, expected: RegExp, more: { to?: string[]; key?: string } = {}): Promise<void> {
      const before = await messages().countDocuments({ projectId: projectId() });
      expect(await door.hand({ raw, ...more }), raw.slice(0, 100)).to.match(expected);
      expect(await messages().countDocuments({ projectId: projectId() })).to.equal(before);
    }

    it('unless its one From is one address on a verified domain of the project', async () => {
      const from = (line: string) => `${line}To: ada@in.test\nSubject: x\n\nx`;
      await refused(from('From: a@unknown.test\n'), /^550 5\.7\.1 Mail must come from a verified domain/);
      await refused(from('From: a@theirs.example.com\n'), /^550 5\.7\.1 Mail must come from a verified domain/);
      for (const line of [
        '',
        'From: nobody\n',
        `From: ${SENDER}\nFrom: ${SENDER}\n`,
        `From: ${SENDER}, b@mail.example.com\n`,
        `From: ${SENDER} <ceo@bank.example>\n`,
        `From: ceo@bank.example <${SENDER}>\n`,
        `From: Team: ${SENDER};\n`,
        `From: <@relay.example:${SENDER}>\n`,
        `From: ${'"'.repeat(100_000)}<${SENDER}>\n`,
        `From: <${SENDER}> (") <ceo@bank.example> (")\n`,
        `From: (") <ceo@bank.example> (") <${SENDER}>\n`,
        `From: (a (" b) ") <ceo@bank.example> (") <${SENDER}>\n`,
        `From: "a" (ceo@bank.example) <${SENDER}>\n`,
        `From: (") "<ceo@bank.example>" (") <${SENDER}>\n`,
        `From: a ( <${SENDER}>\n`,
        `From: a ) <${SENDER}> (\n`,
      ])
        await refused(from(line), /^550 5\.7\.1 A mail needs one From header with one address/);
      idOf(await door.hand({ raw: from(`From: "Shop, Inc. @ home" <${SENDER.toUpperCase()}>\n`) }));
      idOf(await door.hand({ raw: from(`From: "Shop :-) \\" (home" (of Ada (sales)) <${SENDER}>\n`) }));
      idOf(await door.hand({ raw: from(`From: =?utf-8?q?Gr=C3=BC=C3=9Fe=40x?=\n <${SENDER}>\n`) }));
    });

    it('without header fields, with too many of them, or with an option that is not known', async () => {
      await refused('no header at all', /^554 5\.6\.0 The mail has to begin with header fields/);
      await refused(`${head('X-A: b\n'.repeat(1_001))}\nx`, /^554 5\.6\.0 A mail has 1000 header fields at most/);
      await refused(`${head(`X-A: ${'b'.repeat(300_000)}\n`)}\nx`, /^554 5\.6\.0 The header of a mail may have/);
      await refused(`${head('X-Everpost-Grop: A\n')}\nx`, /^554 5\.6\.0 The header x-everpost-grop is not known/);
      await refused(`${head('Idempotency-Key: a\nIdempotency-Key: b\n')}\nx`, /^554 5\.6\.0 .* is given twice/);
    });

    it('above 60 MiB, as soon as its size is said', async () => {
      const { socket, ask } = await door.session();
      expect(await ask('MAIL FROM:<a@b.example> SIZE=62914561')).to.match(/^552 /);
      expect(await ask('MAIL FROM:<a@b.example> SIZE=62914560')).to.match(/^250 /);
      expect(await ask('RCPT TO:<not an address>')).to.match(/^501 /);
      expect(await ask('RCPT TO:<a@localhost>')).to.match(/^553 5\.1\.3 /);
      socket.destroy();
    });

    it('of a key that may not send it', async () => {
      const { environment, own } = post;
      const owner = { organizationId: own.organization._id, projectId: own.project._id };
      const keyWith = async (limits: object) =>
        (await createApiKey(environment.deps, { ...owner, name: 'limited', ...limits })).key;
      const raw = `${head()}\nx`;
      await refused(raw, /^550 5\.7\.1 This key has the scope read/, { key: await keyWith({ scope: 'read' }) });
      const elsewhere = await keyWith({ scope: 'send', domainName: 'news.example.com' });
      await refused(raw, /^550 5\.7\.1 This key sends mail from news\.example\.com only/, { key: elsewhere });
      const here = await keyWith({ scope: 'send', domainName: 'mail.example.com' });
      const emailId = idOf(await door.hand({ raw, key: here }));
      expect((await environment.client(here).get(`/emails/${emailId}`)).status).to.equal(200);
    });
  });

  it('takes 100 recipients; the 101st is left for another transaction', async () => {
    const { socket, ask } = await door.session();
    await ask('MAIL FROM:<a@b.example>');
    for (let index = 0; index < 100; index += 1) expect(await ask(`RCPT TO:<p${index}@in.test>`)).to.match(/^250 /);
    expect(await ask('RCPT TO:<p100@in.test>')).to.match(/^452 4\.5\.3 /);
    expect(await ask('RCPT TO:<P7@in.test>')).to.match(/^250 /);
    await ask('DATA');
    const emailId = idOf(await ask(`${head().replace(/\n/g, '\r\n')}\r\nx\r\n.`));
    socket.destroy();
    expect((await post.settled(emailId, 'sent')).recipients).to.have.length(100);
  });

  it('that ends in the middle leaves nothing, neither a mail nor a part of a file', async () => {
    const { deps } = post.environment;
    const chunks = deps.mongo.db(deps.config.mongodbDatabase).collection('attachments.chunks');
    const count = async () => [
      await messages().countDocuments({ projectId: projectId() }),
      await deps.db.contents.countDocuments({ projectId: projectId() }),
      await chunks.countDocuments(),
    ];
    const before = await count();
    const { socket, ask } = await door.session();
    for (const command of ['MAIL FROM:<a@b.example>', 'RCPT TO:<ada@in.test>', 'DATA']) await ask(command);
    socket.write(`${head().replace(/\n/g, '\r\n')}\r\n${`${'x'.repeat(98)}\r\n`.repeat(20_000)}`);
    await until(
      () => chunks.countDocuments(),
      (now) => now > before[2]!,
    );
    socket.destroy();
    await until(count, (now) => JSON.stringify(now) === JSON.stringify(before));
  });

  function addedIn(raw: string): number {
    return /Received: by [^;]*;\r\n [^\r]*\r\nMessage-ID: <[^>]*>\r\nDate: [^\r]*\r\n/.exec(raw)![0].length;
  }
});
