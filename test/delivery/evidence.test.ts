// Promise: nothing is lost.
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import { openToken } from '../../core/mail/compose/tokens.ts';
import { MailQueue } from '../../core/mail/deliver/mail-queue.ts';
import { applyReports } from '../../core/mail/feedback/bounces.ts';
import { anyFreePort } from '../../stack/ports.ts';
import { SENDER, useHands } from '../campaigns/support.ts';
import { made, type Reply } from '../support/client.ts';
import { until } from '../support/wait.ts';
import { hurry, type Post, startPost } from './support.ts';

describe('A mail whose answer was lost', () => {
  let post: Post;
  let relay: Server;
  /** Mails that the relay has taken from a process that is gone. */
  const known = new Set<string>();
  before(async () => {
    const port = await anyFreePort();
    relay = createServer(({ url = '' }, response) => {
      const id = new URL(url, 'http://relay').searchParams.get('id') ?? '';
      const accepted = post.sink.ledger.has(id) || known.has(id.slice(0, id.indexOf('@')));
      response.end(JSON.stringify({ accepted }));
    }).listen(port, '127.0.0.1');
    post = await startPost({ env: { SMTP_EVIDENCE_URL: `http://127.0.0.1:${port}/` } });
    const hook = { url: 'https://hooks.example.com/', events: ['email.sent'] };
    expect((await post.own.client.post('/webhooks', hook)).status).to.equal(201);
  });
  after(async () => {
    await post.stop();
    relay.close();
  });

  const statuses = async (answer: Reply) =>
    (await post.own.client.get(`/emails/${answer.body.data.emailId}`)).body.data.recipients.map(
      ({ kind, status }: Record<string, string>) => `${kind} ${status}`,
    );
  const become = (answer: Reply, ...expected: string[]) =>
    until(
      () => statuses(answer),
      (found) => found.join() === expected.join(),
    );
  const envelopes = (answer: Reply) =>
    post.sink.ledger.messages
      .filter(({ messageId }) => messageId?.includes(answer.body.data.emailId))
      .map(({ to }) => to);

  /** The addresses of its events. */
  const published = async (answer: Reply) => {
    const { projectEvents } = post.environment.deps.db;
    const of = { projectId: post.own.project._id, 'data.emailId': answer.body.data.emailId };
    const found = await projectEvents.find(of).sort({ writtenAt: 1 }).toArray();
    return found.map(({ type, data }) => `${type} ${data.email}`);
  };

  /** The relay takes it for `to`, and the connection ends before it says so; the cc is deferred, and taken from then on. */
  async function sentInPart(name: string) {
    const to = `drop-after-dot+${name}@in.test`;
    const answer = await post.send({ to: { email: to }, cc: [{ email: `temp-rcpt-450+${name}@in.test` }] });
    await become(answer, 'to unknown', 'cc deferred');
    const { _id, projectId } = await post.read(answer);
    const cc = `${name}@in.test`;
    const { messages } = post.environment.deps.db;
    await messages.updateOne({ _id, projectId }, { $set: { 'recipients.1.email': cc } });
    return { answer, to, cc };
  }

  it('reaches the cc that the relay deferred, and `to` once, when the relay says that it has the mail', async () => {
    const { answer, to, cc } = await sentInPart('asked');
    await hurry(post, 'unknown');
    await become(answer, 'to sent', 'cc sent');
    expect(envelopes(answer)).to.deep.equal([[to], [cc]]);
    expect((await post.read(answer)).state).to.equal('sent');
    expect(await published(answer)).to.deep.equal([`email.sent ${to}`, `email.sent ${cc}`]);
  });

  it('reaches the cc that the relay deferred, and `to` once, when the mail was opened', async () => {
    const { answer, to, cc } = await sentInPart('opened');
    const { _id: messageId, projectId } = await post.read(answer);
    const { deps } = post.environment;
    const token = openToken(deps.config, { projectId, messageId });
    await post.environment.client(null).get(`/t/o/${token}.gif`);
    await become(answer, 'to sent', 'cc deferred');
    expect(await published(answer)).to.deep.equal([`email.sent ${to}`]);
    await hurry(post, 'unknown');
    await become(answer, 'to sent', 'cc sent');
    expect(envelopes(answer)).to.deep.equal([[to], [cc]]);
  });

  it('is reported to webhooks once, as the answer would have been, when the relay says that it has the mail', async () => {
    const to = 'drop-after-dot+single@in.test';
    const answer = await post.send({ to: { email: to } });
    await post.settled(answer, 'unknown');
    expect(await published(answer)).to.deep.equal([]);
    await hurry(post, 'unknown');
    await post.settled(answer, 'sent');
    expect(await published(answer)).to.deep.equal([`email.sent ${to}`]);
  });

  it('is reported to webhooks when a report says that it was delivered', async () => {
    const to = 'drop-after-dot+reported@in.test';
    const answer = await post.send({ to: { email: to } });
    await post.settled(answer, 'unknown');
    const { _id: messageId, projectId } = await post.read(answer);
    const report = { recipient: to, action: 'delivered', code: 250, enhanced: '2.0.0', text: '' } as const;
    for (let i = 0; i < 2; i += 1) await applyReports(post.environment.deps, { projectId, messageId }, [report]);
    expect((await post.read(answer)).state).to.equal('sent');
    expect(await published(answer)).to.deep.equal([`email.sent ${to}`]);
  });

  it('is reported to webhooks when its process was killed after the dot, and another one settles it', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const answer = await post.send({ to: { email: 'killed@in.test' }, scheduledAt });
    const { _id, projectId } = await post.read(answer);
    const { messages } = post.environment.deps.db;
    known.add(answer.body.data.emailId);
    const [claimedAt, dueAt] = [new Date(Date.now() - 40_000), new Date(Date.now() - 10_000)];
    const lost = { state: 'committing', owner: 'gone', claim: 1, claimedAt, dueAt } as const;
    await messages.updateOne({ _id, projectId }, { $set: lost });
    await post.settled(answer, 'sent');
    expect(envelopes(answer)).to.deep.equal([]);
    expect(await published(answer)).to.deep.equal(['email.sent killed@in.test']);
  });
});

