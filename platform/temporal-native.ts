import { NativeConnection, Runtime } from '@temporalio/worker';
import type { Log } from '../core/base/deps.ts';
import type { Config } from '../schemas/config.ts';

/** While Temporal is down each poll of each worker would log it many times a minute. */
const RETRIES_SAID_EVERY_MS = 30_000;
/** A worker of one lane has no workflows, or no activities. */
const HARMLESS = /^No (activities|workflows) registered/;
let isInstalled = false;

/** Called before anything else of the SDK, once for each process. Its log lines join ours, and we stop its workers ourselves. */
export function installTemporalRuntime(log: Log, metricsAddress?: string): void {
  if (isInstalled) return;
  isInstalled = true;
  let retriesSaidAt = Number.NEGATIVE_INFINITY;
  const say = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, fields?: { target?: unknown }) => {
    if (fields?.target !== 'temporalio_client::retry')
      return log[HARMLESS.test(message) ? 'debug' : level]({ sdk: 'temporal', ...fields }, message);
    if (performance.now() - retriesSaidAt < RETRIES_SAID_EVERY_MS) return;
    retriesSaidAt = performance.now();
    log.warn({}, 'Temporal does not answer; retrying');
  };
  Runtime.install({
    logger: {
      log: (level, message, fields) =>
        say(level === 'WARN' ? 'warn' : level === 'ERROR' ? 'error' : 'debug')(message, fields),
      trace: say('debug'),
      debug: say('debug'),
      info: say('debug'),
      warn: say('warn'),
      error: say('error'),
    },
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'ERROR', other: 'ERROR' } },
      ...(metricsAddress === undefined ? {} : { metrics: { prometheus: { bindAddress: metricsAddress } } }),
    },
  });
}

const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 2_000;

/** Retries until it connects; null when `signal` aborted it first. */
export async function connectTemporal(
  config: Pick<Config, 'temporalAddress'>,
  log: Log,
  signal: AbortSignal,
): Promise<NativeConnection | null> {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      return await NativeConnection.connect({ address: config.temporalAddress });
    } catch (error) {
      if (tries === 0)
        log.warn({ address: config.temporalAddress, err: error }, 'Temporal is down; retrying until it answers');
      await pause(Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** tries), signal);
    }
  }
  return null;
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
    function finish() {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
  });
}
