import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { appendTimeline } from '../../core/mail/messages/messages.ts';
import { SENDER } from '../delivery/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

describe('GET /emails', () => {
  const environment = useEnvironment();
  let own: Tenant;
  let batchId: string;
  before(async () => {
    own = environment.own;
    await seedVerifiedDomain(environment.deps, own.project, 'mail.example.com', new ObjectId());
    await own.client.post('/suppression-groups/emails/suppress', { emails: ['no@in.test'], isGlobal: true });
    for (const [at, email] of [
      ['2026-03-01T10:00:00Z', 'first@in.test'],
      ['2026-03-02T10:00:00Z', 'second@in.test'],
      ['2026-03-03T10:00:00Z', 'no@in.test'],
    ] as const) {
      environment.clock.set(new Date(at));
      const body = { to: { email }, cc: [{ email: 'copy@in.test' }].slice(email === 'second@in.test' ? 0 : 1) };
      await own.client.post('/mails/send', { ...body, from: { email: SENDER }, subject: `To ${email}`, text: 'x' });
    }
    environment.clock.set(new Date('2026-03-04T10:00:00Z'));
    const recipients = Array.from({ length: 5 }, (_, index) => ({ email: `bulk${index}@in.test` }));
    const bulk = await own.client.post('/mails/bulk', {
      recipients,
      from: { email: SENDER },
      subject: 'Bulk',
      text: 'x',
    });
    batchId = bulk.body.data.batchId;
  });

  const emails = async (query: string) => {
    const { body } = await own.client.get(`/emails${query}`);
    return body.data.emails.map(({ email }: { email: string }) => email);
  };

  it('lists newest first, with exact pagination', async () => {
    const { body } = await own.client.get('/emails?limit=3&page=2');
    expect(body.data.pagination).to.deep.equal({ page: 2, limit: 3, total: 8, pages: 3 });
    expect(await emails('?limit=100')).to.include.members([
      'first@in.test',
      'second@in.test',
      'no@in.test',
      'bulk0@in.test',
    ]);
    expect((await emails('?limit=100')).slice(-2)).to.deep.equal(['second@in.test', 'first@in.test']);
  });

  it('finds by address whatever its spelling, in to, cc and bcc', async () => {
    expect(await emails('?email=FIRST@in.test')).to.deep.equal(['first@in.test']);
    expect(await emails('?email=copy@in.test')).to.deep.equal(['second@in.test']);
    expect(await emails('?email=nobody@in.test')).to.deep.equal([]);
    expect(await emails('?email=not-an-address')).to.deep.equal([]);
  });

  it('finds by batch, status, campaign, automation and time', async () => {
    expect(await emails(`?batchId=${batchId}`)).to.have.length(5);
    expect(await emails('?status=suppressed')).to.deep.equal(['no@in.test']);
    expect(await emails('?status=queued&limit=100')).to.have.length(7);
    expect(await emails('?status=sent')).to.deep.equal([]);
    for (const query of ['?campaignId=0123456789abcdef01234567', '?campaignId=x', '?automationId=x', '?batchId=x'])
      expect(await emails(query)).to.deep.equal([]);
    expect(await emails('?dateFrom=2026-03-02T10:00:00Z&dateTo=2026-03-03T09:00:00Z')).to.deep.equal([
      'second@in.test',
    ]);
    const { createdAt } = (await own.client.get('/emails?email=first@in.test')).body.data.emails[0];
    expect(await emails(`?dateTo=${createdAt.replace(/\.\d+/, '')}`)).to.deep.equal(['first@in.test']);
  });

  it('refuses filters that are none', async () => {
    for (const query of ['?status=nope', '?dateFrom=2026-02-30', '?page=0', '?limit=101', '?page=1.5'])
      expect((await own.client.get(`/emails${query}`)).status, query).to.equal(400);
  });

  it('one email: its content, its recipients and its outcome', async () => {
    const { body } = await own.client.get('/emails?email=second@in.test');
    const { id } = body.data.emails[0];
    const at = new Date('2026-03-05T00:00:00Z');
    const ref = { projectId: own.project._id, messageId: new ObjectId(id as string) };
    await appendTimeline(environment.deps, ref, { type: 'opened', at, automated: true });
    const { data } = (await own.client.get(`/emails/${id}`)).body;
    expect(data).to.deep.include({
      status: 'queued',
      subject: 'To second@in.test',
      lane: 'transactional',
      sentAt: null,
    });
    expect(data.content).to.deep.include({
      from: { email: SENDER, name: null },
      text: 'x',
      html: null,
      templateId: null,
    });
    expect(data.recipients.map(({ kind, email }: Record<string, string>) => `${kind} ${email}`)).to.deep.equal([
      'to second@in.test',
      'cc copy@in.test',
    ]);
    expect(data.timeline).to.deep.equal([
      { type: 'queued', at: data.createdAt },
      { type: 'opened', at: at.toISOString(), automated: true },
    ]);
    expect(data.createdAt).to.match(/^2026-03-02T10:0/);
    for (const unknown of ['0123456789abcdef01234567', 'x', id.slice(1)]) {
      const answer = await own.client.get(`/emails/${unknown}`);
      expect([answer.status, answer.body.error.code]).to.deep.equal([404, 'EMAIL_NOT_FOUND']);
    }
  });
});
