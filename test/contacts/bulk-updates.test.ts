import { expect } from 'chai';
import { useEnvironment } from '../support/environment.ts';
import { addresses, expectCountsRight } from './support.ts';

describe('Bulk update', () => {
  const environment = useEnvironment();

  const update = (body: unknown) => environment.own.client.post('/contacts/bulk-update', body);
  const contactOf = async (email: string) =>
    (await environment.own.client.post('/contacts/search/emails', [email])).body.data.contacts[0];

  it('creates contacts with a new email and updates the others; answers the three counts', async () => {
    await environment.own.client.post('/contacts/email', {
      email: 'known@example.com',
      firstName: 'Old',
      lastName: 'Kept',
    });
    const contacts = [
      { email: 'Known@example.com', firstName: 'New', contactProperties: { plan: 'gold' } },
      { email: 'fresh@example.com', userId: 'u-9', mobile: '+12025550123' },
    ];
    const { status, body } = await update({ contacts, runWorkflow: false });
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal({ successCount: 2, failedCount: 0, totalCount: 2, errors: [] });
    expect(await contactOf('known@example.com')).to.deep.include({
      firstName: 'New',
      lastName: 'Kept',
      contactProperties: { plan: 'gold' },
    });
    expect(await contactOf('fresh@example.com')).to.include({ userId: 'u-9', mobile: '+12025550123' });
  });

  it('a contact that fails its schema fails alone, with its index, email and reason', async () => {
    await environment.own.client.post('/custom-fields', { fieldName: 'age', fieldType: 'number' });
    const contacts = [
      { email: 'good1@example.com' },
      { email: 'nonsense' },
      { firstName: 'Nobody' },
      { email: 'a@example.com', mobile: '123' },
      { email: 'b@example.com', contactProperties: { age: 'old' } },
      { email: 'c@example.com', listIds: ['0123456789abcdef01234567'] },
      { email: 'd@example.com', firstName: 5 },
      { email: 'good2@example.com' },
    ];
    const { data } = (await update({ contacts })).body;
    expect(data).to.include({ successCount: 2, failedCount: 6, totalCount: 8 });
    const facts = data.errors.map(({ index, email }: { index: number; email: string | null }) => [index, email]);
    expect(facts).to.deep.equal([
      [1, 'nonsense'],
      [2, null],
      [3, 'a@example.com'],
      [4, 'b@example.com'],
      [5, 'c@example.com'],
      [6, 'd@example.com'],
    ]);
    for (const { message } of data.errors) expect(message).to.match(/email|mobile|age|listIds|firstName/);
    const written = await environment.deps.db.contacts.find({ projectId: environment.own.project._id }).toArray();
    const emails = written.map(({ email }) => email);
    expect(emails).to.include.members(['good1@example.com', 'good2@example.com']);
    expect(emails).to.not.include.members(['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com']);
  });

  it('the same email twice is applied in order', async () => {
    const twice = [
      { email: 'twice@example.com', firstName: 'One', lastName: 'One' },
      { email: 'twice@example.com', firstName: 'Two' },
    ];
    expect((await update({ contacts: twice })).body.data).to.include({ successCount: 2, totalCount: 2 });
    expect(await contactOf('twice@example.com')).to.include({ firstName: 'Two', lastName: 'One' });
  });

  it('adds to lists, with counts and segments right at the answer', async () => {
    const { client } = environment.own;
    const list = (await client.post('/contact-lists', { name: 'L' })).body.data.id;
    const filterCriteria = {
      groups: [{ field: 'contactProperties.level', operator: 'greater_than', value: 5, fieldType: 'number' }],
    };
    const segment = (await client.post('/contact-lists', { name: 'S', filterCriteria })).body.data.id;
    const contacts = addresses(100, 'level').map((email, index) => ({
      email,
      listIds: [list],
      contactProperties: { level: index % 10 },
    }));
    expect((await update({ contacts })).body.data.successCount).to.equal(100);
    expect((await client.get(`/contact-lists/${list}`)).body.data.contactCount).to.equal(100);
    expect((await client.get(`/contact-lists/${segment}`)).body.data.contactCount).to.equal(40);
    expect((await contactOf('level7@example.com')).segmentIds).to.deep.equal([segment]);
    await update({ contacts: [{ email: 'level7@example.com', contactProperties: { level: 1 } }] });
    expect((await contactOf('level7@example.com')).segmentIds).to.deep.equal([]);
    expect((await client.get(`/contact-lists/${segment}`)).body.data.contactCount).to.equal(39);
    await expectCountsRight(environment, environment.own);
  });

  it('refuses no contacts, 101 of them naming the limit, and wrong types', async () => {
    const many = await update({ contacts: addresses(101).map((email) => ({ email })) });
    expect([many.status, many.body.error.message.includes('100')]).to.deep.equal([400, true]);
    for (const body of [
      { contacts: [] },
      {},
      { contacts: {} },
      { contacts: [1] },
      { contacts: [{ email: 'x@example.com' }], runWorkflow: 'yes' },
    ])
      expect((await update(body)).status, JSON.stringify(body)).to.equal(400);
  });

  it('an Idempotency-Key gives the first answer again', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const body = { contacts: [{ email: 'key@example.com' }, { email: 'nonsense' }] };
    const first = await environment.own.client.post('/contacts/bulk-update', body, headers);
    const second = await environment.own.client.post('/contacts/bulk-update', body, headers);
    expect(second.text).to.equal(first.text);
  });
});
