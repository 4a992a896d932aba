import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import PostalMime from 'postal-mime';
import { unsubscribeToken } from '../../core/mail/compose/tokens.ts';
import { type Post, startPost } from '../delivery/support.ts';
import type { Client } from '../support/client.ts';
import { seedSendingDomain } from '../support/mail/domains.ts';
import { until } from '../support/wait.ts';

const DAY_MS = 24 * 3_600_000;
const MAILS_OF_LARGE_FILE = 8_000;
/** Sockets on both sides hold ten megabytes together. */
const LONG_SUBJECT = 'A long subject. '.repeat(250);

describe('A request for the data of a person', function () {
  this.timeout(180_000);
  let post: Post;
  let visitor: Client;
  before(async () => {
    post = await startPost();
    visitor = post.environment.client(null);
  });
  after(() => post.stop());

  const deps = () => post.environment.deps;
  const addressOf = (name: string) => `${name}.${new ObjectId().toHexString()}@in.test`;
  const tokenOf = (email: string) =>
    unsubscribeToken(deps().config, {
      ...{ projectId: post.own.project._id, messageId: new ObjectId(), groupId: null, email },
    });
  const ask = (email: string, headers: Record<string, string> = {}) =>
    visitor.send('POST', `/p/${tokenOf(email)}/data`, { headers });
  const mailsTo = (email: string) => post.sink.ledger.messages.filter(({ to }) => to.includes(email));

  async function mailTo(email: string, number = 1) {
    const mails = await until(
      async () => mailsTo(email),
      (found) => found.length >= number,
    );
    const mail = await PostalMime.parse(mails.at(-1)!.raw!);
    const path = /\/d\/[\w-]{43}/.exec(mail.text ?? '')?.[0];
    expect(mail.html).to.contain(path);
    return { mail, path: path as string, count: mails.length };
  }

  it('mails a link to the address alone; the page has a button, which downloads the data once', async () => {
    const email = addressOf('ada');
    await post.own.client.post('/contacts', { email, firstName: 'Ada' });
    const asked = await ask(email);
    expect(asked.status).to.equal(200);
    expect(asked.text).to.contain('An email is on its way').and.not.contain(email).and.not.contain('/d/');
    const { mail, path } = await mailTo(email);
    expect(mail.subject).to.equal('Your data at Own project');
    // Programs that follow links change nothing.
    for (let time = 0; time < 3; time += 1) {
      const page = await visitor.get(path);
      expect(page.status).to.equal(200);
      expect(page.text).to.contain('<form method="post" action="">').and.not.contain(email);
      expect(page.headers.get('cache-control')).to.equal('no-store');
    }
    const file = await visitor.send('POST', path);
    expect(file.status).to.equal(200);
    expect(file.headers.get('content-disposition')).to.equal('attachment; filename="personal-data.json"');
    expect(file.body).to.include({ email });
    expect(file.body.contact[0]).to.include({ email, firstName: 'Ada' });
    const used = await until(
      () => visitor.send('POST', path),
      ({ status }) => status === 404,
      { ms: 30_000 },
    );
    const unknown = await visitor.get(`/d/${'A'.repeat(43)}`);
    expect([used.text, (await visitor.get(path)).text]).to.deep.equal([unknown.text, unknown.text]);
    expect(unknown.text).to.contain('This link does not work any more');
  });

  it('is answered with the same bytes for an address with data, without data, and asked again; one mail a day', async () => {
    const [known, bare] = [addressOf('known'), addressOf('bare')];
    await post.own.client.post('/contacts', { email: known });
    const answers = [await ask(known), await ask(bare), await ask(known), await ask(bare)];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1);
    const { path } = await mailTo(bare);
    await mailTo(known);
    const file = (await visitor.send('POST', path)).body;
    expect(file.contact).to.deep.equal([]);
    expect(file.messages.map((message: { email: string }) => message.email)).to.deep.equal([bare]);
    // A mail that was queued by a later call would be older than this one.
    const later = addressOf('later');
    await ask(later);
    await mailTo(later);
    expect([mailsTo(known).length, mailsTo(bare).length]).to.deep.equal([1, 1]);
    expect(await deps().db.dataRequests.countDocuments({ projectId: post.own.project._id })).to.be.at.least(2);
    // As a day later.
    await deps().db.requestCounts.updateMany({}, { $set: { times: [new Date(Date.now() - DAY_MS)] } });
    await ask(known);
    expect((await mailTo(known, 2)).count).to.equal(2);
  });

  it('is made by a button of the preference page', async () => {
    const email = addressOf('button');
    const path = `/p/${tokenOf(email)}`;
    const page = await visitor.get(path);
    expect(page.status).to.equal(200);
    const [, action = ''] = /<form method="post" action="([^"]+)">\n<button[^>]*>Mail me my data/.exec(page.text) ?? [];
    const target = new URL(action, `${post.environment.url}${path}`).pathname;
    expect(target).to.equal(`${path}/data`);
    expect((await visitor.send('POST', target)).status).to.equal(200);
    await mailTo(email);
  });

  it('speaks the language of the contact, else that of the browser', async () => {
    const [contact, browser] = [addressOf('contact'), addressOf('browser')];
    const made = await post.own.client.post('/contacts', { email: contact, contactProperties: { language: 'de' } });
    expect(made.status).to.equal(201);
    expect((await ask(contact, { 'Accept-Language': 'fr' })).text).to.contain('Eine E-Mail ist unterwegs');
    expect((await ask(browser, { 'Accept-Language': 'fr' })).text).to.contain('Un e-mail est en route');
    expect((await mailTo(contact)).mail.subject).to.equal('Ihre Daten bei Own project');
    expect((await mailTo(browser)).mail.subject).to.equal('Vos données chez Own project');
  });

  it('reaches a person who unsubscribed from everything, and no address that bounced', async () => {
    const [left, bounced] = [addressOf('left'), addressOf('bounced')];
    const groups = (await post.own.client.get('/suppression-groups')).body.data;
    const global = JSON.stringify(groups);
    expect(global).to.contain('isGlobal');
    const { groupId } = (await deps().db.suppressionGroups.findOne({
      projectId: post.own.project._id,
      isGlobal: true,
    }))!;
    for (const [email, reason] of [
      [left, 'UNSUBSCRIBE'],
      [bounced, 'BOUNCE'],
    ] as const)
      await deps().db.suppressions.insertOne({
        ...{ _id: new ObjectId(), projectId: post.own.project._id, email, groupId, isGlobal: true, isDefault: false },
        ...{ reason, evidence: null, createdAt: new Date(), updatedAt: new Date() },
      });
    expect((await ask(bounced)).text).to.equal((await ask(left)).text);
    await mailTo(left);
    const stopped = await until(
      () => deps().db.messages.findOne({ projectId: post.own.project._id, email: bounced }),
      (message) => message?.state === 'suppressed',
    );
    expect(stopped?.suppressedBy).to.include({ reason: 'BOUNCE' });
    expect(mailsTo(bounced)).to.deep.equal([]);
  });

  it('of two downloads at once gives one the file', async () => {
    const email = addressOf('twice');
    await ask(email);
    const { path } = await mailTo(email);
    const both = await Promise.all([visitor.send('POST', path), visitor.send('POST', path)]);
    expect(both.map(({ status }) => status).toSorted()).to.deep.equal([200, 404]);
  });

  it('gives the link back when the download breaks off, and not after 24 hours', async () => {
    const email = addressOf('broken');
    await insertMails(email);
    await ask(email);
    const { path } = await mailTo(email);
    const broken = httpRequest(`${post.environment.url}${path}`, { method: 'POST' }).end();
    const [answer] = (await once(broken, 'response')) as [IncomingMessage];
    await once(answer, 'data');
    answer.destroy();
    const again = await until(
      () => visitor.send('POST', path),
      ({ status }) => status === 200,
    );
    expect(again.body.messages).to.have.length(MAILS_OF_LARGE_FILE + 1);

    const late = addressOf('late');
    await ask(late);
    const link = (await mailTo(late)).path;
    expect((await visitor.get(link)).status).to.equal(200);
    await deps().db.dataRequests.updateMany({ projectId: post.own.project._id }, { $set: { expiresAt: new Date() } });
    expect((await visitor.get(link)).status).to.equal(404);
    expect((await visitor.send('POST', link)).status).to.equal(404);
  });

  /** More than the sockets between server and client hold. */
  async function insertMails(email: string): Promise<void> {
    const at = new Date();
    const rows = Array.from({ length: MAILS_OF_LARGE_FILE }, () => ({
      ...{ _id: new ObjectId(), projectId: post.own.project._id, lane: 'campaign' as const, state: 'sent' as const },
      ...{ email, createdAt: at, sentAt: at, subject: LONG_SUBJECT },
    }));
    await deps().db.messages.insertMany(rows);
  }

  it('with a token that is not ours is answered like any other wrong link', async () => {
    const { status, text } = await visitor.send('POST', '/p/never/data');
    expect(status).to.equal(404);
    expect(text).to.equal((await visitor.get('/u/never')).text);
  });

  it('ends with its project', async () => {
    const tenant = await post.environment.newTenant('Ending');
    const { project } = tenant;
    await seedSendingDomain(deps(), project, `${project._id.toHexString()}.test`);
    const token = unsubscribeToken(deps().config, {
      ...{ projectId: project._id, messageId: new ObjectId(), groupId: null, email: 'ending@in.test' },
    });
    expect((await visitor.send('POST', `/p/${token}/data`)).status).to.equal(200);
    const { dataRequests } = deps().db;
    expect(await dataRequests.countDocuments({ projectId: project._id })).to.equal(1);
    const admin = post.environment.client(tenant.adminKey);
    const deleted = await admin.delete(`/account/projects/${project._id.toHexString()}`);
    expect(deleted.status, deleted.text).to.equal(200);
    expect(await dataRequests.countDocuments({ projectId: project._id })).to.equal(0);
    expect((await visitor.send('POST', `/p/${token}/data`)).status).to.equal(404);
  });
});
