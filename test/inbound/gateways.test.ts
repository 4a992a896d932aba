import { expect } from 'chai';
import type { AuthVerdict } from '../../core/inbound/model.ts';
import { ConfigError, readConfig } from '../../platform/config.ts';
import { isAmong, networkSet } from '../../platform/networks.ts';
import { receivingDomain } from '../feedback/support.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type DnsStandIn, startDnsStandIn } from '../support/mail/dns-stand-in.ts';
import { connectClient, type Door, openDoor } from '../support/mail/inbound-door.ts';

const GATEWAY = '127.0.0.2';
const STRANGER = '127.0.0.3';
const SENDER = 'ada@sender.example';
const FORWARD = 'XFORWARD NAME=mx.sender.example ADDR=198.51.100.7 PORT=4711';

describe('A mail gateway in front of the inbound server', () => {
  let environment: Environment;
  let dns: DnsStandIn;
  let door: Door;
  let to: string;
  let sockets: Array<{ destroy(): void }> = [];
  before(async () => {
    dns = await startDnsStandIn();
    environment = await startEnvironment({ MAIL_HOST: 'mail.example.com', DNS_SERVERS: dns.address });
    dns.set('sender.example', 'TXT', ['v=spf1 ip4:198.51.100.7 ip6:2001:db8::7 -all']);
    dns.set('mx.sender.example', 'TXT', ['v=spf1 ip4:198.51.100.7 -all']);
    to = `support@${await receivingDomain(environment, environment.own)}`;
  });
  beforeEach(async () => {
    // Midnight, when each network gets another document, does not come during a test.
    environment.clock.set(new Date(new Date().setUTCHours(12, 0, 0, 0)));
    await environment.deps.db.inboundUsage.deleteMany({});
    door = await openDoor(environment, only('10.0.0.0/8', GATEWAY));
  });
  afterEach(() => close());
  after(async () => {
    await environment.stop();
    await dns.stop();
  });

  const only = (...inboundGateways: string[]) => ({ inboundGateways });
  async function close(): Promise<void> {
    for (const socket of sockets.splice(0)) socket.destroy();
    await door.server.close();
  }

  async function connect(from = GATEWAY) {
    const client = connectClient(door.port, from);
    sockets = [...sockets, client.socket];
    const greeting = await client.line();
    return { ...client, greeting };
  }

  let count = 0;
  /** Resolves with the verdict that is stored with the mail. */
  async function deliver(
    { ask }: Pick<Awaited<ReturnType<typeof connect>>, 'ask'>,
    from = SENDER,
  ): Promise<AuthVerdict> {
    count += 1;
    const messageId = `${count}@sender.example`;
    for (const command of [`MAIL FROM:<${from}>`, `RCPT TO:<${to}>`]) expect(await ask(command)).to.match(/^250/);
    await ask('DATA');
    expect(await ask(`From: ${SENDER}\r\nMessage-ID: <${messageId}>\r\n\r\nHello ${count}.\r\n.`)).to.match(/^250/);
    const stored = await environment.deps.db.inboundMessages.findOne({
      projectId: environment.own.project._id,
      messageId,
    });
    return stored!.spfVerdict;
  }
  const usages = async () =>
    (await environment.deps.db.inboundUsage.find({}).toArray()).flatMap(({ network }) => network ?? []);

  it('names the client of each mail by XFORWARD: SPF and the quota of the network judge that client.', async () => {
    const client = await connect();
    await client.ask('EHLO gateway.example.com');
    expect(await client.ask(FORWARD)).to.match(/^250/);
    expect(await client.ask('XFORWARD PROTO=ESMTP HELO=mx.sender.example SOURCE=REMOTE')).to.match(/^250/);
    expect(await deliver(client)).to.equal('PASS');
    expect(await client.ask('XFORWARD ADDR=IPV6:2001:db8::7')).to.match(/^250/);
    expect(await deliver(client)).to.equal('PASS');
    expect(await client.ask('XFORWARD ADDR=203.0.113.9')).to.match(/^250/);
    expect(await deliver(client)).to.equal('FAIL');
    expect(await usages()).to.have.members(['198.51.100.7', '2001:db8:0:0::/64', '203.0.113.9']);
  });

  it('names a client for one mail alone: the next one, or one whose client is not known, is its own.', async () => {
    const client = await connect();
    await client.ask('EHLO gateway.example.com');
    await client.ask(FORWARD);
    expect(await deliver(client)).to.equal('PASS');
    expect(await deliver(client)).to.equal('FAIL');
    await client.ask(FORWARD);
    await client.ask('RSET');
    expect(await deliver(client)).to.equal('FAIL');
    await client.ask(FORWARD);
    expect(await deliver(client)).to.equal('PASS');
    await client.ask('XFORWARD NAME=[UNAVAILABLE] ADDR=[UNAVAILABLE]');
    expect(await deliver(client)).to.equal('FAIL');
    expect(await usages()).to.have.members(['198.51.100.7', GATEWAY]);
  });

  it('names the host of a client, which SPF judges for the null sender.', async () => {
    const client = await connect();
    await client.ask('EHLO gateway.example.com');
    await client.ask(FORWARD);
    await client.ask('XFORWARD HELO=mx.sender.example');
    expect(await deliver(client, '')).to.equal('PASS');
    await client.ask(FORWARD);
    expect(await deliver(client, '')).to.equal('NONE');
  });

  it('names the client of a session by XCLIENT, which has its share of connections and cannot name another one.', async () => {
    await close();
    door = await openDoor(environment, { ...only(GATEWAY), inboundConnectionsPerAddress: 2 });
    const through = async (address: string) => {
      const client = await connect();
      await client.ask('EHLO gateway.example.com');
      return { ...client, greeting: await client.ask(`XCLIENT NAME=[UNAVAILABLE] ADDR=${address} LOGIN=ada`) };
    };
    const first = await through('198.51.100.7');
    expect(first.greeting).to.match(/^220/);
    await first.ask('EHLO mx.sender.example');
    expect(await deliver(first)).to.equal('PASS');
    expect(await deliver(first), 'the second mail of the session').to.equal('PASS');
    for (const command of ['XCLIENT ADDR=192.0.2.1', FORWARD]) expect(await first.ask(command)).to.match(/^550/);
    const clients = [await through('198.51.100.7'), await through('198.51.100.7'), await through('203.0.113.9')];
    expect(clients.map(({ greeting }) => greeting.slice(0, 3))).to.deep.equal(['220', '421', '220']);
  });

  it('is one of INBOUND_GATEWAYS: another host gets 550 and is judged by its own address, and by default all do.', async () => {
    const stranger = await connect(STRANGER);
    await stranger.ask('EHLO gateway.example.com');
    for (const command of [FORWARD, 'XCLIENT ADDR=198.51.100.7'])
      expect(await stranger.ask(command)).to.equal('550 5.7.0 Error: Not allowed');
    expect(await deliver(stranger)).to.equal('FAIL');
    expect(await usages()).to.deep.equal([STRANGER]);
    await close();
    door = await openDoor(environment);
    const client = await connect();
    await client.ask('EHLO gateway.example.com');
    expect(await client.ask(FORWARD)).to.match(/^550/);
  });

  it('gets 501 for an address that is none, and 503 for a change within a mail.', async () => {
    const client = await connect();
    await client.ask('EHLO gateway.example.com');
    expect(await client.ask('XFORWARD ADDR=nowhere')).to.match(/^501/);
    await client.ask('MAIL FROM:<ada@sender.example>');
    expect(await client.ask(FORWARD)).to.match(/^503/);
    await client.ask('RSET');
    expect(await deliver(client)).to.equal('FAIL');
  });
});

describe('INBOUND_GATEWAYS', () => {
  it('lists addresses and networks of both kinds.', () => {
    const { inboundGateways } = readConfig({ INBOUND_GATEWAYS: '192.0.2.7, 10.0.0.0/8,2001:db8::/32' });
    const set = networkSet(inboundGateways);
    for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '10.255.0.1', '2001:db8:1::1'])
      expect(isAmong(set, address), address).to.equal(true);
    for (const address of ['192.0.2.8', '11.0.0.1', '2001:db9::1', '', 'x'])
      expect(isAmong(set, address), address).to.equal(false);
    expect(isAmong(networkSet(readConfig({}).inboundGateways), '127.0.0.1')).to.equal(false);
  });

  it('refuses the start with anything else.', () => {
    for (const text of [
      'gateway',
      '10.0.0.0/33',
      '0.0.0.0/0',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '2001:db8::/129',
      '10.0.0.0/1x',
    ])
      expect(() => readConfig({ INBOUND_GATEWAYS: text }), text).to.throw(ConfigError, 'INBOUND_GATEWAYS');
  });
});
