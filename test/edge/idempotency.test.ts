// Promise: nothing is sent twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { fingerprintOf } from '../../api/http/fingerprint.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { useEnvironment } from '../support/environment.ts';

describe('Idempotency-Key', () => {
  const environment = useEnvironment();

  const upsert = (key: string, body: object, client = environment.own.client) =>
    client.post('/contacts', body, { 'Idempotency-Key': key });

  it('answers a repeat with the first status and body, whatever the order of fields', async () => {
    const first = await upsert('k1', { email: 'a@example.com', firstName: 'Ada' });
    expect(first.status).to.equal(201);
    expect(first.headers.get('idempotency-replayed')).to.equal(null);
    const again = await upsert('k1', { firstName: 'Ada', email: 'a@example.com' });
    expect(again.status).to.equal(201);
    expect(again.text).to.equal(first.text);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
  });

  it('refuses the same key with another request, and does nothing', async () => {
    await upsert('k2', { email: 'b@example.com' });
    for (const answer of [
      await upsert('k2', { email: 'c@example.com' }),
      await environment.own.client.post('/contacts/email', { email: 'b@example.com' }, { 'Idempotency-Key': 'k2' }),
    ])
      expect([answer.status, answer.body.error.code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await environment.deps.db.contacts.countDocuments({ email: 'c@example.com' })).to.equal(0);
  });

  it('knows a large body again too, whatever the order of its fields, and refuses another one', async () => {
    await seedVerifiedDomain(environment.deps, environment.other.project, 'large.example.com', new ObjectId());
    const content = Buffer.alloc(2_000_000, 1).toString('base64');
    const mail = { to: { email: 'a@in.test' }, from: { email: 'a@large.example.com' }, subject: 's', html: 'h' };
    const attachments = [{ fileName: 'a', content }];
    const send = (body: object) => environment.other.client.post('/mails/send', body, { 'Idempotency-Key': 'large' });
    const first = await send({ ...mail, attachments });
    expect(first.status, first.text).to.equal(200);
    const again = await send({ attachments: [{ content, fileName: 'a' }], ...mail });
    expect([again.text, again.headers.get('idempotency-replayed')]).to.deep.equal([first.text, 'true']);
    const other = await send({ ...mail, attachments: [{ fileName: 'a', content: `${content.slice(0, -4)}AAAA` }] });
    expect([other.status, other.body.error?.code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('is known again after an upgrade: fingerprints stay the same', () => {
    const body = { text: 'ü"\\', 10: 0, 9: -0, b: [1.5, null, true, { d: [], c: {} }], '': 'x', Z: 1, a: 2 };
    expect(fingerprintOf('POST', '/v1/contacts', body)).to.equal('POfS0LlrjzshepmftBkz_5ZUBXWVfAG98Svo9HPxMWo');
    expect(fingerprintOf('POST', '/v1/contacts', undefined)).to.equal('IUGUATtmLKrmso7JJc6YqlGLY9azZlXFCnreRUt-eWw');
  });

  it('is free again after a 4xx', async () => {
    expect((await upsert('k3', { email: 'nonsense' })).status).to.equal(400);
    expect((await upsert('k3', { email: 'd@example.com' })).status).to.equal(201);
    expect((await upsert('k4', { email: 'd@example.com' })).status).to.equal(409);
    expect((await upsert('k4', { email: 'e@example.com' })).status).to.equal(201);
  });

  it('means something else in another project', async () => {
    const own = await upsert('k5', { email: 'f@example.com' });
    const other = await upsert('k5', { email: 'f@example.com' }, environment.other.client);
    expect([own.status, other.status]).to.deep.equal([201, 201]);
    expect(own.body.data.id).to.not.equal(other.body.data.id);
  });

  it('must be 1 to 256 printable ASCII characters', async () => {
    expect((await upsert('x'.repeat(257), { email: 'g@example.com' })).body.error.code).to.equal('VALIDATION_ERROR');
    expect((await upsert('ümlaut', { email: 'g@example.com' })).status).to.equal(400);
    expect((await upsert('', { email: 'g@example.com' })).status).to.equal(400);
    expect((await upsert('x'.repeat(256), { email: 'g@example.com' })).status).to.equal(201);
  });

  it('200 requests at once with one key do the work once', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => upsert('k6', { email: 'h@example.com' })));
    const others = answers.filter(({ status }) => ![201, 409].includes(status));
    expect(others.map(({ status, text }) => `${status} ${text}`)).to.deep.equal([]);
    const done = answers.filter(({ status }) => status === 201);
    expect(done.length).to.be.at.least(1);
    expect(new Set(done.map(({ text }) => text)).size).to.equal(1);
    for (const { status, body, headers } of answers.filter((answer) => answer.status === 409)) {
      expect([status, body.error.code, headers.get('retry-after')]).to.deep.equal([
        409,
        'IDEMPOTENCY_IN_PROGRESS',
        '1',
      ]);
    }
    expect(await environment.deps.db.contacts.countDocuments({ email: 'h@example.com' })).to.equal(1);
  });

  it('a try that died with its process is continued after its lease, under the same ids', async () => {
    const client = environment.own.client;
    const first = await upsert('k7', { email: 'i@example.com' });
    const { db } = environment.deps;
    const leaseUntil = new Date(Date.now() + 60_000);
    // As a kill after the write and before the answer was kept leaves it.
    await db.idempotency.updateMany(
      { state: 'done', body: { $regex: first.body.data.id } },
      { $set: { state: 'running', body: null, status: null, leaseUntil } },
    );
    expect((await upsert('k7', { email: 'i@example.com' })).body.error.code).to.equal('IDEMPOTENCY_IN_PROGRESS');
    await db.idempotency.updateMany({ leaseUntil }, { $set: { leaseUntil: new Date(Date.now() - 1) } });
    const again = await upsert('k7', { email: 'i@example.com' });
    expect(again.status).to.equal(201);
    expect(again.body.data.id).to.equal(first.body.data.id);
    expect((await client.get(`/contacts/${first.body.data.id}`)).status).to.equal(200);
  });

  /** Between the look at the row and the takeover. */
  function afterLook(work: () => Promise<void>): () => void {
    const { idempotency } = environment.deps.db;
    const { findOne } = idempotency;
    idempotency.findOne = (async (filter: object) => {
      const found = await findOne.call(idempotency, filter);
      await work();
      return found;
    }) as typeof findOne;
    return () => {
      idempotency.findOne = findOne;
    };
  }

  async function abandoned(key: string, email: string): Promise<string> {
    const { id } = (await upsert(key, { email })).body.data;
    const left = { state: 'running' as const, body: null, status: null, leaseUntil: new Date(0) };
    await environment.deps.db.idempotency.updateMany({ state: 'done', body: { $regex: id } }, { $set: left });
    return id;
  }

  it('of twenty repeats that find the first try abandoned at once, exactly one continues it', async () => {
    const id = await abandoned('left behind', 'left@example.com');
    let waiting = 0;
    let go = () => {};
    const all = new Promise<void>((resolve) => {
      go = resolve;
    });
    const restore = afterLook(() => {
      waiting += 1;
      if (waiting === 20) go();
      return all;
    });
    const repeat = () => upsert('left behind', { email: 'left@example.com' });
    const answers = await Promise.all(Array.from({ length: 20 }, repeat)).finally(restore);
    const [begun, others] = [
      answers.filter(({ status }) => status === 201),
      answers.filter(({ status }) => status !== 201),
    ];
    expect([begun.length, begun[0]?.body.data.id]).to.deep.equal([1, id]);
    expect(begun[0]?.headers.get('idempotency-replayed')).to.equal(null);
    expect(new Set(others.map(({ body }) => body.error.code))).to.deep.equal(new Set(['IDEMPOTENCY_IN_PROGRESS']));
  });

  it('a first try that renews its lease just then is not taken over', async () => {
    await abandoned('still there', 'still@example.com');
    const { idempotency } = environment.deps.db;
    const restore = afterLook(async () => {
      await idempotency.updateMany(
        { leaseUntil: new Date(0) },
        { $set: { leaseUntil: new Date(Date.now() + 60_000) } },
      );
    });
    const answer = await upsert('still there', { email: 'still@example.com' }).finally(restore);
    expect(answer.body.error?.code).to.equal('IDEMPOTENCY_IN_PROGRESS');
  });

  it('a try that failed after its write is continued at once, and makes nothing twice', async () => {
    const { deps, own } = environment;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
    const mail = {
      to: { email: 'once@in.test' },
      from: { email: 'post@mail.example.com' },
      subject: 'Once',
      text: 'Once.',
    };
    const send = () => own.client.post('/mails/send', mail, { 'Idempotency-Key': 'written' });
    const { publish } = deps.signals;
    deps.signals.publish = () => {
      throw new Error('cut off after the commit');
    };
    expect((await send()).status).to.equal(500);
    deps.signals.publish = publish;
    const written = await deps.db.messages.findOne({ projectId: own.project._id });
    const again = await send();
    expect([again.status, again.body.data.emailId]).to.deep.equal([200, written?._id.toHexString()]);
    expect(await deps.db.messages.countDocuments({ projectId: own.project._id })).to.equal(1);
  });

  it('stays with a mail that was written when a repeat is refused, so that the next one sends nothing more', async () => {
    const { deps, own } = environment;
    const _id = new ObjectId();
    await seedVerifiedDomain(deps, own.project, 'kept.example.com', _id);
    const mail = {
      to: { email: 'kept@in.test' },
      from: { email: 'a@kept.example.com' },
      subject: 'Kept',
      text: 'Kept.',
    };
    const send = () => own.client.post('/mails/send', mail, { 'Idempotency-Key': 'kept' });
    const { publish } = deps.signals;
    deps.signals.publish = () => {
      throw new Error('cut off after the commit');
    };
    expect((await send()).status).to.equal(500);
    deps.signals.publish = publish;
    const become = (verificationStatus: 'PENDING' | 'VERIFIED') =>
      deps.db.domains.updateOne({ _id, projectId: own.project._id }, { $set: { verificationStatus } });
    await become('PENDING');
    // A verified domain is remembered for a second.
    await sleep(1_100);
    expect((await send()).body.error.code).to.equal('DOMAIN_NOT_VERIFIED');
    await become('VERIFIED');
    const written = { projectId: own.project._id, email: 'kept@in.test' };
    const first = await deps.db.messages.findOne(written);
    expect((await send()).body.data?.emailId).to.equal(first?._id.toHexString());
    expect(await deps.db.messages.countDocuments(written)).to.equal(1);
  });

  it('an answer that shows a secret is kept without it', async () => {
    const admin = environment.client(environment.own.adminKey);
    const path = `/account/projects/${environment.own.project._id}/api-keys`;
    const first = await admin.post(path, { name: 'once' }, { 'Idempotency-Key': 'k8' });
    const again = await admin.post(path, { name: 'once' }, { 'Idempotency-Key': 'k8' });
    expect(first.body.data.key).to.match(/^AS_/);
    expect(again.status).to.equal(201);
    const { key: _key, ...rest } = first.body.data;
    expect(again.body.data).to.deep.equal(rest);
    expect(JSON.stringify(await environment.deps.db.idempotency.find().toArray())).to.not.contain(first.body.data.key);
  });

  it('leaves a key that was answered as it is, also where the answer could not be kept', async () => {
    const { deps, own } = environment;
    const path = `/account/projects/${own.project._id}/api-keys`;
    const create = () =>
      environment.client(own.adminKey).post(path, { name: 'in use' }, { 'Idempotency-Key': 'not kept' });
    const { key, ...rest } = (await create()).body.data;
    // As a database leaves it that is away when the answer would be kept.
    const left = { state: 'running' as const, body: null, status: null, leaseUntil: new Date(0) };
    const { matchedCount } = await deps.db.idempotency.updateOne(
      { state: 'done', body: { $regex: rest.id } },
      { $set: left },
    );
    expect(matchedCount).to.equal(1);
    for (const time of ['continued', 'replayed']) {
      const again = await create();
      expect([again.status, again.headers.get('idempotency-replayed')], time).to.deep.equal([201, 'true']);
      expect(again.body.data, time).to.deep.equal(rest);
    }
    expect((await environment.client(key).get('/contacts')).status).to.equal(200);
  });
});
