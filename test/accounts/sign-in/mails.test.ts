import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { BSON, ObjectId } from 'mongodb';
import { endpointTable } from '../../../api/http/table.ts';
import { CommandError } from '../../../cli/error.ts';
import { memberCommands } from '../../../cli/members.ts';
import { LINK_MS } from '../../../core/accounts/sign-in/links.ts';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { ConfigError, readConfig } from '../../../platform/config.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import { anyFreePort } from '../../../stack/ports.ts';
import type { Client, Reply } from '../../support/client.ts';
import { type Environment, startEnvironment } from '../../support/environment.ts';
import { type Sink, startSink } from '../../support/mail/smtp-sink.ts';
import { until } from '../../support/wait.ts';
import { startReceiver } from '../../support/webhook-receiver.ts';
import { admin, start } from '../processes.ts';
import { consoleHeaders, headersWith } from '../signed-in.ts';
import { type Arrived, arrivedFor, CONSOLE_FROM, makeMember, startSignInMails } from './support.ts';

const SECRET_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
/** Of a worker process, which has to start first. */
const SERVED_WITHIN_MS = 60_000;

describe('The mail with a sign-in link', function () {
  this.timeout(180_000);
  let sink: Sink;
  let environment: Environment;
  let browser: Client;
  let mails: { stop(): Promise<void> };

  before(async () => {
    sink = await startSink();
    environment = await startEnvironment({ CONSOLE_FROM, TRUSTED_PROXIES: '1' });
  });
  after(async () => {
    await environment.stop();
    await sink.close();
  });
  beforeEach(() => {
    mails = startSignInMails(environment, sink);
    browser = client();
  });
  afterEach(async () => {
    await mails.stop();
    environment.clock.set(new Date());
    Object.assign(sink.modes, { mailReply: null, ackDelayMs: 0 });
    await environment.deps.db.signInLinks.deleteMany({});
  });

  let clients = 0;
  const client = () =>
    environment.client(null, { ...consoleHeaders(environment), 'X-Forwarded-For': `198.51.100.${++clients}` });

  let people = 0;
  async function newPerson(name = 'person'): Promise<string> {
    const email = `${name}+${++people}@example.net`;
    await makeMember(environment, environment.own, email);
    return email;
  }
  const ask = async (email: string) => expect((await browser.post('/session/links', { email })).status).to.equal(202);
  const arrived = async (email: string, count = 1): Promise<Arrived> => {
    const all = await until(
      () => arrivedFor(sink, email),
      (found) => found.length >= count,
      { ms: SERVED_WITHIN_MS },
    );
    return all[count - 1] as Arrived;
  };
  const links = () => environment.deps.db.signInLinks;
  const outcome = () =>
    until(
      () => links().countDocuments({ dueAt: { $exists: true } }),
      (count) => count === 0,
      { ms: SERVED_WITHIN_MS },
    );
  const attempted = () =>
    until(
      () => links().countDocuments({ attempts: 1, dueAt: { $exists: true } }),
      (count) => count === 1,
      { ms: SERVED_WITHIN_MS },
    );
  /** Ends leases and waits, as the time would. */
  const hurry = () => links().updateMany({ dueAt: { $exists: true } }, [{ $set: { dueAt: '$$NOW' } }]);

  it('waits sealed for its outcome: address and token are nowhere in the database', async () => {
    await mails.stop();
    await ask('sealed@example.net');
    const [link] = await links().find().toArray();
    expect(link?.sealed?.keyId).to.equal('test');
    expect(link).to.not.have.property('email');
    expect(await collectionsWith(['sealed@example.net'])).to.deep.equal([]);
    mails = startSignInMails(environment, sink);
    await outcome();
    expect(await links().countDocuments()).to.equal(0);
  });

  it('leaves no content behind: after the outcome the link has the hash and its person alone', async () => {
    const email = await newPerson();
    await ask(email);
    const { token } = await arrived(email);
    await outcome();
    const [link] = await links().find().toArray();
    expect(link).to.have.all.keys('_id', 'projectId', 'hash', 'email', 'isLocal', 'createdAt', 'expiresAt');
    expect(
      await collectionsWith([token, Buffer.from(token).toString('base64'), Buffer.from(token).toString('hex')]),
    ).to.deep.equal([]);
  });

  it('is in no answer, webhook, stream, export, count, signal or collection of a project', async () => {
    const { own, deps } = environment;
    const receiver = await startReceiver(await anyFreePort());
    await seedVerifiedDomain(deps, own.project, 'everpost.example.com', new ObjectId());
    const every = { url: 'https://example.com/hook', events: ['email.sent', 'email.bounced', 'email.deferred'] };
    expect((await own.client.post('/webhooks', every)).status).to.equal(201);
    const stop = new AbortController();
    const headers = { Authorization: `Bearer ${own.projectKey}` };
    const stream = await fetch(`${environment.url}/v1/stream`, { headers, signal: stop.signal });
    let streamed = '';
    const reading = (async () => {
      for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>) streamed += Buffer.from(piece);
    })().catch(() => {});
    const redis = new Redis(deps.config.redisUrl);
    let signals = '';
    await redis.psubscribe('*');
    redis.on('pmessage', (_pattern, channel, message) => (signals += `${channel} ${message}\n`));

    const email = await newPerson('nowhere');
    const refused = await newPerson('perm-rcpt-550');
    for (const one of [email, refused]) await ask(one);
    const { token } = await arrived(email);
    await outcome();
    await sleep(300);
    stop.abort();
    await reading;
    await redis.quit();
    await receiver.stop();

    const traces = [email, refused, token, hashedWords(token)].flat();
    expect(traces.filter((trace) => streamed.includes(trace) || signals.includes(trace))).to.deep.equal([]);
    expect(streamed).to.not.contain('event: email');
    const found = await collectionsWith(traces);
    expect(found).to.have.members(['members', 'signInLinks']);
    for (const name of [
      'messages',
      'contents',
      'projectEvents',
      'webhookDeliveries',
      'reportCounts',
      'suppressions',
      'engagements',
    ] as const)
      expect(await deps.db[name].countDocuments(), name).to.equal(0);
    for (const [path, by] of [...readsOf(own.client), ...readsOf(environment.client(own.adminKey, projectOf(own)))]) {
      const { text } = await by.get(path);
      const isOfMembers = path.startsWith('/account/members');
      expect(
        traces.filter((trace) => text.includes(trace) && !(isOfMembers && trace.includes('@'))),
        path,
      ).to.deep.equal([]);
    }
  });

  it('is in no line of the log, not even at debug, nor is the session', async () => {
    const { log } = environment.deps;
    const silent = { ...log };
    let lines = '';
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      log[level] = (fields, message) => (lines += `${JSON.stringify(fields)} ${message}\n`);
    try {
      const email = await newPerson('unlogged');
      const bounced = await newPerson('perm-rcpt-550');
      for (const one of [email, bounced, 'stranger@example.net']) await ask(one);
      const { token } = await arrived(email);
      await outcome();
      expect((await browser.get(`/sign-in/${token}`)).status).to.equal(200);
      const pressed = await press(token);
      expect(pressed.status).to.equal(303);
      expect((await press(token)).status).to.equal(404);
      const cookie = /everpost=([\w-]+)/.exec(pressed.headers.get('set-cookie') ?? '')?.[1] ?? '';
      expect((await environment.client(null, headersWith(environment, cookie)).get('/session')).status).to.equal(200);
      expect(lines).to.contain('"/sign-in/{token}"').and.to.contain('a sign-in mail did not leave');
      for (const trace of [email, bounced, 'stranger', token, cookie]) expect(lines, trace).to.not.contain(trace);
    } finally {
      Object.assign(log, silent);
    }
  });

  describe('is not lost', () => {
    it('when no worker runs as the link is asked for', async () => {
      await mails.stop();
      const email = await newPerson();
      await ask(email);
      mails = startSignInMails(environment, sink);
      const { token } = await arrived(email);
      expect((await press(token)).status).to.equal(303);
    });

    it('when the worker is killed while it sends: it leaves again with the same Message-ID, and signs in once', async () => {
      await mails.stop();
      const email = await newPerson('slow-60s');
      const worker = () =>
        start(environment, 'workers/main.ts', SECRET_KEYS, { CONSOLE_FROM, SMTP_URL: sink.url, WORKER_LANES: 'mail' });
      const first = worker();
      expect(await first.began).to.equal('ready');
      await ask(email);
      const before = await arrived(email);
      first.kill();
      await first.ended;
      await hurry();
      const second = worker();
      const after = await arrived(email, 2);
      second.kill();
      await second.ended;
      expect(after.mail.messageId).to.equal(before.mail.messageId);
      expect(after.token).to.equal(before.token);
      expect((await press(before.token)).status).to.equal(303);
      expect((await press(after.token)).status).to.equal(404);
    });

    it('when the relay defers it, or loses the connection after the dot', async () => {
      const email = await newPerson();
      sink.modes.mailReply = '451 4.4.3 local error\r\n';
      await ask(email);
      await attempted();
      sink.modes.mailReply = null;
      await hurry();
      await arrived(email);
      const unsure = await newPerson('drop-after-dot');
      await ask(unsure);
      await arrived(unsure);
      await attempted();
      await hurry();
      const again = await arrived(unsure, 2);
      expect((await press(again.token)).status).to.equal(303);
    });

    it('when the relay is down', async () => {
      await sink.refuse();
      const email = await newPerson();
      await ask(email);
      await sleep(300);
      await sink.listen();
      await arrived(email);
    });
  });

  describe('is not sent', () => {
    it('when its link has expired, and nothing of it stays', async () => {
      await mails.stop();
      const email = await newPerson();
      await ask(email);
      environment.clock.advance(LINK_MS);
      mails = startSignInMails(environment, sink);
      await outcome();
      expect(await arrivedFor(sink, email)).to.deep.equal([]);
      expect(await links().countDocuments()).to.equal(0);
    });

    it('when the link expires while it waits for the relay: no final dot is written', async () => {
      await mails.stop();
      const email = await newPerson();
      await ask(email);
      mails = startSignInMails(environment, sink, { onAcquire: () => environment.clock.advance(LINK_MS) });
      await attempted();
      await hurry();
      await outcome();
      expect(await arrivedFor(sink, email)).to.deep.equal([]);
      expect(await links().countDocuments()).to.equal(0);
    });

    it('a second time when the relay has refused the address, and the address is not suppressed anywhere', async () => {
      const email = await newPerson('perm-rcpt-550');
      await ask(email);
      await outcome();
      expect(await arrivedFor(sink, email)).to.deep.equal([]);
      expect(await environment.deps.db.suppressions.countDocuments({ email })).to.equal(0);
    });

    it('to a person who was removed after the link was asked for', async () => {
      await mails.stop();
      const email = await newPerson();
      await ask(email);
      await environment.deps.db.members.deleteOne({ organizationId: environment.own.organization._id, email });
      mails = startSignInMails(environment, sink);
      await outcome();
      expect(await arrivedFor(sink, email)).to.deep.equal([]);
    });
  });

  describe('npm run admin -- members link', () => {
    it('prints a link that works once, for a member alone', async () => {
      const email = await newPerson();
      const { code, output } = await admin(environment, SECRET_KEYS, 'members', 'link', email.toUpperCase());
      expect(code, output).to.equal(0);
      const token = output.trim().slice(output.lastIndexOf('/') + 1);
      expect((await press(token)).status).to.equal(303);
      expect((await press(token)).status).to.equal(404);
      const link = memberCommands['members link'];
      const refused = await link.run(environment.deps, ['stranger@example.net']).catch((error: Error) => error);
      expect(refused).to.be.instanceOf(CommandError);
      expect(await links().countDocuments()).to.equal(0);
    });
  });

  const press = (token: string) =>
    browser.send('POST', `/sign-in/${token}`, { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });

  /** Names of collections in which one of the words is, in whatever field. */
  async function collectionsWith(words: string[]): Promise<string[]> {
    const { mongo, config } = environment.deps;
    const database = mongo.db(config.mongodbDatabase);
    const found: string[] = [];
    for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      const documents = await database.collection(name).find().toArray();
      const bytes = Buffer.concat(documents.map((document) => BSON.serialize(document)));
      if (words.some((word) => bytes.includes(word))) found.push(name);
    }
    return found;
  }

  function hashedWords(token: string): string[] {
    return [Buffer.from(token).toString('base64'), Buffer.from(token).toString('hex')];
  }

  const projectOf = ({ project }: Environment['own']) => ({ 'x-project-id': project._id.toHexString() });

  /** Every list and export of the interface, by this client. */
  function readsOf(by: Client): [string, Client][] {
    const reads = endpointTable(createMetrics()).filter(
      ({ method, key, path, events }) => method === 'get' && key !== 'none' && !path.includes('{') && !events,
    );
    return reads.map(({ path }) => [path, by]);
  }
});

