import { expect } from 'chai';
import { until } from '../support/wait.ts';
import { type Post, startPost } from './support.ts';

/** 4 MB of attachments in memory several times over: the budget of 32 MB less 16 for small mail takes one at a time. */
const LARGE_BYTES = 4_000_000;
const LARGE_MAILS = 24;

describe('Mails with large attachments', function () {
  this.timeout(120_000);
  let post: Post;
  before(async () => {
    post = await startPost({ env: { COMPOSE_MEMORY_MB: '32', SMTP_MAX_CONNECTIONS: '10' }, sink: { ackDelayMs: 100 } });
  });
  after(() => post.stop());

  const largeBulk = () =>
    post.bulk({
      recipients: Array.from({ length: LARGE_MAILS }, (_, index) => ({ email: `large${index}@in.test` })),
      attachments: [{ fileName: 'large.bin', content: Buffer.alloc(LARGE_BYTES, 7).toString('base64') }],
    });
  const arrivedTo = (start: string) => post.sink.ledger.messages.filter(({ to }) => to[0]?.startsWith(start)).length;

  it('never hold up small mail of the same lane, and arrive once each', async () => {
    expect((await largeBulk()).status).to.equal(200);
    expect(await post.sink.ledger.wait(1, 30_000)).to.equal(true);
    const recipients = Array.from({ length: 20 }, (_, index) => ({ email: `small${index}@in.test` }));
    await post.bulk({ recipients });
    const before = arrivedTo('large');
    await until(
      async () => arrivedTo('small'),
      (arrived) => arrived === recipients.length,
      { ms: 30_000, everyMs: 5 },
    );
    expect(arrivedTo('large'), 'with the last small one').to.be.lessThan(LARGE_MAILS);
    expect(arrivedTo('large') - before, 'large ones before the last small one').to.be.lessThan(LARGE_MAILS / 2);
    await post.sink.ledger.wait(LARGE_MAILS + recipients.length, 60_000);
    expect([arrivedTo('large'), arrivedTo('small')]).to.deep.equal([LARGE_MAILS, recipients.length]);
    expect([...post.sink.ledger.counts.values()].every((times) => times === 1)).to.equal(true);
  });
});
