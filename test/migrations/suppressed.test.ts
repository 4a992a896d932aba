// Promise: who left is not mailed.
import { expect } from 'chai';
import fc from 'fast-check';
import { normalizeEmail } from '../../core/base/text/addresses.ts';
import { builtInGroup } from '../../core/consent/suppressions/built-in-groups.ts';
import { createGroup } from '../../core/consent/suppressions/groups.ts';
import { takeBackUnsubscribe, unsuppress } from '../../core/consent/suppressions/suppressions.ts';
import {
  type AccountA,
  emptyAccountA,
  type SuppressionsA,
  sampleAccountA,
  sampleContactA,
  suppressedA,
} from '../providers/account-a.ts';
import { type Act, serverError } from '../providers/faults.ts';
import type { Tenant } from '../support/environment.ts';
import { someOf } from '../support/random.ts';
import { dataOf, type Job, job, runPhases, type Scene, settled, start, tenantWithA, useScene } from './support.ts';

const RUNS = someOf(25);
const SEED = Number(process.env.FUZZ_SEED);
const [GROUPS, CONTACTS] = [2, 4];
const LISTS = ['unsubscribes', 'bounces', 'invalid_emails', 'spam_reports'] as const;

describe('People who get no mail from provider A', function () {
  this.timeout(120_000);
  const scene = useScene({ MIGRATION_PATIENCE_SECONDS: '0' });
  let account: AccountA;
  let tenant: Tenant;
  beforeEach(async () => {
    for (const faults of [scene.a.faults, scene.a.files.faults]) faults.length = 0;
    account = { ...sampleAccountA(), templates: [] };
    tenant = await tenantWithA(scene, account);
  });

  const begin = (body: object = {}) => start(tenant, 'providerA', { apiKey: account.key, migrateAll: true, ...body });
  const migrate = async (body: object = {}) => settled(tenant, await begin(body));
  const fault = (on: RegExp, act: Act) => scene.a.faults.push({ on, act });
  const contactsHere = () => scene.env.deps.db.contacts.countDocuments({ projectId: tenant.project._id });
  async function decide(id: string, decision: string, body: object = {}): Promise<Job> {
    dataOf(await tenant.client.post(`/migrations/${id}/${decision}`, body));
    return settled(tenant, id);
  }
  const lacking = (...scopes: string[]) => {
    account.scopes = account.scopes.filter((scope) => !scopes.includes(scope));
  };
  const leave = (list: keyof SuppressionsA, email: string) =>
    account.suppressions[list].push({ email, created: Math.floor(Date.now() / 1_000) });
  const entriesHere = () =>
    scene.env.deps.db.suppressions.find({ projectId: tenant.project._id }, { sort: { email: 1 } }).toArray();
  const reviewOf = (found: Job) => found.report[CONTACTS].needsReview as { item: string; message: string }[];

  it('are suppressed before they are contacts, each in its group, with the list and its date as evidence', async () => {
    account.groups = [];
    const found = await migrate();
    expect(found.status).equal('completed');
    const entries = await entriesHere();
    const suppressed = entries.map(({ email, reason, isGlobal, isMarketing }) =>
      [email.split('@')[0], reason, isGlobal ? 'global' : isMarketing ? 'marketing' : 'other'].join(' '),
    );
    expect(suppressed).have.members([
      'person1 UNSUBSCRIBE marketing',
      'person8 UNSUBSCRIBE marketing',
      'stranger UNSUBSCRIBE marketing',
      'person2 BOUNCE global',
      'person8 BOUNCE global',
      'person4 BOUNCE global',
      'person6 COMPLAINT global',
    ]);
    expect(entries[0]?.evidence)
      .contains(found.id)
      .and.contains('unsubscribes of provider A since 2015-09-30T22:12:21');
    expect(await mailable(scene, tenant, account)).deep.equal([]);
    expect(await contactsHere()).equal(40);
  });

  it('come with the contacts of single lists too, and are not read when no contacts come', async () => {
    await migrate({ migrateAll: false, unsubscribeGroupIds: [1235] });
    expect((await entriesHere()).filter(({ isGlobal, isMarketing }) => isGlobal || isMarketing)).deep.equal([]);
    expect(scene.a.log.filter(({ url, key }) => key === account.key && url.startsWith('/v3/suppression'))).length(0);
    const found = await migrate({ migrateAll: false, contactListIds: [account.lists[0]?.id] });
    expect(found.report[CONTACTS].details).deep.include({ unsubscribes: 3, bounces: 2, spamReports: 1 });
    expect(await contactsHere()).equal(20);
    expect(await mailable(scene, tenant, account)).deep.equal([]);
  });

  it('arrive as mailable when the scope of their list is missing, and the report names list, scope and people', async () => {
    lacking('suppression.bounces.read', 'suppression.spam_reports.read');
    const found = await migrate();
    expect([found.status, found.phases[CONTACTS]?.succeeded]).deep.equal(['completed', 40]);
    expect(reviewOf(found)).deep.equal([
      {
        item: 'suppressions.bounces',
        message:
          'the key lacks the scope suppression.bounces.read at the source, so people whose mail bounced arrive here as mailable',
      },
      {
        item: 'suppressions.spamReports',
        message:
          'the key lacks the scope suppression.spam_reports.read at the source, so people who reported spam arrive here as mailable',
      },
    ]);
    expect(found.report[CONTACTS].details).deep.include({ unsubscribes: 3, invalidEmails: 1 });
    expect(found.report[CONTACTS].details).not.property('bounces');
  });

  it('hold the job before its first contact with requireSuppressions: true; a retry with the scopes continues', async () => {
    lacking('suppression.bounces.read', 'suppression.spam_reports.read');
    const held = await migrate({ requireSuppressions: true });
    expect([held.status, held.phase, await contactsHere()]).deep.equal(['needs_attention', 'contacts', 0]);
    expect(held.attention)
      .contains('suppression.bounces.read')
      .and.contains('suppression.spam_reports.read')
      .and.not.contains('unsubscribes.read');
    account.scopes.push('suppression.bounces.read', 'suppression.spam_reports.read');
    expect((await decide(held.id, 'retry')).status).equal('completed');
    expect(await mailable(scene, tenant, account)).deep.equal([]);
  });

  it('of a group hold the job with requireSuppressions: true, and are named in the report without', async () => {
    lacking('asm.groups.read', 'asm.groups.suppressions.read');
    const held = await migrate({ requireSuppressions: true });
    expect([held.status, held.phase]).deep.equal(['needs_attention', 'unsubscribeGroups']);
    await decide(held.id, 'cancel');
    const found = await migrate();
    expect(found.status).equal('completed');
    expect(JSON.stringify(found.report[GROUPS].needsReview)).contains('asm.groups.read');
  });

  it('are read on from the page where the job stopped, and none is missed when rows before it are deleted', async () => {
    const strangers = Array.from({ length: 1_400 }, (_, index) => `gone${index}@example.net`);
    account.suppressions = suppressedA({ bounces: strangers });
    scene.a.faults.push({
      on: /bounces\?limit=500&offset=[1-9]/,
      act: { kind: 'meanwhile', run: () => account.suppressions.bounces.splice(0, 40) },
    });
    scene.a.faults.push({ on: /bounces\?limit=500&offset=9/, act: serverError });
    const held = await migrate();
    expect([held.phase, await contactsHere()]).deep.equal(['contacts', 0]);
    const before = scene.a.log.length;
    const found = await decide(held.id, 'retry');
    expect(found.report[CONTACTS].details).deep.include({ bounces: 1_400 });
    const again = scene.a.log.slice(before).filter(({ url, key }) => key === account.key && /bounces/.test(url));
    expect(again[0]?.url).contains('offset=900');
    expect(await entriesHere()).length(1_400 + 4);
  });

  it('are all found when more rows are deleted while the job is stopped than the pages overlap', async () => {
    const strangers = Array.from({ length: 1_400 }, (_, index) => `gone${index}@example.net`);
    account.suppressions = suppressedA({ bounces: strangers });
    fault(/bounces\?limit=500&offset=9/, serverError);
    const held = await migrate();
    expect([held.phase, await contactsHere()]).deep.equal(['contacts', 0]);
    account.suppressions.bounces.splice(0, 140);
    const before = scene.a.log.length;
    const found = await decide(held.id, 'retry');
    expect(found.status).equal('completed');
    const again = scene.a.log.slice(before).flatMap(({ url, key }) => (key === account.key ? url : []));
    const whole = again.filter((url) => /bounces/.test(url) && !/start_time/.test(url));
    expect(whole.map((url) => /offset=(\d+)/.exec(url)?.[1])).deep.equal(['900', '0', '450', '900']);
    expect(found.report[CONTACTS].details).deep.include({ bounces: 1_400 });
    expect(await entriesHere()).length(1_400 + 4);
  });

  it('are all found when more rows are deleted between two pages than the pages overlap', async () => {
    const strangers = Array.from({ length: 1_400 }, (_, index) => `gone${index}@example.net`);
    account.suppressions = suppressedA({ spam_reports: strangers });
    const run = () => account.suppressions.spam_reports.splice(0, 200);
    fault(/spam_reports\?limit=500&offset=[1-9]/, { kind: 'meanwhile', run });
    const found = await migrate();
    expect([found.status, found.report[CONTACTS].details.spamReports]).deep.equal(['completed', 1_400]);
  });

  it('hold the job when the source repeats a page without end', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ email: `gone${index}@example.net`, created: 1 }));
    const act: Act = { kind: 'answer', answer: { status: 200, body: rows } };
    scene.a.faults.push({ on: /suppression\/bounces/, times: 1_000, act });
    const held = await migrate();
    expect([held.status, await contactsHere()]).deep.equal(['needs_attention', 0]);
    expect(held.attention).contains('repeats a page');
  });

  it('are read first by a job that an earlier version left among its contacts', async () => {
    fault(/exports\//, serverError);
    const { id } = await migrate();
    const { db } = scene.env.deps;
    const projectId = tenant.project._id;
    const counts = { succeeded: 0, failed: 0, skipped: 0, created: 0, updated: 0, details: {} };
    const cursor = { step: '', exportId: null, tries: 0, file: 0, row: 0, rows: 0, counts, base: counts };
    const change = { [`phases.${CONTACTS}.cursor`]: cursor, [`phases.${CONTACTS}.details`]: {} };
    await db.migrations.updateOne({ projectId }, { $set: change });
    await Promise.all([db.suppressions.deleteMany({ projectId }), db.migrationUnsubscribed.deleteMany({ projectId })]);
    const found = await decide(id, 'retry');
    expect([found.status, found.phases[CONTACTS]?.succeeded]).deep.equal(['completed', 40]);
    expect(await mailable(scene, tenant, account)).deep.equal([]);
  });

  it('are in the data of the person while the job is not over, by the lists that have them', async () => {
    await tenant.client.post('/contacts', { email: 'person8@example.com' });
    const { projectId } = (await scene.env.deps.db.contacts.findOne({ projectId: tenant.project._id }))!;
    fault(/exports\//, serverError);
    await migrate();
    const contact = await scene.env.deps.db.contacts.findOne({ projectId, email: 'person8@example.com' });
    const { migrationMarks } = (await tenant.client.get(`/contacts/${contact?._id}/data`)).body;
    expect(migrationMarks.map(({ mark }: { mark: string }) => mark)).deep.equal(['unsubscribes, bounces']);
  });

  it('are suppressed before the contacts of an export when they left while it was made', async () => {
    account.exports.polls = 1;
    fault(/GET \/v3\/marketing\/contacts\/exports\//, {
      kind: 'meanwhile',
      run: () => leave('unsubscribes', 'person9@example.com'),
    });
    expect((await migrate()).status).equal('completed');
    expect(await mailable(scene, tenant, account)).deep.equal([]);
  });

  it('are suppressed at the end when they left while contacts were read', async () => {
    const run = () => leave('spam_reports', 'person9@example.com');
    scene.a.files.faults.push({ on: /part-0/, skip: 2, act: { kind: 'meanwhile', run } });
    expect((await migrate()).status).equal('completed');
    const entries = (await entriesHere()).filter(({ email }) => email === 'person9@example.com');
    expect(entries.map(({ isGlobal, reason }) => [isGlobal, reason])).deep.equal([[true, 'COMPLAINT']]);
  });

  it('hold the job with the figures when they are not suppressed at its end; a retry suppresses them', async () => {
    fault(/exports\//, serverError);
    const before = await migrate();
    expect(before.phase).equal('contacts');
    await unsuppress(scene.env.deps, tenant.project._id, { emails: ['person6@example.com'], isGlobal: true });
    const held = await decide(before.id, 'retry');
    expect([held.status, held.phase]).deep.equal(['needs_attention', 'contacts']);
    expect(held.attention).contains('1 of the 6 addresses').and.contains('person6@example.com');
    const found = await decide(held.id, 'retry');
    expect(found.status).equal('completed');
    const complaint = (await entriesHere()).find(({ email }) => email === 'person6@example.com');
    expect(complaint?.reason).equal('COMPLAINT');
    expect(complaint?.evidence).contains('spamReports of provider A since 2015-09-30');
  });

  it('and turned a group on since keep it when the migration is run again, until they unsubscribe there once more', async () => {
    const { deps } = scene.env;
    await migrate();
    const origin = { at: new Date(), seed: tenant.project._id };
    const group = await createGroup(deps, tenant.project, { name: 'Club' }, origin);
    await takeBackUnsubscribe(deps, group, 'person1@example.com');
    const exceptions = async () => {
      const { groupId } = await builtInGroup(deps, tenant.project, 'marketing');
      const query = { projectId: tenant.project._id, groupId, email: 'person1@example.com' };
      return (await deps.db.suppressions.findOne(query))?.exceptGroupIds;
    };
    expect((await migrate()).status).equal('completed');
    expect(await exceptions()).deep.equal([group.groupId]);
    account.suppressions.unsubscribes[0]!.created = Math.ceil(Date.now() / 1_000) + 1;
    expect((await migrate()).status).equal('completed');
    expect(await exceptions()).equal(undefined);
  });
});

