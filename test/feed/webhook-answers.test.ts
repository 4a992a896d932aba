import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { answerOf } from '../../core/automations/rules/webhooks/answer.ts';
import { inTransaction } from '../../core/base/database/transactions.ts';
import type { Deps } from '../../core/base/deps.ts';
import { announceEvents } from '../../core/events/events.ts';
import { publishCalls } from '../../core/events/step-webhooks.ts';
import { ANSWER_BYTES_MAX, type StepAnswer } from '../../core/events/webhook-answers.ts';
import { webhookDeliveries } from '../../core/events/webhook-deliveries.ts';
import { type RunningQueues, startQueues } from '../../core/jobs/queue.ts';
import { createPoster } from '../../platform/fetch/webhook-poster.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { type Environment, startEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';

describe('An event whose answer is waited for', function () {
  this.timeout(60_000);
  let env: Environment;
  let receiver: Receiver;
  let loop: RunningQueues;
  let webhookId: ObjectId;
  const heard: StepAnswer[] = [];
  let isBroken = false;
  before(async () => {
    const port = await anyFreePort();
    receiver = await startReceiver(port);
    env = await startEnvironment({ ALLOW_PRIVATE_URLS: `127.0.0.1:${port}` });
    const made = await env.own.client.post('/webhooks', { url: receiver.url, events: ['email.sent'] });
    webhookId = new ObjectId(String(made.body.data.id));
    const webhookAnswers = [
      async (_: unknown, answer: StepAnswer) => {
        if (isBroken) throw new Error('the process dies');
        heard.push(answer);
      },
    ];
    const deps: Deps = { ...env.deps, subscribers: { ...env.deps.subscribers, webhookAnswers } };
    loop = startQueues(deps, [webhookDeliveries(deps, createPoster(deps.config))]);
    await loop.ready;
  });
  after(async () => {
    await loop.stop();
    // They are made up, and are no events of steps.
    await env.deps.db.projectEvents.deleteMany({});
    await Promise.all([receiver.stop(), env.stop()]);
  });

  const publish = async (to: { isAwaited?: true } = { isAwaited: true }): Promise<ObjectId> => {
    const _id = new ObjectId();
    const { _id: projectId } = env.own.project;
    await inTransaction(env.deps, (session) =>
      publishCalls(env.deps, session, projectId, [{ _id, to: { webhookId, ...to }, data: {} }]),
    );
    announceEvents(env.deps, projectId);
    return _id;
  };
  const answers = (status: number, body: string | Buffer = '', headers: Record<string, string> = {}) => {
    receiver.answer = { status, write: (response) => response.writeHead(status, headers).end(body) };
  };
  const answeredTo = async (id: ObjectId) => {
    const [one] = await until(
      async () => heard.filter(({ _id }) => _id.equals(id)),
      (found) => found.length > 0,
    );
    return one?.answered;
  };
  const deliveryOf = (eventId: ObjectId) => env.deps.db.webhookDeliveries.findOne({ eventId, isReplay: false });

  it('announces the JSON of a 2xx, and null for an empty one', async () => {
    for (const [status, body, json] of [
      [200, '{"contactProperties":{"plan":"pro"}}', { contactProperties: { plan: 'pro' } }],
      [201, ' [1] ', [1]],
      [204, '', null],
      [200, ' \n', null],
    ] as const) {
      answers(status, body);
      expect(await answeredTo(await publish())).to.deep.equal({ json });
    }
  });

  it('announces a problem for what cannot be read; the delivery is taken, and its log says so', async () => {
    const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`;
    const large = `"${'a'.repeat(ANSWER_BYTES_MAX - 1)}"`;
    for (const [body, problem, headers] of [
      ['<p>Thanks</p>', 'The answer is not valid JSON.'],
      ['{"a":', 'The answer is not valid JSON.'],
      [deep, 'nested deeper than 32 levels'],
      ['['.repeat(60_000), 'not accepted'],
      ['{"__proto__":{"a":1}}', 'a field is named __proto__'],
      ['{"a":"\\u0000"}', 'a NUL character'],
      [Buffer.from([0x22, 0xff, 0x22]), 'not valid UTF-8'],
      [large, 'more than 64 KiB'],
      [bomb, 'more than 64 KiB', { 'content-encoding': 'gzip' }],
    ] as const) {
      answers(200, body, headers);
      const id = await publish();
      const answered = (await answeredTo(id)) as { problem: string };
      expect(answered.problem).to.contain(problem);
      const delivery = await until(
        () => deliveryOf(id),
        (found) => found?.status === 'delivered',
      );
      expect(delivery?.tries).to.have.length(1);
      expect(delivery?.tries[0]).to.include({ status: 200, error: answered.problem });
    }
    answers(200, `"${'a'.repeat(ANSWER_BYTES_MAX - 2)}"`);
    expect(await answeredTo(await publish())).to.have.property('json');
  });

  it('says nothing after a failure, until the next try is taken', async () => {
    answers(500, '{"contactProperties":{"plan":"wrong"}}');
    const id = await publish();
    await until(
      () => deliveryOf(id),
      (found) => (found?.attempts ?? 0) > 0,
    );
    expect(heard.filter(({ _id }) => _id.equals(id))).to.deep.equal([]);
    answers(200, '{}');
    expect(await answeredTo(id)).to.deep.equal({ json: {} });
  });

  it('is announced again when the process dies before the end of the delivery is written', async () => {
    answers(200, '{"a":1}');
    isBroken = true;
    const id = await publish();
    await until(
      async () => receiver.received.filter(({ body }) => body.id === id.toHexString()).length,
      (count) => count > 0,
    );
    isBroken = false;
    // Its lease is over at once.
    await env.deps.db.webhookDeliveries.updateOne({ eventId: id }, { $set: { dueAt: new Date(0) } });
    expect(await answeredTo(id)).to.deep.equal({ json: { a: 1 } });
  });

  it('announces nothing of an event that is not waited for, nor of a replay', async () => {
    answers(200, 'no JSON');
    const id = await publish({});
    const delivery = await until(
      () => deliveryOf(id),
      (found) => found?.status === 'delivered',
    );
    expect(delivery?.tries[0]).to.include({ status: 200, error: null });
    const awaited = await publish();
    await answeredTo(awaited);
    const eventIds = [awaited.toHexString()];
    expect((await env.own.client.post(`/webhooks/${webhookId}/replay`, { eventIds })).body.data.replayed).to.equal(1);
    await until(
      () => env.deps.db.webhookDeliveries.findOne({ eventId: awaited, isReplay: true }),
      (found) => found?.status === 'delivered',
    );
    expect(heard.filter(({ _id }) => _id.equals(id))).to.deep.equal([]);
    expect(heard.filter(({ _id }) => _id.equals(awaited))).to.have.length(1);
  });

  it('announces that it was given up: a webhook that is off, and 24 hours without a 2xx', async () => {
    answers(500);
    const late = await publish();
    const { _id, firstTryAt } = await until(
      async () => (await deliveryOf(late)) ?? { _id: late, firstTryAt: null, attempts: 0 },
      ({ attempts }) => attempts > 0,
    );
    const dayAgo = new Date(Number(firstTryAt) - 24 * 3_600_000);
    await env.deps.db.webhookDeliveries.updateOne({ _id }, { $set: { firstTryAt: dayAgo, dueAt: new Date(0) } });
    expect(await answeredTo(late)).to.deep.equal({ problem: 'No try was taken within 24 hours.' });
    await env.own.client.patch(`/webhooks/${webhookId}`, { isActive: false });
    expect(await answeredTo(await publish())).to.deep.equal({ problem: 'The webhook was deleted or switched off.' });
  });

  describe('says of the person', () => {
    it('properties, or nothing', () => {
      const contactProperties = { plan: 'pro', visits: 3, isNew: false, gone: null };
      expect(answerOf({ contactProperties, other: [{}] })).to.deep.equal({ contactProperties });
      for (const json of [null, {}, { contactProperties: null }, { contactProperties: {} }])
        expect(answerOf(json)).to.deep.equal({});
    });

    it('a problem with the place: no object, values and names that no property may have, too many of them', () => {
      const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`p${n}`, n]));
      for (const [json, problem] of [
        [[], 'The answer must be a JSON object'],
        ['text', 'The answer must be a JSON object'],
        [{ contactProperties: [] }, 'contactProperties: must be an object'],
        [{ contactProperties: 'a' }, 'contactProperties: must be an object'],
        [{ contactProperties: { a: {} } }, 'contactProperties/a: must be a text'],
        [{ contactProperties: { a: [1] } }, 'contactProperties/a: must be a text'],
        [{ contactProperties: { a: 'x'.repeat(4_097) } }, 'contactProperties/a: must have 4096 characters'],
        [{ contactProperties: { 'a.b': 1 } }, 'contactProperties/a.b: must be named'],
        [{ contactProperties: { $set: 1 } }, 'contactProperties/$set: must be named'],
        [{ contactProperties: { ['x'.repeat(70)]: 1 } }, `contactProperties/${'x'.repeat(64)}: must be named`],
        [{ contactProperties: many }, 'contactProperties: must have 200 properties at most'],
      ] as const)
        expect(answerOf(json).problem, JSON.stringify(json).slice(0, 80)).to.contain(problem);
    });
  });
});
