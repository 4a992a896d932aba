import { expect } from 'chai';
import fc from 'fast-check';
import type { MigrationProvider } from '../../core/migrations/model.ts';
import { SourceError, SUPPRESSION_LISTS } from '../../core/migrations/source.ts';
import { fetchFiles } from '../../platform/providers/foreign-files.ts';
import type { Pace } from '../../platform/providers/pace.ts';
import { openProviderA } from '../../platform/providers/provider-a.ts';
import { openProviderB } from '../../platform/providers/provider-b.ts';
import { job, runPhases, start } from '../migrations/support.ts';
import { type AccountA, smallAccountA } from '../providers/account-a.ts';
import { type AccountB, smallAccountB } from '../providers/account-b.ts';
import type { Act } from '../providers/faults.ts';
import { type ProviderA, startProviderA } from '../providers/provider-a.ts';
import { type ProviderB, startProviderB } from '../providers/provider-b.ts';
import { type Answer, type Request, type StandIn, startStandIn } from '../providers/stand-in.ts';
import type { Environment, Tenant } from '../support/environment.ts';
import { shapeWarps, type Warp, warped, warps } from './warped-answers.ts';

/** Both providers behind a server that changes what they answer. */
export interface WarpedProviders {
  a: StandIn;
  b: StandIn;
  files: StandIn;
  /** Begins a case: fresh accounts, and these changes to the answers. */
  begin(warps: Warp[]): { keyA: string; keyB: string };
  /** Addresses that an answer called unsubscribed since the case began. */
  marked: Set<string>;
  requests(): number;
  stop(): Promise<void>;
}

interface Fuzz {
  cases: number;
  seed: number;
}

/** More requests than any small account needs, and fewer than a loop makes. */
const REQUESTS_MAX = 1_500;
const PHASES_MAX = 6;
const noPace: Pace = { turn: async () => {}, answered: async () => 0 };

export async function startWarpedProviders(): Promise<WarpedProviders> {
  const [realA, realB] = await Promise.all([startProviderA([]), startProviderB([])]);
  let plan: Warp[] = [];
  let count = 0;
  const marked = new Set<string>();
  const before = new Map<string, Answer>();

  async function pass(real: ProviderA | ProviderB, request: Request): Promise<Answer> {
    const warp = plan[count % plan.length] ?? { kind: 'none' };
    count += 1;
    const given = await asked(real, request);
    const answer = warped(given, warp, before.get(request.path));
    before.set(request.path, given);
    for (const email of markedIn(answer)) marked.add(email);
    return answer;
  }

  const [a, b] = await Promise.all([
    startStandIn((request) => pass(realA, request)),
    startStandIn((request) => pass(realB, request)),
  ]);
  return {
    a,
    b,
    files: realA.files,
    marked,
    requests: () => count,
    begin(given) {
      const accountA: AccountA = smallAccountA();
      const accountB: AccountB = smallAccountB();
      realA.accounts.splice(0, realA.accounts.length, accountA);
      realB.accounts.splice(0, realB.accounts.length, accountB);
      plan = given;
      count = 0;
      marked.clear();
      before.clear();
      return { keyA: accountA.key, keyB: accountB.key };
    },
    async stop() {
      await Promise.all([a.stop(), b.stop(), realA.stop(), realB.stop()]);
    },
  };
}

/** A copy, as JSON would have it: warps change what they get. */
async function asked(real: StandIn, request: Request): Promise<Answer> {
  const headers = { authorization: request.headers.authorization ?? '', 'user-agent': 'fuzz' };
  const { status, body } = await real.answer({ ...request, headers });
  return { status, headers: {}, body: typeof body === 'string' ? body : JSON.parse(JSON.stringify(body)) };
}

/** Rows that a reader must take as unsubscribed: whole contacts, in an answer that is not refused. */
function markedIn({ status, body }: Answer): string[] {
  if (status !== 200 || body === null || typeof body !== 'object') return [];
  const { data } = body as { data?: unknown };
  const rows = Array.isArray(data) ? data : [body];
  return rows.flatMap((row) => (row?.unsubscribed === true && typeof row.email === 'string' ? [row.email] : []));
}

