import { expect } from 'chai';
import { Members } from '../../core/base/members.ts';
import { budgetsOf } from '../../core/figures/live/budgets.ts';
import { reportProcess } from '../../core/figures/live/processes.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

describe('Reports of processes', () => {
  const environment = useEnvironment();

  it('are how a process learns of the others: it counts those that run, and not one that has stopped or is silent', async () => {
    const start = (...roles: string[]) => {
      const deps = { ...environment.deps, members: new Members() };
      return { members: deps.members, end: reportProcess(deps, { roles, version: '1' }) };
    };
    const seesItself = ({ members }: ReturnType<typeof start>, count: number) =>
      until(
        async () => members.count('mail'),
        (found) => found === count,
        { everyMs: 5 },
      );
    environment.deps.paces.note('campaign', 'c1', 20);
    const first = start('mail', 'campaign');
    await until(
      () => environment.deps.db.processes.countDocuments({}),
      (count) => count === 1,
    );
    const [reported] = await environment.deps.db.processes.find({}).toArray();
    expect(budgetsOf([reported!])).to.deep.include({
      ...{ name: 'campaign c1', unit: 'per second', budget: 20, shared: 1, inUse: 1, wanted: 1, mode: 'shared' },
      processes: [{ id: reported!._id, roles: ['mail', 'campaign'], share: 1, inUse: 1, wanted: 1 }],
    });
    const second = start('mail');
    await seesItself(second, 2);
    expect([second.members.count('campaign'), second.members.count('background')]).to.deep.equal([1, 1]);
    const ranks = [first, second].map(({ members }) => members.id).toSorted();
    expect(second.members.rank('mail')).to.deep.equal({ rank: ranks.indexOf(second.members.id), count: 2 });
    await second.end();
    await first.end();
    expect(await environment.deps.db.processes.countDocuments({})).to.equal(0);

    const silentSince = new Date(environment.deps.clock.now().getTime() - 20_000);
    await environment.deps.db.processes.insertOne({ ...reported!, seenAt: silentSince });
    const third = start('mail');
    await until(
      () => environment.deps.db.processes.countDocuments({}),
      (count) => count === 2,
    );
    await third.end();
    expect(third.members.count('mail')).to.equal(1);
  });
});
