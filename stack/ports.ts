import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export type PortChoice = 'usual' | 'free';

/** Below what systems lend to outgoing connections: a server that is away for a while finds its port free when it comes back. */
const chosenFrom = 20_000;
const chosenBelow = 32_768;
const looks = 100;
/** "1/4" gives a process and what it starts the second quarter of these ports: processes with other parts never choose the same one. */
export const portsPartVariable = 'EVERPOST_PORTS_PART';
/** A port is bound some time after it was chosen, and must not be chosen again in between. */
const recent = new Set<number>();
const recentMax = 500;

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
  const [from, below] = rangeOf(process.env[portsPartVariable]);
  for (let look = 0; look < looks; look += 1) {
    const port = randomInt(from, below);
    if (recent.has(port)) continue;
    remember(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${looks} ports between ${from} and ${below} is free on 127.0.0.1.`);
}

function rangeOf(part = '0/1'): [from: number, below: number] {
  const [index = 0, parts = 1] = part.split('/').map(Number);
  const size = Math.floor((chosenBelow - chosenFrom) / parts);
  return [chosenFrom + index * size, chosenFrom + (index + 1) * size];
}

function remember(port: number): void {
  recent.add(port);
  if (recent.size <= recentMax) return;
  const [oldest] = recent;
  recent.delete(oldest as number);
}

/** How this machine reaches a mail server that listens on an address, or on all of them. */
export function smtpUrlOf(host: string, port: number): string {
  const own = host === '' || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `smtp://${own.includes(':') ? `[${own}]` : own}:${port}`;
}
