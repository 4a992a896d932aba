/**
 * The audience at a million contacts: MONGODB_URL, REDIS_URL and TEMPORAL_ADDRESS name the servers, a database of its own is
 * made and dropped. node bench/audience.ts [contacts] [rows of the bare bulkWrite]
 */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { loadavg } from 'node:os';
import { Readable } from 'node:stream';
import { ObjectId } from 'mongodb';
import { indexes } from '../platform/mongo.ts';
import { variableName } from '../schemas/config.ts';
import { type Environment, startEnvironment } from '../test/environment.ts';
import { until } from '../test/wait.ts';

const contacts = Number(process.argv[2] ?? 1_000_000);
const bareRows = Number(process.argv[3] ?? Math.min(contacts, 200_000));
const LISTS = 50;
const SUPPRESSED = 50_000;
const ROWS_A_PIECE = 1_000;
const properties = Array.from({ length: 10 }, (_, index) => `p${index}`);

const environment = await startEnvironment({ OPERATION_TIMEOUT_MS: '30000' });
const { deps, own } = environment;
const { client } = own;
const load = () => `load ${loadavg()[0]?.toFixed(1)}`;
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line} (${load()})`);

const rowOf = (index: number) => ({
  email: `p${((index * 7_919) % contacts).toString(36)}x@d${index % 50}.example.com`,
  firstName: `A${index % 97}`,
  lastName: 'Lee',
  values: properties.map((_, column) => (index * (column + 3)) % (10 + column * 7)),
});

const listIds: string[] = [];
for (let index = 0; index < LISTS; index += 1)
  listIds.push((await client.post('/contact-lists', { name: `List ${index}` })).body.data.id);
for (const fieldName of properties.slice(0, 5)) await client.post('/custom-fields', { fieldName, fieldType: 'number' });
for (const [field, operator, value] of [
  ['email', 'contains', '@d7.'],
  ['contactProperties.p3', 'greater_than', 15],
  ['firstName', 'equals', 'a13'],
])
  await client.post('/contact-lists', {
    name: String(field),
    filterCriteria: { groups: [{ field, operator, value }] },
  });

const bareRate = await bareUpserts();
const importRate = await importFile();
say(`import / bare: ${(importRate / bareRate).toFixed(2)} (asked: 0.4)`);
await measureRequests();
await measureExport();
await environment.stop();
process.exit(0);

/** What MongoDB does with the same upserts and the same indexes when nothing else is kept right. */
async function bareUpserts(): Promise<number> {
  const bare = deps.mongo.db(deps.config.mongodbDatabase).collection('bare');
  const same = indexes.filter(({ on }) => on === 'contacts');
  await bare.createIndexes(same.map(({ name, key, options }) => ({ name, key: key as Record<string, 1>, ...options })));
  const projectId = own.project._id;
  const begun = performance.now();
  for (let from = 0; from < bareRows; from += ROWS_A_PIECE) {
    const now = new Date();
    const operations = Array.from({ length: Math.min(ROWS_A_PIECE, bareRows - from) }, (_, offset) => {
      const { email, firstName, lastName, values } = rowOf(from + offset);
      const contactProperties = Object.fromEntries(properties.map((name, column) => [name, values[column]]));
      const listId = new ObjectId(listIds[(from + offset) % LISTS]);
      const set = { firstName, lastName, userId: null, mobile: null, contactProperties, updatedAt: now };
      const update = { $set: { ...set, listIds: [listId], segmentIds: [] }, $setOnInsert: { createdAt: now } };
      return { updateOne: { filter: { projectId, email }, update, upsert: true } };
    });
    await bare.bulkWrite(operations, { ordered: false });
  }
  const rate = (bareRows / (performance.now() - begun)) * 1_000;
  await bare.drop();
  say(`bare unordered bulkWrite of ${bareRows} upserts: ${Math.round(rate)}/s`);
  return rate;
}

/** Over HTTP into a worker of its own process, whose memory is watched. */
async function importFile(): Promise<number> {
  const orchestrator = forkWorker(environment, 'workflows');
  const worker = forkWorker(environment, 'background');
  const sent = performance.now();
  const importId = await upload();
  say(`uploaded in ${((performance.now() - sent) / 1_000).toFixed(1)} s`);
  let rssMax = 0;
  say(`worker before the import: ${rssOf(worker.pid)} MB`);
  let [rowsBefore, timeBefore] = [0, performance.now()];
  const ask = async () => {
    rssMax = Math.max(rssMax, rssOf(worker.pid));
    return (await client.get(`/contacts/imports/${importId}`)).body.data;
  };
  await until(ask, ({ processed }) => processed > 0, { ms: 120_000, everyMs: 20 });
  const begun = performance.now();
  const done = await until(
    async () => {
      const job = await ask();
      if (performance.now() - timeBefore > 15_000) {
        say(
          `  ${job.processed} rows, ${Math.round(((job.processed - rowsBefore) / (performance.now() - timeBefore)) * 1_000)}/s, worker ${rssOf(worker.pid)} MB`,
        );
        [rowsBefore, timeBefore] = [job.processed, performance.now()];
      }
      return job;
    },
    ({ status }) => status.startsWith('completed') || status === 'failed',
    { ms: 3_600_000, everyMs: 200 },
  );
  const rate = (contacts / (performance.now() - begun)) * 1_000;
  say(
    `import of ${contacts} rows into ${LISTS} lists with 3 segments: ${Math.round(rate)}/s, worker at most ${rssMax} MB`,
  );
  say(
    `  ${JSON.stringify({ status: done.status, created: done.created, updated: done.updated, failed: done.failed })}`,
  );
  await measureSegment(worker.pid);
  for (const process of [orchestrator, worker]) {
    process.kill('SIGTERM');
    await new Promise((resolve) => process.once('exit', resolve));
  }
  return rate;
}

function upload(): Promise<string> {
  async function* file() {
    yield `email,firstName,lastName,listIds,${properties.join(',')}\n`;
    for (let from = 0; from < contacts; from += ROWS_A_PIECE) {
      const lines = Array.from({ length: Math.min(ROWS_A_PIECE, contacts - from) }, (_, offset) => {
        const { email, firstName, lastName, values } = rowOf(from + offset);
        return `${email},${firstName},${lastName},${listIds[(from + offset) % LISTS]},${values.join(',')}\n`;
      });
      yield lines.join('');
    }
  }
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${own.projectKey}`, 'Content-Type': 'text/csv' };
    const call = request(`${environment.url}/v1/contacts/import`, { method: 'POST', headers }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      const answer = JSON.parse(text);
      if (answer.success) resolve(answer.data.importId);
      else reject(new Error(text));
    });
    call.on('error', reject);
    Readable.from(file()).pipe(call);
  });
}

