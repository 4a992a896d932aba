import { execFileSync, fork } from 'node:child_process';
import { expect } from 'chai';
import type { Connection } from '../../core/mail/ledger/relay.ts';
import { until } from '../support/wait.ts';
import { closeRelays, deliver, fiftyTimes, sendOn, startRelay, take } from './support.ts';

describe('connections to a relay', () => {
  afterEach(closeRelays);

  it('are used again, and closed when they are not needed for a while', async () => {
    const { sink, mailer } = await startRelay();
    await deliver(mailer, 'a@in.test');
    await deliver(mailer, 'b@in.test');
    expect(sink.ledger.connections).to.equal(1);
    expect(mailer.states()[0]).to.include({ connectionsOpen: 1, connectionsInUse: 0, delivered: 2 });
    const impatient = await startRelay({}, { idleMs: 50 });
    await deliver(impatient.mailer, 'a@in.test');
    await until(
      async () => [impatient.mailer.states()[0]?.connectionsOpen, impatient.sink.connectionsOpen()],
      ([ours, theirs]) => ours === 0 && theirs === 0,
    );
  });

  it('that the relay closes between two messages are replaced, and nothing is lost or sent twice', async () => {
    for (const closeAfter of [1, 3]) {
      const { sink, mailer } = await startRelay({ closeAfter });
      const connection = await take(mailer);
      for (let index = 0; index < 50; index++)
        expect((await sendOn(connection, `a+${index}@in.test`)).recipients[0]?.accepted).to.equal(true);
      connection.release();
      expect(sink.ledger.stats()).to.include({ messages: 50, duplicates: 0 });
      expect(mailer.states()[0]).to.include({ state: 'closed', faults: 0 });
    }
  });

  it('that end with 421 after 10 messages are replaced: that is housekeeping, no throttling', async () => {
    const { sink, mailer } = await startRelay({ sendAwayAfter: 10 });
    await fiftyTimes(async (index) => {
      expect((await deliver(mailer, `a+${index}@in.test`)).recipients[0]?.accepted).to.equal(true);
    });
    const connection = await take(mailer);
    const sends = Array.from({ length: 50 }, (_, index) => sendOn(connection, `b+${index}@in.test`));
    for (const delivery of await Promise.all(sends)) expect(delivery.recipients[0]?.accepted).to.equal(true);
    connection.release();
    expect(sink.ledger.stats()).to.include({ messages: 100, duplicates: 0 });
    expect(mailer.states()[0]).to.include({ state: 'closed', faults: 0 });
  });

  it('carry the next envelope behind the dot, each message once and in order', async () => {
    const { sink, mailer } = await startRelay();
    await fiftyTimes(async (index) => {
      const connection = await take(mailer);
      const to = ['a', 'b', 'perm-rcpt-550', 'c', 'temp-mail-451', 'd'].map((name) => `${name}+${index}@in.test`);
      const sends = to.map((address) => sendOn(connection, address, { from: address }));
      const codes = (await Promise.all(sends)).map(({ recipients }) => recipients[0]?.code);
      expect(codes).to.deep.equal([250, 250, 550, 250, 451, 250]);
      connection.release();
    });
    expect(sink.ledger.stats()).to.include({ messages: 200, duplicates: 0, protocolErrors: 0 });
    expect(sink.ledger.messages.every(({ from, to }) => from === to[0])).to.equal(true);
  });

  it('never exceed the limit, and each lane keeps its share', async () => {
    const { sink, mailer } = await startRelay({}, { connectionsMax: 20 });
    expect([mailer.free('transactional'), mailer.free('automation'), mailer.free('campaign')]).to.deep.equal([
      18, 16, 14,
    ]);
    const campaign: Connection[] = [];
    while (mailer.free('campaign') > 0) campaign.push(await take(mailer, 'campaign'));
    expect(campaign.length).to.equal(14);
    expect([mailer.free('transactional'), mailer.free('automation')]).to.deep.equal([4, 2]);
    const others: Connection[] = [];
    while (mailer.free('automation') > 0) others.push(await take(mailer, 'automation'));
    while (mailer.free('transactional') > 0) others.push(await take(mailer, 'transactional'));
    expect(others.length).to.equal(6);
    expect(sink.connectionsOpen()).to.equal(20);

    const waiting = mailer.acquire('campaign');
    others.pop()?.release();
    campaign.pop()?.release();
    const { connection } = await waiting;
    for (const one of [...campaign, ...others, connection!]) {
      expect((await sendOn(one, 'a@in.test')).kind).to.equal('answered');
      one.release();
    }
    expect(sink.ledger.connections).to.equal(20);
  });

  it('serve all who wait as soon as there is room for them', async () => {
    const { mailer } = await startRelay({}, { connectionsMax: 4 });
    const held = [await take(mailer), await take(mailer)];
    expect(mailer.free('campaign')).to.equal(0);
    const waiting = Array.from({ length: 6 }, () => mailer.acquire('campaign'));
    const served: number[] = [];
    for (const [index, one] of waiting.entries())
      one.then(({ connection }) => {
        served.push(index);
        connection?.release();
      });
    for (const connection of held) connection.release();
    await Promise.all(waiting);
    expect(served).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(mailer.states()[0]).to.include({ connectionsInUse: 0, connectionsOpen: 2 });
  });

  it('close: nothing more is handed out, connections in use may finish, and waiting callers are refused', async () => {
    const { sink, mailer } = await startRelay({ ackDelayMs: 100 }, { connectionsMax: 1 });
    const connection = await take(mailer);
    const sending = sendOn(connection, 'a@in.test').finally(() => connection.release());
    const waiting = mailer.acquire('campaign');
    await mailer.close(30_000);
    expect((await sending).recipients[0]?.accepted).to.equal(true);
    expect((await waiting).fault?.reason).to.equal('paused');
    expect((await mailer.acquire('transactional')).connection).to.equal(null);
    expect(mailer.states()[0]?.connectionsOpen).to.equal(0);
    expect(sink.ledger.total).to.equal(1);
  });

  it('close: what has not finished by then is unknown when its dot was written', async () => {
    const { sink, mailer } = await startRelay({ ackDelayMs: 60_000 });
    const sending = sendOn(await take(mailer), 'a@in.test');
    await until(
      async () => sink.ledger.total,
      (total) => total === 1,
    );
    await mailer.close(50);
    expect((await sending).kind).to.equal('unknown');
  });

  it('of the transactional lane go to a relay of its own when there is one', async () => {
    const { sink: other } = await startRelay();
    const { sink, mailer } = await startRelay({}, { transactionalUrl: other.url });
    await deliver(mailer, 'a@in.test', { lane: 'transactional' });
    await deliver(mailer, 'b@in.test', { lane: 'automation' });
    expect([other.ledger.total, sink.ledger.total]).to.deep.equal([1, 1]);
    await sink.refuse();
    await mailer.acquire('campaign');
    await mailer.acquire('campaign');
    expect(mailer.states().map(({ relay, state }) => [relay, state])).to.deep.equal([
      ['default', 'open'],
      ['transactional', 'closed'],
    ]);
    expect((await deliver(mailer, 'c@in.test', { lane: 'transactional' })).kind).to.equal('answered');
  });

  it('an answer that lay unread while this process stood still is read before the time is called over', async () => {
    const child = fork(new URL('../support/mail/smtp-sink.ts', import.meta.url), ['--port', '0', '--http', '0'], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const line = await new Promise<string>((resolve) => child.stdout!.once('data', (chunk) => resolve(String(chunk))));
    const ports: { smtp: number; http: number } = JSON.parse(line);
    const { mailer } = await startRelay({}, { url: `smtp://127.0.0.1:${ports.smtp}`, timeouts: { dotMs: 700 } });
    const ask = `fetch('http://127.0.0.1:${ports.http}/wait?n=1').then((reply) => reply.text()).then(console.log)`;
    let said = '';
    /** Until the relay has answered and the time is over. */
    const standStill = () => {
      const end = performance.now() + 1_500;
      said = execFileSync(process.execPath, ['-e', ask], { encoding: 'utf8' });
      while (performance.now() < end);
    };
    const beforeDot = () => {
      process.nextTick(standStill);
      return true;
    };
    expect((await deliver(mailer, 'a@in.test', { beforeDot })).kind).to.equal('answered');
    expect(JSON.parse(said)).to.include({ done: true, messages: 1, unique: 1 });
    child.disconnect();
  });
});
