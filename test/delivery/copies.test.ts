import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Email } from 'postal-mime';
import PostalMime from 'postal-mime';
import type { ParsedMail } from '../../core/inbound/mail.ts';
import { threadOf } from '../../core/inbound/threads.ts';
import { startQueues } from '../../core/jobs/queue.ts';
import { readMailLocalPart, readOpenToken } from '../../core/mail/compose/tokens.ts';
import { messageErasures } from '../../core/mail/erase/erase.ts';
import { until } from '../support/wait.ts';
import { hurry, type Post, startPost } from './support.ts';

const ONE_CLICK = { 'Content-Type': 'application/x-www-form-urlencoded' };

describe('Marketing mail with cc and bcc', () => {
  let post: Post;
  let groupId: string;
  before(async () => {
    post = await startPost();
    groupId = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data.groupId;
  });
  after(() => post.stop());

  const config = () => post.environment.deps.config;
  const show = async (emailId: string) => (await post.own.client.get(`/emails/${emailId}`)).body.data;
  const header = ({ headers }: Email, name: string) =>
    headers.filter(({ key }) => key === name).map(({ value }) => value);
  const entries = async (email: string) =>
    post.environment.deps.db.suppressions.find({ projectId: post.own.project._id, email }).toArray();
  const statuses = (data: { recipients: Array<Record<string, string>> }) =>
    data.recipients.map(({ kind, email, status }) => `${kind} ${email} ${status}`);

  let people = 0;
  /** Addresses of this test alone; the part before the "+" selects what the sink does. */
  function person(behaviour = 'person'): string {
    people += 1;
    return `${behaviour}+${people}@copies.test`;
  }

  async function send(fields: object = {}) {
    const [to, cc, bcc] = [person(), person(), person()];
    const given = { to: { email: to, name: 'Toni' }, cc: [{ email: cc, name: 'Cleo' }], bcc: [{ email: bcc }] };
    const body = { ...given, unsubscribeGroupId: groupId, html: '<p>{{email}}</p><a href="{{unsubscribe}}">leave</a>' };
    const answer = await post.send({ ...body, ...fields });
    expect(answer.status, answer.text).to.equal(200);
    const { emailId, totalRecipients } = answer.body.data;
    return { to, cc, bcc, emailId: emailId as string, totalRecipients };
  }

  const transactionsOf = (...emails: string[]) =>
    post.sink.ledger.messages.filter(({ to }) => to.some((one) => emails.includes(one)));

  async function arrivals(...emails: string[]) {
    await until(
      async () => transactionsOf(...emails).flatMap(({ to }) => to).length,
      (count) => count >= emails.length,
    );
    const found = transactionsOf(...emails);
    expect(found.map(({ to }) => to.length)).to.deep.equal(emails.map(() => 1));
    return Promise.all(
      emails.map(async (email) => {
        const { raw, from, messageId } = found.find(({ to }) => to[0] === email)!;
        const mail = await PostalMime.parse(Buffer.from(raw!, 'latin1'));
        const [, url, mailto] = /^<(http[^>]+)>, <mailto:([^>?]+)/.exec(header(mail, 'list-unsubscribe')[0]!)!;
        return { mail, raw: raw!, from, messageId, path: new URL(url!).pathname, mailto: mailto! };
      }),
    );
  }

  it('goes to each address in a transaction of its own, with the same To and Cc and links of its own', async () => {
    const { to, cc, bcc, totalRecipients, emailId } = await send();
    expect(totalRecipients).to.equal(3);
    const mails = await arrivals(to, cc, bcc);
    for (const { mail } of mails) {
      expect(mail.to).to.deep.equal([{ address: to, name: 'Toni' }]);
      expect(mail.cc).to.deep.equal([{ address: cc, name: 'Cleo' }]);
      expect(mail.bcc).to.equal(undefined);
      expect(mail.html).to.contain(`<p>${to}</p>`);
    }
    const distinct = (of: (mail: (typeof mails)[number]) => string | null) => new Set(mails.map(of)).size;
    expect([
      distinct(({ from }) => from),
      distinct(({ path }) => path),
      distinct(({ mailto }) => mailto),
    ]).to.deep.equal([3, 3, 3]);
    expect(distinct(({ messageId }) => messageId)).to.equal(3);
    expect(mails[0]!.messageId).to.equal(`<${emailId}@mail.example.com>`);
    for (const { messageId } of mails) expect(messageId).to.contain(emailId);
    for (const { mail, path } of mails) expect(mail.html).to.contain(path);
    const returned = mails.map(({ from }) => readMailLocalPart(config(), from.split('@')[0]!)?.messageId.toHexString());
    const opened = mails.map(({ raw }) => /t\/o\/([\w=\r\n-]+)\.gif/.exec(raw)![1]!.replace(/=\r\n/g, ''));
    expect(opened.map((token) => readOpenToken(config(), token)?.messageId.toHexString())).to.deep.equal(returned);
  });

  it('is one email to callers: one entry of the list, each address with its own status', async () => {
    const { to, cc, bcc, emailId } = await send();
    await until(
      async () => statuses(await show(emailId)).join(),
      (found) => found === `to ${to} sent,cc ${cc} sent,bcc ${bcc} sent`,
    );
    const data = await show(emailId);
    expect(data).to.include({ id: emailId, email: to, status: 'sent' });
    const { emails, pagination } = (await post.own.client.get('/emails?limit=100')).body.data;
    expect(pagination.total).to.equal(emails.length);
    const ids = emails.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const email of [to, cc, bcc]) {
      const found = (await post.own.client.get(`/emails?email=${encodeURIComponent(email)}`)).body.data;
      expect(
        found.emails.map((one: { id: string }) => one.id),
        email,
      ).to.deep.equal([emailId]);
      expect(statuses(found.emails[0])).to.have.length(3);
    }
    const copies = await post.environment.deps.db.messages.find({ 'copy.of': new ObjectId(emailId) }).toArray();
    expect(copies).to.have.length(3);
    for (const { _id } of copies)
      if (_id.toHexString() !== emailId)
        expect((await post.own.client.get(`/emails/${_id}`)).status, 'a copy has no id of its own').to.equal(404);
  });

  it('reports each address to webhooks under the one emailId', async () => {
    const made = await post.own.client.post('/webhooks', { url: 'https://hooks.example.com/', events: ['email.sent'] });
    expect(made.status, made.text).to.equal(201);
    const { to, cc, bcc, emailId } = await send();
    const events = await until(
      () => post.environment.deps.db.projectEvents.find({ 'data.emailId': emailId }).toArray(),
      (found) => found.length >= 3,
    );
    expect(events.map(({ type, data }) => `${type} ${data.email}`)).to.have.members(
      [to, cc, bcc].map((email) => `email.sent ${email}`),
    );
    await post.own.client.delete(`/webhooks/${made.body.data.id}`);
  });

  it('answers that a reply to any of the copies is a reply to the mail', async () => {
    const { to, cc, bcc, emailId } = await send();
    const mails = await arrivals(to, cc, bcc);
    const { deps, own } = post.environment;
    const threads = await Promise.all(
      mails.map(({ messageId }) => {
        const inReplyTo = messageId!.slice(1, -1);
        return threadOf(deps, own.project._id, {
          inReplyTo,
          references: [inReplyTo],
          messageId: 'm@x.test',
        } as ParsedMail);
      }),
    );
    expect(threads.map((one) => one.inReplyToEmailActivityId?.toHexString())).to.deep.equal([
      emailId,
      emailId,
      emailId,
    ]);
    expect(new Set(threads.map(({ threadId }) => threadId)).size).to.equal(1);
  });

  it('lets the cc unsubscribe with one click, and no other recipient', async () => {
    const { to, cc, bcc } = await send();
    const [, copy] = await arrivals(to, cc, bcc);
    const clicked = await post.environment
      .client(null)
      .send('POST', copy!.path, { body: 'List-Unsubscribe=One-Click', headers: ONE_CLICK });
    expect(clicked.status).to.equal(200);
    expect((await entries(cc)).map(({ groupId: of, reason }) => [of, reason])).to.deep.equal([
      [groupId, 'UNSUBSCRIBE'],
    ]);
    expect(await entries(to)).to.deep.equal([]);
    expect(await entries(bcc)).to.deep.equal([]);
  });

  it('gives each address an outcome of its own, and repeats the open one alone', async () => {
    const cc = person('perm-rcpt-550-5.1.1');
    const bcc = person('temp-rcpt-450');
    const { to, emailId } = await send({ cc: [{ email: cc }], bcc: [{ email: bcc }] });
    const found = async () => statuses(await show(emailId)).join();
    await until(found, (all) => all === `to ${to} sent,cc ${cc} bounced,bcc ${bcc} deferred`);
    const later = person();
    const { messages } = post.environment.deps.db;
    await messages.updateOne({ email: bcc, projectId: post.own.project._id }, { $set: { email: later } });
    await hurry(post, 'deferred');
    await until(found, (all) => all.endsWith(`bcc ${later} sent`));
    expect(transactionsOf(to, cc, later).map((one) => one.to)).to.deep.equal([[to], [later]]);
    const { timeline } = await show(emailId);
    expect(timeline.filter(({ type }: { type: string }) => type === 'bounced')).to.deep.include.members([
      { ...timeline.find(({ type }: { type: string }) => type === 'bounced'), email: cc },
    ]);
    await until(
      async () => (await entries(cc)).map(({ reason }) => reason).join(),
      (reasons) => reasons === 'BOUNCE',
    );
  });

  it('leaves unknown the one whose answer was lost, and sends none of them twice', async () => {
    const cc = person('drop-after-dot');
    const { to, bcc, emailId } = await send({ cc: [{ email: cc }] });
    const found = async () => statuses(await show(emailId)).join();
    await until(found, (all) => all === `to ${to} sent,cc ${cc} unknown,bcc ${bcc} sent`);
    await hurry(post, 'unknown', 'deferred', 'queued');
    await post.restart();
    const later = await send();
    await arrivals(later.to, later.cc, later.bcc);
    expect(transactionsOf(to, cc, bcc)).to.have.length(3);
    expect(await found()).to.equal(`to ${to} sent,cc ${cc} unknown,bcc ${bcc} sent`);
  });

  it('does not go to the one who is suppressed when it is queued, or while it waits', async () => {
    const [before, meanwhile] = [person(), person('temp-rcpt-450')];
    const suppress = (email: string) =>
      post.own.client.post('/suppression-groups/emails/suppress', { emails: [email], groupId, reason: 'UNSUBSCRIBE' });
    await suppress(before);
    const { to, emailId } = await send({ cc: [{ email: before }], bcc: [{ email: meanwhile }] });
    const found = async () => statuses(await show(emailId)).join();
    await until(found, (all) => all === `to ${to} sent,cc ${before} suppressed,bcc ${meanwhile} deferred`);
    const rcpts = () => post.sink.ledger.messages.length;
    await suppress(meanwhile);
    const taken = rcpts();
    await hurry(post, 'deferred');
    await until(found, (all) => all === `to ${to} sent,cc ${before} suppressed,bcc ${meanwhile} suppressed`);
    expect(rcpts()).to.equal(taken);
  });

  it('answers that nothing is sent only when no recipient is left, and sends to the cc when `to` has unsubscribed', async () => {
    const to = person();
    await post.own.client.post('/suppression-groups/emails/suppress', { emails: [to], groupId, reason: 'UNSUBSCRIBE' });
    const { cc, bcc, emailId } = await send({ to: { email: to } });
    await arrivals(cc, bcc);
    await until(
      async () => statuses(await show(emailId)).join(),
      (all) => all === `to ${to} suppressed,cc ${cc} sent,bcc ${bcc} sent`,
    );
    const mine = { to: { email: to }, unsubscribeGroupId: groupId, html: 'x' };
    expect((await post.send({ ...mine, cc: [{ email: person() }] })).body.data.message).to.match(/queued/);
    expect((await post.send(mine)).body.data.message).to.match(/Every recipient is suppressed/);
  });

  it("bulk: each recipient's copies say the recipient's data and count once", async () => {
    const [one, two, cc] = [person(), person(), person()];
    const answer = await post.bulk({
      html: '<p>{{name}}</p>',
      unsubscribeGroupId: groupId,
      recipients: [
        { email: one, dynamicData: { name: 'Una' }, cc: [{ email: cc }] },
        { email: two, dynamicData: { name: 'Duo' } },
      ],
    });
    expect(answer.body.data).to.include({ totalRecipients: 2, successCount: 2 });
    const mails = await arrivals(one, two, cc);
    expect(mails.map(({ mail }) => /<p>(\w+)/.exec(mail.html!)![1])).to.deep.equal(['Una', 'Duo', 'Una']);
    const listed = (await post.own.client.get(`/emails?batchId=${answer.body.data.batchId}`)).body.data;
    expect([listed.emails.length, listed.pagination.total]).to.deep.equal([2, 2]);
  });

  it('loses the address of a deleted contact, in the copy and in the Cc of the others, once all of them have ended', async () => {
    const bcc = person('temp-rcpt-450');
    const cc = person('cleo.lovelace');
    const { to, emailId } = await send({ cc: [{ email: cc, name: 'Lovelace' }], bcc: [{ email: bcc }] });
    await until(
      async () => statuses(await show(emailId)).join(),
      (all) => all === `to ${to} sent,cc ${cc} sent,bcc ${bcc} deferred`,
    );
    const { deps } = post.environment;
    const projectId = post.own.project._id;
    const { contactErasures, messages } = deps.db;
    const { id } = (await post.own.client.post('/contacts', { email: cc })).body.data;
    expect((await post.own.client.delete(`/contacts/${id}`)).status).to.equal(200);
    const erase = async () => {
      await contactErasures.updateMany({ projectId }, [{ $set: { dueAt: '$$NOW' } }]);
      const loop = startQueues(deps, [messageErasures(deps)]);
      await loop.ready;
      const due = { projectId, $expr: { $lte: ['$dueAt', '$$NOW'] } };
      await until(
        () => contactErasures.countDocuments(due),
        (count) => count === 0,
      );
      await loop.stop();
      return JSON.stringify(await messages.find({ 'copy.of': new ObjectId(emailId) }).toArray());
    };
    expect(await erase(), 'one of them is still being sent').to.match(/lovelace/i);
    await messages.updateOne({ email: bcc }, { $set: { firstAt: new Date(0) } });
    await hurry(post, 'deferred');
    await until(
      async () => statuses(await show(emailId)).join(),
      (all) => all.includes('failed'),
    );
    expect(await erase()).to.not.match(/lovelace/i);
    expect(statuses(await show(emailId))).to.deep.equal([`to ${to} sent`, 'cc null sent', `bcc ${bcc} failed`]);
  });
});