describe('Without CONSOLE_FROM', () => {
  it('the answer is the same, nothing is stored, and a line of the log says what to do, without the address', async () => {
    const environment = await startEnvironment();
    const lines: string[] = [];
    const { warn } = environment.deps.log;
    environment.deps.log.warn = (fields, message) => lines.push(`${JSON.stringify(fields)} ${message}`);
    try {
      await makeMember(environment, environment.own, 'person@example.net');
      const browser = environment.client(null, consoleHeaders(environment));
      const replies: Reply[] = [];
      for (const email of ['person@example.net', 'stranger@example.net'])
        replies.push(await browser.post('/session/links', { email }));
      expect(replies.map(({ status, text }) => [status, text])).to.deep.equal(
        replies.map(() => [202, replies[0]?.text]),
      );
      expect(await environment.deps.db.signInLinks.countDocuments()).to.equal(0);
      expect(lines).to.have.length(2);
      expect(lines[0]).to.equal(lines[1]);
      expect(lines[0]).to.contain('npm run admin -- members link EMAIL').and.to.not.contain('example.net');
    } finally {
      environment.deps.log.warn = warn;
      await environment.stop();
    }
  });
});

describe('CONSOLE_FROM', () => {
  it('is one address, in its normal form, or nothing; a process does not start with anything else', () => {
    expect(readConfig({ CONSOLE_FROM: ' Console@Example.COM' }).consoleFrom).to.equal('console@example.com');
    expect(readConfig({}).consoleFrom).to.equal('');
    for (const CONSOLE_FROM of ['nobody', 'Everpost <console@example.com>', 'a@example.com, b@example.com'])
      expect(() => readConfig({ CONSOLE_FROM })).to.throw(ConfigError, 'CONSOLE_FROM must be an email address');
  });
});
