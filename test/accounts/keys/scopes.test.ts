// Promise: projects are apart.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Endpoint, pathParameters } from '../../../api/http/endpoint.ts';
import { endpointTable } from '../../../api/http/table.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import { isInScope, SCOPES, type Scope } from '../../../schemas/operations.ts';
import { makers } from '../../edge/makers.ts';
import { useEnvironment } from '../../support/environment.ts';
import { profiled } from '../../support/profile.ts';
import { ask as askWith, UNKNOWN } from '../ask.ts';
import { admin } from '../processes.ts';
import { type MadeKey, makeKey } from './keys.ts';

const KNOWN_SECRETS = /whsec_|PRIVATE KEY|ASA?_[A-Za-z0-9]{8}_|"(secret|privateKey|sealed|hash)"/;

describe('The scope of a key', () => {
  const endpoints = endpointTable(createMetrics()).filter(({ key }) => key !== 'none' && key !== 'session');
  const ofProjects = endpoints.filter(({ key }) => key !== 'admin');
  const environment = useEnvironment();
  const keys = {} as Record<Scope, MadeKey>;
  before(async () => {
    for (const scope of SCOPES) keys[scope] = await makeKey(environment, environment.own, { scope });
  });

  for (const endpoint of ofProjects)
    for (const scope of SCOPES)
      if (isInScope(scope, endpoint.operation))
        it(`${scope} includes ${endpoint.operation}`, async () => {
          expect((await ask(endpoint, keys[scope].key)).status).to.not.equal(403);
        });
      else
        it(`${scope} does not include ${endpoint.operation}: 403 PERMISSION_DENIED, with the scope`, async () => {
          const { status, body } = await ask(endpoint, keys[scope].key);
          expect([status, body.error.code]).to.deep.equal([403, 'PERMISSION_DENIED']);
          expect(body.error.details).to.equal(`scope: ${scope} does not include ${endpoint.operation}`);
          expect(body.error.message).to.contain(`the scope ${scope}`).and.to.contain('the scope full');
        });

  for (const endpoint of endpoints.filter(({ key }) => key === 'admin'))
    it(`no project key may call ${endpoint.operation}: 403 without a code, as ever`, async () => {
      for (const scope of SCOPES) {
        const { status, body } = await ask(endpoint, keys[scope].key);
        expect([status, body.error.code, body.error.details]).to.deep.equal([403, undefined, undefined]);
      }
    });

  it('an admin key has every operation that takes one, and is refused elsewhere without a code', async () => {
    const admin = { 'x-project-id': environment.own.project._id.toHexString() };
    for (const endpoint of ofProjects.filter(({ method }) => method === 'get')) {
      const { status, body } = await ask(endpoint, environment.own.adminKey, admin);
      if (endpoint.key === 'project') expect([status, body.error.code]).to.deep.equal([403, undefined]);
      else expect(status, endpoint.operation).to.not.equal(403);
    }
  });

  for (const endpoint of ofProjects.filter(({ operation, method, produces }) => {
    return isInScope('read', operation) && method === 'get' && !produces?.includes('text/event-stream');
  }))
    it(`read finds no secret in the answer of ${endpoint.operation}`, async () => {
      const [name] = pathParameters(endpoint.path);
      const id = name === undefined ? UNKNOWN : await makers[name]!.make(environment.own, environment);
      const { status, text } = await ask(endpoint, keys.read.key, {}, id);
      // The thing has no part of this name: a recipient of a draft, an attachment of a text.
      if (pathParameters(endpoint.path).length < 2) expect(status, text).to.equal(200);
      expect(text).to.not.match(KNOWN_SECRETS);
    });

  it('has the operations that docs/keys.md names', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/keys.md'), 'utf8');
    for (const scope of ['send', 'read'] as const) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${scope}\` |`)) ?? '';
      const named = [...row.matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name);
      const allowed = ofProjects.filter(({ operation }) => isInScope(scope, operation));
      const listed = allowed.filter(({ method }) => scope === 'send' || method !== 'get');
      expect(named).to.have.members(listed.map(({ operation }) => operation));
    }
  });

  it('is checked on HEAD too, and with the key in x-api-key', async () => {
    const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` }, method: 'HEAD' });
    const head = (key: string) => fetch(`${environment.url}/v1/contacts`, bearer(key));
    expect([(await head(keys.send.key)).status, (await head(keys.read.key)).status]).to.deep.equal([403, 200]);
    const header = (key: string) => environment.client(null, { 'x-api-key': key }).get('/inbound/messages');
    expect((await header(keys.send.key)).body.error.code).to.equal('PERMISSION_DENIED');
    expect((await header(keys.read.key)).status).to.equal(200);
  });

  it('is checked before the body is read', async () => {
    const init = { body: '{"not json', headers: { 'Content-Type': 'application/json' } };
    const [full, read] = [keys.full.client, keys.read.client];
    expect((await full.send('POST', '/mails/send', init)).status).to.equal(400);
    expect((await read.send('POST', '/mails/send', init)).status).to.equal(403);
  });

  it('is checked before the Idempotency-Key: a read key is not answered with what a full key did', async () => {
    const body = { email: 'kept@example.com' };
    const keyed = { 'Idempotency-Key': 'the answer of another' };
    expect((await keys.full.client.post('/contacts', body, keyed)).status).to.equal(201);
    const refused = await keys.read.client.post('/contacts', body, keyed);
    expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'PERMISSION_DENIED']);
    expect(refused.headers.get('idempotency-replayed')).to.equal(null);
    const replayed = await keys.full.client.post('/contacts', body, keyed);
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
  });

  it('is checked before the Idempotency-Key: a refused call leaves nothing under it', async () => {
    const keyed = { 'Idempotency-Key': 'refused first' };
    const rows = () => environment.deps.db.idempotency.countDocuments();
    const before = await rows();
    expect((await keys.read.client.post('/contacts', { email: 'first@example.com' }, keyed)).status).to.equal(403);
    expect(await rows()).to.equal(before);
    const done = await keys.full.client.post('/contacts', { email: 'other@example.com' }, keyed);
    expect([done.status, done.headers.get('idempotency-replayed')]).to.deep.equal([201, null]);
  });

  it('costs no query: a refused call reads nothing but its key, and an allowed one no more than with a full key', async () => {
    const refused = await commandsOf(async () => {
      for (let call = 0; call < 20; call += 1)
        expect((await keys.read.client.post('/contacts', {}, { 'Idempotency-Key': `${call}` })).status).to.equal(403);
    });
    expect(refused).to.deep.equal([]);
    const list = ({ client }: MadeKey) => commandsOf(() => client.get('/custom-fields'));
    const withFull = await list(keys.full);
    expect(withFull).to.not.deep.equal([]);
    expect(await list(keys.read)).to.deep.equal(withFull);
  });

  const ask = (endpoint: Endpoint, key: string, more: Record<string, string> = {}, id = UNKNOWN) =>
    askWith(environment, endpoint, { Authorization: `Bearer ${key}`, ...more }, id);

  /** The commands of MongoDB during the work, without the read of the key, which is repeated every two seconds. */
  async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
    const seen = (await profiled(environment.deps, work)).filter(({ ns }) =>
      /\.(?!apiKeys$|projects$|system|\$cmd)/.test(ns),
    );
    return seen.map(({ op, ns }) => `${op} ${ns}`).sort();
  }
});

describe('A key', () => {
  const environment = useEnvironment();
  const path = () => `/account/projects/${environment.own.project._id}/api-keys`;
  const make = (body: object) => environment.client(environment.own.adminKey).post(path(), { name: 'key', ...body });
  const listed = async (id: string) => {
    const { body } = await environment.client(environment.own.adminKey).get(path());
    return body.data.apiKeys.find((apiKey: { id: string }) => apiKey.id === id);
  };

  it('shows its scope and domain, in the answer that made it and in the list', async () => {
    for (const [given, shown] of [
      [{}, { scope: 'full', domainName: null }],
      [{ scope: 'full' }, { scope: 'full', domainName: null }],
      [{ scope: 'read' }, { scope: 'read', domainName: null }],
      [{ scope: 'send' }, { scope: 'send', domainName: null }],
      [
        { scope: 'send', domainName: 'News.Example.COM.' },
        { scope: 'send', domainName: 'news.example.com' },
      ],
      [
        { scope: 'send', domainName: 'münchen.example' },
        { scope: 'send', domainName: 'xn--mnchen-3ya.example' },
      ],
    ]) {
      const { status, body } = await make(given as object);
      expect(status).to.equal(201);
      expect(body.data).to.deep.include({ ...shown, lastUsedAt: null });
      const { key: _, ...others } = body.data;
      expect(await listed(body.data.id)).to.deep.equal(others);
    }
  });

  it('of before there were scopes is full', async () => {
    const { own, deps } = environment;
    const [stored] = await deps.db.apiKeys.find({ projectId: own.project._id, name: 'test' }).toArray();
    expect(stored).to.not.have.any.keys('scope', 'domainName');
    expect((await listed(stored!._id.toHexString())).scope).to.equal('full');
    expect((await own.client.post('/contacts', { email: 'old@example.com' })).status).to.equal(201);
  });

  it('is listed with its scope by npm run admin', async function () {
    this.timeout(120_000);
    const { id } = (await make({ scope: 'send', domainName: 'shop.example.com' })).body.data;
    const { organization, project } = environment.own;
    const secretKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`;
    const words = ['keys', 'list', organization._id.toHexString(), project._id.toHexString()];
    const { code, output } = await admin(environment, secretKeys, ...words);
    expect(code, output).to.equal(0);
    const line = output.split('\n').find((text) => text.includes(id)) ?? '{}';
    expect(JSON.parse(line)).to.include({ scope: 'send', domainName: 'shop.example.com', lastUsedAt: null });
  });

  it('is not made with a scope or domain that makes no sense: 400 with the field, and nothing is stored', async () => {
    const count = () => environment.deps.db.apiKeys.countDocuments();
    const before = await count();
    for (const [given, details] of [
      [{ scope: 'write' }, 'scope: must be one of full, send, read'],
      [{ scope: null }, 'scope: must be a string; scope: must be one of full, send, read'],
      [{ domainName: 'a.example.com' }, 'domainName: is allowed only with scope send'],
      [{ scope: 'full', domainName: 'a.example.com' }, 'domainName: is allowed only with scope send'],
      [{ scope: 'read', domainName: 'a.example.com' }, 'domainName: is allowed only with scope send'],
      [{ scope: 'send', domainName: 'localhost' }, 'domainName: must be a domain name'],
      [{ scope: 'send', domainName: '*.example.com' }, 'domainName: must be a domain name'],
      [{ scope: 'send', domainName: 'a@example.com' }, 'domainName: must be a domain name'],
      [{ scope: 'send', domainName: '' }, 'domainName: must not be empty'],
      [{ scope: 'send', domainName: 7 }, 'domainName: must be a string'],
    ] as const) {
      const { status, body } = await make(given);
      expect([status, body.error.code, body.error.details]).to.deep.equal([400, 'VALIDATION_ERROR', details]);
    }
    expect(await count()).to.equal(before);
  });
});
