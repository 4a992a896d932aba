// Promise: who left is not mailed.
import { expect } from 'chai';
import fc from 'fast-check';
import { unsuppress } from '../../core/consent/suppressions/suppressions.ts';
import { failMigration } from '../../core/migrations/run.ts';
import { activeAutomation, email, makeSending, wait } from '../automations/support.ts';
import { type AccountB, emptyAccountB, sampleAccountB, sampleContactB } from '../providers/account-b.ts';
import { type Act, serverError } from '../providers/faults.ts';
import type { Tenant } from '../support/environment.ts';
import { someOf } from '../support/random.ts';
import { until as eventually } from '../support/wait.ts';
import { dataOf, type Job, job, runPhases, type Scene, settled, start, tenantWithB, useScene } from './support.ts';

const RUNS = someOf(25);
const SEED = Number(process.env.FUZZ_SEED);
const CONTACTS = 3;
const UNSUBSCRIBED = 5;

describe('Unsubscribed contacts of a random account of provider B', () => {
  // No worker: each case runs the phases of its job itself.
  const scene = useScene({ MIGRATION_PATIENCE_SECONDS: '0', PROVIDER_B_RATE: '2000' }, { works: false });

  it(`are suppressed before they are contacts, all of them and no others, each counted once (seed ${SEED})`, async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const { selected, isMapped, isSkipped } = given;
        const account = accountOf(given);
        const tenant = await tenantWithB(scene, account);
        const audienceIds = account.segments.map(({ id }) => id).slice(0, selected ?? 0);
        const mapping = { providerBFieldName: 'plan', fieldName: 'plan', fieldType: 'string' };
        const id = await start(tenant, 'providerB', {
          apiKey: account.key,
          ...(selected === null ? { migrateAll: true } : { audienceIds }),
          ...(isMapped ? { customFieldMappings: [mapping] } : {}),
        });
        if (isSkipped) await skipContacts(scene, tenant, id);
        expect((await runPhases(scene.env.deps, tenant, id)).status).equal('completed');
        const isChosen = (one: string) => audienceIds.includes(one);
        account.contacts = account.contacts.filter(({ segmentIds }) => selected === null || segmentIds.some(isChosen));
        const expected = emailsOf(account.contacts.filter(({ unsubscribed }) => unsubscribed));
        expect(await suppressedOf(scene, tenant)).deep.equal(expected);
        expect(await mailable(scene, tenant, account)).deep.equal([]);
        const { phases, report } = await job(tenant, id);
        const counts = { total: expected.length, succeeded: expected.length, failed: 0 };
        expect(phases[UNSUBSCRIBED]).deep.include(counts);
        expect(report[UNSUBSCRIBED]).deep.include({ sourceCount: expected.length, targetCount: expected.length });
        expect(await suppressedOf(scene, scene.env.other)).deep.equal([]);
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });
});

