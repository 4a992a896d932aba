// Promise: nothing is sent twice.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { countedAttempt } from '../../core/mail/deliver/stored/compose.ts';
import type { Content, Message } from '../../core/mail/ledger/model.ts';
import { until } from '../support/wait.ts';
import { type Post, startPost } from './support.ts';

describe('Attempts to compose a mail', () => {
  let post: Post;
  let projectId: ObjectId;
  before(async () => {
    post = await startPost();
    projectId = post.own.project._id;
  });
  after(() => post.stop());

  const messages = () => post.environment.deps.db.messages;
  const read = async (_id: ObjectId) => (await messages().findOne({ _id, projectId })) as Message;

  /** A mail like one that was sent, unclaimed. */
  async function another(changes: Partial<Content>, dueAt: Date): Promise<Message> {
    const answer = await post.send({ to: { email: 'a@in.test' } });
    await post.settled(answer, 'sent');
    const sent = await post.read(answer);
    const { lane, email, name, content, contentId } = sent;
    const message: Message = {
      ...{ _id: new ObjectId(), projectId, lane, email, state: 'queued', createdAt: new Date(), dueAt },
      ...(name === undefined ? {} : { name }),
      ...(contentId && content ? { contentId, content: { ...content, ...changes } } : {}),
    };
    await messages().insertOne(message);
    return message;
  }

  it('a mail that cannot be composed for an unknown reason is requeued twice and then fails, with the reason', async () => {
    const { _id } = await another({ marketing: true, groupId: 'A\r\nX: y' }, new Date());
    for (const attempts of [1, 2]) {
      const tried = await until(
        () => read(_id),
        ({ state, timeline }) => state === 'queued' && timeline?.length === attempts,
      );
      expect(tried.timeline?.map(({ type }) => type)).to.deep.equal(Array(attempts).fill('not_composed'));
      await messages().updateOne({ _id, projectId }, { $set: { dueAt: new Date() } });
    }
    const failed = await until(
      () => read(_id),
      ({ state }) => state === 'failed',
    );
    expect(failed.reason).to.equal('The mail could not be composed. It was tried 3 times.');
  }).timeout(60_000);

  it('a mail that is composed in time counts no attempt', async () => {
    const { _id } = await another({}, new Date('2100-01-01'));
    const composed = await countedAttempt(post.environment.deps, await read(_id), async () => ({ bytes: 'x' }));
    expect(composed).to.deep.equal({ bytes: 'x' });
    expect((await read(_id)).timeline).to.equal(undefined);
  });

  it('a mail whose composing outlasts its claim is requeued twice and then fails, whichever process has it by then', async () => {
    const { _id } = await another({}, new Date('2100-01-01'));
    const outcomes: object[] = [];
    for (let attempt = 0; attempt < 4; attempt++)
      outcomes.push(
        await countedAttempt(post.environment.deps, await read(_id), async () => {
          post.environment.clock.advance(attempt === 3 ? 0 : 30_000);
          return { bytes: '' };
        }),
      );
    const slow = 'Composing the mail took longer than 30 seconds.';
    expect(outcomes).to.deep.equal([
      { kind: 'back', delayMs: 60_000 },
      { kind: 'back', delayMs: 60_000 },
      { kind: 'failed', reason: `${slow} It was tried 3 times.` },
      { kind: 'failed', reason: slow },
    ]);
    expect((await read(_id)).timeline).to.have.length(3);
  });
});
