import { expect } from 'chai';
import { PAUSE_FIRST_MS } from '../../core/mail/ledger/rules/breaker.ts';
import { judgeDelivery } from '../../core/mail/ledger/rules/judge-delivery.ts';
import { until } from '../support/wait.ts';
import { closeRelays, deliver, fiftyTimes, sendOn, startRelay, take } from './support.ts';

/** A fault opens the breaker, so fifty tries need fifty mailers. */
async function fiftyRelays(...[options, more]: Parameters<typeof startRelay>) {
  const faults: (string | number)[][] = [];
  await fiftyTimes(async () => {
    const { mailer } = await startRelay(options, more);
    const { fault } = await mailer.acquire('campaign');
    const [state] = mailer.states();
    faults.push([fault!.phase, fault!.reason, fault!.reply.code, state!.state]);
  });
  await closeRelays();
  expect(new Set(faults.map(String)).size).to.equal(1);
  return faults[0];
}

describe('a relay that does not let us in', () => {
  afterEach(closeRelays);

  it('a refused connection opens the breaker and counts against no recipient', async () => {
    await fiftyTimes(async () => {
      const { sink, mailer } = await startRelay();
      await sink.refuse();
      const { fault } = await mailer.acquire('campaign');
      expect([fault?.phase, fault?.reason]).to.deep.equal(['connect', 'refused']);
      expect(mailer.states()[0]?.state).to.equal('open');
    });
  });

  it('a greeting with 421 is the relay slowing us down', async () => {
    expect(await fiftyRelays({ greeting: '421 4.3.2 not now' })).to.deep.equal(['greeting', 'throttled', 421, 'open']);
  });

  it('a greeting with 554 says nothing about any recipient', async () => {
    expect(await fiftyRelays({ greeting: '554 5.7.1 go away' })).to.deep.equal(['greeting', 'rejected', 554, 'open']);
  });

  it('a relay that never greets is given up in time', async () => {
    expect(await fiftyRelays({ greeting: '' }, { timeouts: { greetingMs: 100 } })).to.deep.equal([
      'greeting',
      'timeout',
      0,
      'open',
    ]);
  });

  it('a refused password is a fault of the relay, no bounce', async () => {
    await fiftyTimes(async () => {
      const auth = { methods: 'PLAIN LOGIN', user: 'anna', password: 'right' };
      const { sink } = await startRelay({ auth });
      const { mailer } = await startRelay({}, { url: `smtp://anna:wrong@127.0.0.1:${sink.port}` });
      const { fault } = await mailer.acquire('campaign');
      expect([fault?.phase, fault?.reason, fault?.reply.code]).to.deep.equal(['greeting', 'auth', 535]);
      expect(mailer.states()[0]?.state).to.equal('open');
    });
  });

  it('MAIL answered with 421 on a new connection is the relay, and certainly nothing was delivered', async () => {
    await fiftyTimes(async () => {
      const { sink, mailer } = await startRelay({ mailReply: '421 4.7.0 try later\r\n' });
      const delivery = await deliver(mailer, 'a@in.test');
      expect([delivery.kind, delivery.phase, delivery.fault?.reason]).to.deep.equal(['relay', 'mail', 'throttled']);
      expect(mailer.states()[0]?.state).to.equal('open');
      expect(sink.ledger.total).to.equal(0);
    });
  });

  it('a rate text in a 4xx to MAIL is the relay, any other 451 is not', async () => {
    const { mailer } = await startRelay({ mailReply: '451 4.7.1 too many messages from you, slow down\r\n' });
    expect((await deliver(mailer, 'a@in.test')).kind).to.equal('relay');
    expect(mailer.states()[0]?.state).to.equal('open');
    const other = await startRelay({ mailReply: '451 4.1.8 the domain of the sender is not found now\r\n' });
    expect((await deliver(other.mailer, 'a@in.test')).kind).to.equal('answered');
    expect(other.mailer.states()[0]?.state).to.equal('closed');
  });

  it('a full disk in a 4xx to MAIL is the relay, and counts against no recipient', async () => {
    for (const said of ['452 4.3.1 Insufficient system storage', '452 Insufficient system storage', '451 4.3.0 busy']) {
      const { mailer } = await startRelay({ mailReply: `${said}\r\n` });
      const delivery = await deliver(mailer, 'a@in.test');
      const { kind, phase, fault } = delivery;
      expect([kind, phase, fault?.reason], said).to.deep.equal(['relay', 'mail', 'rejected']);
      const attempt = { deferrals: 0, elapsedMs: 0, jitter: 0, evidenceAfterMs: null };
      const judged = judgeDelivery({ ...attempt, lane: 'campaign', delivery, addresses: ['a@in.test'] });
      expect(judged).to.deep.equal({ outcome: { kind: 'back', delayMs: 5_000 }, bounces: [] });
      expect(mailer.states()[0]?.state).to.equal('open');
    }
    const atRecipient = await startRelay();
    const { kind } = await deliver(atRecipient.mailer, 'temp-rcpt-452-4.3.1@in.test');
    expect(kind).to.equal('answered');
  });

  it("421 after the dot is a certain no, and the relay's", async () => {
    const { sink, mailer } = await startRelay();
    const delivery = await deliver(mailer, 'after-dot-421@in.test');
    expect([delivery.kind, delivery.phase, delivery.answered]).to.deep.equal(['relay', 'dot', true]);
    expect(sink.ledger.total).to.equal(0);
  });

  it('MAIL answered with 530 is our own configuration', async () => {
    const { mailer } = await startRelay({ auth: { methods: 'PLAIN', user: 'anna', password: 'right' } });
    const delivery = await deliver(mailer, 'a@in.test');
    expect([delivery.kind, delivery.fault?.reason]).to.deep.equal(['relay', 'auth']);
  });

  it('a drop at MAIL on a new connection is the relay', async () => {
    const { mailer } = await startRelay({ closeAfter: 0 });
    const delivery = await deliver(mailer, 'a@in.test');
    expect([delivery.kind, delivery.phase, delivery.fault?.reason]).to.deep.equal(['relay', 'mail', 'closed']);
  });
});

