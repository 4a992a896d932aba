import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import type { Content, Message } from '../../core/outbox/model.ts';
import { until } from '../support/wait.ts';
import { type Post, SENDER, startPost } from './support.ts';

describe('The mail lanes', () => {
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

  it('a mail of one project does not wait behind 20,000 of another', async () => {
    post = await startPost({ sink: { ackDelayMs: 5 } });
    const { deps } = post.environment;
    const quiet = await post.environment.newTenant('Quiet');
    await seedVerifiedDomain(deps, quiet.project, 'quiet.example.com', new ObjectId());
    const delayOf = async (email: string) => {
      const body = { to: { email }, from: { email: 'a@quiet.example.com' }, subject: 'x', text: 'x' };
      const { data } = (await quiet.client.post('/mails/send', body)).body;
      const began = performance.now();
      await until(
        async () => post.sink.ledger.has(`<${data.emailId}@quiet.example.com>`),
        (arrived) => arrived,
        { everyMs: 2 },
      );
      return performance.now() - began;
    };
    const delaysOf = async (name: string) => {
      const delays: number[] = [];
      for (let index = 0; index < 7; index++) delays.push(await delayOf(`${name}${index}@in.test`));
      return delays.toSorted((a, b) => a - b);
    };
    const alone = await delaysOf('alone');
    await backlog(20_000, 'transactional');
    await post.sink.ledger.wait(50, 10_000);
    const behind = await delaysOf('behind');
    expect(post.sink.ledger.total).to.be.lessThan(20_000);
    // On a busy machine, three times the time that it takes with an empty queue.
    const said = `alone ${alone.map(Math.round).join()}, behind ${behind.map(Math.round).join()}`;
    expect(behind[3], said).to.be.lessThan(Math.max(200, 3 * alone[3]!));
  });

  it('bulk and marketing mail never take the last connections from transactional mail', async () => {
    post = await startPost({ sink: { ackDelayMs: 400 } });
    await backlog(200, 'automation');
    const inUse = async () => post.sending.deps.mailer.states()[0]?.connectionsInUse;
    await until(inUse, (count) => count !== 0);
    await pause(300);
    expect(await inUse()).to.be.within(1, 4);
    const began = performance.now();
    const answer = await post.send({ to: { email: 'now@in.test' } });
    await post.arrived(answer);
    expect(performance.now() - began).to.be.lessThan(2_000);
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
    await post.sink.ledger.wait(1, 5_000);
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