describe('A turn of the mail queue', () => {
  const { stage, hands } = useHands();

  it('sends the mails that it has claimed although it cannot settle another one', async () => {
    const { deps, own } = stage;
    const projectId = own.project._id;
    await made(own.client, '/webhooks', { url: 'https://hooks.example.com/', events: ['email.sent'] });
    const mail = { from: { email: SENDER }, subject: 'Hello', text: 'Hello' };
    const send = (email: string) => made(own.client, '/mails/send', { ...mail, to: { email } });
    const lost = new ObjectId((await send('lost@in.test')).emailId as string);
    const open = new ObjectId((await send('open@in.test')).emailId as string);
    const gone = { state: 'committing', owner: 'gone', claim: 1, dueAt: new Date(Date.now() - 100_000) } as const;
    await deps.db.messages.updateOne({ _id: lost, projectId }, { $set: gone });
    const parts = {
      ...{ evidence: { isKnown: true, accepted: async () => true }, log: { ...deps.log, warn() {} } },
      db: withoutEvents(deps.db),
    };
    const sending = { ...hands.sending, deps: { ...hands.sending.deps, ...parts } };
    const { runs } = await new MailQueue(sending, 'transactional').take(projectId, 10);
    await Promise.all(runs.map((run) => run()));
    const stateOf = async (_id: ObjectId) => (await deps.db.messages.findOne({ _id, projectId }))?.state;
    expect([await stateOf(open), await stateOf(lost)]).to.deep.equal(['sent', 'committing']);
  });
});

function withoutEvents(db: Deps['db']): Deps['db'] {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'webhooks' || name === 'projectEvents') throw new Error('events cannot be stored');
      return Reflect.get(target, name);
    },
  });
}
