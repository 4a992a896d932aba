import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../../../core/domains/domains.ts';
import { type AuthorRuleName, authorRules } from '../../../schemas/author-rules.ts';
import type { Client, Reply } from '../../support/client.ts';
import { type Environment, useEnvironment } from '../../support/environment.ts';
import { type SignedIn, signIn } from '../signed-in.ts';

const HTML = '<p>Hello</p>';
const SENDER = 'news@mail.example.com';
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const gradual = { emailsPerDay: 10, growth: '1.25x', timezone: 'UTC' };
/** Complete, so that publishing it fails for no other reason. */
const test = { from: { email: SENDER } };
const draft = { name: 'News', subject: 'News', htmlTemplate: HTML, from: { email: SENDER }, sendToGlobalList: true };
const step = (email: object = { htmlTemplate: HTML, subject: 'Hello' }) => ({
  name: 'Welcome',
  entryCriteria: { type: 'contact_created' },
  steps: [
    { type: 'wait', delay: { value: 1, unit: 'days' } },
    { type: 'email', email: { senderEmail: SENDER, ...email } },
  ],
});

interface Case {
  rule: AuthorRuleName;
  operation: string;
  says: string;
  /** An editor may. */
  refused(client: Client, environment: Environment): Promise<Reply>;
  /** The same call without the effect. */
  allowed(client: Client, environment: Environment): Promise<Reply>;
}

async function idOf(reply: Promise<Reply>): Promise<string> {
  const { status, body, text } = await reply;
  expect(status, text).to.be.within(200, 202);
  return body.data.templateId && !body.data.status ? body.data.templateId : body.data.id;
}

const made = {
  draft: ({ own: { client } }: Environment) => idOf(client.post('/campaigns', { ...draft, publish: false })),
  scheduled: ({ own: { client } }: Environment, more: object = {}) =>
    idOf(client.post('/campaigns', { ...draft, ...more, publish: true, scheduledAt: tomorrow() })),
  template: ({ own: { client } }: Environment) =>
    idOf(client.post('/templates', { templateName: 'Shared', emailTemplate: HTML, subject: 'Shared' })),
};

const published: [string, object][] = [
  ['sendNow', { sendNow: true }],
  ['publish and sendNow', { publish: true, sendNow: true }],
  ['scheduledAt', { scheduledAt: tomorrow() }],
  ['publish and scheduledAt', { publish: true, scheduledAt: tomorrow() }],
  ['a gradual plan, even without a time', { gradual }],
  ['a gradual plan and sendNow', { gradual, sendMode: 'gradual', sendNow: true }],
  ['publish and a gradual plan', { publish: true, gradual, sendMode: 'gradual' }],
];

const rows = [{ email: 'row@example.com', firstName: 'Row' }];
const upload = (client: Client, query = '') =>
  client.send('POST', `/contacts/import${query}`, {
    body: 'email\nrow@example.com\n',
    headers: { 'Content-Type': 'text/csv' },
  });
const uploadForm = (client: Client, fields: Record<string, string>) => {
  const form = new FormData();
  form.set('file', new Blob(['email\nrow@example.com\n'], { type: 'text/csv' }), 'rows.csv');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return client.send('POST', '/contacts/import', { body: form });
};

