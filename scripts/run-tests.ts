import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variableName, variables } from '../schemas/config.ts';
import { type Lifetime, newLifetime, stopOnSignals } from '../stack/lifetime.ts';
import { say, seconds } from '../stack/output.ts';
import { describeExit } from '../stack/processes/child.ts';
import { processIdentity } from '../stack/processes/identity.ts';
import { type ServerName, startServers } from '../stack/servers/all.ts';
import { bundleWorkflows } from '../stack/workflow-bundle.ts';

const root = join(import.meta.dirname, '..');
const folderPrefix = 'everpost-test-';
const testTimeoutMs = 30_000;

/** For fast development: servers that are running already, by the variable that names them. */
const given: Record<string, ServerName> = {
  TEST_MONGODB_URL: 'mongodb',
  TEST_REDIS_URL: 'redis',
  TEST_TEMPORAL_ADDRESS: 'temporal',
};

/** Runs the suite, or the files named, against private servers with throw-away data. */
export async function main(args: string[]): Promise<void> {
  const began = Date.now();
  const lifetime = newLifetime();
  stopOnSignals(lifetime, 130);
  removeAbandonedFolders();
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  lifetime.add({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  try {
    const env = cleanEnvironment();
    const kinds = Object.entries(given).flatMap(([variable, kind]) => (process.env[variable] ? [] : [kind]));
    const servers = await startServers({
      dataDir: folder,
      kinds,
      env,
      say,
      onStarted: (server) => lifetime.add(server),
    });
    const suite = { ...env, ...givenServers(), ...servers.environment, DATA_DIR: folder };
    const result = await runShards(args, suite, folder, lifetime);
    if (result.note) say(result.note);
    say(`Tests took ${seconds(began)} with everything.`);
    if (lifetime.stopping) return;
    await lifetime.stop();
    console.log(`${result.passed} passed, ${result.failed} failed`);
    process.exit(result.failed > 0 || result.passed === 0 ? 1 : 0);
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}

interface Result {
  readonly passed: number;
  readonly failed: number;
  readonly note?: string;
}

/**
 * Much of a test is waiting, so two runs share the cores and the servers; each test file has a database and a prefix of its own.
 * Tests that measure CPU time run alone afterwards: with shared caches the same work takes half as long again.
 */
async function runShards(args: string[], env: NodeJS.ProcessEnv, folder: string, lifetime: Lifetime): Promise<Result> {
  const named = args.filter((arg) => arg.endsWith('.ts'));
  const options = args.filter((arg) => !named.includes(arg));
  const files = named.length > 0 ? named : globSync('test/**/*.test.ts', { cwd: root }).sort();
  const isLarge = files.length >= shardFilesMin;
  const measured = isLarge ? files.filter((file) => measuresCpu.test(file)) : [];
  const shared = files.filter((file) => !measured.includes(file));
  // Many of a large run's tests start workers.
  const settings = isLarge ? { ...env, ...(await bundleWorkflows(folder)) } : env;
  const count = isLarge ? shards : 1;
  const run = (some: string[], shard: number) => runMocha([...options, ...some], settings, { folder, shard, lifetime });
  const results = await Promise.all(
    Array.from({ length: count }, (_, shard) =>
      run(
        shared.filter((_file, index) => index % count === shard),
        shard,
      ),
    ),
  );
  if (measured.length > 0 && !lifetime.stopping) results.push(await run(measured, count));
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    note: results.flatMap(({ note }) => note ?? []).join(' '),
  };
}

const measuresCpu = /^test\/(linear|fuzz)\//;
const shards = 2;
const shardFilesMin = 6;

/** The first run speaks as it goes; what the second one has to say follows when it has ended. */
function runMocha(
  args: string[],
  env: NodeJS.ProcessEnv,
  { folder, shard, lifetime }: { folder: string; shard: number; lifetime: Lifetime },
): Promise<Result> {
  const resultFile = join(folder, `result-${shard}.json`);
  const logFile = join(folder, `output-${shard}.txt`);
  const output = shard === 0 ? 'inherit' : openSync(logFile, 'w');
  const mocha = [
    ...[join(root, 'node_modules/mocha/bin/mocha.js'), '--timeout', `${testTimeoutMs}`, '--exit'],
    ...['--reporter', join(import.meta.dirname, 'test-reporter.ts')],
    ...args,
  ];
  const child = spawn(process.execPath, mocha, {
    cwd: root,
    stdio: ['ignore', output, output, 'ipc'],
    env: { ...env, EVERPOST_TEST_RESULT: resultFile },
  });
  // Processes that a test has forked exit when their parent is gone.
  lifetime.add({ stop: async () => void child.kill('SIGKILL') });
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      if (output !== 'inherit') process.stdout.write(readFileSync(logFile, 'utf8'));
      resolve(readResult(resultFile, code, describeExit(code, signal)));
    });
  });
}

/** A run that ends before its end, or fails outside any test, counts as one failure more. */
function readResult(file: string, code: number | null, how: string): Result {
  try {
    const { passed, failed } = JSON.parse(readFileSync(file, 'utf8')) as Result;
    if (code === 0 || failed > 0) return { passed, failed };
    return { passed, failed: failed + 1, note: `Mocha failed outside any test (${how}).` };
  } catch {
    return { passed: 0, failed: 1, note: `The run ended before its end (${how}).` };
  }
}

/** The suite decides its own settings: nothing that a person exported for a server of theirs may reach it. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const ours = new Set(Object.keys(variables).map(variableName));
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.has(name)));
}

function givenServers(): Record<string, string> {
  const { TEST_MONGODB_URL, TEST_REDIS_URL, TEST_TEMPORAL_ADDRESS } = process.env;
  return {
    ...(TEST_MONGODB_URL && { MONGODB_URL: TEST_MONGODB_URL }),
    ...(TEST_REDIS_URL && { REDIS_URL: TEST_REDIS_URL }),
    ...(TEST_TEMPORAL_ADDRESS && { TEMPORAL_ADDRESS: TEST_TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: 'default' }),
  };
}

/** A killed run leaves its folder behind; the next one removes it. */
function removeAbandonedFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${folderPrefix}(\\d+)-`).exec(name)?.[1];
    if (pid && processIdentity(Number(pid)) === null) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}