async function measureSegment(workerPid: number | undefined): Promise<void> {
  const begun = performance.now();
  const groups = [{ field: 'contactProperties.p1', operator: 'equals', value: 3, fieldType: 'number' }];
  const { id } = (await client.post('/contact-lists', { name: 'Late', filterCriteria: { groups } })).body.data;
  const answered = performance.now() - begun;
  const done = await until(
    async () => (await client.get(`/contact-lists/${id}`)).body.data,
    ({ recompute }) => recompute.status === 'completed',
    { ms: 600_000, everyMs: 100 },
  );
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  say(
    `segment over everybody: answered in ${Math.round(answered)} ms, ${done.contactCount} of ${contacts} in after ${seconds} s, worker ${rssOf(workerPid)} MB`,
  );
}

async function measureRequests(): Promise<void> {
  const letters = (index: number) => rowOf(index * 31).email.slice(1, 4);
  const search = (body: object) => client.post('/contact-lists/contacts/search', body);
  const listOf = (index: number) => listIds[index % LISTS];
  await measure(`search in a list of ${contacts / LISTS}, three letters, page 1 (asked: 150 ms)`, 200, (index) =>
    search({ contactListId: listOf(index), email: letters(index) }),
  );
  await measure('search in the global list, three letters, page 1 (asked: 1,000 ms)', 50, (index) =>
    search({ contactListId: 'GLOBAL_CONTACT_LIST', email: letters(index) }),
  );
  await measure('first page of the global list', 100, () => search({ contactListId: 'GLOBAL_CONTACT_LIST' }));
  const bulk = (index: number, email: (one: number) => string) =>
    client.post('/contact-lists/contacts/bulk-add', {
      contactListId: listOf(index),
      emails: Array.from({ length: 500 }, (_, one) => email(one)),
    });
  await measure('bulk-add of 500 new emails (asked: 500 ms)', 30, (index) =>
    bulk(index, (one) => `new${index}x${one}@example.com`),
  );
  await measure('bulk-add of 500 known emails (asked: 500 ms)', 30, (index) =>
    bulk(index, (one) => rowOf(index * 1_000 + one).email),
  );
  await measure('bulk-update of 100 with four segments (asked: 150 ms)', 100, (index) =>
    client.post('/contacts/bulk-update', {
      contacts: Array.from({ length: 100 }, (_, one) => ({
        email: rowOf(index * 500 + one).email,
        firstName: `A${(index + one) % 97}`,
        contactProperties: { p3: (index + one) % 31, p1: one % 17 },
      })),
    }),
  );
  await measure('upsert of one', 500, (index) =>
    client.post('/contacts/email', { email: rowOf(index * 11).email, contactProperties: { p3: index % 31 } }),
  );
  await measureSuppressions();
}

