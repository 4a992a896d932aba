import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import Koa from 'koa';
import { ObjectId } from 'mongodb';
import { EventStream, type ServerEvent } from '../../api/http/endpoint.ts';
import { createEventStreams } from '../../api/http/streams/event-streams.ts';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { createSessionAuthenticator } from '../../core/accounts/sessions.ts';
import { publishEvents } from '../../core/events/events.ts';
import { createStreamSlots, STREAMS_PER_KEY_MAX } from '../../platform/redis/stream-slots.ts';
import { eventExamples } from '../../schemas/examples/events.ts';
import { type Environment, startEnvironment, type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

/** Opens no connection before it is needed, as fetch does: a server that stops would wait for it. */
const agent = new Agent({ keepAlive: true });
const ENDED_MS_MAX = 5_000;
/** Connections that are left when a server stops are cut after six seconds. */
const STOPPED_MS_MAX = 4_000;
const TICK_MS = 50;

/** In time of this process, whose timers are those of the product: while a busy machine holds it up, nothing can end. */
function startWatch(): () => number {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    return ticks * TICK_MS;
  };
}

interface Told {
  event: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: events of every type.
  data: any;
}

describe('Open streams', () => {
  const environment = useEnvironment({}, { stalledMs: 2_000 });
  before(async () => {
    await until(async () => environment.deps.signals.isUp(), Boolean);
  });

  /** The three kinds, of one project. */
  async function pathsOf({ client }: Pick<Tenant, 'client'>): Promise<string[]> {
    const campaign = await client.post('/campaigns', {
      name: 'Watched',
      subject: 'Watched',
      htmlTemplate: '<p>Hello</p>',
      senderEmail: 'a@example.com',
      publish: false,
    });
    expect(campaign.status, campaign.text).to.equal(200);
    const migration = await client.post('/migrations/providerA/migrate', { apiKey: 'SG.nothing', migrateAll: true });
    expect(migration.status, migration.text).to.be.within(200, 202);
    return [
      '/stream',
      `/campaigns/${campaign.body.data.id}/events`,
      `/migrations/${migration.body.data.bulkOperationId}/events`,
    ];
  }

  async function newKey(
    { deps }: Environment,
    { organization, project }: Tenant,
  ): Promise<{ id: string; key: string }> {
    const of = { organizationId: organization._id, projectId: project._id };
    const { apiKey, key } = await createApiKey(deps, { ...of, name: 'streams' });
    return { id: apiKey._id.toHexString(), key };
  }

  const revoke = (at: Environment, tenant: Tenant, id: string) =>
    at.client(tenant.adminKey).delete(`/account/api-keys/${id}`);

  function expectClosed(streams: Stream[], reason: string): void {
    for (const { path, told } of streams) {
      expect(told.at(-1), path).to.deep.include({ event: 'closed' });
      expect(told.at(-1)?.data.reason, path).to.equal(reason);
      expect(told.at(-1)?.data.message, path).to.be.a('string').that.is.not.empty;
    }
  }

  async function expectEnd(streams: Stream[], reason: string): Promise<void> {
    const passedMs = startWatch();
    await Promise.race([Promise.all(streams.map(({ ended }) => ended)), sleep(4 * ENDED_MS_MAX, null, { ref: false })]);
    expect(passedMs()).to.be.below(ENDED_MS_MAX);
    expectClosed(streams, reason);
  }

  it('end within five seconds when their key is revoked, each with a last event that says so', async () => {
    const { id, key } = await newKey(environment, environment.own);
    const paths = await pathsOf(environment.own);
    const streams = await Promise.all(paths.map((path) => open(environment, key, path)));
    const others = await Promise.all(paths.map((path) => open(environment, environment.own.projectKey, path)));
    expect((await revoke(environment, environment.own, id)).status).to.equal(200);
    await expectEnd(streams, 'key_revoked');
    expect(others.every(({ isOpen }) => isOpen())).to.equal(true);
    await Promise.all(others.map((stream) => stream.close()));
  });

  it('end within five seconds without Redis, when another process revoked the key', async () => {
    const [one, two] = await twoProcesses({ REDIS_URL: 'redis://127.0.0.1:9' });
    try {
      const { id, key } = await newKey(one, one.own);
      const stream = await open(one, key, '/stream');
      expect((await revoke(two, one.own, id)).status).to.equal(200);
      await expectEnd([stream], 'key_revoked');
    } finally {
      await two.stop();
      await one.stop();
    }
  });

  it('end within five seconds when their project is deleted, also those of an admin key', async () => {
    const tenant = await environment.newTenant('Deleted');
    const paths = await pathsOf(tenant);
    const admin = { 'x-project-id': tenant.project._id.toHexString() };
    const streams = [
      ...(await Promise.all(paths.map((path) => open(environment, tenant.projectKey, path)))),
      ...(await Promise.all(paths.map((path) => open(environment, tenant.adminKey, path, admin)))),
    ];
    const gone = await environment.client(tenant.adminKey).delete(`/account/projects/${tenant.project._id}`);
    expect(gone.status).to.equal(200);
    await expectEnd(streams, 'project_deleted');
  });

  it('a reader that takes nothing is cut off, and finds why when it reads on; a revoked key does not wait for that', async () => {
    const tenant = await environment.newTenant('Slow');
    const { id, key } = await newKey(environment, tenant);
    const served = new Map<number | undefined, Socket>();
    environment.app.server.on('connection', (socket: Socket) => served.set(socket.remotePort, socket));
    const [slow, slower] = [await openUnread(environment, key), await openUnread(environment, key)];
    const there = served.get(slower.localPort);
    expect(there?.destroyed).to.equal(false);
    await flood(environment, tenant);
    const isFull = ({ localPort }: Socket) => served.get(localPort)?.writableNeedDrain === true;
    await until(async () => isFull(slow) && isFull(slower), Boolean);
    // The server looks each second, and gives a reader two.
    await sleep(4_000);
    const said = new Promise<string>((resolve) => {
      let text = '';
      slow.on('data', (piece) => {
        text = (text + piece).slice(-2_000);
      });
      slow.once('close', () => resolve(text));
      slow.resume();
    });
    expect(await said).to.match(/event: closed\ndata: \{"reason":"too_far_behind".*\n\n/);
    await revoke(environment, tenant, id);
    await until(async () => there?.destroyed, Boolean, { ms: 15_000 });
    slower.destroy();
  });

  it('a later check of a reader that takes nothing does not put off the end that an earlier one set', async () => {
    const { deps, own } = environment;
    const { apiKey, key } = await createApiKey(deps, {
      ...{ organizationId: own.organization._id, projectId: own.project._id },
      name: 'slowly revoked',
    });
    const answersMs = [400, 300, 200, 100];
    let checks = 0;
    const check = () => {
      checks += 1;
      return sleep(answersMs.shift() ?? 0, null);
    };
    const authenticate = Object.assign(check, { stop() {} });
    const authenticateSession = createSessionAuthenticator(deps);
    const slots = createStreamSlots(null, 'test');
    const streams = createEventStreams(deps, { authenticate, authenticateSession, slots });
    async function* endless(): AsyncGenerator<ServerEvent> {
      for (;;) yield { data: 'x'.repeat(200_000) };
    }
    const koa = new Koa();
    koa.silent = true;
    const { project } = own;
    const caller = { kind: 'key', name: apiKey.shortId, tenant: project._id, project, key, apiKey } as const;
    koa.use((context) => streams.serve(context, new EventStream(endless()), caller));
    const server = koa.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const served = once(server, 'connection');
    const reader = await openUnread({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, key);
    const [there] = (await served) as [Socket];
    await until(async () => there.destroyed, Boolean, { ms: 20_000 });
    // The second check comes a second after the first, and the end soon after; put off by each, it would come after the fifth.
    expect(checks).to.be.at.most(3);
    reader.destroy();
    streams.stop();
    authenticateSession.stop();
    server.close();
  });

  it('a reader of few types passes thousands of other events without a wait between', async () => {
    const { deps } = environment;
    const { project, projectKey } = await environment.newTenant('Few types');
    const projectId = project._id;
    const since = deps.clock.now();
    const { data: contact } = eventExamples.ContactCreatedEvent as { data: Record<string, unknown> };
    const rowOf = (type: string, data: Record<string, unknown>) => {
      return { _id: new ObjectId(), projectId, type, createdAt: since, writtenAt: deps.clock.now(), data };
    };
    await deps.db.projectEvents.insertMany(
      Array.from({ length: 6_000 }, () => rowOf('contact.deleted', { id: contact.id })),
    );
    await deps.db.projectEvents.insertOne(rowOf('contact.created', contact));
    const from = { 'Last-Event-ID': `since-${since.getTime()}` };
    const passedMs = startWatch();
    const stream = await open(environment, projectKey, '/stream?types=contact.created', from);
    await until(
      async () => stream.told.length,
      (found) => found === 1,
    );
    // Twelve reads, with waits between them six seconds.
    expect(passedMs()).to.be.below(4_000);
    expect(stream.told.map(({ data }) => data.type)).to.deep.equal(['contact.created']);
    await stream.close();
  });

  it('end when their server stops, with a last event that says so, and it does not wait for their connections', async () => {
    const [one, two] = await twoProcesses();
    try {
      const stream = await open(two, one.own.projectKey, '/stream');
      const stopped = two.stop();
      const passedMs = startWatch();
      await expectEnd([stream], 'server_stopping');
      await stopped;
      expect(passedMs()).to.be.below(STOPPED_MS_MAX);
    } finally {
      await one.stop();
    }
  });

  it('a key may have twenty, over all processes; the next is 429 with Retry-After until one is closed', async () => {
    const [one, two] = await twoProcesses();
    try {
      const { key } = await newKey(one, one.own);
      const streams = await Promise.all(
        Array.from({ length: STREAMS_PER_KEY_MAX }, (_, index) => open(index % 2 ? one : two, key, '/stream')),
      );
      for (const at of [one, two]) {
        // The body of a stream that opens has no end, so the status is compared before it is read.
        const refused = await fetch(`${at.url}/v1/stream`, { headers: { Authorization: `Bearer ${key}` } });
        expect(refused.status).to.equal(429);
        expect(refused.headers.get('retry-after')).to.equal('5');
        const { error } = (await refused.json()) as { error: Record<string, string> };
        expect(error.code).to.equal('RATE_LIMIT_EXCEEDED');
        expect(error.message).to.contain('20');
        await (await open(at, one.own.projectKey, '/stream')).close();
      }
      await streams[0]?.close();
      const next = await until(
        () => open(one, key, '/stream').catch((error: Error) => error.message),
        (opened) => typeof opened !== 'string',
      );
      await Promise.all([...streams, next as Stream].map((stream) => stream.close()));
    } finally {
      await two.stop();
      await one.stop();
    }
  });

  it('twenty of fifty that come at once are opened, and callers that go away at once hold no slot', async () => {
    const { key } = await newKey(environment, environment.own);
    const tried = await Promise.allSettled(Array.from({ length: 50 }, () => open(environment, key, '/stream')));
    const opened = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(opened).to.have.length(STREAMS_PER_KEY_MAX);
    await Promise.all(opened.map((stream) => stream.close()));
    for (let i = 0; i < 50; i += 1) (await sendHead(environment, key)).destroy();
    await until(
      async () => {
        const all = await Promise.allSettled(
          Array.from({ length: STREAMS_PER_KEY_MAX }, () => open(environment, key, '/stream')),
        );
        const streams = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
        await Promise.all(streams.map((stream) => stream.close()));
        return streams.length;
      },
      (count) => count === STREAMS_PER_KEY_MAX,
    );
  });

  it('the slots of a killed process are free when its lease is over; without Redis each process counts for itself', async () => {
    const redis = new Redis(environment.deps.config.redisUrl);
    await once(redis, 'ready');
    const name = environment.deps.config.mongodbDatabase;
    const [killed, lives, alone] = [
      createStreamSlots(redis, name, 3_000),
      createStreamSlots(redis, name, 600),
      createStreamSlots(null, name, 600),
    ];
    const leases = async () => (await redis.zrange(`${name}:streams:key`, '0', '-1', 'WITHSCORES')).map(Number);
    try {
      const take = (slots: typeof lives) =>
        Promise.all(Array.from({ length: STREAMS_PER_KEY_MAX }, () => slots.take('key')));
      expect((await take(killed)).every(Boolean)).to.equal(true);
      const end = Math.max(...(await leases()).filter(Number.isFinite));
      await until(leases, (found) => found.filter((time) => time > end).length === STREAMS_PER_KEY_MAX);
      expect((await take(lives)).some(Boolean), 'while the other lives').to.equal(false);
      expect((await take(alone)).every(Boolean)).to.equal(true);
      expect(await alone.take('key')).to.equal(null);
      // A killed process renews nothing any more, and frees nothing.
      killed.stop();
      const freed = await until(() => lives.take('key'), Boolean, { ms: 20_000 });
      freed?.();
    } finally {
      for (const slots of [killed, lives, alone]) slots.stop();
      redis.disconnect();
    }
  });
});

interface Stream {
  path: string;
  told: Told[];
  ended: Promise<unknown>;
  isOpen(): boolean;
  close(): Promise<unknown>;
}

/** On one database; the first one has the tenants and drops it at its end. */
async function twoProcesses(env: Record<string, string> = {}): Promise<[Environment, Environment]> {
  const one = await startEnvironment(env);
  const two = await startEnvironment({ ...env, MONGODB_DATABASE: one.deps.config.mongodbDatabase });
  if (!env.REDIS_URL) await until(async () => one.deps.signals.isUp() && two.deps.signals.isUp(), Boolean);
  return [one, two];
}

async function open(
  { url }: Environment,
  key: string,
  path: string,
  more: Record<string, string> = {},
): Promise<Stream> {
  const request = get(`${url}/v1${path}`, { agent, headers: { Authorization: `Bearer ${key}`, ...more } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${await text(response)}`);
  const told: Told[] = [];
  let isOpen = true;
  const ended = read(response, told)
    .catch(() => undefined)
    .finally(() => {
      isOpen = false;
    });
  const close = () => {
    request.destroy();
    return ended;
  };
  return { path, told, ended, isOpen: () => isOpen, close };
}

async function read(response: IncomingMessage, told: Told[]): Promise<void> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) {
    const blocks = (text + piece).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (data !== undefined) told.push({ event: /^event: ?(.*)$/m.exec(block)?.[1], data: JSON.parse(data) });
    }
  }
}

async function sendHead({ url }: Pick<Environment, 'url'>, key: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET /v1/stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** A stream whose reader takes its first words and then nothing. */
async function openUnread(environment: Pick<Environment, 'url'>, key: string): Promise<Socket> {
  const socket = await sendHead(environment, key);
  await once(socket, 'data');
  return socket.pause();
}

/** More than the systems on both sides keep for a connection. */
async function flood({ deps }: Environment, { project }: Tenant): Promise<void> {
  const { data: contact } = eventExamples.ContactCreatedEvent as { data: Record<string, unknown> };
  const text = 'x'.repeat(200_000);
  for (let batch = 0; batch < 10; batch += 1) {
    const keys = Array.from({ length: 10 }, (_, index) => `${batch} ${index}`);
    const events = keys.map((key) => ({ type: 'contact.created' as const, key, data: { ...contact, lastName: text } }));
    await publishEvents(deps, project._id, events);
  }
}