describe('People who unsubscribed at provider B', function () {
  this.timeout(120_000);
  const scene = useScene({ MIGRATION_PATIENCE_SECONDS: '0' });
  let account: AccountB;
  let tenant: Tenant;
  beforeEach(async () => {
    scene.b.faults.length = 0;
    account = sampleAccountB({ ratePerSecond: 10_000, templates: [], topics: [] }, 130);
    tenant = await tenantWithB(scene, account);
  });

  const begin = (body: object = {}) => start(tenant, 'providerB', { apiKey: account.key, migrateAll: true, ...body });
  const migrate = async (body: object = {}) => settled(tenant, await begin(body));
  const fault = (on: RegExp, act: Act) => scene.b.faults.push({ on, act });
  const decide = async (id: string, decision: string, body: object = {}) =>
    dataOf(await tenant.client.post(`/migrations/${id}/${decision}`, body));
  const contactsHere = () => scene.env.deps.db.contacts.countDocuments({ projectId: tenant.project._id });
  const markedOf = () => emailsOf(account.contacts.filter(({ unsubscribed }) => unsubscribed));

  /** A second page that fails: the first hundred contacts are here, the rest is not. */
  async function heldAtSecondPage(): Promise<Job> {
    fault(/\/contacts\?limit=100&after/, serverError);
    const held = await migrate();
    expect([held.status, held.phase]).deep.equal(['needs_attention', 'contacts']);
    expect(await contactsHere()).equal(100);
    return held;
  }

  it('cannot be mailed while a job holds among its contacts, nor after it was cancelled there', async () => {
    const { id } = await heldAtSecondPage();
    expect(await mailable(scene, tenant, account)).deep.equal([]);
    expect((await decide(id, 'cancel')).status).equal('cancelled');
    expect(await mailable(scene, tenant, account)).deep.equal([]);
    expect(await suppressedOf(scene, tenant)).length(25);
  });

  it('cannot be mailed when the phase of contacts is skipped in its middle, and the last phase reads the rest', async () => {
    const { id } = await heldAtSecondPage();
    await decide(id, 'skip');
    const found = await settled(tenant, id);
    expect(found.status).equal('completed');
    expect(await mailable(scene, tenant, account)).deep.equal([]);
    expect(await suppressedOf(scene, tenant)).deep.equal(markedOf());
    expect(found.phases[UNSUBSCRIBED]).deep.include({ total: 33, succeeded: 33 });
  });

  it('cannot be mailed when the last phase never runs: the job holds before it, then fails', async () => {
    fault(/\/topics/, serverError);
    const held = await migrate();
    expect(held.phase).equal('topics');
    const run = { projectId: tenant.project._id.toHexString(), migrationId: held.id, run: 1 };
    await failMigration(scene.env.deps, run, 'Nobody decided.');
    expect(await contactsHere()).equal(130);
    expect(await suppressedOf(scene, tenant)).deep.equal(markedOf());
    expect(await mailable(scene, tenant, account)).deep.equal([]);
  });

  it('are mailed by no automation, also with runWorkflow: true', async () => {
    const { db } = scene.env.deps;
    const projectId = tenant.project._id;
    await makeSending(scene.env.deps, tenant);
    await activeAutomation(tenant.client, { steps: [wait(), email('welcome')] });
    account.contacts = account.contacts.slice(0, 12);
    // Held before the last phase, which would suppress the remaining contacts.
    fault(/\/topics/, serverError);
    const held = await migrate({ runWorkflow: true });
    expect(held.phase).equal('topics');
    const mails = await eventually(
      () => db.messages.find({ projectId }).toArray(),
      (all) => all.length === account.contacts.length - markedOf().length,
    );
    await eventually(
      () => db.enrollments.countDocuments({ projectId, live: true }),
      (count) => count === 0,
    );
    expect(markedOf()).length(3);
    expect(mails.filter((mail) => markedOf().includes(mail.email))).deep.equal([]);
    expect(await db.messages.countDocuments({ projectId })).equal(mails.length);
  });

  it('count when the list marks them but their properties are read after a change, and the other way round', async () => {
    account.contacts = account.contacts.slice(0, 12);
    const [first, second, third] = account.contacts;
    Object.assign(first!, { unsubscribed: true });
    Object.assign(second!, { unsubscribed: false });
    Object.assign(third!, { unsubscribed: true });
    const change = () => {
      Object.assign(first!, { unsubscribed: false });
      Object.assign(second!, { unsubscribed: true });
      account.contacts = account.contacts.filter((contact) => contact !== third);
    };
    fault(new RegExp(`/contacts/${first?.id}`), { kind: 'meanwhile', run: change });
    const mapping = { providerBFieldName: 'plan', fieldName: 'plan', fieldType: 'string' };
    await migrate({ customFieldMappings: [mapping] });
    const suppressed = await suppressedOf(scene, tenant);
    expect(suppressed).include.members([first!.email, second!.email, third!.email]);
  });

  describe('and are not suppressed at the end', () => {
    let held: Job;
    let released: string;

    beforeEach(async () => {
      released = markedOf()[0] ?? '';
      // By hand, after the contacts were read and before the last phase compares.
      fault(/\/topics/, serverError);
      const before = await migrate();
      await unsuppress(scene.env.deps, tenant.project._id, { emails: [released], isGlobal: true });
      await decide(before.id, 'retry');
      held = await settled(tenant, before.id);
    });

    it('hold the job, with the reason in the errors of the phase; a retry suppresses them', async () => {
      expect([held.status, held.phase]).deep.equal(['needs_attention', 'unsubscribed']);
      expect(held.attention).contains('1 of the 33').and.contains(released);
      expect(held.phases[UNSUBSCRIBED]).deep.include({ status: 'failed', total: 33, succeeded: 32 });
      expect(JSON.stringify(held.phases[UNSUBSCRIBED]?.errors)).contains('1 of the 33');
      await decide(held.id, 'retry');
      const found = await settled(tenant, held.id);
      expect(found.status).equal('completed');
      expect(found.phases[UNSUBSCRIBED]).deep.include({ total: 33, succeeded: 33, errors: [] });
      expect(await suppressedOf(scene, tenant)).deep.equal(markedOf());
    });

    it('are left as they are when the phase is skipped', async () => {
      await decide(held.id, 'skip');
      expect((await settled(tenant, held.id)).status).equal('completed');
      expect(await suppressedOf(scene, tenant)).deep.equal(markedOf().slice(1));
    });
  });

  it('are compared with what the job read itself; the number of the plan is only shown', async () => {
    const plan = dataOf(await tenant.client.post('/migrations/providerB/plan', { apiKey: account.key }));
    account.contacts[0]!.unsubscribed = true;
    const found = await migrate();
    expect(found.status).equal('completed');
    expect(found.report[UNSUBSCRIBED]).deep.include({ sourceCount: 34, targetCount: 34 });
    expect([plan.unsubscribedContacts, found.report[UNSUBSCRIBED].details]).deep.equal([33, { planned: 33 }]);
    expect(found.report[CONTACTS].details).deep.include({ unsubscribed: 34 });
  });

  describe('and were forgotten by an earlier version', () => {
    /** Its remains: every person is a contact, some of the unsubscribed are suppressed, and notes of pages replaced each other. */
    async function leaveAsEarlier(id: string): Promise<string[]> {
      const { db } = scene.env.deps;
      const projectId = tenant.project._id;
      const forgotten = markedOf().filter((_, index) => index % 3 !== 0);
      await unsuppress(scene.env.deps, projectId, { emails: forgotten, isGlobal: true });
      await db.migrationUnsubscribed.deleteMany({ projectId });
      const { _id: migrationId } = (await db.migrations.findOne({ projectId }, { sort: { _id: -1 } }))!;
      const emails = markedOf().filter((one) => !forgotten.includes(one));
      const note = { _id: `${id}:${account.contacts[0]?.id}`, projectId, migrationId, emails };
      await db.migrationUnsubscribed.insertOne({ ...note, expiresAt: new Date(Date.now() + 3_600_000) } as never);
      await db.migrations.updateMany({ projectId }, { $unset: { 'phases.3.details.unsubscribed': '' } });
      expect(await suppressedOf(scene, tenant)).deep.equal(emails);
      return forgotten;
    }

    it('are suppressed when the migration is run again', async () => {
      const first = await migrate();
      expect(await leaveAsEarlier(first.id)).length(22);
      const again = await migrate();
      expect(again.status).equal('completed');
      expect(await suppressedOf(scene, tenant)).deep.equal(markedOf());
      expect(again.phases[CONTACTS]).deep.include({ created: 0, updated: 130 });
    });

    it('are suppressed by a job that was under way at the upgrade, which reads the source again at its end', async () => {
      fault(/\/topics/, serverError);
      const held = await migrate();
      await leaveAsEarlier(held.id);
      await decide(held.id, 'retry');
      const found = await settled(tenant, held.id);
      expect(found.status).equal('completed');
      expect(found.phases[UNSUBSCRIBED]).deep.include({ total: 33, succeeded: 33 });
      expect(await suppressedOf(scene, tenant)).deep.equal(markedOf());
    });
  });
});

