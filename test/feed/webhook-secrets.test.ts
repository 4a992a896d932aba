import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { verify } from '../../client/webhooks.ts';
import { sealSecret } from '../../core/base/secrets.ts';
import { webhookDeliveries } from '../../core/events/webhook-deliveries.ts';
import { rotateSecret, webhookContext } from '../../core/events/webhook-secrets.ts';
import { type RunningQueues, startQueues } from '../../core/jobs/queue.ts';
import { createPoster } from '../../platform/fetch/webhook-poster.ts';
import { eventTypes, PREVIOUS_SECRETS_MAX } from '../../schemas/events/webhooks.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { type Received, type Receiver, startReceiver } from '../support/webhook-receiver.ts';

const HOUR_MS = 3_600_000;
/** As 0.1.0 made them, with the letters that only base64url has. */
const OLD_SECRET = `whsec_${Buffer.alloc(32, 0xfb).toString('base64url')}`;

interface Hook {
  id: string;
  secret: string;
}

describe('The signatures of webhooks', () => {
  let environment: Environment;
  let receiver: Receiver;
  let loop: RunningQueues;
  let tenant: Tenant;
  let hook: Hook;
  before(async () => {
    const port = await anyFreePort();
    receiver = await startReceiver(port);
    environment = await startEnvironment({ ALLOW_PRIVATE_URLS: `127.0.0.1:${port}` });
    const { deps } = environment;
    loop = startQueues(deps, [webhookDeliveries(deps, createPoster(deps.config))]);
    await loop.ready;
  });
  after(async () => {
    await loop.stop();
    await Promise.all([receiver.stop(), environment.stop()]);
  });
  beforeEach(async () => {
    receiver.answer = { status: 200 };
    tenant = await environment.newTenant('Signatures');
    hook = await newHook(['contact.created']);
  });

  async function newHook(events: readonly string[]): Promise<Hook> {
    const made = await tenant.client.post('/webhooks', { url: receiver.urlOf(tenant), events });
    expect(made.status, made.text).to.equal(201);
    return made.body.data;
  }

  async function rotate(): Promise<string> {
    const rotated = await tenant.client.post(`/webhooks/${hook.id}/rotate-secret`);
    expect(rotated.status, rotated.text).to.equal(200);
    return rotated.body.data.secret;
  }

  /** The clock is set back for the rotation, so that what follows happens so much later. */
  async function rotateBefore(ms: number): Promise<string> {
    environment.clock.advance(-ms);
    try {
      return await rotate();
    } finally {
      environment.clock.advance(ms);
    }
  }

  async function secretOfOld(): Promise<void> {
    const row = { _id: new ObjectId(hook.id), projectId: tenant.project._id };
    const secret = sealSecret(environment.deps.config, webhookContext(row), OLD_SECRET);
    await environment.deps.db.webhooks.updateOne(row, { $set: { secret } });
  }

  const ours = () => receiver.receivedBy(tenant);
  const received = (count: number) =>
    until(
      async () => ours(),
      ({ length }) => length >= count,
    );
  async function deliver(): Promise<Received> {
    const { length } = ours();
    await tenant.client.post('/contacts/email', { email: `a${length}@example.com` });
    return (await received(length + 1))[length]!;
  }

  const signaturesOf = ({ headers }: Received) => headers['webhook-signature']?.split(' ') ?? [];
  const ourSignature = ({ headers, text }: Received, secret: string) =>
    `v1=${createHmac('sha256', secret).update(`${headers['x-webhook-timestamp']}.${text}`).digest('hex')}`;

  /** By the library of Standard Webhooks and by our client. */
  async function expectSigned({ text, headers, body }: Received, secret: string): Promise<void> {
    expect(new Webhook(secret).verify(text, headers)).to.deep.equal(body);
    expect(await verify(text, headers, secret)).to.deep.equal(body);
  }

  async function expectNotSigned({ text, headers }: Received, secret: string): Promise<void> {
    expect(() => new Webhook(secret).verify(text, headers)).to.throw('No matching signature');
    const refusal = await verify(text, headers, secret).catch((error) => error);
    expect(refusal).to.include({ code: 'INVALID_SIGNATURE' });
  }

  it('A new secret is whsec_ and padded base64 of 32 bytes; standard verifiers take its deliveries as they are.', async () => {
    expect(hook.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const delivery = await deliver();
    const { headers, body, text } = delivery;
    await expectSigned(delivery, hook.secret);
    await expectNotSigned({ ...delivery, text: text.replace('contact.created', 'contact.deleted') }, hook.secret);
    expect(signaturesOf(delivery)).to.have.length(1);
    expect(headers['webhook-id']).to.equal(body.id).and.to.equal(headers['x-webhook-id']);
    expect(headers['webhook-timestamp']).to.equal(headers['x-webhook-timestamp']);
    expect(headers['x-webhook-signature']).to.equal(ourSignature(delivery, hook.secret));
  });

  it('A secret of 0.1.0 keeps its text and X-Webhook-Signature; its standard signature is made with the decoded bytes.', async () => {
    await secretOfOld();
    const delivery = await deliver();
    expect(delivery.headers['x-webhook-signature']).to.equal(ourSignature(delivery, OLD_SECRET));
    expect(await verify(delivery.text, delivery.headers, OLD_SECRET)).to.deep.equal(delivery.body);
    const padded = `whsec_${Buffer.alloc(32, 0xfb).toString('base64')}`;
    await expectSigned(delivery, padded);
    // The reason why the documentation says to rotate first.
    expect(() => new Webhook(OLD_SECRET)).to.throw('incorrect characters');
  });

  it('For 24 hours after a rotation webhook-signature holds both signatures, and X-Webhook-Signature is made with the old secret.', async () => {
    await secretOfOld();
    const secret = await rotateBefore(24 * HOUR_MS - 60_000);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const delivery = await deliver();
    await expectSigned(delivery, secret);
    expect(await verify(delivery.text, delivery.headers, OLD_SECRET)).to.deep.equal(delivery.body);
    expect(signaturesOf(delivery)).to.have.length(2);
    expect(delivery.headers['x-webhook-signature']).to.equal(ourSignature(delivery, OLD_SECRET));
  });

  it('After 24 hours only the new secret signs, and MongoDB removes the old one.', async () => {
    const secret = await rotateBefore(24 * HOUR_MS + 1_000);
    const delivery = await deliver();
    await expectSigned(delivery, secret);
    await expectNotSigned(delivery, hook.secret);
    expect(signaturesOf(delivery)).to.have.length(1);
    expect(delivery.headers['x-webhook-signature']).to.equal(ourSignature(delivery, secret));
    const indexes = await environment.deps.db.previousWebhookSecrets.indexes();
    expect(indexes.find(({ name }) => name === 'expiry')).to.deep.include({ key: { until: 1 }, expireAfterSeconds: 0 });
  });

  it('Rotated again within 24 hours, each replaced secret signs until its own 24 hours are over, the oldest for X-Webhook-Signature.', async () => {
    const second = await rotateBefore(23 * HOUR_MS);
    const third = await rotate();
    const delivery = await deliver();
    for (const secret of [hook.secret, second, third]) await expectSigned(delivery, secret);
    expect(signaturesOf(delivery)).to.have.length(3);
    expect(delivery.headers['x-webhook-signature']).to.equal(ourSignature(delivery, hook.secret));
    const { deps } = environment;
    const past = new Date(deps.clock.now().getTime() - 1);
    const row = { projectId: tenant.project._id, webhookId: new ObjectId(hook.id) };
    const [oldest] = await deps.db.previousWebhookSecrets.find(row).sort({ until: 1 }).toArray();
    await deps.db.previousWebhookSecrets.updateOne({ _id: oldest!._id, ...row }, { $set: { until: past } });
    const later = await deliver();
    await expectNotSigned(later, hook.secret);
    for (const secret of [second, third]) await expectSigned(later, secret);
    expect(later.headers['x-webhook-signature']).to.equal(ourSignature(later, second));
  });

  it('Four replaced secrets may sign with the newest; the next rotation is 409 and changes nothing until the first has expired.', async () => {
    await rotateBefore(24 * HOUR_MS - 60_000);
    for (let rotated = 1; rotated < PREVIOUS_SECRETS_MAX; rotated += 1) await rotate();
    const { db } = environment.deps;
    const row = { _id: new ObjectId(hook.id), projectId: tenant.project._id };
    const before = await db.webhooks.findOne(row);
    const refused = await tenant.client.post(`/webhooks/${hook.id}/rotate-secret`);
    expect(refused.status).to.equal(409);
    expect(refused.body.error).to.include({ code: 'INVALID_STATE' });
    expect(await db.webhooks.findOne(row)).to.deep.equal(before);
    expect(await db.previousWebhookSecrets.countDocuments({ projectId: row.projectId })).to.equal(PREVIOUS_SECRETS_MAX);
    environment.clock.advance(61_000);
    try {
      await rotate();
    } finally {
      environment.clock.advance(-61_000);
    }
  });

  it('Two rotations at the same time both take place: what each shows signs.', async () => {
    const secrets = await Promise.all([rotate(), rotate()]);
    const delivery = await deliver();
    for (const secret of [hook.secret, ...secrets]) await expectSigned(delivery, secret);
    expect(delivery.headers['x-webhook-signature']).to.equal(ourSignature(delivery, hook.secret));
  });

  it('The new secret is shown once: a repeat of the call, the record and the list do not have it, and both are stored sealed.', async () => {
    const key = { 'Idempotency-Key': 'rotate' };
    const path = `/webhooks/${hook.id}/rotate-secret`;
    const first = await tenant.client.post(path, undefined, key);
    const again = await tenant.client.post(path, undefined, key);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    const { secret, ...record } = first.body.data;
    expect(again.body.data).to.deep.equal(record);
    const one = await tenant.client.get(`/webhooks/${hook.id}`);
    expect(one.body.data).to.deep.equal(record);
    expect(new Date(record.previousSecretUntil).getTime()).to.be.closeTo(Date.now() + 24 * HOUR_MS, 60_000);
    const all = await tenant.client.get('/webhooks');
    const { db } = environment.deps;
    const projectId = tenant.project._id;
    const rows = [
      await db.webhooks.find({ projectId }).toArray(),
      await db.previousWebhookSecrets.find({ projectId }).toArray(),
      await db.idempotency.find({}).toArray(),
    ];
    for (const text of [again.text, one.text, all.text, JSON.stringify(rows)])
      for (const shown of [secret, hook.secret]) expect(text).to.not.contain(shown.slice(6));
    await expectSigned(await deliver(), secret);
  });

  it('A rotation that is taken up after its process died shows the secret that it had made, and replaces nothing again.', async () => {
    const origin = { at: environment.deps.clock.now(), seed: new ObjectId() };
    const first = await rotateSecret(environment.deps, tenant.project, hook.id, origin);
    const second = await rotateSecret(environment.deps, tenant.project, hook.id, origin);
    expect(second).to.deep.equal(first);
    expect(signaturesOf(await deliver())).to.have.length(2);
  });

  it('A webhook that is deleted takes its replaced secrets with it, and those of another stay.', async () => {
    const other = await newHook(['contact.deleted']);
    await rotate();
    await tenant.client.post(`/webhooks/${other.id}/rotate-secret`);
    await tenant.client.delete(`/webhooks/${hook.id}`);
    const left = await environment.deps.db.previousWebhookSecrets.find({ projectId: tenant.project._id }).toArray();
    expect(left.map(({ webhookId }) => webhookId.toHexString())).to.deep.equal([other.id]);
  });

  it('A second try has the same id, a timestamp of its own, and signatures that belong to it.', async () => {
    receiver.answer = { status: 500 };
    const first = await deliver();
    receiver.answer = { status: 200 };
    const [, second] = await received(2);
    expect(second!.headers['webhook-id']).to.equal(first.headers['webhook-id']);
    expect(Number(second!.headers['webhook-timestamp'])).to.be.greaterThan(Number(first.headers['webhook-timestamp']));
    for (const one of [first, second!]) await expectSigned(one, hook.secret);
    const mixed = {
      ...first,
      headers: { ...first.headers, 'webhook-timestamp': second!.headers['webhook-timestamp']! },
    };
    await expectNotSigned(mixed, hook.secret);
  });

  describe('POST /webhooks/{id}/test', () => {
    const test = (headers = {}) => tenant.client.post(`/webhooks/${hook.id}/test`, undefined, headers);
    const record = async () => (await tenant.client.get(`/webhooks/${hook.id}`)).body.data;
    const ended = () =>
      until(
        async () => (await tenant.client.get(`/webhooks/${hook.id}/deliveries`)).body.data.deliveries,
        ([delivery]) => delivery && delivery.status !== 'pending',
      );

    it('answers with the delivery of a webhook.test, which is signed like any other and is in the log.', async () => {
      const made = await test();
      expect(made.status).to.equal(202);
      expect(made.body.data).to.include({ type: 'webhook.test', isReplay: false });
      const [delivery] = await received(1);
      await expectSigned(delivery!, hook.secret);
      expect(delivery!.body).to.deep.include({ id: made.body.data.eventId, type: 'webhook.test' });
      expect(delivery!.body.data).to.deep.equal({ webhookId: hook.id });
      const [logged] = await ended();
      expect(logged).to.include({ id: made.body.data.id, status: 'delivered', attempts: 1 });
    });

    it('is one test for one Idempotency-Key.', async () => {
      const key = { 'Idempotency-Key': 'test' };
      const ids = [(await test(key)).body.data.id, (await test(key)).body.data.id];
      expect(ids[0]).to.equal(ids[1]);
      await ended();
      expect(ours()).to.have.length(1);
    });

    it('works for a webhook that is off, which gets nothing else.', async () => {
      await tenant.client.patch(`/webhooks/${hook.id}`, { isActive: false });
      await tenant.client.post('/contacts/email', { email: 'off@example.com' });
      await test();
      const [logged] = await ended();
      expect(logged.status).to.equal('delivered');
      expect(ours().map(({ body }) => body.type)).to.deep.equal(['webhook.test']);
      expect((await record()).isActive).to.equal(false);
    });

    it('is tried once, and counts neither as a failing day nor as its end.', async () => {
      receiver.answer = { status: 500 };
      await test();
      const [logged] = await ended();
      expect(logged).to.include({ status: 'failed', attempts: 1, nextAttemptAt: null });
      expect(logged.tries[0]).to.include({ status: 500 });
      expect((await record()).failingSince).to.equal(null);
      const failingSince = new Date(Date.now() - 6 * 24 * HOUR_MS);
      const row = { _id: new ObjectId(hook.id), projectId: tenant.project._id };
      await environment.deps.db.webhooks.updateOne(row, { $set: { failingSince } });
      for (const status of [500, 200]) {
        receiver.answer = { status };
        await test();
        await ended();
        expect(await record()).to.include({ isActive: true, failingSince: failingSince.toISOString() });
      }
    });

    it('reaches no other webhook, no stream and no replay, and no webhook can ask for it.', async () => {
      const other = await newHook(eventTypes);
      const from = environment.deps.clock.now().toISOString();
      const end = new AbortController();
      const stream = await fetch(`${environment.url}/v1/stream`, {
        headers: { Authorization: `Bearer ${tenant.projectKey}` },
        signal: end.signal,
      });
      await test();
      await ended();
      const contact = await tenant.client.post('/contacts/email', { email: 'streamed@example.com' });
      let text = '';
      for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>) {
        text += new TextDecoder().decode(piece);
        if (text.includes(contact.body.data.id)) break;
      }
      end.abort();
      expect(text).to.contain('contact.created').and.to.not.contain('webhook.test');
      const to = new Date(environment.deps.clock.now().getTime() + 1).toISOString();
      const replayed = await tenant.client.post(`/webhooks/${other.id}/replay`, { from, to });
      expect(replayed.body.data).to.deep.equal({ replayed: 1 });
      const log = await tenant.client.get(`/webhooks/${other.id}/deliveries`);
      expect(log.text).to.not.contain('webhook.test');
      const asked = await tenant.client.post('/webhooks', { url: receiver.url, events: ['webhook.test'] });
      expect(asked.status).to.equal(400);
      expect((await tenant.client.get('/stream?types=webhook.test')).status).to.equal(400);
    });
  });
});
