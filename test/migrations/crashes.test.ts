// Promise: nothing is lost.
import { expect } from 'chai';
import type { Deps } from '../../core/base/deps.ts';
import { beginMigration, type NextStep, runMigrationPhase } from '../../core/migrations/run.ts';
import { sampleAccountA } from '../providers/account-a.ts';
import { sampleAccountB } from '../providers/account-b.ts';
import type { Tenant } from '../support/environment.ts';
import { job, start, tenantWithA, tenantWithB, useScene } from './support.ts';
import { expectedOfA, expectedOfB, pictureOf } from './targets.ts';

/** A process that dies between two writes: its earlier writes stay, and it never reports again. */
class Crash extends Error {}

describe('A migration whose process dies again and again', function () {
  this.timeout(120_000);
  const scene = useScene({}, { works: false });

  it('ends with the target equal to the source and nothing twice, from provider A', async () => {
    const account = sampleAccountA('http://cdn.example.com', 30);
    account.exports.parts = 2;
    const tenant = await tenantWithA(scene, account);
    const id = await start(tenant, 'providerA', { apiKey: account.key, migrateAll: true });
    const crashes = await runThroughCrashes(scene.env.deps, tenant, id);
    expect(crashes).above(8);
    const found = await job(tenant, id);
    expect(found.status).equal('completed');
    expect(await pictureOf(scene.env, tenant)).deep.include(expectedOfA(account, (html) => html));
    expect(found.phases.map(({ created, updated }) => [created, updated])).deep.equal([
      [0, 0],
      [3, 0],
      [3, 0],
      [3, 0],
      [30, 0],
    ]);
    const read = { unsubscribes: 3, bounces: 2, invalidEmails: 1, spamReports: 1 };
    expect(found.report[4].details).deep.equal({ ...read, memberships: 21 });
  });

  it('ends with the target equal to the source and nothing twice, from provider B', async () => {
    const account = sampleAccountB({ ratePerSecond: 10_000 }, 110);
    account.templates = account.templates.slice(0, 6);
    account.topics = account.topics.slice(0, 6);
    const tenant = await tenantWithB(scene, account);
    const mapping = { providerBFieldName: 'plan', fieldName: 'plan', fieldType: 'string' };
    const id = await start(tenant, 'providerB', {
      apiKey: account.key,
      migrateAll: true,
      customFieldMappings: [mapping],
    });
    const crashes = await runThroughCrashes(scene.env.deps, tenant, id);
    expect(crashes).above(8);
    const found = await job(tenant, id);
    expect(found.status).equal('completed');
    const { contacts, fields: _, ...expected } = { ...expectedOfB(account), fields: {} };
    const picture = await pictureOf(scene.env, tenant);
    expect(picture).deep.include(expected);
    expect(Object.keys(picture.contacts)).deep.equal(Object.keys(contacts));
    expect(found.phases.map(({ created, updated }) => [created, updated])).deep.equal([
      [1, 0],
      [5, 0],
      [3, 0],
      [110, 0],
      [6, 0],
      [expected.suppressedGlobally.length, 0],
    ]);
  });
});

/** Every attempt dies at one of its next few saves, by turns before the save and after it. Answers how often one died. */
async function runThroughCrashes(deps: Deps, { project }: Tenant, migrationId: string): Promise<number> {
  const run = { projectId: project._id.toHexString(), migrationId, run: 1 };
  let crashes = 0;
  let step: NextStep = await beginMigration(deps, run);
  for (let attempt = 0; step.next === 'phase' && step.phase; attempt += 1) {
    const dying = dyingDeps(deps, 4 + (attempt % 3), attempt % 2 === 0);
    try {
      const owner = `attempt ${attempt}`;
      step = await runMigrationPhase(dying, { ...run, phase: step.phase }, { owner });
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      crashes += 1;
    }
  }
  expect(step.status).match(/^completed/);
  return crashes;
}

/** Counts the writes to the job itself; the one after `saves` is the last thing this process does, or never does. */
function dyingDeps(deps: Deps, saves: number, isBefore: boolean): Deps {
  let left = saves;
  const { migrations } = deps.db;
  const dying = new Proxy(migrations, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'findOneAndUpdate') return typeof value === 'function' ? value.bind(target) : value;
      return async (...given: Parameters<typeof migrations.findOneAndUpdate>) => {
        left -= 1;
        if (left <= 0 && isBefore) throw new Crash();
        const saved = await target.findOneAndUpdate(...given);
        if (left <= 0) throw new Crash();
        return saved;
      };
    },
  });
  return { ...deps, db: { ...deps.db, migrations: dying } };
}