describe('People who get no mail from a random account of provider A', () => {
  // No worker: each case runs the phases of its job itself.
  const scene = useScene({ MIGRATION_PATIENCE_SECONDS: '0' }, { works: false });

  it(`are mailable at no moment of a job, also one that holds, is killed or cancelled (seed ${SEED})`, async function () {
    this.timeout(240_000);
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        const account = accountOf(given);
        const tenant = await tenantWithA(scene, account);
        const selection =
          given.selected === null
            ? { migrateAll: true }
            : { contactListIds: account.lists.map(({ id }) => id).slice(0, given.selected) };
        const id = await start(tenant, 'providerA', { apiKey: account.key, ...selection });
        const gone = structuredClone(account.suppressions);
        await disturbed(tenant, id, account, given);
        expect(await mailable(scene, tenant, { ...account, suppressions: gone })).deep.equal([]);
        const { status, phases } = await job(tenant, id);
        const here = await scene.env.deps.db.contacts.countDocuments({ projectId: tenant.project._id });
        if (status === 'completed' && here > 0) {
          expect(await unsuppressed(scene, tenant, account)).deep.equal([]);
          expect(phases[CONTACTS]).deep.include({ succeeded: here, failed: 0 });
        }
      }),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });

  /** Runs the job; the disturbance strikes at one of its requests, and a job that holds is retried or cancelled. */
  async function disturbed(tenant: Tenant, id: string, account: AccountA, { what, at, leaver }: Case): Promise<void> {
    let killer = new AbortController();
    const leave = () =>
      account.suppressions.unsubscribes.push({ email: leaver, created: Math.floor(Date.now() / 1_000) });
    const acts: Record<Case['what'], Act> = {
      hold: serverError,
      cancel: serverError,
      kill: { kind: 'meanwhile', run: () => killer.abort() },
      leave: { kind: 'meanwhile', run: leave },
    };
    scene.a.faults.push({ on: /^(GET|POST) /, skip: at, act: acts[what] });
    for (;;)
      try {
        const { next } = await runPhases(scene.env.deps, tenant, id, killer.signal);
        scene.a.faults.length = 0;
        if (next !== 'hold') return;
        expect(await mailable(scene, tenant, account)).deep.equal([]);
        dataOf(await tenant.client.post(`/migrations/${id}/${what === 'cancel' ? 'cancel' : 'retry'}`, {}));
        if (what === 'cancel') return;
      } catch (error) {
        if (!killer.signal.aborted) throw error;
        expect(await mailable(scene, tenant, account)).deep.equal([]);
        killer = new AbortController();
      }
  }
});

