import { expect } from 'chai';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { expectCountsRight } from './support.ts';

const NO_ADDRESSES = [
  '',
  'plain',
  'a@b',
  'a@localhost',
  'a@-b.test',
  'a..b@c.test',
  '.a@b.test',
  '"x y"@b.test',
  'a@b.test(c)',
  'b@y.test(c)evil.test',
  'g: evil@e.test;',
  'A <a@b.test>',
  'a@b.test, c@d.test',
  'a@[127.0.0.1]',
  'a@b.test\r\nBcc: x@y.test',
  'a@b.test\n',
  `${'x'.repeat(65)}@b.test`,
  `a@${'b.'.repeat(126)}test`,
  'аnn@b.test',
  'a\u00ad@b.test',
  'a@\u200bb.test',
];
/** Of two people. */
const SPELLINGS = ['Ann@Example.com', ' ann@example.com ', 'ann@example.com.', 'ann@例え.jp', 'ANN@xn--r8jz45g.jp'];
const NORMAL = ['ann@example.com', 'ann@xn--r8jz45g.jp'];

describe('Every door of the audience', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  let list: string;
  before(async () => {
    tenant = environment.own;
    list = (await post('/contact-lists', { name: 'L' })).body.data.id;
  });

  const post = (path: string, body: unknown) => tenant.client.post(path, body);
  const written = async () => {
    const { contacts, suppressions } = environment.deps.db;
    const filter = { projectId: tenant.project._id };
    return [await contacts.countDocuments(filter), await suppressions.countDocuments(filter)];
  };

  it('refuses what is no address in its own way, and writes nothing of it', async () => {
    const before = await written();
    const emails = NO_ADDRESSES;
    const updated = (await post('/contacts/bulk-update', { contacts: emails.map((email) => ({ email })) })).body.data;
    expect(updated).to.include({ successCount: 0, failedCount: emails.length });
    expect(new Set(updated.errors.map(({ message }: { message: string }) => message))).to.have.all.keys(
      'email: must be an email address',
    );
    const added = (await post('/contact-lists/contacts/bulk-add', { contactListId: list, emails })).body.data;
    expect(added).to.include({ created: 0, added: 0, alreadyInList: 0, totalContactsInList: 0 });
    expect(added.validation).to.deep.equal({
      valid: [],
      invalid: emails.map((email) => ({ email, message: 'is not an email address' })),
      suppressed: [],
    });
    const removed = (await post(`/contact-lists/${list}/contacts/remove`, { emails })).body.data;
    expect([removed.removed, removed.notInList, removed.errors.length]).to.deep.equal([0, 0, emails.length]);
    for (const email of emails)
      for (const action of ['suppress', 'unsuppress']) {
        const { status, body } = await post(`/suppression-groups/emails/${action}`, { emails: ['x@y.test', email] });
        expect([status, body.error.code], email).to.deep.equal([400, 'VALIDATION_ERROR']);
        expect(body.error.details).to.contain('emails/1');
      }
    expect((await post('/contacts/search/emails', emails)).body.data.contacts).to.deep.equal([]);
    for (const email of emails) {
      const { status, body } = await post('/suppression-groups/entries', { email });
      expect([status, body.data.entries], email).to.deep.equal([200, []]);
    }
    expect(await written()).to.deep.equal(before);
  });

  it('takes every spelling of an address for the same person', async () => {
    const added = (await post('/contact-lists/contacts/bulk-add', { contactListId: list, emails: SPELLINGS })).body
      .data;
    expect(added).to.deep.include({ created: 2, added: 0, alreadyInList: 0, totalContactsInList: 2 });
    expect(added.validation.valid.map(({ email }: { email: string }) => email)).to.have.members(NORMAL);
    const contacts = SPELLINGS.map((email, index) => ({ email, firstName: `F${index}` }));
    expect((await post('/contacts/bulk-update', { contacts })).body.data).to.include({ successCount: 5 });
    const found = (await post('/contacts/search/emails', SPELLINGS)).body.data.contacts;
    const facts = found.map(({ email, firstName }: { email: string; firstName: string }) => [email, firstName]);
    expect(facts).to.have.deep.members([
      [NORMAL[0], 'F2'],
      [NORMAL[1], 'F4'],
    ]);
    expect((await post('/suppression-groups/emails/suppress', { emails: SPELLINGS })).body.data.suppressed).to.equal(2);
    for (const email of SPELLINGS)
      expect((await post('/suppression-groups/entries', { email })).body.data.pagination.total, email).to.equal(1);
    const other = (await post('/suppression-groups/entries', { email: 'ann+tag@example.com' })).body.data;
    expect(other.pagination.total).to.equal(0);
    const removed = (await post(`/contact-lists/${list}/contacts/remove`, { emails: SPELLINGS })).body.data;
    expect(removed).to.deep.equal({ removed: 2, notInList: 0, errors: [] });
    expect(await written()).to.deep.equal([2, 2]);
    await expectCountsRight(environment, tenant);
  });

  it('passes over fields that callers cannot assign: none is stored, and none widens a search', async () => {
    const theirs = environment.other.project;
    await environment.other.client.post('/contacts/email', { email: 'theirs@example.com' });
    await environment.other.client.post('/suppression-groups/emails/suppress', { emails: ['theirs@example.com'] });
    const strange = {
      projectId: theirs._id.toHexString(),
      organizationId: theirs.organizationId.toHexString(),
      _id: '0123456789abcdef01234567',
      createdAt: '2001-01-01T00:00:00.000Z',
      createdBy: 'me',
      status: 'sent',
      metrics: {},
    };
    const emails = ['strange@example.com'];
    await post('/contacts/bulk-update', { contacts: [{ email: 'strange@example.com', ...strange }], ...strange });
    await post('/contact-lists/contacts/bulk-add', { contactListId: list, emails, ...strange });
    await post('/suppression-groups/emails/suppress', { emails, ...strange });
    const [contact] = (await post('/contacts/search/emails', { emails, ...strange })).body.data.contacts;
    expect(contact.projectId).to.equal(tenant.project._id.toHexString());
    const { db } = environment.deps;
    for (const collection of [db.contacts, db.suppressions]) {
      const stored = await collection.findOne({ projectId: tenant.project._id, email: 'strange@example.com' });
      expect(stored?._id.toHexString()).to.not.equal(strange._id);
      expect(stored?.createdAt.getFullYear()).to.be.above(2001);
      expect(stored).to.not.have.any.keys('organizationId', 'createdBy', 'status', 'metrics');
    }
    for (const [path, body] of [
      ['/contact-lists/contacts/search', { contactListId: 'GLOBAL_CONTACT_LIST' }],
      ['/contact-lists/contacts/search', { contactListId: 'GLOBAL_CONTACT_LIST', email: 'example' }],
      ['/contacts/search/emails', { emails: ['theirs@example.com', ...emails] }],
      ['/suppression-groups/entries', {}],
      ['/suppression-groups/entries', { search: 'example' }],
    ] as const) {
      const widened = await post(path, { ...body, ...strange });
      expect(widened.body, path).to.deep.equal((await post(path, body)).body);
      expect(widened.text, path).to.contain('strange@example.com').and.not.contain('theirs@');
    }
    expect(await db.contacts.countDocuments({ projectId: theirs._id })).to.equal(1);
    expect(await db.suppressions.countDocuments({ projectId: theirs._id })).to.equal(1);
  });

  it('takes an id in upper case for the same list and contact', async () => {
    const { id } = (await post('/contacts/email', { email: 'upper@example.com' })).body.data;
    const contactListId = list.toUpperCase();
    const added = await post('/contact-lists/contacts/bulk-add', { contactListId, contactIds: [id.toUpperCase()] });
    expect(added.body.data).to.include({ added: 1 });
    const found = (await post('/contact-lists/contacts/search', { contactListId, email: 'upper' })).body.data;
    expect(found.pagination.total).to.equal(1);
    expect((await tenant.client.get(`/contacts/${id.toUpperCase()}`)).body.data.id).to.equal(id);
  });
});
