import { expect } from 'chai';
import type { Budgets, BudgetUse } from '../../core/base/limits/budgets.ts';
import type { Connection, Lane } from '../../core/mail/ledger/relay.ts';
import { parseRelayUrls } from '../../platform/smtp/relay-url.ts';
import { until } from '../support/wait.ts';
import { closeRelays, deliver, sendOn, startRelay, startRelays, take } from './support.ts';

/** Shares that a test sets by hand. */
function handedOut(amounts: Record<string, number> = {}) {
  const uses: BudgetUse[] = [];
  const asked: string[] = [];
  const amountOf = ({ name, amount }: BudgetUse) => amounts[name] ?? amount;
  const budgets: Budgets = {
    join(use) {
      uses.push(use);
      return { amount: () => amountOf(use), ask: () => void asked.push(use.name) };
    },
    states: () => [],
  };
  const set = (name: string, amount: number) => {
    amounts[name] = amount;
    for (const use of uses) if (use.name === name) use.onShare();
  };
  return { budgets, uses, asked, set, use: (name: string) => uses.find((one) => one.name === name)! };
}

const ROUTE = 'connections default';

describe('the limits of a relay', () => {
  afterEach(closeRelays);

  it('a smaller share: as many connections as are too many leave after their mail, and unused ones are closed', async () => {
    const { budgets, set, use } = handedOut();
    const { mailer, sink } = await startRelay({}, { budgets, connectionsMax: 8, lanes: ['campaign'] });
    const held: Connection[] = [];
    while (held.length < 6) held.push(await take(mailer));
    held.pop()!.release();
    expect(use(ROUTE).inUse()).to.equal(6);
    set(ROUTE, 2);
    expect(mailer.free('campaign')).to.equal(0);
    expect(held.map((one) => one.isPreferred())).to.deep.equal([false, false, false, true, true]);
    expect(
      held.map((one) => one.isPreferred()),
      'asked again',
    ).to.deep.equal([false, false, false, true, true]);
    for (const one of held.splice(0, 3)) one.release();
    await until(
      async () => sink.connectionsOpen(),
      (open) => open === 2,
      { everyMs: 5 },
    );
    await until(
      async () => use(ROUTE).inUse(),
      (open) => open === 2,
      { everyMs: 5 },
    );
    for (const one of held) await sendOn(one, 'a@in.test');
    expect(held.map((one) => one.isPreferred())).to.deep.equal([true, true]);
  });

  it('without a share mail waits and the process asks; a share serves what waits, transactional mail first', async () => {
    const { budgets, set, use, asked } = handedOut({ [ROUTE]: 0 });
    const { mailer } = await startRelay({}, { budgets, connectionsMax: 8 });
    expect([use(ROUTE).wanted(), mailer.free('campaign'), mailer.limit('campaign')]).to.deep.equal([0, 0, 0]);
    const served: Lane[] = [];
    const wait = async (lane: Lane) => {
      const { connection } = await mailer.acquire(lane);
      served.push(lane);
      return connection!;
    };
    const campaign = wait('campaign');
    expect(use(ROUTE).isUrgent()).to.equal(false);
    const transactional = wait('transactional');
    expect([use(ROUTE).isUrgent(), use(ROUTE).wanted()]).to.deep.equal([true, 8]);
    expect(asked).to.include(ROUTE);
    set(ROUTE, 1);
    (await transactional).release();
    (await campaign).release();
    expect(served).to.deep.equal(['transactional', 'campaign']);
  });

  it('nothing is kept for lanes that another process serves', async () => {
    const { mailer } = await startRelay({}, { connectionsMax: 20, lanes: ['campaign'] });
    expect(mailer.free('campaign')).to.equal(20);
    const all = await startRelay({}, { connectionsMax: 20 });
    expect(all.mailer.free('campaign')).to.equal(14);
  });

  it('a rate holds for all connections; a mail that is not sent costs nothing', async () => {
    const { budgets, uses } = handedOut();
    let stoppedAt: number | null = performance.now();
    const now = () => stoppedAt ?? performance.now();
    const { mailer, sinks } = await startRelays(['rate=20'], { budgets, now });
    const first = await take(mailer);
    expect(mailer.free('campaign')).to.equal(0);
    first.release();
    expect(mailer.free('campaign')).to.equal(1);
    const second = await take(mailer);
    await sendOn(second, 'a@in.test');
    expect(second.isPreferred(), 'its next mail is too early').to.equal(false);
    stoppedAt += 100;
    expect(second.isPreferred(), 'later').to.equal(true);
    second.release();
    stoppedAt = null;
    const began = performance.now();
    await Promise.all(Array.from({ length: 11 }, (_, index) => deliver(mailer, `a${index}@in.test`)));
    expect(sinks[0]!.ledger.total).to.equal(12);
    expect(performance.now() - began).to.be.above(500);
    expect(uses.map(({ name }) => name)).to.deep.equal([ROUTE, `rate default 127.0.0.1:${sinks[0]!.port}`]);
  });

  it('a rate that allows the next mail at any moment of asking is seen', async () => {
    const { budgets } = handedOut();
    let atMs = 0;
    let asked = Number.NEGATIVE_INFINITY;
    const ONE_MORE_MS = 1_000;
    const now = () => {
      asked -= 1;
      if (asked === 0) atMs += ONE_MORE_MS;
      return atMs;
    };
    const { mailer, sinks } = await startRelays(['rate=20'], { budgets, now });
    let sent = 0;
    const send = async () => {
      await deliver(mailer, 'a@in.test');
      sent += 1;
    };
    for (let moment = 1; moment <= 20; moment += 1) {
      // Nothing is left of the rate, until it is asked for so many times.
      while (mailer.free('campaign') > 0) await send();
      asked = moment;
      const before = sent;
      void send();
      await until(
        async () => sent,
        (all) => all > before,
        { ms: 5_000, everyMs: 5 },
      );
    }
    expect(sinks[0]!.ledger.total).to.equal(sent);
  });

  it('a connection of a campaign is released for transactional mail that waits for the rate', async () => {
    let stoppedAt: number | null = performance.now();
    const { mailer } = await startRelays(['rate=5'], { now: () => stoppedAt ?? performance.now() });
    const campaign = await take(mailer);
    await sendOn(campaign, 'a@in.test');
    const waiting = mailer.acquire('transactional');
    expect(campaign.isPreferred()).to.equal(false);
    campaign.release();
    stoppedAt = null;
    const { connection } = await waiting;
    expect(connection).to.not.equal(null);
  });

  it('one of several relays keeps to its own number of connections, and the others take the rest', async () => {
    const { mailer } = await startRelays(['connections=2', 'weight=1'], { connectionsMax: 10, lanes: ['campaign'] });
    for (let count = 0; count < 10; count++) await take(mailer);
    expect(mailer.free('campaign')).to.equal(0);
    expect(mailer.states().map(({ connectionsInUse }) => connectionsInUse)).to.deep.equal([2, 8]);
  });

  it('are read from its URL', () => {
    const [relay] = parseRelayUrls('smtp://a.test?connections=20&rate=5000');
    expect(relay).to.include({ connections: 20, rate: 5_000 });
    expect(parseRelayUrls('smtp://a.test')[0]).to.include({ connections: null, rate: null });
    for (const bad of ['connections=0', 'connections=1.5', 'rate=0', 'rate=100001', 'rate=-1', 'rate='])
      expect(() => parseRelayUrls(`smtp://u:secret@a.test?${bad}`), bad).to.throw(
        /^The SMTP URL needs a whole number from 1 to 100000 as its (connections|rate)\.$/,
      );
  });
});
