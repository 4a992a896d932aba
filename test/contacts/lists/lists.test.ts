import { expect } from 'chai';
import { findByPart } from '../../../core/people/search.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { addresses, expectCountsRight, postUntilTaken, segmentOf } from '../support.ts';

const GLOBAL = 'GLOBAL_CONTACT_LIST';
const randomId = '0123456789abcdef01234567';

describe('Contact lists', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  before(() => {
    tenant = environment.own;
  });

  const post = (path: string, body: unknown) => tenant.client.post(path, body);
  const newList = async (name = 'List') => (await post('/contact-lists', { name })).body.data.id as string;
  const bulkAdd = (body: object) => post('/contact-lists/contacts/bulk-add', body);
  const countOf = async (id: string) => (await tenant.client.get(`/contact-lists/${id}`)).body.data.contactCount;

  describe('themselves', () => {
    it('are created with 201, listed behind the global list, changed and deleted', async () => {
      const created = await post('/contact-lists', { name: 'News', description: 'Monthly' });
      expect(created.status).to.equal(201);
      const { id, createdAt, updatedAt, ...rest } = created.body.data;
      expect(rest).to.deep.equal({
        name: 'News',
        description: 'Monthly',
        type: 'list',
        isPublic: false,
        contactCount: 0,
        filterCriteria: null,
        looksBackDays: null,
        recompute: null,
      });
      expect(updatedAt).to.equal(createdAt);
      const listed = await tenant.client.get('/contact-lists');
      expect(listed.body.data.lists[0]).to.include({ id: GLOBAL, type: 'list' });
      expect(listed.body.data.lists.at(-1)).to.deep.equal(created.body.data);
      expect(listed.body.data.pagination).to.deep.equal({ page: 1, limit: 20, total: 2, pages: 1 });
      const changed = await tenant.client.patch(`/contact-lists/${id}`, { name: 'Weekly' });
      expect(changed.body.data).to.include({ id, name: 'Weekly', description: 'Monthly' });
      expect((await tenant.client.delete(`/contact-lists/${id}`)).body).to.deep.equal({ success: true });
      const gone = await tenant.client.get(`/contact-lists/${id}`);
      expect([gone.status, gone.body.error.code]).to.deep.equal([404, 'CONTACT_LIST_NOT_FOUND']);
    });

    it('are selected by ?type=', async () => {
      const id = await newList();
      const segment = (await post('/contact-lists', segmentOf('email', 'contains', 'nobody'))).body.data.id;
      const ids = async (type: string) =>
        (await tenant.client.get(`/contact-lists?type=${type}`)).body.data.lists.map((list: { id: string }) => list.id);
      expect(await ids('list'))
        .to.include.members([GLOBAL, id])
        .and.not.include(segment);
      expect(await ids('segment')).to.deep.equal([segment]);
      expect((await tenant.client.get('/contact-lists?type=other')).status).to.equal(400);
    });

    it('are found by a part of their name, whatever its letters, and listed newest first when asked', async () => {
      const ids = [await newList('Café (Nord)'), await newList('Café Süd'), await newList('Other')];
      const find = async (query: string) =>
        (await tenant.client.get(`/contact-lists?${query}`)).body.data.lists.map(({ id }: { id: string }) => id);
      expect(await find(`search=${encodeURIComponent('CAFÉ')}`)).to.have.members(ids.slice(0, 2));
      expect(await find(`search=${encodeURIComponent('café')}&newestFirst=true`)).to.deep.equal([ids[1], ids[0]]);
      expect(await find(`search=${encodeURIComponent('(')}`)).to.deep.equal([ids[0]]);
      expect((await find('newestFirst=true&limit=2')).slice(0, 2)).to.deep.equal([ids[2], ids[1]]);
      const long = await tenant.client.get(`/contact-lists?search=${'x'.repeat(201)}`);
      expect([long.status, long.body.error.details]).to.deep.equal([400, 'search: must be 200 characters at most']);
      for (const id of ids) await tenant.client.delete(`/contact-lists/${id}`);
    });

    it('the global list can be read, and neither changed nor deleted', async () => {
      expect((await tenant.client.get(`/contact-lists/${GLOBAL}`)).body.data).to.include({ id: GLOBAL, type: 'list' });
      expect((await tenant.client.patch(`/contact-lists/${GLOBAL}`, { name: 'x' })).status).to.equal(400);
      expect((await tenant.client.delete(`/contact-lists/${GLOBAL}`)).status).to.equal(400);
    });

    it('only lists can be public, and only 25 of them', async () => {
      const made = (await post('/contact-lists', { name: 'Shown', isPublic: true })).body.data;
      expect(made).to.include({ isPublic: true });
      const change = (id: string, isPublic: boolean) => tenant.client.patch(`/contact-lists/${id}`, { isPublic });
      expect((await change(made.id, false)).body.data).to.include({ isPublic: false, name: 'Shown' });
      expect((await change(made.id, true)).body.data).to.include({ isPublic: true, name: 'Shown' });

      const segment = segmentOf('email', 'contains', 'shown');
      const refused = await post('/contact-lists', { ...segment, isPublic: true });
      expect([refused.status, refused.body.error.details]).to.deep.equal([400, 'isPublic: belongs to lists only']);
      const { id } = (await post('/contact-lists', { ...segment, isPublic: false })).body.data;
      expect((await change(id, true)).status).to.equal(400);
      expect((await tenant.client.get(`/contact-lists/${id}`)).body.data).to.include({ isPublic: false });
      expect((await change(GLOBAL, true)).status).to.equal(400);

      for (let count = 1; count < 25; count += 1) await post('/contact-lists', { name: `${count}`, isPublic: true });
      const last = await post('/contact-lists', { name: 'One too many', isPublic: true });
      expect([last.status, last.body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
      expect((await change(await newList(), true)).status).to.equal(409);
      expect((await change(made.id, true)).status, 'public already').to.equal(200);
    });

    it('a deleted list leaves its contacts, which stay', async () => {
      const [id, other] = [await newList(), await newList()];
      for (const contactListId of [id, other]) await bulkAdd({ contactListId, emails: addresses(3, 'stay') });
      await tenant.client.delete(`/contact-lists/${id}`);
      const { contacts } = (await post('/contacts/search/emails', addresses(3, 'stay'))).body.data;
      expect(contacts.map(({ listIds }: { listIds: string[] }) => listIds)).to.deep.equal([[other], [other], [other]]);
      await expectCountsRight(environment, tenant);
    });

    it('a list that is deleted while contacts are added to it is in no contact afterwards', async () => {
      const id = await newList();
      const adding = addresses(12, 'race').map((email) =>
        postUntilTaken(tenant.client, '/contacts/email', { email, listIds: [id] }),
      );
      const deleted = await tenant.client.delete(`/contact-lists/${id}`);
      const answers = await Promise.all(adding);
      expect(deleted.status).to.equal(200);
      for (const { status } of answers) expect(status).to.be.oneOf([200, 404]);
      const left = await environment.deps.db.contacts
        .find({ projectId: tenant.project._id })
        .toArray()
        .then((all) => all.filter(({ listIds }) => listIds.some((one) => one.toHexString() === id)));
      const removal = await environment.deps.db.listRemovals.findOne({ projectId: tenant.project._id });
      expect(left.length === 0 || removal?.dueAt !== undefined).to.equal(true);
    });
  });

  describe('Removal', () => {
    it('answers removed, notInList and errors, by emails and by ids', async () => {
      const id = await newList();
      const path = `/contact-lists/${id}/contacts/remove`;
      const { contacts } = (await bulkAdd({ contactListId: id, emails: addresses(4, 'leave') })).body.data;
      await post('/contacts/email', { email: 'outside@example.com' });
      const emails = ['LEAVE0@example.com', 'outside@example.com', 'nobody@example.com', 'nonsense'];
      expect((await post(path, { emails })).body.data).to.deep.equal({
        removed: 1,
        notInList: 2,
        errors: [{ email: 'nonsense', message: 'is not an email address' }],
      });
      const byId = (await post(path, { contactIds: [contacts[1].id, contacts[0].id, randomId, 'zzz'] })).body.data;
      expect(byId).to.include({ removed: 1, notInList: 1 });
      expect(byId.errors).to.have.length(2);
      expect(await countOf(id)).to.equal(2);
      expect((await tenant.client.get(`/contacts/${contacts[1].id}`)).body.data.listIds).to.deep.equal([]);
      await expectCountsRight(environment, tenant);
    });

    it('refuses the global list without a code, segments, and what is not exactly one of emails and contactIds', async () => {
      const emails = ['x@example.com'];
      const global = await post(`/contact-lists/${GLOBAL}/contacts/remove`, { emails });
      expect([global.status, global.body.error.code]).to.deep.equal([400, undefined]);
      expect(global.body.error.message).to.contain('delete the contact instead');
      const segment = (await post('/contact-lists', segmentOf('email', 'contains', 'nobody'))).body.data.id;
      expect((await post(`/contact-lists/${segment}/contacts/remove`, { emails })).status).to.equal(400);
      const path = `/contact-lists/${await newList()}/contacts/remove`;
      expect((await post(path, {})).status).to.equal(400);
      expect((await post(path, { emails, contactIds: [randomId] })).status).to.equal(400);
      const many = await post(path, { contactIds: Array.from({ length: 10_001 }, () => randomId) });
      expect([many.status, many.body.error.message.includes('10000')]).to.deep.equal([400, true]);
      for (const id of [randomId, 'zzz'])
        expect((await post(`/contact-lists/${id}/contacts/remove`, { emails })).status).to.equal(404);
    });
  });

  describe('Search in a list', () => {
    const search = (body: object) => post('/contact-lists/contacts/search', body);

    it('answers pages by address with the documented fields and exact totals; the part of an email means itself', async () => {
      const contactListId = await newList();
      const emails = [...addresses(12, 'found'), 'a.b+c@x.example.com'];
      await bulkAdd({ contactListId, emails });
      const page = (await search({ contactListId, page: 2, limit: 5, email: 'FOUND' })).body.data;
      expect(page.pagination).to.deep.equal({ page: 2, limit: 5, total: 12, pages: 3 });
      const found = page.contacts.map(({ email }: { email: string }) => email);
      expect(found).to.deep.equal(addresses(12, 'found').sort().slice(5, 10));
      expect(page.contacts[0]).to.have.all.keys('id', 'email', 'firstName', 'lastName', 'createdAt', 'updatedAt');
      expect((await search({ contactListId })).body.data.pagination).to.deep.equal({
        page: 1,
        limit: 20,
        total: 13,
        pages: 1,
      });
      const total = async (email: string) => (await search({ contactListId, email })).body.data.pagination.total;
      expect(await total('.b+c@')).to.equal(1);
      for (const literal of ['.*', '(a+)+$', '[', '\\', '(', '^', '$', 'a{1,30000}', '|'])
        expect(await total(literal), literal).to.equal(0);
    });

    it('works on the global list and on segments, and sees nothing of another project', async () => {
      const segment = (await post('/contact-lists', segmentOf('email', 'starts_with', 'inseg'))).body.data.id;
      await post('/contacts/email', { email: 'inseg@example.com' });
      await environment.other.client.post('/contacts/email', { email: 'inseg-theirs@example.com' });
      const emailsOf = async (contactListId: string) =>
        (await search({ contactListId, email: 'inseg' })).body.data.contacts.map(
          ({ email }: { email: string }) => email,
        );
      expect(await emailsOf(segment)).to.deep.equal(['inseg@example.com']);
      expect(await emailsOf(GLOBAL)).to.deep.equal(['inseg@example.com']);
    });

    it('finds every part of an address with its exact page and total', async () => {
      const many = await environment.newTenant('Parts');
      const emails = addresses(1_500, 'part').map((email, index) => `${'qzbmf'[index % 5]}${email}`);
      for (let from = 0; from < emails.length; from += 500)
        await many.client.post('/contact-lists/contacts/bulk-add', {
          contactListId: GLOBAL,
          emails: emails.slice(from, from + 500),
        });
      const members = { filter: { projectId: many.project._id }, hint: 'email' } as const;
      for (const part of ['part1', 'zpart', '@example', 'nobody', '99@'])
        for (const [skip, limit] of [
          [0, 20],
          [15, 7],
          [990, 10],
          [1_200, 50],
        ] as const) {
          const found = await findByPart(environment.deps, members, part, { skip, limit });
          const matching = emails.filter((email) => email.includes(part)).sort();
          expect(found, `${part} ${skip}`).to.deep.equal({
            total: matching.length,
            emails: matching.slice(skip, skip + limit),
          });
        }
    });

    it('refuses pages and limits out of range, long or wrong texts, and unknown lists', async () => {
      const contactListId = GLOBAL;
      for (const body of [
        { contactListId, page: 0 },
        { contactListId, page: -1 },
        { contactListId, page: 1.5 },
        { contactListId, page: '1' },
        { contactListId, page: 1e9 + 1 },
        { contactListId, limit: 0 },
        { contactListId, limit: 101 },
        { contactListId, limit: '20' },
        { contactListId, email: { $gt: '' } },
        { contactListId, email: 'x'.repeat(321) },
        { contactListId, email: 'a\u0000' },
        { contactListId: { $ne: null } },
        {},
      ])
        expect((await search(body)).status, JSON.stringify(body)).to.equal(400);
      for (const id of [randomId, 'zzz', ''])
        expect((await search({ contactListId: id })).body.error.code).to.equal('CONTACT_LIST_NOT_FOUND');
      expect((await search({ contactListId, page: 5_000 })).body.data.contacts).to.deep.equal([]);
    });
  });

  it('counts equal a recount after any mix of calls at once', async () => {
    const mixed = await environment.newTenant('Mixed');
    const { client } = mixed;
    const ids: string[] = [];
    for (const name of ['A', 'B']) ids.push((await client.post('/contact-lists', { name })).body.data.id);
    await client.post('/contact-lists', segmentOf('firstName', 'equals', 'F1'));
    const emails = addresses(30, 'mix');
    const call = (index: number) => {
      const [list, email] = [ids[index % 2], emails[(index * 7) % 30]];
      const some = emails.slice(index % 20, (index % 20) + 10);
      switch (index % 6) {
        case 0:
          return postUntilTaken(client, '/contact-lists/contacts/bulk-add', { contactListId: list, emails: some });
        case 1:
          return postUntilTaken(client, `/contact-lists/${list}/contacts/remove`, { emails: some.slice(0, 5) });
        case 2:
          return postUntilTaken(client, '/contacts/email', { email, listIds: ids, firstName: `F${index % 3}` });
        case 3:
          return postUntilTaken(client, '/contacts/remove', { emails: [email] });
        case 4:
          return postUntilTaken(client, '/contacts/email', { email, firstName: `F${index % 2}` });
        default:
          return postUntilTaken(client, '/contacts/bulk-update', {
            contacts: some.map((one, position) => ({ email: one, firstName: `F${position % 3}` })),
          });
      }
    };
    const answers = await Promise.all(Array.from({ length: 90 }, (_, index) => call(index)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await expectCountsRight(environment, mixed);
    const contacts = await environment.deps.db.contacts.find({ projectId: mixed.project._id }).toArray();
    for (const { firstName, segmentIds } of contacts) expect(segmentIds.length).to.equal(firstName === 'F1' ? 1 : 0);
  }).timeout(120_000);
});
