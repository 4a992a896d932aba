import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { type Tenant, useEnvironment } from '../support/environment.ts';

const TEXT = 'Yes, send me the monthly news.';
const ASKED = '2026-03-02T10:29:12+01:00';
const CONFIRMED = '2026-03-02T09:31:00.000Z';
const randomId = '0123456789abcdef01234567';

describe('Consents given with contacts', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Consents');
  });

  const db = () => environment.deps.db;
  const mine = () => ({ projectId: tenant.project._id });
  const stored = () => db().consents.find(mine()).sort({ createdAt: 1, _id: 1 }).toArray();
  const consentsOf = async (id: string, query = '') => {
    const { status, body, text } = await tenant.client.get(`/contacts/${id}/consents${query}`);
    expect(status, text).to.equal(200);
    return body.data;
  };
  /** A second later, so that records have an order. */
  const later = (method: 'post' | 'patch', path: string, body: object) => {
    environment.clock.advance(1_000);
    return tenant.client[method](path, body);
  };
  const upsert = (body: object, headers?: Record<string, string>) =>
    tenant.client.post('/contacts/email', body, headers);
  const newList = async (name: string) => (await tenant.client.post('/contact-lists', { name })).body.data.id as string;

  it('are records with the text, its version, the times, the lists, and the network of the address', async () => {
    const list = await newList('News');
    const { body } = await upsert({
      email: 'Ada@example.com',
      listIds: [list],
      consent: { text: TEXT, askedAt: ASKED, confirmedAt: CONFIRMED, networkAddress: '203.0.113.77' },
    });
    const { consents, pagination } = await consentsOf(body.data.id);
    expect(pagination).to.deep.equal({ page: 1, limit: 20, total: 1, pages: 1 });
    const { id, createdAt, textVersion, ...rest } = consents[0];
    expect(id).to.match(/^[0-9a-f]{24}$/);
    expect(textVersion).to.match(/^[0-9a-f]{12}$/);
    expect(Date.parse(createdAt)).to.be.at.least(Date.parse(body.data.createdAt) - 1_000);
    expect(rest).to.deep.equal({
      email: 'ada@example.com',
      source: 'api',
      formId: null,
      importId: null,
      listIds: [list],
      text: TEXT,
      askedAt: '2026-03-02T09:29:12.000Z',
      confirmedAt: CONFIRMED,
      networkAddress: '203.0.113.0/24',
    });
  });

  it('are taken by every call that adds or changes contacts', async () => {
    const list = await newList('News');
    const [created, upserted] = [
      await tenant.client.post('/contacts', { email: 'a@example.com', consent: { text: 'created' } }),
      await later('post', '/contacts/email', { email: 'a@example.com', consent: { text: 'upserted' } }),
    ];
    const id = created.body.data.id as string;
    expect([created.status, upserted.status, upserted.body.data.id]).to.deep.equal([201, 200, id]);
    const changed = await later('patch', `/contacts/${id}`, { firstName: 'A', consent: { text: 'changed' } });
    expect(changed.status, changed.text).to.equal(200);
    const bulk = await later('post', '/contacts/bulk-update', {
      contacts: [
        { email: 'a@example.com', listIds: [list], consent: { text: 'bulk' } },
        { email: 'b@example.com', consent: { text: 'bulk of b' } },
        { email: 'c@example.com' },
      ],
    });
    expect(bulk.body.data).to.include({ successCount: 3 });
    const consent = { text: 'list', networkAddress: '2001:db8:1:2::3' };
    const emails = ['a@example.com', 'b@example.com', 'new@example.com'];
    const added = await later('post', '/contact-lists/contacts/bulk-add', {
      contactListId: list,
      emails,
      consent,
    });
    expect(added.status, added.text).to.equal(200);
    const ofA = await consentsOf(id);
    expect(ofA.consents.map(({ text, listIds }: { text: string; listIds: string[] }) => [text, listIds])).to.deep.equal(
      [
        ['list', [list]],
        ['bulk', [list]],
        ['changed', []],
        ['upserted', []],
        ['created', []],
      ],
    );
    const all = await stored();
    const texts = (email: string) => all.filter((one) => one.email === email).map(({ text }) => text);
    expect(texts('b@example.com')).to.deep.equal(['bulk of b', 'list']);
    expect(texts('new@example.com')).to.deep.equal(['list']);
    expect(texts('c@example.com')).to.deep.equal([]);
    expect(all.filter(({ text }) => text === 'list').map(({ networkAddress }) => networkAddress)).to.deep.equal(
      Array(3).fill('2001:db8:1::/48'),
    );
  });

  it('are pages, newest first, and the same text has the same version', async () => {
    for (const [index, text] of ['one', 'two', 'one'].entries()) {
      const consent = { text, askedAt: `2026-03-0${index + 1}T00:00:00Z` };
      await later('post', '/contacts/email', { email: 'a@example.com', consent });
    }
    const id = (await db().contacts.findOne(mine()))?._id.toHexString() as string;
    const [first, second] = [await consentsOf(id, '?limit=2'), await consentsOf(id, '?limit=2&page=2')];
    expect(first.pagination).to.deep.equal({ page: 1, limit: 2, total: 3, pages: 2 });
    const all = [...first.consents, ...second.consents];
    expect(
      all.map(({ text, askedAt }: { text: string; askedAt: string }) => [text, askedAt.slice(0, 10)]),
    ).to.deep.equal([
      ['one', '2026-03-03'],
      ['two', '2026-03-02'],
      ['one', '2026-03-01'],
    ]);
    expect(all[0].textVersion).to.equal(all[2].textVersion);
    expect(all[0].textVersion).to.not.equal(all[1].textVersion);
  });

  it('have the time of the confirmation, or of the call, where askedAt is left out', async () => {
    environment.clock.advance(60_000);
    const before = environment.clock.now();
    await upsert({ email: 'a@example.com', consent: { text: 'call' } });
    environment.clock.advance(1_000);
    await upsert({ email: 'a@example.com', consent: { text: 'confirmed', confirmedAt: CONFIRMED, askedAt: null } });
    const [call, confirmed] = await stored();
    expect(call?.askedAt.getTime()).to.be.within(before.getTime(), environment.clock.now().getTime());
    expect(call?.confirmedAt).to.equal(null);
    expect([confirmed?.askedAt.toISOString(), confirmed?.confirmedAt?.toISOString()]).to.deep.equal([
      CONFIRMED,
      CONFIRMED,
    ]);
  });

  it('are recorded once for the same Idempotency-Key, also when the first try died after its write', async () => {
    const key = { 'Idempotency-Key': crypto.randomUUID() };
    const body = { email: 'a@example.com', consent: { text: TEXT } };
    const first = await upsert(body, key);
    expect((await upsert(body, key)).text).to.equal(first.text);
    const died = { state: 'running' as const, leaseUntil: new Date(0), status: null, body: null };
    const { matchedCount } = await db().idempotency.updateMany({ state: 'done' }, { $set: died });
    expect(matchedCount).to.equal(1);
    const again = await upsert(body, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).to.deep.equal([200, null]);
    expect(await stored()).to.have.length(1);
  });

  it('are recorded once for the same evidence, and again for another time', async () => {
    const given = { email: 'a@example.com', consent: { text: TEXT, askedAt: ASKED } };
    await upsert(given);
    await upsert(given);
    expect(await stored()).to.have.length(1);
    await upsert({ ...given, consent: { ...given.consent, confirmedAt: CONFIRMED } });
    await upsert({ ...given, consent: { ...given.consent, askedAt: '2026-03-03T00:00:00Z' } });
    expect(await stored()).to.have.length(3);
  });

  it('keep as much of the network address as the project says', async () => {
    const kept = async (consentAddress: 'full' | 'none') => {
      tenant = await environment.newTenant(consentAddress);
      const admin = environment.client(tenant.adminKey);
      const path = `/account/projects/${tenant.project._id}`;
      expect((await admin.patch(path, { consentAddress })).status).to.equal(200);
      await upsert({ email: 'a@example.com', consent: { text: TEXT, networkAddress: '::ffff:203.0.113.77' } });
      return (await stored()).map(({ networkAddress }) => networkAddress);
    };
    expect(await kept('full')).to.deep.equal(['203.0.113.77']);
    expect(await kept('none')).to.deep.equal([null]);
  });

  it('are in the activity of the contact', async () => {
    const { body } = await upsert({ email: 'a@example.com', consent: { text: TEXT, askedAt: ASKED } });
    const { activity } = (await tenant.client.get(`/contacts/${body.data.id}/activity`)).body.data;
    const [consent] = await stored();
    const entry = activity.find(({ type }: { type: string }) => type === 'consent.recorded');
    expect(entry.consent).to.deep.equal({
      ...{ consentId: consent?._id.toHexString(), source: 'api', textVersion: consent?.textVersion },
      ...{ askedAt: '2026-03-02T09:29:12.000Z', confirmedAt: null },
    });
    expect(activity.map(({ type }: { type: string }) => type)).to.have.members(['consent.recorded', 'contact.created']);
  });

  describe('are refused', () => {
    const ahead = () => new Date(environment.clock.now().getTime() + 120_000).toISOString();
    const bad: [string, () => unknown, string][] = [
      ['without a text', () => ({ askedAt: ASKED }), 'consent/text: is required'],
      ['with a blank text', () => ({ text: ' \n ' }), 'consent/text: must not be blank'],
      ['with an empty text', () => ({ text: '' }), 'consent/text: must not be empty'],
      ['with a long text', () => ({ text: 'x'.repeat(4_001) }), 'consent/text: must be 4000 characters at most'],
      ['with a number as text', () => ({ text: 1 }), 'consent/text: must be a string'],
      ['asked at no time', () => ({ text: TEXT, askedAt: 'yesterday' }), 'consent/askedAt: must be an ISO 8601 time'],
      ['asked without a zone', () => ({ text: TEXT, askedAt: '2026-03-02T10:29:12' }), 'consent/askedAt: must be'],
      ['asked on a day', () => ({ text: TEXT, askedAt: '2026-03-02' }), 'consent/askedAt: must be an ISO 8601 time'],
      ['asked in the future', () => ({ text: TEXT, askedAt: ahead() }), 'consent/askedAt: must not be in the future'],
      ['confirmed in the future', () => ({ text: TEXT, confirmedAt: ahead() }), 'consent/confirmedAt: must not be in'],
      [
        'confirmed before they were asked',
        () => ({ text: TEXT, askedAt: CONFIRMED, confirmedAt: ASKED }),
        'consent/confirmedAt: must not be before askedAt',
      ],
      ['from no address', () => ({ text: TEXT, networkAddress: '203.0.113' }), 'consent/networkAddress: must be an IP'],
      ['from a network', () => ({ text: TEXT, networkAddress: '203.0.113.0/24' }), 'consent/networkAddress: must be'],
      ['as a list', () => [TEXT], 'consent: must be an object'],
      ['as null', () => null, 'consent: must be an object'],
      ['as a text', () => TEXT, 'consent: must be an object'],
    ];
    for (const [title, make, details] of bad)
      it(`${title}: 400 names the field, and nothing is written`, async () => {
        const consent = make();
        const known = (await upsert({ email: 'known@example.com' })).body.data.id as string;
        const list = await newList('News');
        const emails = ['a@example.com'];
        for (const answer of [
          await upsert({ email: 'a@example.com', consent }),
          await tenant.client.post('/contacts', { email: 'a@example.com', consent }),
          await tenant.client.patch(`/contacts/${known}`, { firstName: 'Ada', consent }),
          await tenant.client.post('/contact-lists/contacts/bulk-add', { contactListId: list, emails, consent }),
        ]) {
          expect(answer.status, answer.text).to.equal(400);
          expect(answer.body.error.details).to.contain(details);
        }
        const bulk = await tenant.client.post('/contacts/bulk-update', {
          contacts: [{ email: 'a@example.com', consent }, { email: 'b@example.com' }],
        });
        const [error] = bulk.body.data.errors;
        expect([bulk.body.data.successCount, error.index, error.email]).to.deep.equal([1, 0, 'a@example.com']);
        expect(error.message).to.match(/^consent/);
        const contacts = await db().contacts.find(mine()).sort({ email: 1 }).toArray();
        expect(contacts.map(({ email, firstName }) => [email, firstName])).to.deep.equal([
          ['b@example.com', null],
          ['known@example.com', null],
        ]);
        expect(await stored()).to.deep.equal([]);
      });

    it('with a change that is refused', async () => {
      const consent = { text: TEXT };
      const id = (await upsert({ email: 'a@example.com' })).body.data.id as string;
      await upsert({ email: 'taken@example.com' });
      await tenant.client.post('/custom-fields', { fieldName: 'age', fieldType: 'number' });
      const age = { age: 'old' };
      const statuses = [
        await tenant.client.post('/contacts', { email: 'a@example.com', consent }),
        await tenant.client.patch(`/contacts/${id}`, { email: 'taken@example.com', consent }),
        await tenant.client.patch(`/contacts/${randomId}`, { firstName: 'A', consent }),
        await upsert({ email: 'new@example.com', contactProperties: age, consent }),
        await upsert({ email: 'new@example.com', listIds: [randomId], consent }),
      ].map(({ status }) => status);
      expect(statuses).to.deep.equal([409, 409, 404, 400, 404]);
      const contacts = [
        { email: 'new@example.com', contactProperties: age, consent },
        { email: 'good@example.com', consent },
      ];
      expect((await tenant.client.post('/contacts/bulk-update', { contacts })).body.data.failedCount).to.equal(1);
      expect((await stored()).map(({ email }) => email)).to.deep.equal(['good@example.com']);
    });
  });

  it('of a contact of another project are not found', async () => {
    const theirs = (
      await environment.other.client.post('/contacts/email', { email: 'a@example.com', consent: { text: TEXT } })
    ).body.data.id;
    const [foreign, random] = [
      await tenant.client.get(`/contacts/${theirs}/consents`),
      await tenant.client.get(`/contacts/${new ObjectId()}/consents`),
    ];
    expect([foreign.status, foreign.body.error]).to.deep.equal([404, random.body.error]);
  });
});
