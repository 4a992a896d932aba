// Promise: nothing is lost.
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { publishEvent, publishEvents } from '../../core/events/events.ts';
import { webhookDeliveries } from '../../core/events/webhook-deliveries.ts';
import { type RunningQueues, startQueues } from '../../core/jobs/queue.ts';
import { createPoster } from '../../platform/fetch/webhook-poster.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { type Environment, startEnvironment, type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';

describe('Webhooks', () => {
  let environment: Environment;
  let receiver: Receiver;
  let elsewhere: Receiver;
  let loop: RunningQueues;
  before(async () => {
    const [port, other] = [await anyFreePort(), await anyFreePort()];
    receiver = await startReceiver(port);
    elsewhere = await startReceiver(other);
    environment = await startEnvironment({ ALLOW_PRIVATE_URLS: `127.0.0.1:${port},127.0.0.1:${other}` });
    const { deps } = environment;
    loop = startQueues(deps, [webhookDeliveries(deps, createPoster(deps.config))]);
    await loop.ready;
  });
  after(async () => {
    await loop.stop();
    await Promise.all([receiver.stop(), elsewhere.stop(), environment.stop()]);
  });
  beforeEach(() => {
    receiver.answer = { status: 200 };
  });

  async function newHook(tenant: Tenant, events: string[]) {
    const made = await tenant.client.post('/webhooks', { url: receiver.urlOf(tenant), events });
    expect(made.status, made.text).to.equal(201);
    return made.body.data as { id: string; secret: string };
  }

  const received = (...tenants: Tenant[]) => receiver.receivedBy(...tenants);
  const deliveries = async (tenant: Tenant, id: string) =>
    (await tenant.client.get(`/webhooks/${id}/deliveries?limit=100`)).body.data.deliveries;

  it('A contact that is created, changed and deleted is reported in signed posts with the event and its id.', async () => {
    const tenant = await environment.newTenant('Signed');
    const { id, secret } = await newHook(tenant, ['contact.created', 'contact.updated', 'contact.deleted']);
    expect(secret).to.match(/^whsec_/);
    const email = 'someone@example.com';
    const contact = (await tenant.client.post('/contacts/email', { email })).body.data.id;
    await tenant.client.post('/contacts/email', { email, firstName: 'Ada' });
    await tenant.client.delete(`/contacts/${contact}`);
    await until(
      async () => received(tenant).length,
      (count) => count >= 3,
    );
    const sorted = received(tenant).toSorted((a, b) => (a.body.type < b.body.type ? -1 : 1));
    expect(sorted.map(({ body }) => body.type)).to.deep.equal([
      'contact.created',
      'contact.deleted',
      'contact.updated',
    ]);
    expect(sorted[2]?.body.data).to.include({ id: contact, email, firstName: 'Ada' });
    expect(Object.keys(sorted[0]?.body)).to.deep.equal(['id', 'type', 'createdAt', 'data']);
    for (const { headers, text, body } of sorted) {
      const stamp = headers['x-webhook-timestamp'];
      const right = createHmac('sha256', secret).update(`${stamp}.${text}`).digest('hex');
      expect(headers['x-webhook-signature']).to.equal(`v1=${right}`);
      expect(headers['x-webhook-id']).to.equal(body.id);
      expect(Math.abs(Number(stamp) - Date.now() / 1000)).to.be.lessThan(60);
    }
    const named = { projectId: tenant.project._id, 'data.email': email };
    const kept = await environment.deps.db.projectEvents.find(named).toArray();
    expect(kept.length).to.equal(2);
    for (const { eraseAt } of kept) expect(eraseAt).to.be.instanceOf(Date);
    const log = await until(
      () => deliveries(tenant, id),
      (rows) => rows.length === 3 && rows.every((row: { status: string }) => row.status === 'delivered'),
    );
    expect(log[0].tries[0]).to.include({ status: 200, error: null });
  });

  it('The secret is shown once; the record, the list and a repeat of the call do not have it, and it is stored sealed.', async () => {
    const tenant = await environment.newTenant('Secret');
    const body = { url: receiver.url, events: ['email.sent'] };
    const key = { 'Idempotency-Key': 'once' };
    const made = await tenant.client.post('/webhooks', body, key);
    const again = await tenant.client.post('/webhooks', body, key);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.body.data.id).to.equal(made.body.data.id);
    const { secret } = made.body.data;
    const one = await tenant.client.get(`/webhooks/${made.body.data.id}`);
    const all = await tenant.client.get('/webhooks');
    expect(all.body.data.pagination.total).to.equal(1);
    for (const { text } of [again, one, all]) expect(text).to.not.contain(secret);
    const rows = await environment.deps.db.webhooks.find({ projectId: tenant.project._id }).toArray();
    expect(JSON.stringify(rows)).to.not.contain(secret.slice(6));
  });

  it('Only the requested types are sent, and only while the webhook is on.', async () => {
    const tenant = await environment.newTenant('Types');
    const { id } = await newHook(tenant, ['contact.deleted']);
    await tenant.client.post('/contacts/email', { email: 'a@example.com' });
    await tenant.client.patch(`/webhooks/${id}`, { isActive: false });
    const contact = (await tenant.client.post('/contacts/email', { email: 'b@example.com' })).body.data.id;
    await tenant.client.delete(`/contacts/${contact}`);
    expect(await environment.deps.db.projectEvents.countDocuments({ projectId: tenant.project._id })).to.equal(0);
    await tenant.client.patch(`/webhooks/${id}`, { isActive: true });
    const other = (await tenant.client.post('/contacts/email', { email: 'c@example.com' })).body.data.id;
    await tenant.client.delete(`/contacts/${other}`);
    await until(
      async () => received(tenant).length,
      (count) => count === 1,
    );
    expect(received(tenant)[0]?.body.data.id).to.equal(other);
  });

  it('A URL that is not public https, or an event that there is not, is refused with 400.', async () => {
    const { client } = environment.own;
    const bad = ['http://example.com/', 'https://localhost/', 'https://10.0.0.1/', 'ftp://example.com', 'nonsense'];
    for (const url of [...bad, 'https://user:pw@example.com/', 'https://127.1/', 'https://[::1]/'])
      expect((await client.post('/webhooks', { url, events: ['email.sent'] })).status, url).to.equal(400);
    const made = await client.post('/webhooks', { url: 'https://example.com/', events: ['email.everything'] });
    expect(made.status).to.equal(400);
  });

  it('A redirect is a failure and is not followed; the delivery is tried again under the same id.', async () => {
    const tenant = await environment.newTenant('Redirect');
    const { id } = await newHook(tenant, ['contact.created']);
    receiver.answer = { status: 302, location: elsewhere.url };
    await tenant.client.post('/contacts/email', { email: 'r@example.com' });
    await until(
      async () => received(tenant).length,
      (count) => count >= 1,
    );
    receiver.answer = { status: 204 };
    await until(
      () => deliveries(tenant, id),
      (rows) => rows[0]?.status === 'delivered',
    );
    expect(elsewhere.received).to.have.length(0);
    expect(new Set(received(tenant).map(({ headers }) => headers['x-webhook-id'])).size).to.equal(1);
    const [row] = await deliveries(tenant, id);
    expect(row.tries.map(({ status }: { status: number }) => status)).to.deep.equal([302, 204]);
  });

  it('A 2xx is a success whatever body follows it: a long one is not read, and one without an end is closed.', async () => {
    const tenant = await environment.newTenant('Long answers');
    const { id } = await newHook(tenant, ['contact.created']);
    const length = 70_000;
    let closed = 0;
    let endlessBytes = 0;
    const bodies = [
      (response: ServerResponse) => response.writeHead(200, { 'Content-Length': length }).end('x'.repeat(length)),
      (response: ServerResponse) => response.writeHead(200, { 'Content-Encoding': 'unheard-of' }).end('x'),
      (response: ServerResponse) => {
        response.writeHead(202).on('close', () => (closed += 1));
        const chunk = 'x'.repeat(65_536);
        const more = () => {
          while (!response.destroyed && response.write(chunk)) endlessBytes += chunk.length;
        };
        response.on('drain', more);
        more();
      },
    ];
    for (const [index, write] of bodies.entries()) {
      receiver.answer = { status: 200, write };
      await tenant.client.post('/contacts/email', { email: `long-${index}@example.com` });
      await until(
        () => deliveries(tenant, id),
        (rows) => rows.length === index + 1 && rows[0].tries.length > 0,
      );
      const [row] = await deliveries(tenant, id);
      expect(row.status, JSON.stringify(row.tries)).to.equal('delivered');
      expect(row.tries).to.have.length(1);
    }
    await until(
      async () => closed,
      (count) => count === 1,
    );
    expect(endlessBytes).to.be.below(64 * 1_048_576);
  });

  it('A delivery that fails waits by the clock that all processes share, not by that of its machine.', async () => {
    const tenant = await environment.newTenant('Clock');
    const { id } = await newHook(tenant, ['contact.created']);
    const write = (response: ServerResponse) => {
      environment.clock.advance(3_600_000);
      response.writeHead(500).end();
    };
    receiver.answer = { status: 500, write };
    try {
      await tenant.client.post('/contacts/email', { email: 'clock@example.com' });
      // The next attempt is stored after the outcome of this one; until then the row has the end of its lease.
      const delayOf = (row: { nextAttemptAt: string }) =>
        new Date(row.nextAttemptAt).getTime() - environment.clock.now().getTime();
      await until(
        () => deliveries(tenant, id),
        ([row]) => row?.attempts === 1 && row.nextAttemptAt !== null && Math.abs(delayOf(row)) <= 10_000,
      );
    } finally {
      environment.clock.advance(-3_600_000);
    }
  });

  it('A URL that leads to a private address by the time of the delivery is not spoken to.', async () => {
    const tenant = await environment.newTenant('Rebound');
    const { id } = await newHook(tenant, ['contact.created']);
    const inside = await startReceiver(await anyFreePort());
    const row = { _id: new ObjectId(id), projectId: tenant.project._id };
    await environment.deps.db.webhooks.updateOne(row, { $set: { url: inside.url } });
    await tenant.client.post('/contacts/email', { email: 'p@example.com' });
    const [one] = await until(
      () => deliveries(tenant, id),
      (rows) => rows[0]?.attempts >= 1,
    );
    await inside.stop();
    expect(one.tries[0]).to.deep.include({ status: null, error: 'The endpoint could not be reached.' });
    expect(inside.received).to.have.length(0);
  });

  it('A receiver that is away during 1,000 events gets every one at least once, and no event changes its id.', async function () {
    this.timeout(120_000);
    const tenant = await environment.newTenant('Away');
    await newHook(tenant, ['contact.deleted']);
    const { deps } = environment;
    const projectId = tenant.project._id;
    const keys = Array.from({ length: 1_000 }, () => new ObjectId().toHexString());
    const events = keys.map((key) => ({ type: 'contact.deleted' as const, key, data: { id: key } }));
    const killing = (async () => {
      for (let i = 0; i < 2; i += 1) {
        await sleep(250);
        await receiver.stop();
        await sleep(300);
        await receiver.start();
      }
    })();
    for (let at = 0; at < events.length; at += 50) await publishEvents(deps, projectId, events.slice(at, at + 50));
    await killing;
    const seen = () => new Map(received(tenant).map(({ body }) => [body.data.id, body.id]));
    // Failed deliveries wait for seconds by then, without a test watching.
    const failed = { projectId, attempts: { $gt: 0 }, dueAt: { $exists: true } };
    await until(
      async () => {
        await deps.db.webhookDeliveries.updateMany(failed, { $set: { dueAt: new Date(0) } });
        return seen().size;
      },
      (count) => count === 1_000,
      { ms: 90_000, everyMs: 500 },
    );
    const ids = Map.groupBy(received(tenant), ({ body }) => body.data.id);
    for (const [, tries] of ids) expect(new Set(tries.map(({ body }) => body.id)).size).to.equal(1);
    const stored = await deps.db.projectEvents.find({ projectId }).toArray();
    expect(new Set(stored.map(({ _id }) => _id.toHexString()))).to.deep.equal(new Set(seen().values()));
    await publishEvents(deps, projectId, events.slice(0, 50));
    expect(await deps.db.webhookDeliveries.countDocuments({ projectId })).to.equal(1_000);
  });

  it('An event that is published again when its time is over, and that of its delivery is not, has no second delivery.', async () => {
    const tenant = await environment.newTenant('Outlived');
    await newHook(tenant, ['contact.deleted']);
    const { deps } = environment;
    const projectId = tenant.project._id;
    const [first, second] = [new ObjectId().toHexString(), new ObjectId().toHexString()];
    const event = (key: string) => ({ type: 'contact.deleted' as const, key, data: { id: key } });
    await publishEvents(deps, projectId, [event(first)]);
    await until(
      async () => received(tenant).length,
      (count) => count === 1,
    );
    await deps.db.projectEvents.deleteMany({ projectId });
    await publishEvents(deps, projectId, [event(first), event(second)]);
    await until(
      async () => received(tenant).length,
      (count) => count === 2,
    );
    expect(received(tenant).map(({ body }) => body.data.id)).to.deep.equal([first, second]);
    expect(await deps.db.projectEvents.countDocuments({ projectId })).to.equal(2);
    expect(await deps.db.webhookDeliveries.countDocuments({ projectId })).to.equal(2);
  });

  it('Replay delivers the events of a time range again, under their ids.', async () => {
    const tenant = await environment.newTenant('Replay');
    const { id } = await newHook(tenant, ['contact.created']);
    const from = environment.deps.clock.now().toISOString();
    for (let i = 0; i < 3; i += 1) await tenant.client.post('/contacts/email', { email: `p${i}@example.com` });
    await until(
      async () => received(tenant).length,
      (count) => count === 3,
    );
    const first = received(tenant).map(({ body }) => body.id);
    const to = new Date(environment.deps.clock.now().getTime() + 1).toISOString();
    const replayed = await tenant.client.post(`/webhooks/${id}/replay`, { from, to });
    expect(replayed.body.data).to.deep.equal({ replayed: 3 });
    await until(
      async () => received(tenant).length,
      (count) => count === 6,
    );
    expect(
      new Set(
        received(tenant)
          .slice(3)
          .map(({ body }) => body.id),
      ),
    ).to.deep.equal(new Set(first));
    const none = await tenant.client.post(`/webhooks/${id}/replay`, { from: '2020-01-01T00:00:00Z', to: from });
    expect(none.body.data).to.deep.equal({ replayed: 0 });
    expect((await tenant.client.post(`/webhooks/${id}/replay`, { from: to, to: from })).status).to.equal(400);
  });

  it('Single events are delivered again by their ids, those of other types and of other projects are not.', async () => {
    const [tenant, other] = [await environment.newTenant('Chosen'), await environment.newTenant('Not chosen')];
    const { id } = await newHook(tenant, ['contact.created', 'contact.updated']);
    const theirs = await newHook(other, ['contact.created']);
    for (const email of ['a@example.com', 'b@example.com', 'c@example.com'])
      await tenant.client.post('/contacts/email', { email });
    await tenant.client.post('/contacts/email', { email: 'c@example.com', firstName: 'C' });
    await other.client.post('/contacts/email', { email: 'd@example.com' });
    await until(
      async () => received(tenant, other).length,
      (count) => count === 5,
    );
    await tenant.client.patch(`/webhooks/${id}`, { events: ['contact.created'] });
    const made = (await deliveries(tenant, id)) as Array<{ eventId: string; type: string }>;
    const [chosen] = made.filter(({ type }) => type === 'contact.created');
    const changed = made.find(({ type }) => type === 'contact.updated');
    const [foreign] = await deliveries(other, theirs.id);
    const replay = (body: object) => tenant.client.post(`/webhooks/${id}/replay`, body);
    const eventIds = [chosen?.eventId, changed?.eventId, foreign.eventId, new ObjectId().toHexString(), 'no id'];
    expect((await replay({ eventIds })).body.data).to.deep.equal({ replayed: 1 });
    await until(
      async () => received(tenant, other).length,
      (count) => count === 6,
    );
    expect(received(tenant, other)[5]?.body.id).to.equal(chosen?.eventId);
    const [again] = await deliveries(tenant, id);
    expect(again).to.include({ eventId: chosen?.eventId, isReplay: true });
    expect(await deliveries(other, theirs.id)).to.have.length(1);

    const at = environment.deps.clock.now().toISOString();
    for (const body of [{}, { from: at }, { eventIds: [] }, { eventIds: Array(101).fill('x') }, { eventIds, from: at }])
      expect((await replay(body)).status, JSON.stringify(body)).to.equal(400);
    expect((await replay({})).body.error.details).to.equal('from: is required; to: is required');
  });

  it('Events and replays of a project reach no webhook of another.', async () => {
    const [one, two] = [await environment.newTenant('One'), await environment.newTenant('Two')];
    const from = environment.deps.clock.now().toISOString();
    const { id } = await newHook(one, ['contact.created']);
    await newHook(two, ['contact.created']);
    for (const [tenant, email] of [
      [two, 'of-two@example.com'],
      [one, 'of-one@example.com'],
    ] as const)
      await tenant.client.post('/contacts/email', { email });
    await until(
      async () => received(one, two).length,
      (count) => count >= 2,
    );
    const to = new Date(environment.deps.clock.now().getTime() + 1).toISOString();
    expect((await one.client.post(`/webhooks/${id}/replay`, { from, to })).body.data).to.deep.equal({ replayed: 1 });
    await until(
      async () => received(one, two).length,
      (count) => count >= 3,
    );
    const got = received(one, two).map(({ path, body }) => `${path} ${body.data.email}`);
    expect(got.toSorted()).to.deep.equal([
      `/hook?${one.project._id} of-one@example.com`,
      `/hook?${one.project._id} of-one@example.com`,
      `/hook?${two.project._id} of-two@example.com`,
    ]);
  });

  it('An endpoint that fails for five days is switched off, and its log and record say why.', async function () {
    this.timeout(120_000);
    const tenant = await environment.newTenant('Failing');
    const { id } = await newHook(tenant, ['contact.created']);
    receiver.answer = { status: 500 };
    const { deps } = environment;
    const row = { _id: new ObjectId(id), projectId: tenant.project._id };
    const days = (count: number) => new Date(deps.clock.now().getTime() - count * 86_400_000);
    await deps.db.webhooks.updateOne(row, { $set: { failingSince: days(4.9) } });
    await tenant.client.post('/contacts/email', { email: 'f1@example.com' });
    await until(
      () => deliveries(tenant, id),
      (rows) => rows[0]?.attempts >= 1,
    );
    expect((await tenant.client.get(`/webhooks/${id}`)).body.data.isActive).to.equal(true);
    await deps.db.webhooks.updateOne(row, { $set: { failingSince: days(5.1) } });
    const off = await until(
      async () => (await tenant.client.get(`/webhooks/${id}`)).body.data,
      ({ isActive }) => isActive === false,
    );
    expect(off.disabledReason).to.contain('5 days');
    await deps.db.webhookDeliveries.updateMany({ projectId: row.projectId, dueAt: { $exists: true } }, [
      { $set: { dueAt: new Date(0) } },
    ]);
    const log = await until(
      () => deliveries(tenant, id),
      (rows) => rows[0]?.status === 'failed',
    );
    // Not always the last one: the try that switched it off may be written later, since its delivery was made due before it ended.
    const errors = log[0].tries.map(({ error }: { error: string | null }) => error);
    expect(errors).to.include('The webhook was deleted or switched off.');
    const on = await tenant.client.patch(`/webhooks/${id}`, { isActive: true });
    expect(on.body.data).to.include({ isActive: true, disabledReason: null, failingSince: null });
  });

  it('A delivery is given up 24 hours after its first try.', async function () {
    this.timeout(120_000);
    const tenant = await environment.newTenant('Given up');
    const { id } = await newHook(tenant, ['contact.created']);
    receiver.answer = { status: 503 };
    await tenant.client.post('/contacts/email', { email: 'g@example.com' });
    await until(
      () => deliveries(tenant, id),
      (rows) => rows[0]?.attempts >= 1,
    );
    const { deps } = environment;
    const firstTryAt = new Date(deps.clock.now().getTime() - 86_400_001);
    const [row] = await until(
      async () => {
        // A try that runs just then writes the date again that it has read.
        await deps.db.webhookDeliveries.updateMany({ projectId: tenant.project._id }, { $set: { firstTryAt } });
        return deliveries(tenant, id);
      },
      (rows) => rows[0]?.status === 'failed',
    );
    expect(row.nextAttemptAt).to.equal(null);
  });

  it('Without a listener nothing is written.', async () => {
    const tenant = await environment.newTenant('Quiet');
    await tenant.client.post('/contacts/email', { email: 'q@example.com' });
    await publishEvent(environment.deps, undefined, tenant.project._id, 'email.sent', {}, 'quiet');
    expect(await environment.deps.db.projectEvents.countDocuments({ projectId: tenant.project._id })).to.equal(0);
  });
});

