import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { createApiKey } from '../../core/accounts/api-keys.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { start } from '../accounts/processes.ts';
import type { Reply } from '../support/client.ts';
import { useEnvironment } from '../support/environment.ts';
import { type AnswerOf, calledOf, no, type Question, rpc, use, yes } from './support.ts';

const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const mail = { from: { email: 'news@mail.example.com' }, subject: 'Hello', text: 'Hello' };
const toTwo = { ...mail, to: { email: 'a@example.org' }, cc: [{ email: 'b@example.org' }] };

describe('MCP without sessions (2026-07-28)', () => {
  const environment = useEnvironment();
  before(() => seedVerifiedDomain(environment.deps, environment.own.project, 'mail.example.com', new ObjectId()));

  const sent = () => environment.deps.db.messages.countDocuments({ projectId: environment.own.project._id });

  /** The client of the official SDK, second generation. */
  async function connect(answerOf?: AnswerOf, url = environment.url): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { capabilities: answerOf ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: { pin: VERSION } } },
    );
    if (answerOf)
      client.setRequestHandler('elicitation/create', ({ params }) => answerOf(params as unknown as Question) as never);
    const requestInit = { headers: { Authorization: `Bearer ${environment.own.projectKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/v1/mcp`), { requestInit }));
    return client;
  }

  /** A request as bytes, with the headers and fields that the version asks for; `changed` replaces headers. */
  function request(
    method: string,
    params: object = {},
    {
      key = environment.own.projectKey,
      meta = {},
      changed = {},
    }: { key?: string; meta?: object; changed?: object } = {},
  ): Promise<Reply> {
    const _meta = { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: { elicitation: {} }, ...meta };
    const { name } = params as { name?: string };
    const headers = { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': method, ...(name ? { 'Mcp-Name': name } : {}) };
    const all = Object.entries({ ...headers, ...changed }).filter(([, value]) => value !== null);
    return environment.client(key).post('/mcp', rpc(method, { _meta, ...params }), Object.fromEntries(all));
  }

  const call = (given: object, more: object = {}, options: Parameters<typeof request>[2] = {}) =>
    request('tools/call', { name: 'mails_send', arguments: given, ...more }, options);
  const confirmed = { inputResponses: { confirm: { action: 'accept', content: { confirm: true } } } };

  it('is spoken by the official client: discovery, list and call', async () => {
    const client = await connect();
    expect(client.getServerVersion()).to.include({ name: 'everpost' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.include.members(['why', 'simulate', 'reconcile']);
    const { data } = await use(client, 'contacts_list');
    expect(data.contacts).to.deep.equal([]);
    await client.close();
  });

  it('says its versions, and that the list of tools is that of the key', async () => {
    const { body } = await request('server/discover');
    expect(body.result.supportedVersions).to.deep.equal([VERSION, '2025-11-25', '2025-06-18']);
    expect(body.result).to.include({ resultType: 'complete', cacheScope: 'private' });
    expect(body.result.capabilities).to.deep.equal({ tools: {} });
  });

  describe('a call that sends to several people', () => {
    it('asks through the official client, and sends when the user confirms', async () => {
      const before = await sent();
      const asked: string[] = [];
      const client = await connect((question) => {
        asked.push(question.message);
        return yes(question);
      });
      const called = await use(client, 'mails_send', toTwo);
      await client.close();
      expect(called.isError, called.text).to.equal(false);
      expect(asked).to.have.length(1);
      expect(asked[0]).to.contain('sends to 2 people');
      expect(await sent()).to.equal(before + 1);
    });

    it('sends nothing when the user declines', async () => {
      const before = await sent();
      const client = await connect(no);
      const called = await use(client, 'mails_send', toTwo);
      await client.close();
      expect(called.text).to.contain('did not confirm; nothing was sent');
      expect(await sent()).to.equal(before);
    });

    it('is refused for a client without elicitation, with the capability that it lacks', async () => {
      const before = await sent();
      const refused = await call(toTwo, {}, { meta: { [`${META}clientCapabilities`]: {} } });
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, -32021]);
      expect(refused.body.error.data.requiredCapabilities).to.deep.equal({ elicitation: { form: {} } });
      expect(refused.body.error.message).to.contain('does not support elicitation');
      expect(await sent()).to.equal(before);
    });

    async function question(given: object = toTwo): Promise<{ requestState: string }> {
      const { body } = await call(given);
      expect(body.result.resultType).to.equal('input_required');
      expect(body.result.inputRequests.confirm.method).to.equal('elicitation/create');
      return { requestState: body.result.requestState };
    }

    it('is sent once for one confirmation, also when two repeats arrive at the same time', async () => {
      const before = await sent();
      const state = await question();
      const both = await Promise.all([
        call(toTwo, { ...state, ...confirmed }),
        call(toTwo, { ...state, ...confirmed }),
      ]);
      const called = both.map(({ body }) => calledOf(body.result));
      const made = called.filter(({ isError }) => !isError);
      for (const { isError, text } of called) if (isError) expect(text).to.contain('[IDEMPOTENCY_IN_PROGRESS]');
      expect(new Set(made.map(({ data }) => data.emailId)).size).to.equal(1);
      expect(await sent()).to.equal(before + 1);
    });

    describe('and is repeated because its answer was lost', () => {
      const repeat = async (given: object, state: object, header: object = {}) =>
        calledOf((await call(given, { ...state, ...confirmed }, { changed: header })).body.result);

      it('gets the first answer for a day, and is not sent again, whatever Idempotency-Key each try has', async () => {
        const before = await sent();
        const state = await question();
        const first = await repeat(toTwo, state, { 'Idempotency-Key': 'try 1' });
        expect(first.isError, first.text).to.equal(false);
        for (const header of [{ 'Idempotency-Key': 'try 1' }, { 'Idempotency-Key': 'try 2' }, {}]) {
          const again = await repeat(toTwo, state, header);
          expect([again.isError, again.data], again.text).to.deep.equal([false, first.data]);
        }
        environment.clock.advance(23 * 3_600_000);
        const late = await repeat(toTwo, state);
        environment.clock.advance(2 * 3_600_000);
        const tooLate = await repeat(toTwo, state);
        environment.clock.advance(-25 * 3_600_000);
        expect(late.data).to.deep.equal(first.data);
        expect([tooLate.isError, tooLate.text]).to.match(/^true,.* unknown, has expired, .*this call sent nothing/s);
        expect(await sent()).to.equal(before + 1);
      });

      it('gets the first answer of a campaign that was published, also when its list grew since', async () => {
        const { client, project } = environment.own;
        const list = (await client.post('/contact-lists', { name: 'Grew' })).body.data.id;
        const add = (email: string) =>
          client.post('/contact-lists/contacts/bulk-add', { contactListId: list, emails: [email] });
        await add('three@example.org');
        const draft = { name: 'Once', subject: 'Once', htmlTemplate: '<p>Hi</p>', from: mail.from };
        const given = { ...draft, toLists: [list], publish: true, sendNow: true };
        const create = (more: object) => request('tools/call', { name: 'campaigns_create', arguments: given, ...more });
        const { requestState } = (await create({})).body.result;
        const first = calledOf((await create({ requestState, ...confirmed })).body.result);
        expect(first.data?.status, first.text).to.equal('scheduled');
        await add('four@example.org');
        const again = calledOf((await create({ requestState, ...confirmed })).body.result);
        expect(again.data).to.deep.equal(first.data);
        const campaigns = { projectId: project._id, name: 'Once' };
        expect(await environment.deps.db.campaigns.countDocuments(campaigns)).to.equal(1);
      });

      it('is made by the repeat when the first try ended before it wrote anything', async () => {
        const before = await sent();
        const state = await question();
        const { idempotency } = environment.deps.db;
        const { insertOne } = idempotency;
        idempotency.insertOne = () => Promise.reject(new Error('cut off after the confirmation was used'));
        const cut = await repeat(toTwo, state).finally(() => {
          idempotency.insertOne = insertOne;
        });
        expect([cut.isError, await sent()]).to.deep.equal([true, before]);
        const again = await repeat(toTwo, state);
        expect(again.isError, again.text).to.equal(false);
        expect(await sent()).to.equal(before + 1);
      });

      it('says that it was made when the user refuses this time', async () => {
        const before = await sent();
        const state = await question();
        await repeat(toTwo, state);
        const refused = { inputResponses: { confirm: { action: 'decline' } } };
        const late = calledOf((await call(toTwo, { ...state, ...refused })).body.result);
        expect([late.isError, late.text]).to.match(/^true,.*confirmed this call before, and it was made then/s);
        expect(await sent()).to.equal(before + 1);
      });
    });

    it('is not sent with the confirmation of another call, another key, or one that expired', async () => {
      const { organization, project } = environment.own;
      const of = { organizationId: organization._id, projectId: project._id };
      const { key } = await createApiKey(environment.deps, { ...of, name: 'another' });
      const before = await sent();
      const state = await question();
      const changed = { ...toTwo, bcc: [{ email: 'c@example.org' }] };
      const stale = await question();
      const refused = [
        await call(changed, { ...state, ...confirmed }),
        await call({ ...toTwo, subject: 'Another' }, { ...state, ...confirmed }),
        await call(toTwo, { ...state, ...confirmed }, { key }),
        await call(toTwo, { requestState: 'made up', ...confirmed }),
      ];
      environment.clock.advance(300_001);
      refused.push(await call(toTwo, { ...stale, ...confirmed }));
      environment.clock.advance(-300_001);
      for (const { body, text } of refused) expect(calledOf(body.result).isError, text).to.equal(true);
      expect(await sent()).to.equal(before);
      const right = await call(toTwo, { ...state, ...confirmed });
      expect(calledOf(right.body.result).isError, right.text).to.equal(false);
    });

    it('is asked about again when a repeat brings no answer, or more people than were confirmed', async () => {
      const { client } = environment.own;
      const list = (await client.post('/contact-lists', { name: 'Growing' })).body.data.id;
      const add = (email: string) =>
        client.post('/contact-lists/contacts/bulk-add', { contactListId: list, emails: [email] });
      await add('one@example.org');
      const draft = { name: 'Grows', subject: 'Grows', htmlTemplate: '<p>Hi</p>', from: mail.from };
      const given = { ...draft, toLists: [list], publish: true, sendNow: true };
      const create = (more: object) => request('tools/call', { name: 'campaigns_create', arguments: given, ...more });
      const first = (await create({})).body.result;
      expect((await create({ requestState: first.requestState })).body.result.resultType).to.equal('input_required');
      await add('two@example.org');
      const again = (await create({ requestState: first.requestState, ...confirmed })).body.result;
      expect(again.inputRequests.confirm.params.message).to.contain('sends to 2 people');
      const earlier = calledOf((await create({ requestState: first.requestState, ...confirmed })).body.result);
      expect([earlier.isError, earlier.text]).to.match(/^true,.*this call sent nothing/s);
      const done = calledOf((await create({ requestState: again.requestState, ...confirmed })).body.result);
      expect(done.data.status).to.equal('scheduled');
    });

    it('may be confirmed at another API process', async function () {
      this.timeout(60_000);
      const before = await sent();
      const two = start(environment, 'api/main.ts', environment.deps.config.secretKeys.join(','));
      try {
        expect(await two.began).to.equal('ready');
        const state = await question();
        const answer = await fetch(`${two.url()}/v1/mcp`, {
          method: 'POST',
          headers: {
            ...{ Authorization: `Bearer ${environment.own.projectKey}`, 'Content-Type': 'application/json' },
            ...{ 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'mails_send' },
          },
          body: JSON.stringify(
            rpc('tools/call', {
              _meta: { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: { elicitation: {} } },
              ...{ name: 'mails_send', arguments: toTwo, ...state, ...confirmed },
            }),
          ),
        });
        expect(calledOf(((await answer.json()) as { result: unknown }).result).isError).to.equal(false);
        expect(await sent()).to.equal(before + 1);
      } finally {
        await two.stop();
      }
    });
  });

  describe('refuses with 400 and the code of the specification', () => {
    const cases: Record<string, { code: number; ask: () => Promise<Reply> }> = {
      'a header with another version than the body': {
        code: -32020,
        ask: () => request('tools/list', {}, { changed: { 'MCP-Protocol-Version': '2025-11-25' } }),
      },
      'no header with the version': {
        code: -32020,
        ask: () => request('tools/list', {}, { changed: { 'MCP-Protocol-Version': null } }),
      },
      'another method in the header': {
        code: -32020,
        ask: () => request('tools/list', {}, { changed: { 'Mcp-Method': 'tools/call' } }),
      },
      'no name of the tool in the header': {
        code: -32020,
        ask: () => request('tools/call', { name: 'contacts_list' }, { changed: { 'Mcp-Name': null } }),
      },
      'another name of the tool in the header': {
        code: -32020,
        ask: () => request('tools/call', { name: 'contacts_list' }, { changed: { 'Mcp-Name': 'why' } }),
      },
      'a version that does not exist': {
        code: -32022,
        ask: () =>
          request(
            'tools/list',
            {},
            { changed: { 'MCP-Protocol-Version': '2999-01-01' }, meta: { [`${META}protocolVersion`]: '2999-01-01' } },
          ),
      },
      'no capabilities': {
        code: -32602,
        ask: () => request('tools/list', {}, { meta: { [`${META}clientCapabilities`]: null } }),
      },
    };
    for (const [title, { code, ask }] of Object.entries(cases))
      it(title, async () => {
        const refused = await ask();
        expect([refused.status, refused.body.error?.code], refused.text).to.deep.equal([400, code]);
      });
  });

  it('takes the name of a tool in the encoded form of the header', async () => {
    const name = `=?base64?${Buffer.from('contacts_list').toString('base64')}?=`;
    const taken = await request('tools/call', { name: 'contacts_list' }, { changed: { 'Mcp-Name': name } });
    expect(calledOf(taken.body.result).isError, taken.text).to.equal(false);
  });

  it('has no ping and no initialize: unknown methods are 404 with an error of JSON-RPC', async () => {
    for (const method of ['ping', 'initialize', 'resources/list']) {
      const refused = await request(method);
      expect([refused.status, refused.body.error?.code], method).to.deep.equal([404, -32601]);
    }
  });
});
