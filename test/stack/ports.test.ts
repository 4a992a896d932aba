import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { anyFreePort, choosePort, portsPartVariable, smtpUrlOf } from '../../stack/ports.ts';
import { runServer } from '../../stack/servers/server.ts';
import { temporaryFolder } from './temporary.ts';

describe('Ports of the embedded servers', () => {
  it('A server takes its usual port when it is free, else any other.', async () => {
    const port = await anyFreePort();
    const holder = createServer().listen(port, '127.0.0.1');
    await once(holder, 'listening');
    const whileTaken = await choosePort(port, 'usual');
    await new Promise((resolve) => holder.close(resolve));
    expect(whileTaken).to.not.equal(port);
    expect(await choosePort(port, 'usual')).to.equal(port);
  });

  it('The URL of a mail server names the address that it listens on, and this machine where it listens on all.', () => {
    const urls = ['127.0.0.2', '0.0.0.0', '', '::', 'fd00::1'].map((host) => smtpUrlOf(host, 2525).slice(7));
    const all = '127.0.0.1:2525';
    expect(urls).to.deep.equal(['127.0.0.2:2525', all, all, all, '[fd00::1]:2525']);
  });

  it('A port that is chosen is never one that the system lends to outgoing connections.', async () => {
    const range = '/proc/sys/net/ipv4/ip_local_port_range';
    const lent = existsSync(range) ? readFileSync(range, 'utf8').trim() : '49152 65535';
    const [lentFrom = 0, lentTo = 0] = lent.split(/\s+/).map(Number);
    const chosen = await Promise.all(Array.from({ length: 50 }, anyFreePort));
    expect(chosen.filter((port) => port >= lentFrom && port <= lentTo)).to.deep.equal([]);
  });

  it('A port that was chosen is not chosen again at once, and never by a process that has another part of them.', async () => {
    const given = process.env[portsPartVariable];
    const chosenIn = (part: string) => {
      process.env[portsPartVariable] = part;
      return Promise.all(Array.from({ length: 100 }, anyFreePort));
    };
    try {
      const [some, others] = [await chosenIn('0/32'), await chosenIn('1/32')];
      expect(new Set([...some, ...others]).size).to.equal(200);
      expect(Math.max(...some)).to.be.below(Math.min(...others));
    } finally {
      if (given === undefined) delete process.env[portsPartVariable];
      else process.env[portsPartVariable] = given;
    }
  });

  const folder = temporaryFolder();
  const fallsOnce = (marker: string) => `
    const { existsSync, writeFileSync } = require('node:fs');
    if (!existsSync('${marker}')) {
      writeFileSync('${marker}', '');
      process.exit(2);
    }
    require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1');`;
  const run = (marker: string, takesOtherPorts: boolean) =>
    runServer(
      {
        ...{ name: 'falls-once', usualPort: 0, takesOtherPorts },
        command: process.execPath,
        args: (port) => ['-e', fallsOnce(marker), `${port}`],
        url: (port) => `http://127.0.0.1:${port}`,
        answer: async (port) => {
          const socket = connect(port, '127.0.0.1');
          await once(socket, 'connect');
          socket.destroy();
        },
      },
      { dataDir: folder(), ports: 'free', restart: false, env: process.env, say: () => undefined },
    );

  it('A server that loses another port at its start is started again; one that takes none ends with what it said.', async () => {
    const marker = join(folder(), 'fallen');
    const fault = await run(marker, false).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(fault).to.include('falls-once ended at once (exit code 2)');

    rmSync(marker);
    const server = await run(marker, true);
    expect(existsSync(marker)).to.equal(true);
    await server.stop(1_000);
  });
});
