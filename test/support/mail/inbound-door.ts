import { createConnection } from 'node:net';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../../core/base/deps.ts';
import { mailLocalPart } from '../../../core/mail/compose/tokens.ts';
import { type InboundServer, openInboundServer } from '../../../platform/inbound/server.ts';
import { anyFreePort } from '../../../stack/ports.ts';
import type { Environment } from '../environment.ts';

export interface Door {
  port: number;
  server: InboundServer;
  /** Hands a mail over and returns the reply to each step: MAIL, each RCPT, and the final dot when a recipient was accepted. */
  send(mail: Mail): Promise<{ rcpt: string[]; data: string | null }>;
}

interface Mail {
  from?: string;
  to: string | string[];
  /** Bytes are sent as they are, and need no dots doubled. */
  raw: string | Buffer;
  isExact?: boolean;
  /** Another address of this machine: a client of its own. */
  localAddress?: string;
}

/** The inbound server in this process, as the lane runs it. */
export async function openDoor(
  { deps }: Environment,
  config: Partial<Deps['config']> = {},
  more: Parameters<typeof openInboundServer>[1] = {},
): Promise<Door> {
  const port = await anyFreePort();
  const own = { ...deps, config: { ...deps.config, inboundSmtpPort: port, inboundSmtpHost: '127.0.0.1', ...config } };
  const server = await openInboundServer(own, more);
  return { port, server, send: (mail) => hand(port, mail) };
}

/** An address of ours that takes whatever comes, and keeps nothing of it: the return path of a mail. */
export function returnPathOf({ deps, own }: Pick<Environment, 'deps' | 'own'>): string {
  const ref = { projectId: own.project._id, messageId: new ObjectId() };
  return `${mailLocalPart(deps.config, 'b', ref)}@${deps.config.mailHost}`;
}

/** A client that sends given lines and reads one reply after the other. */
export function connectClient(port: number, localAddress = '127.0.0.1') {
  const socket = createConnection({ port, host: '127.0.0.1', localAddress });
  let text = '';
  let wake: () => void = () => {};
  socket.on('data', (piece) => {
    text += piece.toString();
    wake();
  });
  for (const event of ['error', 'close']) socket.on(event, () => wake());
  /** The last line of the next reply; 'closed' when none comes any more. */
  const line = async (): Promise<string> => {
    for (;;) {
      const match = /^(\d{3} .*)\r\n/m.exec(text);
      if (match) {
        text = text.slice(match.index + match[0].length);
        return match[1] as string;
      }
      if (socket.destroyed) return 'closed';
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const ask = (command: string) => {
    socket.write(`${command}\r\n`);
    return line();
  };
  return { socket, line, ask };
}

async function hand(port: number, { from = '', to, raw, isExact = false, localAddress }: Mail) {
  const { socket, line, ask } = connectClient(port, localAddress);
  await line();
  await ask('EHLO sender.example.net');
  await ask(`MAIL FROM:<${from}>`);
  const rcpt: string[] = [];
  for (const one of [to].flat()) rcpt.push(await ask(`RCPT TO:<${one}>`));
  let data: string | null = null;
  if (rcpt.some((reply) => reply.startsWith('250'))) {
    await ask('DATA');
    const isAsIs = isExact || typeof raw !== 'string';
    const lines = isAsIs ? raw : raw.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..');
    socket.write(lines);
    data = await ask('\r\n.');
  }
  socket.end('QUIT\r\n');
  return { rcpt, data };
}