interface Case {
  people: number;
  lists: Record<(typeof LISTS)[number], number[]>;
  /** Further rows, so that a list has more than one page. */
  strangers: number;
  /** How many lists are selected; null: everything. */
  selected: number | null;
  what: 'hold' | 'cancel' | 'kill' | 'leave';
  /** The request at which it happens. */
  at: number;
  leaver: string;
}

const PEOPLE_MAX = 60;
const someone = fc.integer({ min: 0, max: PEOPLE_MAX });
const some = fc.uniqueArray(someone, { maxLength: 20, size: 'max' });
const cases: fc.Arbitrary<Case> = fc.record({
  people: fc.integer({ min: 1, max: PEOPLE_MAX }),
  lists: fc.record({ unsubscribes: some, bounces: some, invalid_emails: some, spam_reports: some }),
  strangers: fc.constantFrom(0, 0, 600),
  selected: fc.constantFrom(null, null, 1, 2),
  what: fc.constantFrom('hold', 'cancel', 'kill', 'leave'),
  at: fc.integer({ min: 0, max: 35 }),
  leaver: someone.map((index) => `person${index}@example.com`),
});

function accountOf({ people, lists, strangers }: Case): AccountA {
  const contactLists = ['one', 'two'].map((name) => ({ id: `list-${name}`, name }));
  const gone = Array.from({ length: strangers }, (_, index) => `gone${index}@example.net`);
  const emails = (list: (typeof LISTS)[number]) => [
    ...gone,
    ...lists[list].map((index) => `Person${index}@example.com`),
  ];
  return emptyAccountA({
    lists: contactLists,
    contacts: Array.from({ length: people }, (_, index) => sampleContactA(index, contactLists)),
    suppressions: suppressedA(Object.fromEntries(LISTS.map((list) => [list, emails(list)]))),
  });
}

