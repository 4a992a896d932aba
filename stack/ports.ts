import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export type PortChoice = 'usual' | 'free';

/** Below what systems lend to outgoing connections: a server that is away for a while finds its port free when it comes back. */
const chosenFrom = 20_000;
const chosenBelow = 32_768;
const looks = 100;

/** The usual port where it is free and wanted, else any. */
export async function choosePort(usual: number, choice: PortChoice): Promise<number> {
  return choice === 'usual' && (await isFree(usual)) ? usual : anyFreePort();
}

export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

export async function anyFreePort(): Promise<number> {
  for (let look = 0; look < looks; look += 1) {
    const port = randomInt(chosenFrom, chosenBelow);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${looks} ports between ${chosenFrom} and ${chosenBelow} is free on 127.0.0.1.`);
}
