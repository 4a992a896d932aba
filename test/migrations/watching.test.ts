import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type AccountA, smallAccountA } from '../providers/account-a.ts';
import { smallAccountB } from '../providers/account-b.ts';
import { serverError } from '../providers/faults.ts';
import type { Tenant } from '../support/environment.ts';
import { type Job, job, type Scene, settled, start, tenantWithA, tenantWithB, useScene } from './support.ts';

interface Seen {
  id: number;
  event: string;
  data: Job;
}

describe('A watcher of a migration', function () {
  this.timeout(120_000);
  const scene = useScene();
  let account: AccountA;
  let tenant: Tenant;
  beforeEach(async () => {
    account = smallAccountA();
    tenant = await tenantWithA(scene, account);
  });

  const begin = () => start(tenant, 'providerA', { apiKey: account.key, migrateAll: true });

  async function watch(id: string, lastEventId: number | null, isLast: (seen: Seen) => boolean): Promise<Seen[]> {
    return (await open(`/migrations/${id}/events`, lastEventId)).until(isLast);
  }

  async function open(path: string, lastEventId: number | null = null) {
    const ending = new AbortController();
    const headers = {
      Authorization: `Bearer ${tenant.projectKey}`,
      ...(lastEventId === null ? {} : { 'Last-Event-ID': String(lastEventId) }),
    };
    const response = await fetch(`${scene.env.url}/v1${path}`, { headers, signal: ending.signal });
    expect(response.headers.get('content-type')).contains('text/event-stream');
    const pieces = response.body!.pipeThrough(new TextDecoderStream());
    /** Reads until the event that ends it. */
    const until = async (isLast: (seen: Seen) => boolean): Promise<Seen[]> => {
      const seen: Seen[] = [];
      let text = '';
      for await (const piece of pieces) {
        text += piece;
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        seen.push(...blocks.filter((block) => block.includes('data:')).map(readEvent));
        if (seen.some(isLast)) break;
      }
      ending.abort();
      return seen;
    };
    return { until };
  }

  it('gets the whole job with each change: versions and figures only grow, and the last is what REST answers', async () => {
    const id = await begin();
    const seen = await watch(id, null, ({ event }) => event === 'migration.completed');
    const versions = seen.map((one) => one.id);
    expect(versions).deep.equal(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).equal(versions.length);
    for (const index of [1, 2, 3, 4]) {
      const figures = seen.map(({ data }) => Number(data.phases[index]?.succeeded));
      expect(figures).deep.equal(figures.toSorted((a, b) => a - b));
    }
    expect(seen.at(-1)?.data).deep.equal(await job(tenant, id));
  });

  it('comes back with Last-Event-ID and gets only what is newer', async () => {
    scene.a.faults.push({ on: /exports/, times: 100, act: serverError });
    const id = await begin();
    const first = await watch(id, null, ({ data }) => data.status === 'needs_attention');
    const last = first.at(-1)?.id ?? 0;
    const back = await open(`/migrations/${id}/events`, last);
    scene.a.faults.length = 0;
    expect((await tenant.client.post(`/migrations/${id}/retry`, {})).status).equal(200);
    const rest = await back.until(({ event }) => event === 'migration.completed');
    expect(rest.every((one) => one.id > last)).equal(true);
    expect(rest.at(-1)?.data.status).equal('completed');
  });

  it('hears of it on the stream of the project too: running, progress, then completed with the same figures', async () => {
    const stream = await open('/stream?types=migration.*');
    const id = await begin();
    const seen = await stream.until(({ event }) => event === 'migration.completed');
    const told = seen.map(({ event, data }) => [event, data.data.bulkOperationId]);
    expect(told[0]).deep.equal(['migration.running', id]);
    expect(told.slice(1, -1).every(([event]) => event === 'migration.progress')).equal(true);
    expect(told.length).above(3);
    const last = seen.at(-1)?.data.data;
    const found = await job(tenant, id);
    expect(last.phases.map(({ succeeded }: Job) => succeeded)).deep.equal(
      found.phases.map(({ succeeded }) => succeeded),
    );
  });

  it('never finds the provider key: not in MongoDB, Temporal, Redis, logs or answers, in clear, base64 or hex', async () => {
    const { deps } = scene.env;
    const places = new Map<string, Buffer>();
    const keep = (place: string, bytes: Buffer | string) =>
      places.set(place, Buffer.concat([places.get(place) ?? Buffer.alloc(0), Buffer.from(bytes)]));
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      deps.log[level] = (fields, message) => keep('logs', `${JSON.stringify(fields, errorsToo)} ${message}\n`);
    const redis = new Redis(deps.config.redisUrl);
    await redis.psubscribe('*');
    redis.on('pmessage', (_pattern, channel, message) => keep('Redis', `${channel} ${message}\n`));

    // Runs that hold with their keys still sealed, and are then completed with the keys given again.
    const accountB = smallAccountB();
    const sides = [
      { provider: 'providerA', tenant, key: account.key },
      { provider: 'providerB', tenant: await tenantWithB(scene, accountB), key: accountB.key },
    ] as const;
    scene.a.faults.push({ on: /exports/, times: 100, act: serverError });
    scene.b.faults.push({ on: /topics/, times: 100, act: serverError });
    const held = await Promise.all(
      sides.map(async ({ provider, tenant: whose, key: apiKey }) =>
        settled(whose, await start(whose, provider, { apiKey, migrateAll: true })),
      ),
    );
    expect(held.map(({ status }) => status)).deep.equal(['needs_attention', 'needs_attention']);
    keep('answers', JSON.stringify(held));
    const sealed = await dump(scene);
    expect(held.every(({ id }) => sealed.includes(id))).equal(true);
    keep('MongoDB while they hold', sealed);
    const projectId = { $in: sides.map(({ tenant: { project } }) => project._id) };
    expect(await deps.db.migrationSecrets.countDocuments({ projectId })).equal(2);
    scene.a.faults.length = 0;
    scene.b.faults.length = 0;
    for (const [index, { tenant: whose, key: apiKey }] of sides.entries()) {
      const id = held[index]?.id ?? '';
      keep('answers', (await whose.client.post(`/migrations/${id}/retry`, { apiKey })).text);
      expect((await settled(whose, id)).status).equal('completed');
    }

    keep('MongoDB', await dump(scene));
    expect(await deps.db.migrationSecrets.countDocuments({ projectId })).equal(0);
    const files = process.env.DATA_DIR ? filesUnder(process.env.DATA_DIR) : [];
    for (const file of files) keep('files of the servers', readFileSync(file));
    const written = places.get('files of the servers');
    for (const [index, { tenant: whose }] of sides.entries()) {
      const id = held[index]?.id ?? '';
      const history = await historyOf(scene, whose);
      expect(history.includes(id)).equal(true);
      keep('Temporal', history);
      // With servers of its own the test also reads Temporal's database from the disk.
      if (written) expect(written.includes(id)).equal(true);
    }
    redis.disconnect();

    for (const [place, bytes] of places)
      for (const { provider, key } of sides)
        for (const [form, text] of formsOf(key))
          expect(bytes.includes(text), `the key of ${provider} in ${form} in ${place}`).equal(false);
    // Proves that the search works: the sources themselves received the key.
    expect(scene.a.log.some(({ key }) => key === account.key)).equal(true);
    expect(scene.b.log.some(({ key }) => key === accountB.key)).equal(true);
  });
});

