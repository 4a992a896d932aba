import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Message } from '../../../core/mail/ledger/model.ts';
import { bareCampaign } from '../../feedback/support.ts';
import { type Tenant, useEnvironment } from '../../support/environment.ts';
import { profiled } from '../../support/profile.ts';

interface Reason {
  id: string;
  status: string;
  code: number | null;
  enhanced: string | null;
  suppression: string | null;
  groupId: string | null;
  groupName: string | null;
  reason: string | null;
  example: string | null;
  count: number;
}

describe('GET /campaigns/{campaignId}/reasons', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  let campaignId: ObjectId;
  let group: string;
  let seq = 0;

  const add = (count: number, fields: (index: number) => Partial<Message>, of = campaignId) =>
    environment.deps.db.messages.insertMany(
      Array.from({ length: count }, (_, index): Message => {
        seq += 1;
        const base = { _id: new ObjectId(), projectId: tenant.project._id, lane: 'campaign' as const, seq };
        return { ...base, state: 'sent', email: `r${seq}@example.org`, campaignId: of, ...fields(index) };
      }),
    );
  const reasons = async (of = campaignId): Promise<{ reasons: Reason[]; others: { count: number } }> => {
    const { status, body, text } = await tenant.client.get(`/campaigns/${of}/reasons`);
    expect(status, text).to.equal(200);
    return body.data;
  };
  const recipients = (query: string, of = campaignId) => tenant.client.get(`/campaigns/${of}/recipients?${query}`);
  const reply = (code: number, enhanced: string | null, text: string) => ({ reply: { code, enhanced, text } });

  before(async () => {
    tenant = await environment.newTenant('Refused');
    campaignId = (await bareCampaign(environment, tenant, { status: 'sent' }))._id;
    group = (await tenant.client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    await add(30, () => ({ ...reply(250, '2.0.0', 'ok') }));
    await add(5, (index) => ({
      state: 'bounced',
      ...reply(550, '5.1.1', `no such user r${30 + index + 1}@example.org here`),
      reason: 'The address does not exist or takes no mail.',
    }));
    await add(3, () => ({ state: 'bounced', ...reply(552, null, 'mailbox full'), reason: 'The mailbox is full.' }));
    await add(4, () => ({ state: 'suppressed', suppressedBy: { groupId: group, reason: 'UNSUBSCRIBE' } }));
    await add(2, () => ({ state: 'suppressed', suppressedBy: { groupId: 'GONE00', reason: 'BOUNCE' } }));
    await add(6, () => ({ state: 'failed', reason: 'The contact was deleted.' }));
    await add(1, () => ({ state: 'failed', reason: `The template: ${'x'.repeat(300)} a` }));
    await add(1, () => ({ state: 'failed', reason: `The template: ${'x'.repeat(300)} b` }));
    await add(2, () => ({ state: 'deferred', ...reply(451, '4.7.1', 'later'), reason: 'Greylisted.' }));
    await add(1, () => ({ state: 'unknown', reason: 'No answer came.' }));
  });

  it('has each reason with its number, most people first, and the words of the relay without the person', async () => {
    const found = await reasons();
    expect(found.others).to.deep.equal({ count: 0 });
    expect(
      found.reasons.map(({ id: _, ...one }) => Object.values(one).filter((value) => value !== null)),
    ).to.deep.equal([
      ['failed', 'The contact was deleted.', 6],
      ['bounced', 550, '5.1.1', 'The address does not exist or takes no mail.', 'no such user … here', 5],
      ['suppressed', 'UNSUBSCRIBE', group, 'News', 4],
      ['bounced', 552, 'The mailbox is full.', 'mailbox full', 3],
      ['deferred', 451, '4.7.1', 'Greylisted.', 'later', 2],
      ['failed', `The template: ${'x'.repeat(300)} a`, 2],
      ['suppressed', 'BOUNCE', 'GONE00', 2],
      ['unknown', 'No answer came.', 1],
    ]);
  });

  it('leads to exactly the recipients of each reason, page by page', async () => {
    const found = await reasons();
    const all = new Set<string>();
    for (const { id, count, status, code } of found.reasons) {
      const { body } = await recipients(`reason=${id}&limit=100`);
      expect(body.data.pagination.total, id).to.equal(count);
      for (const one of body.data.recipients) {
        expect(one.status).to.equal(status);
        if (code !== null) expect(one.reply.code).to.equal(code);
        all.add(one.emailId);
      }
      const [first, second] = [
        await recipients(`reason=${id}&limit=1`),
        await recipients(`reason=${id}&limit=1&page=2`),
      ];
      expect(first.body.data.recipients[0].emailId).to.equal(body.data.recipients[0].emailId);
      expect(second.body.data.recipients[0]?.emailId).to.equal(body.data.recipients[1]?.emailId);
    }
    expect(all.size).to.equal(25);
    const [bounced] = found.reasons.filter(({ code }) => code === 550);
    expect((await recipients(`reason=${bounced!.id}&status=bounced`)).body.data.pagination.total).to.equal(5);
    expect((await recipients(`reason=${bounced!.id}&status=failed`)).body.data.pagination.total).to.equal(0);
  });

  it('names fifty reasons, and counts the people of all others', async () => {
    const many = (await bareCampaign(environment, tenant, { status: 'sent' }))._id;
    await add(120, (index) => ({ state: 'failed', reason: `Reason ${index % 60}` }), many);
    const found = await reasons(many);
    expect([found.reasons.length, found.others.count]).to.deep.equal([50, 20]);
  });

  it('refuses ids that it did not give, and shows nothing of another project', async () => {
    for (const id of ['x', 'W10', Buffer.from('{"state":"sent"}').toString('base64url')]) {
      const answer = await recipients(`reason=${id}`);
      expect([answer.status, answer.body.error.details], id).to.deep.equal([400, 'reason: is not the id of a reason']);
    }
    const sent = Buffer.from(JSON.stringify(['sent', 250, '2.0.0', null, null, null])).toString('base64url');
    expect((await recipients(`reason=${sent}`)).status).to.equal(400);
    const object = Buffer.from(JSON.stringify(['failed', null, null, null, null, { $gt: '' }])).toString('base64url');
    expect((await recipients(`reason=${object}`)).status).to.equal(400);
    expect((await recipients('reason=$where')).status).to.equal(400);
    const [foreign, random] = [campaignId.toHexString(), new ObjectId().toHexString()];
    const ask = (id: string) => environment.other.client.get(`/campaigns/${id}/reasons`);
    expect((await ask(foreign)).text).to.equal((await ask(random)).text);
  });

  it('reads keys of those who did not get it alone, and a document for each example', async () => {
    const { deps } = environment;
    const id = (await bareCampaign(environment, tenant, { status: 'sent' }))._id;
    await add(400, () => ({}), id);
    await add(20, () => ({ state: 'bounced', ...reply(550, '5.1.1', 'no such user') }), id);
    const profile = await profiled(deps, () => reasons(id));
    const reads = profile.filter(({ ns }) => ns.endsWith('.messages'));
    expect(reads.length).to.equal(2);
    for (const { planSummary, keysExamined } of reads) {
      expect(planSummary).to.contain("'reply.code'".replaceAll("'", ''));
      expect(keysExamined).to.be.below(30);
    }
    expect(reads.map(({ docsExamined }) => docsExamined).toSorted()).to.deep.equal([0, 1]);
  });
});
