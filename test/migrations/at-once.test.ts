// Promise: nothing is lost.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { migrationQueue } from '../../core/migrations/progress/jobs.ts';
import { beginMigration, type NextStep, runMigrationPhase } from '../../core/migrations/run.ts';
import { SourceError, type Sources } from '../../core/migrations/source.ts';
import { type AccountB, smallAccountB } from '../providers/account-b.ts';
import type { Tenant } from '../support/environment.ts';
import { dataOf, job, runPhases, start, tenantWithB, useScene } from './support.ts';
import { expectedOfB, pictureOf } from './targets.ts';

const HOUR = 3_600_000;

describe('Migrations at the same time', () => {
  // No worker: each test runs phases itself.
  const scene = useScene({ MIGRATION_PATIENCE_SECONDS: '0' }, { works: false });
  let account: AccountB;
  let tenant: Tenant;
  beforeEach(async () => {
    scene.b.faults.length = 0;
    account = smallAccountB();
    tenant = await tenantWithB(scene, account);
  });

  const begin = (whose: Tenant) => start(whose, 'providerB', { apiKey: account.key, migrateAll: true });
  const stored = () => scene.env.deps.db.migrations.findOne({ projectId: tenant.project._id });

  describe('two attempts of one phase', () => {
    let migrationId: string;
    let reading: PromiseWithResolvers<void>;
    let answer: PromiseWithResolvers<void>;
    let earlier: Promise<NextStep | SourceError>;

    const attempt = (deps: Deps, owner: string) => {
      const ref = { projectId: tenant.project._id.toHexString(), migrationId, run: 1, phase: 'templates' as const };
      return runMigrationPhase(deps, ref, { owner });
    };

    beforeEach(async () => {
      migrationId = await begin(tenant);
      const ref = { projectId: tenant.project._id.toHexString(), migrationId, run: 1 };
      await beginMigration(scene.env.deps, ref);
      await runMigrationPhase(scene.env.deps, { ...ref, phase: 'customFields' }, { owner: 'first' });
      reading = Promise.withResolvers();
      answer = Promise.withResolvers();
      const sources = slowSources(scene.env.deps.sources, reading.resolve, answer.promise);
      earlier = attempt({ ...scene.env.deps, sources }, 'earlier').catch((error: SourceError) => error);
      await reading.promise;
    });

    it('write once: the earlier one stops at its next save', async () => {
      await attempt(scene.env.deps, 'later');
      const after = await stored();
      answer.resolve();
      expect(await earlier).deep.include({ next: 'phase', phase: 'audiences' });
      expect(await stored()).deep.equal(after);
      expect(after?.phases[1]).deep.include({ status: 'completed', total: 2, succeeded: 2, created: 2 });
      expect((await pictureOf(scene.env, tenant)).templates).deep.equal(expectedOfB(account).templates);
    });

    it('hold the job only for the reason of the later one', async () => {
      await attempt(scene.env.deps, 'later');
      const after = await stored();
      answer.reject(new SourceError('unavailable', 'Provider B is failing.'));
      expect(await earlier).instanceOf(SourceError);
      expect(await stored()).deep.equal(after);
    });
  });

  it('of two projects from one account each make everything of their own', async () => {
    const other = await scene.env.newTenant('of the same account');
    const [plan, id] = [
      await tenant.client.post('/migrations/providerB/plan', { apiKey: account.key }),
      await begin(tenant),
    ];
    expect(dataOf(plan).unsubscribedContacts).equal(4);
    expect((await runPhases(scene.env.deps, tenant, id)).status).equal('completed');
    expect(await pictureOf(scene.env, other)).deep.include({ contacts: {}, lists: {}, suppressedGlobally: [] });
    const otherId = await begin(other);
    expect((await runPhases(scene.env.deps, other, otherId)).status).equal('completed');
    for (const whose of [tenant, other]) expect(await pictureOf(scene.env, whose)).deep.include(expectedOfB(account));
    const found = await job(other, otherId);
    expect(found.phases.map(({ updated }) => updated)).deep.equal([0, 0, 0, 0, 0, 0]);
    expect(found.report[5].details).deep.equal({});
  });

  it('are decided by their own project only', async () => {
    const id = await begin(tenant);
    for (const decision of ['retry', 'skip', 'cancel']) {
      const { status, body } = await scene.env.other.client.post(`/migrations/${id}/${decision}`, {});
      expect([status, body.error.code], decision).deep.equal([404, 'MIGRATION_NOT_FOUND']);
    }
    expect((await stored())?.status).equal('queued');
  });

  it('are looked after by the clock of the database, whatever the clock of the machine says', async () => {
    const { deps } = scene.env;
    const id = await begin(tenant);
    const clock = { now: () => new Date(Date.now() + HOUR) };
    const { runs } = await migrationQueue({ ...deps, clock }).take(tenant.project._id, 16);
    expect(runs).length(1);
    await runs[0]?.();
    const start = await deps.db.starts.findOne({ kind: 'migration', subjectId: new ObjectId(id) });
    const dueAt = start?.dueAt.getTime() ?? 0;
    expect(dueAt - Date.now()).within(HOUR - 5_000, HOUR + 65_000);
    expect((await job(tenant, id)).status).equal('queued');
  });
});

/** Each template is read when `answer` says so. */
function slowSources(sources: Sources, isRead: () => void, answer: Promise<void>): Sources {
  return {
    ...sources,
    openB(options) {
      const source = sources.openB(options);
      return {
        ...source,
        async readTemplate(id) {
          isRead();
          await answer;
          return source.readTemplate(id);
        },
      };
    },
  };
}
