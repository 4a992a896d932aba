import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { email, wait } from '../automations/support.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';

interface Kind {
  path: string;
  plural: string;
  /** Of a thing with this name. */
  bodyOf: (name: string) => object;
  nameOf: (thing: Record<string, string>) => string | undefined;
  /** Whether they are sorted by their times; ids of one second have no order. */
  isByTime?: true;
  /** Where names are words. */
  names?: readonly [string, string, string];
  max?: number;
}

const UNSUBSCRIBE = '<a href="{{unsubscribe}}">Leave</a>';

const kinds: readonly Kind[] = [
  {
    ...{ path: '/templates', plural: 'templates', isByTime: true, max: 200 },
    bodyOf: (templateName) => ({ templateName, subject: 'Hello', emailTemplate: '<p>Hello</p>' }),
    nameOf: ({ templateName }) => templateName,
  },
  {
    ...{ path: '/suppression-groups', plural: 'groups', isByTime: true, max: 200 },
    bodyOf: (name) => ({ name }),
    nameOf: ({ name }) => name,
  },
  {
    ...{ path: '/senders', plural: 'senders', isByTime: true, max: 320 },
    bodyOf: (name) => ({ name, email: `s${new ObjectId().toHexString()}@mail.example.com` }),
    nameOf: ({ name }) => name,
  },
  {
    ...{ path: '/automations', plural: 'automations', max: 255 },
    bodyOf: (name) => ({ name, steps: [wait(1, 'days'), email('first')] }),
    nameOf: ({ name }) => name,
  },
  {
    ...{ path: '/campaigns', plural: 'campaigns', max: 200 },
    bodyOf: (name) => ({ name, subject: 'Hello', from: { email: 'post@mail.example.com' }, htmlTemplate: UNSUBSCRIBE }),
    nameOf: ({ name }) => name,
  },
  {
    ...{ path: '/events', plural: 'events', max: 64 },
    bodyOf: (eventName) => ({ eventName }),
    nameOf: ({ eventName }) => eventName,
    names: ['Cafe_north', 'cafe_south', 'other'],
  },
];

describe('Things of a project that have names', () => {
  const environment = useEnvironment();
  let [own, other]: Tenant[] = [];
  before(async () => {
    ({ own, other } = environment);
    for (const tenant of [environment.own, environment.other])
      await seedVerifiedDomain(environment.deps, tenant.project, 'mail.example.com', new ObjectId()).catch(() => null);
  });

  for (const { path, plural, bodyOf, nameOf, isByTime, names = ['Café (Nord)', 'Café Süd', 'Other'], max } of kinds)
    it(`are found by a part of the name, in the project alone: ${path}`, async () => {
      const [north, south, rest] = names;
      for (const name of names) {
        const made = await own?.client.post(path, bodyOf(name));
        expect(made?.status, made?.text).to.be.within(200, 201);
      }
      const find = async (query: Record<string, string>, tenant = own) => {
        const found = await tenant?.client.get(`${path}?${new URLSearchParams({ page: '1', ...query })}`);
        expect(found?.status, found?.text).to.equal(200);
        return found?.body.data[plural].map(nameOf);
      };
      const newest: Record<string, string> = ['/senders', '/suppression-groups'].includes(path)
        ? { newestFirst: 'true' }
        : {};
      const found = await find({ search: north.slice(0, 4).toUpperCase(), ...newest });
      if (isByTime) expect(found).to.deep.equal([south, north]);
      else expect(found).to.have.members([south, north]);
      if (isByTime) expect(await find({ limit: '1', ...newest })).to.deep.equal([rest]);
      expect(await find({ search: south.slice(1) })).to.deep.equal([south]);
      expect(await find({ search: '.*' })).to.deep.equal([]);
      if (path !== '/events') expect(await find({ search: '(' })).to.deep.equal([north]);
      expect(await find({ search: north }, other)).to.deep.equal([]);
      const long = await own?.client.get(`${path}?search=${'x'.repeat((max ?? 0) + 1)}`);
      expect([long?.status, long?.body.error.details]).to.deep.equal([
        400,
        `search: must be ${max} characters at most`,
      ]);
    });

  it('senders are also found by a part of the address', async () => {
    await own?.client.post('/senders', { name: 'Harbour', email: 'post@mail.example.com' });
    const { senders } = (await own?.client.get('/senders?search=POST@'))?.body.data ?? {};
    expect(senders.map(({ name }: { name: string }) => name)).to.deep.equal(['Harbour']);
  });
});
