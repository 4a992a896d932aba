// Promise: who left is not mailed.
import { expect } from 'chai';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { carryOverPeople } from '../../core/people/carry-over.ts';
import { importSlice } from '../../core/people/imports/run.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { entriesOf, expectGroupCountsRight, imported } from './support.ts';

describe('Imports of consent state', () => {
  const environment = useEnvironment();
  const errorsOf = async (tenant: Tenant, id: string) =>
    (await tenant.client.get(`/contacts/imports/${id}/errors?format=ndjson`)).text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));

  it('suppress by status: an unsubscribe in the groups named, a bounce and a complaint in the global group', async () => {
    const tenant = await environment.newTenant('Statuses');
    const code = (await tenant.client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    await tenant.client.post('/suppression-groups', { name: 'Offers of the week' });
    const file = [
      'email,status,groups,unsubscribed_at',
      'stays@example.com,enabled,,',
      'left@example.com,Unsubscribed,,2024-05-06 07:08:09',
      `news@example.com,blocklisted,${code.toLowerCase()},`,
      'both@example.com,opted out,news|OFFERS of the week,',
      'gone@example.com,cleaned,News,',
      'angry@example.com,junk,,',
    ].join('\n');
    const done = await imported(environment, tenant, file);
    expect(done).to.include({ status: 'completed', created: 6, failed: 0, suppressed: 5, stillSuppressed: 0 });
    expect(await entriesOf(tenant)).to.deep.equal([
      'angry@example.com Global COMPLAINT',
      'both@example.com News UNSUBSCRIBE',
      'both@example.com Offers of the week UNSUBSCRIBE',
      'gone@example.com Global BOUNCE',
      'left@example.com Marketing UNSUBSCRIBE',
      'news@example.com News UNSUBSCRIBE',
    ]);
    const found = await tenant.client.post('/suppression-groups/entries', { email: 'left@example.com' });
    expect(found.body.data.entries[0].evidence).to.equal(
      `import ${done.id} of ${done.createdAt}: unsubscribed since 2024-05-06T07:08:09.000Z`,
    );
    const { contacts } = (await tenant.client.post('/contacts/search/emails', ['left@example.com'])).body.data;
    expect(contacts[0].contactProperties).to.deep.equal({});
    await expectGroupCountsRight(environment, tenant);
  });

  it('never remove a suppression: a row that says subscribed is counted, and its address stays suppressed', async () => {
    const tenant = await environment.newTenant('Stays');
    const emails = ['manual@example.com', 'complained@example.com', 'other@example.com', 'free@example.com'];
    const { client } = tenant;
    const news = (await client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    await client.post('/suppression-groups/emails/suppress', { emails: [emails[0]] });
    const complaint = { emails: [emails[1]], isGlobal: true, reason: 'COMPLAINT' };
    await client.post('/suppression-groups/emails/suppress', complaint);
    await client.post('/suppression-groups/emails/suppress', { emails: [emails[2]], groupId: news });
    const before = await entriesOf(tenant);
    const file = `email,status,subscribedAt\n${emails.map((email) => `${email},subscribed,2020-11-01`).join('\n')}\n`;
    expect(await imported(environment, tenant, file)).to.include({ created: 4, suppressed: 0, stillSuppressed: 2 });
    expect(await entriesOf(tenant)).to.deep.equal(before);
    const named = `email,status,groups\n${emails[2]},subscribed,News\n`;
    expect(await imported(environment, tenant, named)).to.include({ suppressed: 0, stillSuppressed: 1 });
    const weaker = `email,status,groups\n${emails[1]},bounced,\n${emails[1]},unsubscribed,Global\n`;
    expect(await imported(environment, tenant, weaker)).to.include({ suppressed: 2 });
    expect(await entriesOf(tenant)).to.deep.equal(before);
  });

  it('refuse rows with a status, group or date that is not understood, each with its row and reason', async () => {
    const tenant = await environment.newTenant('Refused');
    for (let twice = 0; twice < 2; twice += 1) await tenant.client.post('/suppression-groups', { name: 'Twice' });
    const file = [
      'email,status,groups,unsubscribedAt,firstName',
      'gold@example.com,gold,,,A',
      'empty@example.com,,,,B',
      'short@example.com',
      'group@example.com,unsubscribed,Nothing,,C',
      'twice@example.com,unsubscribed,twice,,D',
      'date@example.com,unsubscribed,,31.12.2020,E',
      'fine@example.com,subscribed,,,F',
    ].join('\n');
    const done = await imported(environment, tenant, file);
    expect(done).to.include({ status: 'completed_with_errors', created: 1, failed: 6, suppressed: 0 });
    expect((await errorsOf(tenant, done.id)).map(({ row, message }) => [row, message.slice(0, 32)])).to.deep.equal([
      [1, 'status: "gold" is not known; it '],
      [2, 'status: is empty; it must be sub'],
      [3, 'status: is empty; it must be sub'],
      [4, 'groups: names no suppression gro'],
      [5, 'groups: is the name of several g'],
      [6, 'unsubscribedAt: must be an ISO 8'],
    ]);
    expect(await entriesOf(tenant)).to.deep.equal([]);
  });

  it('suppress an address although the rest of its row is refused', async () => {
    const tenant = await environment.newTenant('Half');
    const file = 'email,status,mobile\nLeft@Example.com,unsubscribed,123\nnonsense,unsubscribed,\n';
    const done = await imported(environment, tenant, file);
    expect(done).to.include({ created: 0, failed: 2, suppressed: 1 });
    expect(await entriesOf(tenant)).to.deep.equal(['left@example.com Marketing UNSUBSCRIBE']);
  });

  it('take the fields from NDJSON too, with the consent of an upsert; evidence becomes a record of the contact', async () => {
    const tenant = await environment.newTenant('Evidence');
    const consent = { text: 'News, once a month.', askedAt: '2023-01-01T10:00:00Z', networkAddress: '198.51.100.77' };
    const lines = [
      { email: 'a@example.com', status: 'subscribed', consent },
      { email: 'b@example.com', status: 'unsubscribed', groups: ['Default'], unsubscribedAt: '2024-01-01' },
      { email: 'c@example.com', consentText: 'Offers.', consentConfirmedAt: '2023-02-03T04:05:06Z' },
      { email: 'd@example.com', consentText: 'No date' },
    ];
    const body = lines.map((line) => JSON.stringify(line)).join('\n');
    const done = await imported(environment, tenant, body, { type: 'application/x-ndjson' });
    expect(done).to.include({ created: 3, failed: 1, suppressed: 1, consents: 2 });
    const { db } = environment.deps;
    const records = await db.consents.find({ projectId: tenant.project._id }).sort({ email: 1 }).toArray();
    const shown = records.map(({ email, source, text, askedAt, confirmedAt, networkAddress }) => ({
      ...{ email, source, text, askedAt, confirmedAt, networkAddress },
    }));
    expect(shown).to.deep.equal([
      {
        ...{ email: 'a@example.com', source: 'import', text: consent.text, askedAt: new Date(consent.askedAt) },
        ...{ confirmedAt: null, networkAddress: '198.51.100.0/24' },
      },
      {
        ...{ email: 'c@example.com', source: 'import', text: 'Offers.', askedAt: new Date('2023-02-03T04:05:06Z') },
        ...{ confirmedAt: new Date('2023-02-03T04:05:06Z'), networkAddress: null },
      },
    ]);
    expect(records.every(({ importId }) => importId?.toHexString() === done.id)).to.equal(true);
    const [first] = await db.contacts.find({ projectId: tenant.project._id, email: 'a@example.com' }).toArray();
    expect(records[0]?.contactId).to.deep.equal(first?._id);
  });

  it('write once: the same file again changes no entry', async () => {
    const tenant = await environment.newTenant('Again');
    const file = 'email,status\na@example.com,unsubscribed\nb@example.com,bounced\nc@example.com,complained\n';
    await imported(environment, tenant, file);
    const stored = () =>
      environment.deps.db.suppressions.find({ projectId: tenant.project._id }).sort({ _id: 1 }).toArray();
    const before = await stored();
    expect(await imported(environment, tenant, file)).to.include({ created: 0, unchanged: 3, suppressed: 3 });
    expect(await stored()).to.deep.equal(before);
    await expectGroupCountsRight(environment, tenant);
  });

  it('are counted in an import that an earlier version accepted; setup gives its other imports their counts', async () => {
    const { deps } = environment;
    const tenant = await environment.newTenant('Earlier');
    const projectId = tenant.project._id;
    const counts = { suppressed: 1, stillSuppressed: 1, consents: 1 } as const;
    const body = 'email,status\na@example.com,unsubscribed\n';
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const accepted = await tenant.client.send('POST', '/contacts/import', {
          body,
          headers: { 'Content-Type': 'text/csv' },
        });
        return new ObjectId(accepted.body.data.importId);
      }),
    );
    await deps.db.imports.updateMany({ projectId }, { $unset: counts });
    await importSlice(deps, { projectId, importId: ids[0]! }, { timeMs: 60_000 });
    const none = { suppressed: 0, stillSuppressed: 0, consents: 0 };
    const shown = async (id?: ObjectId) => (await tenant.client.get(`/contacts/imports/${id}`)).body.data;
    expect(await shown(ids[0])).to.include({ ...none, suppressed: 1, processed: 1 });
    expect(await carryOverPeople(deps, tenant.project)).to.include({ customFields: 0, imports: 1 });
    expect(await shown(ids[1])).to.include({ ...none, status: 'queued' });
    expect(await shown(ids[0])).to.include({ suppressed: 1 });
    expect(await carryOverPeople(deps, tenant.project)).to.include({ customFields: 0, imports: 0 });
  });

  it('end with the strongest state of each address and group, whatever the order of the rows', async function () {
    this.timeout(120_000);
    const tenant = await environment.newTenant('Orders');
    for (const name of ['News', 'Offers']) await tenant.client.post('/suppression-groups', { name });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 40 }), fc.boolean(), async (rows, isLong) => {
        run += 1;
        const files = [rows, rows.toReversed()].map((ordered, index) => ({
          prefix: `r${run}o${index}`,
          lines: ordered.map(({ name, status, groups }) => `r${run}o${index}${name}@example.com,${status},${groups}`),
        }));
        for (const { prefix, lines } of files) {
          // More rows than one transaction has, so that the states of an address are in several.
          const between = Array.from(
            { length: isLong ? 600 : 0 },
            (_, index) => `${prefix}x${index}@example.com,active,`,
          );
          const middle = Math.ceil(lines.length / 2);
          const all = ['email,status,groups', ...lines.slice(0, middle), ...between, ...lines.slice(middle)];
          expect(await imported(environment, tenant, all.join('\n'))).to.include({ failed: 0 });
        }
        const entries = await entriesOf(tenant);
        for (const { prefix } of files) {
          const own = entries.filter((entry) => entry.startsWith(`${prefix}p`));
          expect(own).to.deep.equal(expected(rows).map((entry) => prefix + entry));
        }
      }),
      { numRuns: 8 },
    );
    await expectGroupCountsRight(environment, tenant);
  });
});

