import { join } from 'node:path';
import { noteProcess } from './data-dir.ts';
import type { Stoppable } from './lifetime.ts';
import { startForked } from './processes/forked.ts';
import { type Kept, keepRunning } from './processes/keep.ts';
import { type Say, sleep } from './say.ts';

const root = join(import.meta.dirname, '..');
/** Final dots under way get 8 seconds; the API, which answers faster, gets a head start so that nobody asks in vain. */
const appsStopMs = 8_300;
const headStartMs = 1_000;

export interface App {
  readonly name: string;
  /** Relative to the root of the checkout. */
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts one of our own processes and resolves when it says that it serves. */
export async function startApp({ name, script, env }: App, dataDir: string, say: Say): Promise<Kept> {
  const launch = async () => {
    const logFile = join(dataDir, 'logs', `${name}.log`);
    const { child } = await startForked({ script: join(root, script), logFile, env });
    noteProcess(dataDir, name, child.pid);
    return child;
  };
  return keepRunning({ name, launch, say, restart: true });
}

/** What the worker processes do. A person who names WORKER_LANES gets WORKER_PROCESSES of exactly those. */
export function planWorkers(env: NodeJS.ProcessEnv, workerProcesses: number): App[] {
  const script = 'workers/main.ts';
  const many = (name: string, lanes: string) =>
    Array.from({ length: workerProcesses }, (_, index) => ({
      name: `${name}-${index + 1}`,
      script,
      env: { ...env, WORKER_LANES: lanes },
    }));
  if (env.WORKER_LANES) return many('worker', env.WORKER_LANES);
  return [
    { name: 'worker-background', script, env: { ...env, WORKER_LANES: 'workflows,background' } },
    { name: 'worker-mail', script, env: { ...env, WORKER_LANES: 'mail,inbound' } },
    ...many('worker-campaign', 'campaign'),
  ];
}

export function appsInOrder(api: () => Kept | null, workers: readonly Kept[]): Stoppable {
  return {
    stop: async () => {
      const until = Date.now() + appsStopMs;
      const apiStopped = api()?.stop(appsStopMs);
      await Promise.race([apiStopped, sleep(headStartMs)]);
      await Promise.all([apiStopped, ...workers.map((worker) => worker.stop(until - Date.now()))]);
    },
  };
}
