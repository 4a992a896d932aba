import { type DrillContext, withDrill } from '../../rig/context.ts';
import { broken, check, type Findings, tell } from '../../rig/facts/check.ts';
import { readCampaigns } from '../../rig/facts/facts.ts';
import { quantile } from '../../rig/processes.ts';
import { type Verdict, verdict } from '../../rig/results/drill-results.ts';
import { withServers } from '../../rig/servers.ts';
import { noCalls, post } from '../../rig/traffic/calls.ts';
import { campaignTo, makeList } from '../../rig/traffic/people.ts';
import { addProject } from '../../rig/traffic/projects.ts';
import { atOnce, pause, until } from '../../rig/waiting.ts';
import type { Drill } from '../drill.ts';

interface FairnessSize {
  giant: { campaigns: number; each: number };
  small: { projects: number; each: number };
  senders: number;
  /** The first small campaign begins when so many mails of the giant have arrived, and another one after each pause. */
  after: number;
  everyMs: number;
}

export interface FairnessTally {
  found: Findings;
  mails: number;
  /** From the call to the last mail of each small campaign. */
  smallMs: number[];
  giantMs: number;
  /** Mails of the giant that were sent after the last one of the last small campaign. */
  giantAfter: number;
}

interface Tenant {
  context: DrillContext;
  lists: string[];
  beganAt: number[];
}

const SHARED = { small: { projects: 50, each: 100 }, senders: 2, after: 5_000, everyMs: 200 };
const ONE = { campaigns: 1, each: 100_000 };
const MANY = { campaigns: 40, each: 2_500 };
const WITHOUT = { 'matching.enableFairness': false };

export const fairnessDrill: Drill = {
  does: '100,000 mails of one project, in one campaign and in 40, beside 50 projects with a campaign of 100, with and without fairness in Temporal',
  alone: true,
  async *run() {
    for (const giant of [ONE, MANY]) {
      const size = { ...SHARED, giant };
      const drill = (temporalSettings = {}) => withServers((_, env) => fairness(env, size), { temporalSettings });
      const [without, fair] = [await drill(WITHOUT), await drill()];
      yield judgeFairness('without fairness', size, without);
      yield judgeFairness('with fairness', size, fair);
      if (giant === MANY) yield judgeDifference(without, fair);
    }
  },
};

/** A project with much mail, and small ones that begin their campaigns in the middle of it. */
function fairness(env: NodeJS.ProcessEnv, size: FairnessSize): Promise<FairnessTally> {
  return withDrill(env, { ackMs: 5 }, async (context) => {
    const { url } = await context.startApi();
    const settings = { WORKER_PROCESSES: String(size.senders) };
    await Promise.all([
      context.startWorker({ ...settings, WORKER_LANES: 'workflows,background' }),
      ...Array.from({ length: size.senders }, () => context.startWorker({ ...settings, WORKER_LANES: 'campaign' })),
    ]);
    const giant = await tenantOf(context, 'giant', size.giant.campaigns, size.giant.each);
    const { projects, each } = size.small;
    const small = await atOnce(projects, (index) => tenantOf(context, `small${index}`, 1, each));
    await begin(giant, url);
    const arrived = async () => (await context.sink.stats()).messages;
    await until('the giant is being sent', async () => (await arrived()) >= size.after, 120_000);
    for (const one of small) {
      await begin(one, url);
      await pause(size.everyMs);
    }
    const all = [giant, ...small];
    const areSent = async () => (await Promise.all(all.map(isSent))).every(Boolean);
    await until('every campaign is sent', areSent, 600_000, 500);
    return await tallyOf(context, giant, small);
  });
}

async function tenantOf(context: DrillContext, name: string, campaigns: number, each: number): Promise<Tenant> {
  const tenant: Tenant = { context: await addProject(context, name), lists: [], beganAt: [] };
  for (let index = 0; index < campaigns; index += 1)
    tenant.lists.push((await makeList(tenant.context, `${name}x${index}x`, each)).listId);
  return tenant;
}

async function begin({ context: { key, sender }, lists, beganAt }: Tenant, url: string): Promise<void> {
  const line = { key, urls: () => [url] };
  for (const listId of lists) {
    beganAt.push(Date.now());
    const body = campaignTo(listId, sender);
    if (!(await post(line, noCalls(), '/campaigns', body, 30_000))) throw new Error('a campaign was not taken');
  }
}

async function isSent({ context: { deps, project }, lists }: Tenant): Promise<boolean> {
  return (await deps.db.campaigns.countDocuments({ projectId: project._id, status: 'sent' })) === lists.length;
}

async function tallyOf({ deps, sink }: DrillContext, giant: Tenant, small: Tenant[]): Promise<FairnessTally> {
  const all = [giant, ...small];
  const rows = (
    await Promise.all(
      all.map(({ context: { project } }) =>
        deps.db.messages
          .find({ projectId: project._id }, { projection: { state: 1, sentAt: 1, projectId: 1 } })
          .toArray(),
      ),
    )
  ).flat();
  const endOf = ({ context }: Tenant) =>
    Math.max(
      ...rows.filter(({ projectId }) => projectId.equals(context.project._id)).map(({ sentAt }) => Number(sentAt)),
    );
  const rowIds = new Set(rows.map(({ _id }) => _id.toHexString()));
  const campaigns = await Promise.all(all.map(({ context }) => readCampaigns(context, rowIds)));
  const accepted = [...(await sink.ids())];
  const found = check({
    sink: new Map(accepted.map(([messageId, times]) => [messageId.replace(/@.*/, ''), times])),
    rows: rows.map(({ _id, state }) => {
      const id = _id.toHexString();
      return { id, messageId: `<${id}`, state, isDueLater: false };
    }),
    acknowledged: [],
    campaigns: campaigns.flat(),
  });
  const lastSmall = Math.max(...small.map(endOf));
  return {
    found,
    mails: rows.length,
    smallMs: small.map((one) => endOf(one) - one.beganAt[0]!),
    giantMs: endOf(giant) - giant.beganAt[0]!,
    giantAfter: rows.filter(({ sentAt }) => Number(sentAt) > lastSmall).length,
  };
}

/** Everybody got their mail once, and each small campaign ended while the giant was still being sent. */
export function judgeFairness(how: string, size: FairnessSize, tally: FairnessTally): Verdict {
  const { giant, small } = size;
  const { found, mails, smallMs, giantMs, giantAfter } = tally;
  const expected = giant.campaigns * giant.each + small.projects * small.each;
  const faulty = [
    ...broken(found),
    ...(mails === expected && found.sent === expected ? [] : [`${found.sent} of ${expected} mails`]),
    ...(smallMs.length === small.projects ? [] : [`${smallMs.length} of ${small.projects} small campaigns`]),
    ...(how !== 'with fairness' || giantAfter > 0 ? [] : ['the last small campaign ended after the giant']),
  ];
  return verdict(faulty, [
    `${how}: ${giant.campaigns} x ${giant.each} of one project in ${seconds(giantMs)}`,
    `beside ${small.projects} x ${small.each}: to the last mail median ${seconds(quantile(smallMs, 0.5))}, p99 ${seconds(quantile(smallMs, 0.99))}`,
    tell(found),
  ]);
}

/** Among many campaigns of one project a small one ends in half of the time or less. */
export function judgeDifference(without: FairnessTally, fair: FairnessTally): Verdict {
  const [before, after] = [without, fair].map(({ smallMs }) => quantile(smallMs, 0.99)) as [number, number];
  const says = `p99 of a small campaign beside many of one project: ${(before / after).toFixed(1)} times shorter with fairness`;
  return { kept: after * 2 <= before, says };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
