import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startProxy } from '../../rig/faults/proxy.ts';
import { startReplicaSet } from '../../rig/faults/replica-set.ts';
import { withServers } from '../../rig/servers.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import { pause } from '../../rig/waiting.ts';
import type { Drill } from '../drill.ts';
import { type Fault, judgeOutage, type OutageTally, outage } from './outages.ts';

const mixed: Mix = { mails: 50, bulks: 2, contacts: 50, events: 4 };
/** One for each connection of two workers. */
const REPEATS_MAX = 20;

/** kill -9 of mongod under mails, contacts and events, and its return. */
function mongodKill({ kills, downMs, mix }: { kills: number; downMs: number; mix: Mix }): Promise<OutageTally> {
  return withServers((servers, env) => {
    const fault: Fault = {
      lastsMs: downMs,
      strike: async () => servers.mongodb?.kill('SIGKILL'),
      mend: async () => servers.mongodb?.start(),
    };
    return outage(env, { mix, faults: Array.from({ length: kills }, () => fault), quietMs: 4_000 });
  });
}

/** Longer than a lease: who has claimed what cannot be written must not hand over any more. */
function mongodStop(): Promise<OutageTally> {
  return withServers((servers, env) => {
    const stop = (lastsMs: number): Fault => ({
      lastsMs,
      strike: async () => servers.mongodb?.kill('SIGSTOP'),
      mend: async () => servers.mongodb?.kill('SIGCONT'),
    });
    return outage(env, { mix: mixed, faults: [stop(3_000), stop(35_000)], quietMs: 4_000 });
  });
}

function primaryChange(): Promise<OutageTally> {
  return withServers(
    async (_servers, env) => {
      const dataDir = mkdtempSync(join(tmpdir(), 'everpost-members-'));
      const set = await startReplicaSet(dataDir);
      const stepDown: Fault = { lastsMs: 3_000, strike: () => set.stepDown(5), mend: () => set.primary() };
      let killed: Awaited<ReturnType<typeof set.primary>> | undefined;
      const kill: Fault = {
        lastsMs: 3_000,
        async strike() {
          killed = await set.primary();
          await killed.kill('SIGKILL');
        },
        async mend() {
          await killed?.start();
          await set.primary();
        },
      };
      try {
        const faults = [stepDown, kill, stepDown, kill];
        return await outage({ ...env, MONGODB_URL: set.url }, { mix: mixed, faults, quietMs: 4_000 });
      } finally {
        await set.stop();
        rmSync(dataDir, { recursive: true, force: true });
      }
    },
    { kinds: ['redis', 'temporal'] },
  );
}

/** Between every process of ours and MongoDB: late, cut off at once, cut off again and again, and silent. */
function mongodNetwork(env: NodeJS.ProcessEnv): Promise<OutageTally> {
  const { hostname, port } = new URL((env.MONGODB_URL ?? '').replace(/^mongodb:/, 'http:'));
  if (hostname !== '127.0.0.1') throw new Error('this drill is for a MongoDB on this machine');
  return (async () => {
    const proxy = await startProxy(Number(port));
    const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
    const faults: Fault[] = [
      {
        lastsMs: 5_000,
        strike: async () => proxy.set({ latencyMs: 30 }),
        mend: async () => proxy.set({ latencyMs: 0 }),
      },
      {
        lastsMs: 500,
        async strike() {
          for (let cut = 0; cut < 10; cut += 1) {
            proxy.cut();
            await pause(300);
          }
        },
        mend: async () => undefined,
      },
      { lastsMs: 5_000, strike: async () => proxy.set({ isOff: true }), mend: async () => proxy.set({ isOff: false }) },
      {
        lastsMs: 8_000,
        strike: async () => proxy.set({ isDeaf: true }),
        async mend() {
          proxy.set({ isDeaf: false });
          proxy.cut();
        },
      },
    ];
    try {
      return await outage({ ...env, MONGODB_URL: url }, { mix: mixed, faults, quietMs: 3_000 });
    } finally {
      proxy.stop();
    }
  })();
}

