import { expect } from 'chai';
import { type App, createApp } from '../../../api/app.ts';
import { endpointTable } from '../../../api/http/table.ts';
import { createLink } from '../../../core/accounts/sign-in/links.ts';
import { SESSION_MS } from '../../../core/accounts/sign-in/sessions.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import { createRateLimiter } from '../../../platform/redis/rate-limit.ts';
import { createStreamSlots } from '../../../platform/redis/stream-slots.ts';
import { type Client, createClient, type Reply } from '../../support/client.ts';
import { useEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { admin } from '../processes.ts';
import { consoleHeaders, headersWith, type SignedIn, newSession as sessionOf } from '../signed-in.ts';
import { makeMember } from './support.ts';

/** Two seconds of memory and one between the looks at streams; the rest is for a machine that is busy. */
const STOPS_WITHIN_MS = 15_000;

type Session = Omit<SignedIn, 'member'>;

describe('Sessions', () => {
  const environment = useEnvironment({ RATE_LIMIT: '400' });
  let people = 0;

  async function newPerson(): Promise<string> {
    const email = `person${++people}@example.net`;
    await makeMember(environment, environment.own, email);
    return email;
  }
  const newSession = async (): Promise<Session> => sessionOf(environment, environment.own, await newPerson());
  const inProject = () => ({ 'x-project-id': environment.own.project._id.toHexString() });
  const ended = (client: Client) =>
    until(
      () => client.get('/session'),
      ({ status }) => status === 401,
      { ms: STOPS_WITHIN_MS },
    );

  it('last for 30 days, whatever is done with them', async () => {
    const { client } = await newSession();
    try {
      environment.clock.advance(SESSION_MS - 60_000);
      expect((await client.get('/session')).status).to.equal(200);
      environment.clock.advance(60_000);
      expect((await ended(client)).body.error.code).to.equal('UNAUTHORIZED');
    } finally {
      environment.clock.set(new Date());
    }
  });

  it('end when the person signs out, and the cookie goes with them', async () => {
    const { client } = await newSession();
    const { status, headers } = await client.delete('/session');
    expect(status).to.equal(200);
    expect(headers.get('set-cookie')).to.equal('everpost=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    await ended(client);
  });

  it('are listed to their person, the newest first, with browser and times, and without their tokens', async () => {
    const email = await newPerson();
    const [first, second] = [
      await sessionOf(environment, environment.own, email),
      await sessionOf(environment, environment.own, email),
    ];
    await newSession();
    const { body, text } = await first.client.get('/account/sessions');
    expect(body.data.sessions.map(({ id, current }: { id: string; current: boolean }) => [id, current])).to.deep.equal([
      [second.sessionId, false],
      [first.sessionId, true],
    ]);
    expect(body.data.sessions[0]).to.include({ userAgent: 'a test' });
    expect(body.data.pagination.total).to.equal(2);
    for (const { token } of [first, second]) expect(text).to.not.contain(token);
  });

  it('are ended one by one: the other stays', async () => {
    const email = await newPerson();
    const [first, second] = [
      await sessionOf(environment, environment.own, email),
      await sessionOf(environment, environment.own, email),
    ];
    expect((await first.client.delete(`/account/sessions/${second.sessionId}`)).status).to.equal(200);
    await ended(second.client);
    expect((await first.client.get('/session')).status).to.equal(200);
  });

  it('of another person are not found, like those that never were, and stay', async () => {
    const [own, other] = [await newSession(), await newSession()];
    const ids = [other.sessionId, '0123456789abcdef01234567', 'nonsense'];
    const replies: Reply[] = [];
    for (const id of ids) replies.push(await own.client.delete(`/account/sessions/${id}`));
    expect(replies.map(({ status, text }) => [status, text])).to.deep.equal(ids.map(() => [404, replies[0]?.text]));
    expect(replies[0]?.body.error.code).to.equal('SESSION_NOT_FOUND');
    expect((await other.client.get('/session')).status).to.equal(200);
  });

  it('are ended all but the one that says so', async () => {
    const email = await newPerson();
    const [first, second, third] = [
      await sessionOf(environment, environment.own, email),
      await sessionOf(environment, environment.own, email),
      await sessionOf(environment, environment.own, email),
    ];
    const stranger = await newSession();
    const { body } = await first.client.delete('/account/sessions');
    expect(body.data).to.deep.equal({ ended: 2 });
    await ended(second.client);
    await ended(third.client);
    expect((await first.client.get('/session')).status).to.equal(200);
    expect((await stranger.client.get('/session')).status).to.equal(200);
  });

  it('note their last use, to the minute', async () => {
    const { client, sessionId } = await newSession();
    const lastUsedAt = async () => (await client.get('/account/sessions')).body.data.sessions[0].lastUsedAt;
    const made = await lastUsedAt();
    try {
      environment.clock.advance(61_000);
      await until(lastUsedAt, (at) => Date.parse(at) >= Date.parse(made) + 61_000, { ms: STOPS_WITHIN_MS });
    } finally {
      environment.clock.set(new Date());
    }
    expect(sessionId).to.match(/^[0-9a-f]{24}$/);
  });

  it('have a limit of their own: one that is used up leaves the others of its person alone', async () => {
    const email = await newPerson();
    const [busy, idle] = [
      await sessionOf(environment, environment.own, email),
      await sessionOf(environment, environment.own, email),
    ];
    // A minute may end in between, with which the count begins again.
    const statuses = new Set<number>();
    for (let tries = 0; tries < 900 && !statuses.has(429); tries += 50) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => busy.client.get('/session')));
      for (const { status } of replies) statuses.add(status);
    }
    expect(statuses).to.deep.equal(new Set([200, 429]));
    expect((await idle.client.get('/session')).headers.get('x-ratelimit-limit')).to.equal('400');
    expect((await idle.client.get('/session')).status).to.equal(200);
  });

  it('are not taken where a key alone is, and keys are not where a session is', async () => {
    const { client } = await newSession();
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await client.post('/mcp', message)).status).to.equal(403);
    for (const key of [environment.own.projectKey, environment.own.adminKey])
      for (const path of ['/session', '/account/sessions'])
        expect((await environment.client(key).get(path)).status).to.equal(403);
    for (const path of ['/session', '/account/sessions'])
      expect((await environment.client(null).get(path)).status).to.equal(401);
  });

  it('end, all of them, when a backup was restored: it has those that were ended since', async function () {
    this.timeout(120_000);
    const session = await newSession();
    const { code, output } = await admin(environment, environment.deps.config.secretKeys.join(), 'restored');
    expect(code, output).to.equal(0);
    expect(JSON.parse(output).sessionsEnded).to.be.greaterThan(0);
    await ended(session.client);
    expect(await environment.deps.db.memberSessions.countDocuments()).to.equal(0);
  });

  describe('A key together with the cookie', () => {
    const both = (token: string, key: string) =>
      environment.client(key, { ...consoleHeaders(environment), Cookie: `everpost=${token}` });

    it('decides alone: the call is that of the key', async () => {
      const { token } = await sessionOf(environment, environment.own, await newPerson());
      const { other, own } = environment;
      const list = await both(token, other.adminKey).get('/account/projects');
      expect(list.body.data.projects.map(({ id }: { id: string }) => id)).to.deep.equal([
        other.project._id.toHexString(),
      ]);
      expect((await both(token, own.projectKey).get('/session')).status).to.equal(403);
      expect(
        (await environment.client(own.projectKey, { Cookie: `everpost=${token}` }).get('/contacts')).status,
      ).to.equal(200);
    });

    it('that is wrong, or empty, is 401: the cookie does not help it', async () => {
      const { token } = await sessionOf(environment, environment.own, await newPerson());
      expect((await both(token, 'AS_wrong').get('/contacts', inProject())).status).to.equal(401);
      const empty = environment.client(null, { ...headersWith(environment, token), Authorization: '' });
      expect((await empty.get('/contacts', inProject())).status).to.equal(401);
    });
  });

  describe('A call with the cookie', () => {
    const call = (token: string, method: string, headers: Record<string, string>) =>
      createClient(environment.url, null).send(method, '/contacts/email', {
        headers: { Cookie: `everpost=${token}`, 'Content-Type': 'application/json', ...inProject(), ...headers },
        ...(method === 'GET' ? {} : { body: '{"email": "made@example.net"}' }),
      });
    const read = (token: string, headers: Record<string, string>) =>
      createClient(environment.url, null).get('/contacts', { Cookie: `everpost=${token}`, ...inProject(), ...headers });

    it('is refused without the header, or with another value, reads and streams too', async () => {
      const { token } = await newSession();
      const origin = { Origin: environment.url };
      const wrong: Record<string, string>[] = [{}, { 'X-Everpost-Console': '' }, { 'X-Everpost-Console': '2' }];
      for (const headers of wrong) {
        expect((await call(token, 'POST', { ...origin, ...headers })).status).to.equal(403);
        expect((await read(token, { ...origin, ...headers })).status).to.equal(403);
        const stream = { Cookie: `everpost=${token}`, ...inProject(), ...origin, ...headers };
        expect((await createClient(environment.url, null).get('/stream', stream)).status).to.equal(403);
      }
      expect(await environment.deps.db.contacts.countDocuments({ email: 'made@example.net' })).to.equal(0);
    });

    it('is refused from another origin, or from none where something is changed, and nothing is written', async () => {
      const { token } = await newSession();
      const header = { 'X-Everpost-Console': '1' };
      const { port } = new URL(environment.url);
      const foreign = [
        'https://evil.example.net',
        'null',
        `https://127.0.0.1:${port}`,
        'http://127.0.0.1:1',
        `${environment.url}.evil.example.net`,
        `http://localhost:${port}`,
        '',
      ];
      for (const Origin of foreign) {
        expect((await call(token, 'POST', { ...header, Origin })).status, Origin).to.equal(403);
        expect((await read(token, { ...header, Origin })).status, Origin).to.equal(403);
      }
      expect((await call(token, 'POST', header)).status).to.equal(403);
      expect(await environment.deps.db.contacts.countDocuments({ email: 'made@example.net' })).to.equal(0);
      expect((await call(token, 'POST', { ...header, Origin: environment.url })).status).to.be.within(200, 201);
    });

    it('that only reads needs no Origin, which browsers leave out; Sec-Fetch-Site counts where it is sent', async () => {
      const { token } = await newSession();
      const header = { 'X-Everpost-Console': '1' };
      expect((await read(token, header)).status).to.equal(200);
      expect((await read(token, { ...header, 'Sec-Fetch-Site': 'same-origin' })).status).to.equal(200);
      for (const site of ['cross-site', 'same-site', 'none'])
        expect((await read(token, { ...header, 'Sec-Fetch-Site': site })).status, site).to.equal(403);
    });

    it('with two cookies of the name is a call without one', async () => {
      const [{ token }, other] = [await newSession(), await newSession()];
      const headers = { ...consoleHeaders(environment), ...inProject() };
      const two = { ...headers, Cookie: `everpost=${token}; everpost=${other.token}` };
      expect((await createClient(environment.url, null).get('/contacts', two)).status).to.equal(401);
    });

    it('is recognized among other cookies, and one under the name of https does not count here', async () => {
      const { token } = await newSession();
      const headers = { ...consoleHeaders(environment), ...inProject() };
      const get = (Cookie: string) => createClient(environment.url, null).get('/contacts', { ...headers, Cookie });
      expect((await get(`a=b; everpost=${token}; everpost2=x`)).status).to.equal(200);
      expect((await get(`__Host-everpost=${token}`)).status).to.equal(401);
    });
  });

  describe('Signing in', () => {
    it('by POST /session is refused to pages of others (login CSRF), and so is asking for a link', async () => {
      const client = createClient(environment.url, null);
      const token = 'C'.repeat(43);
      for (const [path, body] of [
        ['/session', { token }],
        ['/session/links', { email: 'a@example.net' }],
      ] as const) {
        expect((await client.post(path, body)).status).to.equal(403);
        expect((await client.post(path, body, { Origin: environment.url })).status).to.equal(403);
        const foreign = { 'X-Everpost-Console': '1', Origin: 'https://evil.example.net' };
        expect((await client.post(path, body, foreign)).status).to.equal(403);
        const text = { ...consoleHeaders(environment), 'Content-Type': 'text/plain' };
        expect((await client.post(path, body, text)).status).to.equal(415);
      }
    });

    it('by the form of the page is refused to forms of others, and the link still works', async () => {
      const url = new URL(await createLink(environment.deps, await newPerson()));
      const post = (headers: Record<string, string>) =>
        createClient(environment.url, null).send('POST', url.pathname, {
          headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        });
      for (const Origin of ['https://evil.example.net', 'null', ''])
        expect((await post({ Origin })).status).to.equal(403);
      expect((await post({})).status).to.equal(403);
      expect((await post({ Origin: environment.url, 'Sec-Fetch-Site': 'cross-site' })).status).to.equal(403);
      expect((await post({ Origin: environment.url, 'Sec-Fetch-Site': 'same-origin' })).status).to.equal(303);
    });
  });

  describe('In another process', () => {
    let app: App;
    let url: string;
    let stop: () => void;

    /** Without the announcements of Redis, so that the memory of the process alone decides. */
    before(async () => {
      const { deps } = environment;
      const deaf = { ...deps, signals: { publish() {}, subscribe: () => () => {}, isUp: () => false } };
      const [limiter, slots] = [createRateLimiter(null, 'other'), createStreamSlots(null, 'other')];
      app = createApp(deaf, endpointTable(createMetrics()), { limiter, slots, observe() {} });
      url = await new Promise((resolve) =>
        app.server.listen(0, '127.0.0.1', () =>
          resolve(`http://127.0.0.1:${(app.server.address() as { port: number }).port}`),
        ),
      );
      stop = () => {
        limiter.stop();
        slots.stop();
      };
    });
    after(async () => {
      await app.stop();
      stop();
    });

    const there = ({ token }: Session) =>
      createClient(url, null, { 'X-Everpost-Console': '1', Origin: url, Cookie: `everpost=${token}` });

    it('a session that was ended stops within five seconds, and one of a removed member', async () => {
      const [one, removed] = [await newSession(), await newSession()];
      for (const session of [one, removed]) expect((await there(session).get('/session')).status).to.equal(200);
      await one.client.delete('/session');
      const { email } = (await removed.client.get('/session')).body.data;
      await environment.deps.db.members.deleteOne({ organizationId: environment.own.organization._id, email });
      await Promise.all([ended(there(one)), ended(there(removed))]);
    });

    it('its open streams end within five seconds, with a last event that says so', async () => {
      const session = await newSession();
      const [here, away] = await Promise.all([openStream(environment.url, session), openStream(url, session)]);
      await session.client.delete('/session');
      const endedAt = performance.now();
      for (const { rest } of [here, away])
        expect(await rest)
          .to.contain('event: closed')
          .and.contain('session_ended');
      expect(performance.now() - endedAt).to.be.below(STOPS_WITHIN_MS);
    });

    async function openStream(base: string, { token }: Session): Promise<{ rest: Promise<string> }> {
      const headers = { 'X-Everpost-Console': '1', Origin: base, Cookie: `everpost=${token}`, ...inProject() };
      const response = await fetch(`${base}/v1/stream`, { headers });
      expect(response.status).to.equal(200);
      return { rest: response.text() };
    }
  });
});