/** Contacts here that the source does not mail, and that were not suppressed, in the group of each list, when they became contacts. */
async function mailable({ env }: Scene, { project }: Tenant, account: AccountA): Promise<string[]> {
  const contacts = await env.deps.db.contacts.find({ projectId: project._id }).toArray();
  const since = new Map(contacts.map(({ email, createdAt }) => [email, createdAt]));
  const late = await unsuppressed({ env }, { project }, account, since);
  return late.filter((email) => since.has(email));
}

/** Addresses that the source does not mail, and that are not suppressed in the group of their list; with times, not since then. */
async function unsuppressed(
  { env }: Pick<Scene, 'env'>,
  { project }: Pick<Tenant, 'project'>,
  { suppressions }: Pick<AccountA, 'suppressions'>,
  times?: Map<string, Date>,
): Promise<string[]> {
  const entries = await env.deps.db.suppressions.find({ projectId: project._id }).toArray();
  const late = LISTS.flatMap((list) => {
    const own = entries.filter(({ isGlobal, isMarketing }) => (list === 'unsubscribes' ? isMarketing : isGlobal));
    const from = new Map(own.map(({ email, createdAt }) => [email, createdAt]));
    const isLate = (email: string) => {
      const at = from.get(email);
      return at === undefined || at > (times?.get(email) ?? at);
    };
    return suppressions[list].flatMap(({ email }) => normalizeEmail(email) ?? []).filter(isLate);
  });
  return [...new Set(late)].sort();
}