describe('the breaker of a relay', () => {
  afterEach(closeRelays);

  it('hands out nothing while it is open, lets one through when the pause is over, and closes with the first answer', async () => {
    let time = 0;
    const { sink, mailer } = await startRelay({}, { now: () => time, wallClock: () => new Date(7) });
    await sink.refuse();
    await mailer.acquire('campaign');
    expect(mailer.free('campaign')).to.equal(0);
    expect(mailer.states()[0]).to.include({ state: 'open', faults: 1 });
    expect(mailer.states()[0]?.notAnsweringSince).to.deep.equal(new Date(7));
    expect((await mailer.acquire('transactional')).fault?.reason).to.equal('paused');

    await sink.listen();
    time += PAUSE_FIRST_MS;
    expect(mailer.states()[0]?.state).to.equal('half-open');
    expect(mailer.free('campaign')).to.equal(1);
    const trial = await take(mailer);
    expect(mailer.free('campaign')).to.equal(0);
    expect((await mailer.acquire('campaign')).fault?.reason).to.equal('paused');
    expect((await sendOn(trial, 'a@in.test')).recipients[0]?.accepted).to.equal(true);
    trial.release();
    expect(mailer.states()[0]).to.deep.include({ state: 'closed', notAnsweringSince: null, fault: null });
    expect(mailer.free('campaign')).to.be.above(1);
  });

  it('pauses longer each time the try fails, a minute at most', async () => {
    let time = 0;
    const { sink, mailer } = await startRelay({}, { now: () => time });
    await sink.refuse();
    const pauses: number[] = [];
    for (let tries = 0; tries < 10; tries++) {
      await mailer.acquire('campaign');
      pauses.push(mailer.states()[0]!.retryMs);
      time += mailer.states()[0]!.retryMs;
    }
    expect(pauses).to.deep.equal([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  for (const [how, closeAfterHello] of [
    ['without a word', ''],
    ['with 421', '421 4.3.2 going down\r\n'],
  ] as const)
    it(`a relay that closes every connection after EHLO (${how}) is down: it is dialled a few times, and then left alone`, async () => {
      const { sink, mailer } = await startRelay({ closeAfterHello });
      for (let tries = 0; tries < 20; tries += 1) {
        const { connection } = await mailer.acquire('campaign');
        if (!connection) continue;
        // The close arrives after the connection was handed out.
        await until(
          async () => mailer.states()[0]!.connectionsOpen,
          (open) => open === 0,
        );
        expect((await sendOn(connection, 'a@in.test')).fault?.reason).to.be.oneOf(['closed', 'paused']);
        connection.release();
      }
      expect(sink.ledger.connections).to.be.below(10);
      expect(mailer.states()[0]).to.include({ state: 'open' });
      sink.modes.closeAfterHello = null;
      await until(
        () => mailer.acquire('campaign'),
        ({ connection }) => {
          connection?.release();
          return connection !== null;
        },
      );
    });

  it('a relay that takes fewer connections than allowed is used with those it takes', async () => {
    const { sink, mailer } = await startRelay({ connectionsMax: 3 }, { connectionsMax: 10 });
    const connections = [await take(mailer), await take(mailer), await take(mailer)];
    const { fault } = await mailer.acquire('campaign');
    expect(fault?.reply.code).to.equal(421);
    expect(mailer.states()[0]).to.include({ state: 'closed', connectionsMax: 3 });
    expect(mailer.free('campaign')).to.equal(0);
    for (const connection of connections) expect((await sendOn(connection, 'a@in.test')).kind).to.equal('answered');
    for (const connection of connections) connection.release();
    expect(sink.ledger.total).to.equal(3);
  });

  it('callers that wait for a connection are refused at once when the relay goes down', async () => {
    const { sink, mailer } = await startRelay({}, { connectionsMax: 1 });
    const connection = await take(mailer);
    const waiting = mailer.acquire('campaign');
    await sink.refuse();
    const delivery = await sendOn(connection, 'a@in.test');
    expect(delivery.kind).to.equal('relay');
    expect((await waiting).fault?.reason).to.equal('paused');
  });
});
