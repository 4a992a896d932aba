import { expect } from 'chai';
import { networkOf } from '../../core/base/text/networks.ts';
import { INBOUND_LIMITS } from '../../platform/inbound/limits.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { connectClient, type Door, openDoor, returnPathOf } from '../support/mail/inbound-door.ts';
import { until } from '../support/wait.ts';

const HOST = 'mail.example.com';
const GREEDY = '127.0.0.2';
const PER_ADDRESS = 20;
const MAIL = { from: 'ada@sender.example.net', to: '', raw: 'Subject: hello\n\nHello.' };

type Client = ReturnType<typeof connectClient>;

describe('Limits of the inbound server for one client', function () {
  this.timeout(120_000);
  let environment: Environment;
  let door: Door;
  let clients: Client[] = [];
  before(async () => {
    environment = await startEnvironment({ MAIL_HOST: HOST, DNS_SERVERS: '127.0.0.1:9' });
    MAIL.to = returnPathOf(environment);
  });
  afterEach(async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    await door.server.close();
  });
  after(() => environment.stop());

  function connect(localAddress = GREEDY): Client {
    const client = connectClient(door.port, localAddress);
    clients = [...clients, client];
    return client;
  }
  const connectMany = (count: number) => Array.from({ length: count }, () => connect());
  const greetings = (some: Client[]) => Promise.all(some.map(({ line }) => line()));

  /** Up to the first bytes of a mail. */
  async function beginMail({ socket, line, ask }: Client, bytes = 'Subject: slow\r\n\r\n'): Promise<void> {
    await line();
    for (const command of ['EHLO x.example.net', `MAIL FROM:<${MAIL.from}>`, `RCPT TO:<${MAIL.to}>`, 'DATA'])
      await ask(command);
    socket.write(bytes);
  }

  it('A host that opens 300 connections gets 20 of them and 421 for the others, and another host still delivers.', async () => {
    door = await openDoor(environment);
    const replies = await greetings(connectMany(300));
    expect(replies.filter((reply) => reply.startsWith('220'))).to.have.length(PER_ADDRESS);
    expect(replies.filter((reply) => reply.startsWith('421 4.7.0'))).to.have.length(300 - PER_ADDRESS);
    expect((await door.send(MAIL)).data).to.match(/^250/);
  });

  it('Connections that ended, also before the greeting, no longer count.', async () => {
    door = await openDoor(environment);
    for (let round = 0; round < 3; round += 1) {
      const gone = connectMany(PER_ADDRESS);
      if (round === 1) await greetings(gone);
      else await Promise.all(gone.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
      for (const { socket } of gone) {
        if (round === 2) socket.resetAndDestroy();
        else socket.destroy();
      }
    }
    await until(
      async () => {
        const client = connect();
        const reply = await client.line();
        client.socket.destroy();
        return reply;
      },
      (reply) => reply.startsWith('220'),
    );
    await until(
      async () => {
        const replies = await greetings(connectMany(PER_ADDRESS));
        for (const { socket } of clients.splice(0)) socket.destroy();
        return replies;
      },
      (replies) => replies.every((reply) => reply.startsWith('220')),
    );
  });

  it('A flood of NOOP ends each session after 300 commands, while another host delivers.', async () => {
    door = await openDoor(environment);
    const floods = connectMany(PER_ADDRESS);
    await greetings(floods);
    const ended = floods.map(async ({ socket, line }) => {
      socket.write('NOOP\r\n'.repeat(100_000));
      for (let taken = 0; ; taken += 1) {
        const reply = await line();
        if (!reply.startsWith('250')) return { taken, reply };
      }
    });
    expect((await door.send(MAIL)).data).to.match(/^250/);
    for (const { taken, reply } of await Promise.all(ended)) {
      expect(taken).to.equal(INBOUND_LIMITS.commandsMax);
      expect(reply).to.match(/^421 4\.7\.0/);
    }
  });

  it('Commands are counted from zero after each accepted mail, so that a server may deliver many in one session.', async () => {
    door = await openDoor(environment, {}, { limits: { ...INBOUND_LIMITS, commandsMax: 8 } });
    const { socket, line, ask } = connect();
    await line();
    await ask('EHLO x.example.net');
    for (let mail = 0; mail < 5; mail += 1) {
      for (const command of [`MAIL FROM:<${MAIL.from}>`, `RCPT TO:<${MAIL.to}>`, 'DATA', 'NOOP']) {
        const reply = command === 'NOOP' ? await ask('Subject: x\r\n\r\nx\r\n.') : await ask(command);
        expect(reply, `${command} of mail ${mail}`).to.match(/^(250|354)/);
      }
    }
    socket.destroy();
  });

  it('A session ends after its time, whether it says NOOP or sends a mail slowly, and another host delivers.', async () => {
    door = await openDoor(environment, {}, { limits: { ...INBOUND_LIMITS, sessionMs: 3_000 } });
    const idle = connect();
    const slow = connect();
    await idle.line();
    await beginMail(slow);
    const trickle = setInterval(() => {
      idle.socket.write('NOOP\r\n');
      slow.socket.write('a line\r\n');
    }, 50);
    try {
      let reply = '250';
      while (reply.startsWith('250')) reply = await idle.line();
      expect(reply).to.match(/^421 4\.4\.2/);
      expect(await slow.line()).to.match(/^421 4\.4\.2/);
    } finally {
      clearInterval(trickle);
    }
    expect((await door.send(MAIL)).data).to.match(/^250/);
  });

  it('Slow large mails of one host fill its share of the bytes in flight, and large mail of another host is taken.', async () => {
    door = await openDoor(environment);
    const block = `${'x'.repeat(76)}\r\n`.repeat(10_000);
    for (const client of connectMany(4)) {
      await beginMail(client);
      await sendBlocks(client, block, 31);
    }
    const large = { ...MAIL, raw: `Subject: large\n\n${block.repeat(15)}` };
    await until(
      () => door.send({ ...large, localAddress: GREEDY }),
      ({ data }) => data?.startsWith('452 4.3.1') === true,
    );
    expect((await door.send(large)).data).to.match(/^250/);
    // The bytes of a client that disconnects are free again.
    for (const { socket } of clients.splice(0)) socket.destroy();
    await until(
      () => door.send({ ...large, localAddress: GREEDY }),
      ({ data }) => data?.startsWith('250') === true,
    );
  });

  async function sendBlocks({ socket }: Client, block: string, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent += 1) await new Promise((resolve) => socket.write(block, resolve));
  }

  it('Of two large mails of one host at once, which have no room together, one is taken.', async () => {
    door = await openDoor(environment);
    const block = `${'x'.repeat(76)}\r\n`.repeat(10_000);
    const [first, second] = connectMany(2) as [Client, Client];
    for (const client of [first, second]) await beginMail(client);
    await sendBlocks(first, block, 20);
    await sendBlocks(second, block, 30);
    await sendBlocks(first, block, 10);
    const answers = [first, second].map(({ ask }) => ask('.'));
    expect((await Promise.all(answers)).map((answer) => answer.slice(0, 9)).toSorted()).to.deep.equal([
      '250 2.0.0',
      '452 4.3.1',
    ]);
  });

  /** Reading it is ended after its time. */
  function slowMail(): string {
    const part = (type: string, body: string) => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`;
    const slow = `${part('text/html', '<a href='.repeat(25_000))}${part('text/plain', 'x')}${part('text/html', '<p>')}--b--`;
    return `Content-Type: multipart/mixed; boundary=b\r\n\r\n${slow}\r\n.\r\n`;
  }

  it('Mails of one host that take seconds to read wait for each other, and mail of another host is read in between.', async () => {
    door = await openDoor(
      environment,
      {},
      { limits: { ...INBOUND_LIMITS, reading: { cpuMs: 1_000, cpuMsPerMegabyte: 0 } } },
    );
    let answered = 0;
    const greedy = connectMany(8);
    for (const client of greedy) await beginMail(client, slowMail());
    const answers = greedy.map(async ({ line }) => {
      const reply = await line();
      answered += 1;
      return reply;
    });
    expect((await door.send(MAIL)).data).to.match(/^250/);
    expect(answered).to.be.below(greedy.length);
    for (const reply of await Promise.all(answers)) expect(reply).to.match(/^(451 4\.3\.0 Reading|250)/);
  });

  it('Mails of one host that wait to be read have a size: more are answered with 452, and mail of another host is taken.', async () => {
    const reading = { cpuMs: 1_000, cpuMsPerMegabyte: 0, bytesMax: 500_000, bytesPerClientMax: 300_000 };
    door = await openDoor(environment, {}, { limits: { ...INBOUND_LIMITS, reading } });
    const greedy = connectMany(6);
    for (const client of greedy) await beginMail(client, slowMail());
    const replies = Promise.all(greedy.map(({ line }) => line()));
    expect((await door.send(MAIL)).data).to.match(/^250/);
    const crowded = (await replies).filter((reply) => reply.startsWith('452 4.3.1 Too much at a time'));
    expect(crowded.length).to.be.within(1, greedy.length - 1);
  });

  it('Behind a proxy that is named, clients are distinguished by its PROXY header; no other client may send one.', async () => {
    door = await openDoor(environment, { inboundProxies: [GREEDY] });
    const through = (client: string) => {
      const one = connect();
      one.socket.write(`PROXY TCP4 ${client} 192.0.2.1 40000 25\r\n`);
      return one.line();
    };
    const first = await Promise.all(Array.from({ length: PER_ADDRESS + 5 }, () => through('198.51.100.7')));
    expect(first.filter((reply) => reply.startsWith('220'))).to.have.length(PER_ADDRESS);
    expect(await through('198.51.100.8')).to.match(/^220/);
    const forger = connect('127.0.0.3');
    await forger.line();
    expect(await forger.ask('PROXY TCP4 198.51.100.9 192.0.2.1 40000 25')).to.match(/^500/);
  });
});

describe('The network of a client', () => {
  it('An IPv6 client is its /64; an IPv4 address is itself, also where the system maps it.', () => {
    expect(networkOf('::ffff:192.0.2.7')).to.equal('192.0.2.7');
    expect(networkOf('192.0.2.7')).to.equal('192.0.2.7');
    const same = ['2001:db8:0:1::1', '2001:DB8::1:abcd:0:0:9', '2001:0db8:0000:0001:0000:0000:0000:0001'];
    expect(new Set(same.map(networkOf))).to.deep.equal(new Set(['2001:db8:0:1::/64']));
    expect(networkOf('2001:db8:0:2::1')).to.not.equal(networkOf(same[0] as string));
    expect(networkOf('::1')).to.equal('0:0:0:0::/64');
  });
});
