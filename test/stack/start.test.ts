import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { createTransport } from 'nodemailer';
import { memoryOf } from '../../lab/rig/memory-of.ts';
import { noteOf } from '../../stack/processes/identity.ts';
import { signatureVerdicts } from '../support/mail/signatures.ts';
import { until as seen } from '../support/wait.ts';
import { type Stack, stackOnceItRuns, startStack, startsWithinMs, stop, until } from './started.ts';
import { temporaryFolder } from './temporary.ts';

const MEMORY_MAX = 1_000 * 1_024 ** 2;
/** Less than this, and processes were overlooked. */
const MEMORY_MIN = 400 * 1_024 ** 2;
/** The process that prepares the start ends three seconds after its last work. */
const HELPER_GONE_MS = 60_000;

describe('npm start', function () {
  this.timeout(startsWithinMs);
  const folder = temporaryFolder();
  const entries: ChildProcess[] = [];
  let saidAtStart = '';
  let saidAtSecondStart = '';
  after(() => Promise.all(entries.map((entry) => stop(entry))));

  const stackFile = () => join(folder(), 'stack.json');
  const stackOf = (): Stack => JSON.parse(readFileSync(stackFile(), 'utf8'));

  function start(env: NodeJS.ProcessEnv = {}) {
    const started = startStack(folder(), env);
    entries.push(started.entry);
    return started;
  }

  async function running(): Promise<{ entry: ChildProcess; said: () => string; stack: Stack }> {
    const started = start();
    return { ...started, stack: await stackOnceItRuns(folder(), started) };
  }

  const upsert = ({ apiUrl, projectKey }: Stack) =>
    fetch(`${apiUrl}/contacts/email`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${projectKey}`, 'Content-Type': 'application/json' },
      body: '{"email":"ada@example.com"}',
    }).then(async (answer) => ((await answer.json()) as { data: { id: string } }).data.id);

  it('One command starts everything: what stack.json and the printed block name is really there.', async () => {
    const { stack, said } = await running();
    saidAtStart = said();
    expect(stack).to.have.all.keys(
      ...['apiUrl', 'publicUrl', 'projectKey', 'adminKey', 'organizationId', 'projectId', 'mongoUrl', 'redisUrl'],
      ...[
        'temporalAddress',
        'temporalNamespace',
        'temporalUiUrl',
        'mailboxUrl',
        'smtpUrl',
        'inboundSmtpUrl',
        'submissionUrl',
        'processes',
      ],
    );
    expect(said()).to.include(stack.projectKey).and.include(`curl -X POST ${stack.apiUrl}/mails/send`);
    expect(stack.apiUrl).to.match(/\/v1$/);
    expect(await upsert(stack)).to.match(/^[0-9a-f]{24}$/);
    await createTransport(stack.smtpUrl).sendMail({ from: 'a@b.test', to: 'ada@example.com', subject: 'It works' });
    expect(await (await fetch(stack.mailboxUrl)).text()).to.include('It works');
    expect(stack.processes.map(({ name }) => name)).to.include.members([
      'api',
      'mongodb',
      'redis',
      'temporal',
      'mailbox',
    ]);
    for (const file of ['stack.json', 'seed.json', 'secret-keys'])
      expect(statSync(join(folder(), file)).mode & 0o777, file).to.equal(0o600);
  });

  it('The line that it prints sends a mail: it is in the mailbox, with text, HTML, an attachment and a valid signature.', async () => {
    const { mailboxUrl, apiUrl, projectKey } = stackOf();
    const line = /^ {2}curl .*$/m.exec(saidAtStart)![0].replace('curl ', 'curl -s ');
    const { stdout } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
    expect(JSON.parse(stdout)).to.nested.include({ success: true, 'data.totalRecipients': 1 });
    const find = async () => {
      const mails = (await (await fetch(new URL('/email', mailboxUrl))).json()) as Array<Record<string, string>>;
      return mails.find(({ subject }) => subject === 'Hello Ada');
    };
    const mail = (await seen(find, (found) => found !== undefined))!;
    expect(mail.html).to.include('<h1>Hello Ada</h1>').and.include('/t/c/').and.include('/t/o/');
    expect(mail.text).to.include('Hello Ada');
    expect(mail.attachments).to.have.length(1);
    const headers = { Authorization: `Bearer ${projectKey}` };
    const { data } = (await (await fetch(`${apiUrl}/domains`, { headers })).json()) as {
      data: { domains: Array<Parameters<typeof signatureVerdicts>[1]> };
    };
    const source = Buffer.from(await (await fetch(new URL(`/email/${mail.id}/source`, mailboxUrl))).arrayBuffer());
    expect(await signatureVerdicts(source, data.domains[0]!)).to.deep.equal(['pass', 'pass']);
  });

  it('The link that it prints opens a page for the owner of the demo, on this machine alone.', async () => {
    const link = signInLink(saidAtStart);
    const page = await fetch(link);
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include('owner@demo.everpost.test');
    const fromElsewhere = { headers: { 'X-Forwarded-For': '198.51.100.1' } };
    expect((await fetch(link, fromElsewhere)).status).to.equal(404);
  });

  it('A sign-in link arrives in the mailbox.', async () => {
    const { mailboxUrl, apiUrl } = stackOf();
    const { origin } = new URL(apiUrl);
    const asked = await fetch(`${apiUrl}/session/links`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Everpost-Console': '1', Origin: origin },
      body: '{"email":"owner@demo.everpost.test"}',
    });
    expect(asked.status).to.equal(202);
    const find = async () => {
      const mails = (await (await fetch(new URL('/email', mailboxUrl))).json()) as Array<Record<string, string>>;
      return mails.find(({ subject }) => subject === 'Sign in to Everpost');
    };
    const mail = await seen(find, (found) => found !== undefined);
    expect(mail?.text).to.match(/http:\/\/127\.0\.0\.1:\d+\/sign-in\/[\w-]{43}/);
  });

  it('Everything that it runs holds less than a gigabyte together.', async function () {
    if (process.platform !== 'linux') this.skip();
    const { pid } = entries[0]!;
    let held = 0;
    const isLittle = () => {
      held = memoryOf(pid!);
      return held < MEMORY_MAX;
    };
    await until(isLittle, HELPER_GONE_MS);
    expect(held).to.be.within(MEMORY_MIN, MEMORY_MAX);
  });

  it('A second start with the same data is refused in one sentence while the first one runs.', async () => {
    const second = start();
    await once(second.entry, 'close');
    expect(second.entry.exitCode).to.equal(1);
    expect(second.said()).to.match(
      /^Everpost already runs with the data in .*; stop it first, or give another DATA_DIR\.$/m,
    );
  });

  it('After kill -9 of the entry nothing is left behind, and the next start finds data and keys as they were.', async () => {
    const [entry] = entries;
    const before = stackOf();
    const contactId = await upsert(before);
    const notes = before.processes.map(({ pid }) => noteOf(pid));
    await defineIndexOtherwise(before.mongoUrl);
    entry?.kill('SIGKILL');
    const { stack, said } = await running();
    saidAtSecondStart = said();
    expect(notes.filter(({ pid, identity }) => noteOf(pid).identity === identity)).to.deep.equal([]);
    expect(stack.projectKey).to.equal(before.projectKey);
    expect(await upsert(stack)).to.equal(contactId);
    expect(await (await fetch(stack.mailboxUrl)).text()).to.include('It works');
  });

  it('The next start prints another link, and the one before does not work any more; a link signs the owner in once.', async () => {
    const [before, link] = [signInLink(saidAtStart), signInLink(saidAtSecondStart)];
    expect((await fetch(before)).status).to.equal(404);
    const press = () => fetch(link, { method: 'POST', headers: { Origin: new URL(link).origin }, redirect: 'manual' });
    const pressed = await press();
    expect([pressed.status, pressed.headers.get('location')]).to.deep.equal([303, '/console']);
    const [cookie = ''] = (pressed.headers.get('set-cookie') ?? '').split(';');
    const session = await fetch(`${stackOf().apiUrl}/session`, {
      headers: { Cookie: cookie, 'X-Everpost-Console': '1' },
    });
    const { data } = (await session.json()) as { data: { email: string; organizations: Array<{ role: string }> } };
    expect([data.email, data.organizations.map(({ role }) => role)]).to.deep.equal([
      'owner@demo.everpost.test',
      ['owner'],
    ]);
    expect((await press()).status).to.equal(404);
  });

  it('An index that an earlier version defined otherwise is rebuilt, with a line that says so.', () => {
    expect(saidAtSecondStart).to.include('Index newest of contacts was made again: its definition has changed.');
  });

  it('A process of ours that dies is started again, with a line that says so, and stack.json names the new one.', async () => {
    const { processes } = stackOf();
    const { pid } = processes.find(({ name }) => name === 'api')!;
    process.kill(pid, 'SIGKILL');
    await until(
      () => stackOf().processes.some((one) => one.name === 'api' && one.pid && one.pid !== pid),
      startsWithinMs,
    );
    expect(await upsert(stackOf())).to.match(/^[0-9a-f]{24}$/);
  });

  it('SIGTERM stops everything within ten seconds and removes stack.json.', async () => {
    const { processes } = stackOf();
    const notes = processes.map(({ pid }) => noteOf(pid));
    const began = Date.now();
    expect(await stop(entries.at(-1))).to.equal(0);
    // After ten seconds everything is killed, which takes a moment itself.
    expect(Date.now() - began).to.be.below(15_000);
    expect(existsSync(stackFile())).to.equal(false);
    expect(notes.filter(({ pid, identity }) => noteOf(pid).identity === identity)).to.deep.equal([]);
  });

  it('A PORT that is given and taken is an error of one sentence.', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const { entry, said } = start({ PORT: `${port}` });
    await once(entry, 'close');
    holder.close();
    expect(entry.exitCode).to.equal(1);
    expect(said()).to.include(`Port ${port} is in use; give another one with PORT=..., or leave PORT out for any.`);
  });
});

async function defineIndexOtherwise(url: string): Promise<void> {
  const client = new MongoClient(url);
  const contacts = client.db('everpost').collection('contacts');
  await contacts.dropIndex('newest');
  await contacts.createIndex({ projectId: 1, createdAt: 1 }, { name: 'newest' });
  await client.close();
}

function signInLink(said: string): string {
  return /^ {2}Console +(http:\S+\/sign-in\/[\w-]{43})/m.exec(said)?.[1] ?? 'no link';
}
