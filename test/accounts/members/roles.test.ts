import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { pathParameters } from '../../../api/http/endpoint.ts';
import { endpointTable } from '../../../api/http/table.ts';
import { createMetrics } from '../../../platform/metrics.ts';
import { isInRole, operations, ROLES, type Role } from '../../../schemas/operations.ts';
import { makers } from '../../edge/makers.ts';
import { useEnvironment } from '../../support/environment.ts';
import { ask, UNKNOWN } from '../ask.ts';
import { type SignedIn, signIn } from '../signed-in.ts';

const KNOWN_SECRETS = /whsec_|PRIVATE KEY|ASA?_[A-Za-z0-9]{8}_|"(secret|privateKey|sealed|hash)"/;
const RANDOM = 'fedcba9876543210fedcba98';

describe('The role of a member', () => {
  const endpoints = endpointTable(createMetrics()).filter(({ key }) => key !== 'none' && key !== 'session');
  const environment = useEnvironment();
  const members = {} as Record<Role, SignedIn>;
  before(async () => {
    for (const role of ROLES) members[role] = await signIn(environment, environment.own, role);
  });
  const headersOf = (role: Role, project = environment.own.project._id.toHexString()) => ({
    ...members[role].headers,
    'x-project-id': project,
  });

  for (const endpoint of endpoints)
    for (const role of ROLES) {
      const { operation } = endpoint;
      const { role: least } = operations[operation];
      if (isInRole(role, operation))
        it(`allows ${operation} to ${role}`, async () => {
          const { status, text } = await ask(environment, endpoint, headersOf(role));
          expect(status, text).to.not.be.oneOf([401, 403]);
        });
      else if (least !== null)
        it(`refuses ${operation} to ${role}: 403 PERMISSION_DENIED, with the role`, async () => {
          const { status, body } = await ask(environment, endpoint, headersOf(role));
          expect([status, body.error.code]).to.deep.equal([403, 'PERMISSION_DENIED']);
          expect(body.error.details).to.equal(`role: ${role} does not include ${operation}`);
          expect(body.error.message).to.contain(`Your role is ${role}`).and.to.contain(`the role ${least}`);
        });
      else
        it(`${operation} takes no session, of ${role} or another`, async () => {
          const { status, body } = await ask(environment, endpoint, headersOf(role));
          expect([status, body.error.code]).to.deep.equal([403, 'PERMISSION_DENIED']);
          expect(body.error.details).to.equal('session: is not taken here');
        });
    }

  const ofProjects = endpoints.filter(({ key, operation }) => key !== 'admin' && isInRole('owner', operation));
  for (const endpoint of ofProjects)
    it(`reaches no project of another organization through ${endpoint.operation}: the answer is that of an unknown project`, async () => {
      const foreign = await ask(environment, endpoint, headersOf('owner', environment.other.project._id.toHexString()));
      const random = await ask(environment, endpoint, headersOf('owner', RANDOM));
      expect([foreign.status, foreign.body.error.code]).to.deep.equal([404, 'PROJECT_NOT_FOUND']);
      expect(foreign.text).to.equal(random.text);
      const { 'x-project-id': _, ...without } = headersOf('owner');
      const none = await ask(environment, endpoint, without);
      expect([none.status, none.body.error.details]).to.deep.equal([400, 'x-project-id: is required']);
    });

  const ofAccounts = endpoints.filter(({ key, path }) => key === 'admin' && path.includes('{'));
  for (const endpoint of ofAccounts)
    it(`reaches nothing of another organization through ${endpoint.operation}: the answer is that of a random id`, async () => {
      const { other, deps } = environment;
      const theirs = await signIn(environment, other, 'viewer');
      const key = await deps.db.apiKeys.findOne({ projectId: other.project._id });
      const ids: Record<string, string> = {
        projectId: other.project._id.toHexString(),
        memberId: theirs.member._id.toHexString(),
        apiKeyId: String(key?._id),
      };
      const [name = ''] = pathParameters(endpoint.path);
      expect(ids, `this test needs an id for {${name}}`).to.have.property(name);
      const body = bodies[endpoint.operation];
      const call = (id: string) =>
        members.owner.client.send(endpoint.method.toUpperCase(), endpoint.path.replace(`{${name}}`, id), {
          ...(body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {}),
        });
      const [foreign, random] = [await call(ids[name] as string), await call(RANDOM)];
      expect([foreign.status, foreign.text]).to.deep.equal([404, random.text]);
      expect(await deps.db.members.findOne({ _id: theirs.member._id })).to.deep.equal(theirs.member);
    });

  it('is that of the organization which the call names; another one is refused as an unknown one', async () => {
    const { own, other } = environment;
    const email = 'two@example.com';
    const first = await signIn(environment, own, 'owner', email);
    await signIn(environment, other, 'viewer', email);
    const named = (organization: string, project: string) => ({
      ...first.headers,
      'x-organization-id': organization,
      'x-project-id': project,
    });
    const call = (method: string, headers: Record<string, string>) =>
      environment.client(null).send(method, '/contact-lists', {
        headers: { ...headers, 'Content-Type': 'application/json' },
        ...(method === 'POST' ? { body: JSON.stringify({ name: 'A list' }) } : {}),
      });
    const [ownId, otherId] = [own.organization._id.toHexString(), other.organization._id.toHexString()];
    const [ownProject, otherProject] = [own.project._id.toHexString(), other.project._id.toHexString()];
    expect((await call('POST', named(ownId, ownProject))).status).to.equal(201);
    expect((await call('POST', named(otherId, otherProject))).body.error.details).to.contain('role: viewer');
    expect((await call('GET', named(otherId, otherProject))).status).to.equal(200);
    expect((await call('GET', named(otherId, ownProject))).body.error.code).to.equal('PROJECT_NOT_FOUND');
    const { 'x-organization-id': _, ...none } = named(ownId, ownProject);
    const unnamed = await call('GET', none);
    expect([unnamed.status, unnamed.body.error.details]).to.deep.equal([400, 'x-organization-id: is required']);

    const stranger = members.owner.headers;
    const foreign = await call('GET', { ...named(otherId, otherProject), ...stranger });
    const random = await call('GET', { ...named(RANDOM, otherProject), ...stranger });
    expect([foreign.status, foreign.body.error.code]).to.deep.equal([403, 'PERMISSION_DENIED']);
    expect(foreign.text).to.equal(random.text);
  });

  it('is checked before the body is read, and before the Idempotency-Key', async () => {
    const init = { body: '{"not json', headers: { 'Content-Type': 'application/json' } };
    expect((await members.editor.client.send('POST', '/mails/send', init)).status).to.equal(400);
    expect((await members.author.client.send('POST', '/mails/send', init)).status).to.equal(403);
    const keyed = { 'Idempotency-Key': 'the answer of an editor' };
    const contact = { email: 'kept@example.com' };
    const rows = () => environment.deps.db.idempotency.countDocuments();
    expect((await members.editor.client.post('/contacts', contact, keyed)).status).to.equal(201);
    const before = await rows();
    const refused = await members.author.client.post('/contacts', contact, keyed);
    expect([refused.status, refused.headers.get('idempotency-replayed')]).to.deep.equal([403, null]);
    expect(await rows()).to.equal(before);
    const again = await members.owner.client.post('/contacts', contact, keyed);
    expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([201, 'true']);
  });

  it('lists the projects of the organization for every role', async () => {
    for (const role of ROLES) {
      const { status, body } = await environment.client(null, members[role].headers).get('/account/projects');
      expect([status, body.data.projects.map(({ name }: { name: string }) => name)]).to.deep.equal([
        200,
        ['Own project'],
      ]);
    }
  });

  const shown = endpoints.filter(
    ({ method, produces }) => method === 'get' && !produces?.includes('text/event-stream'),
  );
  for (const endpoint of shown)
    it(`has no secret in the answer of ${endpoint.operation}, whatever it is`, async () => {
      const { own } = environment;
      const [name] = pathParameters(endpoint.path);
      const id =
        name === undefined
          ? UNKNOWN
          : name === 'projectId'
            ? own.project._id.toHexString()
            : name === 'memberId'
              ? members.owner.member._id.toHexString()
              : await makers[name]!.make(own, environment);
      for (const role of ROLES.filter((one) => isInRole(one, endpoint.operation))) {
        const { status, text } = await ask(environment, endpoint, headersOf(role), id);
        if (pathParameters(endpoint.path).length < 2) expect(status, text).to.equal(200);
        expect(text).to.not.match(KNOWN_SECRETS);
      }
    });

  it('owner sees a new secret once; it is never shown again, and editors get none by changing or testing', async () => {
    const { own } = environment;
    const hook = { url: 'https://example.com/hook', events: ['email.sent'] };
    const keyed = { 'Idempotency-Key': 'a secret' };
    const keys = `/account/projects/${own.project._id}/api-keys`;
    const made = await members.owner.client.post('/webhooks', hook, keyed);
    expect(made.body.data.secret).to.match(/^whsec_/);
    expect((await members.owner.client.post('/webhooks', hook, keyed)).body.data).to.not.have.property('secret');
    const { id } = made.body.data;
    const rotated = await members.owner.client.post(`/webhooks/${id}/rotate-secret`);
    expect(rotated.body.data.secret).to.match(/^whsec_/);
    const key = await members.owner.client.post(keys, { name: 'of the console' });
    expect(key.body.data.key).to.match(/^AS_/);
    expect(key.body.data.createdBy).to.equal(members.owner.member._id.toHexString());
    for (const role of ['editor', 'owner'] as const) {
      const { client } = members[role];
      const answers = [
        await client.patch(`/webhooks/${id}`, { events: ['email.sent', 'email.bounced'] }),
        await client.post(`/webhooks/${id}/test`),
        await client.get(`/webhooks/${id}`),
        await client.get('/webhooks'),
      ];
      for (const { status, text } of answers) {
        expect(status, text).to.be.within(200, 202);
        expect(text).to.not.match(KNOWN_SECRETS);
      }
    }
    expect((await members.owner.client.get(keys)).text).to.not.match(KNOWN_SECRETS);
  });

  it('has the operations that docs/members.md names', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/members.md'), 'utf8');
    for (const [index, role] of ROLES.entries()) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${role}\` |`)) ?? '';
      const named = [...row.matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name);
      const lower = ROLES[index - 1];
      const more = endpoints.filter(
        ({ operation, method }) =>
          isInRole(role, operation) &&
          !(lower && isInRole(lower, operation)) &&
          !(role === 'viewer' && method === 'get'),
      );
      expect(named, role).to.have.members(more.map(({ operation }) => operation));
    }
  });
});

/** Enough to pass the schema, so that the id decides. */
const bodies: Record<string, object> = {
  'projects.update': { name: 'Taken' },
  'apiKeys.create': { name: 'x' },
  'members.update': {},
};
