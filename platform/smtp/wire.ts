import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { FaultReason, Reply } from '../../core/mail/ledger/relay.ts';
import type { Deadlines, Expiring } from './deadlines.ts';
import type { RelayUrl } from './relay-url.ts';
import { createReplyReader, type ReplyReader } from './replies.ts';

const READ_BUFFER_BYTES = 16_384;

export interface WireFault {
  reason: FaultReason;
  text: string;
}

/** A socket that reads replies and ends exactly once, with a reason. */
export class Wire implements Expiring {
  deadline = Number.POSITIVE_INFINITY;
  onReply: (reply: Reply, lines: string[]) => void = () => {};
  onGone: (fault: WireFault) => void = () => {};
  gone: WireFault | null = null;
  #socket: Socket;
  #deadlines: Deadlines;
  #reader: ReplyReader;

  constructor(deadlines: Deadlines, makeSocket: (onBytes: (chunk: string) => void) => Socket) {
    this.#deadlines = deadlines;
    this.#reader = this.#newReader();
    this.#socket = makeSocket((chunk) => this.#receive(chunk));
    this.#listen();
    deadlines.add(this);
  }

  /** A character is a byte. `taken` is called when the kernel has all of it, and never when the connection broke. */
  write(bytes: string | Buffer, taken?: () => void): void {
    if (!this.gone) this.#socket.write(bytes, 'latin1', taken && ((error) => error || taken()));
  }

  /** While a reply is handled: the relay has already sent more, before it was asked. */
  get saidMore(): boolean {
    return this.#reader.hasMore();
  }

  waitAtMost(ms: number): void {
    this.deadline = this.#deadlines.now() + ms;
  }

  expire(): void {
    this.end('timeout', 'The relay did not answer in time.');
  }

  /** Replies received before the handshake are dropped and count as a fault: a man in the middle may have injected them. */
  async startTls(url: RelayUrl): Promise<void> {
    if (this.#reader.hasRest()) return this.end('tls', 'The relay went on in the clear after agreeing to TLS.');
    const plain = this.#socket;
    this.#reader = this.#newReader();
    this.#socket = connectTls({ socket: plain, host: url.servername, ...tlsOptions(url) });
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk.toString('latin1')));
    this.#listen();
    await this.ready('secureConnect');
  }

  /** Resolves on the event, or when the wire has ended. */
  ready(event: 'connect' | 'secureConnect'): Promise<void> {
    return new Promise((resolve) => {
      if (this.gone) return resolve();
      this.#socket.once(event, resolve);
      this.#socket.once('close', () => resolve());
    });
  }

  /** A courtesy: the answer to QUIT is not awaited. */
  quit(): void {
    if (!this.gone) this.#socket.write('QUIT\r\n');
    this.end('closed', 'We closed the connection.');
  }

  end(reason: FaultReason, text: string): void {
    if (this.gone) return;
    this.gone = { reason, text };
    this.#deadlines.remove(this);
    if (reason === 'closed') this.#socket.destroySoon();
    else this.#socket.destroy();
    this.onGone(this.gone);
  }

  /** Closes without the dot: unwritten bytes stay unwritten. */
  drop(text: string): void {
    this.#socket.destroy();
    this.end('closed', text);
  }

  #newReader(): ReplyReader {
    return createReplyReader((reply, lines) => {
      this.onReply(reply, lines);
      return !this.gone;
    });
  }

  #receive(chunk: string): void {
    if (!this.gone && !this.#reader.push(chunk))
      this.end('protocol', 'The relay sent something that is no SMTP reply.');
  }

  #listen(): void {
    const socket = this.#socket;
    socket.setNoDelay(true);
    socket.on('error', (error: NodeJS.ErrnoException) => this.end(reasonOf(error), error.message));
    socket.on('end', () => this.end('closed', 'The relay closed the connection.'));
    socket.on('close', () => this.end('closed', 'The relay closed the connection.'));
  }
}

/** A wire that is connected, with TLS when the URL asks for it, or one that has ended. */
export async function openWire(url: RelayUrl, connectMs: number, deadlines: Deadlines): Promise<Wire> {
  const wire = new Wire(deadlines, (onBytes) => (url.implicitTls ? openTls(url, onBytes) : openPlain(url, onBytes)));
  wire.waitAtMost(connectMs);
  await wire.ready(url.implicitTls ? 'secureConnect' : 'connect');
  return wire;
}

/** Reading into one buffer of our own saves an allocation of 64 kB for every reply. */
function openPlain({ host, port }: RelayUrl, onBytes: (chunk: string) => void): Socket {
  const buffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);
  return connectTcp({
    host,
    port,
    onread: {
      buffer,
      callback: (length) => {
        onBytes(buffer.toString('latin1', 0, length));
        return true;
      },
    },
  });
}

function openTls(url: RelayUrl, onBytes: (chunk: string) => void): TLSSocket {
  const socket = connectTls({ host: url.host, port: url.port, ...tlsOptions(url) });
  socket.on('data', (chunk: Buffer) => onBytes(chunk.toString('latin1')));
  return socket;
}

function tlsOptions(url: RelayUrl) {
  return {
    rejectUnauthorized: url.verifyCertificate,
    ...(isIp(url.servername) ? {} : { servername: url.servername }),
  };
}

function isIp(host: string): boolean {
  return /^[\d.]+$|:/.test(host);
}

function reasonOf({ code = '', message }: NodeJS.ErrnoException): FaultReason {
  if (code === 'ECONNREFUSED') return 'refused';
  if (/^(ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EMFILE|ENFILE)$/.test(code)) return 'unreachable';
  if (code === 'ETIMEDOUT') return 'timeout';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO)|_CERT|HOSTNAME_MISMATCH/.test(code))
    return 'tls';
  return /certificate|tls|ssl/i.test(message) ? 'tls' : 'closed';
}
