import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const CONNECT_MS = 5_000;

interface ConnectionRules {
  /** Whether the address at the other end may be connected to. */
  judge: (address: string | undefined) => boolean;
  dial: (address: string, port: number) => Socket;
  signal: AbortSignal;
}

/** A connection to exactly this address, with TLS for the name of the URL. */
export async function openConnection(
  url: URL,
  address: string,
  { judge, dial, signal }: ConnectionRules,
): Promise<Socket> {
  const secure = url.protocol === 'https:';
  const socket = dial(address, Number(url.port) || (secure ? 443 : 80));
  try {
    await opened(socket, 'connect', signal);
    if (!judge(socket.remoteAddress)) throw new Error('the connection went elsewhere');
    if (!secure) return socket;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const tls = connectTls({ socket, host, ...(isIP(host) ? {} : { servername: host }) });
    await opened(tls, 'secureConnect', signal);
    return tls;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** An address, never a name, so there is no second lookup. */
export function dialAddress(address: string, port: number): Socket {
  return connectTcp({ host: address, port });
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(new Error('connect timeout')), CONNECT_MS);
    const aborted = () => done(new Error('aborted'));
    const done = (error?: Error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      if (error) reject(error);
      else resolve();
    };
    socket.once(event, () => done());
    socket.on('error', done);
    signal.addEventListener('abort', aborted);
    if (signal.aborted) aborted();
  });
}