describe('The stream of a project', () => {
  const environment = useEnvironment();

  interface Told {
    id: string;
    event: string;
    data: { id: string; type: string; data: Record<string, unknown> };
  }

  async function open(tenant: Tenant, path: string, headers: Record<string, string> = {}) {
    const end = new AbortController();
    const response = await fetch(`${environment.url}/v1${path}`, {
      headers: { Authorization: `Bearer ${tenant.projectKey}`, ...headers },
      signal: end.signal,
    });
    const told: Told[] = [];
    const reading = (async () => {
      let text = '';
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += new TextDecoder().decode(piece);
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const lines = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
          if (!lines.has('data')) continue;
          told.push({ id: lines.get('id')!, event: lines.get('event')!, data: JSON.parse(lines.get('data')!) });
        }
      }
    })().catch(() => undefined);
    return {
      told,
      response,
      async close() {
        end.abort();
        await reading;
      },
    };
  }

  const upsert = (tenant: Tenant, email: string) => tenant.client.post('/contacts/email', { email });

  it('Sends every event as it happens, with the event object that webhooks get, and none of another project.', async () => {
    const tenant = await environment.newTenant('Streamed');
    const stream = await open(tenant, '/stream');
    expect(stream.response.headers.get('content-type')).to.equal('text/event-stream');
    await upsert(environment.other, 'theirs@example.com');
    await upsert(tenant, 'one@example.com');
    await upsert(tenant, 'two@example.com');
    await until(
      async () => stream.told.length,
      (count) => count === 2,
    );
    await stream.close();
    expect(stream.told.map(({ event, data }) => [event, data.type, data.data.email])).to.deep.equal([
      ['contact.created', 'contact.created', 'one@example.com'],
      ['contact.created', 'contact.created', 'two@example.com'],
    ]);
    expect(stream.told[0]?.id).to.equal(stream.told[0]?.data.id);
  });

  it('Resumes after Last-Event-ID: events of the time between are sent, and nothing is missed.', async () => {
    const tenant = await environment.newTenant('Resumed');
    const first = await open(tenant, '/stream');
    await upsert(tenant, 'a@example.com');
    await until(
      async () => first.told.length,
      (count) => count === 1,
    );
    await first.close();
    for (let i = 0; i < 20; i += 1) await upsert(tenant, `meanwhile-${i}@example.com`);
    const second = await open(tenant, '/stream', { 'Last-Event-ID': first.told[0]!.id });
    await until(
      async () => second.told.length,
      (count) => count >= 20,
    );
    await second.close();
    const emails = new Set(second.told.map(({ data }) => data.data.email));
    for (let i = 0; i < 20; i += 1) expect(emails.has(`meanwhile-${i}@example.com`), String(i)).to.equal(true);
    expect(emails.has('a@example.com')).to.equal(false);
  });

  it('types= narrows it, by name or by a beginning; a name that there is not is refused.', async () => {
    const tenant = await environment.newTenant('Narrowed');
    const all = await open(tenant, '/stream?types=contact.*');
    const narrow = await open(tenant, '/stream?types=contact.deleted,email.*');
    const contact = (await upsert(tenant, 'n@example.com')).body.data.id;
    await tenant.client.delete(`/contacts/${contact}`);
    await until(
      async () => [all.told.length, narrow.told.length],
      ([one, two]) => one === 2 && two === 1,
    );
    await Promise.all([all.close(), narrow.close()]);
    expect(narrow.told[0]?.event).to.equal('contact.deleted');
    expect((await tenant.client.get('/stream?types=contact.renamed')).status).to.equal(400);
  });
});