/** Every read of both clients: an answer of the promised shape, or a SourceError; and an end. */
export async function fuzzClients(providers: WarpedProviders, { cases, seed }: Fuzz): Promise<void> {
  const allowPrivateUrls = [new URL(providers.files.url).host];
  const property = fc.asyncProperty(warps, async (given) => {
    const { keyA, keyB } = providers.begin(given);
    const a = openProviderA(providers.a.url, fetchFiles({ allowPrivateUrls }), { key: keyA, patienceMs: 0 });
    const b = openProviderB(providers.b.url, noPace, { key: keyB, patienceMs: 0 });
    await settledBySource(a.checkKey());
    for (const item of (await settledBySource(a.listTemplates())) ?? []) {
      const template = await settledBySource(a.readTemplate(item.id));
      if (template) expect(template.html === null || typeof template.html === 'string').equal(true);
    }
    for (const { fieldType } of (await settledBySource(a.listFields())) ?? []) expect(fieldType).a('string');
    for (const { name, contactCount } of (await settledBySource(a.listLists())) ?? []) {
      expect(typeof name).equal('string');
      expectCount(contactCount);
    }
    const total = await settledBySource(a.countContacts());
    if (total !== null) expectCount(total);
    for (const group of (await settledBySource(a.listGroups())) ?? []) {
      expectCount(group.suppressedCount);
      const addresses = (await settledBySource(a.listGroupAddresses(group))) ?? [];
      expect(addresses.every((email) => typeof email === 'string')).equal(true);
    }
    for (const list of SUPPRESSION_LISTS) {
      const page = await settledBySource(a.listSuppressed(list, { offset: 0, since: null }));
      for (const { email, at } of page?.rows ?? []) {
        expect(typeof email).equal('string');
        expect(at === null || !Number.isNaN(at.getTime())).equal(true);
      }
    }
    const id = await settledBySource(a.startExport(null));
    const made = id === null ? null : await settledBySource(a.readExport(id));
    if (made?.contactCount != null) expectCount(made.contactCount);
    for (const url of made?.urls ?? []) await settledBySource(rowsOf(a.readExportFile(url, 5)));
    await settledBySource(b.checkKey());
    for (const list of [() => b.listTemplates(), () => b.listFields(), () => b.listSegments(), () => b.listTopics()])
      for (const { name } of (await settledBySource(list())) ?? []) expect(typeof name).equal('string');
    const page = await settledBySource(b.listContacts(null));
    for (const contact of page?.contacts ?? []) {
      expect(typeof contact.email).equal('string');
      await settledBySource(b.readContact(contact.sourceId));
    }
    expect(providers.requests()).below(REQUESTS_MAX);
  });
  await fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
}

async function settledBySource<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

async function rowsOf(batches: AsyncIterable<unknown[]>): Promise<number> {
  let rows = 0;
  for await (const batch of batches) rows += batch.length;
  return rows;
}

function expectCount(count: number): void {
  expect(Number.isSafeInteger(count) && count >= 0, `a count is ${count}`).equal(true);
}

const fileActs: Act[] = [
  { kind: 'cut' },
  { kind: 'truncate' },
  { kind: 'reset' },
  { kind: 'answer', answer: { status: 200, body: 'no contacts\n' } },
  {
    kind: 'answer',
    answer: { status: 200, body: '{"email":5}\n{"email":"a@example.com","custom_fields":[]}\nnull\n' },
  },
  { kind: 'answer', answer: { status: 200, body: Buffer.from([0x1f, 0x8b, 0, 1, 2, 3]) } },
  { kind: 'answer', answer: { status: 500, body: '' } },
];

/**
 * Whole jobs: each ends, or holds with a reason in `attention` and in the errors of its phase; nothing is written to another
 * project, and no contact that an answer called unsubscribed can be mailed.
 */
