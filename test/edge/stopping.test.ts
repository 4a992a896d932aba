import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { temporaryFolder } from '../stack/temporary.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';

/** Long enough for some calls on a machine that is busy. */
const DRAIN_MS = 4_000;
const CONNECTIONS = 8;

describe('A server that is asked to stop', () => {
  const folder = temporaryFolder();
  let environment: Environment;
  let agent: Agent;
  before(async () => {
    environment = await startEnvironment();
    agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  });
  after(async () => {
    agent.destroy();
    await environment.stop();
  });

  async function ask(path: string): Promise<{ status: number; closes: boolean }> {
    const { hostname: host, port } = new URL(environment.url);
    const headers = { Authorization: `Bearer ${environment.own.projectKey}` };
    const request = get({ host, port, path, agent, headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return { status: response.statusCode ?? 0, closes: response.headers.connection === 'close' };
  }

  it('answers who calls, and closes the connection with it; it is not ready any more, and then it is gone', async () => {
    const before = await Promise.all(Array.from({ length: CONNECTIONS }, () => ask('/v1/contact-lists')));
    expect(before).to.deep.equal(before.map(() => ({ status: 200, closes: false })));
    expect((await ask('/health/ready')).status).to.equal(200);

    const stopped = environment.app.stop(DRAIN_MS);
    const during = await Promise.all(Array.from({ length: CONNECTIONS * 3 }, () => ask('/v1/contact-lists')));
    expect(during).to.deep.equal(during.map(() => ({ status: 200, closes: true })));
    expect(await ask('/health/ready')).to.deep.equal({ status: 503, closes: true });
    expect(await Promise.race([stopped.then(() => 'stopped'), sleep(DRAIN_MS / 30).then(() => 'draining')])).to.equal(
      'draining',
    );

    await stopped;
    const fault = await fetch(new URL('/health/live', environment.url)).catch((error: Error) => error);
    expect(fault).to.be.instanceOf(Error);
  });

  it('answers also those who wait to be let in while it is busy', async () => {
    const busy = await startEnvironment();
    const { port } = new URL(busy.url);
    const calling = join(folder(), 'calling');
    const callers = spawn(process.execPath, ['-e', crowd, port, calling], { stdio: ['ignore', 'pipe', 'inherit'] });
    const said: string[] = [];
    const stopped = once(callers.stdout, 'data').then(() => {
      const until = performance.now() + BUSY_MS_MAX;
      while (!existsSync(calling) && performance.now() < until);
      callers.stdout.on('data', (chunk) => said.push(String(chunk)));
      return busy.stop();
    });
    await once(callers, 'close');
    await stopped;
    expect(said.join('')).to.equal('200 '.repeat(CROWD));
  });
});

const CROWD = 40;
const BUSY_MS_MAX = 20_000;

/**
 * A process of its own, so that it calls while the server does nothing else. It writes a file when the system has all of its requests,
 * which is before a server lets them in.
 */
const crowd = `
  const { writeFileSync } = require('node:fs');
  const { get } = require('node:http');
  let asked = 0;
  const note = () => {
    asked += 1;
    if (asked === ${CROWD}) writeFileSync(process.argv[2], '');
  };
  console.log('calling');
  setTimeout(() => {
    for (let caller = 0; caller < ${CROWD}; caller += 1)
      get({ host: '127.0.0.1', port: process.argv[1], path: '/health/live', agent: false }, (response) => {
        response.resume();
        process.stdout.write(response.statusCode + ' ');
      })
        .on('finish', note)
        .on('error', (error) => process.stdout.write(error.code + ' '));
  }, 100);
`;
