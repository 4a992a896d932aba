import { expect } from 'chai';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
import { longestHold } from '../linear/hold.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { imported, previewed } from './support.ts';

describe('The preview of an import', () => {
  const environment = useEnvironment();

  /** The documents of a project in every collection that an import writes. */
  async function stored({ project: { _id: projectId } }: Tenant) {
    const { db } = environment.deps;
    const collections = [
      ...[db.contacts, db.contactHistory, db.suppressions, db.suppressionGroups, db.consents, db.imports],
      ...[db.importChunks, db.importErrors, db.listCounts, db.triggers, db.events],
    ] as const;
    return Promise.all(
      collections.map((one) =>
        one
          .find({ projectId } as never)
          .sort({ _id: 1 })
          .toArray(),
      ),
    );
  }

  async function seeded(name: string): Promise<{ tenant: Tenant; listId: string }> {
    const tenant = await environment.newTenant(name);
    const { client } = tenant;
    await client.post('/custom-fields', { fieldName: 'age', fieldType: 'number' });
    const listId = (await client.post('/contact-lists', { name: 'L' })).body.data.id;
    await client.post('/contact-lists', {
      name: 'S',
      type: 'segment',
      filterCriteria: { conditions: [{ field: 'firstName', operator: 'equals', value: 'Same' }] },
    });
    for (const email of ['same@example.com', 'other@example.com'])
      await client.post('/contacts/email', { email, firstName: 'Same' });
    const left = { emails: ['left@example.com'], isMarketing: true, reason: 'UNSUBSCRIBE' };
    await client.post('/suppression-groups/emails/suppress', left);
    await client.post('/suppression-groups/emails/suppress', { emails: ['weak@example.com'], isMarketing: true });
    return { tenant, listId };
  }

  const file = [
    'Email,First Name,status,groups,age,consentText,consentAskedAt,id,Größe',
    'same@example.com,Same,subscribed,,,,,x,',
    'other@example.com,Changed,subscribed,,,Yes,2020-01-01,x,1',
    'new@example.com,,subscribed,,,,,x,',
    'new@example.com,N,bounced,,,,,x,',
    'left@example.com,,unsubscribed,,,,,x,',
    'left@example.com,,subscribed,,,,,x,',
    'weak@example.com,,unsubscribed,,,,,x,',
    'angry@example.com,,complained,,,,,x,',
    'gold@example.com,,gold,,,,,x,',
    'age@example.com,,unsubscribed,,old,,,x,',
    'nonsense,,subscribed,,,,,x,',
  ].join('\n');

  it('counts what the import does, names the columns, and writes nothing', async () => {
    const { tenant } = await seeded('Counts');
    const before = await stored(tenant);
    const preview = await previewed(tenant, file);
    expect(await stored(tenant)).to.deep.equal(before);
    const { columns, errors, ...counts } = preview;
    expect(counts).to.deep.equal({
      ...{ format: 'csv', isWhole: true, sizeBytes: Buffer.byteLength(file), failureReason: null },
      ...{ processed: 11, created: 4, updated: 1, unchanged: 1, repeated: 2, failed: 3, consents: 1 },
      suppressions: { UNSUBSCRIBE: 2, BOUNCE: 1, COMPLAINT: 1 },
      ...{ alreadySuppressed: 1, stillSuppressed: 2 },
    });
    expect(columns.map(({ name, kind, becomes }: Record<string, string>) => [name, kind, becomes])).to.deep.equal([
      ['Email', 'field', 'email'],
      ['First Name', 'field', 'firstName'],
      ['status', 'consent', 'status'],
      ['groups', 'consent', 'groups'],
      ['age', 'property', 'age'],
      ['consentText', 'consent', 'consentText'],
      ['consentAskedAt', 'consent', 'consentAskedAt'],
      ['id', 'ignored', null],
      ['Größe', 'property', 'Gr_e'],
    ]);
    expect(errors.map(({ row, email }: { row: number; email: string }) => [row, email])).to.deep.equal([
      [9, 'gold@example.com'],
      [10, 'age@example.com'],
      [11, 'nonsense'],
    ]);
    const done = await imported(environment, tenant, file);
    expect(done).to.include({ processed: 11, created: 4, failed: 3, consents: 1 });
    const again = await previewed(tenant, file);
    expect(again).to.include({ created: 0, alreadySuppressed: 5, stillSuppressed: 2 });
    expect(again.suppressions).to.deep.equal({ UNSUBSCRIBE: 0, BOUNCE: 0, COMPLAINT: 0 });
  });

  it('takes the options of an import: a list that contacts join is a change', async () => {
    const { tenant, listId } = await seeded('Options');
    const rows = 'email\nsame@example.com\n';
    expect(await previewed(tenant, rows)).to.include({ unchanged: 1, updated: 0 });
    expect(await previewed(tenant, rows, `?listIds=${listId}`)).to.include({ unchanged: 0, updated: 1 });
    const form = new FormData();
    form.set('file', new Blob(['{"email":"same@example.com"}\n']), 'people.bin');
    form.set('listIds', listId);
    const answer = await tenant.client.send('POST', '/contacts/import/preview', { body: form });
    expect(answer.body.data).to.deep.include({ format: 'ndjson', updated: 1, columns: [] });
    const theirs = (await environment.other.client.post('/contact-lists', { name: 'T' })).body.data.id;
    for (const id of [theirs, '0123456789abcdef01234567']) {
      const headers = { 'Content-Type': 'text/csv' };
      const refused = await tenant.client.send('POST', `/contacts/import/preview?listIds=${id}`, {
        body: rows,
        headers,
      });
      expect([refused.status, refused.body.error.code]).to.deep.equal([404, 'CONTACT_LIST_NOT_FOUND']);
    }
  });

  it('says why a file cannot be imported, and counts the rows before the fault', async () => {
    const { own } = environment;
    expect(await previewed(own, 'firstName\nA\n')).to.include({
      failureReason: 'The first line must name the columns, one of them email.',
      processed: 0,
    });
    const unclosed = `email,firstName\nearly@example.com,E\nlate@example.com,"open\n${'x'.repeat(300_000)}`;
    const fault = await previewed(own, unclosed);
    expect(fault).to.include({ processed: 1, created: 1 });
    expect(fault.failureReason).to.contain('quote');
    const headers = { 'Content-Type': 'text/csv' };
    expect((await own.client.send('POST', '/contacts/import/preview', { body: '', headers })).status).to.equal(400);
    expect((await own.client.post('/contacts/import/preview', {})).status).to.equal(415);
  });

  it('shows the first hundred errors of many', async () => {
    const rows = Array.from({ length: 1_200 }, (_, index) => `bad${index}`);
    const preview = await previewed(environment.own, `email\n${rows.join('\n')}\n`);
    expect(preview).to.include({ failed: 1_200, processed: 1_200 });
    const numbers = preview.errors.map(({ row }: { row: number }) => row);
    expect(numbers).to.deep.equal(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it('of a large file is one of its beginning: 100,000 rows, or 16 MiB that may end within a row', async function () {
    this.timeout(180_000);
    const { own } = environment;
    const short = `email\n${'bad\n'.repeat(100_600)}`;
    expect(await previewed(own, short)).to.include({ isWhole: false, processed: 100_000, failed: 100_000 });
    // Cells with a quote: the cut is inside an open one.
    const long = `email,note\n${`bad,"${'x'.repeat(200_000)}"\n`.repeat(90)}`;
    const cut = await previewed(own, long);
    expect(cut).to.include({ isWhole: false, processed: 83, failed: 83, failureReason: null });
    expect(cut.sizeBytes).to.equal(Buffer.byteLength(long));
  });

  it('of rows with many groups ends where their groups are 400,000, and holds the event loop for no longer', async function () {
    this.timeout(180_000);
    const tenant = await environment.newTenant('Many groups');
    const names = Array.from({ length: 50 }, (_, index) => `g${index}`);
    for (const name of names) await tenant.client.post('/suppression-groups', { name });
    const rows = Array.from(
      { length: 20_000 },
      (_, n) => `p${n}@example.com,${n % 2 ? '' : 'un'}subscribed,${names.join(';')}`,
    );
    const file = ['email,status,groups', ...rows].join('\n');
    const { holdMs, result } = await longestHold(() => previewed(tenant, file));
    expect(result).to.include({ isWhole: false, processed: 8_000, created: 8_000, stillSuppressed: 0 });
    expect(result.suppressions).to.include({ UNSUBSCRIBE: 200_000 });
    expect(holdMs).to.be.lessThan(HOLD_MS_MAX);
  });
});
