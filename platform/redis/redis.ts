import { Redis } from 'ioredis';
import type { Log, Signals } from '../../core/base/deps.ts';
import type { Config } from '../../schemas/config.ts';

interface RedisConnections {
  /** For commands; fails at once while Redis is down. */
  redis: Redis;
  signals: Signals;
  close(): void;
}

const COMMAND_TIMEOUT_MS = 200;
const RECONNECT_MAX_MS = 1_000;

/** Redis is for speed only: while it is down nothing waits for it and nothing fails. */
export function openRedis(config: Pick<Config, 'redisUrl' | 'mongodbDatabase'>, log: Log): RedisConnections {
  const redis = connect(config.redisUrl);
  const listener = connect(config.redisUrl);
  const stopReporting = reportState(redis, log);
  return {
    redis,
    signals: createSignals(redis, listener, `${config.mongodbDatabase}:`),
    close() {
      stopReporting();
      redis.disconnect();
      listener.disconnect();
    },
  };
}

function connect(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: 2_000,
    retryStrategy: (tries) => Math.min(RECONNECT_MAX_MS, 50 * 2 ** Math.min(tries, 5)),
    reconnectOnError: null,
  });
  redis.on('error', () => undefined);
  return redis;
}

/** Channels begin with the name of the database, so that installations may share a Redis. */
function createSignals(redis: Redis, listener: Redis, prefix: string): Signals {
  const listeners = new Map<string, Set<(message: string) => void>>();
  listener.on('message', (channel: string, message: string) => {
    for (const listen of listeners.get(channel) ?? []) listen(message);
  });
  /** Subscriptions that get no answer fail together, and need one new connection. */
  let isReconnecting = false;
  const reconnect = () => {
    if (isReconnecting) return;
    isReconnecting = true;
    listener.disconnect(true);
  };
  listener.on('ready', () => {
    isReconnecting = false;
    if (listeners.size > 0) listener.subscribe(...listeners.keys()).catch(reconnect);
  });

  return {
    isUp: () => redis.status === 'ready',
    publish(channel, message) {
      if (redis.status === 'ready') redis.publish(prefix + channel, message).catch(() => undefined);
    },
    subscribe(channel, listen) {
      const name = prefix + channel;
      const others = listeners.get(name) ?? new Set();
      listeners.set(name, others.add(listen));
      if (others.size === 1 && listener.status === 'ready') listener.subscribe(name).catch(reconnect);
      return () => {
        others.delete(listen);
        if (others.size > 0) return;
        listeners.delete(name);
        if (listener.status === 'ready') listener.unsubscribe(name).catch(() => undefined);
      };
    },
  };
}

function reportState(redis: Redis, log: Log): () => void {
  let wasUp: boolean | null = null;
  const report = (isUp: boolean) => {
    if (wasUp === isUp) return;
    wasUp = isUp;
    if (isUp) log.info({}, 'Redis is up');
    else log.warn({}, 'Redis is down: limits are per process and wake-ups take up to 50 ms');
  };
  redis.on('ready', () => report(true));
  const reportDown = () => report(false);
  redis.on('close', reportDown);
  return () => redis.off('close', reportDown);
}