async function measureSuppressions(): Promise<void> {
  const groupId = (await client.post('/suppression-groups', { name: 'Offers' })).body.data.id;
  const reasons = ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL'];
  const begun = performance.now();
  for (let from = 0; from < SUPPRESSED; from += 10_000) {
    const emails = Array.from({ length: 10_000 }, (_, offset) => rowOf(from + offset).email);
    const turn = (from / 10_000) % 3;
    const target = turn === 0 ? { isGlobal: true } : turn === 1 ? { groupId } : {};
    await client.post('/suppression-groups/emails/suppress', {
      emails,
      reason: reasons[(from / 10_000) % 4],
      ...target,
    });
  }
  say(`suppressed ${SUPPRESSED} in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  const searches = [
    {},
    { reason: 'BOUNCE' },
    { groupId },
    { groupId, reason: 'BOUNCE', page: 50 },
    { isGlobal: true },
    { email: rowOf(5).email },
    { startDate: new Date(Date.now() - 3_600_000).toISOString(), groupId },
  ];
  const entries = (body: object) => client.post('/suppression-groups/entries', body);
  await measure(`suppression search among ${SUPPRESSED}, every filter in turn (asked: 50 ms)`, 300, (index) =>
    entries(searches[index % searches.length] ?? {}),
  );
  await measure(`suppression search by three letters of the address among ${SUPPRESSED}`, 100, (index) =>
    entries({ search: rowOf(index * 31).email.slice(1, 4) }),
  );
}

async function measureExport(): Promise<void> {
  const begun = performance.now();
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${own.projectKey}` };
    request(`${environment.url}/v1/contacts/export`, { headers }, async (response) => {
      for await (const piece of response) bytes += piece.length;
      resolve();
    })
      .on('error', reject)
      .end();
  });
  const seconds = (performance.now() - begun) / 1_000;
  say(
    `export as CSV: ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s, this process ${rssOf(process.pid)} MB`,
  );
}

async function measure(
  name: string,
  times: number,
  call: (index: number) => Promise<{ status: number; text: string }>,
) {
  const durations: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const begun = performance.now();
    const { status, text } = await call(index);
    durations.push(performance.now() - begun);
    if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 300)}`);
  }
  durations.sort((a, b) => a - b);
  const at = (part: number) => Math.round(durations[Math.floor((durations.length - 1) * part)] ?? 0);
  say(`${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms of ${times}`);
}

function forkWorker({ deps: { config } }: Environment, lane: string) {
  const settings = { ...config, workerLanes: [lane], workerPort: 0, logLevel: 'warn' };
  const env = Object.fromEntries(
    Object.entries(settings).map(([field, value]) => [variableName(field), [value].flat().join(',')]),
  );
  // A smaller nursery: with the usual one Node keeps a hundred megabytes of what has long been let go.
  const execArgv = ['--max-semi-space-size=16'];
  return fork(new URL('../workers/main.ts', import.meta.url), { env: { ...process.env, ...env }, execArgv });
}

function rssOf(pid: number | undefined): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1_024);
}
