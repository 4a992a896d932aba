import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { BSON, MongoNetworkTimeoutError, ObjectId } from 'mongodb';
import { LINK_MS } from '../../../core/accounts/sign-in/links.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import type { Client, Reply } from '../../support/client.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { type Sink, startSink } from '../../support/mail/smtp-sink.ts';
import { until } from '../../support/wait.ts';
import { consoleHeaders, headersWith } from '../signed-in.ts';
import { type Arrived, arrivedFor, CONSOLE_FROM, makeMember, startSignInMails } from './support.ts';

describe('Signing in', () => {
  let sink: Sink;
  let environment: Environment;
  let mails: { stop(): Promise<void> };
  let browser: Client;

  before(async () => {
    sink = await startSink();
    environment = await startEnvironment({ CONSOLE_FROM, TRUSTED_PROXIES: '1' });
    mails = startSignInMails(environment, sink);
  });
  after(async () => {
    await mails.stop();
    await environment.stop();
    await sink.close();
  });
  /** Each test is a client of its own, and limits do not reach from one into the next. */
  beforeEach(() => {
    browser = fromAddress(`198.51.100.${++clients}`);
  });

  let clients = 0;
  const fromAddress = (ip: string) =>
    environment.client(null, { ...consoleHeaders(environment), 'X-Forwarded-For': ip });

  const withCookie = (token: string) => environment.client(null, headersWith(environment, token));

  let people = 0;
  async function newPerson(): Promise<string> {
    const email = `person${++people}@example.net`;
    await makeMember(environment, environment.own, email);
    return email;
  }

  async function mailFor(email: string, count = 1): Promise<Arrived> {
    const arrived = await until(
      () => arrivedFor(sink, email),
      (found) => found.length >= count,
    );
    return arrived[count - 1] as Arrived;
  }

  async function linkFor(email: string): Promise<Arrived> {
    const { status, text } = await browser.post('/session/links', { email });
    expect(status, text).to.equal(202);
    return mailFor(email);
  }

  function cookieOf({ headers }: Reply): string {
    const [pair = ''] = (headers.get('set-cookie') ?? '').split(';');
    return pair.slice(pair.indexOf('=') + 1);
  }

  const press = (token: string, headers: Record<string, string> = {}, by = browser) =>
    by.send('POST', `/sign-in/${token}`, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });

  it('takes a link by mail, a page with a button, and leads to the console with a cookie', async () => {
    const email = await newPerson();
    const { url, token, mail, from, to } = await linkFor(email);
    expect({ from, to, subject: mail.subject }).to.deep.equal({
      from: CONSOLE_FROM,
      to: [email],
      subject: 'Sign in to Everpost',
    });
    expect(url).to.equal(`${environment.url}/sign-in/${token}`);
    const page = await browser.get(`/sign-in/${token}`);
    expect(page.status).to.equal(200);
    expect(page.text).to.contain(email).and.to.contain('<form method="post" action="">');
    expect(page.text).to.not.contain('<script');
    expect(page.headers.get('set-cookie')).to.equal(null);
    const pressed = await press(token);
    expect([pressed.status, pressed.headers.get('location')]).to.deep.equal([303, '/console']);
    expect(pressed.headers.get('set-cookie')).to.match(
      /^everpost=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    const session = await withCookie(cookieOf(pressed)).get('/session');
    expect(session.status).to.equal(200);
    const { organization, project } = environment.own;
    expect(session.body.data.email).to.equal(email);
    expect(session.body.data.organizations).to.have.length(1);
    const [own] = session.body.data.organizations;
    expect(own).to.deep.include({
      id: organization._id.toHexString(),
      name: organization.name,
      role: 'owner',
      projects: [{ id: project._id.toHexString(), name: project.name }],
    });
    expect(own.operations).to.include('members.create').and.to.not.include('public.picture');
  });

  it('is the same through the interface: POST /session answers with the session and its cookie', async () => {
    const email = await newPerson();
    const { token } = await linkFor(email);
    const created = await browser.post('/session', { token });
    expect(created.status, created.text).to.equal(201);
    expect(created.body.data.email).to.equal(email);
    expect(created.text).to.not.contain(cookieOf(created));
    const { status } = await withCookie(cookieOf(created)).get('/contacts', {
      'x-project-id': environment.own.project._id.toHexString(),
    });
    expect(status).to.equal(200);
  });

  it('shows what is allowed: another role has other operations, and each organization its own', async () => {
    const email = await newPerson();
    await makeMember(environment, environment.other, email, 'viewer');
    const created = await browser.post('/session', { token: (await linkFor(email)).token });
    const roles = created.body.data.organizations.map(({ role }: { role: string }) => role);
    expect(roles).to.deep.equal(['owner', 'viewer']);
    expect(created.body.data.organizations[1].operations)
      .to.include('contacts.list')
      .and.to.not.include('members.list');
  });

  describe('A link', () => {
    it('changes nothing when it is opened, however often and by whatever method that only reads', async () => {
      const { token } = await linkFor(await newPerson());
      for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS']) {
        const opened = await browser.send(method, `/sign-in/${token}`);
        expect(opened.headers.get('set-cookie')).to.equal(null);
      }
      expect((await press(token)).status).to.equal(303);
    });

    it('works once; afterwards, and for any other token, page and button say that it does not work', async () => {
      const { token } = await linkFor(await newPerson());
      expect((await press(token)).status).to.equal(303);
      const never = 'A'.repeat(43);
      const [used, unknown] = [await browser.get(`/sign-in/${token}`), await browser.get(`/sign-in/${never}`)];
      expect([used.status, unknown.status]).to.deep.equal([404, 404]);
      expect(used.text).to.equal(unknown.text);
      expect((await press(token)).status).to.equal(404);
      const [again, random] = [
        await browser.post('/session', { token }),
        await browser.post('/session', { token: 'x' }),
      ];
      expect([again.status, again.text]).to.deep.equal([401, random.text]);
    });

    it('works again when its session could not be written', async () => {
      const { token } = await linkFor(await newPerson());
      const { memberSessions } = environment.deps.db;
      const { insertOne } = memberSessions;
      memberSessions.insertOne = () => Promise.reject(new MongoNetworkTimeoutError('cut off after the link was used'));
      try {
        expect((await press(token)).status).to.equal(503);
      } finally {
        memberSessions.insertOne = insertOne;
      }
      expect((await press(token)).status).to.equal(303);
    });

    it('signs one of twenty in that race for it', async () => {
      const { token } = await linkFor(await newPerson());
      const racers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? press(token) : browser.post('/session', { token }))),
      );
      const winners = racers.filter(({ status }) => status === 303 || status === 201);
      expect(winners).to.have.length(1);
      expect(racers.filter(({ headers }) => headers.get('set-cookie') !== null)).to.deep.equal(winners);
    });

    it('expires after 15 minutes', async () => {
      const [early, late] = [await linkFor(await newPerson()), await linkFor(await newPerson())];
      try {
        environment.clock.advance(LINK_MS - 60_000);
        expect((await press(early.token)).status).to.equal(303);
        environment.clock.advance(60_000);
        expect((await press(late.token)).status).to.equal(404);
        expect((await browser.post('/session', { token: late.token })).status).to.equal(401);
      } finally {
        environment.clock.set(new Date());
      }
    });

    it('does not work for a person who is no member any more', async () => {
      const { deps, own } = environment;
      const email = await newPerson();
      const { token } = await linkFor(email);
      await deps.db.members.deleteOne({ organizationId: own.organization._id, email });
      expect((await press(token)).status).to.equal(404);
    });

    it('keeps its token out of Referer, caches and frames, and the Origin in the form', async () => {
      const { token } = await linkFor(await newPerson());
      const { headers } = await browser.get(`/sign-in/${token}`);
      expect(headers.get('referrer-policy')).to.equal('strict-origin');
      expect(headers.get('cache-control')).to.equal('no-store');
      expect(headers.get('content-security-policy'))
        .to.contain("default-src 'none'")
        .and.contain("frame-ancestors 'none'");
    });
  });

  describe('A new session', () => {
    it('has a new id, whatever cookie the browser had: one of an attacker does not become the person’s', async () => {
      const attacker = 'B'.repeat(43);
      const first = await press((await linkFor(await newPerson())).token, { Cookie: `everpost=${attacker}` });
      expect(cookieOf(first)).to.not.equal(attacker);
      expect((await withCookie(attacker).get('/session')).status).to.equal(401);
    });

    it('ends the one that the browser had', async () => {
      const old = cookieOf(await press((await linkFor(await newPerson())).token));
      expect((await withCookie(old).get('/session')).status).to.equal(200);
      const next = cookieOf(await press((await linkFor(await newPerson())).token, { Cookie: `everpost=${old}` }));
      // It is remembered until the announcement has come back from Redis.
      await until(
        () => withCookie(old).get('/session'),
        ({ status }) => status === 401,
      );
      expect((await withCookie(next).get('/session')).status).to.equal(200);
    });

    it('is stored as a hash', async () => {
      const cookie = cookieOf(await press((await linkFor(await newPerson())).token));
      const sessions = await environment.deps.db.memberSessions.find().toArray();
      const stored = Buffer.concat(sessions.map((session) => BSON.serialize(session)));
      const hash = createHash('sha256').update(cookie).digest();
      expect([
        stored.includes(hash),
        stored.includes(cookie),
        stored.includes(Buffer.from(cookie, 'base64url')),
      ]).to.deep.equal([true, false, false]);
    });
  });

  describe('Asking for a link', () => {
    it('has the same answer for a known and an unknown address, byte by byte', async () => {
      const [known, unknown] = [
        await browser.post('/session/links', { email: await newPerson() }),
        await browser.post('/session/links', { email: 'stranger@example.net' }),
      ];
      expect([known.status, known.text]).to.deep.equal([unknown.status, unknown.text]);
      const names = ({ headers }: Reply) => [...headers.keys()].toSorted();
      expect(names(known)).to.deep.equal(names(unknown));
      await until(
        () => environment.deps.db.signInLinks.countDocuments({ sealed: { $exists: true } }),
        (count) => count === 0,
      );
      expect(await arrivedFor(sink, 'stranger@example.net')).to.deep.equal([]);
    });

    it('asks the database the same for both, so that the time says nothing', async () => {
      const known = await newPerson();
      const [ofKnown, ofUnknown] = [await commandsOf(known), await commandsOf('nobody@example.net')];
      expect(ofKnown).to.deep.equal(ofUnknown);
      expect(ofKnown.filter((command) => command.startsWith('find members'))).to.deep.equal([]);
      expect(ofKnown).to.include('insert signInLinks');
    });

    it('takes the same time for both', async () => {
      const rounds = 25;
      const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
      await mails.stop();
      try {
        for (let round = 0; round < rounds; round += 1) {
          times.known.push(await timeOf(await newPerson()));
          times.unknown.push(await timeOf(`unknown${round}@example.net`));
        }
      } finally {
        mails = startSignInMails(environment, sink);
      }
      // Other work on the machine only adds to a time.
      const [known, unknown] = [Math.min(...times.known), Math.min(...times.unknown)];
      expect(Math.max(known, unknown), `${known} ms and ${unknown} ms`).to.be.below(3 * Math.min(known, unknown) + 10);
    });

    it('is refused for what is no address, and nothing is stored', async () => {
      const createdAt = { $gte: environment.clock.now() };
      for (const body of [{}, { email: 'nobody' }, { email: 5 }, { email: null }, { email: 'a@b@c' }, []]) {
        const { status, body: answer } = await browser.post('/session/links', body);
        expect([status, answer.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      }
      for (const body of [{}, { token: 5 }, { token: '' }, { token: 'x'.repeat(1_000) }])
        expect((await browser.post('/session', body)).status).to.equal(400);
      expect(await environment.deps.db.signInLinks.countDocuments({ createdAt })).to.equal(0);
    });

    it('is allowed five times an hour for an address, known or not, in whatever spelling', async () => {
      for (const email of [await newPerson(), 'often@example.net']) {
        const others = Array.from({ length: 6 }, () => fromAddress(`203.0.113.${++clients}`));
        const replies = [];
        for (const other of others) replies.push(await other.post('/session/links', { email: email.toUpperCase() }));
        expect(replies.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202, 202, 429]);
        const { headers, body } = replies[5] as Reply;
        expect(body.error.code).to.equal('RATE_LIMIT_EXCEEDED');
        expect(Number(headers.get('retry-after'))).to.be.within(3_500, 3_600);
      }
      try {
        environment.clock.advance(3_601_000);
        expect((await browser.post('/session/links', { email: 'often@example.net' })).status).to.equal(202);
      } finally {
        environment.clock.set(new Date());
      }
    });

    it('is allowed twenty times an hour for a client, all at once included, and not for its network of IPv6', async () => {
      const ask = (ip: string, index: number) =>
        fromAddress(ip).post('/session/links', { email: `many${index}@example.net` });
      const replies = await Promise.all(Array.from({ length: 25 }, (_, index) => ask('203.0.113.250', index)));
      expect(replies.filter(({ status }) => status === 202)).to.have.length(20);
      expect(replies.filter(({ status }) => status === 429)).to.have.length(5);
      for (let index = 0; index < 20; index += 1) await ask(`2001:db8:0:1::${index}`, 100 + index);
      expect((await ask('2001:db8:0:1:ffff::1', 130)).status).to.equal(429);
      expect((await ask('2001:db8:0:2::1', 131)).status).to.equal(202);
    });

    it('counts nothing for an address when its client is over the limit', async () => {
      const email = await newPerson();
      for (let index = 0; index < 20; index += 1)
        await browser.post('/session/links', { email: `x${index}@example.net` });
      for (let index = 0; index < 6; index += 1)
        expect((await browser.post('/session/links', { email })).status).to.equal(429);
      expect((await fromAddress('203.0.113.251').post('/session/links', { email })).status).to.equal(202);
    });

    it('stores neither address nor client with the counts', async () => {
      await fromAddress('203.0.113.252').post('/session/links', { email: 'counted@example.net' });
      const stored = JSON.stringify(await environment.deps.db.requestCounts.find().toArray());
      expect(stored).to.not.contain('counted').and.to.not.contain('203.0.113');
    });

    async function timeOf(email: string): Promise<number> {
      const client = fromAddress(`192.0.2.${++clients % 250}`);
      const began = performance.now();
      expect((await client.post('/session/links', { email })).status).to.equal(202);
      return performance.now() - began;
    }

    /** Of the request alone: the queue of mails is stopped for the time. */
    async function commandsOf(email: string): Promise<string[]> {
      await mails.stop();
      const { db } = environment.deps;
      const commands: string[] = [];
      const restore = Object.entries(db).map(([name, collection]) => {
        const own = ['find', 'findOne', 'findOneAndUpdate', 'insertOne', 'updateOne', 'countDocuments', 'aggregate'];
        const target = collection as unknown as Record<string, (...given: unknown[]) => unknown>;
        for (const method of own) {
          const original = target[method]!;
          target[method] = (...given) => {
            commands.push(`${method.replace('One', '')} ${name}`);
            return original.apply(target, given);
          };
        }
        return () => {
          for (const method of own) delete target[method];
        };
      });
      await browser.post('/session/links', { email });
      await sleep(50);
      for (const undo of restore) undo();
      mails = startSignInMails(environment, sink);
      return commands;
    }
  });

  describe('Its mail', () => {
    it('is text and a link in HTML, without tracking, answers or lists, and says how long the link works', async () => {
      const { mail, raw } = await linkFor(await newPerson());
      expect(mail.text).to.contain('within 15 minutes');
      expect(mail.html?.match(/<a href/g)).to.have.length(1);
      expect(raw).to.not.match(/\/t\/[oc]\/|List-Unsubscribe|Feedback-ID|<img/i);
      expect(raw).to.contain('Auto-Submitted: auto-generated');
    });

    it('is signed when a project has verified the domain of CONSOLE_FROM', async () => {
      expect((await linkFor(await newPerson())).raw).to.not.contain('DKIM-Signature');
      const { deps, own } = environment;
      await seedVerifiedDomain(deps, own.project, 'everpost.example.com', new ObjectId());
      expect((await linkFor(await newPerson())).raw).to.match(/^DKIM-Signature: [\s\S]*d=everpost\.example\.com/);
    });

    it('goes to a suppressed address too: the suppressions of a project are not about it', async () => {
      const email = await newPerson();
      const suppressed = await environment.own.client.post('/suppression-groups/emails/suppress', {
        emails: [email],
        isGlobal: true,
      });
      expect(suppressed.status, suppressed.text).to.equal(200);
      await linkFor(email);
    });
  });
});