export async function fuzzJobs(env: Environment, providers: WarpedProviders, { cases, seed }: Fuzz): Promise<void> {
  const given = fc.record({
    provider: fc.constantFrom<MigrationProvider>('providerA', 'providerB'),
    changes: warps,
    isMapped: fc.boolean(),
    file: fc.option(fc.constantFrom(...fileActs)),
  });
  const property = fc.asyncProperty(given, async ({ provider, changes, isMapped, file }) => {
    const { keyA, keyB } = providers.begin(changes);
    providers.files.faults.splice(0, providers.files.faults.length);
    if (file) providers.files.faults.push({ on: /part/, times: 100, act: file });
    const tenant = await env.newTenant('of a case');
    const mapping = { [`${provider}FieldName`]: 'plan', fieldName: 'plan', fieldType: 'string' };
    const id = await start(tenant, provider, {
      apiKey: provider === 'providerA' ? keyA : keyB,
      migrateAll: true,
      ...(isMapped ? { customFieldMappings: [mapping] } : {}),
    });
    await runToEnd(env, tenant, id);
    expect(providers.requests()).below(REQUESTS_MAX);
    expect(await mailable(env, tenant, providers.marked)).deep.equal([]);
  });
  const before = await heldBy(env, env.other);
  await fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
  expect(await heldBy(env, env.other)).deep.equal(before);
}

function heldBy({ deps: { db } }: Environment, { project }: Tenant): Promise<number[]> {
  const collections = [
    db.contacts,
    db.contactLists,
    db.templates,
    db.suppressions,
    db.suppressionGroups,
    db.customFields,
  ];
  return Promise.all(collections.map((collection) => collection.countDocuments({ projectId: project._id })));
}

/** Each phase that holds is skipped, so that the ones after it run too. */
async function runToEnd(env: Environment, tenant: Tenant, id: string): Promise<void> {
  for (let held = 0; held <= PHASES_MAX; held += 1) {
    const { next } = await runPhases(env.deps, tenant, id);
    const found = await job(tenant, id);
    if (next === 'end') {
      expect(found.status).match(/^completed/);
      return;
    }
    expect([found.status, typeof found.attention]).deep.equal(['needs_attention', 'string']);
    const phase = found.phases.find(({ name }) => name === found.phase);
    expect(phase?.errors).deep.include({ item: found.phase, message: found.attention });
    const { status } = await tenant.client.post(`/migrations/${id}/skip`, {});
    expect(status).equal(200);
  }
  throw new Error('the job holds more often than it has phases');
}

async function mailable({ deps }: Environment, { project }: Tenant, marked: Set<string>): Promise<string[]> {
  const emails = [...marked].map((email) => email.toLowerCase());
  const projectId = project._id;
  const here = await deps.db.contacts.find({ projectId, email: { $in: emails } }).toArray();
  const suppressed = await deps.db.suppressions.distinct('email', { projectId, isGlobal: true });
  return here.map(({ email }) => email).filter((email) => !suppressed.includes(email));
}

/** Endpoints 24, 26, 27, 28 and 30: an answer of their schema, or a refusal that says whose fault it is. */
export async function fuzzCalls(env: Environment, providers: WarpedProviders, { cases, seed }: Fuzz): Promise<void> {
  const property = fc.asyncProperty(shapeWarps, fc.boolean(), async (changes, withEmails) => {
    const { keyA, keyB } = providers.begin(changes);
    const { client } = await env.newTenant('of a case');
    const [planA, planB] = [
      await client.post('/migrations/providerA/plan', { apiKey: keyA }),
      await client.post('/migrations/providerB/plan', { apiKey: keyB }),
    ];
    const idsOf = (items: { id: string }[] | undefined) =>
      [...(items ?? []).map(({ id }) => id), 'unknown'].slice(0, 5);
    const group = planA.body.data?.unsubscribeGroups[0]?.id ?? 1;
    const replies = [
      planA,
      planB,
      await client.post('/migrations/providerA/providerA-template', {
        apiKey: keyA,
        templateIds: idsOf(planA.body.data?.templates),
      }),
      await client.post('/migrations/providerB/template', {
        apiKey: keyB,
        templateIds: idsOf(planB.body.data?.templates),
      }),
      await client.post('/migrations/providerA/providerA-unsubscribe-group', {
        apiKey: keyA,
        unsubscribeGroupId: group,
        addEmailsInSuppression: withEmails,
      }),
    ];
    for (const { status, text } of replies) expect([200, 400, 404, 422, 503], text).include(status);
    expect(providers.requests()).below(REQUESTS_MAX);
  });
  await fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
}
