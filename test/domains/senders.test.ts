import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

describe('Senders', () => {
  const environment = useEnvironment();
  let own: Tenant;
  before(async () => {
    own = environment.own;
    await seedVerifiedDomain(environment.deps, own.project, 'mail.example.com', new ObjectId());
    await seedVerifiedDomain(environment.deps, environment.other.project, 'theirs.example.com', new ObjectId());
  });

  const make = (fields: object) => own.client.post('/senders', fields);

  it('are created on a verified domain, with an empty replyTo unless one is given', async () => {
    const { status, body } = await make({ email: 'Hello@Mail.Example.com', name: 'Hello' });
    expect(status).to.equal(201);
    expect(body.data).to.deep.include({ email: 'hello@mail.example.com', name: 'Hello', replyTo: '' });
    const other = await make({ email: 'b@mail.example.com', replyTo: 'R@in.test' });
    expect(other.body.data).to.deep.include({ name: '', replyTo: 'r@in.test' });
    const list = (await own.client.get('/senders')).body.data;
    expect(list.senders.map(({ email }: { email: string }) => email)).to.deep.equal([
      'hello@mail.example.com',
      'b@mail.example.com',
    ]);
    expect((await own.client.get(`/senders/${body.data.id}`)).body.data).to.deep.equal(body.data);
  });

  it('are answered all without page and limit, and by pages with one of them', async () => {
    const tenant = await environment.newTenant('Many senders');
    await seedVerifiedDomain(environment.deps, tenant.project, 'many.example.com', new ObjectId());
    for (let index = 0; index < 23; index += 1)
      await tenant.client.post('/senders', { email: `s${index}@many.example.com` });
    const listed = async (query: string) => {
      const { senders, pagination } = (await tenant.client.get(`/senders${query}`)).body.data;
      return { count: senders.length, ...pagination };
    };
    expect(await listed('')).to.deep.equal({ count: 23, page: 1, limit: 23, total: 23, pages: 1 });
    expect(await listed('?page=2')).to.deep.equal({ count: 3, page: 2, limit: 20, total: 23, pages: 2 });
    expect(await listed('?limit=5')).to.deep.equal({ count: 5, page: 1, limit: 5, total: 23, pages: 5 });
  });

  it('a domain that is not verified in this project is 422, the same email 409', async () => {
    for (const email of ['a@theirs.example.com', 'a@unknown.test', 'a@sub.mail.example.com']) {
      const { status, body } = await make({ email });
      expect([status, body.error.code]).to.deep.equal([422, 'DOMAIN_NOT_VERIFIED']);
    }
    const { status, body } = await make({ email: 'HELLO@mail.example.com' });
    expect([status, body.error.code]).to.deep.equal([409, 'ALREADY_EXISTS']);
    expect((await make({ email: 'c@mail.example.com', replyTo: 'no address' })).body.error.details).to.match(
      /^replyTo: /,
    );
    expect((await make({ email: 'c@mail.example.com', name: 'a\r\nb' })).status).to.equal(400);
  });

  it('are changed and deleted', async () => {
    const { id } = (await make({ email: 'd@mail.example.com', name: 'D', replyTo: 'r@in.test' })).body.data;
    const changed = await own.client.patch(`/senders/${id}`, { name: 'E', replyTo: '' });
    expect(changed.body.data).to.include({ email: 'd@mail.example.com', name: 'E', replyTo: '' });
    expect((await own.client.patch(`/senders/${id}`, { email: 'hello@mail.example.com' })).status).to.equal(409);
    expect((await own.client.patch(`/senders/${id}`, { email: 'a@theirs.example.com' })).status).to.equal(422);
    expect((await own.client.delete(`/senders/${id}`)).body).to.deep.equal({ success: true });
    expect((await own.client.get(`/senders/${id}`)).body.error.code).to.equal('SENDER_NOT_FOUND');
    expect((await own.client.delete(`/senders/${id}`)).status).to.equal(404);
  });

  it('a repeat with the same Idempotency-Key makes one', async () => {
    const body = { email: 'once@mail.example.com' };
    const [one, two] = [
      await own.client.post('/senders', body, { 'Idempotency-Key': 'sender' }),
      await own.client.post('/senders', body, { 'Idempotency-Key': 'sender' }),
    ];
    expect([one.status, two.text]).to.deep.equal([201, one.text]);
  });
});
