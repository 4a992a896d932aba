import { Redis } from 'ioredis';
import type { Servers } from '../../../stack/servers/all.ts';
import { startProxy } from '../../rig/faults/proxy.ts';
import { withReplicaSet } from '../../rig/faults/replica-set.ts';
import { withServers } from '../../rig/servers.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import { pause } from '../../rig/waiting.ts';
import type { Drill } from '../drill.ts';
import { disturb, type Fault, hit, judgeOutage, type Outage, type OutageTally, outage } from './outages.ts';

const mixed: Mix = { mails: 50, bulks: 2, contacts: 50, events: 4 };
/** One for each connection of two workers. */
const REPEATS_MAX = 20;

/** Faults of servers of its own, under mails, contacts and events. */
function onServers(faultsOf: (servers: Servers) => Fault[], more: Partial<Outage> = {}): Promise<OutageTally> {
  return withServers((servers, env) => outage(env, { mix: mixed, quietMs: 4_000, faults: faultsOf(servers), ...more }));
}

function thrice(fault: Fault): Fault[] {
  return [fault, fault, fault];
}

/** The two that hold everything together, one after the other: for the suite, where starting servers is what takes long. */
export function serverKills({ downMs, mix }: { downMs: number; mix: Mix }): Promise<OutageTally> {
  const faultsOf = ({ mongodb, temporal }: Servers) => [mongodb, temporal].map((one) => hit(one, 'SIGKILL', downMs));
  return onServers(faultsOf, { mix, quietMs: 1_500 });
}

function primaryChange(): Promise<OutageTally> {
  return withReplicaSet(({ set }, env) => {
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
    return outage(env, { mix: mixed, faults: [stepDown, kill, stepDown, kill], quietMs: 4_000 });
  });
}

/** Between every process of ours and MongoDB: late, cut off at once, cut off again and again, and silent. */
async function mongodNetwork(env: NodeJS.ProcessEnv): Promise<OutageTally> {
  const { hostname, port } = new URL((env.MONGODB_URL ?? '').replace(/^mongodb:/, 'http:'));
  if (hostname !== '127.0.0.1') throw new Error('this drill is for a MongoDB on this machine');
  const proxy = await startProxy(Number(port));
  const url = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const late = async (latencyMs: number) => proxy.set({ latencyMs });
  const faults: Fault[] = [
    { lastsMs: 5_000, strike: () => late(30), mend: () => late(0) },
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
    disturb(proxy, { isOff: true }, 5_000),
    disturb(proxy, { isDeaf: true }, 8_000),
  ];
  try {
    return await outage({ ...env, MONGODB_URL: url }, { mix: mixed, faults, quietMs: 3_000 });
  } finally {
    proxy.stop();
  }
}

function redisFaults(): Promise<OutageTally> {
  const faultsOf = ({ redis }: Servers): Fault[] => {
    const tell = async (...words: [string, ...string[]]) => {
      const client = new Redis(redis!.url);
      await client.call(...words);
      client.disconnect();
    };
    const memory = (most: string) => tell('CONFIG', 'SET', 'maxmemory', most);
    return [
      hit(redis, 'SIGKILL', 20_000),
      hit(redis, 'SIGSTOP', 10_000),
      { lastsMs: 1_000, strike: () => tell('FLUSHALL'), mend: async () => undefined },
      { lastsMs: 10_000, strike: () => memory('1mb'), mend: () => memory('0') },
    ];
  };
  return onServers(faultsOf, { mix: { mails: 50, bulks: 1, contacts: 45, events: 4 }, quietMs: 3_000, warmMs: 15_000 });
}

export const outageDrills: Record<string, Drill> = {
  'mongod-kill': {
    does: 'kill -9 of mongod three times under mails, contacts and events',
    alone: true,
    async *run() {
      yield judgeOutage('kill -9', await onServers(({ mongodb }) => thrice(hit(mongodb, 'SIGKILL', 3_000))));
    },
  },
  'mongod-stop': {
    does: 'SIGSTOP of mongod for 3 s and for 35 s, which is longer than a lease',
    alone: true,
    async *run() {
      const allowed = { duplicates: REPEATS_MAX, unknown: REPEATS_MAX };
      yield judgeOutage(
        'SIGSTOP',
        await onServers(({ mongodb }) => [hit(mongodb, 'SIGSTOP', 3_000), hit(mongodb, 'SIGSTOP', 35_000)]),
        { allowed, isStalled: true },
      );
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
      const tally = await onServers(({ temporal }) => thrice(hit(temporal, 'SIGKILL', 5_000)));
      const verdict = judgeOutage('kill -9', tally);
      const { unavailable } = tally.calls;
      yield unavailable === 0 ? verdict : { kept: false, says: `${verdict.says}, BUT ${unavailable} answers 503` };
    },
  },
};
