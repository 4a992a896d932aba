import { join } from 'node:path';
import { noteProcess } from '../data-dir.ts';
import { seconds } from '../output.ts';
import { choosePort } from '../ports.ts';
import { startForked } from '../processes/forked.ts';
import { keepRunning } from '../processes/supervise.ts';
import type { Server, ServerOptions } from './server.ts';

const usualSmtpPort = 1025;
const usualPagePort = 1080;

export interface MailboxServer extends Server {
  readonly pageUrl: string;
}

/** Catches mail on loopback and shows it on a page; `url` is where mail is handed in. */
export async function startMailbox({ dataDir, ports, restart, env, say }: ServerOptions): Promise<MailboxServer> {
  const began = Date.now();
  const port = await choosePort(usualSmtpPort, ports);
  const pagePort = await choosePort(usualPagePort, ports);
  const launch = async () => {
    const { child } = await startForked({
      script: join(import.meta.dirname, '../mailbox/main.ts'),
      args: [`${port}`, `${pagePort}`, join(dataDir, 'mailbox')],
      logFile: join(dataDir, 'logs', 'mailbox.log'),
      env,
    });
    noteProcess(dataDir, 'mailbox', child.pid);
    return child;
  };
  const kept = await keepRunning({ name: 'mailbox', launch, say, restart });
  const elsewhere = ports === 'usual' && port !== usualSmtpPort ? `; ${usualSmtpPort} is in use` : '';
  say(`mailbox takes mail on 127.0.0.1:${port} after ${seconds(began)}${elsewhere}.`);
  return { ...kept, port, url: `smtp://127.0.0.1:${port}`, pageUrl: `http://127.0.0.1:${pagePort}` };
}
