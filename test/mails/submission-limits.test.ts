import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { createTransport } from 'nodemailer';
import { createApiKey, revokeApiKey } from '../../core/accounts/api-keys.ts';
import type { Deps } from '../../core/base/deps.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import type { SubmissionLimits } from '../../platform/submission/server.ts';
import { SENDER } from '../delivery/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { connectClient } from '../support/mail/inbound-door.ts';
import { emailIdOf, openSubmission, plain, type SubmissionDoor } from '../support/mail/submission.ts';
import { until } from '../support/wait.ts';

const fixture = (name: string) => join(import.meta.dirname, '../fixtures/tls', name);
const RAW = `From: ${SENDER}\nTo: ada@in.test\nSubject: x\n\nHello.`;
const GREEDY = '127.0.0.2';
const ELSEWHERE = '198.51.100.7';

describe('The submission server', () => {
  const environment = useEnvironment();
  let door: SubmissionDoor;
  const clients: Socket[] = [];
  before(() => seedVerifiedDomain(environment.deps, environment.own.project, 'mail.example.com', new ObjectId()));
  afterEach(async () => {
    for (const socket of clients.splice(0)) socket.destroy();
    await door.close();
  });

  async function open(config: Partial<Deps['config']> = {}, limits: Partial<SubmissionLimits> = {}): Promise<void> {
    door = await openSubmission({ deps: environment.deps, key: environment.own.projectKey }, config, limits);
  }

  function client(localAddress?: string) {
    const made = connectClient(door.server.port, localAddress);
    clients.push(made.socket);
    return made;
  }

  /** Everything that comes as the answer to one command, with all its lines. */
  async function hello({ socket, line }: { socket: Socket; line?: () => Promise<string> }): Promise<string> {
    const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
    socket.write('EHLO client.example.net\r\n');
    // The client keeps the lines that it has read.
    await Promise.all([answer, line?.()]);
    return answer;
  }

  async function fromElsewhere() {
    const made = client(GREEDY);
    made.socket.write(`PROXY TCP4 ${ELSEWHERE} 192.0.2.1 40000 25\r\n`);
    expect(await made.line()).to.match(/^220/);
    return made;
  }

  describe('takes nothing without a key', () => {
    it('of a project: other passwords are refused, whatever the user name is', async () => {
      await open();
      const { own } = environment;
      const one = client();
      await one.line();
      await one.ask('EHLO client.example.net');
      expect(await one.ask('MAIL FROM:<a@b.example>')).to.match(/^530 5\.7\.0 Log in first/);
      expect(await one.ask(`AUTH PLAIN ${plain('AS_wrong')}`)).to.match(/^535 5\.7\.8 /);
      expect(await one.ask(`AUTH PLAIN ${plain(own.adminKey)}`)).to.match(/^535 5\.7\.8 /);
      expect(await one.ask(`AUTH PLAIN ${plain(own.projectKey, 'ops@example.com')}`)).to.match(/^235 /);
      for (const authMethod of ['PLAIN', 'LOGIN'])
        await door.send({ from: SENDER, to: 'ada@in.test', text: 'x' }, { authMethod, user: 'root' });
    });

    it('and a revoked one ends within five seconds, in sessions that are open too', async () => {
      await open();
      const { deps, own } = environment;
      const owner = { organizationId: own.organization._id, projectId: own.project._id };
      const { key, apiKey } = await createApiKey(deps, { ...owner, name: 'short' });
      const { socket, ask } = await door.session(key);
      clients.push(socket);
      const send = async () => {
        for (const command of ['RSET', 'MAIL FROM:<a@b.example>', 'RCPT TO:<ada@in.test>', 'DATA']) {
          const reply = await ask(command);
          if (!/^[23]/.test(reply)) return reply;
        }
        return ask(`${RAW.replace(/\n/g, '\r\n')}\r\n.`);
      };
      emailIdOf({ response: await send() });
      for (const command of ['MAIL FROM:<a@b.example>', 'RCPT TO:<ada@in.test>', 'DATA']) await ask(command);
      await revokeApiKey(deps, own.organization._id, apiKey._id.toHexString());
      await sleep(2_500);
      expect(await ask(`${RAW.replace(/\n/g, '\r\n')}\r\n.`), 'begun before').to.match(/^535 5\.7\.8 .*revoked/);
      expect(await send()).to.match(/^535 5\.7\.8 .*revoked/);
    });

    it('and ends the session of an address after ten failed logins a minute, while good keys are taken', async () => {
      await open();
      const replies: string[] = [];
      for (let session = 0; session < 3; session += 1) {
        const one = client(GREEDY);
        await one.line();
        await one.ask('EHLO client.example.net');
        for (let tries = 0; tries < 5; tries += 1) replies.push(await one.ask(`AUTH PLAIN ${plain('AS_wrong')}`));
      }
      expect(replies.slice(0, 10).every((reply) => reply.startsWith('535 '))).to.equal(true);
      expect(replies[10]).to.match(/^421 4\.7\.0 Too many failed logins/);
      expect(replies[11]).to.equal('closed');
      emailIdOf({ response: await door.hand({ raw: RAW }) });
    });
  });

  describe('offers AUTH', () => {
    const certified = {
      submissionTlsCertificate: fixture('localhost.crt'),
      submissionTlsKey: fixture('localhost.key'),
    };

    it('without a certificate on this machine alone, and has no port for TLS', async () => {
      await open({ inboundProxies: [GREEDY] });
      expect(door.server.tlsPort).to.equal(null);
      const here = client();
      await here.line();
      expect(await hello(here))
        .to.match(/AUTH PLAIN LOGIN/)
        .and.not.match(/STARTTLS/);
      const there = await fromElsewhere();
      expect(await hello(there)).to.not.match(/AUTH/);
      expect(await there.ask(`AUTH PLAIN ${plain(environment.own.projectKey)}`)).to.match(/^500 /);
      expect(await there.ask('MAIL FROM:<a@b.example>')).to.match(/^530 5\.7\.0 Log in first, over TLS/);
    });

    it('to other machines without TLS only by SUBMISSION_PLAIN_AUTH', async () => {
      await open({ inboundProxies: [GREEDY], submissionPlainAuth: true });
      const there = await fromElsewhere();
      expect(await hello(there)).to.match(/AUTH PLAIN LOGIN/);
      expect(await there.ask(`AUTH PLAIN ${plain(environment.own.projectKey)}`)).to.match(/^235 /);
    });

    it('with a certificate behind STARTTLS, and on the port for TLS', async () => {
      await open({ ...certified, inboundProxies: [GREEDY] });
      const there = await fromElsewhere();
      expect(await hello(there))
        .to.match(/STARTTLS/)
        .and.not.match(/AUTH/);
      expect(await there.ask('STARTTLS')).to.match(/^220 /);
      const secure = connect({ socket: there.socket, rejectUnauthorized: false });
      await new Promise((resolve) => secure.once('secureConnect', resolve));
      expect(await hello({ socket: secure })).to.match(/AUTH PLAIN LOGIN/);
      secure.destroy();
      const auth = { user: 'anyone', pass: environment.own.projectKey };
      for (const [port, tls] of [
        [door.server.port, { requireTLS: true }],
        [door.server.tlsPort!, { secure: true }],
      ] as const) {
        const transport = createTransport({
          host: '127.0.0.1',
          port,
          auth,
          tls: { rejectUnauthorized: false },
          ...tls,
        });
        const sent = await transport.sendMail({ from: SENDER, to: 'ada@in.test', text: 'x' });
        emailIdOf(sent);
        transport.close();
      }
    });
  });

  describe('keeps one client from shutting out others', () => {
    it('by 20 connections of an address, on both ports together', async () => {
      await open({
        submissionTlsCertificate: fixture('localhost.crt'),
        submissionTlsKey: fixture('localhost.key'),
      });
      const greedy = Array.from({ length: 60 }, () => client(GREEDY));
      const greetings = await Promise.all(greedy.map(({ line }) => line()));
      expect(greetings.filter((reply) => reply.startsWith('220'))).to.have.length(20);
      expect(greetings.filter((reply) => reply.startsWith('421 4.7.0'))).to.have.length(40);
      const over = createConnection({ port: door.server.tlsPort!, host: '127.0.0.1', localAddress: GREEDY });
      const secure = connect({ socket: over, rejectUnauthorized: false });
      const reply = await new Promise<string>((resolve) => secure.once('data', (data: Buffer) => resolve(`${data}`)));
      expect(reply).to.match(/^421 4\.7\.0/);
      secure.destroy();
      emailIdOf({ response: await door.hand({ raw: RAW }) });
    });

    it('by ending sessions that do not log in', async () => {
      await open({}, { loginMs: 200 });
      const idle = client(GREEDY);
      const said = [await idle.line(), await idle.line()];
      expect(said.join('\n')).to.match(/^421 4\.4\.2 Log in sooner/m);
    });

    it('by ending sessions that last too long, while others are taken', async () => {
      await open({}, { sessionMs: 6_000 });
      const slow = await door.session();
      clients.push(slow.socket);
      for (const command of ['MAIL FROM:<a@b.example>', 'RCPT TO:<ada@in.test>', 'DATA']) await slow.ask(command);
      slow.socket.write(`From: ${SENDER}\r\n`);
      expect(await slow.line()).to.match(/^421 4\.4\.2 The session took too long/);
      emailIdOf({ response: await door.hand({ raw: RAW }) });
    });

    it('by ending sessions that say NOOP 300 times', async () => {
      await open();
      const flood = await door.session();
      clients.push(flood.socket);
      flood.socket.write('NOOP\r\n'.repeat(1_000));
      let reply = '250';
      while (reply.startsWith('250')) reply = await flood.line();
      expect(reply).to.match(/^421 4\.7\.0 Too many commands/);
      emailIdOf({ response: await door.hand({ raw: RAW }) });
    });

    for (const [name, lines, bytesPerAddress] of [
      ['', 2_000, 300_000],
      [', of a chunk where a mail is stored as it arrives', 8_000, 400_000],
    ] as const)
      it(`by the bytes in memory${name}: more of one address are deferred, and mail of another is taken`, async () => {
        await open({}, { bytes: 2 * bytesPerAddress, bytesPerAddress });
        const begin = async (localAddress: string) => {
          const one = client(localAddress);
          await one.line();
          await one.ask('EHLO client.example.net');
          await one.ask(`AUTH PLAIN ${plain(environment.own.projectKey)}`);
          for (const command of ['MAIL FROM:<a@b.example>', 'RCPT TO:<ada@in.test>', 'DATA']) await one.ask(command);
          return one;
        };
        const head = RAW.replace(/\n/g, '\r\n');
        const body = `${'x'.repeat(98)}\r\n`.repeat(lines);
        const held = await begin(GREEDY);
        held.socket.write(`${head}\r\n${body}`);
        // Until the server has read the first mail, another one of the address is taken.
        await until(
          async () => {
            const over = await begin(GREEDY);
            const reply = await over.ask(`${head}\r\n${body}.`);
            over.socket.destroy();
            return reply;
          },
          (reply) => reply.startsWith('452 4.3.1 '),
        );
        emailIdOf({ response: await door.hand({ raw: `${RAW}\n${body}` }) });
        held.socket.destroy();
      });

    it('by RATE_LIMIT, which counts mails of a key', async () => {
      await open({ rateLimit: 2 });
      const { socket, ask } = await door.session();
      clients.push(socket);
      for (const expected of [/^250 /, /^250 /, /^451 4\.7\.1 Too many mails; try again in \d+ seconds/]) {
        expect(await ask('MAIL FROM:<a@b.example>')).to.match(expected);
        await ask('RSET');
      }
    });
  });
});
