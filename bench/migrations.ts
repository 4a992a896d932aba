/**
 * How fast migrations go, with both source providers in a process of their own: MONGODB_URL, REDIS_URL and TEMPORAL_ADDRESS name
 * the servers. `node bench/migrations.ts a [contacts]` (100,000) or `b [contacts]` (10,000).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEnvironment } from '../test/environment.ts';
import type { Arrival } from '../test/providers/stand-in.ts';
import { startWorkers } from '../workers/start.ts';

interface Standing {
  environment: Record<string, string>;
  keyA: string;
  keyB: string;
}

const SLOT_MS = 550;
const PAGE = 100;
const [which = 'a', given] = process.argv.slice(2);
const contacts = Number(given ?? (which === 'a' ? 100_000 : 10_000));

const providers = fork(join(import.meta.dirname, '../test/providers/main.ts'), [String(contacts), 'bare']);
const [standing] = (await once(providers, 'message')) as [Standing];
const env = await startEnvironment(standing.environment);
const workers = startWorkers(env.deps, ['workflows', 'background']);
await workers.ready;

const provider = which === 'a' ? 'providerA' : 'providerB';
const apiKey = which === 'a' ? standing.keyA : standing.keyB;
const { body } = await env.own.client.post(`/migrations/${provider}/migrate`, { apiKey, migrateAll: true });
const path = `/migrations/${body.data.bulkOperationId}`;

const memory: { done: number; rssMb: number }[] = [];
let job = (await env.own.client.get(path)).body.data;
while (['queued', 'running'].includes(job.status)) {
  await sleep(200);
  job = (await env.own.client.get(path)).body.data;
  const phase = job.phases.find(({ name }: { name: string }) => name === 'contacts');
  memory.push({ done: phase.succeeded, rssMb: Math.round(process.memoryUsage().rss / 1e6) });
}
const phase = job.phases.find(({ name }: { name: string }) => name === 'contacts');
const seconds = (Date.parse(phase.completedAt) - Date.parse(phase.startedAt)) / 1000;
const stored = await env.deps.db.contacts.countDocuments({ projectId: env.own.project._id });
const early = memory.filter(({ done }) => done > contacts / 10)[0]?.rssMb ?? 0;
const most = Math.max(...memory.map(({ rssMb }) => rssMb));

console.log({ status: job.status, contacts, stored, seconds, perSecond: Math.round(stored / seconds) });
console.log(`memory of API and workers together: ${early} MB after a tenth, ${most} MB at most`);
if (which === 'b') {
  providers.send('log');
  const [{ log }] = (await once(providers, 'message')) as [{ log: Arrival[] }];
  const walk = log.filter(({ url }) => url.startsWith('/contacts'));
  const leastMs = Math.ceil(contacts / PAGE) * SLOT_MS;
  const tookMs = (log.at(-1)?.at ?? 0) - (log[0]?.at ?? 0);
  const walkMs = (walk.at(-1)?.at ?? 0) - (walk[0]?.at ?? 0);
  const inASecond = log.map(({ at }) => log.filter((one) => one.at >= at && one.at < at + 1_000).length);
  const round = (ms: number) => Math.round(ms / 100) / 10;
  console.log({
    requests: log.length,
    fewest: Math.ceil(contacts / PAGE),
    wholeJobSeconds: round(tookMs),
    contactsSeconds: round(walkMs),
    fewestSeconds: round(leastMs),
    ratioOfWholeJob: Math.round((tookMs / leastMs) * 1000) / 1000,
    mostInASecond: Math.max(...inASecond),
  });
}
await workers.stop();
await env.stop();
providers.disconnect();
