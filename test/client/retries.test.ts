import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { fingerprintOf } from '../../api/http/fingerprint.ts';
import { delayBeforeRetry } from '../../client/calls/retries.ts';
import { EverpostError, type Retry } from '../../client/index.ts';
import { beginIdempotent, rowId } from '../../core/base/database/idempotency.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import type { HttpFault } from '../../lab/rig/faults/http-proxy.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { failureOf, mail, useProxy } from './client-of.ts';

const lost: HttpFault = { kind: 'loseAnswer' };
const refusal = (status: number, retryAfter: string): HttpFault => {
  return { kind: 'refuse', status, headers: { 'Retry-After': retryAfter } };
};

describe('Retries of the client', () => {
  const at = useProxy();
  const keysSent = () => at.proxy.requests.map(({ headers }) => headers['idempotency-key']);
  const newContact = async () => {
    const { contacts } = at.client();
    return contacts.create({ email: `${new ObjectId()}@example.com` });
  };

  before(async () => {
    const { deps, own } = at.environment;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
  });

  it('a mail whose answer is lost, cut off and refused on its way is queued once, under one key for all tries', async () => {
    at.faults({ kind: 'drop' }, lost, { kind: 'cutAnswer' }, refusal(503, '0'));
    const { emailId } = await at.client().mails.send(mail('once@example.com'));
    const { db } = at.environment.deps;
    const { _id: projectId } = at.environment.own.project;
    const rows = await db.messages.find({ projectId, email: 'once@example.com' }).toArray();
    expect(rows.map(({ _id }) => _id.toHexString())).to.deep.equal([emailId]);
    expect(keysSent()).to.have.length(5);
    expect(new Set(keysSent()).size).to.equal(1);
    expect(keysSent()[0]).to.match(/^[\w-]{36}$/);
  });

  it('two calls have two keys; a key of the caller is used as it is', async () => {
    at.faults();
    const client = at.client();
    const sent = [await client.mails.send(mail('two@example.com')), await client.mails.send(mail('two@example.com'))];
    const idempotencyKey = 'order 17';
    const same = [
      await client.mails.send(mail('three@example.com'), { idempotencyKey }),
      await client.mails.send(mail('three@example.com'), { idempotencyKey }),
    ];
    expect(sent[0]?.emailId).to.not.equal(sent[1]?.emailId);
    expect(same[0]?.emailId).to.equal(same[1]?.emailId);
    expect(keysSent()[0]).to.not.equal(keysSent()[1]);
    expect(keysSent().slice(2)).to.deep.equal([idempotencyKey, idempotencyKey]);
  });

  it('429 is repeated after the time that Retry-After names', async () => {
    at.faults(refusal(429, '1'));
    const retries: Retry[] = [];
    const began = performance.now();
    await at.client({ onRetry: (retry) => retries.push(retry) }).contacts.list();
    expect(performance.now() - began).to.be.at.least(1_000);
    expect(retries.map(({ error }) => error.status)).to.deep.equal([429]);
    expect(retries[0]?.delayMs).to.be.within(1_000, 1_250);
    expect(at.proxy.requests).to.have.length(2);
  });

  it('a Retry-After beyond the time for tries is not waited for: the error says how long it is', async () => {
    at.faults(refusal(429, '30'));
    const began = performance.now();
    const error = await failureOf(at.client({ retryForMs: 20_000 }).contacts.list());
    expect(error).to.include({ status: 429, retryAfterMs: 30_000 });
    expect(performance.now() - began).to.be.below(15_000);
    expect(at.proxy.requests).to.have.length(1);
  });

  it('a Retry-After longer than the 24 days of a timer is waited for', async () => {
    const days = 24 * 60 * 60;
    at.faults(refusal(429, `${25 * days}`));
    const ending = new AbortController();
    const client = at.client({ retryForMs: 30 * days * 1_000, onRetry: () => setTimeout(() => ending.abort(), 300) });
    const error = await failureOf(client.contacts.list({}, { signal: ending.signal }));
    expect(error.code).to.equal('ABORTED');
    expect(at.proxy.requests).to.have.length(1);
  });

  it('a call whose first request died with its process is taken up when the lease is over', async () => {
    at.faults();
    const { deps, own } = at.environment;
    const body = { email: 'taken-up@example.com' };
    const fingerprint = fingerprintOf('POST', '/v1/contacts', body);
    const begun = await beginIdempotent(deps, { tenant: own.project._id, key: 'died', fingerprint });
    if (!('first' in begun)) throw new Error('the key was known');
    // Ends the renewal of the lease, as a kill does; what is left of it is over once the client was refused.
    await begun.first.leave();
    const leaseUntil = (ms: number) =>
      deps.db.idempotency.updateOne(
        { _id: rowId(own.project._id, 'died') },
        { $set: { leaseUntil: new Date(Date.now() + ms) } },
      );
    expect((await leaseUntil(60_000)).matchedCount).to.equal(1);
    const retries: Retry[] = [];
    let ended: Promise<unknown> | undefined;
    const onRetry = (retry: Retry) => {
      retries.push(retry);
      ended ??= leaseUntil(0);
    };
    const client = at.client({ onRetry });
    const contact = await client.contacts.create(body, { idempotencyKey: 'died' });
    await ended;
    expect(contact.email).to.equal(body.email);
    expect(retries.length).to.be.at.least(1);
    for (const { operation, error } of retries) {
      expect(operation).to.equal('contacts.create');
      expect(error.code).to.equal('IDEMPOTENCY_IN_PROGRESS');
    }
  });

  it('a DELETE whose answer was lost finds nothing at its second try, which is success', async () => {
    const { id } = await newContact();
    at.faults(lost);
    await at.client().contacts.delete(id);
    expect(at.proxy.requests).to.have.length(2);
    const projectId = at.environment.own.project._id;
    expect(await at.environment.deps.db.contacts.countDocuments({ projectId, _id: new ObjectId(id) })).to.equal(0);
  });

  it('a repeated DELETE fails with the 404 of a gateway, and with that of a path which the API does not have', async () => {
    const { id } = await newContact();
    const page = { headers: { 'Content-Type': 'text/html' }, body: '<h1>Not found</h1>' };
    at.faults(refusal(503, '0'), { kind: 'refuse', status: 404, ...page });
    expect(await failureOf(at.client().contacts.delete(id))).to.include({ status: 404, code: null });
    expect(at.proxy.requests).to.have.length(2);
    at.faults(refusal(503, '0'));
    const elsewhere = at.client({ baseUrl: `${at.proxy.url}/elsewhere` });
    expect(await failureOf(elsewhere.contacts.delete(id))).to.include({ status: 404, code: 'NOT_FOUND' });
    expect(at.proxy.requests).to.have.length(2);
    expect((await at.client().contacts.get(id)).id).to.equal(id);
  });

  it('a first DELETE that finds nothing fails with 404, also after a 429, which did nothing', async () => {
    for (const faults of [[], [refusal(429, '0')]]) {
      at.faults(...faults);
      const error = await failureOf(at.client().contacts.delete(new ObjectId().toHexString()));
      expect(error).to.include({ status: 404, code: 'CONTACT_NOT_FOUND' });
      expect(at.proxy.requests).to.have.length(faults.length + 1);
    }
  });

  it('a PATCH is repeated after 429 and 503, and not when its answer is lost', async () => {
    const { id } = await newContact();
    at.faults(refusal(429, '0'), refusal(503, '0'));
    const changed = await at.client().contacts.update(id, { firstName: 'Ada' });
    expect(changed.firstName).to.equal('Ada');
    expect(keysSent()).to.deep.equal([undefined, undefined, undefined]);
    at.faults(lost);
    const error = await failureOf(at.client().contacts.update(id, { firstName: 'Eve' }));
    expect(error).to.include({ code: 'NETWORK', status: null });
    expect(at.proxy.requests).to.have.length(1);
  });

  it('an import is never repeated: not when its answer is lost, nor after 503', async () => {
    for (const fault of [lost, refusal(503, '0')]) {
      at.faults(fault);
      const error = await failureOf(at.client().contacts.import('email\nimported@example.com\n'));
      expect(error.code).to.equal(fault === lost ? 'NETWORK' : 'UNAVAILABLE');
      expect(at.proxy.requests).to.have.length(1);
    }
  });

  it('a refusal is final: 400, 401, 404 and another 409 are asked once', async () => {
    const { email, id } = await newContact();
    const client = at.client();
    const stranger = at.client({ apiKey: 'AS_none_none' });
    const calls: [() => PromiseLike<unknown>, number, string][] = [
      [() => client.contacts.create({ email: 'nonsense' }), 400, 'VALIDATION_ERROR'],
      [() => stranger.contacts.get(id), 401, 'UNAUTHORIZED'],
      [() => client.contacts.get(new ObjectId().toHexString()), 404, 'CONTACT_NOT_FOUND'],
      [() => client.contacts.create({ email }), 409, 'ALREADY_EXISTS'],
    ];
    for (const [call, status, code] of calls) {
      at.faults();
      expect(await failureOf(call())).to.include({ status, code });
      expect(at.proxy.requests).to.have.length(1);
    }
  });

  it('tries end with the time for them: NETWORK, with the cause; none follows when it is 0', async () => {
    const baseUrl = `http://127.0.0.1:${await anyFreePort()}`;
    const retries: Retry[] = [];
    const onRetry = (retry: Retry) => retries.push(retry);
    const began = performance.now();
    const error = await failureOf(at.client({ baseUrl, onRetry, retryForMs: 2_500 }).contacts.list());
    expect(performance.now() - began).to.be.within(2_500, 20_000);
    expect(error).to.include({ code: 'NETWORK', status: null });
    expect(error.message).to.contain('ECONNREFUSED');
    expect(error.cause).to.be.instanceOf(TypeError);
    expect(retries.map(({ tries }) => tries)).to.deep.equal(retries.map((_, index) => index + 1));
    // A try that takes long leaves less time for others.
    expect(retries.length).to.be.within(1, 8);
    retries.length = 0;
    await failureOf(at.client({ baseUrl, onRetry, retryForMs: 0 }).contacts.list());
    expect(retries).to.deep.equal([]);
  });

  it('a try without an answer in time is ended and repeated', async () => {
    at.faults({ kind: 'none', delayMs: 20_000 });
    const retries: Retry[] = [];
    const client = at.client({ timeoutMs: 1_000, onRetry: (retry) => retries.push(retry) });
    const contact = await client.contacts.create({ email: 'slow@example.com' });
    expect(contact.email).to.equal('slow@example.com');
    // A busy machine may take longer for the second try too.
    expect(retries.length).to.be.at.least(1);
    expect(retries[0]?.error.code).to.equal('TIMEOUT');
    for (const { error } of retries) expect(error.code).to.be.oneOf(['TIMEOUT', 'IDEMPOTENCY_IN_PROGRESS']);
    expect(at.proxy.requests).to.have.length(retries.length + 1);
    at.faults({ kind: 'none', delayMs: 20_000 });
    const error = await failureOf(at.client({ retryForMs: 0 }).contacts.list({}, { timeoutMs: 200 }));
    expect(error.code).to.equal('TIMEOUT');
  });

  it('the signal of a call ends its wait for the next try, and a request under way', async () => {
    for (const fault of [refusal(503, '20'), { kind: 'none', delayMs: 20_000 } as const]) {
      at.faults(fault);
      const began = performance.now();
      const signal = AbortSignal.timeout(200);
      const error = await failureOf(at.client().contacts.list({}, { signal }));
      expect(error.code).to.equal('ABORTED');
      expect(error.cause).to.equal(signal.reason);
      expect(performance.now() - began).to.be.below(15_000);
    }
    at.faults();
    const error = await failureOf(at.client().contacts.list({}, { signal: AbortSignal.abort() }));
    expect(error.code).to.equal('ABORTED');
    expect(at.proxy.requests).to.have.length(0);
  });

  it('a 502 or 504 of a gateway is a failure of the network; other answers that are not ours are final', async () => {
    const page = { headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad gateway</h1>' };
    at.faults({ kind: 'refuse', status: 502, ...page }, { kind: 'refuse', status: 504, ...page });
    await at.client().contacts.list();
    expect(at.proxy.requests).to.have.length(3);
    at.faults({ kind: 'refuse', status: 200, ...page });
    expect((await failureOf(at.client().contacts.list())).message).to.contain('baseUrl');
    at.faults({ kind: 'refuse', status: 308, headers: { Location: 'https://elsewhere.example/' }, body: '' });
    expect((await failureOf(at.client().contacts.list())).message).to.contain('https://elsewhere.example/');
    expect(at.proxy.requests).to.have.length(1);
  });

  it('a key whose answer was lost is there without its secret, and the error says so with its record', async () => {
    const { own, deps } = at.environment;
    const admin = at.client({ apiKey: own.adminKey });
    at.faults(lost);
    const error = await failureOf(admin.apiKeys.create(own.project._id.toHexString(), { name: 'lost' }));
    expect(error.code).to.equal('SECRET_LOST');
    const { id } = error.record as { id: string };
    expect((await deps.db.apiKeys.findOne({ _id: new ObjectId(id) }))?.name).to.equal('lost');
    expect(JSON.stringify(error)).to.not.contain('AS_');
    await admin.apiKeys.delete(id);
    at.faults();
    const { key } = await admin.apiKeys.create(own.project._id.toHexString(), { name: 'shown' });
    expect(key).to.match(/^AS_/);
  });

  it('waits grow to five seconds, half of each at random, and never beyond the time that is left', () => {
    const cut = new EverpostError('', { code: 'NETWORK' });
    const delays = (random: () => number) =>
      [1, 2, 3, 4, 5, 6, 7].map((tries) => delayBeforeRetry(cut, 'always', { tries, leftMs: 60_000, random }));
    expect(delays(() => 1)).to.deep.equal([200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    expect(delays(() => 0)).to.deep.equal([100, 200, 400, 800, 1_600, 2_500, 2_500]);
    expect(delayBeforeRetry(cut, 'always', { tries: 7, leftMs: 40 })).to.equal(40);
    expect(delayBeforeRetry(cut, 'always', { tries: 7, leftMs: 0 })).to.equal(null);
    const busy = new EverpostError('', { status: 503, retryAfterMs: 1_000 });
    expect(delayBeforeRetry(busy, 'refused', { tries: 1, leftMs: 60_000, random: () => 1 })).to.equal(1_250);
  });
});
