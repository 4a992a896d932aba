import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { type Endpoint, PREVIEWS_A_MINUTE, pathParameters } from '../../api/http/endpoint.ts';
import { endpointTable } from '../../api/http/table.ts';
import { pathOf } from '../../api/mcp/arguments.ts';
import { mailings } from '../../api/mcp/people.ts';
import { toolsInScope, toolsOf } from '../../api/mcp/tools.ts';
import type { Campaign } from '../../core/campaigns/model.ts';
import { freezeAudience } from '../../core/campaigns/run/freeze.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { isInScope, operations, type Scope, TOOLS_MAX } from '../../schemas/operations.ts';
import { makers } from '../edge/makers.ts';
import { type Tenant, useEnvironment } from '../support/environment.ts';
import { calledOf, connect, rpc, use } from './support.ts';

const tools = toolsOf(endpointTable(createMetrics()));
const namesOf = (scope: Scope) => toolsInScope(tools, scope).map(({ name }) => name);

describe('The tools of MCP', () => {
  it(`are at most ${TOOLS_MAX}, under names that every model interface takes, each once`, () => {
    expect(TOOLS_MAX).to.equal(40);
    expect(tools.length).to.be.within(30, TOOLS_MAX);
    for (const { name } of tools) expect(name).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(tools.map(({ name }) => name)).size).to.equal(tools.length);
    expect(namesOf('full')).to.include.members(['why', 'simulate', 'reconcile']);
  });

  it('are nothing about organizations, keys, domains, exports or deletion, and nothing that shows a secret', () => {
    for (const { endpoint } of tools) {
      expect(endpoint.operation).to.not.match(
        /^(projects|apiKeys|domains|system|public|mcp|stream|imports)\.|[dD]elete|export/,
      );
      expect(['token', 'project'], endpoint.operation).to.include(endpoint.key);
      expect([endpoint.secret, endpoint.produces, endpoint.rawBody], endpoint.operation).to.deep.equal([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  it('take no provider key, and no argument of two meanings', () => {
    for (const { name, endpoint, inputSchema } of tools) {
      const names = [...pathParameters(endpoint.path), ...propertiesOf(endpoint.query), ...propertiesOf(endpoint.body)];
      expect(new Set(names).size, name).to.equal(names.length);
      const shown = Object.keys(inputSchema.properties as object);
      expect(
        shown.filter((one) => /key|secret|password/i.test(one) && one !== 'idempotencyKey'),
        name,
      ).to.deep.equal([]);
    }
    expect(propertiesOf(tools.find(({ name }) => name === 'migrations_retry')?.endpoint.body)).to.include('apiKey');
  });

  it('have arguments in JSON Schema 2020-12, without formats and keywords of ours', () => {
    const formats = { email: true, 'date-time': true, uri: true, uuid: true } as const;
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, formats });
    for (const { inputSchema } of tools) ajv.compile(inputSchema);
  });

  it('only read for a read key: the hint of a tool and the scope of its operation agree', () => {
    for (const { name, endpoint, definition } of tools) {
      const { readOnlyHint, destructiveHint } = definition.annotations as Record<string, boolean>;
      expect(readOnlyHint, name).to.equal(isInScope('read', endpoint.operation));
      if (readOnlyHint) expect(destructiveHint, name).to.equal(false);
    }
    expect(namesOf('send')).to.deep.equal(['emails_list', 'emails_get', 'inbound_reply', 'mails_send', 'mails_bulk']);
  });

  it('are listed in docs/mcp.md, with their scopes and whether they ask', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \| (.*) \|$/gm)].map(([, name, scopes, what = '']) => ({
      name,
      scopes: scopes?.match(/\w+/g) ?? [],
      asks: what.endsWith('Asks.'),
      summary: what.split('. ')[0]?.replace(/\.$/, ''),
    }));
    const expected = tools.map(({ name, endpoint: { operation, summary } }) => ({
      name,
      scopes: (['send', 'read'] as const).filter((scope) => isInScope(scope, operation)),
      asks: operation in mailings,
      summary,
    }));
    expect(rows).to.deep.equal(expected);
  });

  it('that write either mail one person at most, or ask first when it is more', () => {
    const writing = tools.filter(({ endpoint }) => !operations[endpoint.operation].tool?.readOnlyHint);
    const others = writing.map(({ endpoint }) => endpoint.operation).filter((operation) => !(operation in mailings));
    // Pauses and suppressions stop mail; a contact and an event concern one person; templates are sent by other calls.
    const single = ['campaigns.pause', 'automations.pause', 'suppressionGroups.suppress'];
    expect(others).to.have.members([...single, 'contacts.upsert', 'events.send', 'templates.update']);
    for (const operation of Object.keys(mailings))
      expect(tools.map(({ endpoint }) => endpoint.operation)).to.include(operation);
  });

  describe('for a key', () => {
    const environment = useEnvironment();
    before(() => seedVerifiedDomain(environment.deps, environment.own.project, 'mail.example.com', new ObjectId()));

    async function keyOf(scope: 'send' | 'read', more: object = {}): Promise<string> {
      const { project, adminKey } = environment.own;
      const path = `/account/projects/${project._id}/api-keys`;
      const made = await environment.client(adminKey).post(path, { name: scope, scope, ...more });
      expect(made.status, made.text).to.equal(201);
      return made.body.data.key;
    }

    for (const scope of ['send', 'read'] as const)
      it(`of the scope ${scope} are those of its scope; another one does not exist`, async () => {
        const client = await connect(environment.url, await keyOf(scope));
        const listed = await client.listTools();
        expect(listed.tools.map(({ name }) => name)).to.deep.equal(namesOf(scope));
        const foreign = namesOf('full').find((name) => !namesOf(scope).includes(name)) as string;
        const refused = await client.callTool({ name: foreign, arguments: {} }).catch(({ message }) => message);
        expect(refused).to.contain('has no such tool');
        await client.close();
      });

    it('save templates as drafts alone, whatever an agent says; a campaign publishes no template of other mail', async () => {
      const { own, url } = environment;
      const { templateId } = (
        await own.client.post('/templates', { templateName: 'Shared', subject: 'S', emailTemplate: '<p>Published</p>' })
      ).body.data;
      const client = await connect(url, own.projectKey);
      const { tools: listed } = await client.listTools();
      const schema = listed.find(({ name }) => name === 'templates_update')?.inputSchema.properties ?? {};
      expect(Object.keys(schema)).to.include('emailTemplate').and.not.include('draft');
      const change = { templateId, emailTemplate: '<p>By an agent</p>' };
      expect((await use(client, 'templates_update', { ...change, draft: false })).text).to.contain('draft: is unknown');
      const saved = await use(client, 'templates_update', change);
      expect(saved.data).to.include({ publishedVersion: 1, draftVersion: 2, emailTemplate: change.emailTemplate });
      const draft = { name: 'C', subject: 'S', templateId };
      const { id } = (await own.client.post('/campaigns', { ...draft, publish: false })).body.data;
      for (const [tool, given] of [
        ['campaigns_create', draft],
        ['campaigns_update', { campaignId: id, templateId }],
      ] as const) {
        const refused = await use(client, tool, { ...given, htmlTemplate: change.emailTemplate });
        expect([refused.isError, refused.text]).to.match(/^true,.*takes one of templateId, htmlTemplate, content/s);
      }
      const { emailTemplate } = (await own.client.get(`/templates/${templateId}`)).body.data;
      expect(emailTemplate).to.equal('<p>Published</p>');
      await client.close();
    });

    it('of the scope read send nothing, whatever is called', async () => {
      const client = await connect(environment.url, await keyOf('read'));
      const given = { to: { email: 'a@in.test' }, from: { email: 'a@mail.example.com' }, subject: 'x', text: 'x' };
      const refused = await client.callTool({ name: 'mails_send', arguments: given }).catch(({ code }) => code);
      expect(refused).to.equal(-32602);
      expect((await environment.own.client.get('/emails')).body.data.pagination.total).to.equal(0);
      expect((await use(client, 'contacts_list')).isError).to.equal(false);
      await client.close();
    });

    it('of the scope send send from its domain alone, and read their own mail alone', async () => {
      await seedVerifiedDomain(environment.deps, environment.own.project, 'other.example.com', new ObjectId());
      const client = await connect(environment.url, await keyOf('send', { domainName: 'mail.example.com' }));
      const mail = { to: { email: 'a@in.test' }, subject: 'x', text: 'x' };
      const refused = await use(client, 'mails_send', { ...mail, from: { email: 'a@other.example.com' } });
      expect(refused.text).to.contain('[PERMISSION_DENIED]').and.contain('sends mail from mail.example.com only');
      const sent = await use(client, 'mails_send', { ...mail, from: { email: 'a@mail.example.com' } });
      const others = await environment.own.client.post('/mails/send', {
        ...mail,
        from: { email: 'a@mail.example.com' },
      });
      const listed = await use(client, 'emails_list');
      expect(listed.data.emails.map(({ id }: { id: string }) => id)).to.deep.equal([sent.data.emailId]);
      expect((await use(client, 'emails_get', { emailId: others.body.data.emailId })).text).to.contain(
        'EMAIL_NOT_FOUND',
      );
      await client.close();
    });

    const gets = tools.filter(({ endpoint }) => endpoint.method === 'get');
    for (const { name, endpoint } of gets)
      it(`${name} answers what GET ${endpoint.path} answers`, async () => {
        const params = await thingsOf(endpoint);
        const client = await connect(environment.url, environment.own.projectKey);
        const [called, reply] = [
          await use(client, name, params),
          await environment.own.client.get(pathOf(endpoint, params)),
        ];
        await client.close();
        expect(called.isError).to.equal(reply.status !== 200);
        if (called.isError) expect(called.text).to.contain(reply.body.error.message).and.contain(reply.body.error.code);
        else expect(called.data).to.deep.equal(reply.body.data);
      });

    async function thingsOf({ path }: Endpoint): Promise<Record<string, string>> {
      const made = pathParameters(path).map(async (name) => [
        name,
        await makers[name]?.make(environment.own, environment),
      ]);
      return Object.fromEntries(await Promise.all(made));
    }

    it('why says by which entry a suppressed person got nothing, and reconcile counts the person', async () => {
      const { own, deps } = environment;
      const email = 'left@example.org';
      const contactId = (await own.client.post('/contacts', { email })).body.data.id;
      const list = (await own.client.post('/contact-lists', { name: 'Readers' })).body.data.id;
      await own.client.post('/contact-lists/contacts/bulk-add', { contactListId: list, emails: [email] });
      await own.client.post('/suppression-groups/emails/suppress', { emails: [email], isGlobal: true });
      const draft = { name: 'News', subject: 'News', htmlTemplate: '<p>News</p>', toLists: [list] };
      const campaignId = (await own.client.post('/campaigns', draft)).body.data.id;
      const ids = { _id: new ObjectId(campaignId), projectId: own.project._id };
      const $set = { status: 'sending', startedAt: new Date() } as const;
      const campaign = await deps.db.campaigns.findOneAndUpdate(ids, { $set }, { returnDocument: 'after' });
      await freezeAudience(deps, campaign as Campaign, { signal: new AbortController().signal, onProgress() {} });
      await deps.db.campaigns.updateOne(ids, { $set: { 'counts.suppressed': 5 } });
      const client = await connect(environment.url, own.projectKey);
      const why = await use(client, 'why', { campaignId, contactId });
      expect(why.data.recipient.status, why.text).to.equal('suppressed');
      expect(why.data.reason).to.match(/suppress/i);
      const { data } = await use(client, 'reconcile', { campaignId });
      expect(data.differences).to.deep.include({ count: 'suppressed', ledger: 1, stored: 5 });
      await client.close();
    });

    it('simulate says what an automation would do, and sends nothing', async () => {
      const { own, deps } = environment;
      const before = await deps.db.messages.countDocuments({ projectId: own.project._id });
      const automationId = await makers.automationId?.make(own, environment);
      const contactId = await makers.contactId?.make(own, environment);
      const client = await connect(environment.url, own.projectKey);
      const { isError, text } = await use(client, 'simulate', { automationId, contact: { contactId } });
      expect(isError, text).to.equal(false);
      expect(text).to.match(/wait/);
      await client.close();
      expect(await deps.db.messages.countDocuments({ projectId: own.project._id })).to.equal(before);
    });

    it('have the limit of their endpoint: after 600 previews a minute an agent waits; other tools and projects do not', async () => {
      const [own, other] = [await environment.newTenant('Costly'), await environment.newTenant('Another')];
      const call = async ({ client }: Tenant, name: string, given: object) =>
        calledOf((await client.post('/mcp', rpc('tools/call', { name, arguments: given }))).body.result).text;
      const preview = (tenant: Tenant) => call(tenant, 'templates_preview', { templateId: 'A-00000000000000000000' });
      const answers: string[] = [];
      const limitedAt = () => answers.findIndex((text) => text.includes('RATE_LIMIT_EXCEEDED'));
      // A minute may end in between.
      while (limitedAt() < 0 && answers.length <= 2 * PREVIEWS_A_MINUTE.most)
        answers.push(...(await Promise.all(Array.from({ length: 20 }, () => preview(own)))));
      expect(limitedAt()).to.be.at.least(PREVIEWS_A_MINUTE.most);
      expect(answers[limitedAt()]).to.match(/Try again in \d+ seconds/);
      expect(await call(own, 'contacts_list', {})).to.contain('"contacts":[]');
      expect(await preview(other)).to.contain('TEMPLATE_NOT_FOUND');
    });

    it('answer a fault of the interface as a fault of the tool, with its code, details and remedy', async () => {
      const client = await connect(environment.url, environment.own.projectKey);
      const cases: [string, Record<string, unknown>, string][] = [
        ['campaigns_get', { campaignId: 'nonsense' }, '[CAMPAIGN_NOT_FOUND]'],
        ['campaigns_get', {}, 'campaignId is required'],
        ['campaigns_get', { campaignId: 5 }, 'campaignId must be a text'],
        ['campaigns_get', { campaignId: 'x'.repeat(300) }, 'campaignId must be a text'],
        ['contacts_list', { limit: 101 }, 'limit: must be from 1 to 100'],
        ['contacts_list', { limit: 'many' }, 'limit: must be a whole number'],
        ['contacts_list', { serach: 'a' }, 'serach: is unknown'],
        ['contacts_upsert', {}, 'email: is required'],
        ['contacts_upsert', { email: 'a@example.org', customFields: {} }, 'customFields: is unknown'],
        ['migrations_retry', { migrationId: 'x', apiKey: 're_secret' }, 'apiKey: is unknown'],
        ['campaigns_create', { name: 'x', subject: 'y' }, 'Give templateId, htmlTemplate or content'],
        ['contacts_upsert', { email: 'a@example.org', idempotencyKey: 'ü' }, 'printable ASCII'],
      ];
      for (const [name, given, words] of cases) {
        const called = await use(client, name, given);
        expect([called.isError, called.text.includes(words)], `${name}: ${called.text}`).to.deep.equal([true, true]);
      }
      await client.close();
    });

    it('write what the same request writes', async () => {
      const client = await connect(environment.url, environment.own.projectKey);
      const written = await use(client, 'contacts_upsert', { email: 'New@example.org', firstName: 'Ada' });
      const read = await environment.own.client.get(`/contacts/${written.data.id}`);
      expect(written.data).to.deep.equal(read.body.data);
      await client.close();
    });
  });
});

function propertiesOf(schema: Endpoint['body']): string[] {
  return Object.keys((schema?.json.properties ?? {}) as object);
}
