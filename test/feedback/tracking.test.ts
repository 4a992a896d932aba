import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { trackingRoutes } from '../../api/routes/mail/tracking.ts';
import { openCore } from '../../core/base/deps.ts';
import { refreshCounts } from '../../core/campaigns/numbers/counts.ts';
import { listen } from '../../core/events/listeners.ts';
import { clickToken, openToken } from '../../core/mail/compose/tokens.ts';
import { BUFFERED_MAX, bufferedSignals, bufferSignal, drainSignals } from '../../core/mail/feedback/buffer.ts';
import { writeSignals } from '../../core/mail/feedback/engagements.ts';
import { recomputeOpens } from '../../core/mail/feedback/recompute-opens.ts';
import type { Client } from '../support/client.ts';
import { type Environment, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import {
  BROWSER,
  bareCampaign,
  engagementOf,
  engagementWith,
  refOf,
  sentMessage,
  serveRoutes,
  storedMessage,
  timelineOf,
} from './support.ts';

const GMAIL_PREFETCHER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0';
const TARGET = 'https://shop.example.com/a%2Fb?x=1&y=%C3%BC#part';

describe('Opens and clicks', () => {
  const environment = useEnvironment({ PUBLIC_RATE_LIMIT: '100000' });
  let visitor: Client;
  before(async () => {
    visitor = environment.client(null, { 'User-Agent': BROWSER });
  });

  const pixel = (ref: { projectId: ObjectId; messageId: ObjectId }) =>
    `/t/o/${openToken(environment.deps.config, ref)}.gif`;
  const link = (ref: { projectId: ObjectId; messageId: ObjectId }, target = TARGET) =>
    `/t/c/${clickToken(environment.deps.config, ref, target)}`;

  it('An open by a person counts as opened and as humanOpened, once, with a line in the timeline.', async () => {
    const campaign = await bareCampaign(environment, environment.own);
    const message = await sentMessage(environment, environment.own, { campaignId: campaign._id });
    for (let i = 0; i < 50; i += 1) expect((await visitor.get(pixel(refOf(message)))).status).to.equal(200);
    const found = await until(
      () => engagementOf(environment, message),
      (one) => one?.openCount === 50,
    );
    expect(found?.humanOpenedAt).to.be.instanceOf(Date);
    expect(found?.opens).to.have.length(20);
    const counts = await refreshCounts(environment.deps, campaign);
    expect([counts.opened, counts.humanOpened, counts.clicked]).to.deep.equal([1, 1, 0]);
    const opened = (await timelineOf(environment, message, 1)).filter(({ type }) => type === 'opened');
    expect(opened).to.have.length(1);
    expect(opened[0]?.automated).to.equal(false);
  });

  for (const broken of ['messages', 'projectEvents', 'engagements'] as const)
    it(`An open whose write breaks off at ${broken} has its line, its event and its count after the repeat, each once.`, async () => {
      const { deps, own } = environment;
      await listen(deps, own.project._id);
      const message = await sentMessage(environment, own);
      const open = { kind: 'open', at: new Date(), agent: BROWSER, purpose: '', method: 'GET' } as const;
      const signals = [{ ...refOf(message), ...open }];
      const failed = await writeSignals(failingAt(broken), signals).catch((error) => error);
      expect(failed).to.be.instanceOf(Broken);
      await writeSignals(deps, signals);
      const opened = (await timelineOf(environment, message, 1)).filter(({ type }) => type === 'opened');
      expect(opened).to.have.length(1);
      const events = await deps.db.projectEvents.find({ projectId: own.project._id, type: 'email.opened' }).toArray();
      const ofMail = events.filter(({ data }) => data.emailId === message._id.toHexString());
      expect(ofMail).to.have.length(1);
      expect((await engagementOf(environment, message))?.humanOpenedAt).to.be.instanceOf(Date);
    });

  it('Opens that are written with the first one of another mail count once when two processes write that one at the same time.', async () => {
    const { deps, own, other } = environment;
    const { engagements } = deps.db;
    const [contested, written] = [await sentMessage(environment, own), await sentMessage(environment, own)];
    // Until the first write has ended it is in the way, as a document that is being inserted.
    const inTheWay = { _id: contested._id, projectId: other.project._id };
    await engagements.insertOne(inTheWay);
    const meeting = new Proxy(engagements, {
      get(collection, key) {
        const value = Reflect.get(collection, key);
        if (key !== 'bulkWrite') return typeof value === 'function' ? value.bind(collection) : value;
        return (...args: Parameters<typeof engagements.bulkWrite>) =>
          collection.bulkWrite(...args).finally(() => engagements.deleteOne(inTheWay));
      },
    });
    const open = { kind: 'open', at: new Date(), agent: BROWSER, purpose: '', method: 'GET' } as const;
    const signals = [contested, written].map((message) => ({ ...refOf(message), ...open }));
    // As the buffer does.
    await writeSignals({ ...deps, db: { ...deps.db, engagements: meeting } }, signals).catch(() =>
      writeSignals(deps, signals),
    );
    for (const message of [contested, written])
      expect((await engagementOf(environment, message))?.openCount).to.equal(1);
  });

  class Broken extends Error {}

  /** Writes to that collection fail; reads do not. */
  function failingAt(name: 'messages' | 'projectEvents' | 'engagements'): Environment['deps'] {
    const fail = async () => {
      throw new Broken();
    };
    const failing = new Proxy(environment.deps.db[name] as object, {
      get(collection, key) {
        if (key === 'bulkWrite' || key === 'insertMany') return fail;
        const value = Reflect.get(collection, key);
        return typeof value === 'function' ? value.bind(collection) : value;
      },
    });
    return { ...environment.deps, db: { ...environment.deps.db, [name]: failing } };
  }

  const machines: Array<[string, string, Record<string, string>]> = [
    ['HEAD', 'HEAD', {}],
    ['a prefetch', 'GET', { 'Sec-Purpose': 'prefetch' }],
    ['a known scanner', 'GET', { 'User-Agent': 'Barracuda Sentinel (EE)' }],
    ["Gmail's prefetcher", 'GET', { 'User-Agent': GMAIL_PREFETCHER }],
    ['mailbox privacy', 'GET', { 'User-Agent': 'Mozilla/5.0' }],
    ['a program without a name', 'GET', { 'User-Agent': '' }],
  ];
  for (const [name, method, headers] of machines)
    it(`An open by ${name} counts as opened and not as humanOpened.`, async () => {
      const message = await sentMessage(environment, environment.own);
      await visitor.send(method, pixel(refOf(message)), { headers });
      const found = await engagementWith(environment, message, 'openedAt');
      expect(found?.humanOpenedAt).to.equal(undefined);
    });

  for (const [name, agent] of [
    ['a browser', BROWSER],
    [
      "Gmail's picture proxy",
      'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
    ],
    ["Yahoo's picture proxy", 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
    ['a browser whose name begins as that of mailbox privacy', 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0)'],
  ] as const)
    it(`An open by ${name} within five seconds of delivery is a machine; one a second later is a person.`, async () => {
      const { clock } = environment;
      const { now } = clock;
      const at = now();
      const ago = (ms: number) => sentMessage(environment, environment.own, { sentAt: new Date(at.getTime() - ms) });
      const [soon, later] = [await ago(3_000), await ago(6_000)];
      clock.now = () => at;
      try {
        for (const message of [soon, later])
          await visitor.send('GET', pixel(refOf(message)), { headers: { 'User-Agent': agent } });
      } finally {
        clock.now = now;
      }
      expect((await engagementWith(environment, soon, 'openedAt'))?.humanOpenedAt).to.equal(undefined);
      expect((await engagementWith(environment, later, 'openedAt'))?.humanOpenedAt).to.be.instanceOf(Date);
    });

  it('The event of a click says whether a machine did it: a scanner, or anybody within five seconds of delivery.', async () => {
    const tenant = await environment.newTenant('Clicked');
    const hook = { url: 'https://hooks.example.com/clicks', events: ['email.clicked'] };
    expect((await tenant.client.post('/webhooks', hook)).status).to.equal(201);
    const at = environment.deps.clock.now();
    const ago = (ms: number) => sentMessage(environment, tenant, { sentAt: new Date(at.getTime() - ms) });
    const clicks = [
      { message: await ago(60_000), agent: BROWSER, automated: false },
      { message: await ago(60_000), agent: 'Barracuda Sentinel (EE)', automated: true },
      { message: await ago(-60_000), agent: BROWSER, automated: true },
    ];
    for (const { message, agent, automated } of clicks) {
      await visitor.send('GET', link(refOf(message)), { headers: { 'User-Agent': agent } });
      const filter = { projectId: tenant.project._id, 'data.emailId': message._id.toHexString() };
      const event = await until(
        () => environment.deps.db.projectEvents.findOne(filter),
        (found) => found !== null,
      );
      expect(event?.data, agent).to.include({ automated, userAgent: agent });
    }
  });

  it('A person who opens after a machine counts as humanOpened from then on.', async () => {
    const message = await sentMessage(environment, environment.own);
    await visitor.send('HEAD', pixel(refOf(message)));
    await engagementWith(environment, message, 'openedAt');
    await visitor.get(pixel(refOf(message)));
    await engagementWith(environment, message, 'humanOpenedAt');
    const timeline = await timelineOf(environment, message, 2);
    expect(timeline.map(({ automated }) => automated)).to.deep.equal([true, false]);
  });

  it('The verdict is made again from the evidence when the rules change.', async () => {
    const at = environment.deps.clock.now();
    const message = await sentMessage(environment, environment.own, { sentAt: new Date(at.getTime() - 60_000) });
    await visitor.get(pixel(refOf(message)));
    await engagementWith(environment, message, 'humanOpenedAt');
    const { deps } = environment;
    const stricter = { ...deps, config: { ...deps.config, automatedOpenSeconds: 120 } };
    expect((await recomputeOpens(stricter, { projectId: message.projectId })).changed).to.be.greaterThan(0);
    expect((await engagementOf(environment, message))?.humanOpenedAt).to.equal(undefined);
    await recomputeOpens(deps, { projectId: message.projectId });
    expect((await engagementOf(environment, message))?.humanOpenedAt).to.be.instanceOf(Date);
  });

  it('A pixel that is not ours is still a picture, and counts nothing.', async () => {
    const message = await sentMessage(environment, environment.own);
    const path = pixel(refOf(message));
    const reply = await visitor.get(`${path.slice(0, -5)}${path.at(-5) === 'A' ? 'B' : 'A'}.gif`);
    expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([200, 'image/gif']);
    await drainOnce();
    expect(await engagementOf(environment, message)).to.equal(null);
  });

  it('A click is answered 302 with Location alone, whatever the parameters say.', async () => {
    const message = await sentMessage(environment, environment.own);
    const reply = await visitor.get(`${link(refOf(message))}?url=https%3A%2F%2Fevil.example`);
    expect([reply.status, reply.text]).to.deep.equal([302, '']);
    expect(reply.headers.get('location')).to.equal(TARGET);
    expect(reply.headers.get('referrer-policy')).to.equal('no-referrer');
    expect(reply.headers.get('cache-control')).to.equal('no-store');
    expect(reply.headers.get('x-robots-tag')).to.equal('noindex');
    await visitor.get(link(refOf(message)));
    const found = await until(
      () => engagementOf(environment, message),
      (one) => one?.clickCount === 2,
    );
    expect(found?.clicks).to.have.length(1);
    expect(found?.openedAt).to.equal(undefined);
    const lines = await timelineOf(environment, message, 1);
    expect(lines.map(({ type, url }) => [type, url])).to.deep.equal([['clicked', TARGET]]);
  });

  it('A target beyond ASCII is percent-encoded for the header, and kept as it is where it is ASCII.', async () => {
    const message = await sentMessage(environment, environment.own);
    const link = clickToken(environment.deps.config, refOf(message), 'https://shop.example.com/grün/日本?q=%2F&x=a+b');
    const reply = await visitor.get(`/t/c/${link}`);
    expect(reply.headers.get('location')).to.equal('https://shop.example.com/gr%C3%BCn/%E6%97%A5%E6%9C%AC?q=%2F&x=a+b');
  });

  it('Other methods, and too many requests from one address, are refused as elsewhere: 405 with Allow, 429.', async () => {
    const { deps } = environment;
    const limited = await serveRoutes({ ...deps, config: { ...deps.config, publicRateLimit: 3 } }, trackingRoutes);
    try {
      const path = pixel(refOf(await sentMessage(environment, environment.own)));
      const posted = await limited.visitor.send('POST', path);
      expect([posted.status, posted.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
      const statuses: number[] = [];
      // Twice the limit, for a minute may turn in the middle of the run.
      for (let i = 0; i < 7; i += 1) statuses.push((await limited.visitor.get(path)).status);
      expect(statuses).to.include(200).and.to.include(429);
    } finally {
      await limited.stop();
    }
  });

  it('A click token that was changed, cut or made long leads to a page and nowhere else.', async () => {
    const path = link(refOf(await sentMessage(environment, environment.own)));
    const token = path.slice('/t/c/'.length);
    const flip = (at: number) => `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    const bad = [flip(0), flip(40), flip(token.length - 1), token.slice(0, -1), token.slice(0, 20), 'A'.repeat(10_000)];
    for (const one of [...bad, '..%2f..%2f', `${token}=`]) {
      const reply = await visitor.get(`/t/c/${one}`);
      expect([reply.status, reply.headers.get('location')], one.slice(0, 60)).to.deep.equal([404, null]);
    }
  });

  for (const target of ['javascript:alert(1)', 'data:text/html,x', '//evil', 'https://a\\@b', 'https://a/\r\nX: y'])
    it(`A signed target ${JSON.stringify(target)} is not followed either.`, async () => {
      const reply = await visitor.get(link({ projectId: new ObjectId(), messageId: new ObjectId() }, target));
      expect([reply.status, reply.headers.get('location')]).to.deep.equal([404, null]);
    });

  it("Another project's ids in a token signed for this one change nothing there.", async () => {
    const theirs = await sentMessage(environment, environment.other);
    await visitor.get(pixel({ projectId: environment.own.project._id, messageId: theirs._id }));
    await drainOnce();
    expect(await engagementOf(environment, theirs)).to.equal(null);
  });

  it('User agents are cut to 256 characters.', async () => {
    const message = await sentMessage(environment, environment.own);
    await visitor.get(pixel(refOf(message)), { 'User-Agent': `<b>${'x'.repeat(9_000)}` });
    const found = await engagementWith(environment, message, 'openedAt');
    expect(found?.opens?.[0]?.agent).to.have.length(256);
  });

  it('An open proves that a mail of unknown outcome arrived.', async () => {
    const message = await sentMessage(environment, environment.own, { state: 'unknown' });
    await visitor.get(pixel(refOf(message)));
    const found = await until(
      () => storedMessage(environment, message),
      (one) => one?.state === 'sent',
    );
    expect(found?.sentAt).to.be.instanceOf(Date);
  });

  it('A click still redirects and a pixel is still served while MongoDB and Redis are down; they are recorded later, up to a bound.', async function () {
    this.timeout(120_000);
    const { deps } = environment;
    // A second process of the same installation, whose database is out of reach.
    const away = openCore({ ...deps, db: awayCollections(deps.db), log: { ...deps.log, warn() {} } });
    const other = await serveRoutes(away, trackingRoutes);
    try {
      const message = await sentMessage(environment, environment.own);
      const took: number[] = [];
      for (let i = 0; i < 20; i += 1) {
        const begun = performance.now();
        const opened = await other.visitor.get(`/t/o/${openToken(deps.config, refOf(message))}.gif`);
        const clicked = await other.visitor.get(`/t/c/${clickToken(deps.config, refOf(message), TARGET)}`);
        expect([opened.status, clicked.status, clicked.headers.get('location')]).to.deep.equal([200, 302, TARGET]);
        took.push(performance.now() - begun);
      }
      expect(Math.min(...took)).to.be.lessThan(50);
      expect(bufferedSignals(away).waiting).to.equal(40);
      for (let i = 0; i < BUFFERED_MAX; i += 1)
        bufferSignal(away, { kind: 'click', ...refOf(message), at: new Date(), url: TARGET, agent: BROWSER });
      expect(bufferedSignals(away)).to.deep.equal({ waiting: BUFFERED_MAX, dropped: 40 });
      bringBack(away.db);
      const found = await until(
        () => engagementOf(environment, message),
        (one) => one?.openCount === 20 && one.clickCount === BUFFERED_MAX - 20,
      );
      expect(found?.humanOpenedAt).to.be.instanceOf(Date);
    } finally {
      await drainSignals(away, 0);
      await other.stop();
    }
  });

  async function drainOnce(): Promise<void> {
    await until(
      async () => bufferedSignals(environment.deps).waiting,
      (waiting) => waiting === 0,
    );
  }
});

const isAway = new WeakMap<object, { away: boolean }>();

function awayCollections(db: Environment['deps']['db']): Environment['deps']['db'] {
  const state = { away: true };
  const proxy = new Proxy(db, {
    get(target, name) {
      if (state.away && name === 'messages') throw new Error('MongoDB is away');
      return Reflect.get(target, name);
    },
  });
  isAway.set(proxy, state);
  return proxy;
}

function bringBack(db: object): void {
  const state = isAway.get(db);
  if (state) state.away = false;
}