interface Case {
  contacts: Row[];
  /** Each of them is unsubscribed under every spelling of the address: the source has an address once. */
  unsubscribed: number[];
  /** How many audiences are selected; null: everything. */
  selected: number | null;
  isMapped: boolean;
  isSkipped: boolean;
}

interface Row {
  person: number;
  isUpper: boolean;
  isMember: [boolean, boolean, boolean];
}

/** Few people, so that the same address comes more than once; more than a page of contacts in some cases. */
const person = fc.integer({ min: 0, max: 150 });
const row: fc.Arbitrary<Row> = fc.record({
  person,
  isUpper: fc.boolean(),
  isMember: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
});
const choices = {
  unsubscribed: fc.uniqueArray(person, { maxLength: 100, size: 'max' }),
  selected: fc.constantFrom(null, null, 1, 2, 3),
  isSkipped: fc.constantFrom(false, false, true),
};
const cases: fc.Arbitrary<Case> = fc.oneof(
  fc.record({ contacts: fc.array(row, { maxLength: 40 }), isMapped: fc.boolean(), ...choices }),
  fc.record({
    contacts: fc.array(row, { minLength: 90, maxLength: 240, size: 'max' }),
    isMapped: fc.constant(false),
    ...choices,
  }),
);

function accountOf({ contacts: rows, unsubscribed }: Case): AccountB {
  const segments = ['one', 'two', 'three'].map((name) => ({ id: `segment-${name}`, name }));
  const contacts = rows.map(({ person: who, isUpper, isMember }, index) => {
    const address = `person${who}@example.org`;
    const segmentIds = segments.flatMap(({ id }, at) => (isMember[at] ? [id] : []));
    const contact = sampleContactB(rows.length - index, segments);
    return {
      ...contact,
      email: isUpper ? address.toUpperCase() : address,
      unsubscribed: unsubscribed.includes(who),
      segmentIds,
    };
  });
  return emptyAccountB({ ratePerSecond: 100_000, segments, contacts });
}

