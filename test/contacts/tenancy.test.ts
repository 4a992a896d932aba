// Promise: projects are apart.
import { expect } from 'chai';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { addresses, expectCountsRight, segmentOf } from './support.ts';

describe('Two projects with the same addresses', () => {
  const environment = useEnvironment();
  before(async () => {
    for (const tenant of [environment.own, environment.other]) await fill(tenant);
  });

  const emails = addresses(20, 'both');

  async function fill({ client }: Tenant): Promise<void> {
    const contactListId = (await client.post('/contact-lists', { name: 'L' })).body.data.id;
    await client.post('/contact-lists', segmentOf('email', 'contains', 'both1'));
    await client.post('/contact-lists/contacts/bulk-add', { contactListId, emails });
    await client.post('/suppression-groups/emails/suppress', { emails, isGlobal: true });
    await client.post('/custom-fields', { fieldName: 'plan', fieldType: 'string' });
  }

  /** Everything that a project can be shown of its audience, without times. */
  async function pictureOf({ client }: Tenant) {
    const lists = (await client.get('/contact-lists')).body.data;
    const searches = [];
    for (const { id } of lists.lists)
      searches.push(
        (await client.post('/contact-lists/contacts/search', { contactListId: id, email: 'both' })).body.data,
      );
    return {
      lists,
      searches,
      contacts: (await client.get('/contacts?limit=100')).body.data,
      found: (await client.post('/contacts/search/emails', emails)).body.data,
      groups: (await client.get('/suppression-groups')).body.data,
      entries: (await client.post('/suppression-groups/entries', { search: 'both', limit: 100 })).body.data,
      fields: (await client.get('/custom-fields')).body.data,
      contactsExport: (await client.get('/contacts/export')).text,
      suppressionsExport: (await client.get('/suppression-groups/entries/export')).text,
    };
  }

  it('never see each other: no answer contains an id of the neighbour', async () => {
    const theirs = JSON.stringify(await pictureOf(environment.other)).match(/\b[0-9a-f]{24}\b/g) ?? [];
    const ours = JSON.stringify(await pictureOf(environment.own));
    expect(new Set(theirs).size).to.be.above(40);
    expect([...new Set(theirs)].filter((id) => ours.includes(id))).to.deep.equal([]);
    for (const tenant of [environment.own, environment.other]) {
      const { contacts, entries, searches } = await pictureOf(tenant);
      expect(contacts.pagination.total).to.equal(20);
      expect(entries.pagination.total).to.equal(20);
      expect(searches.map(({ pagination }) => pagination.total)).to.deep.equal([20, 20, 11]);
    }
  });

  it('nothing that one does to these addresses changes anything of the other', async () => {
    const before = await pictureOf(environment.other);
    const { client } = environment.own;
    const list = (await client.get('/contact-lists')).body.data.lists[1].id;
    await client.post('/contacts/bulk-update', { contacts: emails.map((email) => ({ email, firstName: 'Changed' })) });
    await client.post(`/contact-lists/${list}/contacts/remove`, { emails: emails.slice(0, 5) });
    await client.post('/suppression-groups/emails/unsuppress', { emails: emails.slice(0, 5), isGlobal: true });
    await client.post('/contacts/remove', emails.slice(0, 3));
    await client.delete(`/contact-lists/${list}`);
    const upload = { body: `email\n${emails.join('\n')}\n`, headers: { 'Content-Type': 'text/csv' } };
    expect((await client.send('POST', '/contacts/import', upload)).status).to.equal(202);
    expect(await pictureOf(environment.other)).to.deep.equal(before);
    await expectCountsRight(environment, environment.own);
    await expectCountsRight(environment, environment.other);
  });
});
