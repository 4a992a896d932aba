import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Connection, Mailer } from '../../core/mail/ledger/relay.ts';
import type { Sink } from '../support/mail/smtp-sink.ts';
import { until } from '../support/wait.ts';
import { closeRelays, deliver, fiftyTimes, newMessage, sendOn, startRelays, take } from './support.ts';

const STAND_IN = ['priority=0', 'priority=1'];
const SHARED = ['weight=1', 'weight=1'];

describe('several relays', () => {
  afterEach(closeRelays);

  const totals = (sinks: Sink[]) => sinks.map(({ ledger }) => ledger.total);
  const hostOf = (sink: Sink) => `127.0.0.1:${sink.port}`;
  const inUse = (mailer: Mailer) => mailer.states().map(({ connectionsInUse }) => connectionsInUse);

  /** Offers it until a relay has answered, or may have it. */
  async function send(mailer: Mailer, to: string, message = newMessage()): Promise<'sent' | 'unknown'> {
    for (;;) {
      const { connection, ...refused } = await mailer.acquire('transactional');
      if (!connection) {
        await sleep('retryMs' in refused ? Math.max(5, refused.retryMs) : 5);
        continue;
      }
      const { kind } = await sendOn(connection, to, { message });
      connection.release();
      if (kind === 'answered') return 'sent';
      if (kind === 'unknown') return 'unknown';
    }
  }

  it('share single mails and held connections by weight', async () => {
    const { sinks, mailer } = await startRelays(['weight=3', 'weight=1']);
    for (let index = 0; index < 40; index++) await deliver(mailer, `a+${index}@in.test`);
    expect(totals(sinks)).to.deep.equal([30, 10]);
    const held: Connection[] = [];
    while (held.length < 12) held.push(await take(mailer));
    expect(inUse(mailer)).to.deep.equal([9, 3]);
    for (const connection of held) {
      expect(connection.isPreferred()).to.equal(true);
      connection.release();
    }
  });

  it('name themselves in deliveries; one alone does not', async () => {
    const { sinks, mailer } = await startRelays(STAND_IN);
    expect((await deliver(mailer, 'a@in.test')).relay).to.equal(hostOf(sinks[0]!));
    const { mailer: single } = await startRelays(['priority=0']);
    expect(await deliver(single, 'a@in.test')).to.not.have.property('relay');
    const twice = await startRelays(STAND_IN, {
      url: 'smtp://a:b@relay.test:25,smtp://c:d@relay.test:25,smtp://other.test',
    });
    const hosts = twice.mailer.states().map(({ host }) => host);
    expect(hosts).to.deep.equal(['relay.test:25', 'relay.test:25#2', 'other.test:25']);
  });

  it('of a higher number take mail only while the first is down, which has it back when it returns', async () => {
    const { sinks, mailer } = await startRelays(STAND_IN);
    const [first, second] = sinks as [Sink, Sink];
    for (let index = 0; index < 10; index++) await send(mailer, `a+${index}@in.test`);
    expect(totals(sinks)).to.deep.equal([10, 0]);
    await first.refuse();
    for (let index = 0; index < 10; index++) await send(mailer, `b+${index}@in.test`);
    expect(totals(sinks)).to.deep.equal([10, 10]);
    expect(mailer.states().map(({ state }) => state === 'closed')).to.deep.equal([false, true]);
    expect(mailer.outage('campaign')).to.equal(null);
    await first.listen();
    await until(
      async () => {
        await send(mailer, 'c@in.test');
        return first.ledger.total;
      },
      (total) => total > 10,
    );
    expect(mailer.states().map(({ state }) => state)).to.deep.equal(['closed', 'closed']);
    const before = second.ledger.total;
    for (let index = 0; index < 10; index++) await send(mailer, `d+${index}@in.test`);
    expect(second.ledger.total).to.equal(before);
  });

  it('lose no mail and send none twice when each of them goes down under load and returns', async () => {
    const { sinks, mailer } = await startRelays(SHARED, { sink: { ackDelayMs: 8 } });
    const results = new Map<string, 'sent' | 'unknown'>();
    let number = 0;
    const sendAll = async () => {
      while (number < 4_000) {
        const index = number++;
        const message = `Message-ID: <${index}@load.test>\r\nSubject: Load\r\n\r\nHello\r\n`;
        results.set(`<${index}@load.test>`, await send(mailer, `a+${index}@in.test`, `X-A: b\r\n${message}`));
      }
    };
    const disturb = async () => {
      for (const [index, sink] of sinks.entries()) {
        await until(
          async () => number,
          (count) => count > 800 + index * 1_600,
          { everyMs: 1 },
        );
        await sink.refuse();
        await sleep(100);
        await sink.listen();
        const before = sink.ledger.total;
        await until(
          async () => sink.ledger.total,
          (total) => total > before || number >= 4_000,
          { everyMs: 5 },
        );
      }
    };
    await Promise.all([disturb(), ...Array.from({ length: 16 }, sendAll)]);
    const times = (id: string) => sinks.reduce((sum, { ledger }) => sum + (ledger.counts.get(id) ?? 0), 0);
    const [sent, unknown] = (['sent', 'unknown'] as const).map((kind) =>
      [...results].filter(([, result]) => result === kind).map(([id]) => id),
    ) as [string[], string[]];
    expect(results.size).to.equal(4_000);
    expect(sent.filter((id) => times(id) !== 1)).to.deep.equal([]);
    expect(unknown.filter((id) => times(id) > 1)).to.deep.equal([]);
    expect(unknown.length, 'one for each connection that was cut').to.be.at.most(32);
    expect(Math.min(...totals(sinks))).to.be.above(400);
  });

  it('a mail whose dot got no answer goes to no other relay', async () => {
    const { sinks, mailer } = await startRelays(STAND_IN);
    const [first, second] = sinks as [Sink, Sink];
    await fiftyTimes(async (index) => {
      const delivery = await deliver(mailer, `${index % 2 ? 'drop' : 'lose'}-after-dot+${index}@in.test`);
      expect([delivery.kind, delivery.relay]).to.deep.equal(['unknown', hostOf(first)]);
    });
    expect([first.ledger.total, first.ledger.duplicates, second.ledger.connections]).to.deep.equal([25, 0, 0]);
    expect(mailer.states()[0]).to.include({ state: 'closed', faults: 0 });
  });

  it('a relay that is slow holds its share of the connections, and the others take the rest of the mail', async () => {
    const { sinks, mailer } = await startRelays(SHARED, { connectionsMax: 8 });
    const held = Promise.withResolvers<void>();
    sinks[0]!.modes.later = held.promise;
    const sends = Array.from({ length: 60 }, (_, index) => send(mailer, `answer-later+${index}@in.test`));
    await until(
      async () => sinks[1]!.ledger.total,
      (total) => total >= 50,
    );
    expect(inUse(mailer)[0]).to.equal(4);
    held.resolve();
    await Promise.all(sends);
    expect(totals(sinks).reduce((sum, total) => sum + total)).to.equal(60);
  });

  it('a relay that takes fewer connections leaves its share to the others', async () => {
    const { sinks, mailer } = await startRelays(SHARED, { connectionsMax: 20 });
    sinks[0]!.modes.connectionsMax = 2;
    const held: Connection[] = [];
    while (mailer.free('campaign') > 0) {
      const { connection } = await mailer.acquire('campaign');
      if (connection) held.push(connection);
    }
    expect(inUse(mailer)).to.deep.equal([2, 12]);
    expect(mailer.states().map(({ state }) => state)).to.deep.equal(['closed', 'closed']);
    for (const connection of held) connection.release();
  });

  it('held connections return to a relay that answers again: one mail tries it before the others follow', async () => {
    const { sinks, mailer } = await startRelays(STAND_IN);
    const [first, second] = sinks as [Sink, Sink];
    await first.refuse();
    const held = [await take(mailer), await take(mailer), await take(mailer)];
    expect(inUse(mailer)).to.deep.equal([0, 3]);
    expect(held.every((connection) => connection.isPreferred())).to.equal(true);
    await first.listen();
    await until(
      async () => held[0]!.isPreferred(),
      (isPreferred) => !isPreferred,
    );
    held.shift()!.release();
    const trial = await take(mailer);
    expect(inUse(mailer)).to.deep.equal([1, 2]);
    expect(
      held.every((connection) => connection.isPreferred()),
      'while it is tried',
    ).to.equal(true);
    expect((await sendOn(trial, 'a@in.test')).relay).to.equal(hostOf(first));
    expect(
      held.some((connection) => connection.isPreferred()),
      'when it has answered',
    ).to.equal(false);
    for (const connection of [...held, trial]) connection.release();
    await deliver(mailer, 'b@in.test');
    expect([first.ledger.total, second.ledger.total]).to.deep.equal([2, 0]);
  });

  it('a relay of a higher number that returns while it is not needed counts as answering again', async () => {
    const { sinks, mailer } = await startRelays(STAND_IN);
    const [first, second] = sinks as [Sink, Sink];
    await second.refuse();
    await first.refuse();
    await mailer.acquire('campaign');
    expect(mailer.states().map(({ state }) => state === 'closed')).to.deep.equal([false, false]);
    await first.listen();
    await send(mailer, 'a@in.test');
    expect(mailer.states().map(({ state }) => state === 'closed')).to.deep.equal([true, false]);
    await second.listen();
    await until(
      async () => mailer.states().map(({ state }) => state),
      (states) => states.every((state) => state === 'closed'),
    );
    expect(second.ledger.total).to.equal(0);
  });

  it('share the connections: never more than allowed, whichever relay they go to', async () => {
    const { sinks, mailer } = await startRelays(SHARED, { connectionsMax: 4 });
    const first = sinks[0]!;
    const open = () => mailer.states().reduce((sum, { connectionsOpen }) => sum + connectionsOpen, 0);
    const sendSome = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => send(mailer, `a+${index}@in.test`)));
    await sendSome(40);
    expect(open()).to.be.at.most(4);
    await first.refuse();
    await sendSome(40);
    // A connection that is dialled when no more mail waits is open a moment later.
    await until(
      async () => mailer.states().map(({ connectionsOpen }) => connectionsOpen),
      ([ofFirst, ofSecond]) => ofFirst === 0 && ofSecond === 4,
    );
    await first.listen();
    let most = 0;
    await until(
      async () => {
        await sendSome(8);
        most = Math.max(most, open());
        return first.ledger.total;
      },
      (total) => total > 40,
      { everyMs: 5 },
    );
    expect(most, 'one more while it is dialled').to.be.at.most(5);
    await until(
      async () => open(),
      (connections) => connections <= 4,
    );
  });

  it('are an outage when none of them answers, since the last one went down', async () => {
    let day = 0;
    let stoppedAt: number | null = performance.now();
    const now = () => stoppedAt ?? performance.now();
    const { sinks, mailer } = await startRelays(STAND_IN, { now, wallClock: () => new Date(day++) });
    for (const sink of sinks) await sink.refuse();
    const refused = await mailer.acquire('campaign');
    expect(refused.fault?.reason).to.equal('refused');
    const outage = mailer.outage('campaign')!;
    expect(outage.since).to.deep.equal(new Date(1));
    expect(outage.retryMs).to.be.within(1, 500);
    expect(outage.fault?.reason).to.equal('refused');
    expect([(await mailer.acquire('transactional')).fault?.reason, mailer.free('campaign')]).to.deep.equal([
      'paused',
      0,
    ]);
    stoppedAt = null;
    await sinks[1]!.listen();
    await send(mailer, 'a@in.test');
    expect(mailer.outage('campaign')).to.equal(null);
    expect(totals(sinks)).to.deep.equal([0, 1]);
  });

  it('no mail waits for a relay that is down and accepts no connection', async () => {
    const { sinks, mailer } = await startRelays(STAND_IN);
    const [first, second] = sinks as [Sink, Sink];
    await first.refuse();
    await send(mailer, 'a@in.test');
    first.modes.greeting = '';
    await first.listen();
    let slowest = 0;
    for (let sinceDialled = 0; sinceDialled < 50; sinceDialled += first.ledger.connections > 0 ? 1 : 0) {
      const asked = performance.now();
      await send(mailer, 'b@in.test');
      slowest = Math.max(slowest, performance.now() - asked);
      await sleep(10);
    }
    expect(slowest, 'no mail has waited for its greeting').to.be.below(15_000);
    expect(second.ledger.duplicates).to.equal(0);
  });
});
