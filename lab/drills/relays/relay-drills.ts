import { type Cable, startProxy } from '../../rig/faults/proxy.ts';
import { startSink } from '../../rig/sink.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import type { Drill } from '../drill.ts';
import { disturb, judgeOutage, type OutageTally, outage } from '../outages/outages.ts';
import { campaignFailover, judgeCampaignFailover, judgeTraffic, trafficFailover } from './relay-failover.ts';
import { judgeReplies, relayReplies } from './relay-replies.ts';

/** A relay behind a network that can be disturbed. */
async function throughProxy<T>(work: (relay: Relay) => Promise<T>): Promise<T> {
  const sink = await startSink(5);
  const proxy = await startProxy(Number(new URL(sink.smtpUrl).port));
  try {
    return await work({ proxy, start: async () => ({ ...sink, smtpUrl: `smtp://127.0.0.1:${proxy.port}` }) });
  } finally {
    proxy.stop();
    sink.stop();
  }
}

interface Relay {
  proxy: Cable;
  start: () => ReturnType<typeof startSink>;
}

function relayNetwork(env: NodeJS.ProcessEnv, { mix, lastsMs }: { mix: Mix; lastsMs: number }): Promise<OutageTally> {
  return throughProxy(({ proxy, start }) =>
    outage(env, {
      ...{ mix, quietMs: 1_000, evidence: true, relay: start, env: { SMTP_DOT_TIMEOUT_SECONDS: '3' } },
      faults: [
        { cutAfterBytes: 6_000 },
        { cutAfterMs: 60 },
        { isDeaf: true },
        { sliceBytes: 7 },
        { latencyMs: 150 },
        { bytesPerSecond: 1_000 },
        { closeAfterMs: 2_000 },
        { isOff: true },
      ].map((faults) => disturb(proxy, faults, lastsMs)),
    }),
  );
}

function relayDown(env: NodeJS.ProcessEnv, { mix, lastsMs }: { mix: Mix; lastsMs: number }): Promise<OutageTally> {
  return throughProxy(({ proxy, start }) =>
    outage(env, { mix, quietMs: 2_000, relay: start, faults: [disturb(proxy, { isOff: true }, lastsMs)] }),
  );
}

export const relayDrills: Record<string, Drill> = {
  'relay-replies': {
    does: 'every answer that a relay can give, each to 50 people, and a relay that turns everybody away',
    async *run(env) {
      yield judgeReplies(await relayReplies(env, { each: 50 }));
    },
  },
  'relay-network': {
    does: 'between us and the relay, with evidence: cuts in DATA and after 60 ms, no answers, slices of 7 bytes, latency, 1 kB/s, slow closing, nobody there',
    async *run(env) {
      const tally = await relayNetwork(env, { mix: { mails: 25, bulks: 2 }, lastsMs: 6_000 });
      yield judgeOutage('network', tally);
    },
  },
  'relay-failover': {
    does: 'the first of two relays is cut off, or says 421 to everything, and returns, then the second one, under mail and in a campaign',
    async *run(env) {
      const shared = { mix: { mails: 25, bulks: 2 }, lastsMs: 6_000 };
      for (const how of ['standIn', 'shared', 'turnedAway'] as const)
        yield judgeTraffic(how, await trafficFailover(env, { ...shared, how }));
      const drill = { recipients: 20_000, connections: 20, ackMs: 20, evidence: true, lastsMs: 3_000 };
      yield judgeCampaignFailover(drill, await campaignFailover(env, drill));
    },
  },
  'relay-down': {
    does: 'no relay for 20 s while mail is accepted: everything is sent when it is back',
    async *run(env) {
      // Mail whose connection was cut after the dot is repeated at most once for each connection.
      const allowed = { duplicates: 20, unknown: 20 };
      yield judgeOutage('down', await relayDown(env, { mix: { mails: 60, bulks: 2 }, lastsMs: 20_000 }), { allowed });
    },
  },
};
