import { expect } from 'chai';
import { anyFreePort } from '../../stack/ports.ts';
import { receivingDomain } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { connectClient, type Door, openDoor } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';
import { type MailProgram, startPostfix } from './programs.ts';

const SENDER = 'ada@sender.example';
const HOST = 'mail.example.com';
const PROXY = '127.0.0.9';

describe('A Postfix in front of the inbound server', () => {
  let environment: Environment;
  let dns: DnsStandIn;
  let door: Door;
  let program: MailProgram;
  let domain: string;
  before(async () => {
    dns = await startDnsStandIn();
    dns.set('sender.example', 'TXT', ['v=spf1 ip4:198.51.100.7 ip6:2001:db8::7 -all']);
    environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: dns.address });
    door = await openDoor(environment, { inboundGateways: ['127.0.0.1'] });
    domain = await receivingDomain(environment, environment.own);
    // As docs/operators/inbound-mail.md has it; XCLIENT lets a test be any client of the Postfix.
    program = await startPostfix(
      { port: await anyFreePort(), next: 9, inbound: door.port, inboundDomains: [domain, HOST] },
      [
        'smtp_send_xforward_command = yes',
        `relay_domains = ${domain}, ${HOST}`,
        'smtpd_recipient_restrictions = reject_unauth_destination, reject_unverified_recipient',
        'unverified_recipient_reject_code = 550',
        `smtpd_authorized_xclient_hosts = ${PROXY}`,
      ],
    );
  });
  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.log(program.log());
  });
  after(async () => {
    await program?.end();
    await door?.server.close();
    await environment?.stop();
    await dns?.stop();
  });

  async function connectAs(client: string) {
    const session = connectClient(program.port, PROXY);
    await session.line();
    await session.ask('EHLO proxy.example.net');
    expect(await session.ask(`XCLIENT ADDR=${client} NAME=[UNAVAILABLE]`)).to.match(/^220/);
    await session.ask('EHLO mx.sender.example');
    return session;
  }

  let count = 0;
  async function verdictOf(client: string): Promise<string> {
    count += 1;
    const messageId = `${count}@sender.example`;
    const { socket, ask } = await connectAs(client);
    for (const command of [`MAIL FROM:<${SENDER}>`, `RCPT TO:<support@${domain}>`])
      expect(await ask(command)).to.match(/^250/);
    await ask('DATA');
    expect(await ask(`From: ${SENDER}\r\nMessage-ID: <${messageId}>\r\n\r\nHello.\r\n.`)).to.match(/^250/);
    socket.destroy();
    const stored = await until(
      () => environment.deps.db.inboundMessages.findOne({ projectId: environment.own.project._id, messageId }),
      (message) => message !== null,
    );
    return stored!.spfVerdict;
  }
  const networks = async () =>
    (await environment.deps.db.inboundUsage.find({}).toArray()).flatMap(({ network }) => network ?? []);

  it('names its clients: SPF and the quotas of networks judge them, of IPv4 and of IPv6.', async () => {
    expect(await verdictOf('198.51.100.7')).to.equal('PASS');
    expect(await verdictOf('IPV6:2001:db8::7')).to.equal('PASS');
    expect(await verdictOf('203.0.113.9')).to.equal('FAIL');
    expect(await networks()).to.have.members(['198.51.100.7', '2001:db8:0:0::/64', '203.0.113.9']);
  });

  it('asks for each recipient first, so that it refuses what the inbound server refuses.', async () => {
    const { socket, ask } = await connectAs('198.51.100.7');
    await ask(`MAIL FROM:<${SENDER}>`);
    expect(await ask(`RCPT TO:<nobody@${HOST}>`)).to.match(/^550 5\.1\.1 .*undeliverable address/);
    expect(await ask(`RCPT TO:<support@${domain}>`)).to.match(/^250/);
    socket.destroy();
  });
});