async function skipContacts({ b, env }: Scene, tenant: Tenant, id: string): Promise<void> {
  b.faults.push({ on: /\/contacts\?/, act: serverError });
  const { next } = await runPhases(env.deps, tenant, id);
  b.faults.length = 0;
  // An account without a page to read does not hold.
  if (next === 'hold') dataOf(await tenant.client.post(`/migrations/${id}/skip`, {}));
}

async function suppressedOf({ env }: Scene, { project }: Tenant): Promise<string[]> {
  const query = { projectId: project._id, isGlobal: true, reason: 'UNSUBSCRIBE' as const };
  return emailsOf(await env.deps.db.suppressions.find(query).toArray());
}

/** Contacts here that are unsubscribed at the source, and are not suppressed since before they were contacts. */
async function mailable({ env }: Scene, { project }: Tenant, account: AccountB): Promise<string[]> {
  const { contacts, suppressions } = env.deps.db;
  const projectId = project._id;
  const marked = emailsOf(account.contacts.filter(({ unsubscribed }) => unsubscribed));
  const here = await contacts.find({ projectId, email: { $in: marked } }).toArray();
  const entries = await suppressions.find({ projectId, isGlobal: true }).toArray();
  const since = new Map(entries.map((entry) => [entry.email, entry.createdAt.getTime()]));
  const isLate = (one: (typeof here)[number]) => !((since.get(one.email) ?? Infinity) <= one.createdAt.getTime());
  return emailsOf(here.filter(isLate));
}

function emailsOf(items: { email: string }[]): string[] {
  return [...new Set(items.map((item) => item.email.toLowerCase()))].sort();
}
