import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { noteProcess } from './data-dir.ts';
import type { Say } from './output.ts';
import { startForked } from './processes/forked.ts';
import { type Kept, keepRunning } from './processes/supervise.ts';

const root = join(import.meta.dirname, '..');
/** Final dots under way get 8 seconds. */
const appsStopMs = 8_300;
const headStartMs = 1_000;
const apiName = 'api';
/**
 * The nurseries of the heap. Imports make much that is let go at once: with its usual nursery a worker holds a hundred or two hundred
 * megabytes of that. Objects of a request live as long as its write, and those of a recipient until the relay answers: with a small
 * nursery the API and the senders of campaigns copy them all, a tenth of their work.
 */
export const heapFlags = {
  worker: ['--max-semi-space-size=8'],
  sender: ['--max-semi-space-size=32'],
  api: ['--max-semi-space-size=32'],
};

/** By the work that a worker does. */
export function workerFlags(lanes: string | undefined): string[] {
  return lanes === 'campaign' ? heapFlags.sender : heapFlags.worker;
}

export interface App {
  readonly name: string;
  /** Relative to the root of the checkout. */
  readonly script: string;
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Starts one of our own processes and resolves when it says that it serves. */
export async function startApp({ name, script, flags, env }: App, dataDir: string, say: Say): Promise<Kept> {
  const launch = async () => {
    const logFile = join(dataDir, 'logs', `${name}.log`);
    const { child } = await startForked({ script: join(root, script), flags, logFile, env });
    noteProcess(dataDir, name, child.pid);
    return child;
  };
  return keepRunning({ name, launch, say, restart: true });
}

/**
 * The workers, and the API last: they start in parallel, and a line is printed when all serve. When WORKER_LANES is
 * set, WORKER_PROCESSES workers of exactly those lanes are started.
 */
export function planApps(env: NodeJS.ProcessEnv, workerProcesses: number): App[] {
  const worker = (name: string, lanes: string) => ({
    name,
    script: 'workers/main.ts',
    flags: workerFlags(lanes),
    env: { ...env, WORKER_LANES: lanes },
  });
  const many = (name: string, lanes: string) =>
    Array.from({ length: workerProcesses }, (_, index) => worker(`${name}-${index + 1}`, lanes));
  const workers = env.WORKER_LANES
    ? many('worker', env.WORKER_LANES)
    : [
        // Mail by SMTP is taken there, since a process of its own would hold a tenth of a gigabyte more.
        worker('worker-background', 'workflows,background,inbound,submission'),
        worker('worker-mail', 'mail'),
        ...many('worker-campaign', 'campaign'),
      ];
  return [...workers, { name: apiName, script: 'api/main.ts', flags: heapFlags.api, env }];
}

/** In reverse: the API has a head start, so that no request asks for work that no worker does any more. */
export async function stopApps(apps: readonly Kept[]): Promise<void> {
  const until = Date.now() + appsStopMs;
  const stop = (app: Kept) => app.stop(until - Date.now(), 'SIGINT');
  const apiStopped = Promise.all(apps.filter(({ name }) => name === apiName).map(stop));
  await Promise.race([apiStopped, sleep(headStartMs)]);
  await Promise.all([apiStopped, ...apps.filter(({ name }) => name !== apiName).map(stop)]);
}
