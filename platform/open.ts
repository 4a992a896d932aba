import type { Redis } from 'ioredis';
import type { Deps, Log } from '../core/deps.ts';
import type { Config } from '../schemas/config.ts';
import { createDns } from './dns.ts';
import { createEvidence } from './evidence.ts';
import { createMedia } from './media.ts';
import { openMongo } from './mongo.ts';
import { createSources } from './providers/sources.ts';
import { openRedis } from './redis.ts';
import { openTemporal } from './temporal.ts';

/** Everything that the core needs of the outside but the `Workflows` port, which speaks through `temporal`. */
export interface Platform {
  parts: Omit<Deps, 'workflows'>;
  redis: Redis;
  temporal: ReturnType<typeof openTemporal>;
  close(): Promise<void>;
}

/** Waits for no server: each is connected to when it is needed, and again when it was away. */
export function openPlatform(config: Config, log: Log): Platform {
  const { mongo, db } = openMongo(config);
  const { signals, redis, close: closeRedis } = openRedis(config, log);
  const temporal = openTemporal(config);
  const clock = { now: () => new Date() };
  return {
    parts: {
      config,
      log,
      mongo,
      db,
      signals,
      clock,
      dns: createDns(config),
      sources: createSources(config, db),
      media: createMedia(config),
      evidence: createEvidence(config),
    },
    redis,
    temporal,
    async close() {
      await Promise.allSettled([temporal.close(), closeRedis(), mongo.close()]);
    },
  };
}
