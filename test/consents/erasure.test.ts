import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { finishDeletions } from '../../core/accounts/deletion.ts';
import { hashOfErased } from '../../core/base/secrets.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import { removeOld } from '../../core/retention.ts';
import { admin } from '../accounts/processes.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const DAY_MS = 24 * 3_600_000;
const DAYS = 400;
const TEXT = 'Yes, send me the monthly news.';
const OTHER_KEY = `later:${Buffer.alloc(32, 9).toString('base64')}`;

describe('Consents of a contact that is deleted', function () {
  this.timeout(120_000);
  const environment = useEnvironment({ CONSENT_RETENTION_DAYS: String(DAYS) });
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Erasure');
  });

  const db = () => environment.deps.db;
  const mine = () => ({ projectId: tenant.project._id });
  const stored = () => db().consents.find(mine()).sort({ createdAt: 1, _id: 1 }).toArray();
  const agreed = async (email: string, text = TEXT) => {
    const consent = { text, networkAddress: '203.0.113.77' };
    environment.clock.advance(1_000);
    const reply = await tenant.client.post('/contacts/email', { email, consent });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.data.id as string;
  };
  const deleted = async (id: string) => expect((await tenant.client.delete(`/contacts/${id}`)).status).to.equal(200);

  /** As half a day later: what is due is erased until nothing is left. */
  async function erase(): Promise<void> {
    await db().contactErasures.updateMany(mine(), [{ $set: { dueAt: '$$NOW' } }]);
    const loop = startQueues(environment.deps, [messageErasures(environment.deps)]);
    await loop.ready;
    await until(
      () => db().contactErasures.countDocuments(mine()),
      (left) => left === 0,
    );
    await loop.stop();
  }

  it('keep text, times and the keyed hash of each address, and lose address and network', async () => {
    const id = await agreed('ada@example.com', 'first');
    environment.clock.advance(1_000);
    await tenant.client.patch(`/contacts/${id}`, { email: 'lovelace@example.com', consent: { text: 'second' } });
    await agreed('bob@example.com', 'of bob');
    const before = await stored();
    await deleted(id);
    await erase();
    const hashOf = (email: string) => hashOfErased(environment.deps, tenant.project._id, email);
    const [first, second, bob] = await stored();
    expect([first?.emailHash, second?.emailHash]).to.deep.equal([
      hashOf('ada@example.com'),
      hashOf('lovelace@example.com'),
    ]);
    for (const [index, after] of [first, second].entries()) {
      const { emailHash, erasedAt, ...rest } = after ?? {};
      expect(rest).to.deep.equal({ ...before[index], email: '', networkAddress: null });
      expect(erasedAt).to.be.instanceOf(Date);
    }
    expect(JSON.stringify([first, second])).to.not.match(/ada@|lovelace|203\.0/);
    expect(bob).to.deep.equal(before[2]);
    expect((await tenant.client.get(`/contacts/${id}/consents`)).status).to.equal(404);
  });

  it('are not those of a new contact with the same address', async () => {
    const id = await agreed('ada@example.com', 'before');
    await deleted(id);
    const next = await agreed('ada@example.com', 'after');
    await erase();
    const { consents } = (await tenant.client.get(`/contacts/${next}/consents`)).body.data;
    expect(consents.map(({ text, email }: { text: string; email: string }) => [text, email])).to.deep.equal([
      ['after', 'ada@example.com'],
    ]);
    expect((await stored()).map(({ email }) => email)).to.deep.equal(['', 'ada@example.com']);
  });

  it('are removed CONSENT_RETENTION_DAYS after they were erased, and those of living contacts never', async () => {
    const id = await agreed('ada@example.com');
    await agreed('bob@example.com');
    await deleted(id);
    await erase();
    const erasedDaysAgo = (days: number) => {
      const erasedAt = new Date(environment.clock.now().getTime() - days * DAY_MS);
      return db().consents.updateOne({ ...mine(), contactId: new ObjectId(id) }, { $set: { erasedAt } });
    };
    const long = new Date(environment.clock.now().getTime() - 10 * DAYS * DAY_MS);
    await db().consents.updateMany(mine(), { $set: { createdAt: long, askedAt: long } });
    await erasedDaysAgo(DAYS - 1);
    await removeOld(environment.deps);
    expect(await stored()).to.have.length(2);
    await erasedDaysAgo(DAYS + 1);
    await removeOld(environment.deps);
    expect((await stored()).map(({ email }) => email)).to.deep.equal(['bob@example.com']);
  });

  it('are found by the operator by address, also under a later key', async () => {
    const id = await agreed('ada@example.com', 'erased');
    await deleted(id);
    await erase();
    await agreed('ada@example.com', 'living');
    await agreed('bob@example.com', 'of bob');
    const project = tenant.project._id.toHexString();
    const key = environment.deps.config.secretKeys.join();
    const found = async (keys: string, ...words: string[]) => {
      const { code, output } = await admin(environment, keys, 'consents', ...words);
      expect(code, output).to.equal(0);
      return output
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line));
    };
    const named = ['ADA@example.com', '--project', project];
    const records = await found(key, ...named);
    expect(records.map(({ text, email }) => [text, email])).to.deep.equal([
      ['living', 'ada@example.com'],
      ['erased', ''],
    ]);
    expect(records[1].erasedAt).to.be.a('string');
    const rotated = await found(`${OTHER_KEY},${key}`, ...named);
    expect(rotated.map(({ text }) => text)).to.deep.equal(['living', 'erased']);
    expect(await found(key, 'carol@example.com', '--project', project)).to.deep.equal([]);
    const unknown = await admin(environment, key, 'consents', 'ada@example.com', '--project', String(new ObjectId()));
    expect([unknown.code, unknown.output]).to.deep.equal([
      1,
      'There is no such project; npm run admin -- organizations list shows their ids.\n',
    ]);
  });

  it('are removed with their project, and those of other projects stay', async () => {
    const other = tenant;
    await agreed('ada@example.com');
    tenant = await environment.newTenant('Deleted');
    await agreed('ada@example.com');
    const removed = await environment
      .client(tenant.adminKey)
      .delete(`/account/projects/${tenant.project._id.toHexString()}`);
    expect(removed.status, removed.text).to.equal(200);
    expect(await stored()).to.deep.equal([]);
    // A call that was in progress may write one more.
    const evidence = { text: TEXT, askedAt: new Date(), confirmedAt: null, networkAddress: null, textVersion: '0' };
    const late = { _id: new ObjectId(), contactId: new ObjectId(), email: 'late@example.com', source: 'api' as const };
    await db().consents.insertOne({ ...late, ...mine(), ...evidence, createdAt: new Date() });
    environment.clock.advance(61_000);
    await finishDeletions(environment.deps, () => true);
    expect(await stored()).to.deep.equal([]);
    tenant = other;
    expect(await stored()).to.have.length(1);
  });
});
