// Promise: nothing is lost.
import { once } from 'node:events';
import { expect } from 'chai';
import { parseId } from '../../core/base/ids.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { expectCountsRight } from '../contacts/support.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { endTransactions, forkWorker, hold } from './held.ts';
import { entriesOf, expectGroupCountsRight } from './support.ts';

const HELD: [string, string] = ['held1@example.com', 'held2@example.com'];
const LEFT = 300;

describe('A worker that is killed between suppressions and contacts', () => {
  const environment = useEnvironment();

  it('leaves the suppressions and no contact; the next run writes the rest, and everything once', async function () {
    this.timeout(300_000);
    const { deps } = environment;
    const tenant = await environment.newTenant('Killed');
    const { client, project } = tenant;
    const listId = (await client.post('/contact-lists', { name: 'L' })).body.data.id;
    for (const email of HELD) await client.post('/contacts/email', { email });
    const left = Array.from({ length: LEFT }, (_, index) => `left${index}@example.com`);
    const rows = [
      ...left.map((email) => `${email},unsubscribed,Yes,2020-01-01`),
      ...HELD.map((email) => `${email},subscribed,,`),
    ];
    const release = await hold(environment, tenant, HELD);
    const worker = await forkWorker(environment);
    const body = `email,status,consentText,consentAskedAt\n${rows.join('\n')}\n`;
    const upload = { body, headers: { 'Content-Type': 'text/csv' } };
    const accepted = await client.send('POST', `/contacts/import?listIds=${listId}&runWorkflow=true`, upload);
    const id: string = accepted.body.data.importId;
    const importOf = async () => (await client.get(`/contacts/imports/${id}`)).body.data;
    const contacts = () => deps.db.contacts.countDocuments({ projectId: project._id });
    const suppressed = () => deps.db.suppressions.countDocuments({ projectId: project._id });

    try {
      await until(suppressed, (count) => count === LEFT, { ms: 90_000 });
    } finally {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      await release();
    }
    await endTransactions(environment);
    expect(await importOf()).to.include({ processed: 0, created: 0, suppressed: 0, consents: 0 });
    expect(await contacts()).to.equal(HELD.length);
    expect(await suppressed()).to.equal(LEFT);

    const place = { projectId: project._id, importId: parseId(id)! };
    await importSlice(deps, place, { timeMs: 60_000 });
    expect(await importOf()).to.include({
      ...{ status: 'completed', processed: LEFT + 2, created: LEFT, updated: 2, failed: 0 },
      ...{ suppressed: LEFT, stillSuppressed: 0, consents: LEFT },
    });
    expect(await entriesOf(tenant)).to.deep.equal(left.map((email) => `${email} Marketing UNSUBSCRIBE`).sort());
    expect(await deps.db.consents.countDocuments({ projectId: project._id })).to.equal(LEFT);
    await expectGroupCountsRight(environment, tenant);
    await expectCountsRight(environment, tenant);
  });
});
