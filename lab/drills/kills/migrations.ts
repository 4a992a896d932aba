import { ObjectId } from 'mongodb';
import { normalizeEmail } from '../../../core/base/text/addresses.ts';
import type { Migration, MigrationPhaseName, MigrationProvider } from '../../../core/migrations/model.ts';
import { isOver } from '../../../core/migrations/rules/phase-order.ts';
import { isLive } from '../../../core/migrations/rules/status.ts';
import { withCounts } from '../../../core/people/changes/counts.ts';
import { sampleAccountA } from '../../../test/providers/account-a.ts';
import { sampleAccountB } from '../../../test/providers/account-b.ts';
import type { Fault } from '../../../test/providers/faults.ts';
import { startProviderA } from '../../../test/providers/provider-a.ts';
import { startProviderB } from '../../../test/providers/provider-b.ts';
import { type DrillContext, openDrill } from '../../rig/context.ts';
import type { Verdict } from '../../rig/results/drill-results.ts';
import { call } from '../../rig/traffic/calls.ts';
import { pause } from '../../rig/waiting.ts';

interface MigrationKills {
  provider: MigrationProvider;
  contacts: number;
}

interface MigrationTally {
  status: string;
  /** The phase of the worker at each kill -9. */
  kills: string[];
  source: Figures;
  target: Figures;
  /** More requests to provider B in a second than it allows. */
  mostInASecond: number;
}

interface Figures {
  contacts: number;
  memberships: number;
  suppressions: number;
  templates: number;
}

const KILLED_AFTER_MS_MAX = 30;
const WITHIN_MS = 300_000;
const POLL_MS = 5;

/** The request to the provider at which the worker is killed. The last phase of provider B asks for nothing. */
const moments: Record<MigrationProvider, Array<{ phase: MigrationPhaseName; on: RegExp | null; skip?: number }>> = {
  providerA: [
    { phase: 'customFields', on: /scopes/ },
    { phase: 'templates', on: /templates\/d-/, skip: 1 },
    { phase: 'unsubscribeGroups', on: /groups\/\d+\/suppressions/, skip: 1 },
    { phase: 'contactLists', on: /marketing\/lists/ },
    { phase: 'contacts', on: /contacts\/exports$/ },
    { phase: 'contacts', on: /part-0/ },
    { phase: 'contacts', on: /contacts\/exports$/ },
  ],
  providerB: [
    { phase: 'customFields', on: /templates/ },
    { phase: 'templates', on: /templates\/./, skip: 1 },
    { phase: 'audiences', on: /segments/ },
    { phase: 'contacts', on: /contacts\?.*after/, skip: 1 },
    { phase: 'contacts', on: /segments\/.*\/contacts/ },
    { phase: 'topics', on: /topics/ },
    { phase: 'unsubscribed', on: null },
  ],
};

/** The worker is killed in each phase of one migration, another worker resumes; the target must equal the source, nothing twice. */
async function migrationKills(env: NodeJS.ProcessEnv, { provider, contacts }: MigrationKills): Promise<MigrationTally> {
  const accountA = sampleAccountA('http://cdn.example.com', contacts);
  const accountB = sampleAccountB({ ratePerSecond: 2 }, contacts);
  accountB.templates = accountB.templates.slice(0, 5);
  accountB.topics = accountB.topics.slice(0, 5);
  const [a, b] = await Promise.all([startProviderA([accountA]), startProviderB([accountB])]);
  const urls = { PROVIDER_A_URL: a.url, PROVIDER_B_URL: b.url, ALLOW_PRIVATE_URLS: new URL(a.files.url).host };
  const drill = await openDrill({ ...env, ...urls });
  try {
    const { url } = await drill.startApi();
    const apiKey = provider === 'providerA' ? accountA.key : accountB.key;
    const { data } = await call(drill, `${url}/migrations/${provider}/migrate`, { apiKey, migrateAll: true });
    const job = { _id: new ObjectId(data.bulkOperationId), projectId: drill.project._id };
    const faults = provider === 'providerA' ? [a.faults, a.files.faults] : [b.faults];
    const kills: string[] = [];
    for (const moment of moments[provider]) kills.push(await killAt(drill, job, moment, faults));
    await drill.startWorker({ WORKER_LANES: 'workflows,background' });
    const migration = await until(drill, job, ({ status }) => !isLive(status) || status === 'needs_attention');
    const times = b.log.map(({ at }) => at);
    return {
      status: migration.status,
      kills,
      source: provider === 'providerA' ? figuresOfA(accountA) : figuresOfB(accountB),
      target: await figuresOf(drill),
      mostInASecond: Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length)),
    };
  } finally {
    await drill.close();
    await Promise.all([a.stop(), b.stop()]);
  }
}

