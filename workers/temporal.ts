import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import type { Deps } from '../core/base/deps.ts';
import { connectTemporal, installTemporalRuntime, pause } from '../platform/temporal-native.ts';
import { prefixed } from '../workflows/names.ts';
import { translateFailures } from './failures.ts';
import type { WorkerPlan } from './roles.ts';
import type { Service } from './service.ts';

const SHUTDOWN_GRACE = '5 seconds';
const SHUTDOWN_FORCE = '7 seconds';
/** A cancellation reaches an activity with the answer to a heartbeat, so heartbeats must not be held back. */
const HEARTBEAT_EVERY = '500 milliseconds';
const AGAIN_MS = 2_000;

/** Keeps workers running for these plans: it waits while Temporal is down, and replaces workers that fail. */
export function runWorkers(deps: Deps, plans: WorkerPlan[]): Service {
  installTemporalRuntime(deps.log);
  const stopping = new AbortController();
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  let workers: Worker[] = [];

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const connection = await connectTemporal(deps.config, deps.log, stopping.signal);
      if (!connection) return;
      try {
        workers = await Promise.all(plans.map((plan) => makeWorker(deps, plan, connection)));
        const runs = workers.map((worker) => worker.run());
        if (stopping.signal.aborted) shutDown(workers);
        else void whenPolling(workers, stopping.signal).then(isReady);
        await Promise.all(runs);
      } catch (error) {
        deps.log.error({ err: error }, 'a Temporal worker failed; restarting it');
        shutDown(workers);
        await pause(AGAIN_MS, stopping.signal);
      } finally {
        await allStopped(workers);
        workers = [];
        await connection.close().catch(() => undefined);
      }
    }
  }

  const running = keepRunning();
  return {
    name: plans.map(({ queue }) => queue).join(', '),
    ready,
    async stop() {
      stopping.abort();
      shutDown(workers);
      await running;
    },
  };
}

let bundle: Promise<WorkflowBundle> | undefined;

/**
 * Reads the bundle from `file`, or makes it. That takes three seconds, so it is done once per process; in a process of its own,
 * since it leaves 200 MB behind.
 */
export function workflowBundle(log: Deps['log'], file = ''): Promise<WorkflowBundle> {
  bundle ??= file ? readFile(file, 'utf8').then((code) => ({ code })) : bundled(log);
  return bundle;
}

const BUNDLE_BYTES_MAX = 64 * 1_024 * 1_024;

async function bundled(log: Deps['log']): Promise<WorkflowBundle> {
  const script = fileURLToPath(new URL('./bundle.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { maxBuffer: BUNDLE_BYTES_MAX });
  if (stderr) log.warn({ said: stderr }, 'bundling the workflows printed warnings');
  return { code: stdout };
}

async function makeWorker(deps: Deps, plan: WorkerPlan, connection: NativeConnection): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: deps.config.temporalNamespace,
    taskQueue: prefixed(deps.config.taskQueuePrefix, plan.queue),
    ...(plan.runsWorkflows ? { workflowBundle: await workflowBundle(deps.log, deps.config.workflowBundle) } : {}),
    ...(plan.activities ? { activities: await plan.activities() } : {}),
    interceptors: { activity: [() => ({ inbound: translateFailures(deps.log) })] },
    maxHeartbeatThrottleInterval: HEARTBEAT_EVERY,
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: SHUTDOWN_FORCE,
    ...plan.options,
  });
}

function shutDown(workers: Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

async function allStopped(workers: Worker[]): Promise<void> {
  const isOver = (worker: Worker) => ['STOPPED', 'FAILED', 'INITIALIZED'].includes(worker.getState());
  while (!workers.every(isOver)) await sleep(50);
}

async function whenPolling(workers: Worker[], signal: AbortSignal): Promise<void> {
  const isPolling = (worker: Worker) => worker.getState() === 'RUNNING';
  while (!signal.aborted && !workers.every(isPolling)) await pause(20, signal);
}
