import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { type Post, SENDER, startPost } from '../delivery/support.ts';
import { openDoor, returnPathOf } from '../support/mail/inbound-door.ts';
import { openSubmission, plain } from '../support/mail/submission.ts';

const fixture = (name: string) => join(import.meta.dirname, '../fixtures/tls', name);
const HOST = 'mail.example.com';

describe('A client that closes its side with its last command, as Exim does', () => {
  let post: Post;
  before(async () => {
    post = await startPost({ env: { MAIL_HOST: HOST, DNS_SERVERS: '127.0.0.1:9' } });
  });
  after(() => post.stop());

  const inbound = () => ['MAIL FROM:<ada@sender.example.net>', `RCPT TO:<${returnPathOf(post.environment)}>`];

  /** The reply to each line. */
  async function say(socket: Socket, lines: string[]): Promise<string[]> {
    const replies: string[] = [];
    for (const line of lines) {
      if (line !== '') socket.write(`${line}\r\n`);
      const [reply] = (await once(socket, 'data')) as [Buffer];
      replies.push(reply.toString());
    }
    return replies;
  }

  /** Everything that arrives after the last bytes and the close of one side; rejects when the server never closes the other. */
  async function finish(socket: Socket, last: string): Promise<string[]> {
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece));
    socket.end(last);
    await once(socket, 'end');
    return Buffer.concat(pieces).toString().trimEnd().split('\r\n');
  }

  it('gets the 250 for its mail and the reply to QUIT from the inbound server, then the close.', async () => {
    const door = await openDoor(post.environment);
    const socket = createConnection(door.port, '127.0.0.1');
    await say(socket, ['', 'EHLO exim.example.net', ...inbound(), 'DATA']);
    expect(await finish(socket, 'Subject: Hello\r\n\r\nHello.\r\n.\r\nQUIT\r\n')).to.deep.equal([
      '250 2.0.0 Taken',
      '221 2.0.0 Bye',
    ]);
    await door.server.close();
  });

  it('gets them behind STARTTLS too, and one that leaves in its handshake is closed at once.', async () => {
    const tls = { inboundTlsCertificate: fixture('localhost.crt'), inboundTlsKey: fixture('localhost.key') };
    const door = await openDoor(post.environment, tls);
    const socket = createConnection(door.port, '127.0.0.1');
    await say(socket, ['', 'EHLO exim.example.net', 'STARTTLS']);
    const secure = connect({ socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    await say(secure, ['EHLO exim.example.net', ...inbound(), 'DATA']);
    expect(await finish(secure, 'Subject: Hello\r\n\r\nHello.\r\n.\r\nQUIT\r\n')).to.deep.equal([
      '250 2.0.0 Taken',
      '221 2.0.0 Bye',
    ]);
    const leaving = createConnection(door.port, '127.0.0.1');
    await say(leaving, ['', 'EHLO exim.example.net', 'STARTTLS']);
    expect(await finish(leaving, '')).to.deep.equal(['']);
    await door.server.close();
  });

  it('without QUIT gets the reply to its last command, and one that leaves within a mail gets none.', async () => {
    const door = await openDoor(post.environment);
    const asking = createConnection(door.port, '127.0.0.1');
    await say(asking, ['', 'EHLO exim.example.net', inbound()[0]!]);
    const [refused] = await finish(asking, 'RCPT TO:<nobody@elsewhere.example>\r\n');
    expect(refused).to.match(/^550 /);
    const leaving = createConnection(door.port, '127.0.0.1');
    await say(leaving, ['', 'EHLO exim.example.net', ...inbound(), 'DATA']);
    expect(await finish(leaving, 'Subject: Hello\r\n\r\nHel')).to.deep.equal(['']);
    await door.server.close();
  });

  it('gets the 250 or the refusal of its mail from the submission server.', async () => {
    const door = await openSubmission({ deps: post.environment.deps, key: post.own.projectKey });
    const submit = async (from: string) => {
      const socket = createConnection(door.server.port, '127.0.0.1');
      const login = `AUTH PLAIN ${plain(post.own.projectKey)}`;
      await say(socket, ['', 'EHLO app.example.net', login, `MAIL FROM:<${SENDER}>`, 'RCPT TO:<ada@in.test>', 'DATA']);
      return finish(socket, `From: ${from}\r\nSubject: Hello\r\n\r\nHello.\r\n.\r\nQUIT\r\n`);
    };
    expect((await submit(SENDER))[0]).to.match(/^250 2\.0\.0 [0-9a-f]{24}$/);
    expect((await submit('x@not-ours.example'))[0]).to.match(/^550 5\.7\.1 /);
    await door.close();
  });
});