type Job = Pick<Migration, '_id' | 'projectId'>;

async function killAt(
  drill: DrillContext,
  job: Job,
  { phase, on, skip = 0 }: (typeof moments)[MigrationProvider][number],
  faults: Fault[][],
): Promise<string> {
  let isAsked = false;
  const ask = () => {
    isAsked = true;
  };
  if (on) for (const list of faults) list.push({ on, skip, act: { kind: 'meanwhile', run: ask } });
  const worker = await drill.startWorker({ WORKER_LANES: 'workflows,background' });
  await until(drill, job, ({ phases }) => {
    const found = phases.find(({ name }) => name === phase);
    return isAsked || (found !== undefined && (on ? isOver(found) : found.status !== 'pending'));
  });
  await pause(Math.random() * KILLED_AFTER_MS_MAX);
  worker.kill('SIGKILL');
  await worker.exited;
  for (const list of faults) list.length = 0;
  const { phases } = await until(drill, job, () => true);
  const found = phases.find(({ name }) => name === phase);
  return `${phase} (${found?.status}, ${found?.succeeded ?? 0})`;
}

async function until(drill: DrillContext, job: Job, isSo: (found: Migration) => boolean): Promise<Migration> {
  const giveUpAt = performance.now() + WITHIN_MS;
  for (;;) {
    const found = await drill.deps.db.migrations.findOne(job);
    if (found && isSo(found)) return found;
    if (performance.now() > giveUpAt)
      throw new Error(`the migration stays ${found?.status} in ${found?.phase}: ${JSON.stringify(found?.phases)}`);
    await pause(POLL_MS);
  }
}

async function figuresOf({ deps, project }: DrillContext): Promise<Figures> {
  const { db } = deps;
  const projectId = project._id;
  const lists = await withCounts(deps, projectId, await db.contactLists.find({ projectId, type: 'list' }).toArray());
  return {
    contacts: await db.contacts.countDocuments({ projectId }),
    memberships: lists.reduce((sum, { contactCount }) => sum + contactCount, 0),
    suppressions: await db.suppressions.countDocuments({ projectId }),
    templates: await db.templates.countDocuments({ projectId }),
  };
}

/** An address has one entry in each group: of the account's lists, unsubscribes have one, and all others share the global one. */
function figuresOfA({ contacts, groups, suppressions, templates }: ReturnType<typeof sampleAccountA>): Figures {
  const { unsubscribes, bounces, invalid_emails: invalid, spam_reports: complaints } = suppressions;
  const written = [...groups.map(({ emails }) => emails), addresses(unsubscribes)];
  return {
    contacts: contacts.length,
    memberships: contacts.reduce((sum, { listIds }) => sum + listIds.length, 0),
    suppressions: [...written, addresses([...bounces, ...invalid, ...complaints])].flat().length,
    templates: templates.filter(({ versions }) => versions.some(({ active }) => active === 1)).length,
  };
}

function addresses(listed: readonly { email: string }[]): string[] {
  return [...new Set(listed.flatMap(({ email }) => normalizeEmail(email) ?? []))];
}

function figuresOfB({ contacts, templates }: ReturnType<typeof sampleAccountB>): Figures {
  return {
    contacts: contacts.length,
    memberships: contacts.reduce((sum, { segmentIds }) => sum + segmentIds.length, 0),
    suppressions: contacts.filter(({ unsubscribed }) => unsubscribed).length,
    templates: templates.filter(({ html }) => html !== null).length,
  };
}

/** Nothing missing and nothing twice, whichever phase the worker died in. */
export async function* migrationDrill(env: NodeJS.ProcessEnv): AsyncGenerator<Verdict> {
  // Both at once: most of it is waiting for leases, and for the pace of provider B.
  const killed = (['providerA', 'providerB'] as const).map(async (provider) => ({
    provider,
    ...(await migrationKills(env, { provider, contacts: 600 })),
  }));
  for (const { provider, status, kills, source, target, mostInASecond } of await Promise.all(killed)) {
    const isEqual = JSON.stringify(source) === JSON.stringify(target);
    yield {
      kept: isEqual && mostInASecond <= 2 && status.startsWith('completed'),
      says: `${provider}: ${status}, killed in ${kills.join(', ')}; source ${JSON.stringify(source)}, target ${JSON.stringify(target)}, at most ${mostInASecond} requests to provider B in a second`,
    };
  }
}
