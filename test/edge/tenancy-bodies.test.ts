// Promise: projects are apart.
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { fullPath } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { type Environment, startEnvironment, type Tenant } from '../support/environment.ts';
import { makers } from './makers.ts';

const SENDER = 'sender@own.example.com';

/** Calls whose body names a thing by its id: which maker makes it, an id that nothing has, and the body. */
type Named = [path: string, maker: string, random: string, body: (id: string) => object];
const id = 'fedcba9876543210fedcba98';
const mail = { from: { email: SENDER }, subject: 'x', text: 'x' };
const campaign = { name: 'x', subject: 'x', publish: false };
const withHtml = { ...campaign, htmlTemplate: '<p>x</p>' };
const step = (email: object) => ({
  name: 'x',
  steps: [
    { type: 'wait', delay: { value: 1, unit: 'days' } },
    { type: 'email', email: { subject: 'x', ...email } },
  ],
  active: true,
});
const named: Named[] = [
  ['/campaigns', 'templateId', 'A-0123456789abcdef0123', (templateId) => ({ ...campaign, templateId })],
  ['/campaigns', 'senderId', id, (senderId) => ({ ...withHtml, senderId })],
  ['/campaigns', 'contactListId', id, (list) => ({ ...withHtml, toLists: [list] })],
  ['/campaigns', 'contactListId', id, (list) => ({ ...withHtml, excludeLists: [list] })],
  ['/campaigns/audience', 'contactListId', id, (list) => ({ toLists: [list] })],
  ['/campaigns/audience', 'contactListId', id, (list) => ({ excludeLists: [list] })],
  ['/campaigns/audience', 'campaignId', id, (campaignId) => ({ audience: { campaignId, did: 'notOpened' } })],
  ['/campaigns/audience', 'groupId', 'ZZZZZZ', (unsubscribeGroupId) => ({ unsubscribeGroupId })],
  ['/campaigns', 'groupId', 'ZZZZZZ', (unsubscribeGroupId) => ({ ...withHtml, unsubscribeGroupId })],
  ['/contacts/email', 'contactListId', id, (list) => ({ email: 'a@example.com', listIds: [list] })],
  ['/contacts', 'contactListId', id, (list) => ({ email: 'b@example.com', listIds: [list] })],
  [
    '/contacts/bulk-update',
    'contactListId',
    id,
    (list) => ({ contacts: [{ email: 'c@example.com', listIds: [list] }] }),
  ],
  ['/contact-lists/contacts/search', 'contactListId', id, (contactListId) => ({ contactListId })],
  [
    '/contact-lists/contacts/bulk-add',
    'contactListId',
    id,
    (list) => ({ contactListId: list, emails: ['d@example.com'] }),
  ],
  ['/suppression-groups/entries', 'groupId', 'ZZZZZZ', (groupId) => ({ groupId })],
  ['/suppression-groups/emails/suppress', 'groupId', 'ZZZZZZ', (groupId) => ({ emails: ['e@example.com'], groupId })],
  ['/suppression-groups/emails/unsuppress', 'groupId', 'ZZZZZZ', (groupId) => ({ emails: ['e@example.com'], groupId })],
  [
    '/mails/send',
    'templateId',
    'A-0123456789abcdef0123',
    (templateId) => ({ ...mail, to: { email: 'f@in.test' }, templateId }),
  ],
  ['/mails/send', 'groupId', 'ZZZZZZ', (group) => ({ ...mail, to: { email: 'f@in.test' }, unsubscribeGroupId: group })],
  [
    '/mails/bulk',
    'templateId',
    'A-0123456789abcdef0123',
    (templateId) => ({ ...mail, recipients: [{ email: 'g@in.test' }], templateId }),
  ],
  [
    '/mails/batch',
    'templateId',
    'A-0123456789abcdef0123',
    (templateId) => ({ mails: [{ ...mail, to: { email: 'h@in.test' }, templateId }] }),
  ],
  [
    '/mails/batch',
    'groupId',
    'ZZZZZZ',
    (group) => ({ mails: [{ ...mail, to: { email: 'h@in.test' }, unsubscribeGroupId: group }] }),
  ],
  ['/automations', 'templateId', 'A-0123456789abcdef0123', (templateId) => step({ templateId })],
  [
    '/automations',
    'groupId',
    'ZZZZZZ',
    (group) => ({ ...step({ htmlTemplate: '<p>x</p>' }), unsubscribeGroupId: group }),
  ],
  [
    '/automations',
    'contactListId',
    id,
    (list) => ({ name: 'x', steps: [{ type: 'update_contact', stepId: 'x', update: { removeListIds: [list] } }] }),
  ],
  ['/events/send', 'contactId', id, (contactId) => ({ eventName: 'known', contactId })],
];