const cases: Case[] = [
  ...published.map(
    ([says, fields]): Case => ({
      rule: 'publish',
      operation: 'campaigns.create',
      says,
      refused: (client) => client.post('/campaigns', { ...draft, ...fields }),
      allowed: (client) => client.post('/campaigns', { ...draft, ...fields, publish: false }),
    }),
  ),
  ...published.map(
    ([says, fields]): Case => ({
      rule: 'publish',
      operation: 'campaigns.update',
      says,
      refused: async (client, environment) => client.patch(`/campaigns/${await made.draft(environment)}`, fields),
      allowed: async (client, environment) =>
        client.patch(`/campaigns/${await made.draft(environment)}`, { ...fields, publish: false }),
    }),
  ),
  {
    rule: 'publish',
    operation: 'campaigns.update',
    says: 'sendNow: false, where the draft has a time',
    refused: async (client, { own }) => {
      const id = await idOf(own.client.post('/campaigns', { ...draft, publish: false, scheduledAt: tomorrow() }));
      return client.patch(`/campaigns/${id}`, { sendNow: false });
    },
    allowed: async (client, environment) =>
      client.patch(`/campaigns/${await made.draft(environment)}`, { sendNow: false }),
  },
  {
    rule: 'changePublished',
    operation: 'campaigns.update',
    says: 'a scheduled one',
    refused: async (client, environment) =>
      client.patch(`/campaigns/${await made.scheduled(environment)}`, { subject: 'Other' }),
    allowed: async (client, environment) =>
      client.patch(`/campaigns/${await made.draft(environment)}`, { subject: 'Other' }),
  },
  {
    rule: 'changePublished',
    operation: 'campaigns.update',
    says: 'a scheduled one, back to a draft',
    refused: async (client, environment) =>
      client.patch(`/campaigns/${await made.scheduled(environment)}`, { publish: false }),
    allowed: async (client, environment) =>
      client.patch(`/campaigns/${await made.draft(environment)}`, { publish: false }),
  },
  {
    rule: 'changePublished',
    operation: 'campaigns.update',
    says: 'a paused one',
    refused: async (client, environment) => {
      const id = await made.scheduled(environment);
      await environment.own.client.post(`/campaigns/${id}/pause`);
      return client.patch(`/campaigns/${id}`, { sendRatePerSecond: 7 });
    },
    allowed: async (client, environment) =>
      client.patch(`/campaigns/${await made.draft(environment)}`, { sendRatePerSecond: 7 }),
  },
  {
    rule: 'makePublic',
    operation: 'contactLists.create',
    says: 'isPublic',
    refused: (client) => client.post('/contact-lists', { name: 'By an author', isPublic: true }),
    allowed: (client) => client.post('/contact-lists', { name: 'By an author', isPublic: false }),
  },
  {
    rule: 'activate',
    operation: 'automations.create',
    says: 'active: true',
    refused: (client) => client.post('/automations', { ...step(), active: true }),
    allowed: (client) => client.post('/automations', { ...step(), active: false }),
  },
  {
    rule: 'changeActivated',
    operation: 'automations.update',
    says: 'a paused one',
    refused: async (client, { own }) => {
      const id = await idOf(own.client.post('/automations', { ...step(), active: true }));
      await own.client.post(`/automations/${id}/pause`);
      return client.patch(`/automations/${id}`, { name: 'Other' });
    },
    allowed: async (client, { own }) =>
      client.patch(`/automations/${await idOf(own.client.post('/automations', step()))}`, { name: 'Another' }),
  },
  {
    rule: 'changeActivated',
    operation: 'automations.update',
    says: 'draft: false',
    refused: async (client, { own }) => {
      const id = await idOf(own.client.post('/automations', { ...step(), active: true }));
      await own.client.post(`/automations/${id}/pause`);
      return client.patch(`/automations/${id}`, { name: 'Other', draft: false });
    },
    allowed: async (client, { own }) => {
      const id = await idOf(own.client.post('/automations', { ...step(), active: true }));
      return client.patch(`/automations/${id}`, { name: 'Another', draft: true });
    },
  },
  {
    rule: 'mailOthers',
    operation: 'campaigns.test',
    says: 'an address of nobody here',
    refused: async (client, environment) =>
      client.post(`/campaigns/${await made.draft(environment)}/test`, { emails: ['stranger@in.test'] }),
    allowed: async (client, environment) =>
      client.post(`/campaigns/${await made.draft(environment)}/test`, { emails: ['Reviewer@Example.com'] }),
  },
  {
    rule: 'mailOthers',
    operation: 'campaigns.test',
    says: 'a stranger beside a member',
    refused: async (client, environment) =>
      client.post(`/campaigns/${await made.draft(environment)}/test`, {
        emails: ['reviewer@example.com', 'reviewer+x@example.com'],
      }),
    allowed: async (client, environment) =>
      client.post(`/campaigns/${await made.draft(environment)}/test`, {
        emails: ['reviewer@example.com', ' REVIEWER@example.com'],
      }),
  },
  {
    rule: 'mailOthers',
    operation: 'campaigns.test',
    says: 'a member of another organization',
    refused: async (client, environment) =>
      client.post(`/campaigns/${await made.draft(environment)}/test`, { emails: ['theirs@example.com'] }),
    allowed: async (client, environment) =>
      client.post(`/campaigns/${await made.draft(environment)}/test`, { emails: ['reviewer@example.com'] }),
  },
  {
    rule: 'mailOthers',
    operation: 'templates.test',
    says: 'an address of nobody here',
    refused: async (client, environment) =>
      client.post(`/templates/${await made.template(environment)}/test`, { ...test, emails: ['stranger@in.test'] }),
    allowed: async (client, environment) =>
      client.post(`/templates/${await made.template(environment)}/test`, { ...test, emails: ['reviewer@example.com'] }),
  },
  {
    rule: 'startAutomations',
    operation: 'contacts.bulkUpdate',
    says: 'runWorkflow',
    refused: (client) => client.post('/contacts/bulk-update', { contacts: rows, runWorkflow: true }),
    allowed: (client) => client.post('/contacts/bulk-update', { contacts: rows, runWorkflow: false }),
  },
  {
    rule: 'startAutomations',
    operation: 'contacts.import',
    says: 'runWorkflow in the query',
    refused: (client) => upload(client, '?runWorkflow=true'),
    allowed: (client) => upload(client, '?runWorkflow=false'),
  },
  {
    rule: 'startAutomations',
    operation: 'contacts.import',
    says: 'runWorkflow in the form, whatever the query says',
    refused: (client) => uploadForm(client, { runWorkflow: 'true' }),
    allowed: (client) => uploadForm(client, { runWorkflow: 'false' }),
  },
];

