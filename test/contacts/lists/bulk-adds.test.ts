import { expect } from 'chai';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { addresses, expectCountsRight, postUntilTaken, segmentOf } from '../support.ts';

const GLOBAL = 'GLOBAL_CONTACT_LIST';
const randomId = '0123456789abcdef01234567';

describe('Bulk add', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  before(() => {
    tenant = environment.own;
  });

  const post = (path: string, body: unknown) => tenant.client.post(path, body);
  const newList = async (name = 'List') => (await post('/contact-lists', { name })).body.data.id as string;
  const bulkAdd = (body: object) => post('/contact-lists/contacts/bulk-add', body);
  const countOf = async (id: string) => (await tenant.client.get(`/contact-lists/${id}`)).body.data.contactCount;

  it('answers every documented field: created, added, already in the list, invalid, suppressed', async () => {
    const contactListId = await newList();
    await post('/contacts/email', { email: 'known@example.com' });
    await bulkAdd({ contactListId, emails: ['member@example.com'] });
    await post('/suppression-groups/emails/suppress', { emails: ['new@example.com'], isGlobal: true });
    const { status, body } = await bulkAdd({
      contactListId,
      emails: ['New@example.com', 'known@example.com', 'member@example.com', 'nonsense', 'new@example.com.'],
    });
    expect(status).to.equal(200);
    const { contacts, ...rest } = body.data;
    expect(rest).to.deep.equal({
      added: 1,
      created: 1,
      alreadyInList: 1,
      errors: [],
      validation: {
        valid: [
          { email: 'new@example.com', status: 'created' },
          { email: 'known@example.com', status: 'added' },
          { email: 'member@example.com', status: 'already_in_list' },
        ],
        invalid: [{ email: 'nonsense', message: 'is not an email address' }],
        suppressed: ['new@example.com'],
      },
      totalContactsInList: 3,
    });
    expect(contacts.map(({ email }: { email: string }) => email)).to.deep.equal([
      'new@example.com',
      'known@example.com',
    ]);
    for (const contact of contacts) {
      expect(contact).to.have.all.keys('id', 'email', 'createdAt', 'updatedAt', 'projectId', 'listIds', 'segmentIds');
      expect(contact.listIds).to.deep.equal([contactListId]);
      expect(contact.projectId).to.equal(tenant.project._id.toHexString());
    }
  });

  it('takes ids too: an unknown id is an entry of errors, the same for a foreign id as for a random one', async () => {
    const contactListId = await newList();
    const own = (await post('/contacts/email', { email: 'byid@example.com' })).body.data.id;
    const foreign = (await environment.other.client.post('/contacts/email', { email: 'f@example.com' })).body.data.id;
    const { body } = await bulkAdd({ contactListId, contactIds: [own, foreign, randomId, 'zzz'] });
    expect(body.data).to.include({ added: 1, created: 0, alreadyInList: 0, totalContactsInList: 1 });
    expect(body.data.errors.map(({ contactId }: { contactId: string }) => contactId)).to.have.members([
      foreign,
      randomId,
      'zzz',
    ]);
    expect(new Set(body.data.errors.map(({ message }: { message: string }) => message)).size).to.equal(1);
    const theirs = await environment.other.client.get(`/contacts/${foreign}`);
    expect(theirs.body.data.listIds).to.deep.equal([]);
  });

  it('into the global list creates contacts; existing contacts are in it already', async () => {
    await post('/contacts/email', { email: 'there@example.com' });
    const before = await countOf(GLOBAL);
    const { data } = (await bulkAdd({ contactListId: GLOBAL, emails: ['there@example.com', 'fresh@example.com'] }))
      .body;
    expect(data).to.include({ added: 0, created: 1, alreadyInList: 1, totalContactsInList: before + 1 });
    expect(data.contacts[0].listIds).to.deep.equal([]);
  });

  it('refuses both or neither of emails and contactIds, 501 entries naming the limit, segments, and unknown lists', async () => {
    const contactListId = await newList();
    const emails = ['x@example.com'];
    for (const body of [
      { contactListId },
      { contactListId, emails, contactIds: [randomId] },
      { emails },
      { contactListId, emails: [] },
      { contactListId, emails: [1] },
      { contactListId: 1, emails },
      { contactListId, emails: { $gt: '' } },
    ])
      expect((await bulkAdd(body)).status, JSON.stringify(body)).to.equal(400);
    const many = await bulkAdd({ contactListId, emails: addresses(501) });
    expect([many.status, many.body.error.message.includes('500')]).to.deep.equal([400, true]);
    const manyIds = await bulkAdd({ contactListId, contactIds: Array.from({ length: 501 }, () => randomId) });
    expect(manyIds.status).to.equal(400);
    const segment = (await post('/contact-lists', segmentOf('email', 'contains', 'nobody'))).body.data.id;
    expect((await bulkAdd({ contactListId: segment, emails })).status).to.equal(400);
    const theirs = (await environment.other.client.post('/contact-lists', { name: 'T' })).body.data.id;
    const unknown = [];
    for (const id of [theirs, randomId, 'zzz']) unknown.push(await bulkAdd({ contactListId: id, emails }));
    for (const { status, body } of unknown)
      expect([status, body.error.code]).to.deep.equal([404, 'CONTACT_LIST_NOT_FOUND']);
    expect(new Set(unknown.map(({ text }) => text)).size).to.equal(1);
    const found = await post('/contacts/search/emails', emails);
    expect(found.body.data.contacts).to.deep.equal([]);
  });

  it('50 parallel bulk-adds of the same 500 addresses: 500 contacts, created sums to 500, contactCount is 500', async () => {
    const cold = await environment.newTenant('Parallel');
    const contactListId = (await cold.client.post('/contact-lists', { name: 'L' })).body.data.id;
    const body = { contactListId, emails: addresses(500, 'parallel') };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => postUntilTaken(cold.client, '/contact-lists/contacts/bulk-add', body)),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const sum = (field: string) => answers.reduce((total, answer) => total + answer.body.data[field], 0);
    expect(sum('created')).to.equal(500);
    expect(sum('added') + sum('alreadyInList')).to.equal(49 * 500);
    expect(await environment.deps.db.contacts.countDocuments({ projectId: cold.project._id })).to.equal(500);
    expect((await cold.client.get(`/contact-lists/${contactListId}`)).body.data.contactCount).to.equal(500);
    await expectCountsRight(environment, cold);
  }).timeout(120_000);
});
