import type { BlockList, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import type { SMTPConnection, SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import { networkOf } from '../../core/base/text/networks.ts';
import { isAmong } from '../networks.ts';
import type { Kind } from '../threads/kinds.ts';
import { unstuffAtOnce } from './connection/dots.ts';
import { followGateway } from './connection/gateways.ts';
import { answerAfterEnd } from './connection/last-replies.ts';

/** The resources that one client may use of a mail server, so that enough is left for others. */
export interface SessionLimits {
  connectionsPerAddress: number;
  /** Of a whole session. 25 MB at 42 kB/s are received in this time; a server with more to deliver connects again. */
  sessionMs: number;
  /** Commands between two accepted mails; a mail for 100 recipients needs 105. */
  commandsMax: number;
  /** Until the client has logged in; left out where there is no login. */
  loginMs?: number;
  /** Mail servers and proxies that name their clients; the clients have shares, they have none. */
  gateways?: BlockList;
}

export interface InboundLimits extends SessionLimits {
  /** Bytes of all mails that are being received. */
  bytes: number;
  bytesPerAddress: number;
  /** Other limits of the threads that read and verify mail than those of their kinds. */
  reading: Partial<Kind>;
  verifying: Partial<Kind>;
}

export const INBOUND_LIMITS: Omit<InboundLimits, 'connectionsPerAddress'> = {
  sessionMs: 600_000,
  commandsMax: 300,
  bytes: 96 * 1024 * 1024,
  bytesPerAddress: 32 * 1024 * 1024,
  reading: {},
  verifying: {},
};

const CLIENTS_MAX = 200;
const SOCKET_MS = 60_000;
const STOP_MS = 7_000;

/** Refuses connections of one address beyond its share before they count towards the total, and ends sessions that last too long. */
export class LimitedSmtpServer extends SMTPServer {
  readonly #limits: SessionLimits;
  readonly #connections: Map<string, number>;
  readonly #commands = new Map<string, number>();

  /** Servers that share their `connections` count them together. */
  constructor(
    options: ConstructorParameters<typeof SMTPServer>[0],
    limits: SessionLimits,
    connections = new Map<string, number>(),
  ) {
    super({
      banner: 'Everpost',
      disableReverseLookup: true,
      maxClients: CLIENTS_MAX,
      socketTimeout: SOCKET_MS,
      closeTimeout: STOP_MS,
      logger: false,
      hideENHANCEDSTATUSCODES: false,
      ...options,
    });
    this.#limits = limits;
    this.#connections = connections;
  }

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    // Closed before it was handed over: no later event would remove it from the count.
    if (socket.destroyed) return;
    const address = options?.remoteAddress ?? socket.remoteAddress ?? '';
    const isGateway = isAmong(this.#limits.gateways, address);
    const counted: string[] = [];
    const admit = (client: string) => this.#admit(networkOf(client), counted);
    if (!isGateway && !admit(address)) {
      refuse(socket);
      return;
    }
    super.connect(socket, options);
    const connection = [...this.connections].find(({ id }) => id === options?.id);
    if (connection) {
      if (isGateway) followGateway(connection, admit);
      this.#limitCommands(connection);
      unstuffAtOnce(connection);
      answerAfterEnd(connection);
      keepOwnCodes(connection);
    }
    const deadline = setTimeout(() => {
      connection?.send(421, '4.4.2 The session took too long; connect again');
    }, this.#limits.sessionMs);
    const { loginMs } = this.#limits;
    const loginDeadline = loginMs === undefined ? undefined : setTimeout(() => endUnlessKnown(connection), loginMs);
    onceClosed(connection, socket, () => {
      clearTimeout(deadline);
      clearTimeout(loginDeadline);
      if (connection) this.#commands.delete(connection.id);
      for (const network of counted) this.#release(network);
    });
  }

  #admit(network: string, counted: string[]): boolean {
    const open = this.#connections.get(network) ?? 0;
    if (open >= this.#limits.connectionsPerAddress) return false;
    this.#connections.set(network, open + 1);
    counted.push(network);
    return true;
  }

  #release(network: string): void {
    const left = (this.#connections.get(network) ?? 1) - 1;
    if (left > 0) this.#connections.set(network, left);
    else this.#connections.delete(network);
  }

  /** Listens, and resolves with the port. */
  async open(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.listen(port, host, () => resolve());
    });
    const address = this.server.address();
    return typeof address === 'object' && address ? address.port : port;
  }

  /** Takes no more connections, and resolves when the last one has ended. */
  stop(): Promise<void> {
    return new Promise((resolve) => this.close(() => resolve()));
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

/** Replies of ours begin with their enhanced status code; smtp-server adds one to its own. */
function keepOwnCodes(connection: SMTPConnection): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    const hasCode = typeof data === 'string' && /^[245]\.\d{1,3}\.\d{1,3} /.test(data);
    send(code, data, hasCode ? false : context);
  };
}

/** Not by a listener of the socket: STARTTLS removes all of them. */
function onceClosed(connection: SMTPConnection | undefined, socket: Socket | TLSSocket, release: () => void): void {
  if (!connection) {
    socket.once('close', release);
    return;
  }
  let isOpen = true;
  const close = connection._onClose.bind(connection);
  connection._onClose = () => {
    if (isOpen) release();
    isOpen = false;
    close();
  };
}

function endUnlessKnown(connection: SMTPConnection | undefined): void {
  if (connection && !connection.session.user) connection.send(421, '4.4.2 Log in sooner; connect again');
}

/** Bytes of the mails that are being received, by network; beyond the limit a mail is deferred. */
export function createHeldBytes(bytesMax: number, perNetworkMax: number) {
  const byNetwork = new Map<string, number>();
  let all = 0;
  const of = (network: string) => byNetwork.get(network) ?? 0;
  return {
    fits: (network: string, bytes: number) => all + bytes <= bytesMax && of(network) + bytes <= perNetworkMax,
    add(network: string, bytes: number): void {
      all += bytes;
      const own = of(network) + bytes;
      if (own > 0) byNetwork.set(network, own);
      else byNetwork.delete(network);
    },
  };
}

function refuse(socket: Socket): void {
  socket.on('error', () => {});
  socket.write('421 4.7.0 Too many connections from your address; use those that are open\r\n');
  socket.destroySoon();
}