/** The two that hold everything together, one after the other: for the suite, where starting servers is what takes long. */
export function serverKills({ downMs, mix }: { downMs: number; mix: Mix }): Promise<OutageTally> {
  return withServers((servers, env) => {
    const kill = (name: 'mongodb' | 'temporal'): Fault => ({
      lastsMs: downMs,
      strike: async () => servers[name]?.kill('SIGKILL'),
      mend: async () => servers[name]?.start(),
    });
    return outage(env, { mix, faults: [kill('mongodb'), kill('temporal')], quietMs: 1_500 });
  });
}

function redisFaults(): Promise<OutageTally> {
  return withServers(async (servers, env) => {
    const redis = servers.redis!;
    const tell = async (...words: [string, ...string[]]) => {
      const client = new Redis(redis.url);
      await client.call(...words);
      client.disconnect();
    };
    const faults: Fault[] = [
      { lastsMs: 20_000, strike: () => redis.kill('SIGKILL'), mend: () => redis.start() },
      { lastsMs: 10_000, strike: () => redis.kill('SIGSTOP'), mend: () => redis.kill('SIGCONT') },
      { lastsMs: 1_000, strike: () => tell('FLUSHALL'), mend: async () => undefined },
      {
        lastsMs: 10_000,
        strike: () => tell('CONFIG', 'SET', 'maxmemory', '1mb'),
        mend: () => tell('CONFIG', 'SET', 'maxmemory', '0'),
      },
    ];
    return outage(env, {
      mix: { mails: 50, bulks: 1, contacts: 45, events: 4 },
      faults,
      quietMs: 3_000,
      warmMs: 15_000,
    });
  });
}

function temporalKill(): Promise<OutageTally> {
  return withServers((servers, env) => {
    const fault: Fault = {
      lastsMs: 5_000,
      strike: async () => servers.temporal?.kill('SIGKILL'),
      mend: async () => servers.temporal?.start(),
    };
    return outage(env, { mix: mixed, faults: [fault, fault, fault], quietMs: 4_000 });
  });
}

export const outageDrills: Record<string, Drill> = {
  'mongod-kill': {
    does: 'kill -9 of mongod three times under mails, contacts and events',
    alone: true,
    async *run() {
      yield judgeOutage('kill -9', await mongodKill({ kills: 3, downMs: 3_000, mix: mixed }));
    },
  },
  'mongod-stop': {
    does: 'SIGSTOP of mongod for 3 s and for 35 s, which is longer than a lease',
    alone: true,
    async *run() {
      const allowed = { duplicates: REPEATS_MAX, unknown: REPEATS_MAX };
      yield judgeOutage('SIGSTOP', await mongodStop(), { allowed, isStalled: true });
    },
  },
  'mongod-primary': {
    does: 'a replica set of three whose primary steps down twice and is killed twice',
    alone: true,
    async *run() {
      yield judgeOutage('primary change', await primaryChange());
    },
  },
  'mongod-network': {
    does: 'between us and MongoDB: 30 to 60 ms each way, ten cuts, five seconds of nobody there, eight seconds of silence',
    alone: true,
    async *run(env) {
      yield judgeOutage('network', await mongodNetwork(env), { isStalled: true });
    },
  },
  redis: {
    does: 'Redis killed for 20 s, stopped for 10 s, flushed, and out of memory: nobody notices',
    alone: true,
    async *run() {
      yield judgeOutage('Redis away', await redisFaults(), { p99MsMax: 500 });
    },
  },
  'temporal-kill': {
    does: 'kill -9 of Temporal three times under mails, contacts and events: every request is answered',
    async *run() {
      const tally = await temporalKill();
      const verdict = judgeOutage('kill -9', tally);
      const { unavailable } = tally.calls;
      yield unavailable === 0 ? verdict : { kept: false, says: `${verdict.says}, BUT ${unavailable} answers 503` };
    },
  },
};
