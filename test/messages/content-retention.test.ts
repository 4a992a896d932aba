import { expect } from 'chai';
import { GridFSBucket } from 'mongodb';
import { startQueues } from '../../core/jobs/queue.ts';
import { contentRemovals, ownContentRemovals } from '../../core/mail/messages/content-retention.ts';
import { hurry, type Post, startPost } from '../delivery/support.ts';
import { until } from '../support/wait.ts';

const DAY_MS = 24 * 3_600_000;

describe('Sent content', () => {
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  it('goes seven days after the last outcome, attachments and data with it; the record stays', async () => {
    const { deps, clock } = post.environment;
    const { contents, messages } = deps.db;
    const projectId = post.own.project._id;
    const attachments = [{ fileName: 'a', content: Buffer.alloc(1_500_000).toString('base64') }];
    const old = await post.send({ to: { email: 'a@in.test' }, attachments });
    const small = await post.send({ to: { email: 'a@in.test' } });
    const open = await post.send({ to: { email: 'temp-rcpt-450@in.test' } });
    await post.settled(old, 'sent');
    await post.settled(small, 'sent');
    await post.settled(open, 'deferred');
    const files = new GridFSBucket(deps.mongo.db(deps.config.mongodbDatabase), { bucketName: 'attachments' });
    expect(await files.find({}).toArray()).to.have.length(1);

    const own = { projectId, contentDueAt: { $exists: true } };
    const look = async () => {
      await contents.updateMany({ projectId }, [{ $set: { removeDueAt: '$$NOW' } }]);
      await messages.updateMany(own, [{ $set: { contentDueAt: '$$NOW' } }]);
      const loop = startQueues(deps, [contentRemovals(deps), ownContentRemovals(deps)]);
      await loop.ready;
      await until(
        async () =>
          (await contents.countDocuments({ projectId, $expr: { $lte: ['$removeDueAt', '$$NOW'] } })) +
          (await messages.countDocuments({ ...own, $expr: { $lte: ['$contentDueAt', '$$NOW'] } })),
        (left) => left === 0,
      );
      await loop.stop();
      const left = await messages.find({ projectId, content: { $exists: true } }).toArray();
      return { beside: await contents.countDocuments({ projectId }), own: left.map(({ state }) => state).sort() };
    };
    clock.advance(6 * DAY_MS);
    expect(await look()).to.deep.equal({ beside: 1, own: ['deferred', 'sent'] });
    clock.advance(2 * DAY_MS);
    expect(await look()).to.deep.equal({ beside: 0, own: ['deferred'] });
    expect(await files.find({}).toArray()).to.deep.equal([]);
    expect(await messages.countDocuments(own)).to.equal(1);
    for (const gone of [old, small]) {
      const record = (await post.own.client.get(`/emails/${gone.body.data.emailId}`)).body.data;
      expect(record).to.deep.include({ status: 'sent', content: null });
    }
    await hurry(post, 'deferred');
    expect((await post.own.client.get(`/emails/${open.body.data.emailId}`)).body.data.content).to.not.equal(null);
  });
});
