import type { Child } from '../../../stack/processes/child.ts';
import type { Servers } from '../../../stack/servers/all.ts';
import { type DrillContext, withDrill } from '../../rig/context.ts';
import { tell } from '../../rig/facts/check.ts';
import { brokenGrowth, type Growth, growthOf, type Sample, sample, tellGrowth } from '../../rig/facts/growth.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { strikeUntil } from '../../rig/faults/kills.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { withServers } from '../../rig/servers.ts';
import { type Calls, tellCalls } from '../../rig/traffic/calls.ts';
import { oddMail } from '../../rig/traffic/oddities.ts';
import { brokenPromises, type Promises } from '../../rig/traffic/promises.ts';
import { publishUntil } from '../../rig/traffic/publish.ts';
import { startTraffic } from '../../rig/traffic/traffic.ts';
import { pause } from '../../rig/waiting.ts';
import { watchExits } from './outages.ts';

export interface SoakTally {
  minutes: number;
  promises: Promises;
  calls: Calls;
  campaigns: number;
  /** The number of kills, by process. */
  kills: Record<string, number>;
  exits: string[];
  growth: Record<string, Growth>;
  /** Mails to addresses that the relay refuses for good, and for now. */
  refusedMeant: number;
  deferredMeant: number;
}

interface Pair {
  api: { child: Child; url: string };
  worker: Child;
}

const EVERY_MS = 30_000;
const DOWN_MS = 2_000;
const SAMPLE_MS = 2_000;
const CAMPAIGN_EVERY_MS = 30_000;
const CAMPAIGN_SIZE = 250;
/** With the campaigns, 50 messages a second. */
const mix = { mails: 20, bulks: 2, contacts: 10, events: 2 };
/** In this proportion, in a new order every ten kills. */
const victims = ['worker', 'api', 'worker', 'api', 'worker', 'api', 'worker', 'redis', 'temporal', 'mongodb'] as const;
type Victim = (typeof victims)[number];

/** Everything at once for a long time, with a kill every 30 seconds; one API and one worker live through it and are measured. */
export function soak({ minutes }: { minutes: number }): Promise<SoakTally> {
  return withServers((servers, env) =>
    withDrill(env, { ackMs: 10 }, async (context) => {
      const steady = await newPair(context);
      const prey = await newPair(context);
      const exits = watchExits({ 'steady api': steady.api.child, 'steady worker': steady.worker });
      const { mailTo, meant } = oddMail();
      const urls = () => [steady.api.url, prey.api.url];
      const traffic = await startTraffic(context, urls, mix, { mailTo, waitMinutes: 1 });
      const databasePort = Number(new URL(servers.environment.MONGODB_URL ?? '').port);
      const samples: Record<string, Sample[]> = { api: [], worker: [] };
      const sampling = setInterval(() => {
        samples.api?.push(sample(steady.api.child.pid, databasePort));
        samples.worker?.push(sample(steady.worker.pid, databasePort));
      }, SAMPLE_MS);
      const endsAt = performance.now() + minutes * 60_000;
      const [kills, campaigns] = await Promise.all([
        strikeUntil(
          endsAt,
          EVERY_MS,
          victims.map((name) => ({ name, run: () => killAndStart(name, { context, servers, prey }) })),
        ),
        publishUntil(endsAt, CAMPAIGN_EVERY_MS, {
          urls,
          plan: () => ({ context, calls: traffic.calls, size: CAMPAIGN_SIZE }),
        }),
      ]);
      clearInterval(sampling);
      await traffic.stop();
      await untilSettled(context, 300_000);
      const growth = Object.fromEntries(Object.entries(samples).map(([name, some]) => [name, growthOf(some)]));
      const promises = await traffic.verify();
      return {
        ...{ minutes, promises, calls: traffic.calls, campaigns, kills, exits: [...exits], growth },
        ...{ refusedMeant: meant.refused, deferredMeant: meant.deferred },
      };
    }),
  );
}

async function killAndStart(
  victim: Victim,
  { context, servers, prey }: { context: DrillContext; servers: Servers; prey: Pair },
): Promise<void> {
  switch (victim) {
    case 'worker':
      prey.worker.kill('SIGKILL');
      prey.worker = await newWorker(context);
      return;
    case 'api':
      prey.api.child.kill('SIGKILL');
      prey.api = await context.startAnotherApi();
      return;
    case 'redis':
    case 'temporal':
    case 'mongodb':
      await servers[victim]?.kill('SIGKILL');
      await pause(DOWN_MS);
      await servers[victim]?.start();
  }
}

export function judgeSoak(tally: SoakTally): Verdict {
  const { minutes, promises, calls, campaigns, kills, exits, growth, refusedMeant, deferredMeant } = tally;
  const allowed = { refused: refusedMeant, deferred: deferredMeant };
  const faulty = [
    ...brokenPromises(promises, calls, allowed),
    ...exits,
    ...Object.entries(growth).flatMap(([name, one]) => brokenGrowth(name, one)),
    ...(campaigns === 0 ? ['no campaign was sent'] : []),
  ];
  const { found, contacts, events } = promises;
  const killed = Object.entries(kills).map(([who, times]) => `${who} ${times}`);
  return verdict(faulty, [
    `${minutes} minutes: ${found.mails} mails, ${contacts} contacts, ${events} events, ${campaigns} campaigns, killed ${killed.join(', ') || 'nobody'}`,
    tell(found),
    tellCalls(calls),
    ...Object.entries(growth).map(([name, one]) => tellGrowth(name, one)),
  ]);
}

async function newPair(context: DrillContext): Promise<Pair> {
  const [api, worker] = await Promise.all([context.startAnotherApi(), newWorker(context)]);
  return { api, worker };
}

function newWorker(context: DrillContext): Promise<Child> {
  return context.startWorker({
    WORKER_LANES: 'workflows,background,campaign,mail',
    SMTP_MAX_CONNECTIONS: '20',
    SMTP_EVIDENCE_URL: context.sink.evidenceUrl,
  });
}
