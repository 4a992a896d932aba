import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import type { Content, Message } from '../../core/mail/ledger/model.ts';
import { until } from '../support/wait.ts';
import { type Post, SENDER, startPost } from './support.ts';

describe('The mail lanes', function () {
  this.timeout(60_000);
  let post: Post;
  afterEach(() => post.stop());

  /** As many as one call never makes, put there at once. */
  async function backlog(count: number, lane: Message['lane']): Promise<void> {
    const { db } = post.environment.deps;
    const projectId = post.own.project._id;
    const content = {
      _id: new ObjectId(),
      projectId,
      messageIds: [],
      from: { email: SENDER, name: null },
      replyTo: null,
    } as unknown as Content;
    const source = {
      templateId: null,
      subject: 'x',
      previewText: '',
      html: null,
      text: 'x',
      data: {},
      headers: {},
      attachments: [],
    };
    const options = {
      marketing: false,
      groupId: null,
      bypassSuppressions: false,
      trackingClick: false,
      trackingOpen: false,
    };
    await db.contents.insertOne({ ...content, ...source, ...options, createdAt: new Date() });
    const dueAt = new Date(Date.now() - 60_000);
    for (let from = 0; from < count; from += 5_000)
      await db.messages.insertMany(
        Array.from({ length: Math.min(5_000, count - from) }, (_, index) => ({
          _id: new ObjectId(),
          projectId,
          lane,
          state: 'queued' as const,
          email: `b${from + index}@in.test`,
          contentId: content._id,
          createdAt: new Date(),
          dueAt,
        })),
        { ordered: false },
      );
  }

  /** Mails of others that the relay took after this one was accepted, and before this one. */
  async function overtakenBy(emailId: string, takenBefore: number): Promise<number> {
    const place = () => post.sink.ledger.messages.findIndex(({ messageId }) => messageId?.includes(emailId));
    const found = await until(
      async () => place(),
      (index) => index !== -1,
      { ms: 20_000, everyMs: 2 },
    );
    return found - takenBefore;
  }

  it('a mail of one project does not wait behind 20,000 of another', async () => {
    post = await startPost({ sink: { ackDelayMs: 5 } });
    const { deps } = post.environment;
    const quiet = await post.environment.newTenant('Quiet');
    await seedVerifiedDomain(deps, quiet.project, 'quiet.example.com', new ObjectId());
    await backlog(20_000, 'transactional');
    expect(await post.sink.ledger.wait(50, 20_000)).to.equal(true);
    const overtaken: number[] = [];
    for (let index = 0; index < 7; index++) {
      const mail = { to: { email: `behind${index}@in.test` }, from: { email: 'a@quiet.example.com' } };
      const { data } = (await quiet.client.post('/mails/send', { ...mail, subject: 'x', text: 'x' })).body;
      overtaken.push(await overtakenBy(data.emailId, post.sink.ledger.total));
    }
    expect(post.sink.ledger.total).to.be.lessThan(20_000);
    expect(overtaken.toSorted((a, b) => a - b)[3], overtaken.join()).to.be.lessThan(400);
  });

  it('a mail opens a connection, and a look for more mail at most one more; a backlog opens those that it may', async () => {
    post = await startPost();
    await post.settled(await post.send({ to: { email: 'one@in.test' } }), 'sent');
    expect(post.sink.ledger.connections).to.be.at.most(2);
    await backlog(40, 'automation');
    expect(await post.sink.ledger.wait(41, 20_000)).to.equal(true);
    expect(post.sink.connectionsMost()).to.be.within(4, 8);
  });

  it('bulk and marketing mail never take the last connections from transactional mail', async () => {
    post = await startPost({ sink: { ackDelayMs: 400 } });
    await backlog(200, 'automation');
    const inUse = async () => post.sending.deps.mailer.states()[0]?.connectionsInUse;
    await until(inUse, (count) => count === 4);
    await pause(300);
    expect(await inUse()).to.be.at.most(4);
    const answer = await post.send({ to: { email: 'now@in.test' } });
    const overtaken = await overtakenBy(answer.body.data.emailId, post.sink.ledger.total);
    expect(overtaken, 'of 200').to.be.lessThan(50);
  });

  it('without Redis mail is queued and sent all the same, a look later', async () => {
    post = await startPost({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
    const answer = await post.send({ to: { email: 'a@in.test' } });
    expect(answer.status).to.equal(200);
    await post.settled(answer, 'sent');
  });

  it('without Temporal nothing of it changes', async () => {
    post = await startPost({ env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } });
    await post.settled(await post.send({ to: { email: 'a@in.test' } }), 'sent');
  });

  it('a stop gives back what is claimed and not handed over, and lets dots in flight be answered', async () => {
    post = await startPost({ sink: { ackDelayMs: 300 } });
    await backlog(60, 'automation');
    await backlog(60, 'transactional');
    expect(await post.sink.ledger.wait(1, 20_000)).to.equal(true);
    await post.restart();
    post.sink.modes.ackDelayMs = 0;
    const { messages } = post.environment.deps.db;
    const projectId = post.own.project._id;
    await until(
      () => messages.countDocuments({ projectId, state: 'sent' }),
      (sent) => sent === 120,
      { ms: 25_000 },
    );
    expect([post.sink.ledger.total, post.sink.ledger.duplicates]).to.deep.equal([120, 0]);
    expect(await messages.countDocuments({ projectId, state: 'unknown' })).to.equal(0);
  });
});
