import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { anyFreePort } from '../../stack/ports.ts';
import { type Stack, type Started, stackOnceItRuns, startStack, startsWithinMs, stop } from '../stack/started.ts';
import { temporaryFolder } from '../stack/temporary.ts';
import { until } from '../support/wait.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { tsc } from './built-client.ts';

const root = join(import.meta.dirname, '../..');
const REQUESTS = 'requests==2.34.2';
const RUN_MS = 60_000;
const FORGED_ID = '66f1c0a2e4b0a1b2c3d4e50a';
const run = promisify(execFile);

/** Each page's files are run as they are printed there. */
describe('The quickstarts, against npm start', function () {
  this.timeout(startsWithinMs);
  const folder = temporaryFolder();
  let started: Started;
  let stack: Stack;
  let port: number;
  const receivers: ChildProcess[] = [];
  before(async () => {
    port = await anyFreePort();
    const data = join(folder(), 'data');
    mkdirSync(data);
    // The usual ports are those of test/stack, which may run at the same time.
    const ports = {
      PORT: String(await anyFreePort()),
      INBOUND_SMTP_PORT: String(await anyFreePort()),
      SUBMISSION_PORT: String(await anyFreePort()),
    };
    started = startStack(data, { ...ports, ALLOW_PRIVATE_URLS: `127.0.0.1:${port}` });
    stack = await stackOnceItRuns(data, started);
  });
  afterEach(() => Promise.all(receivers.splice(0).map(stop)));
  after(() => stop(started?.entry));

  const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    ...process.env,
    EVERPOST_API_KEY: stack.projectKey,
    EVERPOST_BASE_URL: stack.apiUrl,
    PORT: `${port}`,
    ...more,
  });

  /** A folder with the files of a page, and a way to run them. */
  function open(page: string, more: NodeJS.ProcessEnv = {}) {
    const cwd = join(folder(), page);
    mkdirSync(cwd, { recursive: true });
    for (const [name, text] of filesOf(page)) writeFileSync(join(cwd, name), text);
    const options = { cwd, env: environment(more), timeout: RUN_MS };
    return {
      cwd,
      run: async (...[command, ...args]: [string, ...string[]]) => (await run(command, args, options)).stdout,
      /** Until the end of the test; answers what it has printed so far. */
      keep(...[command, ...args]: [string, ...string[]]): () => string {
        const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
        receivers.push(child);
        let said = '';
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
        return () => said;
      },
    };
  }

  async function ask(path: string) {
    const answer = await fetch(stack.apiUrl + path, { headers: { Authorization: `Bearer ${stack.projectKey}` } });
    return ((await answer.json()) as { data: Record<string, unknown> & { pagination: { total: number } } }).data;
  }

  async function sendsOnce(send: () => Promise<string>): Promise<void> {
    const { total } = (await ask('/emails?limit=1')).pagination;
    const first = await send();
    const emailId = /[0-9a-f]{24}/.exec(first)?.[0];
    expect(await send()).to.equal(first);
    expect((await ask('/emails?limit=1')).pagination.total).to.equal(total + 1);
    const email = await until(
      () => ask(`/emails/${emailId}`),
      ({ status }) => status === 'sent',
    );
    expect(email.subject).to.equal('Order 1042');
  }

  /** The receiver that prints is given a genuine event by the service, and a forged one here. */
  async function verifies(printed: () => string): Promise<void> {
    await until(
      async () => printed(),
      (text) => text.includes('webhook.test'),
    );
    const forged = {
      'webhook-id': FORGED_ID,
      'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}`,
      'webhook-signature': `v1,${Buffer.alloc(32, 1).toString('base64')}`,
    };
    const body = `{"id":"${FORGED_ID}","type":"email.sent","createdAt":"","data":{}}`;
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: forged, body });
    expect(answer.status).to.equal(400);
    // The mail of an earlier test may be a genuine event of this type.
    expect(printed()).to.not.contain(FORGED_ID);
  }

  const sentAll = (printed: string) => expect(printed.trim().split('\n').at(-1)).to.equal('sent 3 of 3');

  describe('Node', () => {
    const page = () => open('node');
    before(() => {
      const target = join(page().cwd, 'node_modules/everpost');
      mkdirSync(target, { recursive: true });
      copyFileSync(join(root, 'client/package.json'), join(target, 'package.json'));
      execFileSync(tsc, ['-p', 'client', '--outDir', join(target, 'dist')], {
        cwd: root,
      });
    });

    it('sends one mail, however often it is run', () => sendsOnce(() => page().run(process.execPath, 'send.mjs')));
    it('verifies a webhook', () => verifies(page().keep(process.execPath, 'webhook.mjs')));
    it('watches a campaign', async () => sentAll(await page().run(process.execPath, 'campaign.mjs')));
  });

  describe('Python', () => {
    let packages = {};
    const page = () => open('python', packages);
    before(() => {
      if (spawnSync('python3', ['-c', 'import requests']).status === 0) return;
      const target = join(folder(), 'packages');
      execFileSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, REQUESTS]);
      packages = { PYTHONPATH: target };
    });

    it('sends one mail, however often it is run', () => sendsOnce(() => page().run('python3', 'send.py')));
    it('verifies a webhook', () => verifies(page().keep('python3', 'webhook.py')));
    it('watches a campaign', async () => sentAll(await page().run('python3', 'campaign.py')));
  });

  describe('curl', () => {
    const page = () => open('curl');

    it('sends one mail, however often it is run', () => sendsOnce(() => page().run('sh', 'send.sh')));

    it('verifies a webhook', async () => {
      const { cwd, run: sh } = page();
      const receiver = await startReceiver(port);
      try {
        await sh('sh', 'webhook.sh');
        const { headers, text } = await until(
          // Webhooks of other pages deliver to this port too.
          async () => receiver.received.find(({ body }) => body.type === 'webhook.test'),
          (found) => found !== undefined,
        ).then((found) => found!);
        const given = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name] as string);
        const verify = (body: string, values = given) => {
          writeFileSync(join(cwd, 'body.json'), body);
          return spawnSync('sh', ['verify.sh', ...values], { cwd, encoding: 'utf8' });
        };
        expect(verify(text)).to.include({ status: 0, stdout: 'genuine\n' });
        expect(verify(`${text} `)).to.include({ status: 1, stdout: 'forged\n' });
        expect(verify(text, [given[0]!, '1700000000', given[2]!]).stdout).to.equal('recorded too long ago\n');
      } finally {
        await receiver.stop();
      }
    });

    it('watches a campaign', async () => {
      const printed = await page().run('sh', 'campaign.sh');
      const events = [...printed.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => JSON.parse(data!));
      expect(events.at(-1)).to.include({ status: 'sent', sent: 3, total: 3 });
    });
  });

  describe('PHP', () => {
    const page = () => open('php');
    before(function () {
      if (spawnSync('php', ['--version']).status === 0) return;
      console.log('    The quickstart for PHP was not run: there is no php on this machine.');
      this.skip();
    });

    it('sends one mail, however often it is run', () => sendsOnce(() => page().run('php', 'send.php')));

    it('verifies a webhook', async () => {
      const { keep, run: php } = page();
      const printed = keep('php', '-S', `127.0.0.1:${port}`, 'webhook.php');
      await until(
        () =>
          fetch(`http://127.0.0.1:${port}/`).then(
            () => true,
            () => false,
          ),
        (answers) => answers,
      );
      await php('php', 'subscribe.php');
      await verifies(printed);
    });

    it('watches a campaign', async () => sentAll(await page().run('php', 'campaign.php')));
  });

  it('have every file that their text names', () => {
    for (const page of ['node', 'python', 'curl', 'php']) expect(filesOf(page).size, page).to.be.greaterThan(2);
  });
});

/** The code blocks that begin with a file name: ```js send.mjs */
function filesOf(page: string): Map<string, string> {
  const text = readFileSync(join(root, `docs/quickstart/${page}.md`), 'utf8');
  const blocks = text.matchAll(/^```\w+ ([\w.-]+)\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, name, code]) => [name as string, code as string]));
}
