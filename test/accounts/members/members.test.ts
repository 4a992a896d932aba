import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { memberCommands } from '../../../cli/members.ts';
import { createSessionAuthenticator } from '../../../core/accounts/sessions.ts';
import { useEnvironment } from '../../support/environment.ts';
import { until } from '../../support/wait.ts';
import { admin } from '../processes.ts';
import { newSession, signIn } from '../signed-in.ts';

const SECRET_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const RANDOM = 'fedcba9876543210fedcba98';
/** Two seconds of memory; the rest is for a machine that is busy. */
const SOON = { ms: 15_000 };

describe('Members', () => {
  const environment = useEnvironment();
  const members = (tenant = environment.own) => environment.client(tenant.adminKey);
  const add = async (body: object, tenant = environment.own) => members(tenant).post('/account/members', body);
  const list = async () => (await members().get('/account/members?limit=100')).body.data.members;
  const owners = (tenant: { organization: { _id: unknown } }) =>
    environment.deps.db.members.countDocuments({ organizationId: tenant.organization._id as never, role: 'owner' });

  it('are added, listed, changed and removed', async () => {
    const added = await add({ email: 'ada@example.com', role: 'editor' });
    expect(added.status, added.text).to.equal(201);
    const { id, createdAt } = added.body.data;
    expect(added.body.data).to.deep.equal({
      id,
      email: 'ada@example.com',
      role: 'editor',
      createdBy: null,
      createdAt,
      updatedAt: createdAt,
    });
    expect(await list()).to.deep.include(added.body.data);
    expect((await members().get(`/account/members/${id}`)).body.data).to.deep.equal(added.body.data);
    const theirs = await members(environment.other).get(`/account/members/${id}`);
    expect([theirs.status, theirs.body.error.code]).to.deep.equal([404, 'MEMBER_NOT_FOUND']);
    const changed = await members().patch(`/account/members/${id}`, { role: 'author' });
    expect([changed.status, changed.body.data.role]).to.deep.equal([200, 'author']);
    expect((await members().delete(`/account/members/${id}`)).body).to.deep.equal({ success: true });
    expect((await list()).map((member: { id: string }) => member.id)).to.not.include(id);
    for (const gone of [
      await members().get(`/account/members/${id}`),
      await members().delete(`/account/members/${id}`),
      await members().patch(`/account/members/${id}`, { role: 'owner' }),
    ])
      expect([gone.status, gone.body.error.code]).to.deep.equal([404, 'MEMBER_NOT_FOUND']);
  });

  it('are added by an owner with a session too, whose id they carry', async () => {
    const owner = await signIn(environment, environment.own, 'owner');
    const { status, body } = await owner.client.post('/account/members', { email: 'by@example.com', role: 'viewer' });
    expect([status, body.data.createdBy]).to.deep.equal([201, owner.member._id.toHexString()]);
  });

  it('have one address once an organization, however it is written; other organizations may have it too', async () => {
    expect((await add({ email: 'Grace@Example.com', role: 'viewer' })).body.data.email).to.equal('grace@example.com');
    const count = (await list()).length;
    for (const email of ['grace@example.com', ' GRACE@EXAMPLE.COM ']) {
      const again = await add({ email, role: 'owner' });
      expect([again.status, again.body.error.code], email).to.deep.equal([409, 'ALREADY_EXISTS']);
    }
    const racing = await Promise.all(
      Array.from({ length: 8 }, () => add({ email: 'racing@example.com', role: 'viewer' })),
    );
    expect(racing.map(({ status }) => status).toSorted()).to.deep.equal([201, ...Array(7).fill(409)]);
    expect(await list()).to.have.length(count + 1);
    expect((await add({ email: 'grace@example.com', role: 'viewer' }, environment.other)).status).to.equal(201);
  });

  it('are added once when the call is repeated with its Idempotency-Key', async () => {
    const keyed = { 'Idempotency-Key': 'a member' };
    const body = { email: 'once@example.com', role: 'viewer' };
    const [first, second] = [
      await members().post('/account/members', body, keyed),
      await members().post('/account/members', body, keyed),
    ];
    expect([first.status, second.status]).to.deep.equal([201, 201]);
    expect(second.body.data.id).to.equal(first.body.data.id);
  });

  it('with a wrong address or role are refused: 400 with the field, and nothing is stored', async () => {
    const before = await environment.deps.db.members.find().toArray();
    const { id } = (await list())[0];
    for (const [given, details] of [
      [{ role: 'viewer' }, 'email: is required'],
      [{ email: 'x@example.com' }, 'role: is required'],
      [{ email: 'nonsense', role: 'viewer' }, 'email: must be an email address'],
      [{ email: ['x@example.com'], role: 'viewer' }, 'email: must be a string'],
      [{ email: { $gt: '' }, role: 'viewer' }, 'email: must be a string'],
      [{ email: 'x@example.com', role: 'admin' }, 'role: must be one of viewer, author, editor, owner'],
      [{ email: 'x@example.com', role: null }, 'role: must be a string; role: must be one of'],
    ] as const) {
      const { status, body } = await add(given);
      expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.contain(details);
    }
    for (const given of [{ role: 'root' }, { role: ['owner'] }])
      expect((await members().patch(`/account/members/${id}`, given)).status).to.equal(400);
    expect(await environment.deps.db.members.find().toArray()).to.deep.equal(before);
    expect((await members().patch(`/account/members/${id}`, {})).body.data.role, 'nothing to change').to.equal(
      (await list())[0].role,
    );
  });

  it('are nothing that a project key may see or change: 403 without a code, as for all calls of admin keys', async () => {
    const { client } = environment.own;
    const { id } = (await list())[0];
    for (const { status, body } of [
      await client.get('/account/members'),
      await client.get(`/account/members/${id}`),
      await client.post('/account/members', { email: 'x@example.com', role: 'owner' }),
      await client.patch(`/account/members/${id}`, { role: 'owner' }),
      await client.delete(`/account/members/${id}`),
    ])
      expect([status, body.error.code]).to.deep.equal([403, undefined]);
  });

  it('keep an owner: the last one can neither go nor be lowered, by a key or by itself', async () => {
    const tenant = await environment.newTenant('One owner');
    const owner = await signIn(environment, tenant, 'owner');
    await signIn(environment, tenant, 'editor');
    const path = `/account/members/${owner.member._id}`;
    const stored = await environment.deps.db.members.findOne({ _id: owner.member._id });
    for (const client of [members(tenant), owner.client])
      for (const { status, body } of [await client.delete(path), await client.patch(path, { role: 'editor' })])
        expect([status, body.error.code]).to.deep.equal([409, 'INVALID_STATE']);
    expect(await environment.deps.db.members.findOne({ _id: owner.member._id })).to.deep.equal(stored);
    expect((await members(tenant).patch(path, { role: 'owner' })).status, 'stays owner').to.equal(200);
    await signIn(environment, tenant, 'owner');
    expect((await owner.client.patch(path, { role: 'editor' })).status, 'there is another').to.equal(200);
    expect(await owners(tenant)).to.equal(1);
  });

  it('keep an owner when all of them go at the same time', async () => {
    const tenant = await environment.newTenant('Racing owners');
    for (let round = 0; round < 10; round += 1) {
      const going = await Promise.all(Array.from({ length: 4 }, () => signIn(environment, tenant, 'owner')));
      const all = await environment.deps.db.members.find({ organizationId: tenant.organization._id }).toArray();
      const answers = await Promise.all(
        all.map(({ _id }, index) =>
          index % 2 === 0
            ? members(tenant).delete(`/account/members/${_id}`)
            : members(tenant).patch(`/account/members/${_id}`, { role: 'viewer' }),
        ),
      );
      expect(answers.filter(({ status }) => status === 409)).to.have.length(1);
      expect(await owners(tenant), `round ${round}`).to.equal(1);
      expect(going).to.have.length(4);
      const { organizationId } = all[0]!;
      await environment.deps.db.members.deleteMany({ organizationId, role: 'viewer' });
    }
  });

  it('have a new role within five seconds, in processes without signals too', async () => {
    const { deps } = environment;
    const { client, member, token } = await signIn(environment, environment.own, 'viewer');
    const deaf = createSessionAuthenticator({ ...deps, signals: { ...deps.signals, subscribe: () => () => {} } });
    expect((await deaf(token))?.memberships[0]?.role).to.equal('viewer');
    const create = () => client.post('/contact-lists', { name: 'A list' });
    expect((await create()).status).to.equal(403);
    await members().patch(`/account/members/${member._id}`, { role: 'editor' });
    await until(create, ({ status }) => status === 201, SOON);
    await until(
      () => deaf(token),
      (identity) => identity?.memberships[0]?.role === 'editor',
      SOON,
    );
    await members().patch(`/account/members/${member._id}`, { role: 'viewer' });
    await until(create, ({ status }) => status === 403, SOON);
    deaf.stop();
  });

  it('who are removed are signed out within five seconds, streams too, and their sessions and links are gone', async () => {
    const { deps, own, url } = environment;
    const { client, member, headers, token } = await signIn(environment, own, 'viewer');
    const deaf = createSessionAuthenticator({ ...deps, signals: { ...deps.signals, subscribe: () => () => {} } });
    expect(await deaf(token)).to.not.equal(null);
    const request = get(`${url}/v1/stream`, { headers: { ...headers, 'x-project-id': own.project._id.toHexString() } });
    const [stream] = await once(request, 'response');
    const ended = text(stream);
    expect((await client.get('/contacts')).status).to.equal(200);
    await members().delete(`/account/members/${member._id}`);
    await until(
      () => client.get('/contacts'),
      ({ status, body }) => status === 401 && body.error.code === 'UNAUTHORIZED',
      SOON,
    );
    await until(
      () => deaf(token),
      (identity) => identity === null,
      SOON,
    );
    expect(await ended)
      .to.contain('event: closed')
      .and.to.contain('session_ended');
    expect(await deps.db.memberSessions.countDocuments({ email: member.email })).to.equal(0);
    deaf.stop();
  });

  it('who are removed from one of two organizations keep the other, with the same session', async () => {
    const { own, other, url } = environment;
    const email = 'both@example.com';
    const first = await signIn(environment, own, 'viewer', email);
    const second = await signIn(environment, other, 'viewer', email);
    const at = (tenant: typeof own) => ({
      ...first.headers,
      'x-organization-id': tenant.organization._id.toHexString(),
      'x-project-id': tenant.project._id.toHexString(),
    });
    const request = get(`${url}/v1/stream`, { headers: at(own) });
    const [stream] = await once(request, 'response');
    const ended = text(stream);
    await members().delete(`/account/members/${first.member._id}`);
    const call = (tenant: typeof own) => environment.client(null, at(tenant)).get('/contacts');
    await until(
      () => call(own),
      ({ status, body }) => status === 403 && body.error.code === 'PERMISSION_DENIED',
      SOON,
    );
    expect(await ended).to.contain('member_removed');
    expect((await call(other)).status).to.equal(200);
    expect((await second.client.get('/contacts')).status, 'the only organization needs no name').to.equal(200);
  });

  it('have a session that ends with its time, and none without a membership', async () => {
    const { own, deps } = environment;
    const late = await signIn(environment, own, 'viewer');
    await deps.db.memberSessions.updateOne({ email: late.member.email }, { $set: { expiresAt: deps.clock.now() } });
    expect((await late.client.get('/contacts')).status).to.equal(401);
    const nobody = await newSession(environment, own, 'nobody@example.com');
    expect((await nobody.client.get('/contacts')).status).to.equal(401);
    await add({ email: 'nobody@example.com', role: 'viewer' });
    expect((await nobody.client.get('/contacts')).status).to.equal(200);
  });

  it('who send a key use the key, and not the session that comes with it', async () => {
    const { own, other } = environment;
    const { headers } = await signIn(environment, own, 'viewer');
    const { Cookie } = headers as { Cookie: string };
    const made = await environment.client(other.projectKey, { Cookie }).post('/contact-lists', { name: 'With a key' });
    expect([made.status, made.body.data.projectId ?? other.project._id.toHexString()]).to.deep.equal([
      201,
      other.project._id.toHexString(),
    ]);
    const bad = await environment
      .client('AS_aaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', { ...headers })
      .get('/contacts');
    expect(bad.status).to.equal(401);
  });

  it('are listed, added and removed by npm run admin', async () => {
    const { organization } = environment.own;
    const named = ['--organization', organization._id.toHexString()];
    const run = (...words: string[]) => admin(environment, SECRET_KEYS, 'members', ...words);
    const added = await run('add', 'Cli@Example.com', '--role', 'owner', ...named);
    expect(added.code, added.output).to.equal(0);
    expect(JSON.parse(added.output)).to.include({ email: 'cli@example.com', role: 'owner' });
    const listed = (await run('list')).output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(listed.map(({ memberId }) => memberId)).to.include(JSON.parse(added.output).memberId);
    expect((await run('remove', 'cli@example.com', ...named)).code).to.equal(0);
    expect(await environment.deps.db.members.countDocuments({ email: 'cli@example.com' })).to.equal(0);
  }).timeout(120_000);

  it('are not added or removed by a command with wrong words: it says what to give', async () => {
    const { deps, own } = environment;
    const named = ['--organization', own.organization._id.toHexString()];
    await add({ email: 'known@example.com', role: 'viewer' });
    const before = await deps.db.members.find().toArray();
    for (const [command, words, said] of [
      ['members add', ['x@example.com', '--role', 'owner'], '--organization'],
      ['members add', ['x@example.com', '--role', 'owner', '--organization', RANDOM], '--organization'],
      ['members add', ['x@example.com', '--role', 'root', ...named], '--role'],
      ['members add', ['x@example.com', ...named], '--role'],
      ['members add', ['nonsense', '--role', 'owner', ...named], 'email must be an email address'],
      ['members add', ['known@example.com', '--role', 'owner', ...named], 'is a member'],
      ['members add', ['x@example.com', '--rolle', 'owner'], '--rolle'],
      ['members remove', [], 'address'],
      ['members remove', ['unknown@example.com', ...named], 'no such member'],
    ] as const) {
      const refused = await memberCommands[command].run(deps, [...words]).catch((error: Error) => error.message);
      expect(refused, words.join(' ')).to.contain(said);
    }
    expect(await deps.db.members.find().toArray()).to.deep.equal(before);
  });
});
