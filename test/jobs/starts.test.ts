import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { inTransaction } from '../../core/base/database/transactions.ts';
import { carryOverCampaigns } from '../../core/campaigns/carry-over.ts';
import { again, done } from '../../core/jobs/document-queue.ts';
import type { RunStart } from '../../core/jobs/model.ts';
import { requestRun, requestRunOnce, startQueue, withdrawRun } from '../../core/jobs/starts.ts';
import { useEnvironment } from '../support/environment.ts';

describe('The start of a run', () => {
  const environment = useEnvironment();

  const subject = () => ({ _id: new ObjectId(), projectId: environment.own.project._id });
  const stored = ({ _id }: { _id: ObjectId }) => environment.deps.db.starts.find({ subjectId: _id }).toArray();
  const aborted = new Error('aborted');

  /** Serves the requests that are due, and returns how many there were. */
  async function serve(
    kind: 'import' | 'segment',
    { _id, projectId }: ReturnType<typeof subject>,
    run: (start: RunStart) => Promise<ReturnType<typeof again>>,
  ): Promise<number> {
    const queue = startQueue(environment.deps, kind, { concurrencyMax: 4, run });
    const { runs } = await queue.take(projectId, 16);
    await Promise.all(runs.map((one) => one()));
    return runs.length;
  }

  it('is asked for with its cause or not at all', async () => {
    const [kept, lost] = [subject(), subject()];
    const { deps } = environment;
    await inTransaction(deps, (session) => requestRun(deps, 'campaign', kept, { session }));
    const failing = inTransaction(deps, async (session) => {
      await requestRun(deps, 'campaign', lost, { session });
      throw aborted;
    });
    expect(await failing.catch((error) => error)).to.equal(aborted);
    expect(await stored(kept)).to.have.length(1);
    expect(await stored(lost)).to.deep.equal([]);
  });

  it('is served once for several requests, and removed', async () => {
    const one = subject();
    const { deps } = environment;
    const inCommit = () => inTransaction(deps, (session) => requestRun(deps, 'import', one, { session }));
    const alone = () => requestRun(deps, 'import', one);
    await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? inCommit() : alone())));
    const served: string[] = [];
    const run = async ({ subjectId }: RunStart) => {
      served.push(subjectId.toHexString());
      return done;
    };
    expect(await serve('import', one, run)).to.equal(1);
    expect(served).to.deep.equal([one._id.toHexString()]);
    expect(await stored(one)).to.deep.equal([]);
    expect(await serve('import', one, run)).to.equal(0);
  });

  it('that is asked for again while it is served is served after it', async () => {
    const one = subject();
    await requestRun(environment.deps, 'import', one);
    let served = 0;
    const run = async () => {
      served += 1;
      if (served === 1) await requestRun(environment.deps, 'import', one);
      return done;
    };
    await serve('import', one, run);
    expect(await stored(one)).to.have.length(1);
    await serve('import', one, run);
    expect(served).to.equal(2);
    expect(await stored(one)).to.deep.equal([]);
  });

  it('waits for its time, and is looked at again when it says so', async () => {
    const one = subject();
    const run = async () => again(new Date(Date.now() + 60_000));
    await requestRun(environment.deps, 'segment', one, { at: new Date(Date.now() + 60_000) });
    expect(await serve('segment', one, run)).to.equal(0);
    await requestRun(environment.deps, 'segment', one);
    expect(await serve('segment', one, run)).to.equal(1);
    const [start] = await stored(one);
    expect(start?.dueAt.getTime()).to.be.greaterThan(Date.now() + 50_000);
  });

  it('is of its kind alone: neither another kind nor another project finds it', async () => {
    const one = subject();
    await requestRun(environment.deps, 'import', one);
    const never = async () => done;
    expect(await serve('segment', one, never)).to.equal(0);
    expect(await serve('import', { ...one, projectId: environment.other.project._id }, never)).to.equal(0);
    expect(await stored(one)).to.have.length(1);
  });

  it('is left as it is by a request that only makes sure of one, and withdrawn with its cause', async () => {
    const one = subject();
    const { deps } = environment;
    await inTransaction(deps, (session) => requestRunOnce(deps, 'migration', one, session));
    const [first] = await stored(one);
    await sleep(2);
    await inTransaction(deps, (session) => requestRunOnce(deps, 'migration', one, session));
    expect(await stored(one)).to.deep.equal([first]);
    await inTransaction(deps, (session) => withdrawRun(deps, 'migration', one, session));
    expect(await stored(one)).to.deep.equal([]);
  });

  it('of a document that had the date itself is carried over once', async () => {
    const { deps, own } = environment;
    const { body } = await own.client.post('/campaigns', {
      name: 'Older',
      subject: 'Older',
      htmlTemplate: '<p>{{unsubscribe}}</p>',
    });
    const _id = new ObjectId(body.data.id);
    const filter = { _id, projectId: own.project._id };
    await deps.db.campaigns.updateOne(filter, { $set: { startDueAt: new Date(), metricsDueAt: new Date() } as object });
    expect(await carryOverCampaigns(deps, own.project)).to.deep.equal({ campaigns: 0, starts: 2 });
    expect((await stored({ _id })).map(({ kind }) => kind).sort()).to.deep.equal(['campaign', 'metrics']);
    expect(await deps.db.campaigns.findOne(filter)).to.not.have.any.keys('startDueAt', 'metricsDueAt');
    expect(await carryOverCampaigns(deps, own.project)).to.deep.equal({ campaigns: 0, starts: 0 });
  });
});
