import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Arrival } from '../../test/providers/stand-in.ts';
import { type Environment, startEnvironment, type Tenant } from '../../test/support/environment.ts';
import { startWorkers } from '../../workers/start.ts';
import { type Figure, figure } from '../rig/results/report.ts';
import { inLanes } from '../rig/waiting.ts';
import { chosen, inRounds, keep, rateOf, sizeOr } from './run.ts';

/**
 * How fast migrations go, with both source providers in a process of their own and API and workers in this one:
 * `npm run bench -- migrations a` (100,000 contacts, from an export) or `b` (10,000, page by page at its pace).
 */
const [[which, measure] = ['a', measureA]] = chosen({ a: measureA, b: measureB }, ['a']);
const contacts = sizeOr(which === 'a' ? 100_000 : 10_000);

/** Provider B's limit. */
const REQUESTS_PER_SECOND = 2;
const PAGE = 100;
const BATCH = 500;
const LANES = 3;

interface Standing {
  environment: Record<string, string>;
  keyA: string;
  keyB: string;
}

const providers = fork(join(import.meta.dirname, '../../test/providers/main.ts'), [String(contacts), 'bare']);
const [standing] = (await once(providers, 'message')) as [Standing];
const env = await startEnvironment(standing.environment);
const workers = startWorkers(env.deps, ['workflows', 'background']);
await workers.ready;
const figures = await measure();
await workers.stop();
await env.stop();
providers.disconnect();
keep('migrations', figures);

async function measureA(): Promise<Figure[]> {
  const found = await inRounds(3, async (round) => {
    const tenant = await env.newTenant(`round ${round}`);
    const bare = await bareInserts(env, tenant);
    const { seconds, memory } = await migrate(tenant, 'providerA', standing.keyA);
    const early = memory.find(({ done }) => done > contacts / 10)?.rssMb ?? Number.NaN;
    return { bare, rates: contacts / seconds, early, most: Math.max(...memory.map(({ rssMb }) => rssMb)) };
  });
  return [
    figure(`provider A: ${contacts} contacts from an export`, '/s', found.rates, {
      ceiling: { name: 'the same by insertMany into a collection without indexes', values: found.bare },
      asked: { atLeast: 5_000 },
      note: 'the whole phase, the waiting for the export included',
    }),
    figure('provider A: memory of API and workers in one process, at most', 'MB', found.most, {
      ceiling: { name: 'after a tenth', values: found.early },
      asked: { of: 'ratio', atMost: 1.25 },
    }),
  ];
}

async function measureB(): Promise<Figure[]> {
  await migrate(await env.newTenant('round 0'), 'providerB', standing.keyB);
  const times = (await requests()).map(({ at }) => at);
  const took = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  const least = Math.ceil(contacts / PAGE) / REQUESTS_PER_SECOND;
  const most = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
  return [
    figure(`provider B: a whole migration of ${contacts} contacts without mappings`, 's', [took], {
      ceiling: { name: `its ${Math.ceil(contacts / PAGE)} pages at ${REQUESTS_PER_SECOND} a second`, values: [least] },
      asked: { of: 'ratio', atMost: 1.2 },
      note: 'from the first request to the last, requests every 550 ms',
    }),
    figure('provider B: requests in any second', '', [most], { asked: { atMost: REQUESTS_PER_SECOND } }),
  ];
}

async function migrate({ client }: Tenant, provider: 'providerA' | 'providerB', apiKey: string) {
  const { body } = await client.post(`/migrations/${provider}/migrate`, { apiKey, migrateAll: true });
  const path = `/migrations/${body.data.bulkOperationId}`;
  const memory: { done: number; rssMb: number }[] = [];
  for (;;) {
    await sleep(200);
    const job = (await client.get(path)).body.data;
    const phase = job.phases.find(({ name }: { name: string }) => name === 'contacts');
    memory.push({ done: phase.succeeded, rssMb: Math.round(process.memoryUsage().rss / 1e6) });
    if (['queued', 'running'].includes(job.status)) continue;
    if (job.status !== 'completed' || phase.succeeded !== contacts)
      throw new Error(`The migration is ${job.status} with ${phase.succeeded} contacts.`);
    return { seconds: (Date.parse(phase.completedAt) - Date.parse(phase.startedAt)) / 1_000, memory };
  }
}

/** Rows as large as contacts, as many a call and side by side, and as durable. */
async function bareInserts({ deps }: Environment, { project }: Tenant): Promise<number> {
  const collection = deps.mongo.db(deps.config.mongodbDatabase).collection('bare');
  const at = new Date();
  const row = (index: number) => ({
    projectId: project._id,
    email: `person${index}@example.com`,
    firstName: `First${index}`,
    lastName: `Last${index}`,
    ...{ userId: null, mobile: null, contactProperties: {}, listIds: [], segmentIds: [], createdAt: at, updatedAt: at },
  });
  const rate = await rateOf(contacts, () =>
    inLanes(LANES, Math.ceil(contacts / BATCH), async (batch) => {
      const from = batch * BATCH;
      const rows = Array.from({ length: Math.min(BATCH, contacts - from) }, (_, index) => row(from + index));
      await collection.insertMany(rows, { writeConcern: { w: 'majority', journal: true } });
    }),
  );
  await collection.drop();
  return rate;
}

async function requests(): Promise<Arrival[]> {
  providers.send('log');
  const [{ log }] = (await once(providers, 'message')) as [{ log: Arrival[] }];
  return log;
}
