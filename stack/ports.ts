import { createServer } from 'node:net';

export type PortChoice = 'usual' | 'free';

/** The usual port where it is free and wanted, else any. */
export async function choosePort(usual: number, choice: PortChoice): Promise<number> {
  return choice === 'usual' && (await isFree(usual)) ? usual : anyFreePort();
}

export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listenOnce(port, host)) !== null;
}

export async function anyFreePort(): Promise<number> {
  const port = await listenOnce(0, '127.0.0.1');
  if (port === null) throw new Error('No port is free on 127.0.0.1.');
  return port;
}

function listenOnce(port: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });
}
