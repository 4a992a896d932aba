import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { closeRelays, deliver, fiftyTimes, newMessage, sendOn, startRelay, take } from './support.ts';

const LONG = newMessage('A line of a message that is too long for one write.\r\n'.repeat(4_000));

describe('the guard before the dot', () => {
  afterEach(closeRelays);

  for (const message of [newMessage(), LONG]) {
    const size = message === LONG ? 'long' : 'short';

    it(`refusing leaves nothing accepted (${size} message)`, async () => {
      const { sink, mailer } = await startRelay();
      await fiftyTimes(async (index) => {
        const delivery = await deliver(mailer, `a+${index}@in.test`, { message, beforeDot: () => false });
        expect([delivery.kind, delivery.answered]).to.deep.equal(['fenced', false]);
        expect(delivery.recipients).to.deep.equal([{ accepted: false, code: 0, enhanced: null, text: '' }]);
      });
      await sleep(50);
      expect(sink.ledger.total).to.equal(0);
      expect(mailer.states()[0]).to.include({ state: 'closed', connectionsOpen: 0 });
    });

    it(`allowing lets every message through, asked once each (${size} message)`, async () => {
      const { sink, mailer } = await startRelay();
      let asked = 0;
      await fiftyTimes(async () => {
        expect((await deliver(mailer, 'a@in.test', { message, beforeDot: () => Boolean(++asked) })).kind).to.equal(
          'answered',
        );
      });
      expect(asked).to.equal(50);
      expect(sink.ledger.total).to.equal(50);
      expect(sink.ledger.badLines).to.equal(0);
    });
  }

  it('is not asked before the relay said 354, nor when it takes no recipient', async () => {
    const { mailer } = await startRelay();
    let asked = 0;
    const beforeDot = () => Boolean(++asked);
    for (const to of ['temp-rcpt-450@in.test', 'reject-data-451@in.test', 'drop-at-data@in.test'])
      await deliver(mailer, to, { beforeDot });
    expect(asked).to.equal(0);
  });

  it('learns whether the relay has refused a recipient', async () => {
    const { mailer } = await startRelay();
    const said: unknown[] = [];
    const beforeDot = (isInPart?: boolean) => said.push(isInPart) > 0;
    for (const message of [newMessage(), LONG])
      for (const second of ['b@in.test', 'temp-rcpt-450@in.test', 'perm-rcpt-550@in.test'])
        await deliver(mailer, ['a@in.test', second], { message, beforeDot });
    expect(said).to.deep.equal([false, true, true, false, true, true]);
  });

  it('a guard that throws has not allowed anything', async () => {
    const { sink, mailer } = await startRelay();
    const beforeDot = () => {
      throw new Error('lost the lease');
    };
    expect((await deliver(mailer, 'a@in.test', { beforeDot })).kind).to.equal('fenced');
    expect(sink.ledger.total).to.equal(0);
  });

  it('a message behind a fenced one goes out over a new connection, once', async () => {
    const { sink, mailer } = await startRelay();
    await fiftyTimes(async () => {
      const connection = await take(mailer);
      const first = sendOn(connection, 'a@in.test', { beforeDot: () => false });
      const second = sendOn(connection, 'b@in.test');
      expect((await first).kind).to.equal('fenced');
      expect((await second).recipients[0]?.accepted).to.equal(true);
      connection.release();
    });
    expect(sink.ledger.messages.every(({ to }) => to[0] === 'b@in.test')).to.equal(true);
    expect(sink.ledger.total).to.equal(50);
  });

  it('the next envelope travels behind the dot, and its own guard still decides', async () => {
    const { sink, mailer } = await startRelay({ ackDelayMs: 20 });
    const connection = await take(mailer);
    const order: string[] = [];
    const first = sendOn(connection, 'a@in.test', { beforeDot: () => order.push('first') > 0 });
    const second = sendOn(connection, 'b@in.test', { beforeDot: () => order.push('second') > 5 });
    expect((await first).kind).to.equal('answered');
    expect((await second).kind).to.equal('fenced');
    expect(order).to.deep.equal(['first', 'second']);
    expect(sink.ledger.messages.map(({ to }) => to[0])).to.deep.equal(['a@in.test']);
  });
});
