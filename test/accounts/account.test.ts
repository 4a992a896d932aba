import { expect } from 'chai';
import { startEnvironment, useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';

/** Two seconds of memory; the rest is for a machine that is busy. */
const STOPS_WITHIN = { ms: 15_000 };

describe('Projects and keys', () => {
  const environment = useEnvironment();

  const admin = () => environment.client(environment.own.adminKey);
  const unknownId = '0123456789abcdef01234567';

  it('get project answers every documented field, and no key or credential', async () => {
    const { project } = environment.own;
    const { status, body, text } = await admin().get(`/account/projects/${project._id}`);
    expect(status).to.equal(200);
    expect(body.success).to.equal(true);
    expect(body.data).to.deep.equal({
      id: project._id.toHexString(),
      name: 'Own project',
      domain: null,
      domains: [],
      createdAt: project.createdAt.toISOString(),
      updatedAt: project.createdAt.toISOString(),
      trackingOpen: true,
      trackingClick: true,
      sandboxAddresses: false,
      sandboxSuppressions: false,
      dkimAlgorithms: ['rsa-sha256', 'ed25519-sha256'],
      timezone: 'UTC',
      timezoneProperty: null,
      frequencyCap: null,
      publicName: null,
      logoUrl: null,
      color: null,
      postalAddress: null,
      languageProperty: 'language',
      consentAddress: 'shortened',
      publicFrom: null,
    });
    expect(text).to.not.match(/AS_|ASA_|hash|PRIVATE|publicKey|selector/i);
  });

  it('get project: a malformed id is 400 VALIDATION_ERROR, a foreign one 404 PROJECT_NOT_FOUND, a project key 403', async () => {
    const malformed = await admin().get('/account/projects/nonsense');
    expect([malformed.status, malformed.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    const foreign = await admin().get(`/account/projects/${environment.other.project._id}`);
    const random = await admin().get(`/account/projects/${unknownId}`);
    expect([foreign.status, foreign.body.error.code]).to.deep.equal([404, 'PROJECT_NOT_FOUND']);
    expect(foreign.text).to.equal(random.text);
    const wrongKey = await environment.own.client.get(`/account/projects/${environment.own.project._id}`);
    expect([wrongKey.status, wrongKey.body.error.code]).to.deep.equal([403, undefined]);
  });

  it('a project is created, listed, changed and deleted, and its keys stop with it', async () => {
    const created = await admin().post('/account/projects', { name: 'Second', trackingOpen: false });
    expect(created.status).to.equal(201);
    expect(created.body.data).to.include({ name: 'Second', trackingOpen: false, trackingClick: true });
    const { id } = created.body.data;
    const listed = [];
    for (const page of [1, 2]) {
      const { projects, pagination } = (await admin().get(`/account/projects?limit=1&page=${page}`)).body.data;
      expect(pagination).to.deep.equal({ page, limit: 1, total: 2, pages: 2 });
      listed.push(...projects.map((project: { id: string }) => project.id));
    }
    // Two processes may make them within the same second, in either order.
    expect(listed).to.have.members([environment.own.project._id.toHexString(), id]);
    const changed = await admin().patch(`/account/projects/${id}`, { name: 'Renamed' });
    expect(changed.body.data).to.include({ name: 'Renamed', trackingOpen: false });
    const sandbox = { sandboxAddresses: true, sandboxSuppressions: true };
    expect((await admin().patch(`/account/projects/${id}`, sandbox)).body.data).to.include(sandbox);
    const wrong = await admin().patch(`/account/projects/${id}`, { sandboxAddresses: 'yes' });
    expect(wrong.status).to.equal(400);
    expect(wrong.body.error.details).to.match(/^sandboxAddresses: /);
    expect((await admin().get(`/account/projects/${id}`)).body.data).to.include({ ...sandbox, name: 'Renamed' });

    const key = await admin().post(`/account/projects/${id}/api-keys`, { name: 'integration' });
    expect(key.status).to.equal(201);
    const client = environment.client(key.body.data.key);
    expect((await client.get('/contacts')).status).to.equal(200);
    expect((await admin().delete(`/account/projects/${id}`)).body).to.deep.equal({ success: true });
    await until(
      () => client.get('/contacts'),
      ({ status }) => status === 401,
      STOPS_WITHIN,
    );
    expect((await admin().get(`/account/projects/${id}`)).status).to.equal(404);
  });

  it('a change of a project whose domains cannot be read is not stored, and can be repeated', async () => {
    const path = `/account/projects/${environment.own.project._id}`;
    const { name, updatedAt } = (await admin().get(path)).body.data;
    const { domains } = environment.deps.db;
    const { find } = domains;
    domains.find = () => {
      throw new Error('cut off');
    };
    const failed = await admin()
      .patch(path, { name: 'Seen', updatedAt })
      .finally(() => {
        domains.find = find;
      });
    expect(failed.status).to.equal(500);
    expect((await admin().get(path)).body.data).to.include({ name, updatedAt });
    expect((await admin().patch(path, { name, updatedAt })).status).to.equal(200);
  });

  it('a project has a zone, and names the property with that of a person: by its name alone, null for none', async () => {
    const path = `/account/projects/${environment.own.project._id}`;
    const patched = async (body: object) => (await admin().patch(path, body)).body;
    const zones = { timezone: 'Asia/Tokyo', timezoneProperty: 'contactProperties.home_zone' };
    expect((await patched(zones)).data).to.include({ timezone: 'Asia/Tokyo', timezoneProperty: 'home_zone' });
    expect((await patched({ name: 'Zoned' })).data).to.include({
      timezone: 'Asia/Tokyo',
      timezoneProperty: 'home_zone',
    });
    for (const [wrong, details] of [
      [{ timezone: 'Mars/Olympus' }, 'timezone: must be an IANA time zone, for example Europe/Berlin'],
      [{ timezone: '' }, 'timezone: must be an IANA time zone, for example Europe/Berlin'],
      [{ timezone: null }, 'timezone: must be a string'],
      [{ timezone: '+02:00' }, 'timezone: must be an IANA time zone, for example Europe/Berlin'],
      [
        { timezoneProperty: 'event.zone', timezone: 'UTC' },
        'timezoneProperty: must be the name of a contact property, for example timezone or contactProperties.timezone',
      ],
    ] as const)
      expect((await patched(wrong)).error.details).to.equal(details);
    expect((await admin().get(path)).body.data.timezone, 'nothing is changed by a refusal').to.equal('Asia/Tokyo');
    expect((await patched({ timezoneProperty: null, timezone: 'UTC' })).data).to.include({
      ...{ timezone: 'UTC', timezoneProperty: null },
    });
    const made = await admin().post('/account/projects', { name: 'Zoned from the start', ...zones });
    expect(made.body.data).to.include({ timezone: 'Asia/Tokyo', timezoneProperty: 'home_zone' });
    await admin().delete(`/account/projects/${made.body.data.id}`);
  });

  it('a project has a frequency cap: set, kept by other changes, and removed by null', async () => {
    const path = `/account/projects/${environment.own.project._id}`;
    const patched = async (body: object) => (await admin().patch(path, body)).body;
    const group = await environment.own.client.post('/suppression-groups', { name: 'Receipts' });
    const { groupId } = group.body.data;
    const foreign = await environment.other.client.post('/suppression-groups', { name: 'Foreign' });
    const frequencyCap = { mails: 3, withinDays: 7, exceptGroupIds: [groupId] };
    expect((await patched({ frequencyCap })).data.frequencyCap).to.deep.equal(frequencyCap);
    expect((await patched({ name: 'Capped' })).data.frequencyCap).to.deep.equal(frequencyCap);
    const marketing = (await environment.own.client.get('/suppression-groups?limit=100')).body.data.groups.find(
      ({ isMarketing }: { isMarketing: boolean }) => isMarketing,
    );
    const unknown = 'names no suppression group of this project';
    for (const [wrong, details] of [
      [{ withinDays: 7 }, 'frequencyCap/mails: is required'],
      [{ mails: 3 }, 'frequencyCap/withinDays: is required'],
      [{ mails: 0, withinDays: 7 }, 'frequencyCap/mails: must be from 1 to 100'],
      [{ mails: 101, withinDays: 7 }, 'frequencyCap/mails: must be from 1 to 100'],
      [{ mails: 1.5, withinDays: 7 }, 'frequencyCap/mails: must be a whole number'],
      [{ mails: 1, withinDays: 91 }, 'frequencyCap/withinDays: must be from 1 to 90'],
      [{ mails: 1, withinDays: 1, exceptGroupIds: groupId }, 'frequencyCap/exceptGroupIds: must be an array'],
      [{ mails: 1, withinDays: 1, exceptGroupIds: [groupId, 'NOSUCH'] }, `frequencyCap/exceptGroupIds/1: ${unknown}`],
      [
        { mails: 1, withinDays: 1, exceptGroupIds: [foreign.body.data.groupId] },
        `frequencyCap/exceptGroupIds/0: ${unknown}`,
      ],
      [
        { mails: 1, withinDays: 1, exceptGroupIds: [marketing.groupId] },
        'frequencyCap/exceptGroupIds/0: must not be the marketing group, which no mail names',
      ],
    ] as const) {
      const { status, body } = await admin().patch(path, { frequencyCap: wrong });
      expect([status, body.error.details]).to.deep.equal([400, details]);
    }
    expect((await admin().get(path)).body.data.frequencyCap, 'a refusal').to.deep.equal(frequencyCap);
    const refused = await environment.own.client.delete(`/suppression-groups/${groupId}`);
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      409,
      'The suppression group is named by the frequency cap of the project; take it out there first.',
    ]);
    expect((await patched({ frequencyCap: { mails: 1, withinDays: 90 } })).data.frequencyCap).to.deep.equal({
      ...{ mails: 1, withinDays: 90, exceptGroupIds: [] },
    });
    expect((await environment.own.client.delete(`/suppression-groups/${groupId}`)).status).to.equal(200);
    expect((await patched({ frequencyCap: null })).data.frequencyCap).to.equal(null);
  });

  it('a key is shown once, stored as a hash, and stops within five seconds of its revocation', async () => {
    const path = `/account/projects/${environment.own.project._id}/api-keys`;
    const { body } = await admin().post(path, { name: 'short-lived' });
    const { key, id } = body.data;
    expect(key).to.match(/^AS_[A-Za-z0-9]{8}_[A-Za-z0-9]{32}$/);
    const listed = await admin().get(path);
    expect(listed.body.data.apiKeys.map(({ name }: { name: string }) => name)).to.include('short-lived');
    expect(listed.text).to.not.contain(key);
    const stored = JSON.stringify(await environment.deps.db.apiKeys.find().toArray());
    expect(stored).to.not.contain(key).and.not.contain(key.split('_')[2]);

    const client = environment.client(key);
    expect((await client.get('/contacts')).status).to.equal(200);
    const last = key.endsWith('a') ? 'b' : 'a';
    const almost = environment.client(key.slice(0, -1) + last);
    expect((await almost.get('/contacts')).status, 'a secret that differs in one letter').to.equal(401);
    expect((await admin().delete(`/account/api-keys/${id}`)).body).to.deep.equal({ success: true });
    await until(
      () => client.get('/contacts'),
      ({ status }) => status === 401,
      STOPS_WITHIN,
    );
    expect((await admin().delete(`/account/api-keys/${id}`)).body.error.code).to.equal('API_KEY_NOT_FOUND');
  });

  it('another organization sees, changes and revokes nothing of ours', async () => {
    const stranger = environment.client(environment.other.adminKey);
    const path = `/account/projects/${environment.own.project._id}`;
    const key = (await admin().post(`${path}/api-keys`, { name: 'ours' })).body.data;
    const attempts = [
      await stranger.patch(path, { name: 'taken' }),
      await stranger.delete(path),
      await stranger.get(`${path}/api-keys`),
      await stranger.post(`${path}/api-keys`, { name: 'x' }),
      await stranger.delete(`/account/api-keys/${key.id}`),
    ];
    expect(attempts.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 404]);
    expect((await environment.client(key.key).get('/contacts')).status).to.equal(200);
  });

  it('bad keys from one address are limited, good ones from the same address are not', async () => {
    const limited = await startEnvironment({ AUTH_FAILURE_LIMIT: '10' });
    try {
      const bad = limited.client('AS_aaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
      const answers = [];
      for (let attempt = 0; attempt < 22; attempt += 1) answers.push(await bad.get('/contacts'));
      const refused = answers.filter(({ status }) => status === 429);
      // A minute may turn in the middle of the run, and starts a new count.
      expect(refused.length).to.be.within(2, 12);
      expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(1, 60);
      expect((await limited.own.client.get('/contacts')).status).to.equal(200);
    } finally {
      await limited.stop();
    }
  });

  it('bad keys from the addresses of one IPv6 network are limited together, and not those of another network', async () => {
    const limited = await startEnvironment({ AUTH_FAILURE_LIMIT: '10', TRUSTED_PROXIES: '1' });
    try {
      const from = (address: string) =>
        limited.client('AS_aaaaaaaa_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', { 'X-Forwarded-For': address }).get('/contacts');
      const statuses = [];
      for (let host = 1; host <= 22; host += 1) statuses.push((await from(`2001:db8:0:1::${host}`)).status);
      // A minute may turn in the middle of the run, and starts a new count.
      expect(statuses.filter((status) => status === 429).length).to.be.within(2, 12);
      expect((await from('2001:db8:0:2::1')).status).to.equal(401);
    } finally {
      await limited.stop();
    }
  });

  it('a key over its limit is answered 429 with Retry-After, another key is not', async () => {
    const limited = await startEnvironment({ RATE_LIMIT: '10' });
    try {
      const answers = [];
      for (let attempt = 0; attempt < 22; attempt += 1) answers.push(await limited.own.client.get('/contacts'));
      const refused = answers.filter(({ status }) => status === 429);
      // A minute may turn in the middle of the run, and starts a new count.
      expect(refused.length).to.be.within(2, 12);
      expect(refused[0]?.body.error.code).to.equal('RATE_LIMIT_EXCEEDED');
      expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(1, 60);
      expect((await limited.other.client.get('/contacts')).status).to.equal(200);
    } finally {
      await limited.stop();
    }
  });
});
