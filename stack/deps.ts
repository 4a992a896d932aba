import type { Deps, Log } from '../core/deps.ts';
import { createDns } from '../platform/dns.ts';
import { openMongo } from '../platform/mongo.ts';
import { openRedis } from '../platform/redis.ts';
import { openTemporal } from '../platform/temporal.ts';
import type { Config } from '../schemas/config.ts';
import { createWorkflows } from '../workflows/client.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** The core, wired for a short piece of work beside the running processes. */
export async function withDeps<T>(config: Config, work: (deps: Deps) => Promise<T>): Promise<T> {
  const { mongo, db } = openMongo(config);
  const { signals, close: closeRedis } = openRedis(config, silent);
  const temporal = openTemporal(config);
  const workflows = createWorkflows(config, temporal);
  try {
    const clock = { now: () => new Date() };
    return await work({ config, db, mongo, signals, workflows, dns: createDns(config), log: silent, clock });
  } finally {
    await Promise.allSettled([mongo.close(), closeRedis(), temporal.close()]);
  }
}
