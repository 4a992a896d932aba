import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { type App, planApps, startApp, stopApps } from './apps.ts';
import { leaveDataDir, stackFile, takeDataDir } from './data-dir.ts';
import { demoConsoleFrom, demoSender } from './demo/demo-sender.ts';
import type { Seed } from './demo/seed.ts';
import { runErrand } from './errands/run.ts';
import { newLifetime, stopOnSignals } from './lifetime.ts';
import { say, seconds } from './output.ts';
import { smtpUrlOf } from './ports.ts';
import type { Kept } from './processes/supervise.ts';
import { type Servers, startServers } from './servers/all.ts';
import { chooseApiPort, chooseSmtpPort, dataDirOf, missingKinds, readSettings, secretKeysOf } from './settings.ts';

const serversStopMinMs = 1_000;

export async function main(): Promise<void> {
  const began = Date.now();
  const lifetime = newLifetime();
  stopOnSignals(lifetime);
  try {
    await startEverything(process.env, lifetime, began);
  } catch (error) {
    if (lifetime.stopping) return; // interrupted while starting: what broke then is no news
    await lifetime.stop();
    throw error;
  }
}

async function startEverything(given: NodeJS.ProcessEnv, lifetime: ReturnType<typeof newLifetime>, began: number) {
  const dataDir = dataDirOf(given);
  await takeDataDir(dataDir, say);
  lifetime.add({ stop: async () => leaveDataDir(dataDir) });
  const port = await chooseApiPort(given, say);
  const inboundPort = await chooseSmtpPort(given, { field: 'inboundSmtpPort', mail: 'inbound' }, say);
  const submissionPort = await chooseSmtpPort(given, { field: 'submissionPort', mail: 'submitted' }, say);

  const running: Kept[] = [];
  const stopServer = (server: Kept) => server.stop(Math.max(serversStopMinMs, lifetime.msLeft()));
  lifetime.add({ stop: async () => void (await Promise.all(running.map(stopServer))) });
  const kinds = missingKinds(given);
  const onStarted = (server: Kept) => void running.push(server);
  const servers = await startServers({ dataDir, kinds, ports: 'usual', restart: true, env: given, say, onStarted });
  const env = {
    ...given,
    ...servers.environment,
    DATA_DIR: dataDir,
    PORT: `${port}`,
    INBOUND_SMTP_PORT: `${inboundPort}`,
    SUBMISSION_PORT: `${submissionPort}`,
    SECRET_KEYS: secretKeysOf(given, dataDir),
    ...(servers.mailbox && !given.CONSOLE_FROM ? { CONSOLE_FROM: demoConsoleFrom } : {}),
  };
  const preparing = Date.now();
  const { seed, signInUrl } = await runErrand('prepare', env, dataDir, servers.temporal !== null);
  say(`Indexes and the demo project are there after ${seconds(preparing)}.`);

  const apps: Kept[] = [];
  lifetime.add({ stop: () => stopApps(apps) });
  const start = async (app: App) => void apps.push(await startApp(app, dataDir, say));
  const starting = Date.now();
  await Promise.all(planApps(env, readSettings(env).workerProcesses).map(start));
  say(`The workers and the API serve after ${seconds(starting)}.`);

  const stack = describeStack(env, servers, seed);
  const file = stackFile(dataDir);
  const processes = [...apps, ...running];
  writeStack(file, stack, processes);
  for (const kept of processes) kept.onRestart(() => lifetime.stopping || writeStack(file, stack, processes));
  lifetime.add({ stop: async () => rmSync(file, { force: true }) });
  say(`Everpost runs after ${seconds(began)}, with its data in ${dataDir}.`);
  say(announcement(stack, signInUrl));
}

/** Pids change when a process is started again, so the file is written again then. */
function writeStack(file: string, stack: ReturnType<typeof describeStack>, kept: readonly Kept[]): void {
  const processes = kept.map(({ name, pid }) => ({ name, pid: pid() }));
  writeFileSync(`${file}.part`, `${JSON.stringify({ ...stack, processes }, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.part`, file);
}

function describeStack(env: NodeJS.ProcessEnv, { temporal, mailbox }: Servers, seed: Seed) {
  const config = readSettings(env);
  const { publicUrl } = config;
  return {
    apiUrl: `http://127.0.0.1:${config.port}/v1`,
    publicUrl,
    ...seed,
    mongoUrl: config.mongodbUrl,
    redisUrl: config.redisUrl,
    temporalAddress: config.temporalAddress,
    temporalNamespace: config.temporalNamespace,
    temporalUiUrl: temporal?.uiUrl ?? null,
    mailboxUrl: mailbox?.pageUrl ?? null,
    smtpUrl: config.smtpUrl,
    inboundSmtpUrl: smtpUrlOf(config.inboundSmtpHost, config.inboundSmtpPort),
    submissionUrl: smtpUrlOf(config.submissionHost, config.submissionPort),
  };
}

/** Shows what there is to see in the mailbox: variables, a text part, a tracked link, an attachment, a signature. No single quotes, for the shell. */
const demoMail = {
  from: demoSender,
  to: { email: 'ada@example.com', name: 'Ada' },
  subject: 'Hello {{name}}',
  html: '<h1>Hello {{name}}</h1><p>Sent by <a href="https://example.com">your own Everpost</a>.</p>',
  dynamicData: { name: 'Ada' },
  attachments: [{ fileName: 'hello.txt', contentType: 'text/plain', content: 'SGVsbG8sIEFkYSEK' }],
};

function announcement(stack: ReturnType<typeof describeStack>, signInUrl: string | null): string {
  return `
  Console        ${signInUrl ?? `${stack.publicUrl}/console`}${signInUrl ? '   (signs in once)' : ''}
  API            ${stack.apiUrl}
  Reference      ${stack.apiUrl.replace(/\/v1$/, '/docs')}
  SMTP           ${stack.submissionUrl}   (any user, the project key as password)
  Temporal UI    ${stack.temporalUiUrl ?? `of ${stack.temporalAddress}`}
  Mailbox        ${stack.mailboxUrl ?? 'none: mail leaves through SMTP_URL'}
  Project key    ${stack.projectKey}
  Admin key      ${stack.adminKey}

  curl -X POST ${stack.apiUrl}/mails/send -H 'Authorization: Bearer ${stack.projectKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(demoMail)}'

Ctrl-C stops it; the data stays.`;
}
