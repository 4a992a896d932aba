import type { AddressInfo } from 'node:net';
import type { Deps } from '../core/base/deps.ts';
import { reportProcess } from '../core/figures/live/processes.ts';
import { drainSignals } from '../core/mail/feedback/buffer.ts';
import { ConfigError, readConfig } from '../platform/config.ts';
import { openPlatform } from '../platform/connect.ts';
import { createLog } from '../platform/log.ts';
import { createMetrics } from '../platform/metrics.ts';
import { createRateLimiter } from '../platform/redis/rate-limit.ts';
import { createStreamSlots } from '../platform/redis/stream-slots.ts';
import { refuseUnfit } from '../platform/start-checks.ts';
import { collectStartGarbage } from '../platform/start-garbage.ts';
import { VERSION } from '../platform/version.ts';
import type { Config } from '../schemas/config.ts';
import { createWorkflows } from '../workflows/client.ts';
import { type App, createApp } from './app.ts';
import { openConsole } from './console/files.ts';
import { endpointTable } from './http/table.ts';

/** Time to write opens and clicks that are still buffered. */
const SIGNALS_STOP_MS = 1_500;

const DRAIN_MS = 1_000;

/** The process that serves the REST interface. */
async function main(): Promise<void> {
  const config = readConfig();
  if (config.secretKeys.length === 0)
    throw new ConfigError(
      'SECRET_KEYS is needed: give it as k1:<32 bytes in base64>, made with: openssl rand -base64 32',
    );
  const log = createLog(config.logLevel, 'api');
  const metrics = createMetrics(['api']);
  const { parts, redis, temporal, close } = openPlatform(config, log);
  const deps: Deps = { ...parts, workflows: createWorkflows(config, temporal) };
  const limiter = createRateLimiter(redis, config.mongodbDatabase);
  const slots = createStreamSlots(redis, config.mongodbDatabase);
  await refuseUnfit(deps);
  // The console is bundled when everything else is there.
  const listening = Promise.withResolvers<void>();
  const app = createApp(deps, endpointTable(metrics), {
    limiter,
    slots,
    observe: metrics.observeRequest,
    console: listening.promise.then(() => openConsole(deps)),
  });
  // Loaded before the first request, since that holds the event loop for 0.3 s.
  await temporal.client();
  collectStartGarbage();
  await listen(app, config);
  listening.resolve();
  const { port } = app.server.address() as AddressInfo;
  log.info({ port }, 'listening');
  const endReports = reportProcess(deps, { roles: ['api'], version: VERSION });
  const stop = once(async (drainMs) => {
    log.info({}, 'stopping');
    await app.stop(drainMs);
    await drainSignals(deps, SIGNALS_STOP_MS);
    await endReports();
    limiter.stop();
    slots.stop();
    await close();
    process.exit(0);
  });
  // Others take its calls once they notice.
  process.once('SIGTERM', () => stop(DRAIN_MS));
  // Everything stops.
  for (const signal of ['SIGINT', 'disconnect']) process.once(signal, () => stop(0));
  // Last, since a supervisor may stop the process as soon as it is ready.
  process.send?.({ ready: true, port, url: `http://127.0.0.1:${port}` });
}

function listen({ server }: App, { port, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' ? new ConfigError(`Port ${port} is in use; give another one with PORT=...`) : error,
      ),
    );
    server.listen(port, host, () => resolve());
  });
}

function once(work: (drainMs: number) => Promise<void>): (drainMs: number) => void {
  let begun = false;
  return (drainMs) => {
    if (!begun) void work(drainMs);
    begun = true;
  };
}

main().catch((error) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
