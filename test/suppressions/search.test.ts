import { expect } from 'chai';
import { liveGroups } from '../../core/suppressions/groups.ts';
import { findInKeys, type KeySearch } from '../../core/suppressions/search-keys.ts';
import { findByText } from '../../core/suppressions/search-texts.ts';
import { addresses } from '../contacts/support.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { until } from '../support/wait.ts';

const everything: KeySearch = { part: 'e', reasons: [], codes: [] };
const REASONS = ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL'];

describe('Search of suppressions (endpoint 16)', () => {
  let environment: Environment;
  before(async () => {
    environment = await startEnvironment();
  });
  after(() => environment.stop());

  const client = () => environment.own.client;
  const remembered = async ({ project }: Tenant) =>
    findInKeys(environment.deps, project, await liveGroups(environment.deps, project), everything, {
      skip: 0,
      limit: 1,
    });

  it('finds by every filter alone and combined, newest first, with exact totals', async () => {
    const tenant = await environment.newTenant('Searching');
    const post = (path: string, body: object) => tenant.client.post(path, body);
    const groupId = (await post('/suppression-groups', { name: 'G' })).body.data.id;
    const codes = [undefined, groupId, null];
    for (let index = 0; index < 24; index += 1) {
      const code = codes[index % 3];
      environment.clock.advance(1_000);
      const target = code === null ? { isGlobal: true } : { groupId: code };
      await post('/suppression-groups/emails/suppress', {
        emails: [`s${index}@x${index % 2}.example.com`],
        reason: REASONS[index % 4],
        ...target,
      });
    }
    const all = await environment.deps.db.suppressions.find({ projectId: tenant.project._id }).toArray();
    const times = all.map(({ createdAt }) => createdAt.toISOString()).sort();
    type Entry = (typeof all)[number];
    const ask = async (body: object) => (await post('/suppression-groups/entries', { limit: 100, ...body })).body.data;
    const cases: [object, (entry: Entry) => boolean][] = [
      [{}, () => true],
      [{ groupId }, (entry) => entry.groupId === groupId],
      [{ reason: 'BOUNCE' }, ({ reason }) => reason === 'BOUNCE'],
      [{ groupId, reason: 'BOUNCE' }, (entry) => entry.groupId === groupId && entry.reason === 'BOUNCE'],
      [{ isGlobal: true }, ({ isGlobal }) => isGlobal],
      [{ isGlobal: true, reason: 'MANUAL' }, ({ isGlobal, reason }) => isGlobal && reason === 'MANUAL'],
      [{ isGlobal: true, groupId }, () => false],
      [{ startDate: times[12] }, ({ createdAt }) => createdAt >= new Date(times[12] ?? '')],
      [
        { endDate: times[5], groupId },
        (entry) => entry.createdAt <= new Date(times[5] ?? '') && entry.groupId === groupId,
      ],
      [
        { startDate: times[3], endDate: times[9], reason: 'COMPLAINT' },
        ({ createdAt, reason }) =>
          createdAt >= new Date(times[3] ?? '') && createdAt <= new Date(times[9] ?? '') && reason === 'COMPLAINT',
      ],
      [{ search: '@X1.' }, ({ email }) => email.includes('@x1.')],
      [{ search: 'boun' }, ({ reason }) => reason === 'BOUNCE'],
      [{ search: '.*' }, () => false],
      [{ search: 'OUNCE', groupId }, (entry) => entry.groupId === groupId && entry.reason === 'BOUNCE'],
      [
        { search: 'boun', endDate: times[9] },
        ({ createdAt, reason }) => createdAt <= new Date(times[9] ?? '') && reason === 'BOUNCE',
      ],
      [{ search: groupId.slice(1, 5).toLowerCase() }, (entry) => entry.groupId === groupId],
      [{ search: 's1', reason: 'BOUNCE' }, ({ email, reason }) => email.includes('s1') && reason === 'BOUNCE'],
      [{ email: 'S4@x0.example.com.' }, ({ email }) => email === 's4@x0.example.com'],
      [{ email: 's4@x0' }, () => false],
      [{ email: 's4@x0.example.com', search: 'x0' }, ({ email }) => email === 's4@x0.example.com'],
    ];
    const inMemory = () => remembered(tenant);
    for (const round of ['from the database', 'from memory']) {
      for (const [body, isWanted] of cases) {
        const { entries, pagination } = await ask(body);
        const ids = entries.map(({ id }: { id: string }) => id);
        const wanted = all.filter(isWanted).map(({ _id }) => _id.toHexString());
        expect(ids, `${round} ${JSON.stringify(body)}`).to.have.members(wanted);
        expect(pagination.total, `${round} ${JSON.stringify(body)}`).to.equal(wanted.length);
      }
      await until(inMemory, (found) => found?.total === all.length);
    }
    const dates = (await ask({ limit: 10, page: 2 })).entries.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(dates).to.deep.equal([...times].reverse().slice(10, 20));
  });

  it('many entries are searched in several parts at once, with the same page and total as in one', async () => {
    const many = await environment.newTenant('Parts');
    const emails = addresses(1_100, 'part').map((email, index) => `${'qzbmf'[index % 5]}${email}`);
    for (const [reason, target] of [
      ['BOUNCE', {}],
      ['MANUAL', { isGlobal: true }],
    ] as const)
      await many.client.post('/suppression-groups/emails/suppress', { emails, reason, ...target });
    const { project } = many;
    const filter = { projectId: project._id };
    const all = await environment.deps.db.suppressions.find(filter).toArray();
    const placeOf = ({ email, groupId }: { email: string; groupId: string }) => `${email} ${groupId}`;
    const byReason = { reason: { $in: ['BOUNCE' as const] } };
    for (const [part, others] of [
      ['part1', []],
      ['99@', []],
      ['nobody', []],
      ['nobody', [byReason]],
      ['99@', [byReason]],
    ] as const)
      for (const [skip, limit] of [
        [0, 20],
        [15, 7],
        [990, 10],
        [1_050, 100],
      ] as const) {
        const anyOf = [{ email: { $regex: part } }, ...others];
        const text = { filter, part, anyOf };
        const found = await findByText(environment.deps, project, text, { skip, limit, size: 1_000_000 });
        const wanted = all.filter(
          ({ email, reason }) => email.includes(part) || (others.length > 0 && reason === 'BOUNCE'),
        );
        expect(found.total, part).to.equal(wanted.length);
        const page = wanted
          .map(placeOf)
          .sort()
          .slice(skip, skip + limit);
        expect(found.entries.map(placeOf), `${part} ${skip}`).to.deep.equal(page);
      }
  });

  it('what was found from memory is right at once after every change, by page as in the database', async () => {
    const tenant = await environment.newTenant('Remembering');
    const post = (path: string, body: object) => tenant.client.post(path, body);
    const groupId = (await post('/suppression-groups', { name: 'G' })).body.data.id;
    const emails = addresses(30, 'kept');
    await post('/suppression-groups/emails/suppress', { emails, groupId });
    const found = async (body: object) => {
      const { entries, pagination } = (await post('/suppression-groups/entries', body)).body.data;
      return [pagination.total, ...entries.map(({ email }: { email: string }) => email)];
    };
    await until(
      () => remembered(tenant),
      (known) => known !== null,
    );
    const sorted = [...emails].sort();
    expect(await found({ search: 'kept', limit: 10, page: 2 })).to.deep.equal([30, ...sorted.slice(10, 20)]);
    expect(await found({ search: 'kept', limit: 20, page: 3 })).to.deep.equal([30]);

    await post('/suppression-groups/emails/suppress', { emails: ['new.one@example.com'], isGlobal: true });
    expect(await found({ search: 'new.one' })).to.deep.equal([1, 'new.one@example.com']);
    await post('/suppression-groups/emails/suppress', { emails: [sorted[0]], groupId, reason: 'COMPLAINT' });
    expect(await found({ search: 'omplaint' })).to.deep.equal([1, sorted[0]]);
    await post('/suppression-groups/emails/unsuppress', { emails: ['new.one@example.com'], isGlobal: true });
    expect(await found({ search: 'new.one' })).to.deep.equal([0]);
    expect((await tenant.client.delete(`/suppression-groups/${groupId}`)).status).to.equal(200);
    expect(await found({ search: 'kept' })).to.deep.equal([0]);
  });

  it('refuses dates and pages that are none, and unknown groups', async () => {
    const bad = [
      { startDate: '2026-03-01T00:00:00Z', endDate: '2026-02-01T00:00:00Z' },
      { startDate: '2026-02-30' },
      { endDate: '0000' },
      { endDate: '+275760-09-13' },
      { startDate: 5 },
      { page: 0 },
      { limit: 101 },
      { limit: '20' },
      { reason: 'bounce' },
      { isGlobal: 'true' },
      { email: { $ne: null } },
      { search: { $regex: '.*' } },
      { search: 'a\u0000' },
      { search: 'x'.repeat(321) },
    ];
    for (const body of bad)
      expect((await client().post('/suppression-groups/entries', body)).status, JSON.stringify(body)).to.equal(400);
    const unknown = await client().post('/suppression-groups/entries', { groupId: 'ZZZZZZ' });
    expect([unknown.status, unknown.body.error.code]).to.deep.equal([404, 'SUPPRESSION_GROUP_NOT_FOUND']);
  });
});
