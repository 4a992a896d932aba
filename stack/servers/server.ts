import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePolite } from '../../platform/priority.ts';
import { noteProcess } from '../data-dir.ts';
import { type Say, StackError, seconds } from '../output.ts';
import { anyFreePort, choosePort, isFree, type PortChoice } from '../ports.ts';
import type { Child } from '../processes/child.ts';
import { startOnLeash } from '../processes/leash.ts';
import { lastLines } from '../processes/log.ts';
import { type Kept, keepRunning } from '../processes/supervise.ts';

export interface ServerOptions {
  readonly dataDir: string;
  readonly ports: PortChoice;
  readonly restart: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly say: Say;
  readonly historySeconds?: number | undefined;
  readonly mongodbCacheGb?: number | undefined;
  /** Dynamic configuration of Temporal, over that of temporal.ts. */
  readonly temporalSettings?: Readonly<Record<string, boolean | number>> | undefined;
  readonly equalPriority?: boolean | undefined;
}

/** A server of ours: `kill('SIGKILL')`, `kill('SIGSTOP')` and `start()` are there for drills. */
export interface Server extends Kept {
  readonly url: string;
  readonly port: number;
}

interface LeashedServer {
  readonly name: string;
  readonly usualPort: number;
  readonly command: string;
  /** A second port that it listens on, for people: a page. */
  readonly usualPagePort?: number;
  /** How many ports more it needs for its own parts. */
  readonly innerPorts?: number;
  /** It takes more ports than it is given, and ends at once when another program is faster. */
  readonly takesOtherPorts?: boolean;
  readonly args: (port: number, pagePort: number, innerPorts: readonly number[]) => readonly string[];
  readonly url: (port: number) => string;
  /** Tries once; throws while the server does not answer yet. */
  readonly answer: (port: number) => Promise<void>;
  readonly env?: NodeJS.ProcessEnv;
  /** Runs at a low priority: people wait for the API, not for this server. */
  readonly isPolite?: boolean;
}

const startsWithinMs = 60_000;
const askEveryMs = 30;
const portTries = 3;

export async function runServer(server: LeashedServer, options: ServerOptions): Promise<Server & Ports> {
  const began = Date.now();
  const { kept, port, pagePort, innerPorts } = await startOnSomePort(server, options);
  const elsewhere = options.ports === 'usual' && port !== server.usualPort ? `; ${server.usualPort} is in use` : '';
  options.say(`${server.name} answers on 127.0.0.1:${port} after ${seconds(began)}${elsewhere}.`);
  return { ...kept, port, pagePort, innerPorts, url: server.url(port) };
}

interface Ports {
  readonly port: number;
  /** 0 where there is none. */
  readonly pagePort: number;
  readonly innerPorts: readonly number[];
}

/** Another program may take a port between the look and the start, so a port that is lost is tried again elsewhere. */
async function startOnSomePort(server: LeashedServer, options: ServerOptions): Promise<{ kept: Kept } & Ports> {
  const { say, restart } = options;
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(server.usualPort, options.ports);
    const pagePort = server.usualPagePort ? await choosePort(server.usualPagePort, options.ports) : 0;
    const ports = { port, pagePort, innerPorts: await chooseInnerPorts(server.innerPorts ?? 0, port) };
    const launch = () => launchServer(server, ports, options);
    try {
      return { kept: await keepRunning({ name: server.name, launch, say, restart }), ...ports };
    } catch (error) {
      const isLost = server.takesOtherPorts || !(await isFree(port)) || !(await isFree(pagePort));
      if (attempt === portTries || !isLost) throw error;
    }
  }
}

async function chooseInnerPorts(count: number, port: number): Promise<number[]> {
  const chosen = new Set([port]);
  while (chosen.size <= count) chosen.add(await anyFreePort());
  return [...chosen].slice(1);
}

async function launchServer(
  server: LeashedServer,
  { port, pagePort, innerPorts }: Ports,
  { dataDir, env, equalPriority }: ServerOptions,
): Promise<Child> {
  const { name, command } = server;
  const logFile = join(dataDir, 'logs', `${name}.log`);
  const args = server.args(port, pagePort, innerPorts);
  const child = await startOnLeash({ command, args, logFile, env: server.env ?? env });
  noteProcess(dataDir, name, child.pid);
  // Its leash has a session of its own.
  if (server.isPolite && !equalPriority) makePolite(child.pid, { hasOwnSession: true });
  let ended: string | null = null;
  void child.exited.then((how) => {
    ended = how;
  });
  for (const began = Date.now(); ; await sleep(askEveryMs)) {
    if (ended) throw new StackError(`${name} ended at once (${ended}); ${logFile} ends with: ${lastLines(logFile, 3)}`);
    const fault = await server.answer(port).then(
      () => null,
      (error: Error) => error,
    );
    if (!fault) return child;
    if (Date.now() - began < startsWithinMs) continue;
    await child.stop(1_000);
    throw new StackError(`${name} did not answer within a minute (${fault.message}); see ${logFile}.`);
  }
}
