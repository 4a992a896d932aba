import { expect } from 'chai';
import type { Suppression } from '../../core/consent/suppressions/model.ts';
import { addresses } from '../contacts/support.ts';
import { useEnvironment } from '../support/environment.ts';

const REASONS = ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL'];

/** Codes of groups are random, so any short text may be in one. */
function has({ email, reason, groupId }: Suppression, text: string): boolean {
  return [email, reason, groupId].some((one) => one.toLowerCase().includes(text.toLowerCase()));
}

describe('Search of suppressions', () => {
  const environment = useEnvironment();

  const client = () => environment.own.client;

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
    const code = groupId.slice(1, 5).toLowerCase();
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
      [{ search: 'boun' }, (entry) => has(entry, 'boun')],
      [{ search: '.*' }, () => false],
      [{ search: 'OUNCE', groupId }, (entry) => entry.groupId === groupId && has(entry, 'ounce')],
      [
        { search: 'boun', endDate: times[9] },
        (entry) => entry.createdAt <= new Date(times[9] ?? '') && has(entry, 'boun'),
      ],
      [{ search: code }, (entry) => has(entry, code)],
      [{ search: 's1', reason: 'BOUNCE' }, (entry) => has(entry, 's1') && entry.reason === 'BOUNCE'],
      [{ email: 'S4@x0.example.com.' }, ({ email }) => email === 's4@x0.example.com'],
      [{ email: 's4@x0' }, () => false],
      [{ email: 's4@x0.example.com', search: 'x0' }, ({ email }) => email === 's4@x0.example.com'],
    ];
    for (const [body, isWanted] of cases) {
      const { entries, pagination } = await ask(body);
      const ids = entries.map(({ id }: { id: string }) => id);
      const wanted = all.filter(isWanted).map(({ _id }) => _id.toHexString());
      expect(ids, JSON.stringify(body)).to.have.members(wanted);
      expect(pagination.total, JSON.stringify(body)).to.equal(wanted.length);
    }
    const dates = (await ask({ limit: 10, page: 2 })).entries.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(dates).to.deep.equal([...times].reverse().slice(10, 20));
  });

  it('finds texts in addresses and reasons by address, with exact pages and totals', async () => {
    const many = await environment.newTenant('Parts');
    const emails = addresses(1_100, 'part').map((email, index) => `${'qzbmf'[index % 5]}${email}`);
    for (const [reason, target] of [
      ['BOUNCE', {}],
      ['MANUAL', { isGlobal: true }],
    ] as const)
      await many.client.post('/suppression-groups/emails/suppress', { emails, reason, ...target });
    const all = await environment.deps.db.suppressions.find({ projectId: many.project._id }).toArray();
    const code = all.find(({ isGlobal }) => isGlobal)!.groupId;
    for (const [search, wanted] of [
      ['part1', all.filter((entry) => has(entry, 'part1'))],
      ['99@', all.filter(({ email }) => email.includes('99@'))],
      ['nobody', []],
      ['bounc', all.filter((entry) => has(entry, 'bounc'))],
      [code, all.filter((entry) => has(entry, code))],
    ] as const)
      for (const [page, limit] of [
        [1, 20],
        [3, 7],
        [100, 10],
        [11, 100],
      ] as const) {
        const { data } = (await many.client.post('/suppression-groups/entries', { search, page, limit })).body;
        expect(data.pagination.total, search).to.equal(wanted.length);
        const places = wanted.map(({ email, groupId }) => `${email} ${groupId}`).sort();
        const found = data.entries.map(({ email, groupId }: Record<string, string>) => `${email} ${groupId}`);
        expect(found, `${search} ${page}`).to.deep.equal(places.slice((page - 1) * limit, page * limit));
      }
  });

  it('finds by text what was written before the call, page by page', async () => {
    const tenant = await environment.newTenant('Remembering');
    const post = (path: string, body: object) => tenant.client.post(path, body);
    const groupId = (await post('/suppression-groups', { name: 'G' })).body.data.id;
    const emails = addresses(30, 'remembered');
    await post('/suppression-groups/emails/suppress', { emails, groupId });
    const found = async (body: object) => {
      const { entries, pagination } = (await post('/suppression-groups/entries', body)).body.data;
      return [pagination.total, ...entries.map(({ email }: { email: string }) => email)];
    };
    const sorted = [...emails].sort();
    expect(await found({ search: 'remembered', limit: 10, page: 2 })).to.deep.equal([30, ...sorted.slice(10, 20)]);
    expect(await found({ search: 'remembered', limit: 20, page: 3 })).to.deep.equal([30]);

    await post('/suppression-groups/emails/suppress', { emails: ['new.one@example.com'], isGlobal: true });
    expect(await found({ search: 'new.one' })).to.deep.equal([1, 'new.one@example.com']);
    await post('/suppression-groups/emails/suppress', { emails: [sorted[0]], groupId, reason: 'COMPLAINT' });
    expect(await found({ search: 'omplaint' })).to.deep.equal([1, sorted[0]]);
    await post('/suppression-groups/emails/unsuppress', { emails: ['new.one@example.com'], isGlobal: true });
    expect(await found({ search: 'new.one' })).to.deep.equal([0]);
    expect((await tenant.client.delete(`/suppression-groups/${groupId}`)).status).to.equal(200);
    expect(await found({ search: 'remembered' })).to.deep.equal([0]);
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
