import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { seedVerifiedDomain } from '../core/domains/domains.ts';
import { newLifetime, stopOnSignals } from '../stack/lifetime.ts';
import { say } from '../stack/output.ts';
import { startServers } from '../stack/servers/all.ts';
import { startProviderA } from '../test/providers/provider-a.ts';
import { startProviderB } from '../test/providers/provider-b.ts';
import { type Environment, startEnvironment } from '../test/support/environment.ts';

/** `npm run check:api`: schemathesis with all its checks against the live OpenAPI document, on private servers. */
const version = '4.32.5';
const root = join(import.meta.dirname, '..');
const PHASES = ['examples', 'coverage', 'fuzzing', 'stateful'];
const STATEFUL_HOOKS = join(root, 'scripts', 'schemathesis-stateful.py');

async function main(): Promise<number> {
  const lifetime = newLifetime();
  stopOnSignals(lifetime, 130);
  const folder = mkdtempSync(join(tmpdir(), 'everpost-check-api-'));
  lifetime.add({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  const servers = await startServers({
    dataDir: folder,
    kinds: ['mongodb', 'redis', 'temporal'],
    say,
    onStarted: (server) => lifetime.add(server),
  });
  const [a, b] = [await startProviderA([]), await startProviderB([])];
  for (const standIn of [a, b]) lifetime.add({ stop: () => standIn.stop() });
  const providers = { PROVIDER_A_URL: a.url, PROVIDER_B_URL: b.url };
  const environment = await startEnvironment({
    ...servers.environment,
    ...providers,
    DATA_DIR: folder,
    SMTP_URL: 'smtp://127.0.0.1:9',
  });
  lifetime.add({ stop: () => environment.stop() });
  await seedVerifiedDomain(environment.deps, environment.own.project, 'demo.everpost.test', new ObjectId());
  let worst = 0;
  try {
    for (const run of runsOf(process.argv.slice(2)))
      worst = Math.max(worst, await runSchemathesis(environment.url, run, environment));
    return worst;
  } finally {
    await lifetime.stop();
  }
}

interface Run {
  args: string[];
  hooks: string;
}

/** Sequences of calls are a run of their own, since their hook is for them alone. */
function runsOf(given: string[]): Run[] {
  const at = given.indexOf('--phases');
  const phases = at === -1 ? PHASES : given[at + 1]!.split(',');
  const rest = at === -1 ? given : given.toSpliced(at, 2);
  const single = phases.filter((phase) => phase !== 'stateful');
  return [
    ...(single.length > 0 ? [{ args: ['--phases', single.join(','), ...rest], hooks: '' }] : []),
    ...(phases.includes('stateful') ? [{ args: ['--phases', 'stateful', ...rest], hooks: STATEFUL_HOOKS }] : []),
  ];
}

function runSchemathesis(url: string, { args: given, hooks }: Run, { own, other }: Environment): Promise<number> {
  const args = [
    '--config-file',
    join(root, 'schemathesis.toml'),
    'run',
    `${url}/openapi.json`,
    '--url',
    url,
    '-H',
    `Authorization: Bearer ${own.projectKey}`,
  ];
  const child = spawn(schemathesis(), [...args, ...given], {
    stdio: 'inherit',
    cwd: root,
    env: { ...process.env, ADMIN_KEY: other.adminKey, SCHEMATHESIS_HOOKS: hooks },
  });
  return new Promise((resolve) => {
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** Kept with the other downloads, in a virtual environment of its own. */
function schemathesis(): string {
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'everpost', `schemathesis-${version}`);
  const command = join(cache, 'bin', 'st');
  if (existsSync(command)) return command;
  say(`Fetching schemathesis ${version}.`);
  mkdirSync(cache, { recursive: true });
  for (const [program, ...args] of [
    ['python3', '-m', 'venv', cache],
    [join(cache, 'bin', 'pip'), 'install', '--quiet', `schemathesis==${version}`],
  ] as const) {
    const { status } = spawnSync(program, args, { stdio: 'inherit' });
    if (status !== 0)
      throw new Error(
        `schemathesis could not be fetched: ${program} ${args.join(' ')} failed. python3 with venv and pip is needed.`,
      );
  }
  return command;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
