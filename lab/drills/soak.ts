import { ObjectId } from 'mongodb';
import type { Child } from '../../stack/processes/child.ts';
import type { Servers } from '../../stack/servers/all.ts';
import { ask, type Calls, tellCalls } from '../rig/calls.ts';
import { tell } from '../rig/check.ts';
import { type DrillContext, openDrill } from '../rig/context.ts';
import type { Verdict } from '../rig/drill-results.ts';
import { brokenGrowth, type Growth, growthOf, type Sample, sample, tellGrowth } from '../rig/growth.ts';
import { campaignTo, makeList } from '../rig/people.ts';
import { withServers } from '../rig/servers.ts';
import { brokenPromises, type Promises, startTraffic, type Traffic } from '../rig/traffic.ts';
import { between, pause, untilSettled } from '../rig/waiting.ts';
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
/** Every fiftieth mail, in turn. */
const oddities = ['temp-rcpt-450', 'perm-rcpt-550-5.1.1', 'drop-after-dot', 'slow-1s'] as const;
/** In this proportion, in a new order every ten kills. */
const victims = ['worker', 'api', 'worker', 'api', 'worker', 'api', 'worker', 'redis', 'temporal', 'mongodb'] as const;
type Victim = (typeof victims)[number];

/** Everything at once for a long time, with a kill every 30 seconds; one API and one worker live through it and are measured. */
export function soak({ minutes }: { minutes: number }): Promise<SoakTally> {
  return withServers((servers, env) => soakOn(servers, env, minutes));
}

async function soakOn(servers: Servers, env: NodeJS.ProcessEnv, minutes: number): Promise<SoakTally> {
  const context = await openDrill(env, { ackMs: 10 });
  try {
    const steady = await newPair(context);
    const prey = await newPair(context);
    const exits = watchExits({ 'steady api': steady.api.child, 'steady worker': steady.worker });
    const meant = { refused: 0, deferred: 0 };
    const mailTo = (n: number) => {
      const oddity = n % 50 === 0 ? oddities[(n / 50) % oddities.length] : undefined;
      if (oddity === 'temp-rcpt-450') meant.deferred += 1;
      if (oddity === 'perm-rcpt-550-5.1.1') meant.refused += 1;
      return `${oddity ?? 'm'}+${n}@in.test`;
    };
    const traffic = await startTraffic(context, () => [steady.api.url, prey.api.url], mix, { mailTo, waitMinutes: 1 });
    const samples: Record<string, Sample[]> = { api: [], worker: [] };
    const sampling = setInterval(() => {
      samples.api?.push(sample(steady.api.child.pid));
      samples.worker?.push(sample(steady.worker.pid));
    }, SAMPLE_MS);
    const endsAt = performance.now() + minutes * 60_000;
    const [kills, campaigns] = await Promise.all([
      killUntil(endsAt, { context, servers, prey }),
      campaignsUntil(endsAt, { context, traffic, prey, steady }),
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
  } finally {
    await context.close();
  }
}

async function killUntil(
  endsAt: number,
  { context, servers, prey }: { context: DrillContext; servers: Servers; prey: Pair },
): Promise<Record<string, number>> {
  const kills: Record<string, number> = {};
  let order: Victim[] = [];
  for (;;) {
    const waitMs = between(EVERY_MS * 0.8, EVERY_MS * 1.2);
    if (performance.now() + waitMs > endsAt) {
      await pause(Math.max(0, endsAt - performance.now()));
      return kills;
    }
    await pause(waitMs);
    if (order.length === 0) order = shuffled(victims);
    const victim = order.shift() as Victim;
    kills[victim] = (kills[victim] ?? 0) + 1;
    await killAndStart(victim, { context, servers, prey });
  }
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

/** How many were published. */
async function campaignsUntil(
  endsAt: number,
  { context, traffic, steady, prey }: { context: DrillContext; traffic: Traffic; steady: Pair; prey: Pair },
): Promise<number> {
  const line = { key: context.key, urls: () => [steady.api.url, prey.api.url] };
  let published = 0;
  for (let number = 0; ; number += 1) {
    if (performance.now() + CAMPAIGN_EVERY_MS > endsAt) return published;
    const list = await makeList(context, `s${number}x`, CAMPAIGN_SIZE).catch(() => null);
    if (list) {
      const idempotencyKey = new ObjectId().toHexString();
      const request = { path: '/campaigns', body: campaignTo(list.listId), idempotencyKey };
      if (await ask(line, request, traffic.calls, () => performance.now() < endsAt + 60_000)) published += 1;
    }
    await pause(CAMPAIGN_EVERY_MS);
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
  const says = [
    `${minutes} minutes: ${found.mails} mails, ${contacts} contacts, ${events} events, ${campaigns} campaigns, killed ${killed.join(', ') || 'nobody'}`,
    tell(found),
    tellCalls(calls),
    ...Object.entries(growth).map(([name, one]) => tellGrowth(name, one)),
    ...faulty.map((what) => `BUT ${what}`),
  ];
  return { kept: faulty.length === 0, says: says.join(', ') };
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

function shuffled<T>(all: readonly T[]): T[] {
  const drawn = all.map((one) => ({ one, lot: Math.random() }));
  return drawn.sort((a, b) => a.lot - b.lot).map(({ one }) => one);
}