describe('An author', () => {
  const environment = useEnvironment();
  let author: SignedIn;
  let editor: SignedIn;
  before(async () => {
    const { deps, own, other } = environment;
    await seedVerifiedDomain(deps, own.project, 'mail.example.com', new ObjectId());
    author = await signIn(environment, own, 'author');
    editor = await signIn(environment, own, 'editor');
    await signIn(environment, own, 'viewer', 'reviewer@example.com');
    await signIn(environment, other, 'viewer', 'theirs@example.com');
  });

  it('has a case for each rule and operation', () => {
    const named = new Set(cases.map(({ rule, operation }) => `${rule} ${operation}`));
    const expected = Object.entries(authorRules).flatMap(([rule, { operations }]) =>
      operations.map((operation) => `${rule} ${operation}`),
    );
    expect([...named].toSorted()).to.deep.equal(expected.toSorted());
  });

  for (const { rule, operation, says, refused, allowed } of cases)
    describe(`by ${operation} with ${says}`, () => {
      it(`may not ${authorRules[rule].may}: 403 PERMISSION_DENIED, and nothing is written`, async () => {
        const before = { ...(await snapshot()) };
        const { status, body, text } = await refused(author.client, environment);
        expect([status, body.error?.code], text).to.deep.equal([403, 'PERMISSION_DENIED']);
        expect(body.error.message).to.contain(`An author may not ${authorRules[rule].may}`);
        expect(body.error.details).to.match(/^role: author /);
        expect(await snapshot()).to.deep.equal(before);
      });

      it('may do it without that', async () => {
        const { status, text } = await allowed(author.client, environment);
        expect(status, text).to.be.within(200, 202);
      });

      it('needs an editor for it', async () => {
        const { status, text } = await refused(editor.client, environment);
        expect(status, text).to.be.within(200, 202);
      });
    });

  /** Writes of the author. The cases prepare their things with a key. */
  async function snapshot() {
    const { db } = environment.deps;
    const { _id: memberId } = author.member;
    const [campaigns, templates, automations] = await Promise.all(
      [db.campaigns, db.templates, db.automations].map((collection) =>
        (collection as typeof db.templates).countDocuments({ createdBy: memberId }),
      ),
    );
    const lists = await db.contactLists.countDocuments({ name: 'By an author' });
    const [imports, files] = [await db.imports.countDocuments(), await db.importChunks.countDocuments()];
    const tests = await db.messages.countDocuments({ subject: /^\[Test\]/ });
    const renamed = await db.automations.countDocuments({ name: 'Other' });
    const subjects = await db.campaigns.countDocuments({ subject: 'Other' });
    const contacts = await db.contacts.countDocuments();
    return { campaigns, templates, automations, lists, imports, files, tests, subjects, renamed, contacts };
  }

  it('marks what is made in the console with the member and the source; keys leave both as they were', async () => {
    const memberId = author.member._id.toHexString();
    for (const [client, by] of [
      [author.client, { createdBy: memberId, source: 'dashboard' }],
      [environment.own.client, { createdBy: null, source: 'api' }],
    ] as const) {
      const campaign = (await client.post('/campaigns', { ...draft, publish: false })).body.data;
      expect(campaign).to.include(by);
      expect(campaign.template).to.include(by);
      expect((await client.get(`/campaigns/${campaign.id}`)).body.data).to.include(by);
      const copy = (await client.post(`/campaigns/${campaign.id}/duplicate`)).body.data;
      expect(copy).to.include(by);
      const template = await client.post('/templates', { templateName: 'A', emailTemplate: HTML });
      expect(template.body.data).to.include(by);
      const automation = (await client.post('/automations', step())).body.data;
      expect(automation.createdBy).to.equal(by.createdBy);
      const changed = await environment.own.client.patch(`/automations/${automation.id}`, { name: 'Renamed' });
      expect(changed.body.data.createdBy, 'is kept by a change').to.equal(by.createdBy);
    }
  });

  it('who saves a draft while an editor publishes it changes it before, or not at all', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await made.draft(environment);
      const [saved, published] = await Promise.all([
        author.client.patch(`/campaigns/${id}`, { subject: `By the author ${round}` }),
        editor.client.patch(`/campaigns/${id}`, { publish: true, scheduledAt: tomorrow() }),
      ]);
      expect(published.status, published.text).to.equal(200);
      expect(saved.status, saved.text).to.be.oneOf([200, 403]);
      const subject = (await editor.client.get(`/campaigns/${id}`)).body.data.subject;
      expect(published.body.data.subject, 'what the editor was answered is what goes out').to.equal(subject);
    }
  });
});
