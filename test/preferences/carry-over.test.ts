// Promise: who left is not mailed.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { builtInGroup } from '../../core/consent/suppressions/built-in-groups.ts';
import { suppress } from '../../core/consent/suppressions/suppressions.ts';
import { carryOverImport, carryOverUnsubscribes } from '../../core/persons-own/preferences/carry-over.ts';
import { Crash, crashingDeps } from '../automations/enrollments/crashing-deps.ts';
import { imported } from '../imports/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const EVERYTHING_OFF = `preference page, everything off, email ${new ObjectId().toHexString()}`;

describe('Unsubscribes of earlier versions', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Earlier');
  });
  const group = async (name: string): Promise<string> =>
    (await tenant.client.post('/suppression-groups', { name })).body.data.groupId;
  /** As an earlier version wrote them. */
  async function left(email: string, groupIds: Array<string | undefined>, evidence: string): Promise<void> {
    environment.clock.advance(1);
    for (const groupId of groupIds)
      await suppress(environment.deps, tenant.project._id, {
        ...{ emails: [email], reason: 'UNSUBSCRIBE', evidence },
        ...(groupId ? { groupId } : {}),
      });
  }
  async function marketing(): Promise<Map<string, string[]>> {
    const filter = { projectId: tenant.project._id, isMarketing: true } as const;
    const found = await environment.deps.db.suppressions.find(filter).toArray();
    return new Map(found.map(({ email, exceptGroupIds = [] }) => [email, exceptGroupIds]));
  }
  const carryOver = () => carryOverUnsubscribes(environment.deps, tenant.project);
  /** An import whose entries are in the default group. */
  async function importOf(file: string): Promise<string> {
    const { id, createdAt } = await imported(environment, tenant, file);
    await environment.deps.db.suppressions.deleteMany({ projectId: tenant.project._id, isMarketing: true });
    await left(`${id}@example.com`, [undefined], `import ${id} of ${createdAt}: unsubscribed`);
    return id;
  }

  it('stop all marketing mail, but for the groups that the person turned on again since', async () => {
    const [news, offers] = [await group('News'), await group('Offers')];
    await left('all@example.com', [undefined, news, offers], EVERYTHING_OFF);
    await left('news@example.com', [undefined, offers], EVERYTHING_OFF);
    await left('one@example.com', [news], 'unsubscribe page, email 1');
    environment.clock.advance(1);
    const later = await group('Made later');
    expect(await carryOver()).to.deep.equal({ written: 2, undecided: [] });
    const expected = new Map([
      ['all@example.com', []],
      ['news@example.com', [news]],
    ]);
    expect(await marketing()).to.deep.equal(expected);
    expect(await carryOver(), 'again').to.deep.equal({ written: 0, undecided: [] });
    expect(await marketing()).to.deep.equal(expected);
    expect(later).to.not.equal(news);
  });

  it('keep the groups that the person turned on again, wherever a process dies that carries them over', async () => {
    for (const when of ['before', 'after'] as const)
      for (let n = 1, crashed = true; crashed; n += 1) {
        tenant = await environment.newTenant(`Died ${when} ${n}`);
        const [news, offers] = [await group('News'), await group('Offers')];
        await left('news@example.com', [undefined, offers], EVERYTHING_OFF);
        const dying = crashingDeps(environment.deps, n, when);
        await carryOverUnsubscribes(dying.deps, tenant.project).catch((error: Error) => {
          expect(error).to.be.instanceOf(Crash);
        });
        crashed = dying.crashed();
        await carryOver();
        expect([...(await marketing())], `${when} ${n}`).to.deep.equal([['news@example.com', [news]]]);
      }
  });

  it('that were lifted after they were carried over stay lifted, and those written since are carried over', async () => {
    await left('lifted@example.com', [undefined], EVERYTHING_OFF);
    await carryOver();
    const release = { emails: ['lifted@example.com'], isMarketing: true };
    await tenant.client.post('/suppression-groups/emails/unsuppress', release);
    await left('since@example.com', [undefined], EVERYTHING_OFF);
    expect(await carryOver()).to.deep.equal({ written: 1, undecided: [] });
    expect([...(await marketing()).keys()]).to.deep.equal(['since@example.com']);
  });

  it('of imports are carried over when no row can have named a group, and listed for the operator otherwise', async () => {
    const sure = await importOf('email,status\na@example.com,active\n');
    const unsure = await importOf('email,status,groups\nb@example.com,active,\n');
    expect(await carryOver()).to.deep.equal({ written: 1, undecided: [{ importId: unsure, entries: 1 }] });
    expect([...(await marketing()).keys()]).to.deep.equal([`${sure}@example.com`]);
    expect(await carryOverImport(environment.deps, tenant.project, new ObjectId(unsure))).to.equal(1);
    expect(await carryOverImport(environment.deps, tenant.project, new ObjectId(unsure)), 'again').to.equal(0);
    expect([...(await marketing()).keys()]).to.have.members([`${sure}@example.com`, `${unsure}@example.com`]);
  });

  it('give a project of an earlier version its marketing group', async () => {
    const { deps } = environment;
    const projectId = tenant.project._id;
    const { groupId } = await builtInGroup(deps, tenant.project, 'marketing');
    await deps.db.suppressionGroups.deleteOne({ projectId, groupId });
    await carryOver();
    const { groups } = (await tenant.client.get('/suppression-groups')).body.data;
    expect(groups.find((one: { isMarketing: boolean }) => one.isMarketing).groupId).to.equal(groupId);
  });
});
