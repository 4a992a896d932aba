import { connect } from 'node:net';
import { expect } from 'chai';
import { type Endpoint, fullPath } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { signIn } from '../accounts/signed-in.ts';
import type { Client, Reply } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';

const table = endpointTable(createMetrics());
const jsonPosts = table.filter(({ method, body, key }) => method === 'post' && body && key !== 'none');
const anyId = '0123456789abcdef01234567';

/** The promises of the HTTP edge for every endpoint of the table. */
describe('Every endpoint', function () {
  this.timeout(120_000);
  const environment = useEnvironment({ AUTH_FAILURE_LIMIT: '100000' });

  let session: Client;
  before(async () => {
    session = (await signIn(environment, environment.own, 'owner')).client;
  });

  const clientFor = (endpoint: Endpoint) =>
    endpoint.key === 'session' ? session : environment.client(keyFor(endpoint));
  const keyFor = ({ key }: Endpoint) => (key === 'admin' ? environment.own.adminKey : environment.own.projectKey);
  const concrete = (endpoint: Endpoint) => fullPath(endpoint, endpoint.path.replace(/\{\w+\}/g, anyId));
  const call = (endpoint: Endpoint, init: RequestInit = {}, key: string | null = keyFor(endpoint)) =>
    environment.client(key).send(endpoint.method.toUpperCase(), concrete(endpoint), init);
  const json = (body: string, type = 'application/json'): RequestInit => ({ body, headers: { 'Content-Type': type } });

  it('answers 401 in the envelope without a good key, the same for every bad one', async () => {
    const [first, second] = [environment.own.projectKey, environment.other.projectKey];
    const bad = [
      null,
      'AS_short',
      `${first}x`,
      first.slice(0, -1),
      `${first.slice(0, 12)}${second.slice(12)}`,
      'x'.repeat(10_000),
    ];
    for (const endpoint of table.filter(({ key }) => key !== 'none')) {
      const answers = await Promise.all(bad.map((key) => call(endpoint, {}, key)));
      for (const answer of answers) expectError(answer, 401, 'UNAUTHORIZED');
      expect(new Set(answers.map(({ text }) => text)).size, endpoint.path).to.equal(1);
    }
  });

  it('takes x-api-key on the inbound endpoints, also with an Authorization that carries no key, and nowhere else', async () => {
    const { projectKey } = environment.own;
    const inbound = table.filter(({ path, key }) => path.startsWith('/inbound') && key !== 'none');
    expect(inbound.length).to.be.above(3);
    const statusOf = async (endpoint: Endpoint, headers: Record<string, string>) =>
      (await call(endpoint, { headers }, null)).status;
    const keyless = ['', ' ', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'undefined', 'null'];
    for (const endpoint of inbound) {
      const [withKey, both] = [{ 'x-api-key': projectKey }, { Authorization: `Bearer ${projectKey}` }];
      for (const headers of [withKey, { ...withKey, ...both }, { ...both, 'x-api-key': '' }])
        expect(await statusOf(endpoint, headers), endpoint.path).to.not.be.oneOf([401, 403]);
      for (const Authorization of keyless)
        expect(await statusOf(endpoint, { ...withKey, Authorization }), Authorization).to.not.be.oneOf([401, 403]);
      const other = { ...withKey, Authorization: `Bearer ${environment.other.projectKey}` };
      expect(await statusOf(endpoint, other), 'two different keys').to.equal(401);
      expect(await statusOf(endpoint, { 'x-api-key': '' }), 'an empty key').to.equal(401);
    }
    for (const endpoint of table.filter(({ path, key }) => !path.startsWith('/inbound') && key === 'token'))
      expect(await statusOf(endpoint, { 'x-api-key': projectKey, Authorization: '' }), endpoint.path).to.equal(401);
  });

  it('answers 403 to the wrong kind of key', async () => {
    for (const endpoint of table) {
      const wrong = endpoint.key === 'admin' ? environment.own.projectKey : environment.own.adminKey;
      if (endpoint.key === 'admin' || endpoint.key === 'project')
        expectError(await call(endpoint, {}, wrong), 403, undefined);
    }
  });

  it('asks an admin key for x-project-id, and takes only projects of its organization', async () => {
    for (const endpoint of table.filter(({ key }) => key === 'token').slice(0, 3)) {
      const admin = (headers: Record<string, string>) => call(endpoint, { headers }, environment.own.adminKey);
      expectError(await admin({}), 400, 'VALIDATION_ERROR');
      const foreign = await admin({ 'x-project-id': environment.other.project._id.toHexString() });
      expectError(foreign, 404, 'PROJECT_NOT_FOUND');
      expect(foreign.text).to.equal((await admin({ 'x-project-id': anyId })).text);
      expect((await admin({ 'x-project-id': environment.own.project._id.toHexString() })).status).to.not.be.oneOf([
        401, 403,
      ]);
    }
  });

  it('answers 405 with Allow for a method that its path does not have', async () => {
    for (const endpoint of table) {
      const methods = table
        .filter(({ path, key }) => fullPath({ key }, path) === fullPath(endpoint, endpoint.path))
        .map(({ method }) => method);
      const other = methods.includes('put') ? 'PATCH' : 'PUT';
      const answer = await environment.own.client.send(other, concrete(endpoint));
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      for (const method of methods) expect(answer.headers.get('allow')).to.contain(method.toUpperCase());
    }
    expectError(await environment.own.client.send('OPTIONS', '/contacts'), 405, 'METHOD_NOT_ALLOWED');
  });

  it('takes its body as JSON only: 415 for anything else, before it is read', async () => {
    for (const endpoint of jsonPosts) {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'])
        expectError(await call(endpoint, json('{}', type)), 415, 'UNSUPPORTED_MEDIA_TYPE');
      expectError(
        await call(endpoint, {
          body: 'x',
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
        }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
      expect((await call(endpoint, json('{', 'application/vnd.api+json; charset=utf-8'))).status).to.equal(400);
    }
  });

  const hostile: Record<string, string | Buffer> = {
    'broken JSON': '{"a":',
    'a top-level null': 'null',
    'a top-level string': '"x"',
    'a top-level number': '1',
    'no body at all': '',
    'arrays nested ten thousand deep': `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    'objects nested sixteen thousand deep': `${'{"a":'.repeat(16_000)}1${'}'.repeat(16_000)}`,
    'a field named __proto__': '{"__proto__":{"polluted":true}}',
    'a nested constructor.prototype': '{"a":{"constructor":{"prototype":{"polluted":true}}}}',
    'a NUL character': '{"email":"a\\u0000@b.test"}',
    'half a surrogate pair': '{"email":"\\ud800"}',
    'a number out of range': '{"page":1e400}',
    'invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  };
  for (const [name, body] of Object.entries(hostile))
    it(`refuses ${name} with 400 in the envelope`, async () => {
      for (const endpoint of jsonPosts.filter(({ bodyOptional }) => body !== '' || !bodyOptional)) {
        const begun = process.cpuUsage();
        const answer = await call(endpoint, {
          body: body as string,
          headers: { 'Content-Type': 'application/json' },
        });
        expectError(answer, 400, 'VALIDATION_ERROR', endpoint.path);
        // CPU time, since other processes may hold this one up for a second.
        const { user, system } = process.cpuUsage(begun);
        expect((user + system) / 1_000, endpoint.path).to.be.below(1_000);
      }
      expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
    });

  it('refuses a body over its limit with 413', async () => {
    for (const endpoint of jsonPosts.filter(({ bodyLimit }) => bodyLimit === undefined))
      expectError(await call(endpoint, json(`{"a":"${'x'.repeat(1_100_000)}"}`)), 413, 'BODY_TOO_LARGE', endpoint.path);
  });

  it('refuses a wrong JSON type in each of its fields with 400', async () => {
    for (const endpoint of jsonPosts) {
      const properties = (endpoint.body?.json.properties ?? {}) as Record<string, { type?: string | string[] }>;
      for (const [field, { type }] of Object.entries(properties)) {
        const allowed = [type ?? []].flat();
        const wrong = allowed.includes('object') ? [1] : allowed.length > 0 ? { $gt: '' } : undefined;
        if (wrong === undefined) continue;
        expectError(
          await call(endpoint, json(JSON.stringify({ [field]: wrong }))),
          400,
          undefined,
          `${endpoint.path} ${field}`,
        );
      }
    }
  });

  it('refuses pages and limits out of range, and a parameter given twice', async () => {
    for (const endpoint of table.filter(
      ({ query, method }) => method === 'get' && query && 'page' in ((query.json.properties ?? {}) as object),
    )) {
      for (const query of [
        'page=0',
        'page=-1',
        'page=1.5',
        'limit=0',
        'limit=101',
        'limit=x',
        'page=1&page=2',
        'page=1000000001',
      ])
        expectError(
          await clientFor(endpoint).get(`${concrete(endpoint)}?${query}`),
          400,
          'VALIDATION_ERROR',
          `${endpoint.path} ${query}`,
        );
    }
  });

  it('answers an empty page behind the end, however far, with the total', async () => {
    const listed = table.filter(
      ({ path, query, method, key }) =>
        method === 'get' &&
        key !== 'admin' &&
        !path.includes('{') &&
        query &&
        'page' in ((query.json.properties ?? {}) as object),
    );
    expect(listed.length).to.be.above(8);
    for (const endpoint of listed) {
      const { status, body } = await clientFor(endpoint).get(`${concrete(endpoint)}?page=1000000000&limit=100`);
      expect(status, endpoint.path).to.equal(200);
      const { pagination, ...lists } = body.data;
      expect(pagination, endpoint.path).to.include({ page: 1_000_000_000, limit: 100 });
      expect(Object.values(lists).flat(), endpoint.path).to.deep.equal([]);
    }
  });

  it('takes a malformed id in its path for a thing that does not exist', async () => {
    const paths = table.filter(
      ({ path, key, method }) =>
        key !== 'none' &&
        path.endsWith('}') &&
        // No id: what is no language is 400.
        !path.endsWith('{language}') &&
        method !== 'post' &&
        path !== '/account/projects/{projectId}' &&
        !path.includes('userId'),
    );
    for (const endpoint of paths)
      for (const id of [
        'zzz',
        '0123456789abcdef0123456',
        `${anyId}0`,
        'aaaaaaaaaaaa',
        '%00',
        '..%2f..%2fx',
        '%E0%A4%A',
        '$where',
      ]) {
        const path = fullPath(endpoint, endpoint.path.replace(/\{\w+\}/g, id));
        const body = endpoint.path === '/emails/{emailId}' ? { scheduledAt: new Date(Date.now() + 60_000) } : {};
        const init = endpoint.method === 'patch' ? json(JSON.stringify(body)) : {};
        const answer = await clientFor(endpoint).send(endpoint.method.toUpperCase(), path, init);
        expect(answer.status, `${endpoint.method} ${path}: ${answer.text}`).to.equal(404);
      }
  });

  it('carries X-Request-Id, and the limit of its key', async () => {
    const { headers } = await environment.own.client.get('/contacts', { 'X-Request-Id': 'mine-1' });
    expect(headers.get('x-request-id')).to.equal('mine-1');
    expect(headers.get('x-ratelimit-limit')).to.equal('600000');
    expect(Number(headers.get('x-ratelimit-remaining'))).to.be.within(1, 599_999);
    const odd = await environment.own.client.get('/contacts', { 'X-Request-Id': 'a b' });
    expect(odd.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('is kept by no cache and taken for no page: every answer says so, also one that refuses', async () => {
    const { own, client } = environment;
    const answers = [
      await own.client.get('/contacts'),
      await own.client.post('/contacts/email', { email: 'kept@example.com' }),
      await own.client.post('/contacts/email', { email: 1 }),
      await own.client.get('/contacts/000000000000000000000000'),
      await own.client.get('/nothing'),
      await own.client.send('PUT', '/contacts'),
      await client(null).get('/contacts'),
      await client(null).get('/health'),
    ];
    expect(answers.map(({ status }) => status)).to.include.members([200, 400, 401, 404, 405]);
    for (const { status, headers } of answers)
      expect([headers.get('cache-control'), headers.get('x-content-type-options')], String(status)).to.deep.equal([
        ...['no-store', 'nosniff'],
      ]);
  });

  it('distinguishes an unknown path from a known one', async () => {
    for (const path of ['/nothing', '/CONTACTS', '/contacts/', '/v2/contacts'])
      expectError(await environment.own.client.get(path), 404, 'NOT_FOUND');
    expect((await environment.own.client.get('/contacts')).status).to.equal(200);
  });

  it('refuses two Host headers, and headers that are too large', async () => {
    const { port } = new URL(environment.url);
    const raw = (head: string) => rawRequest(Number(port), head);
    expect(await raw('GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')).to.match(/^HTTP\/1\.1 400 /);
    expect(await raw(`GET /health/live HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`)).to.match(
      /^HTTP\/1\.1 431 /,
    );
    expect(await raw('GET /health/live HTTP/1.1\r\n\r\n')).to.match(/^HTTP\/1\.1 400 /);
    expect(await raw('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /);
  });
});

function expectError(answer: Reply, status: number, code: string | undefined, where = ''): void {
  expect(answer.status, `${where} ${answer.text.slice(0, 300)}`).to.equal(status);
  expect(answer.headers.get('content-type')).to.contain('application/json');
  expect(answer.body.success).to.equal(false);
  expect(answer.body.error.message).to.be.a('string').that.is.not.empty;
  if (code) expect(answer.body.error.code, where).to.equal(code);
}

function rawRequest(port: number, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head));
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString('latin1'));
    });
    socket.once('error', reject);
  });
}
