// Promise: who left is not mailed.
import { expect } from 'chai';
import { BSON, ObjectId } from 'mongodb';
import type { Project } from '../../core/base/model.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { type ProjectMail, projectMailing } from '../../core/mail/accept/project-mail.ts';
import { queueMailing } from '../../core/mail/messages/messages.ts';
import { type Post, startPost } from '../delivery/support.ts';
import { until } from '../support/wait.ts';

const SECRET = 'https://mail.example.com/secret-part-of-the-link';

describe('A mail that a project sends by itself', function () {
  this.timeout(180_000);
  let post: Post;
  let project: Project;
  before(async () => {
    post = await startPost();
    project = post.own.project;
  });
  after(() => post.stop());

  const mailOf = (to: string, more: Partial<ProjectMail> = {}): ProjectMail => ({
    seed: new ObjectId(),
    to,
    subject: 'Please {{confirm}}',
    html: `<p>{{x}} <a href="${SECRET}">Go</a></p>`,
    text: `{{x}} ${SECRET}`,
    passesUnsubscribe: true,
    ...more,
  });
  const send = async (mail: ProjectMail, from: Project = project, deps = post.environment.deps) => {
    const mailing = await projectMailing(deps, from, mail);
    if (mailing) await queueMailing(deps, mailing);
    return mailing !== null;
  };
  const messagesTo = (email: string) =>
    post.environment.deps.db.messages.find({ projectId: project._id, email }).toArray();
  const arrivedFor = (to: string) => post.sink.ledger.messages.filter((mail) => mail.to.includes(to));
  const outcome = (email: string) =>
    until(
      async () => (await messagesTo(email))[0],
      (message) => ['sent', 'suppressed', 'failed'].includes(message?.state ?? ''),
      { ms: 30_000 },
    );
  const suppress = async (email: string, reason: string, isGlobal: boolean) => {
    const more = isGlobal ? { isGlobal } : {};
    const { status } = await post.own.client.post('/suppression-groups/emails/suppress', {
      emails: [email],
      reason,
      ...more,
    });
    expect(status).to.equal(200);
  };

  it('leaves as it is, from the first verified domain, without tracking and with a signature', async () => {
    expect(await send(mailOf('plain@in.test'))).to.equal(true);
    const { _id } = (await outcome('plain@in.test'))!;
    const { mail, raw } = await post.arrived({ body: { data: { emailId: _id.toHexString() } } } as never);
    expect(mail.subject).to.equal('Please {{confirm}}');
    expect(mail.from).to.include({ address: 'no-reply@mail.example.com', name: project.name });
    expect(mail.html).to.contain(`<a href="${SECRET}">`).and.to.contain('{{x}}').and.not.contain('/t/');
    expect(mail.text).to.contain(`{{x}} ${SECRET}`);
    expect(raw)
      .to.match(/^DKIM-Signature:/m)
      .and.not.match(/^List-Unsubscribe:/m);
  });

  it('comes from a domain with records in DNS before one that was seeded', async () => {
    const { deps } = post.environment;
    const real = await seedVerifiedDomain(deps, project, 'real.example.com', new ObjectId());
    const own = { _id: real._id, projectId: project._id };
    await deps.db.domains.updateOne(own, { $set: { seeded: false } });
    expect(await send(mailOf('real@in.test'))).to.equal(true);
    await deps.db.domains.deleteOne(own);
    const senders = (await messagesTo('real@in.test')).map(({ senderDomain }) => senderDomain);
    expect(senders).to.deep.equal(['real.example.com']);
  });

  it('comes from the address that the project names', async () => {
    const publicFrom = { email: 'hello@mail.example.com', name: 'Hello' };
    await send(mailOf('named@in.test'), { ...project, publicFrom });
    const { _id } = (await outcome('named@in.test'))!;
    const { mail } = await post.arrived({ body: { data: { emailId: _id.toHexString() } } } as never);
    expect(mail.from).to.include({ address: 'hello@mail.example.com', name: 'Hello' });
  });

  it('is one mail, however often it is queued for the same cause', async () => {
    const mail = mailOf('once@in.test');
    for (let time = 0; time < 3; time++) await send(mail);
    await outcome('once@in.test');
    expect(await messagesTo('once@in.test')).to.have.length(1);
    expect(arrivedFor('once@in.test')).to.have.length(1);
  });

  it('keeps its link secret: neither the database nor the interface has it', async () => {
    await send(mailOf('sealed@in.test'));
    const message = (await outcome('sealed@in.test'))!;
    expect(arrivedFor('sealed@in.test')[0]?.raw).to.contain('secret-part');
    expect(Buffer.from(BSON.serialize(message)).includes('secret-part')).to.equal(false);
    for (const path of ['', '/content']) {
      const { status, text } = await post.own.client.get(`/emails/${message._id.toHexString()}${path}`);
      expect(status).to.equal(200);
      expect(text).to.not.contain('secret-part');
    }
  });

  it('fails with the reason when the key that sealed it is gone', async () => {
    const { deps } = post.environment;
    const secretKeys = [`gone:${Buffer.alloc(32, 9).toString('base64')}`];
    const sealing = { ...deps, config: { ...deps.config, secretKeys } };
    await send(mailOf('key@in.test'), project, sealing);
    const { state, reason } = (await outcome('key@in.test'))!;
    expect(state).to.equal('failed');
    expect(reason).to.contain('SECRET_KEYS');
  });

  for (const isGlobal of [true, false]) {
    const where = isGlobal ? 'global' : 'default';
    it(`passes over an UNSUBSCRIBE in the ${where} group, and stops for every other reason`, async () => {
      for (const reason of ['UNSUBSCRIBE', 'BOUNCE', 'COMPLAINT', 'MANUAL']) {
        const to = `${reason.toLowerCase()}-${where}@in.test`;
        await suppress(to, reason, isGlobal);
        await send(mailOf(to));
        expect((await outcome(to))?.state, to).to.equal(reason === 'UNSUBSCRIBE' ? 'sent' : 'suppressed');
      }
    });

    it(`stops for a bounce that an UNSUBSCRIBE in the ${where} group hides`, async () => {
      const to = `both-${where}@in.test`;
      await suppress(to, 'BOUNCE', isGlobal);
      await suppress(to, 'UNSUBSCRIBE', isGlobal);
      await send(mailOf(to));
      const { state, suppressedBy } = (await outcome(to))!;
      expect([state, suppressedBy?.reason]).to.deep.equal(['suppressed', 'BOUNCE']);
    });
  }

  it('stops for an UNSUBSCRIBE in the global group when it does not pass over it', async () => {
    await suppress('obeys@in.test', 'UNSUBSCRIBE', true);
    await send(mailOf('obeys@in.test', { passesUnsubscribe: false }));
    expect((await outcome('obeys@in.test'))?.state).to.equal('suppressed');
  });

  it('is not queued by a project without a verified domain', async () => {
    const { project: other } = post.environment.other;
    expect(await send(mailOf('none@in.test'), other)).to.equal(false);
    expect(await post.environment.deps.db.messages.countDocuments({ projectId: other._id })).to.equal(0);
  });
});