function readEvent(block: string): Seen {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? '';
  return { id: Number(field('id')), event: field('event'), data: JSON.parse(field('data')) };
}

/** In base64 at each of the three places where a group of three bytes may begin. */
function formsOf(key: string): [string, string][] {
  const base64 = [0, 1, 2].map((offset) => {
    const whole = Buffer.from(key.slice(offset)).toString('base64');
    return whole.slice(0, Math.floor((key.length - offset) / 3) * 4);
  });
  return [
    ['clear', key],
    ['hex', Buffer.from(key).toString('hex')],
    ...base64.map((text): [string, string] => ['base64', text]),
    ...base64.map((text): [string, string] => ['base64url', text.replaceAll('+', '-').replaceAll('/', '_')]),
  ];
}

function errorsToo(_name: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value;
}

async function dump({ env: { deps } }: Scene): Promise<Buffer> {
  const database = deps.mongo.db(deps.config.mongodbDatabase);
  const pieces: Buffer[] = [];
  for (const { collectionName } of await database.collections()) {
    for await (const raw of database.collection(collectionName).find({}, { raw: true })) {
      pieces.push(raw as unknown as Buffer);
    }
    for await (const document of database.collection(collectionName).find())
      pieces.push(Buffer.from(JSON.stringify(document)));
  }
  return Buffer.concat(pieces);
}

async function historyOf({ env: { deps } }: Scene, { project }: Tenant): Promise<Buffer> {
  const { temporalAddress: address, temporalNamespace: namespace, taskQueuePrefix } = deps.config;
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection, namespace });
  const handle = workflow.getHandle(`${taskQueuePrefix}-migration-${project._id.toHexString()}`);
  const history = await handle.fetchHistory();
  const { raw } = await handle.describe();
  await connection.close();
  return Buffer.concat([...bytesIn(history), ...bytesIn(raw)]);
}

/** Every text and every payload, however deep. */
function bytesIn(value: unknown): Buffer[] {
  if (typeof value === 'string') return [Buffer.from(`${value}\n`)];
  if (value instanceof Uint8Array) return [Buffer.from(value)];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(bytesIn);
}

/** Of the servers that belong to this run of the tests alone. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => /temporal|redis|rdb|aof/i.test(file) && statSync(file).isFile());
}
