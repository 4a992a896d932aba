import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Client as StatelessClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as StatelessTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { Forwarder } from '../../client/cli/mcp/forwarder.ts';
import { settingsOf } from '../../client/everpost.ts';
import { seedVerifiedDomain } from '../../core/domains/domains.ts';
import { useBuiltClient } from '../client/built-client.ts';
import { useEnvironment } from '../support/environment.ts';
import { until } from '../support/wait.ts';
import { type AnswerOf, initialize, no, type Question, rpc, use, yes } from './support.ts';

const toTwo = {
  ...{ from: { email: 'news@mail.example.com' }, subject: 'Hello', text: 'Hello' },
  ...{ to: { email: 'a@example.org' }, cc: [{ email: 'b@example.org' }] },
};

describe('everpost mcp', function () {
  this.timeout(60_000);
  const environment = useEnvironment();
  const built = useBuiltClient();
  const children: ChildProcess[] = [];
  before(() => seedVerifiedDomain(environment.deps, environment.own.project, 'mail.example.com', new ObjectId()));
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const settings = (more: Record<string, string> = {}) => ({
    ...(process.env as Record<string, string>),
    ...{ EVERPOST_API_KEY: environment.own.projectKey, EVERPOST_BASE_URL: environment.url, ...more },
  });
  const sent = () => environment.deps.db.messages.countDocuments({ projectId: environment.own.project._id });
  const states = async () =>
    (await environment.deps.db.confirmations.find({ projectId: environment.own.project._id }).toArray()).map(
      ({ state }) => state,
    );

  /** The official client, which starts the command itself. */
  async function connect(answerOf?: AnswerOf): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: answerOf ? { elicitation: {} } : {} });
    if (answerOf)
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(params as unknown as Question));
    const command = { command: process.execPath, args: [built.command, 'mcp'], env: settings() };
    await client.connect(new StdioClientTransport({ ...command, stderr: 'inherit' }));
    return client;
  }

  /** The command by hand: lines in, lines out. */
  function start(more: Record<string, string> = {}) {
    const child = spawn(process.execPath, [built.command, 'mcp'], { env: settings(more) });
    children.push(child);
    const lines: { id?: unknown; method?: string; error?: { code: number; message: string }; result?: object }[] = [];
    let notes = '';
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
    child.stderr.on('data', (piece) => {
      notes += piece;
    });
    return {
      child,
      lines,
      notes: () => notes,
      say: (...messages: unknown[]) => {
        for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
      },
      answerTo: async (id: unknown) =>
        (await until(
          async () => lines.find((line) => line.id === id && !line.method),
          (line) => line !== undefined,
        ))!,
      ended: once(child, 'close').then(([code]) => code as number),
    };
  }

  it('is spoken by the official client: list, call and a question to the user', async () => {
    const before = await sent();
    const asked: string[] = [];
    const client = await connect((question) => {
      asked.push(question.message);
      return yes(question);
    });
    expect(client.getServerVersion()).to.include({ name: 'everpost' });
    expect((await client.listTools()).tools.map(({ name }) => name)).to.include('why');
    expect((await use(client, 'contacts_list')).data.contacts).to.deep.equal([]);
    const called = await use(client, 'mails_send', toTwo);
    expect(called.isError, called.text).to.equal(false);
    expect(asked[0]).to.contain('sends to 2 people');
    expect(await sent()).to.equal(before + 1);
    await client.close();
  });

  it('hands on a refusal of the user, and a client without elicitation', async () => {
    const before = await sent();
    for (const [answerOf, words] of [
      [no, 'did not confirm'],
      [undefined, 'does not support elicitation'],
    ] as const) {
      const client = await connect(answerOf);
      expect((await use(client, 'mails_send', toTwo)).text).to.contain(words);
      await client.close();
    }
    expect(await sent()).to.equal(before);
  });

  it('speaks the version without sessions too', async () => {
    const before = await sent();
    const client = new StatelessClient(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => yes(params as unknown as Question) as never);
    const command = { command: process.execPath, args: [built.command, 'mcp'], env: settings() };
    await client.connect(new StatelessTransport({ ...command, stderr: 'inherit' }));
    const called = await use(client, 'mails_send', toTwo);
    expect(called.isError, called.text).to.equal(false);
    expect(await sent()).to.equal(before + 1);
    await client.close();
  });

  it('withdraws the question of a call that is cancelled, and answers others at the same time', async () => {
    const before = await sent();
    const { say, lines, answerTo } = start();
    say(initialize({ elicitation: {} }));
    await answerTo(1);
    say(rpc('tools/call', { name: 'mails_send', arguments: toTwo }, 'waits'));
    await until(async () => lines.some(({ method }) => method === 'elicitation/create'), Boolean);
    say(rpc('ping', {}, 'other'));
    expect((await answerTo('other')).result).to.deep.equal({});
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'waits' } });
    await until(states, (all) => all.at(-1) === 'withdrawn');
    say(rpc('ping', {}, 'last'));
    await answerTo('last');
    expect(lines.find(({ id }) => id === 'waits')).to.equal(undefined);
    expect(await sent()).to.equal(before);
  });

  it('ends with its input: requests are answered, questions withdrawn', async () => {
    const before = await sent();
    const { say, child, lines, answerTo, ended } = start();
    say(initialize({ elicitation: {} }));
    await answerTo(1);
    say(rpc('tools/call', { name: 'mails_send', arguments: toTwo }, 'waits'));
    await until(async () => lines.some(({ method }) => method === 'elicitation/create'), Boolean);
    say(rpc('tools/list', {}, 'list'));
    child.stdin.end();
    expect(await ended).to.equal(0);
    expect(lines.at(-1)?.id).to.equal('list');
    await until(states, (all) => all.at(-1) === 'withdrawn');
    expect(await sent()).to.equal(before);
  });

  it('ends with SIGTERM', async () => {
    const { say, child, answerTo, ended } = start();
    say(initialize());
    await answerTo(1);
    child.kill('SIGTERM');
    expect(await ended).to.be.oneOf([0, 130]);
  });

  it('answers a line that is no message, a key that is none and an API that is not there with errors of JSON-RPC', async () => {
    const one = start();
    one.child.stdin.write('{"jsonrpc": nonsense\n[]\n\n');
    await until(
      async () => one.lines.length,
      (count) => count === 2,
    );
    expect(one.lines.map(({ error }) => error?.code)).to.deep.equal([-32700, -32700]);
    const two = start({ EVERPOST_API_KEY: 'AS_12345678_12345678123456781234567812345678' });
    two.say(initialize());
    expect((await two.answerTo(1)).error?.message).to.contain('Send a valid API key');
    two.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await until(
      async () => two.notes(),
      (text) => text.includes('Send a valid API key'),
    );
    const three = start({ EVERPOST_BASE_URL: 'http://127.0.0.1:9' });
    three.say(initialize());
    expect((await three.answerTo(1)).error?.message).to.contain('http://127.0.0.1:9 cannot be reached');
  });

  it('names the code of a connection that failed without words, as one to several addresses does', async () => {
    const cause = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const lines: string[] = [];
    const out = { print: (line: string) => lines.push(line), note: () => undefined };
    const settings = { ...settingsOf({ apiKey: 'AS_none', baseUrl: 'http://several.test' }), fetch };
    const forwarder = new Forwarder(settings, out);
    await forwarder.take(JSON.stringify(initialize()));
    expect(lines.join()).to.contain('The API at http://several.test cannot be reached: ECONNREFUSED.');
  });

  it('says so when the connection ends before the answer', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(': connected\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { say, answerTo } = start({
      EVERPOST_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    say(rpc('tools/call', { name: 'contacts_list' }, 5));
    expect((await answerTo(5)).error?.message).to.contain('ended before the answer');
    server.close();
  });

  it('needs a key and an address, and says so before it reads', async () => {
    const { ended, notes } = start({ EVERPOST_API_KEY: '' });
    expect(await ended).to.equal(2);
    expect(notes()).to.contain('EVERPOST_API_KEY');
  });
});
