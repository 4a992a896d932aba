import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { reportMail } from '../../core/mail/deliver/sandbox/report-text.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { type Door, openDoor } from '../support/mail/inbound-door.ts';

const fixture = (name: string) => join(import.meta.dirname, '../fixtures/tls', name);

describe('STARTTLS of inbound mail', () => {
  let environment: Environment;
  let folder: string;
  before(async () => {
    environment = await startEnvironment({ DNS_SERVERS: '127.0.0.1:9', MAIL_HOST: 'mail.example.com' });
    folder = mkdtempSync(join(tmpdir(), 'everpost-tls-'));
    for (const name of ['localhost.crt', 'localhost.key']) copyFileSync(fixture(name), join(folder, name));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await environment.stop();
  });

  const certified = () => ({
    inboundTlsCertificate: join(folder, 'localhost.crt'),
    inboundTlsKey: join(folder, 'localhost.key'),
  });

  async function withDoor(config: object, work: (door: Door) => Promise<void>): Promise<void> {
    const door = await openDoor(environment, config);
    await work(door).finally(() => door.server.close());
  }

  /** Says each line and answers what came back to it. */
  async function say(socket: Socket, ...lines: string[]): Promise<string[]> {
    const replies: string[] = [];
    for (const line of lines) {
      if (line !== '') socket.write(`${line}\r\n`);
      replies.push(await new Promise((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString()))));
    }
    return replies;
  }

  it('With a certificate it is offered, and a mail can be handed over behind it.', async () => {
    await withDoor(certified(), async ({ port }) => {
      const plain = createConnection(port, '127.0.0.1');
      const [, hello, ready] = await say(plain, '', 'EHLO sender.example.net', 'STARTTLS');
      expect(hello).to.contain('STARTTLS');
      expect(ready).to.match(/^220/);
      const secure = connect({ socket: plain, rejectUnauthorized: false });
      await new Promise((resolve) => secure.once('secureConnect', resolve));
      expect(secure.getPeerCertificate().subject.CN).to.equal('localhost');
      const replies = await say(
        secure,
        'EHLO sender.example.net',
        'MAIL FROM:<a@b.example>',
        'RCPT TO:<fbl@mail.example.com>',
      );
      expect(replies[0]).to.not.contain('STARTTLS');
      const report = {
        ...{ _id: new ObjectId(), projectId: new ObjectId(), messageId: new ObjectId(), kind: 'complaint' as const },
        ...{ email: 'a@b.example', returnPath: 'b+x@mail.example.com', head: 'Subject: x', createdAt: new Date() },
      };
      const taken = await say(secure, 'DATA', `${reportMail(report, 'mail.example.com').text}\r\n.`);
      expect([...replies.slice(1), ...taken].map((reply) => reply.slice(0, 3))).to.deep.equal([
        '250',
        '250',
        '354',
        '250',
      ]);
      secure.destroy();
    });
  });

  it('Sessions that ended behind STARTTLS no longer count as connections of their client.', async () => {
    await withDoor({ ...certified(), inboundConnectionsPerAddress: 2 }, async ({ port }) => {
      for (let session = 0; session < 4; session += 1) {
        const plain = createConnection(port, '127.0.0.1');
        const [greeting] = await say(plain, '', 'EHLO sender.example.net', 'STARTTLS');
        expect(greeting, `session ${session}`).to.match(/^220/);
        const secure = connect({ socket: plain, rejectUnauthorized: false });
        await new Promise((resolve) => secure.once('secureConnect', resolve));
        await say(secure, 'QUIT');
        await new Promise((resolve) => secure.end().once('close', resolve));
      }
    });
  });

  it('Plain text behind STARTTLS is not read as a command of the encrypted session.', async () => {
    await withDoor(certified(), async ({ port }) => {
      const plain = createConnection(port, '127.0.0.1');
      await say(plain, '', 'EHLO sender.example.net');
      const [ready] = await say(plain, 'STARTTLS\r\nMAIL FROM:<injected@b.example>');
      expect(ready).to.match(/^220[^\n]*\r\n$/);
      const secure = connect({ socket: plain, rejectUnauthorized: false });
      const refused = await new Promise<string>((resolve) => {
        secure.once('error', () => resolve('closed'));
        secure.once('close', () => resolve('closed'));
        secure.once('secureConnect', async () => {
          await say(secure, 'EHLO sender.example.net');
          resolve((await say(secure, 'RCPT TO:<abuse@mail.example.com>'))[0]!.slice(0, 3));
        });
      });
      // Without a MAIL of its own the second conversation has no sender yet.
      expect(refused).to.be.oneOf(['503', 'closed']);
      secure.destroy();
    });
  });

  it('Without a certificate it is neither offered nor taken; half of one, or a file that is not there, is said.', async () => {
    await withDoor({}, async ({ port }) => {
      const plain = createConnection(port, '127.0.0.1');
      const [, hello, refused] = await say(plain, '', 'EHLO sender.example.net', 'STARTTLS');
      expect(hello).to.not.contain('STARTTLS');
      expect(refused).to.match(/^5/);
      plain.destroy();
    });
    const fault = (config: object) =>
      openDoor(environment, config).then(
        () => 'opened',
        (error: Error) => error.message,
      );
    expect(await fault({ ...certified(), inboundTlsKey: '' })).to.contain('belong together');
    expect(await fault({ ...certified(), inboundTlsCertificate: join(folder, 'no.crt') })).to.contain(
      'INBOUND_TLS_CERTIFICATE names a file that cannot be read',
    );
  });
});