const isListed = (name: string) => makers[name]?.isListed ?? true;

describe("Another project's things where no path names them", () => {
  let environment: Environment;
  /** Of every kind, in the other project. */
  const theirs = new Map<string, string>();
  before(async () => {
    environment = await startEnvironment();
    const { deps, own, other } = environment;
    await seedVerifiedDomain(deps, own.project, SENDER.split('@')[1] ?? '', new ObjectId());
    await own.client.post('/events', { eventName: 'known' });
    for (const [name, { make }] of Object.entries(makers)) theirs.set(name, await make(other, environment));
    await other.client.post('/suppression-groups/emails/suppress', { emails: ['theirs@example.com'], isGlobal: true });
  });
  after(() => environment.stop());

  for (const [path, maker, random, body] of named)
    it(`do not exist in a body of POST ${path} that names a ${maker}: ${Object.keys(body('')).join(', ')}`, async () => {
      const call = (value: string) => environment.own.client.post(path, body(value));
      const [foreign, nobody] = [await call(theirs.get(maker) ?? ''), await call(random)];
      expect(foreign.text).to.equal(nobody.text);
      expect(foreign.status).to.equal(nobody.status);
      // Refused for this id, and for nothing else in the body.
      expect(foreign.text).to.match(/NOT_FOUND|names no /);
    });

  const lists = endpointTable(createMetrics()).filter(
    ({ method, path, key, produces }) =>
      (key === 'token' || key === 'project') &&
      !path.includes('{') &&
      method === 'get' &&
      path !== '/stream' &&
      (produces === undefined || path.includes('export')),
  );
  const searches: [string, object][] = [
    ['/contacts/search/emails', { emails: ['theirs@example.com', 'user@example.com'] }],
    ['/suppression-groups/entries', { search: 'theirs' }],
    ['/suppression-groups/entries', { email: 'theirs@example.com' }],
  ];

  /** Every answer that lists, finds or exports. */
  async function pictureOf({ client }: Tenant, some = lists): Promise<string> {
    const pages = await Promise.all(some.map((endpoint) => client.get(fullPath(endpoint, endpoint.path))));
    const found = await Promise.all(searches.map(([path, body]) => client.post(path, body)));
    for (const { status, text } of [...pages, ...found]) expect(status, text).to.equal(200);
    return [...pages, ...found].map(({ text }) => withoutCallTimes(text)).join('\n');
  }

  it('are in no list, search or export', async () => {
    const shown = await pictureOf(environment.other);
    const listed = [...theirs].filter(([, value]) => shown.includes(value)).map(([name]) => name);
    expect(listed, 'what the neighbour is shown').to.have.members([...theirs.keys()].filter(isListed));
    const ours = await pictureOf(environment.own);
    for (const [name, value] of theirs) expect(ours.includes(value), name).to.equal(false);
    expect(ours).to.not.contain('theirs@example.com').and.to.not.contain(environment.other.project._id.toHexString());
  });

  it('are not removed, suppressed or changed by address', async () => {
    const { own, other } = environment;
    // Figures of this moment change by themselves.
    const lasting = lists.filter(({ operation }) => !['reports.now', 'reports.health'].includes(operation));
    const before = await pictureOf(other, lasting);
    const emails = ['theirs@example.com', 'user@example.com'];
    for (const [path, body] of [
      ['/contacts/remove', { emails }],
      ['/contacts/bulk-update', { contacts: emails.map((email) => ({ email, firstName: 'Ours' })) }],
      ['/suppression-groups/emails/unsuppress', { emails, isGlobal: true }],
      ['/events/send', { eventName: 'known', email: 'user@example.com' }],
      ['/contacts/remove', { emails }],
    ] as const)
      expect((await own.client.post(path, body)).status, path).to.be.within(200, 202);
    expect(await pictureOf(other, lasting)).to.equal(before);
  });
});

/** Reports end at the time of the call. */
function withoutCallTimes(text: string): string {
  return text.replace(/"(from|to|at)":"[^"]*"/g, '');
}
