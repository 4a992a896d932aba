import { expect } from 'chai';
import { pino } from 'pino';
import { domainRecords } from '../../core/domains/rules/records.ts';
import { createMailReader } from '../../platform/inbound/reader.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { hurry, type Post, SENDER, startPost } from '../delivery/support.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';
import { openSubmission, type SubmissionDoor } from '../support/mail/submission.ts';
import { until } from '../support/wait.ts';
import { type MailProgram, startExim, startPostfix } from './programs.ts';

const HOST = 'mail.example.com';
const SIZE = 200_000;
const REFUSALS = '{ unknown@reader.example = 550 5.1.1 No such user }, { later@reader.example = 450 4.2.0 Greylisted }';

const programs = {
  Postfix: {
    start: startPostfix,
    settings: [
      `smtpd_recipient_restrictions = check_recipient_access inline:{ ${REFUSALS} }, permit_mynetworks, reject`,
      `message_size_limit = ${SIZE}`,
    ],
    login: '',
    received: /with ESMTPS id/,
  },
  Exim: {
    start: startExim,
    settings: ['acl_smtp_mail = authenticated', `message_size_limit = ${SIZE}`],
    login: 'everpost:secret@',
    received: /with esmtpsa\s/,
  },
};

for (const [name, { start, settings, login, received }] of Object.entries(programs))
  describe(`A relay that is ${name}`, () => {
    let dns: DnsStandIn;
    let post: Post;
    let door: Door;
    let submission: SubmissionDoor;
    let program: MailProgram;
    before(async () => {
      dns = await startDnsStandIn();
      const port = await anyFreePort();
      const env = { MAIL_HOST: HOST, DNS_SERVERS: dns.address };
      post = await startPost({ env, relay: () => `smtp://${login}127.0.0.1:${port}` });
      const { environment, own } = post;
      door = await openDoor(environment);
      submission = await openSubmission({ deps: environment.deps, key: own.projectKey });
      const inboundDomains = [HOST, `bounce.${HOST}`];
      program = await start({ port, next: post.sink.port, inbound: door.port, inboundDomains }, settings);
    });
    afterEach(function () {
      if (this.currentTest?.state === 'failed') console.log(program.log());
    });
    after(async () => {
      await program?.end();
      await submission?.close();
      await door?.server.close();
      await post?.stop();
      await dns?.stop();
    });

    const send = (to: string, fields: object = {}) => post.send({ to: { email: to }, ...fields });
    const submit = async (raw: string, to = 'ada@reader.example') => {
      const reply = await submission.hand({
        from: SENDER,
        to,
        raw: `From: ${SENDER}\nTo: ${to}\nSubject: Grüße\n${raw}`,
      });
      expect(reply).to.match(/^250 2\.0\.0 [0-9a-f]{24}$/);
      return reply.slice(10);
    };
    const arrived = (emailId: string) =>
      until(
        async () =>
          post.sink.ledger.messages.find(({ messageId, raw }) => `${messageId}${raw}`.includes(emailId))?.raw ?? '',
        (raw) => raw !== '',
      );

    async function expectSigned(raw: string): Promise<void> {
      const { db, config } = post.environment.deps;
      const domain = await db.domains.findOne({ projectId: post.own.project._id, domainName: HOST });
      const { dkim: first, dkimEd25519: second } = domainRecords(domain!, config);
      dns.publish(first, second!);
      const reader = createMailReader(config, pino({ level: 'silent' }));
      const envelope = { mailFrom: SENDER, remoteAddress: '127.0.0.1', helo: 'mx.example.net' };
      const { dkim } = await reader.verify(Buffer.from(raw, 'latin1'), envelope);
      await reader.close();
      expect(dkim, raw.slice(0, 3_000)).to.equal('PASS');
    }

    it('gets mail by STARTTLS, with the login where it asks for one, and the signature is valid behind it.', async () => {
      const answer = await send('ada@reader.example', { subject: 'Grüße', text: `${'ä'.repeat(3_000)} end` });
      const { raw, mail } = await post.arrived(answer);
      expect(mail.subject).to.equal('Grüße');
      expect(mail.text).to.contain(`${'ä'.repeat(3_000)} end`);
      expect(raw).to.match(received);
      await expectSigned(raw);
      const { status, reply } = await post.settled(answer, 'sent');
      expect([status, reply.code]).to.deep.equal(['sent', 250]);
    });

    it('hands on submitted mail with bytes above 127 and with long lines, still signed.', async () => {
      const head = 'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n';
      for (const body of ['Grüße aus Köln\n', `${'lang '.repeat(600)}\n`, '.\n..dots\n']) {
        const raw = await arrived(await submit(`${head}${body}`));
        await expectSigned(raw);
      }
    });

    it('takes recipients at international domains, and local parts above ASCII are refused with 400.', async () => {
      const answer = await send('ada@bücher.example');
      expect((await post.arrived(answer)).envelope.to).to.deep.equal(['ada@xn--bcher-kva.example']);
      const refused = await send('ädä@reader.example');
      expect([refused.status, refused.text]).to.satisfy(
        ([status, text]: [number, string]) => status === 400 && text.includes('to'),
      );
    });

    it('refuses a recipient with 5.1.1: bounced, suppressed; or with 4.2.0: deferred, and due again.', async () => {
      const bounced = await post.settled(await send('unknown@reader.example'), 'bounced');
      expect(bounced.reply).to.include({ code: 550, enhanced: '5.1.1' });
      const again = await post.settled(await send('unknown@reader.example'), 'suppressed');
      expect(again.suppressedBy.reason).to.equal('BOUNCE');
      const later = await send('later@reader.example');
      const deferred = await post.settled(later, 'deferred');
      expect(deferred.reply).to.include({ code: 450 + (name === 'Exim' ? 1 : 0), enhanced: '4.2.0' });
      await hurry(post, 'deferred');
      const twice = await until(
        async () => (await post.environment.own.client.get(`/emails/${later.body.data.emailId}`)).body.data,
        ({ attempts }) => attempts >= 2,
      );
      expect(twice.status).to.equal('deferred');
    });

    it('refuses a mail above its size, which neither bounces the address nor suppresses it.', async () => {
      const email = 'small@reader.example';
      const large = await post.settled(await send(email, { text: 'x '.repeat(SIZE) }), 'failed', 'bounced');
      expect([large.status, large.reply.code], large.reply.text).to.deep.equal(['failed', 552]);
      expect((await post.settled(await send(email), 'sent')).status).to.equal('sent');
    });

    it('returns what the next server refuses: its report comes in at the first try, and the mail is bounced with that reply.', async () => {
      for (const [local, code, enhanced] of [
        ['reject-rcpt-550-5.1.1', 550, '5.1.1'],
        ['reject-data-554-5.7.1', 554, '5.7.1'],
      ] as const) {
        const answer = await send(`${local}+${name}@reader.example`);
        const { reply, timeline } = await post.settled(answer, 'bounced');
        expect(reply).to.include({ code, enhanced });
        expect(JSON.stringify(timeline)).to.contain('"sent"');
      }
      const toUs = await until(
        async () =>
          program
            .log()
            .split('\n')
            .filter((line) => / (=>|==|\*\*|to=).*@bounce\./.test(line)),
        (lines) => lines.length >= 2,
      );
      expect(toUs.filter((line) => line.includes('250 2.0.0 Taken'))).to.deep.equal(toUs);
    });

    it('that is restarted twice while mail is sent gets each mail once, and hands it on once.', async () => {
      const answers = Array.from({ length: 40 }, (_, number) => send(`reader-${number}@reader.example`));
      for (let restart = 0; restart < 2; restart += 1) {
        await answers[restart * 20];
        await program.stop();
        await program.start();
      }
      const ids = (await Promise.all(answers)).map(({ body }) => body.data.emailId as string);
      const countOf = (id: string) =>
        post.sink.ledger.messages.filter(({ messageId }) => messageId?.includes(id)).length;
      await until(
        async () => {
          await hurry(post, 'queued', 'deferred');
          return ids.filter((id) => countOf(id) === 0);
        },
        (missing) => missing.length === 0,
      );
      for (const id of ids) expect((await post.settled(id, 'sent')).status).to.equal('sent');
      expect(ids.map(countOf)).to.deep.equal(ids.map(() => 1));
    });
  });
