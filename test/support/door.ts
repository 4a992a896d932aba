import { connect, createServer, type Socket } from 'node:net';
import { anyFreePort } from '../../stack/ports.ts';

/** A way to a server of this machine that can be cut: what a browser meets when a network or a server goes away. */
export interface Door {
  url: string;
  /** Ends all connections and takes no more. */
  shut(): Promise<void>;
  reopen(): Promise<void>;
  /** Connections stay, and nothing comes through, until `resume`. */
  hold(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function openDoor(target: string): Promise<Door> {
  const port = await anyFreePort();
  const pairs = new Set<[Socket, Socket]>();
  const server = createServer((inner) => {
    const outer = connect(Number(new URL(target).port), '127.0.0.1');
    const pair: [Socket, Socket] = [inner, outer];
    pairs.add(pair);
    for (const [one, other] of [pair, [outer, inner] as const]) {
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  });
  const listen = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const shut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen();
  return {
    url: `http://127.0.0.1:${port}`,
    shut,
    reopen: listen,
    hold: () => {
      for (const [inner, outer] of pairs) outer.unpipe(inner);
    },
    resume: () => {
      for (const [inner, outer] of pairs) outer.pipe(inner);
    },
    close: async () => {
      if (server.listening) await shut();
    },
  };
}
