import type { Say } from '../output.ts';
import type { PortChoice } from '../ports.ts';
import type { Kept } from '../processes/supervise.ts';
import type { ServerName } from '../settings.ts';
import { type MailboxServer, startMailbox } from './mailbox.ts';
import { startMongodb } from './mongodb.ts';
import { startRedis } from './redis.ts';
import type { Server } from './server.ts';
import { startTemporal, type TemporalServer } from './temporal.ts';

interface StartServersOptions {
  readonly dataDir: string;
  readonly kinds?: readonly ServerName[];
  /** 'free' (default): any port; 'usual': the port people expect, where it is free. */
  readonly ports?: PortChoice;
  /** Start again what dies; false (default) for those who kill on purpose. */
  readonly restart?: boolean;
  /** For how long MongoDB keeps the past, 300 s by default. Files of dropped databases stay open as long. */
  readonly historySeconds?: number;
  /** A quarter of the memory by default, 1 to 4 GB. */
  readonly mongodbCacheGb?: number;
  /** Dynamic configuration of Temporal, over our own: to measure what a setting does. */
  readonly temporalSettings?: Readonly<Record<string, boolean | number>>;
  /** For Temporal too. While the processor is busy all the time, as in tests, it would get next to nothing of it. */
  readonly equalPriority?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly say?: Say;
  /** Called with each server as soon as it runs, so that it can be stopped while others still start. */
  readonly onStarted?: (server: Kept) => void;
}

export interface Servers {
  readonly mongodb: Server | null;
  readonly redis: Server | null;
  readonly temporal: TemporalServer | null;
  readonly mailbox: MailboxServer | null;
  /** MONGODB_URL, REDIS_URL, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, SMTP_URL, SMTP_MAILBOX of what was started. */
  readonly environment: Record<string, string>;
  stop(): Promise<void>;
}

const allKinds: readonly ServerName[] = ['mongodb', 'redis', 'temporal', 'mailbox'];

/** Starts real servers on loopback, side by side, and resolves when each really answers. */
export async function startServers(options: StartServersOptions): Promise<Servers> {
  const { dataDir, kinds = allKinds, ports = 'free', restart = false, env = process.env, say = () => {} } = options;
  const { historySeconds, mongodbCacheGb, temporalSettings, equalPriority } = options;
  const started: Kept[] = [];
  const special = { historySeconds, mongodbCacheGb, temporalSettings, equalPriority };
  const serverOptions = { dataDir, ports, restart, env, say, ...special };
  const run = async <S extends Kept>(kind: ServerName, start: (options: typeof serverOptions) => Promise<S>) => {
    if (!kinds.includes(kind)) return null;
    const server = await start(serverOptions);
    started.push(server);
    options.onStarted?.(server);
    return server;
  };
  const stop = async () => void (await Promise.all(started.map((server) => server.stop())));
  const starting = Promise.all([
    run('mongodb', startMongodb),
    run('redis', startRedis),
    run('temporal', startTemporal),
    run('mailbox', startMailbox),
  ] as const);
  const [mongodb, redis, temporal, mailbox] = await starting.catch(async (error) => {
    await stop();
    throw error;
  });
  const environment = {
    ...(mongodb && { MONGODB_URL: mongodb.url }),
    ...(redis && { REDIS_URL: redis.url }),
    ...(temporal && { TEMPORAL_ADDRESS: temporal.url, TEMPORAL_NAMESPACE: temporal.namespace }),
    ...(mailbox && { SMTP_URL: mailbox.url, SMTP_MAILBOX: 'true' }),
  };
  return { mongodb, redis, temporal, mailbox, environment, stop };
}
