import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { GridFSBucket } from 'mongodb';
import { startQueues } from '../../core/jobs/queue.ts';
import { contentRemovals, ownContentRemovals } from '../../core/mail/messages/content-retention.ts';
import { removeOld } from '../../core/retention.ts';
import { until } from '../support/wait.ts';
import { hurry, type Post, startPost } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A process knows a domain for a second. */
const CACHED_MS = 1_100;

describe('Scheduled mail', () => {
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const arrivedAt = (email: string) => post.sink.ledger.messages.filter(({ to }) => to.includes(email));

  it('leaves at its time and not before, once', async () => {
    const scheduledAt = inMs(3_000);
    const answer = await post.send({ to: { email: 'soon@in.test' }, scheduledAt });
    const sent = await post.settled(answer, 'sent');
    expect(new Date(sent.sentAt).getTime()).to.be.at.least(new Date(scheduledAt).getTime());
    expect(sent.timeline.map(({ type }: { type: string }) => type)).to.deep.equal([
      ...['queued', 'scheduled', 'claimed', 'sent'],
    ]);
    expect(arrivedAt('soon@in.test')).to.have.length(1);
  });

  it('leaves at once when its time is changed to now', async () => {
    const answer = await post.send({ to: { email: 'now@in.test' }, scheduledAt: inMs(HOUR_MS) });
    await post.own.client.patch(`/emails/${answer.body.data.emailId}`, { scheduledAt: inMs(0) });
    await post.settled(answer, 'sent');
  });

  it('leaves as it was at the call: content, template and files', async () => {
    const { client } = post.own;
    const template = { templateName: 'T', subject: 'Before', emailTemplate: '<p>before {{name}}</p>' };
    const { templateId } = (await client.post('/templates', template)).body.data;
    const files = [{ fileName: 'a.txt', content: Buffer.from('kept').toString('base64') }];
    const answer = await post.send({
      ...{ to: { email: 'then@in.test' }, cc: [{ email: 'cc.then@in.test' }], scheduledAt: inMs(HOUR_MS) },
      ...{ templateId, dynamicData: { name: 'Ada' }, attachments: files },
    });
    await client.patch(`/templates/${templateId}`, { subject: 'After', emailTemplate: '<p>after</p>' });
    await hurry(post, 'scheduled');
    const { mail, envelope } = await post.arrived(answer);
    expect(mail.subject).to.equal('Before');
    expect(mail.html).to.include('<p>before Ada</p>');
    expect(Buffer.from(mail.attachments[0]!.content as ArrayBuffer).toString()).to.equal('kept');
    expect(envelope.to).to.deep.equal(['then@in.test', 'cc.then@in.test']);
    const sent = await post.settled(answer, 'sent');
    expect(sent.recipients.map(({ status }: { status: string }) => status)).to.deep.equal(['sent', 'sent']);
  });

  it('is judged when it leaves: by suppressions, and by its domain', async () => {
    const { deps } = post.environment;
    const suppressed = await post.send({ to: { email: 'gone@in.test' }, scheduledAt: inMs(HOUR_MS) });
    await post.own.client.post('/suppression-groups/emails/suppress', { emails: ['gone@in.test'], isGlobal: true });
    await hurry(post, 'scheduled');
    expect((await post.settled(suppressed, 'suppressed')).suppressedBy.reason).to.equal('MANUAL');
    const refused = await post.send({ to: { email: 'late@in.test' }, scheduledAt: inMs(HOUR_MS) });
    const ours = { projectId: post.own.project._id, domainName: 'mail.example.com' };
    await deps.db.domains.updateOne(ours, { $set: { verificationStatus: 'PENDING' } });
    try {
      await pause(CACHED_MS);
      await hurry(post, 'scheduled');
      expect((await post.settled(refused, 'failed')).reason).to.match(/is not verified any more/);
    } finally {
      await deps.db.domains.updateOne(ours, { $set: { verificationStatus: 'VERIFIED' } });
      await pause(CACHED_MS);
    }
  });

  it('that was cancelled does not leave, nor a copy of it', async () => {
    const { groupId } = (await post.own.client.post('/suppression-groups', { name: 'News' })).body.data;
    const to = { to: { email: 'not@in.test' }, cc: [{ email: 'cc.not@in.test' }], scheduledAt: inMs(HOUR_MS) };
    const ids = [await post.send(to), await post.send({ ...to, unsubscribeGroupId: groupId })];
    for (const { body } of ids)
      expect((await post.own.client.post(`/emails/${body.data.emailId}/cancel`)).status).to.equal(200);
    const cancelled = { projectId: post.own.project._id, state: 'cancelled' as const };
    const due = [{ $set: { dueAt: '$$NOW' } }];
    expect((await post.environment.deps.db.messages.updateMany(cancelled, due)).modifiedCount).to.equal(3);
    const other = await post.send({ to: { email: 'other@in.test' } });
    await post.settled(other, 'sent');
    expect([...arrivedAt('not@in.test'), ...arrivedAt('cc.not@in.test')]).to.deep.equal([]);
  });

  it('that the relay deferred can be cancelled, and is not tried again', async () => {
    const answer = await post.send({ to: { email: 'temp-rcpt-450@in.test' }, scheduledAt: inMs(0) });
    await post.settled(answer, 'deferred');
    const { status, body } = await post.own.client.post(`/emails/${answer.body.data.emailId}/cancel`);
    expect([status, body.data.status]).to.deep.equal([200, 'cancelled']);
    await hurry(post, 'cancelled', 'deferred');
    await pause(300);
    expect((await post.read(answer)).state).to.equal('cancelled');
  });

  it('is not old, however long it waits; a week after it was cancelled its content goes', async () => {
    const { deps, clock } = post.environment;
    const projectId = post.own.project._id;
    const { contents, messages } = deps.db;
    const attachments = [{ fileName: 'a', content: Buffer.alloc(1_500_000).toString('base64') }];
    const [small, large] = [
      await post.send({ to: { email: 'small@in.test' }, scheduledAt: inMs(29 * DAY_MS) }),
      await post.send({ to: { email: 'large@in.test' }, attachments, scheduledAt: inMs(29 * DAY_MS) }),
    ];
    const content = async ({ body }: typeof small) =>
      (await post.own.client.get(`/emails/${body.data.emailId}`)).body.data.content;
    const look = async () => {
      await contents.updateMany({ projectId }, [{ $set: { removeDueAt: '$$NOW' } }]);
      await messages.updateMany({ projectId, contentDueAt: { $exists: true } }, [{ $set: { contentDueAt: '$$NOW' } }]);
      const loop = startQueues(deps, [contentRemovals(deps), ownContentRemovals(deps)]);
      await loop.ready;
      await until(
        async () =>
          (await contents.countDocuments({ projectId, $expr: { $lte: ['$removeDueAt', '$$NOW'] } })) +
          (await messages.countDocuments({
            projectId,
            contentDueAt: { $exists: true },
            $expr: { $lte: ['$contentDueAt', '$$NOW'] },
          })),
        (left) => left === 0,
      );
      await loop.stop();
    };
    try {
      clock.advance(400 * DAY_MS);
      await look();
      await removeOld(deps);
      for (const mail of [small, large]) expect(await content(mail)).to.not.equal(null);
      for (const { body } of [small, large]) await post.own.client.post(`/emails/${body.data.emailId}/cancel`);
      await look();
      for (const mail of [small, large]) expect(await content(mail)).to.equal(null);
      const files = new GridFSBucket(deps.mongo.db(deps.config.mongodbDatabase), { bucketName: 'attachments' });
      expect(await files.find({}).toArray()).to.deep.equal([]);
    } finally {
      clock.advance(-400 * DAY_MS);
    }
  });
});
