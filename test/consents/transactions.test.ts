// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { ContactChange } from '../../core/people/changes/apply-change.ts';
import { changeContactsTogether } from '../../core/people/changes/changes.ts';
import { importWriter } from '../../core/people/changes/counts.ts';
import { start } from '../accounts/processes.ts';
import { postUntilTaken } from '../contacts/support.ts';
import { createClient } from '../support/client.ts';
import { type Environment, startEnvironment, type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const TEXT = 'Yes, send me the monthly news.';
const ASKED = new Date('2026-03-02T09:29:12Z');

describe('A consent and the change of its contact', function () {
  this.timeout(180_000);
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Together');
  });

  const evidence = { source: 'import', text: TEXT, askedAt: ASKED, confirmedAt: null, networkAddress: null } as const;
  const change = (email: string): ContactChange => ({
    ...{ email, newId: new ObjectId(), whenMissing: 'create', whenPresent: 'change', consent: evidence },
  });
  const counts = async () => {
    const projectId = tenant.project._id;
    const { contacts, consents } = environment.deps.db;
    return [await contacts.countDocuments({ projectId }), await consents.countDocuments({ projectId })];
  };
  const write = (deps: Environment['deps'], more: { inSameTransaction?: () => Promise<void> } = {}) =>
    changeContactsTogether(deps, tenant.project, [change('a@example.com'), change('b@example.com')], {
      writer: importWriter(),
      ...more,
    });

  it('are both written, and both left out when the transaction fails afterwards', async () => {
    const inSameTransaction = async () => {
      throw new Error('after the consents');
    };
    await write(environment.deps, { inSameTransaction }).then(
      () => expect.fail('written'),
      (error: Error) => expect(error.message).to.equal('after the consents'),
    );
    expect(await counts()).to.deep.equal([0, 0]);
    await write(environment.deps);
    expect(await counts()).to.deep.equal([2, 2]);
  });

  it('are both left out when the consents cannot be written', async () => {
    const { deps } = environment;
    const consents = new Proxy(deps.db.consents, {
      get(target, name) {
        if (name === 'insertMany') return () => Promise.reject(new Error('no consents'));
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await write({ ...deps, db: { ...deps.db, consents } }).then(
      () => expect.fail('written'),
      (error: Error) => expect(error.message).to.equal('no consents'),
    );
    expect(await counts()).to.deep.equal([0, 0]);
  });

  it('agree when two processes create, change and delete the same contacts at once', async () => {
    const second = await startEnvironment({ MONGODB_DATABASE: environment.deps.config.mongodbDatabase });
    try {
      const clients = [environment, second].map((one) => one.client(tenant.projectKey));
      const emails = Array.from({ length: 20 }, (_, index) => `p${index}@example.com`);
      const answers = await Promise.all(
        emails.flatMap((email) =>
          clients.flatMap((client, index) => [
            postUntilTaken(client, '/contacts', { email, consent: { text: `created by ${index}` } }),
            postUntilTaken(client, '/contacts/remove', { emails: [email] }),
            postUntilTaken(client, '/contacts/email', { email, consent: { text: `upserted by ${index}` } }),
          ]),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => ![200, 201, 409].includes(status))).to.deep.equal([]);
      const written = answers
        .filter(({ status, body }) => status < 300 && body.data.id)
        .map(({ body }) => body.data.id);
      const { consents, contacts, contactErasures } = environment.deps.db;
      const projectId = tenant.project._id;
      const records = await consents.find({ projectId }).toArray();
      expect(records.map(({ contactId }) => contactId.toHexString())).to.have.members(written);
      const [alive, deleted] = [
        await contacts.distinct('_id', { projectId }),
        await contactErasures.distinct('_id', { projectId }),
      ];
      const known = new Set([...alive, ...deleted].map(String));
      expect(records.filter(({ contactId }) => !known.has(String(contactId)))).to.deep.equal([]);
    } finally {
      await second.stop();
    }
  });

  it('agree when the process is killed while it writes', async () => {
    const { deps } = environment;
    const projectId = tenant.project._id;
    for (const [round, answersMin] of [1, 60].entries()) {
      const api = start(environment, 'api/main.ts', deps.config.secretKeys.join());
      expect(await api.began).to.equal('ready');
      const client = createClient(api.url(), tenant.projectKey);
      const emails = Array.from({ length: 300 }, (_, index) => `k${round}-${index}@example.com`);
      const answered: string[] = [];
      const calls = emails.map(async (email) => {
        const reply = await client.post('/contacts', { email, consent: { text: TEXT } }).catch(() => null);
        if (reply?.status === 201) answered.push(email);
        if (answered.length >= answersMin) api.kill();
      });
      await Promise.all(calls);
      api.kill();
      await api.ended;
      const named = { projectId, email: { $in: emails } };
      const both = async () => {
        const written = await deps.db.contacts.distinct('email', named);
        const agreed = await deps.db.consents.distinct('email', named);
        return { written: written.toSorted(), agreed: agreed.toSorted() };
      };
      // A commit that was on its way may still be applied between the two reads.
      const { written, agreed } = await until(both, (found) => String(found.written) === String(found.agreed));
      expect(agreed).to.deep.equal(written);
      expect(written).to.include.members(answered);
      expect(answered.length).to.be.at.least(answersMin);
    }
  });
});
