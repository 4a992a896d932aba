import { expect } from 'chai';
import { GridFSBucket } from 'mongodb';
import { contentRemovals } from '../../core/content-removals.ts';
import { startDueLoop } from '../../core/due.ts';
import { until } from '../wait.ts';
import { hurry, type Post, startPost } from './support.ts';

const DAY_MS = 24 * 3_600_000;

describe('What was sent', () => {
  let post: Post;
  before(async () => {
    post = await startPost();
  });
  after(() => post.stop());

  it('goes seven days after the last outcome, attachments and data with it; the record stays', async () => {
    const { deps, clock } = post.environment;
    const { contents } = deps.db;
    const projectId = post.own.project._id;
    const attachments = [{ fileName: 'a', content: Buffer.alloc(1_500_000).toString('base64') }];
    const old = await post.send({ to: { email: 'a@in.test' }, attachments });
    const open = await post.send({ to: { email: 'temp-rcpt-450@in.test' } });
    await post.settled(old, 'sent');
    await post.settled(open, 'deferred');
    const files = new GridFSBucket(deps.mongo.db(deps.config.mongodbDatabase), { bucketName: 'attachments' });
    expect(await files.find({}).toArray()).to.have.length(1);

    const due = () => contents.updateMany({ projectId }, [{ $set: { removeDueAt: '$$NOW' } }]);
    const look = async () => {
      await due();
      const loop = startDueLoop(deps, [contentRemovals(deps)]);
      await loop.ready;
      await until(
        () => contents.countDocuments({ projectId, $expr: { $lte: ['$removeDueAt', '$$NOW'] } }),
        (left) => left === 0,
      );
      await loop.stop();
      return contents.countDocuments({ projectId });
    };
    clock.advance(6 * DAY_MS);
    expect(await look()).to.equal(2);
    clock.advance(2 * DAY_MS);
    expect(await look()).to.equal(1);
    expect(await files.find({}).toArray()).to.deep.equal([]);
    const record = (await post.own.client.get(`/emails/${old.body.data.emailId}`)).body.data;
    expect(record).to.deep.include({ status: 'sent', content: null });
    await hurry(post, 'deferred');
    expect((await post.own.client.get(`/emails/${open.body.data.emailId}`)).body.data.content).to.not.equal(null);
  });
});
