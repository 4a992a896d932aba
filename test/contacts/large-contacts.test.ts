import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { FOUND_PROPERTIES_BYTES_MAX, PROPERTIES_BYTES_MAX, PROPERTY_TEXT_MAX } from '../../schemas/people/contacts.ts';
import { imported, previewed } from '../imports/support.ts';
import { HOLD_MS_MAX } from '../linear/cpu.ts';
import { leastHold } from '../linear/hold.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { addresses } from './support.ts';

describe('The properties of a contact', function () {
  this.timeout(120_000);
  const environment = useEnvironment({}, { checkAnswers: false });
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Large');
  });

  const sizeOf = (some: object) => Buffer.byteLength(JSON.stringify(some));
  /** 16 of them take nearly as many bytes as there may be. */
  const made = (count: number, letter = 'x') =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`p${10 + at}`, letter.repeat(4_086 / Buffer.byteLength(letter))]),
    );
  const full = (letter?: string) => made(16, letter);
  const upsert = (contactProperties: object, email = 'one@example.com') =>
    tenant.client.post('/contacts/email', { email, contactProperties });
  /** As an earlier version, or the limit, let them become. */
  async function store(emails: string[], contactProperties: object): Promise<void> {
    const at = environment.clock.now();
    const fields = { firstName: null, lastName: null, userId: null, mobile: null, listIds: [], segmentIds: [] };
    await environment.deps.db.contacts.insertMany(
      emails.map((email) => ({
        ...{ _id: new ObjectId(), projectId: tenant.project._id, email, ...fields, createdAt: at, updatedAt: at },
        contactProperties: contactProperties as Record<string, string>,
      })),
    );
  }
  /** Parsing a large answer would count, since the client is in this process. */
  function unread(method: 'GET' | 'POST', path: string, body?: unknown): Promise<{ status: number; bytes: number }> {
    const headers = { Authorization: `Bearer ${tenant.projectKey}`, 'Content-Type': 'application/json' };
    return new Promise((resolve, reject) => {
      const asked = request(environment.url + path, { method, headers, agent: false }, (answer) => {
        let bytes = 0;
        answer.on('data', (piece: Buffer) => {
          bytes += piece.length;
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, bytes }));
        answer.once('error', reject);
      });
      asked.once('error', reject).end(body === undefined ? '' : JSON.stringify(body));
    });
  }
  const refusal =
    /^The properties of a contact take 65536 bytes at most, as JSON in UTF-8; with this change they take \d+\./;

  for (const [what, letter] of [
    ['plain letters', 'x'],
    ['letters of several bytes', '語'],
  ] as const)
    it(`have a size together, which counts bytes: ${what}`, async () => {
      const most = full(letter);
      expect(sizeOf(most)).to.be.within(PROPERTIES_BYTES_MAX - 16, PROPERTIES_BYTES_MAX);
      const kept = await upsert(most);
      expect(kept.status, kept.text.slice(0, 500)).to.equal(200);
      expect(kept.body.data.contactProperties).to.deep.equal(most);
      for (const refused of [
        await upsert({ more: 'xxxxxxxxxx' }),
        await upsert({ ...most, more: 'xxxxxxxxxx' }, 'two@example.com'),
        await tenant.client.patch(`/contacts/${kept.body.data.id}`, { contactProperties: { more: 'xxxxxxxxxx' } }),
      ]) {
        expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(refused.body.error.message).to.match(refusal);
        expect(refused.body.error.details).to.match(/^contactProperties: must take 65536 bytes at most/);
      }
      const [first] = Object.keys(most);
      expect((await upsert({ [first!]: null, more: 'xxxxxxxxxx' })).status).to.equal(200);
    });

  it('of one contact among many are refused alone, in a bulk update and in each row of a file', async () => {
    await store(['one@example.com'], full());
    const contacts = [
      { email: 'one@example.com', contactProperties: { more: 'xxxxxxxxxx' } },
      { email: 'two@example.com', contactProperties: { more: 'xxxxxxxxxx' } },
    ];
    const { data } = (await tenant.client.post('/contacts/bulk-update', { contacts })).body;
    expect(data).to.include({ successCount: 1, failedCount: 1 });
    expect(data.errors[0]).to.include({ index: 0, email: 'one@example.com' });
    expect(data.errors[0].message).to.match(refusal);
    const file = 'email,contactProperties.more\none@example.com,xxxxxxxxxxxx\nthree@example.com,xxxxxxxxxx\n';
    const shown = await previewed(tenant, file);
    expect(shown.errors.map(({ row, email }: { row: number; email: string }) => [row, email])).to.deep.equal([
      [1, 'one@example.com'],
    ]);
    expect(shown.errors[0].message).to.match(refusal);
    const job = await imported(environment, tenant, file);
    expect(job).to.deep.include({ status: 'completed_with_errors', created: 1, failed: 1 });
    const { text } = await tenant.client.get(`/contacts/imports/${job.id}/errors?format=ndjson`);
    expect(JSON.parse(text).message).to.match(refusal);
  });

  it('that are larger, from an earlier version, can be read, and may become smaller but not larger', async () => {
    await store(['one@example.com'], { ...full(), more: 'x'.repeat(PROPERTY_TEXT_MAX) });
    const [contact] = (await tenant.client.post('/contacts/search/emails', ['one@example.com'])).body.data.contacts;
    expect(sizeOf(contact.contactProperties)).to.be.above(PROPERTIES_BYTES_MAX);
    expect((await tenant.client.get(`/contacts/${contact.id}`)).status).to.equal(200);
    expect((await upsert({ other: 1 })).status).to.equal(400);
    expect((await upsert({ more: 'x'.repeat(PROPERTY_TEXT_MAX - 1) })).status).to.equal(200);
    const named = await tenant.client.patch(`/contacts/${contact.id}`, { firstName: 'Ada' });
    expect([named.status, named.body.data.firstName]).to.deep.equal([200, 'Ada']);
  });

  it('are found with those of others up to a size, above which the refusal says what to do', async () => {
    const most = Math.floor(FOUND_PROPERTIES_BYTES_MAX / PROPERTIES_BYTES_MAX);
    const emails = addresses(most + 1, 'many');
    await store(emails, full());
    const search = (some: string[]) => tenant.client.post('/contacts/search/emails', some);
    const { holdMs, result } = await leastHold(() => unread('POST', '/v1/contacts/search/emails', emails.slice(1)));
    expect(result.status).to.equal(200);
    expect(result.bytes).to.be.above(1.9 * FOUND_PROPERTIES_BYTES_MAX);
    expect(holdMs).to.be.below(HOLD_MS_MAX);
    const refused = await search(emails);
    expect([refused.status, refused.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    expect(refused.body.error.message).to.contain('over 8 MiB of properties').and.contain('ask for fewer');
    expect((await tenant.client.post('/contacts/remove', emails)).body.data).to.deep.equal({ deleted: most + 1 });
  });

  it(`hold the event loop for less than ${HOLD_MS_MAX} ms in each turn of an import, however large they are`, async () => {
    const emails = addresses(200, 'file');
    await store(emails, made(15));
    let round = 0;
    const { holdMs, result } = await leastHold(() => {
      round += 1;
      const rows = emails.map((email, at) => `${email},${round * 1_000 + at}`);
      return imported(environment, tenant, `email,contactProperties.round\n${rows.join('\n')}\n`);
    });
    expect(result).to.deep.include({ status: 'completed', updated: 200, failed: 0 });
    expect(holdMs).to.be.below(HOLD_MS_MAX);
  });

  for (const format of ['csv', 'ndjson'])
    it(`hold the event loop for less than ${HOLD_MS_MAX} ms in each turn of an export as ${format}`, async () => {
      const count = 500;
      await store(addresses(count, 'export'), full());
      const { holdMs, result } = await leastHold(() => unread('GET', `/v1/contacts/export?format=${format}`));
      expect(result.status).to.equal(200);
      expect(result.bytes).to.be.above(count * 0.9 * PROPERTIES_BYTES_MAX);
      expect(holdMs).to.be.below(HOLD_MS_MAX);
    });

  it('leave the memory slice by slice while many contacts are removed from a list, or deleted', async () => {
    const emails = addresses(2_000, 'slice');
    await store(emails, { plan: 'gold' });
    const list = (await tenant.client.post('/contact-lists', { name: 'L' })).body.data.id;
    for (let from = 0; from < emails.length; from += 500)
      await tenant.client.post('/contact-lists/contacts/bulk-add', {
        contactListId: list,
        emails: emails.slice(from, from + 500),
      });
    await environment.deps.db.contacts.updateMany({ projectId: tenant.project._id }, { $set: { userId: 'many' } });
    const removed = await mostInMemory(() =>
      tenant.client.post(`/contact-lists/${list}/contacts/remove`, {
        emails: [...emails, 'unknown@example.com', 'no'],
      }),
    );
    expect(removed.result.body.data).to.deep.equal({
      removed: 2_000,
      notInList: 1,
      errors: [{ email: 'no', message: 'is not an email address' }],
    });
    const deleted = await mostInMemory(() => tenant.client.delete('/contacts/email/userId/many'));
    expect(deleted.result.body.data).to.deep.equal({ deleted: 2_000 });
    // One slice of 500, and the one before it.
    expect(removed.most).to.be.within(1, 1_000);
    expect(deleted.most).to.be.within(1, 1_000);
  });

  /** The most contacts read from the database that are still in memory when further ones are read. */
  async function mostInMemory<T>(work: () => Promise<T>): Promise<{ most: number; result: T }> {
    const { contacts } = environment.deps.db;
    const { find } = contacts;
    const read: WeakRef<object>[] = [];
    let most = 0;
    contacts.find = ((...given: Parameters<typeof find>) => {
      const cursor = find.apply(contacts, given);
      const toArray = cursor.toArray.bind(cursor);
      cursor.toArray = async () => {
        // A WeakRef keeps its object until the end of the turn that made it.
        await sleep(1);
        collectGarbage();
        most = Math.max(most, read.filter((one) => one.deref()).length);
        const found = await toArray();
        read.push(...found.filter(({ contactProperties }) => contactProperties).map((one) => new WeakRef(one)));
        return found;
      };
      return cursor;
    }) as typeof find;
    try {
      return { result: await work(), most };
    } finally {
      contacts.find = find;
    }
  }
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
