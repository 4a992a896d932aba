import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Deps, Log } from '../core/base/deps.ts';
import { reportProcess } from '../core/figures/live/processes.ts';
import { ConfigError, readConfig } from '../platform/config.ts';
import { openPlatform } from '../platform/connect.ts';
import { createLog } from '../platform/log.ts';
import { createMetrics, type Metrics } from '../platform/metrics.ts';
import { refuseUnfit } from '../platform/start-checks.ts';
import { collectStartGarbage } from '../platform/start-garbage.ts';
import { VERSION } from '../platform/version.ts';
import type { Config } from '../schemas/config.ts';
import { createWorkflows } from '../workflows/client.ts';
import { serveHealth } from './health.ts';
import { measureInbound } from './inbound-role.ts';
import { canWait, keepHeapSmall, lowerPriority } from './process-priority.ts';
import { isRoleName, type RoleName, roles } from './roles.ts';
import { measureBudgets, measureSending, sendingFacts } from './sending.ts';
import { startWorkers, type Workers } from './start.ts';
import { measureWaiting } from './waiting.ts';

const STOP_MS = 8_000;

/** A worker process; WORKER_LANES lists its roles. */
async function main(): Promise<void> {
  const config = readConfig();
  const names = laneNames(config);
  checkBundle(config);
  if (names.includes('background')) keepHeapSmall();
  const isSending = names.includes('mail') || names.includes('campaign');
  if (canWait(names)) lowerPriority();
  const log = createLog(config.logLevel, `worker ${names.join(',')}`);
  const metrics = createMetrics(names);
  const sdkMetricsUrl = names.some((name) => 'worker' in roles[name]) ? await serveSdkMetrics(log) : null;
  const { parts, temporal, clockReady, close } = openPlatform(config, log);
  const deps: Deps = { ...parts, workflows: createWorkflows(config, temporal) };

  await Promise.all([clockReady, refuseUnfit(deps)]);
  const workers = startWorkers(deps, names);
  const endReports = reportProcess(deps, { roles: names, version: VERSION }, () => ({
    jobs: workers.due().reduce((sum, { running }) => sum + running, 0),
    ...(isSending ? sendingFacts(deps) : { held: 0, unwritten: 0, relays: [] }),
  }));
  measure(metrics, workers);
  measureBudgets(metrics, deps);
  if (isSending) measureSending(metrics, deps);
  if (names.includes('background')) measureWaiting(metrics, deps);
  if (names.includes('inbound')) measureInbound(metrics, deps);
  let isReady = false;
  const sources = { deps, metrics, lanes: names, isReady: () => isReady, sdkMetricsUrl };
  const health = await serveHealth(config.workerPort, config.host, sources);
  log.info({ port: health.port }, 'started');

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    isReady = false;
    log.info({}, 'stopping');
    setTimeout(() => {
      log.warn({}, 'shutdown timed out; exiting with work in progress');
      process.exit(0);
    }, STOP_MS).unref();
    await workers.stop();
    await endReports();
    health.close();
    await close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => void stop());

  await workers.ready;
  if (isStopping) return;
  collectStartGarbage();
  isReady = true;
  log.info({}, 'ready');
  process.send?.({ ready: true, port: health.port });
}

function laneNames({ workerLanes }: Config): RoleName[] {
  const unknown = workerLanes.find((name) => !isRoleName(name));
  if (unknown !== undefined)
    throw new ConfigError(`WORKER_LANES names "${unknown}"; there are ${Object.keys(roles).join(', ')}.`);
  return workerLanes.filter(isRoleName);
}

function checkBundle({ workflowBundle }: Config): void {
  if (workflowBundle && !existsSync(workflowBundle))
    throw new ConfigError(
      `WORKFLOW_BUNDLE names "${workflowBundle}", which is not there; write it with node workers/bundle.ts, or name none.`,
    );
}

function measure({ gauge }: Metrics, workers: Workers): void {
  const total = (count: (kind: ReturnType<Workers['due']>[number]) => number) => () =>
    workers.due().reduce((sum, kind) => sum + count(kind), 0);
  gauge(
    'everpost_due_running',
    'Due documents that are being run.',
    total(({ running }) => running),
  );
  gauge(
    'everpost_due_projects_waiting',
    'Projects that wait for their turn.',
    total((kind) => kind.projectsWaiting),
  );
}

/** Temporal's SDK serves its metrics on a port of its own, and cannot report which one it took. */
async function serveSdkMetrics(log: Log): Promise<string> {
  const { installTemporalRuntime } = await import('../platform/temporal-native.ts');
  const address = `127.0.0.1:${await freePort()}`;
  installTemporalRuntime(log, address);
  return `http://${address}/metrics`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
