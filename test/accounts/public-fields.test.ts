import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

describe('The fields of a project that people outside see', () => {
  const environment = useEnvironment();
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await environment.newTenant('Look');
  });

  const admin = () => environment.client(tenant.adminKey);
  const path = () => `/account/projects/${tenant.project._id}`;
  const change = (fields: object) => admin().patch(path(), fields);
  const stored = () => environment.deps.db.projects.findOne({ _id: tenant.project._id });

  const defaults = {
    publicName: null,
    logoUrl: null,
    color: null,
    postalAddress: null,
    languageProperty: 'language',
    consentAddress: 'shortened',
    publicFrom: null,
  };

  it('are set one by one, keep what a call does not name, and null makes each the default again', async () => {
    const { deps } = environment;
    await seedVerifiedDomain(deps, tenant.project, 'look.example.com', new ObjectId());
    const before = (await admin().get(path())).body.data;
    expect(before).to.deep.include(defaults);
    const given = {
      publicName: 'The Shop',
      logoUrl: 'https://cdn.example.com/logo.png?v=2',
      color: '#1D4FD8',
      postalAddress: ' The Shop\r\nMarket Square 1\r10115 Berlin\n',
      languageProperty: 'sprache',
      consentAddress: 'full',
      publicFrom: { email: 'Hello@look.example.com', name: 'The Shop' },
    };
    const kept = {
      ...given,
      color: '#1d4fd8',
      postalAddress: 'The Shop\nMarket Square 1\n10115 Berlin',
      publicFrom: { email: 'hello@look.example.com', name: 'The Shop' },
    };
    for (const [field, value] of Object.entries(given)) {
      const { status, text } = await change({ [field]: value });
      expect(status, text).to.equal(200);
    }
    expect((await admin().get(path())).body.data).to.deep.include({ ...kept, name: tenant.project.name });
    expect((await change({ name: 'Renamed' })).body.data).to.deep.include({ ...kept, name: 'Renamed' });
    const nothing = Object.fromEntries(Object.keys(given).map((field) => [field, null]));
    expect((await change(nothing)).body.data).to.deep.equal({ ...(await admin().get(path())).body.data, ...defaults });
    expect(await stored()).to.not.have.any.keys(Object.keys(given));
  });

  it('may be given when the project is made, but for the sender, whose domain must be verified first', async () => {
    const fields = { publicName: 'New', color: '#00ff00', postalAddress: 'Street 1\nTown', consentAddress: 'none' };
    const made = await admin().post('/account/projects', { name: 'New project', ...fields });
    expect([made.status, made.body.data]).to.deep.equal([201, { ...made.body.data, ...defaults, ...fields }]);
  });

  it('keep a change of one field when another is changed at the same time', async () => {
    await Promise.all([
      ...Array.from({ length: 5 }, () => change({ color: '#123456' })),
      ...Array.from({ length: 5 }, () => change({ trackingOpen: false })),
      ...Array.from({ length: 5 }, () => change({ publicName: 'Both' })),
    ]);
    expect((await admin().get(path())).body.data).to.include({
      color: '#123456',
      trackingOpen: false,
      publicName: 'Both',
    });
  });

  for (const [field, value] of [
    ['publicName', ''],
    ['publicName', '  '],
    ['publicName', 'a\nb'],
    ['publicName', 'a'.repeat(201)],
    ['logoUrl', 'http://example.com/logo.png'],
    ['logoUrl', 'https://127.0.0.1/logo.png'],
    ['logoUrl', 'https://intranet/logo.png'],
    ['logoUrl', 'https://user@example.com/logo.png'],
    ['logoUrl', 'javascript:alert(1)'],
    ['logoUrl', 'data:image/png;base64,AAAA'],
    ['logoUrl', `https://example.com/${'a'.repeat(2_048)}`],
    ['color', 'red'],
    ['color', '#12345'],
    ['color', '#1234567'],
    ['color', '#12345g'],
    ['color', '#123456;}'],
    ['postalAddress', ''],
    ['postalAddress', '\n'],
    ['postalAddress', 'a\u0007'],
    ['postalAddress', 'a'.repeat(501)],
    ['languageProperty', ''],
    ['languageProperty', 'a b'],
    ['languageProperty', 'a.b'],
    ['languageProperty', 'a'.repeat(65)],
    ['consentAddress', 'all'],
    ['publicFrom', 'hello@example.com'],
    ['publicFrom', {}],
    ['publicFrom', { email: 'nothing' }],
  ] as const)
    it(`are refused with 400 and the field, and nothing is written: ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const { status, body } = await change({ name: 'Changed', [field]: value });
      expect([status, body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(body.error.details).to.match(new RegExp(`^${field}(/email)?: `));
      expect(await stored()).to.deep.equal(tenant.project);
    });

  it('have a sender on a verified domain of this project alone: 422 for one of another project', async () => {
    const { deps, other } = environment;
    await seedVerifiedDomain(deps, other.project, 'theirs.example.com', new ObjectId());
    for (const email of ['hello@theirs.example.com', 'hello@unknown.example.com']) {
      const { status, body } = await change({ publicFrom: { email } });
      expect([status, body.error.code, body.error.details]).to.deep.equal([
        422,
        'DOMAIN_NOT_VERIFIED',
        'publicFrom/email: is not on a verified domain of this project',
      ]);
    }
    expect(await stored()).to.deep.equal(tenant.project);
  });
});
