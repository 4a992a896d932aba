import type { Redis } from 'ioredis';
import { type Deps, type Log, openCore } from '../core/base/deps.ts';
import { Paces } from '../core/base/limits/paces.ts';
import { Members } from '../core/base/members.ts';
import { subscribers } from '../core/subscribers.ts';
import type { Config } from '../schemas/config.ts';
import { openBudgets } from './budgets/budgets.ts';
import { createClock } from './clock.ts';
import { createDns } from './dns.ts';
import { createDotJournals } from './dots/journals.ts';
import { createEvidence } from './evidence.ts';
import { createFiles } from './fetch/files.ts';
import { openStore } from './media/stores.ts';
import { openMongo } from './mongo/mongo.ts';
import { createSources } from './providers/sources.ts';
import { createRawMails } from './raw-mails.ts';
import { createRecentCounts } from './redis/recent-counts.ts';
import { openRedis } from './redis/redis.ts';
import { openTemporal, type Temporal } from './temporal.ts';

/** All platform services that the core needs, except the `Workflows` port, which uses `temporal`. */
interface Platform {
  parts: Omit<Deps, 'workflows'>;
  redis: Redis;
  temporal: Temporal;
  /** Resolves when the clock has the database's time, or cannot get it for now. */
  clockReady: Promise<void>;
  close(): Promise<void>;
}

/** Waits for no server: each connection is made when it is needed, and again after an outage. */
export function openPlatform(config: Config, log: Log): Platform {
  const { mongo, db } = openMongo(config);
  const { signals, redis, close: closeRedis } = openRedis(config, log);
  const temporal = openTemporal(config);
  const database = mongo.db(config.mongodbDatabase);
  const clock = createClock(async () => (await database.command({ hello: 1 })).localTime as Date);
  const rawMails = createRawMails(log);
  const members = new Members();
  const paces = new Paces();
  const budgets = openBudgets({ redis, prefix: config.mongodbDatabase, log, clock, members });
  const parts = openCore({
    config,
    log,
    mongo,
    db,
    signals,
    clock,
    members,
    dns: createDns(config),
    sources: createSources(config, { db, paces }),
    media: openStore(config.mediaStore, { config, db, log }),
    files: createFiles(config),
    evidence: createEvidence(config),
    rawMails,
    budgets,
    paces,
    recentCounts: createRecentCounts(redis, config.mongodbDatabase),
    dots: createDotJournals({ dataDir: config.dataDir, log }),
    subscribers,
  });
  return {
    parts,
    redis,
    temporal,
    clockReady: clock.ready,
    async close() {
      parts.state.close();
      clock.stop();
      await budgets.close();
      await Promise.allSettled([temporal.close(), closeRedis(), mongo.close(), rawMails.close()]);
    },
  };
}
