// Promise: nothing is lost.
import { once } from 'node:events';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { parseId } from '../../core/base/ids.ts';
import { globalListId } from '../../core/people/global-list.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { recomputeSegment, SETTLE_MS } from '../../core/people/lists/recompute.ts';
import { expectCountsRight, segmentOf } from '../contacts/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { endTransactions, forkWorker, hold } from './held.ts';

/** More than one page of a recompute. */
const STALE = 5_200;
const HELD: [string, string] = ['held1@example.com', 'held2@example.com'];

describe('A worker that is killed', () => {
  const environment = useEnvironment();

  it('in the middle of an import and of a recompute: both end after its restart as if nothing had been', async function () {
    this.timeout(300_000);
    const { deps, clock } = environment;
    const importing = await environment.newTenant('Importing');
    const recomputing = await environment.newTenant('Recomputing');
    const list = (await importing.client.post('/contact-lists', { name: 'L' })).body.data.id;
    await importing.client.post('/contact-lists', segmentOf('firstName', 'equals', 'F3'));
    for (const email of HELD) await importing.client.post('/contacts/email', { email, firstName: 'Before' });
    const segmentId = await staleSegment(recomputing);
    const releases = [await hold(environment, importing, HELD), await hold(environment, recomputing, HELD)];
    const worker = await forkWorker(environment);

    const body = `email,firstName\n${rows().join('\n')}\nbad,x\n`;
    const upload = { body, headers: { 'Content-Type': 'text/csv' } };
    const accepted = await importing.client.send('POST', `/contacts/import?listIds=${list}`, upload);
    const id: string = accepted.body.data.importId;
    const importOf = async () => (await importing.client.get(`/contacts/imports/${id}`)).body.data;
    const recomputeOf = async () => (await recomputing.client.get(`/contact-lists/${segmentId}`)).body.data.recompute;
    const inTheMiddle = { ms: 90_000, everyMs: 50 };
    await until(recomputeOf, ({ processed }) => processed === 5_000, inTheMiddle);
    await until(importOf, ({ processed }) => processed === 1_000, inTheMiddle);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    for (const release of releases) await release();
    await endTransactions(environment);
    expect(await importOf()).to.include({ status: 'running', processed: 1_000, created: 1_000 });
    expect(await recomputeOf()).to.include({ status: 'running', processed: 5_000, total: STALE });

    // Does what the workflows do when lost activities have timed out, without waiting that minute.
    await importSlice(deps, { projectId: importing.project._id, importId: parseId(id)! }, { timeMs: 30_000 });
    expect(await importOf()).to.include({
      status: 'completed_with_errors',
      processed: 2_001,
      created: 1_998,
      updated: 2,
      failed: 1,
    });
    const { lists } = (await importing.client.get('/contact-lists')).body.data;
    expect(lists.map(({ contactCount }: { contactCount: number }) => contactCount)).to.deep.equal([2_000, 2_000, 200]);
    await expectCountsRight(environment, importing);

    // It counts from the begin of the recompute, which is long ago on a slow machine.
    const settleMs = 20 * SETTLE_MS;
    const look = () => recomputeSegment(deps, recomputing.project._id, segmentId, { timeMs: 30_000, settleMs });
    expect(await look()).to.include({ status: 'settling', processed: STALE });
    clock.advance(settleMs);
    expect((await look()).status).to.equal('completed');
    expect((await recomputing.client.get(`/contact-lists/${segmentId}`)).body.data.contactCount).to.equal(STALE);
    await expectCountsRight(environment, recomputing);
  });

  /** The two that are held come after the second batch. */
  function rows(): string[] {
    const names = Array.from({ length: 1_998 }, (_, index) => `k${index}@example.com`);
    names.splice(1_000, 0, ...HELD);
    return names.map((email, index) => `${email},F${index % 10}`);
  }

  /** A segment that has not looked at anybody yet; the last two of its contacts are those that are held. */
  async function staleSegment({ client, project }: Tenant): Promise<ObjectId> {
    const { db } = environment.deps;
    const projectId = project._id;
    const { id } = (await client.post('/contact-lists', segmentOf('lastName', 'equals', 'Old'))).body.data;
    const at = environment.clock.now();
    const names = [...Array.from({ length: STALE - 2 }, (_, index) => `s${index}@example.com`), ...HELD];
    const rest = { firstName: null, lastName: 'Old', userId: null, mobile: null, contactProperties: {}, listIds: [] };
    const facts = { ...rest, projectId, segmentIds: [], createdAt: at, updatedAt: at };
    await db.contacts.insertMany(names.map((email) => ({ _id: new ObjectId(), email, ...facts })));
    const everybody = globalListId(project);
    await db.listCounts.insertOne({ _id: `${everybody}:15`, projectId, listId: everybody, count: STALE });
    const running = { status: 'running', cursor: null, processed: 0, total: STALE, completedAt: null } as const;
    const fields = Object.entries(running).map(([field, value]) => [`recompute.${field}`, value]);
    const _id = parseId(id)!;
    await db.contactLists.updateOne(
      { _id, projectId },
      { $set: { ...Object.fromEntries(fields), recomputeDueAt: at } },
    );
    return _id;
  }
});