describe('Sessions under https', () => {
  const origin = 'https://console.example.com';
  const environment = useEnvironment({ PUBLIC_URL: `${origin}/mail` });

  it('have a cookie for this host alone, and the console is where PUBLIC_URL is', async () => {
    await makeMember(environment, environment.own, 'person@example.net');
    const link = await createLink(environment.deps, 'person@example.net');
    expect(link).to.match(/^https:\/\/console\.example\.com\/mail\/sign-in\/[\w-]{43}$/);
    const path = new URL(link).pathname.slice('/mail'.length);
    const press = (Origin: string) => createClient(environment.url, null).send('POST', path, { headers: { Origin } });
    expect((await press(environment.url)).status).to.equal(403);
    const { status, headers } = await press(origin);
    expect([status, headers.get('location')]).to.deep.equal([303, '/mail/console']);
    const [, token] = /^__Host-everpost=([\w-]{43}); Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/.exec(
      headers.get('set-cookie') ?? '',
    ) as RegExpExecArray;
    const get = (Cookie: string) =>
      createClient(environment.url, null).get('/session', { 'X-Everpost-Console': '1', Origin: origin, Cookie });
    expect((await get(`__Host-everpost=${token}`)).status).to.equal(200);
    expect((await get(`everpost=${token}`)).status).to.equal(401);
  });
});
