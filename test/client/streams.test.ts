import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { parseEvents } from '../../client/calls/server-events.ts';
import { openStream } from '../../client/calls/streams.ts';
import type { Retry, StreamEvent } from '../../client/index.ts';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { startProxy } from '../../lab/rig/faults/proxy.ts';
import { startEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { clientOf, failureOf, useProxy } from './client-of.ts';

describe('Streams of the client', function () {
  this.timeout(60_000);
  const at = useProxy();
  before(() => until(async () => at.environment.deps.signals.isUp(), Boolean));
  beforeEach(() => at.faults());
  let created = 0;

  /** Makes an event, past the proxy; returns the address that it names. */
  async function newContact(tenant = at.environment.own): Promise<string> {
    created += 1;
    const email = `stream${created}@example.com`;
    const made = await tenant.client.post('/contacts', { email });
    expect(made.status, made.text).to.equal(201);
    return email;
  }

  const emailOf = ({ data }: StreamEvent) => (data as { email?: string }).email ?? '';
  /** Reads until the event of that address: after a reconnect the API may first repeat events of the seconds before. */
  async function find(
    email: string,
    first: Promise<IteratorResult<StreamEvent, void>>,
    rest: AsyncGenerator<StreamEvent>,
  ) {
    const seen: string[] = [];
    for (let next = await first; ; next = await rest.next()) {
      if (next.done) throw new Error(`the stream ended before ${email}`);
      seen.push(emailOf(next.value));
      if (seen.at(-1) === email) return seen;
    }
  }
  const opened = (count: number) =>
    until(
      async () => at.proxy.openCount(),
      (open) => open === count,
    );

  it('a stream that is cut off again and again resumes after its last event: none is missed, none comes twice', async () => {
    let connections = 0;
    const retries: Retry[] = [];
    const client = at.client({ onRetry: (retry) => retries.push(retry) });
    const expected: string[] = [];
    const seen: string[] = [];
    const onOpen = () => {
      connections += 1;
    };
    const reading = (async () => {
      for await (const event of client.stream({ types: ['contact.*'] }, { onOpen })) {
        seen.push(emailOf(event));
        if (seen.length === 12) break;
      }
    })();
    await until(
      async () => connections,
      (count) => count === 1,
    );
    for (let round = 0; round < 4; round += 1) {
      expected.push(await newContact(), await newContact());
      await until(
        async () => seen.length,
        (count) => count === expected.length,
      );
      at.proxy.cut();
      // The client is not connected now.
      expected.push(await newContact());
    }
    await reading;
    expect(seen).to.deep.equal(expected);
    expect(connections).to.equal(5);
    expect(retries.map(({ operation, error }) => `${operation} ${error.code}`)).to.deep.equal(
      Array.from({ length: 4 }, () => 'stream.open NETWORK'),
    );
    expect(at.proxy.requests.at(-1)?.headers['last-event-id']).to.match(/^[0-9a-f]{24}$/);
    await opened(0);
  });

  it('an event that is written as soon as the stream is open is in it, however slowly the API reads', async () => {
    const { db } = at.environment.deps;
    const { projectEvents } = db;
    const find = (...given: Parameters<typeof projectEvents.find>) => {
      const found = projectEvents.find(...given);
      // Of the log as streams read it; calls that write events are as quick as ever.
      if (given[1]?.hint !== 'written') return found;
      const toArray = found.toArray.bind(found);
      return Object.assign(found, { toArray: () => sleep(400).then(toArray) });
    };
    db.projectEvents = new Proxy(projectEvents, {
      get(target, name) {
        const value = name === 'find' ? find : Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    try {
      const email = Promise.withResolvers<string>();
      const onOpen = () => newContact().then(email.resolve, email.reject);
      const stream = at.client().stream({ types: ['contact.created'] }, { onOpen });
      const { value } = await stream.next();
      expect(emailOf(value as StreamEvent)).to.equal(await email.promise);
      await stream.return();
    } finally {
      db.projectEvents = projectEvents;
    }
  });

  it('a stream that is cut off before its first event misses none', async () => {
    let isPlaced = false;
    const client = at.client({
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        const noting = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, to) {
            isPlaced ||= new TextDecoder().decode(chunk).includes('id: since-');
            to.enqueue(chunk);
          },
        });
        return new Response(answer.body?.pipeThrough(noting), answer);
      },
    });
    const stream = client.stream({ types: ['contact.created'] });
    const first = stream.next();
    await until(async () => isPlaced, Boolean);
    at.proxy.cut();
    const email = await newContact();
    await find(email, first, stream);
    expect(at.proxy.requests.at(-1)?.headers['last-event-id']).to.match(/^since-\d{13}$/);
    await stream.return();
  });

  it('`after` names the last event that another process has seen; `break` and the signal end the connection', async () => {
    const ending = new AbortController();
    const open = Promise.withResolvers<void>();
    const first = at.client().stream({}, { signal: ending.signal, onOpen: open.resolve });
    const next = first.next();
    await open.promise;
    const email = await newContact();
    const event = (await next).value as StreamEvent;
    expect(event).to.include({ type: 'contact.created' });
    expect(emailOf(event)).to.equal(email);
    const waiting = failureOf(first.next());
    ending.abort(new Error('enough'));
    const error = await waiting;
    expect(error.code).to.equal('ABORTED');
    expect(error.cause).to.have.property('message', 'enough');
    await opened(0);
    const missed = [await newContact(), await newContact()];
    const seen: string[] = [];
    for await (const later of at.client().stream({ after: event.id })) {
      seen.push(emailOf(later));
      if (missed.every((one) => seen.includes(one))) break;
    }
    // The API may repeat events of the seconds before, but not the one that is named.
    expect(seen.slice(-2)).to.deep.equal(missed);
    expect(seen).to.not.include(email);
    await opened(0);
  });

  it('a stream whose key is revoked ends with STREAM_CLOSED and is not opened again', async () => {
    const { deps, own } = at.environment;
    const of = { organizationId: own.organization._id, projectId: own.project._id };
    const { apiKey, key } = await createApiKey(deps, { ...of, name: 'revoked' });
    const open = Promise.withResolvers<void>();
    const next = failureOf(at.client({ apiKey: key }).stream({}, { onOpen: open.resolve }).next());
    await open.promise;
    await at.environment.client(own.adminKey).delete(`/account/api-keys/${apiKey._id}`);
    expect(await next).to.include({ code: 'STREAM_CLOSED', details: 'key_revoked' });
    expect(at.proxy.requests).to.have.length(1);
  });

  it('a stream whose server stops continues with another one', async () => {
    const stopping = await startEnvironment({ MONGODB_DATABASE: at.environment.deps.config.mongodbDatabase });
    let url = stopping.url;
    const retries: Retry[] = [];
    const client = clientOf(at.environment.own, {
      baseUrl: 'http://either.test',
      fetch: (input, init) => fetch(String(input).replace('http://either.test', url), init),
      onRetry: (retry) => retries.push(retry),
    });
    let connections = 0;
    const onOpen = () => {
      connections += 1;
    };
    const stream = client.stream({}, { onOpen });
    const first = stream.next();
    await until(
      async () => connections,
      (count) => count === 1,
    );
    const emails = [await newContact()];
    expect(emailOf((await first).value as StreamEvent)).to.equal(emails[0]);
    const second = stream.next();
    url = at.environment.url;
    await stopping.app.stop();
    emails.push(await newContact());
    expect(await find(emails[1] ?? '', second, stream)).to.not.include(emails[0]);
    expect(retries.map(({ error }) => error.details)).to.include('server_stopping');
    await stream.return();
  });

  it('a connection that is silent is taken for broken and opened again', async () => {
    const cable = await startProxy(Number(new URL(at.environment.url).port));
    const retries: Retry[] = [];
    const settings = {
      ...{ fetch: globalThis.fetch, baseUrl: `http://127.0.0.1:${cable.port}`, timeoutMs: 5_000, retryForMs: 25_000 },
      headers: { Authorization: `Bearer ${at.environment.own.projectKey}` },
      onRetry: (retry: Retry) => retries.push(retry),
    };
    const request = { operation: 'stream.open', method: 'GET', path: '/v1/stream', headers: {}, signal: undefined };
    let connections = 0;
    const onOpen = () => {
      connections += 1;
      // The first connection falls silent; the second one works.
      cable.set({ isDeaf: connections === 1 });
    };
    const stream = openStream<StreamEvent>(settings, { request, onOpen, silentMsMax: 1_000 });
    const next = stream.next();
    await until(
      async () => connections,
      (count) => count === 1,
    );
    cable.set({ isDeaf: true });
    await until(
      async () => retries.length,
      (count) => count > 0,
    );
    cable.set({ isDeaf: false });
    await until(
      async () => connections,
      (count) => count > 1,
    );
    const email = await newContact();
    await find(email, next, stream);
    expect(retries[0]?.error.code).to.equal('TIMEOUT');
    await stream.return();
    cable.stop();
  });

  describe('of a campaign', () => {
    async function newCampaign(): Promise<string> {
      const fields = { subject: 'Watched', htmlTemplate: '<p>Hello</p>', from: { email: 'a@example.com' } };
      const { id } = await at.client().campaigns.create({ name: 'Watched', ...fields, publish: false });
      return id;
    }
    const become = (id: string, status: 'sending' | 'sent' | 'aborted') =>
      at.environment.deps.db.campaigns.updateOne({ _id: new ObjectId(id) }, { $set: { status } });

    it('watch shows each change, survives a cut, and ends with the campaign', async () => {
      const id = await newCampaign();
      const seen: string[] = [];
      for await (const { status } of at.client().campaigns.watch(id)) {
        seen.push(status);
        if (status === 'draft') await become(id, 'sending');
        if (status === 'sending') {
          at.proxy.cut();
          await become(id, 'sent');
        }
      }
      expect(seen[0]).to.equal('draft');
      expect(seen.at(-1)).to.equal('sent');
      expect(at.proxy.requests.length).to.be.at.least(3);
      await opened(0);
    });

    it('waitUntilSent resolves with the last progress, and fails when it was aborted, is late, or its signal says so', async () => {
      const id = await newCampaign();
      const { campaigns } = at.client();
      const late = await failureOf(campaigns.waitUntilSent(id, { timeoutMs: 300 }));
      expect(late.code).to.equal('TIMEOUT');
      const stopped = await failureOf(campaigns.waitUntilSent(id, { signal: AbortSignal.timeout(300) }));
      expect(stopped.code).to.equal('ABORTED');
      await opened(0);
      await become(id, 'sending');
      // Longer than a timer of JavaScript can be.
      const waiting = campaigns.waitUntilSent(id, { timeoutMs: 30 * 86_400_000 });
      await opened(1);
      await become(id, 'sent');
      expect(await waiting).to.include({ status: 'sent' });
      await become(id, 'aborted');
      expect(await failureOf(campaigns.waitUntilSent(id))).to.include({
        code: 'CAMPAIGN_NOT_SENT',
        details: 'aborted',
      });
    });

    it('a campaign that is not there fails with its 404', async () => {
      const none = new ObjectId().toHexString();
      expect(await failureOf(at.client().campaigns.watch(none).next())).to.include({ code: 'CAMPAIGN_NOT_FOUND' });
      expect(at.proxy.requests).to.have.length(1);
    });
  });

  it('a migration is watched until it is over; after a cut only newer versions come', async () => {
    const { client, project } = at.environment.own;
    const started = await client.post('/migrations/providerA/migrate', { apiKey: 'SG.nothing', migrateAll: true });
    const id = started.body.data.bulkOperationId;
    const change = (status: 'running' | 'cancelled') =>
      at.environment.deps.db.migrations.updateOne(
        { _id: new ObjectId(id), projectId: project._id },
        { $set: { status }, $inc: { version: 1 } },
      );
    const seen: [string, number][] = [];
    for await (const { status, version } of at.client().migrations.watch(id)) {
      seen.push([status, version ?? 0]);
      if (seen.length === 1) await change('running');
      if (seen.length === 2) {
        at.proxy.cut();
        await change('cancelled');
      }
    }
    expect(seen.map(([status]) => status)).to.deep.equal([seen[0]?.[0], 'running', 'cancelled']);
    expect(at.proxy.requests.at(-1)?.headers['last-event-id']).to.equal(String(seen[1]?.[1]));
  });

  it('events are parsed wherever their bytes are split', async () => {
    const text =
      ': connected\n\nid: 1\nevent: a\ndata: {"text":"größer"}\n\nid: 2\r\ndata: one\r\ndata: two\r\n\r\nevent: none\n\nid: 3\n\ndata:x';
    const bytes = new TextEncoder().encode(text);
    const whole = [
      { id: '1', event: 'a', data: '{"text":"größer"}' },
      { id: '2', event: 'message', data: 'one\ntwo' },
      { id: '3', event: 'message', data: undefined },
    ];
    for (const size of [1, 2, 3, 7, bytes.length]) {
      async function* chunks() {
        for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
      }
      const events = [];
      for await (const event of parseEvents(chunks())) events.push(event);
      expect(events, `pieces of ${size}`).to.deep.equal(whole);
    }
  });
});
