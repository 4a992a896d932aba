import { createConnection, type Socket } from 'node:net';
import type { Reply } from '../../core/mail/ledger/relay.ts';
import type { Config } from '../../schemas/config.ts';
import { createReplyReader } from '../smtp/replies.ts';

interface OwnMail {
  /** '' is the null sender. */
  from: string;
  to: string;
  /** Lines end with CRLF. */
  text: string;
}

const SILENCE_MS = 30_000;
const EVERYWHERE: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
const NO_REPLY: Reply = { code: 0, enhanced: null, text: '' };

/** Hands a mail to the inbound server of this process as another mail server would, and resolves with its last reply. */
export async function handToServer(
  { inboundSmtpHost, inboundProxies, mailHost }: Config,
  port: number,
  { from, to, text }: OwnMail,
): Promise<Reply> {
  const host = EVERYWHERE[inboundSmtpHost] ?? inboundSmtpHost;
  const socket = createConnection({ host, port });
  const replies = repliesOf(socket);
  try {
    // The server waits for the line of a proxy before it greets.
    if (inboundProxies.includes(host)) socket.write(`PROXY TCP4 127.0.0.1 127.0.0.1 25 ${port}\r\n`);
    let reply = await replies();
    const body = text.replace(/^\./gm, '..');
    for (const line of [`EHLO ${mailHost}`, `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA', `${body}\r\n.`]) {
      if (reply.code === 0 || reply.code >= 400) return reply;
      socket.write(`${line}\r\n`);
      reply = await replies();
    }
    return reply;
  } finally {
    socket.end('QUIT\r\n');
    socket.destroySoon();
  }
}

/** One reply after the other; NO_REPLY when the connection ends or is silent for too long. */
function repliesOf(socket: Socket): () => Promise<Reply> {
  const waiting: Reply[] = [];
  let wake = () => {};
  const { push } = createReplyReader((reply) => {
    waiting.push(reply);
    return true;
  });
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  socket.on('data', (piece: Buffer) => {
    if (!push(piece.toString('latin1'))) socket.destroy();
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => wake());
  return async () => {
    while (waiting.length === 0 && !socket.destroyed)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return waiting.shift() ?? NO_REPLY;
  };
}