const row = fc.record({
  name: fc.constantFrom('p1', 'p2', 'p3', 'p4'),
  status: fc.constantFrom(
    'subscribed',
    'unsubscribed',
    'bounced',
    'complained',
    'active',
    'cleaned',
    'junk',
    'pending',
  ),
  groups: fc.constantFrom('', 'News', 'Offers', 'News|Offers', 'Global'),
});

const STRENGTH = { BOUNCE: 1, UNSUBSCRIBE: 2, COMPLAINT: 3 };
type Reason = keyof typeof STRENGTH;
const reasons: Record<string, Reason> = {
  ...{ unsubscribed: 'UNSUBSCRIBE', pending: 'UNSUBSCRIBE', bounced: 'BOUNCE', cleaned: 'BOUNCE' },
  ...{ complained: 'COMPLAINT', junk: 'COMPLAINT' },
};

/** The strongest reason of each address and group, by the rule in the documents. */
function expected(rows: { name: string; status: string; groups: string }[]): string[] {
  const found = new Map<string, Reason>();
  for (const { name, status, groups } of rows) {
    const reason = reasons[status];
    if (!reason) continue;
    const named = reason === 'UNSUBSCRIBE' ? groups.split('|').map((group) => group || 'Marketing') : ['Global'];
    for (const group of named) {
      const key = `${name}@example.com ${group}`;
      const known = found.get(key);
      if (!known || STRENGTH[reason] > STRENGTH[known]) found.set(key, reason);
    }
  }
  return [...found].map(([key, reason]) => `${key} ${reason}`).sort();
}
