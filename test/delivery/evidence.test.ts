// Promise: nothing is lost.
import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { openToken } from '../../core/mail/compose/tokens.ts';
import { anyFreePort } from '../../stack/ports.ts';
import type { Reply } from '../support/client.ts';
import { until } from '../support/wait.ts';
import { hurry, type Post, startPost } from './support.ts';

describe('A mail whose answer was lost', () => {
  let post: Post;
  let relay: Server;
  before(async () => {
    const port = await anyFreePort();
    relay = createServer(({ url = '' }, response) => {
      const id = new URL(url, 'http://relay').searchParams.get('id') ?? '';
      response.end(JSON.stringify({ accepted: post.sink.ledger.has(id) }));
    }).listen(port, '127.0.0.1');
    post = await startPost({ env: { SMTP_EVIDENCE_URL: `http://127.0.0.1:${port}/` } });
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
  });

  it('reaches the cc that the relay deferred, and `to` once, when the mail was opened', async () => {
    const { answer, to, cc } = await sentInPart('opened');
    const { _id: messageId, projectId } = await post.read(answer);
    const { deps } = post.environment;
    const token = openToken(deps.config, { projectId, messageId });
    await post.environment.client(null).get(`/t/o/${token}.gif`);
    await become(answer, 'to sent', 'cc deferred');
    await hurry(post, 'unknown');
    await become(answer, 'to sent', 'cc sent');
    expect(envelopes(answer)).to.deep.equal([[to], [cc]]);
  });
});
