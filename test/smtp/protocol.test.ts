import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect } from 'chai';
import { formatReply } from '../../core/mail/ledger/rules/relay-replies.ts';
import { closeRelays, deliver, newMessage, sendOn, startRelay, take } from './support.ts';

const read = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const certificate = { key: read('localhost.key'), cert: read('localhost.crt') };

describe('what goes over the wire', () => {
  afterEach(closeRelays);

  it('arrives byte for byte, with dots stuffed, and its line ends are CRLF whatever they were', async () => {
    const bodies = ['.\r\n', '..\r\n', '.\r\n.\r\n', 'a\r\n.\r\nb\r\n', '.hidden\r\n...x\r\n', '\r\n\r\n'];
    const long = 'x'.repeat(70).concat('\r\n.\r\n').repeat(5_000);
    for (const pipelining of [true, false]) {
      const { sink, mailer } = await startRelay({ pipelining });
      for (const body of [...bodies, long]) {
        const message = newMessage(body);
        expect((await deliver(mailer, 'a@in.test', { message })).recipients[0]?.accepted).to.equal(true);
        expect(sink.ledger.messages.at(-1)?.raw).to.equal(message);
      }
      expect(sink.ledger.badLines).to.equal(0);
    }
  });

  it('no dot follows an answer to DATA that has the answer to the dot with it', async () => {
    for (const pipelining of [true, false]) {
      const { sink, mailer } = await startRelay({ pipelining, dataReply: '354 go on\r\n250 2.0.0 queued\r\n' });
      const delivery = await deliver(mailer, 'a@in.test');
      expect([delivery.kind, delivery.recipients[0]?.accepted]).to.deep.equal(['lost', false]);
      expect(sink.ledger.total).to.equal(0);
    }
  });

  it('3xx to MAIL or RCPT is no answer: the mail is not tried again at once for ever', async () => {
    for (const to of ['temp-mail-354', 'temp-rcpt-354']) {
      const { mailer } = await startRelay();
      const { kind, fault } = await deliver(mailer, `${to}@in.test`, { from: `${to}@in.test` });
      expect([kind, fault?.reason]).to.deep.equal([to.includes('mail') ? 'relay' : 'lost', 'protocol']);
    }
  });

  it('MAIL that is refused counts, also when the relay then takes recipients and DATA', async () => {
    const { mailer } = await startRelay({ dataWithoutRecipients: true, mailReply: '451 4.4.3 local error\r\n' });
    const { kind, phase, recipients } = await deliver(mailer, 'a@in.test');
    expect([kind, phase, recipients[0]?.code]).to.deep.equal(['answered', 'mail', 451]);
  });

  it('never lets a bare line end smuggle a second message', async () => {
    const { sink, mailer } = await startRelay();
    const smuggled = 'MAIL FROM:<x@evil.test>\r\nRCPT TO:<y@in.test>\r\nDATA\r\nhi\r\n.\r\n';
    const ends = ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r'];
    for (const end of ends) {
      const delivery = await deliver(mailer, 'a@in.test', { message: newMessage(`before${end}${smuggled}`) });
      expect(delivery.recipients[0]?.accepted).to.equal(true);
    }
    expect(sink.ledger.stats()).to.include({ messages: ends.length, badLines: 0, protocolErrors: 0 });
    expect(sink.ledger.messages.every(({ to }) => to[0] === 'a@in.test')).to.equal(true);
  });

  it('is refused here when an address could end the command', async () => {
    const { sink, mailer } = await startRelay();
    const bad = [
      'a@in.test>\r\nRCPT TO:<b@in.test',
      'a@in.test\n',
      'a b@in.test',
      '',
      '<a@in.test>',
      'ä@in.test',
      'a@in.test\0',
    ];
    for (const to of bad) {
      const delivery = await deliver(mailer, to);
      expect([delivery.kind, delivery.answered, delivery.recipients[0]?.code]).to.deep.equal(['answered', false, 553]);
    }
    for (const from of ['a@out.test> BODY=8BITMIME', 'a@out.test\r\n'])
      expect((await deliver(mailer, 'a@in.test', { from })).recipients[0]?.code).to.equal(553);
    expect(sink.ledger.stats()).to.include({ messages: 0, protocolErrors: 0 });
    expect((await deliver(mailer, 'a@in.test', { from: '' })).recipients[0]?.accepted).to.equal(true);
  });

  it('is a permanent failure without DATA when the relay offers a smaller SIZE', async () => {
    const { sink, mailer } = await startRelay({ sizeMax: 1_000 });
    const delivery = await deliver(mailer, 'a@in.test', {
      message: newMessage('x'.repeat(70).concat('\r\n').repeat(20)),
    });
    expect(delivery.recipients[0]).to.include({ accepted: false, code: 552, enhanced: '5.3.4' });
    expect(delivery.answered).to.equal(false);
    expect((await deliver(mailer, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
    expect(sink.ledger.total).to.equal(1);
  });

  it('is 8-bit only where the relay takes that', async () => {
    const { sink, mailer } = await startRelay();
    const message = Buffer.from(newMessage('gr\u00fc\u00dfe\r\n'), 'utf8');
    expect((await deliver(mailer, 'a@in.test', { message, eightBit: true })).recipients[0]?.accepted).to.equal(true);
    expect(Buffer.from(sink.ledger.messages[0]!.raw!, 'latin1').equals(message)).to.equal(true);
  });

  it('keeps the reply to each command: MAIL, each RCPT, DATA and the final dot', async () => {
    const { mailer } = await startRelay();
    const { replies } = await deliver(mailer, ['a@in.test', 'perm-rcpt-550-5.1.1@in.test']);
    expect(replies.map(formatReply)).to.deep.equal([
      '250 2.1.0 ok',
      '250 2.1.5 ok',
      '550 5.1.1 no such user here',
      '354 go ahead',
      '250 2.0.0 queued',
    ]);
  });
});

describe('TLS and logging in', () => {
  afterEach(closeRelays);
  const defaults = getCACertificates('default');
  before(() => setDefaultCACertificates([...defaults, certificate.cert]));
  after(() => setDefaultCACertificates(defaults));

  const tls = createSecureContext(certificate);
  const auth = { methods: 'PLAIN LOGIN', user: 'anna', password: 'p@ss wörd' };
  const login = 'anna:p%40ss%20w%C3%B6rd@';

  it('STARTTLS is used when offered, and AUTH PLAIN after it', async () => {
    const { sink } = await startRelay({ tls, auth });
    const { mailer } = await startRelay({}, { url: sink.url.replace('//', `//${login}`) });
    expect((await deliver(mailer, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
    expect(sink.ledger.total).to.equal(1);
  });

  it('smtps:// speaks TLS from the first byte, long messages too', async () => {
    const { sink, mailer } = await startRelay({ implicitTls: certificate });
    expect(sink.url).to.match(/^smtps:/);
    const message = newMessage('A line of a long message.\r\n'.repeat(40_000));
    for (const one of [newMessage(), message, newMessage()]) {
      expect((await deliver(mailer, 'a@in.test', { message: one })).recipients[0]?.accepted).to.equal(true);
      expect(sink.ledger.messages.at(-1)?.raw).to.equal(one);
    }
    expect(sink.ledger.connections).to.equal(1);
  });

  it('AUTH LOGIN is used where PLAIN is not offered', async () => {
    const { sink } = await startRelay({ auth: { ...auth, methods: 'LOGIN' } });
    const { mailer } = await startRelay({}, { url: sink.url.replace('//', `//${login}`) });
    expect((await deliver(mailer, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
  });

  it('a certificate that cannot be trusted is no hindrance where TLS is only taken because it is offered', async () => {
    setDefaultCACertificates(defaults);
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', `${login}127.0.0.1`]) {
      const { sink } = await startRelay(host.includes('@') ? { tls, auth } : { tls });
      const { mailer } = await startRelay({}, { url: sink.url.replace('127.0.0.1', host) });
      expect((await deliver(mailer, 'a@in.test')).recipients[0]?.accepted, host).to.equal(true);
    }
    setDefaultCACertificates([...defaults, certificate.cert]);
  });

  it('with a password it opens the breaker, and nothing goes out in the clear', async () => {
    setDefaultCACertificates(defaults);
    const { sink } = await startRelay({ tls, auth });
    const elsewhere = sink.url.replace('//127.0.0.1', `//${login}[::ffff:127.0.0.1]`);
    const { mailer } = await startRelay({}, { url: elsewhere });
    const { fault } = await mailer.acquire('campaign');
    const asked = await startRelay({}, { url: `${sink.url}/?tls.rejectUnauthorized=true` });
    expect((await asked.mailer.acquire('campaign')).fault?.reason).to.equal('tls');
    setDefaultCACertificates([...defaults, certificate.cert]);
    expect([fault?.phase, fault?.reason]).to.deep.equal(['greeting', 'tls']);
    expect(fault?.reply.text).to.match(/certificate/);
    expect(mailer.states()[0]?.state).to.equal('open');
    expect([sink.ledger.total, sink.ledger.logins]).to.deep.equal([0, 0]);
  });

  it('a certificate for another name is refused, unless the URL says not to look', async () => {
    const { sink } = await startRelay({ tls });
    const strict = await startRelay({}, { url: `${sink.url}/?tls.servername=mail.example.test` });
    expect((await strict.mailer.acquire('campaign')).fault?.reason).to.equal('tls');
    const lax = await startRelay(
      {},
      { url: `${sink.url}/?tls.servername=mail.example.test&tls.rejectUnauthorized=false` },
    );
    expect((await deliver(lax.mailer, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
  });

  it('no password travels in the clear when a relay that is not on this machine offers no STARTTLS', async () => {
    const { sink } = await startRelay({ auth });
    // Another name of the same address, which is not known to be this machine.
    const url = sink.url.replace('//127.0.0.1', `//${login}[::ffff:127.0.0.1]`);
    const { mailer } = await startRelay({}, { url });
    const { fault } = await mailer.acquire('campaign');
    expect(fault?.reason).to.equal('tls');
    expect(fault?.reply.text).to.match(/does not offer STARTTLS.*smtps:\/\/.*requireTLS=false/);
    expect(sink.ledger.logins).to.equal(0);
    const { mailer: careless } = await startRelay({}, { url: `${url}/?requireTLS=false` });
    expect((await deliver(careless, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
  });

  it('requireTLS refuses a relay without STARTTLS, ignoreTLS does not use it', async () => {
    const { sink } = await startRelay();
    const required = await startRelay({}, { url: `${sink.url}/?requireTLS=true` });
    expect((await required.mailer.acquire('campaign')).fault?.reason).to.equal('tls');
    const offering = await startRelay({ tls });
    const ignoring = await startRelay(
      {},
      { url: `${offering.sink.url}/?ignoreTLS=true&tls.servername=no.example.test` },
    );
    expect((await deliver(ignoring.mailer, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
  });

  it('whatever is said in the clear after STARTTLS is a fault', async () => {
    const { mailer } = await startRelay({ tls, tlsInjection: '250 AUTH PLAIN\r\n' });
    expect((await mailer.acquire('campaign')).fault?.phase).to.equal('greeting');
    const partial = await startRelay({ tls, tlsInjection: '250 half a li' });
    expect((await partial.mailer.acquire('campaign')).fault?.reason).to.equal('tls');
  });

  it('the guard and the pipelined envelope work over TLS as well', async () => {
    const { sink, mailer } = await startRelay({ tls });
    const connection = await take(mailer);
    const sends = ['a', 'b', 'perm-rcpt-550', 'c'].map((name) => sendOn(connection, `${name}@in.test`));
    const fenced = sendOn(connection, 'd@in.test', { beforeDot: () => false });
    const codes = (await Promise.all(sends)).map(({ recipients }) => recipients[0]?.code);
    expect(codes).to.deep.equal([250, 250, 550, 250]);
    expect((await fenced).kind).to.equal('fenced');
    expect(sink.ledger.total).to.equal(3);
  });
});
