import type { Servers } from '../../../stack/servers/all.ts';
import type { Server } from '../../../stack/servers/server.ts';
import { type DrillContext, withDrill } from '../../rig/context.ts';
import { untilSettled } from '../../rig/facts/settled.ts';
import { type Looks, watchCounts } from '../../rig/facts/watch-counts.ts';
import { type RelayBudgets, type RelaySeen, watchRelay } from '../../rig/facts/watch-relay.ts';
import { type Strike, strikeUntil } from '../../rig/faults/kills.ts';
import { type ReplicaSet, withReplicaSet } from '../../rig/faults/replica-set.ts';
import { startSink } from '../../rig/sink.ts';
import type { Calls } from '../../rig/traffic/calls.ts';
import { type OddMail, oddMail } from '../../rig/traffic/oddities.ts';
import { addProject } from '../../rig/traffic/projects.ts';
import type { Promises } from '../../rig/traffic/promises.ts';
import { type CampaignPlan, publishUntil } from '../../rig/traffic/publish.ts';
import type { Mix } from '../../rig/traffic/requests.ts';
import { startTraffic, type Traffic } from '../../rig/traffic/traffic.ts';
import { pause } from '../../rig/waiting.ts';
import { type Fleet, startFleet } from './fleet.ts';

export interface InstallationTally {
  minutes: number;
  projects: ProjectTally[];
  campaigns: number;
  kills: Record<string, number>;
  exits: string[];
  startsRepeated: number;
  looks: Looks;
  relay: RelaySeen;
  /** From the last request to the last outcome. */
  settledSeconds: number;
}

export interface ProjectTally {
  name: string;
  promises: Promises;
  calls: Calls;
  meant: OddMail['meant'];
}

interface Tenant {
  context: DrillContext;
  odd: OddMail;
  traffic: Traffic;
}

const PROJECTS = ['North', 'South', 'East'];
/** Of each project. */
const mix: Mix = { mails: 5, batches: 0.4, bulks: 0.4, contacts: 3, imports: 0.05, forms: 0.5, events: 0.7 };
/** The rate is above the mean of the load, and below that of a campaign of 2,000: it binds, and everything settles. */
const budgets: RelayBudgets = { connections: 16, perSecond: 150 };
const ACK_MS = 20;
const STRIKE_EVERY_MS = 8_000;
const DOWN_MS = 2_000;
const CAMPAIGN_EVERY_MS = 15_000;
const SETTLED_WITHIN_MS = 600_000;

/** A campaign that is released at once although it is gradual: its first five minutes are enough for all. */
const inFirstSlice = (size: number) => ({ emailsPerDay: size * 300, growth: 'fixed', timezone: 'UTC' });
const campaigns: Array<{ size: number; more?: object }> = [
  { size: 50 },
  { size: 200, more: { sendRatePerSecond: 20 } },
  { size: 2_000 },
  { size: 600, more: { sendMode: 'gradual', sendNow: undefined, publish: true, gradual: inFirstSlice(600) } },
];

const ratedRelay = async () => {
  const sink = await startSink(ACK_MS);
  return { ...sink, smtpUrl: `${sink.smtpUrl}?rate=${budgets.perSecond}` };
};

/** A replica set of three, four APIs and eight workers, three projects with every sort of traffic, and one kill after the other. */
export function installation({ minutes }: { minutes: number }): Promise<InstallationTally> {
  return withReplicaSet((servers, env) =>
    withDrill(env, { relay: ratedRelay }, async (first) => {
      const fleet = await startFleet(first, budgets.connections);
      const contexts = await Promise.all(PROJECTS.map((name) => addProject(first, name)));
      const tenants = await Promise.all(contexts.map((context) => startTenant(context, fleet)));
      const looks = { samples: 0, unbalanced: 0 };
      const underWay = { status: { $nin: ['draft' as const, 'sent' as const, 'failed' as const] } };
      const watches = contexts.map((context) =>
        watchCounts(
          context,
          () => first.deps.db.campaigns.find({ projectId: context.project._id, ...underWay }).toArray(),
          looks,
        ),
      );
      const watch = watchRelay(first.sink, budgets);
      const endsAt = performance.now() + minutes * 60_000;
      const plan: CampaignPlan = (n) => {
        const { context, traffic } = tenants[n % tenants.length]!;
        return { context, calls: traffic.calls, ...campaigns[n % campaigns.length]! };
      };
      const [kills, published] = await Promise.all([
        strikeUntil(endsAt, STRIKE_EVERY_MS, strikesOn(fleet, servers)),
        publishUntil(endsAt, CAMPAIGN_EVERY_MS, { urls: fleet.urls, plan }),
      ]);
      await Promise.all(tenants.map(({ traffic }) => traffic.stop()));
      const stoppedAt = performance.now();
      for (const context of contexts) await untilSettled(context, SETTLED_WITHIN_MS);
      const settledSeconds = Math.round((performance.now() - stoppedAt) / 1_000);
      const seen = await watch.stop();
      await Promise.all(watches.map((stop) => stop()));
      const projects = await Promise.all(tenants.map((tenant) => tallyOf(tenant, contexts)));
      return {
        ...{ minutes, projects, campaigns: published, kills, exits: [...fleet.exits] },
        ...{ startsRepeated: fleet.startsRepeated(), looks, relay: seen, settledSeconds },
      };
    }),
  );
}

async function startTenant(context: DrillContext, { urls }: Fleet): Promise<Tenant> {
  const odd = oddMail();
  return { context, odd, traffic: await startTraffic(context, urls, mix, { mailTo: odd.mailTo }) };
}

/** Workers and APIs die more often than servers, as there are more of them. */
function strikesOn(fleet: Fleet, { set, redis, temporal }: Servers & { set: ReplicaSet }): Strike[] {
  const restart = async (server: Server) => {
    await server.kill('SIGKILL');
    await pause(DOWN_MS);
    await server.start();
  };
  const member = async (which: 'primary' | 'secondary') => {
    const primary = await set.primary();
    await restart(which === 'primary' ? primary : set.members.find((one) => one !== primary)!);
    await set.untilWhole();
  };
  const strike = (name: string, run: () => Promise<unknown>) => ({ name, run: async () => void (await run()) });
  return [
    ...Array.from({ length: 3 }, () => strike('worker', () => fleet.kill('worker'))),
    ...Array.from({ length: 2 }, () => strike('api', () => fleet.kill('api'))),
    strike('primary', () => member('primary')),
    strike('primary with a worker', () => Promise.all([member('primary'), fleet.kill('worker')])),
    strike('secondary', () => member('secondary')),
    strike('redis', () => restart(redis!)),
    strike('temporal', () => restart(temporal!)),
  ];
}

async function tallyOf({ context, odd, traffic }: Tenant, contexts: readonly DrillContext[]): Promise<ProjectTally> {
  const others = contexts.filter((other) => other !== context).map(({ sender }) => `@${sender.split('@')[1]}>`);
  const ids = [...(await context.sink.ids()).keys()];
  const foreign = ids.filter((id) => others.some((end) => id.endsWith(end)));
  const { name } = context.project;
  return { name, promises: await traffic.verify(foreign), calls: traffic.calls, meant: odd.meant };
}
