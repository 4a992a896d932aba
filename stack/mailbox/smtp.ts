import type { Readable } from 'node:stream';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Mailbox } from './mails.ts';

const mailBytesMax = 64 * 1024 * 1024;

/** Takes every mail for everybody and passes none on. A 250 means that the mail is in its file. */
export async function listenSmtp(mailbox: Mailbox, port: number): Promise<{ close(): void }> {
  const server = new SMTPServer({
    banner: 'Everpost mailbox',
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    size: mailBytesMax,
    closeTimeout: 500,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anyone' }),
    onData: (stream, session, done) => {
      takeMail(mailbox, stream, session).then(
        (reply) => done(null, reply),
        (error: Error) => done(error),
      );
    },
  });
  server.on('error', (error) => console.error(error.message));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return { close: () => server.close(() => {}) };
}

async function takeMail(
  mailbox: Mailbox,
  stream: Readable & { sizeExceeded?: boolean },
  { envelope }: SMTPServerSession,
): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  if (stream.sizeExceeded) throw Object.assign(new Error('5.3.4 The mail is too large'), { responseCode: 552 });
  const from = envelope.mailFrom ? envelope.mailFrom.address : '';
  const id = await mailbox.add({ from, to: envelope.rcptTo.map(({ address }) => address) }, Buffer.concat(chunks));
  return `kept as ${id}`;
}
