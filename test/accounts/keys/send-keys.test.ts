import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { makers } from '../../edge/makers.ts';
import { claimedBlock } from '../../outbox/blocks.ts';
import type { Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';
import { profiled } from '../../support/profile.ts';
import { type MadeKey, makeKey } from './keys.ts';

const DOMAIN = 'mail.example.com';
const OTHER_DOMAIN = 'other.example.com';
const UNKNOWN = '0123456789abcdef01234567';

describe('A key with scope send', () => {
  const environment = useEnvironment();
  let mine: MadeKey;
  let second: MadeKey;
  before(async () => {
    const { deps, own } = environment;
    for (const name of [DOMAIN, OTHER_DOMAIN, `sub.${DOMAIN}`, 'xn--mnchen-3ya.example'])
      await seedVerifiedDomain(deps, own.project, name, new ObjectId());
    mine = await makeKey(environment, own, { scope: 'send' });
    second = await makeKey(environment, own, { scope: 'send' });
  });

  const full = () => environment.own;
  const mail = (from = `post@${DOMAIN}`) => ({ to: { email: 'ada@in.test' }, from: { email: from }, subject: 's' });
  const send = ({ client }: Pick<MadeKey, 'client'>, fields: object = {}, headers: Record<string, string> = {}) =>
    client.post('/mails/send', { ...mail(), text: 'x', ...fields }, headers);
  const bulk = ({ client }: Pick<MadeKey, 'client'>, fields: object = {}) => {
    const { to: _, ...common } = mail();
    const recipients = [{ email: 'ada@in.test' }, { email: 'bob@in.test', dynamicData: { a: 1 } }];
    return client.post('/mails/bulk', { ...common, recipients, text: 'x', ...fields });
  };
  const batch = ({ client }: Pick<MadeKey, 'client'>, from = `post@${DOMAIN}`, mode = 'strict') =>
    client.post('/mails/batch', { mails: [mail(), mail(from)].map((one) => ({ ...one, text: 'x' })), mode });
  const reply = async ({ client }: Pick<MadeKey, 'client'>, from = `post@${DOMAIN}`) => {
    const id = await makers.inboundId!.make(environment.own, environment);
    return client.post(`/inbound/messages/${id}/reply`, { from: { email: from }, text: 'x' });
  };
  const idOf = ({ status, body, text }: Reply): string => {
    expect(status, text).to.be.oneOf([200, 202]);
    return body.data.emailId;
  };
  async function listed({ client }: Pick<MadeKey, 'client'>, query = ''): Promise<string[]> {
    const { status, body, text } = await client.get(`/emails?limit=100${query}`);
    expect(status, text).to.equal(200);
    expect(body.data.pagination.total).to.equal(body.data.emails.length);
    return body.data.emails.map(({ id }: { id: string }) => id);
  }

  it('lists the mails, bulks and replies that it sent, and no others, newest first', async () => {
    const key = await makeKey(environment, full(), { scope: 'send' });
    expect(await listed(key)).to.deep.equal([]);
    const sent = [idOf(await send(key)), idOf(await reply(key))];
    const { batchId } = (await bulk(key)).body.data;
    for (const other of [full(), second]) {
      await send(other);
      await reply(other);
      await bulk(other);
    }
    const seen = await listed(key);
    expect(seen).to.have.length(4).and.to.include.members(sent);
    expect(seen).to.deep.equal(seen.toSorted().reverse());
    expect(await listed(key, `&batchId=${batchId}`)).to.have.length(2);
    for (const reader of [full(), await makeKey(environment, full(), { scope: 'read' })])
      expect(await listed(reader)).to.include.members(seen);
    expect(await listed(second)).to.not.include.members(sent);
  });

  it('filters its mails as other keys do', async () => {
    const key = await makeKey(environment, full(), { scope: 'send' });
    const [ada, bob] = [idOf(await send(key)), idOf(await send(key, { to: { email: 'bob@in.test' } }))];
    await send(full(), { to: { email: 'bob@in.test' } });
    expect(await listed(key, '&email=bob@in.test')).to.deep.equal([bob]);
    expect(await listed(key, '&status=queued')).to.have.members([ada, bob]);
    expect(await listed(key, '&status=sent')).to.deep.equal([]);
    expect(await listed(key, '&dateFrom=2020-01-01T00:00:00Z&dateTo=2020-01-02T00:00:00Z')).to.deep.equal([]);
    expect(await listed(key, `&keyId=${second.id}`), 'a parameter that is none').to.have.members([ada, bob]);
    const { body } = await key.client.get('/emails?limit=1&page=2');
    expect(body.data.pagination).to.deep.equal({ page: 2, limit: 1, total: 2, pages: 2 });
    expect(body.data.emails).to.have.length(1);
  });

  it('gets a mail that it sent; the answer for another is that of a random id, byte by byte', async () => {
    const own = await mine.client.get(`/emails/${idOf(await send(mine))}`);
    expect([own.status, own.body.data.content.text]).to.deep.equal([200, 'x']);
    const random = await mine.client.get(`/emails/${UNKNOWN}`);
    expect([random.status, random.body.error.code]).to.deep.equal([404, 'EMAIL_NOT_FOUND']);
    for (const other of [full(), second]) {
      const theirs = idOf(await send(other));
      const foreign = await mine.client.get(`/emails/${theirs}`);
      expect(foreign.text).to.equal(random.text);
      expect(comparable(foreign)).to.deep.equal(comparable(random));
      expect((await full().client.get(`/emails/${theirs}`)).status).to.equal(200);
    }
  });

  it('sees marketing mail with its copies as one mail', async () => {
    const key = await makeKey(environment, full(), { scope: 'send' });
    const group = (await full().client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
    const cc = [{ email: 'copy@in.test' }];
    const id = idOf(await send(key, { cc, unsubscribeGroupId: group }));
    await send(full(), { cc, unsubscribeGroupId: group });
    expect(await listed(key)).to.deep.equal([id]);
    expect(await listed(key, '&email=copy@in.test')).to.deep.equal([id]);
    expect((await key.client.get(`/emails/${id}`)).body.data.recipients).to.have.length(2);
  });

  it('sees no recipient of a campaign, waiting or not', async () => {
    const { campaign, block } = await claimedBlock(environment);
    const query = `&campaignId=${campaign._id}`;
    expect(await listed(full(), query)).to.have.length(block.count);
    expect(await listed(mine, query)).to.deep.equal([]);
  });

  it('leaves its id with its mails; mails of other keys have no such field', async () => {
    const { messages } = environment.deps.db;
    const stored = async (answer: Reply) =>
      messages.findOne({ _id: new ObjectId(idOf(answer)), projectId: full().project._id });
    expect((await stored(await send(mine)))?.keyId?.toHexString()).to.equal(mine.id);
    const read = await makeKey(environment, full());
    for (const answer of [await send(full()), await send(read), await reply(full())])
      expect(await stored(answer)).to.not.have.property('keyId');
  });

  it('may use templates and groups of the project', async () => {
    const template = { templateName: 'Hello', subject: 'From the template', emailTemplate: '<p>Hello</p>' };
    const { templateId } = (await full().client.post('/templates', template)).body.data;
    const { to, from } = mail();
    const id = idOf(await mine.client.post('/mails/send', { to, from, templateId }));
    expect((await mine.client.get(`/emails/${id}`)).body.data.subject).to.equal('From the template');
    expect((await mine.client.get(`/templates/${templateId}`)).status).to.equal(403);
  });

  it('lists its mails by an index of their own, however many others there are', async () => {
    const key = await makeKey(environment, full(), { scope: 'send' });
    for (let sent = 0; sent < 3; sent += 1) await send(key);
    const { deps, own } = environment;
    const others = Array.from({ length: 2_000 }, (_, index) => ({
      _id: new ObjectId(),
      ...(index % 2 === 0 ? { copy: { of: new ObjectId(), index: 1, kind: 'cc' as const } } : {}),
      projectId: own.project._id,
      lane: 'transactional' as const,
      state: 'sent' as const,
      email: 'a@in.test',
    }));
    await deps.db.messages.insertMany(others);
    const operations = await profiled(deps, () => listed(key));
    const plans = operations.filter(({ ns }) => ns.endsWith('.messages'));
    expect(plans).to.have.length(3);
    for (const { planSummary, keysExamined, docsExamined } of plans) {
      expect(planSummary).to.contain('{ projectId: 1, keyId: 1, _id: -1, copy.index: 1 }');
      expect([keysExamined, docsExamined].every((count) => count <= 4)).to.equal(true);
    }
  });

  describe('with a domain', () => {
    const bound = (domainName = DOMAIN) => makeKey(environment, full(), { scope: 'send', domainName });
    const count = () => environment.deps.db.messages.countDocuments();

    it('sends and replies from it alone: any other From is 403 PERMISSION_DENIED with the domain, and nothing is stored', async () => {
      const key = await bound();
      for (const answer of [await send(key), await bulk(key), await reply(key)])
        expect(answer.status, answer.text).to.be.oneOf([200, 202]);
      const before = await count();
      for (const name of [OTHER_DOMAIN, `sub.${DOMAIN}`, 'example.com', 'unverified.example.net']) {
        const from = { email: `post@${name}` };
        for (const { status, body } of [
          await send(key, { from }),
          await bulk(key, { from }),
          await reply(key, from.email),
        ]) {
          expect([status, body.error.code]).to.deep.equal([403, 'PERMISSION_DENIED']);
          expect(body.error.message).to.contain(DOMAIN).and.to.contain(name);
          expect(body.error.details).to.equal(`from/email: must be on ${DOMAIN}`);
        }
      }
      for (const mode of ['strict', 'partial']) {
        const { status, body } = await batch(key, `post@${OTHER_DOMAIN}`, mode);
        expect([status, body.error.code]).to.deep.equal([403, 'PERMISSION_DENIED']);
        expect(body.error.details).to.equal(`mails/1/from/email: must be on ${DOMAIN}`);
      }
      expect(await count()).to.equal(before);
      expect((await batch(key)).body.data.successCount).to.equal(2);
      expect(idOf(await send(mine, { from: { email: `post@${OTHER_DOMAIN}` } }))).to.be.a('string');
    });

    it('knows it in every spelling', async () => {
      const key = await bound('MAIL.example.com.');
      expect((await send(key, { from: { email: 'Post@Mail.EXAMPLE.com' } })).status).to.equal(200);
      const international = await bound('münchen.example');
      for (const name of ['münchen.example', 'MÜNCHEN.example', 'xn--mnchen-3ya.example'])
        expect((await send(international, { from: { email: `post@${name}` } })).status, name).to.equal(200);
    });

    it('answers a malformed or missing From as every key does', async () => {
      const key = await bound();
      const id = await makers.inboundId!.make(full(), environment);
      for (const body of [{ text: 'x' }, { from: { email: 'none' }, text: 'x' }]) {
        const answer = await key.client.post(`/inbound/messages/${id}/reply`, body);
        expect([answer.status, answer.body.error.code]).to.deep.equal([400, undefined]);
      }
      expect((await send(key, { from: {} })).body.error.details).to.equal('from/email: is required');
    });

    it('that is not verified sends nothing, as with every key', async () => {
      const key = await bound('unverified.example.net');
      const answer = await send(key, { from: { email: 'a@unverified.example.net' } });
      expect([answer.status, answer.body.error.code]).to.deep.equal([422, 'DOMAIN_NOT_VERIFIED']);
    });

    it('is checked before the Idempotency-Key: no stored answer of another domain, and none stored', async () => {
      const key = await bound();
      const from = { email: `post@${OTHER_DOMAIN}` };
      const kept = { 'Idempotency-Key': 'from another domain' };
      idOf(await send(mine, { from }, kept));
      const refused = await send(key, { from }, kept);
      expect([refused.status, refused.headers.get('idempotency-replayed')]).to.deep.equal([403, null]);
      const free = { 'Idempotency-Key': 'refused first, for its domain' };
      expect((await send(key, { from }, free)).status).to.equal(403);
      expect((await send(mine, {}, free)).status).to.equal(200);
    });
  });

  describe('and the Idempotency-Keys of its project', () => {
    it('gets the answer of the same call by another key, and sends nothing twice; the mail stays that of the other key', async () => {
      const kept = { 'Idempotency-Key': 'after a rotation' };
      const first = await send(second, { subject: 'Once' }, kept);
      const again = await send(mine, { subject: 'Once' }, kept);
      expect([again.text, again.headers.get('idempotency-replayed')]).to.deep.equal([first.text, 'true']);
      expect((await mine.client.get(`/emails/${idOf(first)}`)).status).to.equal(404);
      const stored = { projectId: full().project._id, subject: 'Once' };
      expect(await environment.deps.db.messages.countDocuments(stored)).to.equal(1);
    });

    it('learns nothing of another call under the same key: 409, as with every key', async () => {
      const kept = { 'Idempotency-Key': 'taken' };
      await send(full(), { subject: 'One' }, kept);
      const other = await send(mine, { subject: 'Another' }, kept);
      expect([other.status, other.body.error.code]).to.deep.equal([409, 'IDEMPOTENCY_KEY_REUSED']);
    });
  });

  function comparable({ status, headers }: Reply): unknown {
    const volatile = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
    return [status, ...[...headers].filter(([name]) => !volatile.includes(name))];
  }
});
