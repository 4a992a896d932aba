import { isIPv6, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import type { SMTPConnection, SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';

/** The resources that one client may use of the inbound server, so that enough is left for others. */
export interface InboundLimits {
  connectionsPerAddress: number;
  /** Of a whole session. 25 MB at 42 kB/s are received in this time; a server with more to deliver connects again. */
  sessionMs: number;
  /** Commands between two accepted mails; a mail for 100 recipients needs 105. */
  commandsMax: number;
  /** Bytes of all mails that are being received. */
  bytes: number;
  bytesPerAddress: number;
  /** The time to read one mail. */
  parseMs: number;
}

export const INBOUND_LIMITS: Omit<InboundLimits, 'connectionsPerAddress'> = {
  sessionMs: 600_000,
  commandsMax: 300,
  bytes: 96 * 1024 * 1024,
  bytesPerAddress: 32 * 1024 * 1024,
  parseMs: 5_000,
};

/** Refuses connections of one address beyond its share before they count towards the total, and ends sessions that last too long. */
export class LimitedSmtpServer extends SMTPServer {
  readonly #limits: InboundLimits;
  readonly #connections = new Map<string, number>();
  readonly #commands = new Map<string, number>();

  constructor(options: ConstructorParameters<typeof SMTPServer>[0], limits: InboundLimits) {
    super(options);
    this.#limits = limits;
  }

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    // Closed before it was handed over: no later event would remove it from the count.
    if (socket.destroyed) return;
    const network = networkOf(options?.remoteAddress ?? socket.remoteAddress ?? '');
    const open = this.#connections.get(network) ?? 0;
    if (open >= this.#limits.connectionsPerAddress) {
      refuse(socket);
      return;
    }
    this.#connections.set(network, open + 1);
    super.connect(socket, options);
    const connection = [...this.connections].find(({ id }) => id === options?.id);
    if (connection) this.#limitCommands(connection);
    const deadline = setTimeout(() => {
      connection?.send(421, '4.4.2 The session took too long; connect again');
    }, this.#limits.sessionMs);
    socket.once('close', () => {
      clearTimeout(deadline);
      if (connection) this.#commands.delete(connection.id);
      const left = (this.#connections.get(network) ?? 1) - 1;
      if (left > 0) this.#connections.set(network, left);
      else this.#connections.delete(network);
    });
  }

  /** A mail was accepted: its session may send as many commands again. */
  restartCommands(sessionId: string): void {
    this.#commands.delete(sessionId);
  }

  #limitCommands(connection: SMTPConnection): void {
    const handle = connection._onCommand.bind(connection);
    connection._onCommand = (command, callback) => {
      const count = (this.#commands.get(connection.id) ?? 0) + 1;
      this.#commands.set(connection.id, count);
      if (count <= this.#limits.commandsMax) return handle(command, callback);
      connection.send(421, '4.7.0 Too many commands without a mail; connect again');
    };
  }
}

/** The first half of an IPv6 address: a client owns all addresses below it. */
export function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const missing = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

function refuse(socket: Socket): void {
  socket.on('error', () => {});
  socket.write('421 4.7.0 Too many connections from your address; use those that are open\r\n');
  socket.destroySoon();
}
