import { spawn } from 'node:child_process';
import { globSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { variableName, variables } from '../../schemas/config.ts';
import { bundleConsole } from '../../stack/console-bundle.ts';
import { type Lifetime, newLifetime, stopOnSignals } from '../../stack/lifetime.ts';
import { say, seconds } from '../../stack/output.ts';
import { portsPartVariable } from '../../stack/ports.ts';
import { describeExit } from '../../stack/processes/child.ts';
import { type ServerName, startServers } from '../../stack/servers/all.ts';
import { bundleWorkflows } from '../../stack/workflow-bundle.ts';
import { makeTestFolder } from './folder.ts';
import { type Durations, readDurations, recordDurations, shardsOf } from './shards.ts';

const root = join(import.meta.dirname, '../..');
/** A test takes seconds at most, but other processes may have the processor for as long. */
const testTimeoutMs = 90_000;
/** Each file drops a database of some two hundred files: kept for 300 s, they use up the descriptors of mongod. */
const historySeconds = 30;
/** Of the random cases. */
const usualSeed = '20261123';
/** Writes down how long the files of the whole suite took. */
const recordOption = '--record';

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
  const folder = makeTestFolder();
  lifetime.add({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  try {
    const env = cleanEnvironment();
    const { files, options, isRecorded } = readArgs(args);
    const kinds = Object.entries(given).flatMap(([variable, kind]) => (process.env[variable] ? [] : [kind]));
    const isLarge = files.length >= shardFilesMin;
    const [servers, ...bundles] = await Promise.all([
      startServers({
        ...{ dataDir: folder, kinds, env, historySeconds, say, equalPriority: true },
        onStarted: (server) => lifetime.add(server),
      }),
      // Many of a large run's tests start workers and APIs.
      isLarge ? bundleWorkflows(folder) : {},
      isLarge ? bundleConsole(folder) : {},
    ]);
    const suite = {
      ...{ ...env, ...givenServers(), ...servers.environment, ...bundles[0], ...bundles[1], DATA_DIR: folder },
      // Halves the CPU time that a process of ours takes to start.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      FUZZ_SEED: process.env.FUZZ_SEED ?? usualSeed,
    };
    const result = await runShards(files, options, suite, folder, lifetime);
    if (result.note) say(result.note);
    if (isRecorded && result.failed === 0) recordDurations(result.durations);
    say(`Tests took ${seconds(began)} with everything.`);
    // Again at the end: the output of the runs is long, and where only its end is kept, failures are there.
    if (result.failures.length > 0) console.log(`\nFailures:\n\n${result.failures.join('\n\n')}\n`);
    if (lifetime.stopping) return;
    await lifetime.stop();
    console.log(`${result.passed} passed, ${result.failed} failed${skippedNote(result.skipped)}`);
    process.exit(result.failed > 0 || result.passed === 0 ? 1 : 0);
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}

/** A suite that was not run must not look like one that passed. */
function skippedNote(skipped: number): string {
  const reason = process.env.EVERPOST_SKIP_BROWSER ? ': EVERPOST_SKIP_BROWSER leaves out what needs a browser' : '';
  return skipped > 0 ? `, ${skipped} SKIPPED${reason}` : '';
}

function readArgs(args: string[]): { files: string[]; options: string[]; isRecorded: boolean } {
  const named = args.filter((arg) => arg.endsWith('.ts'));
  const options = args.filter((arg) => !named.includes(arg) && arg !== recordOption);
  if (named.length > 0) return { files: named, options, isRecorded: false };
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort();
  return { files, options, isRecorded: args.includes(recordOption) };
}

interface Result {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly durations: Durations;
  readonly failures: readonly string[];
  readonly note?: string;
}

/**
 * Much of a test is waiting, so three runs share two cores and the servers; each test file has a database and a prefix of its own.
 * Tests that measure CPU time run alone afterwards: with shared caches the same work takes half as long again.
 */
async function runShards(
  files: string[],
  options: string[],
  env: NodeJS.ProcessEnv,
  folder: string,
  lifetime: Lifetime,
): Promise<Result> {
  const isLarge = files.length >= shardFilesMin;
  const measured = isLarge ? files.filter((file) => measuresCpu.test(file)) : [];
  const shared = files.filter((file) => !measured.includes(file));
  const run = (some: string[], shard: number) => runMocha([...options, ...some], env, { folder, shard, lifetime });
  const sharedOut = shardsOf(shared, isLarge ? shards : 1, readDurations()).filter((some) => some.length > 0);
  const results = await Promise.all(sharedOut.map(run));
  if (measured.length > 0 && !lifetime.stopping) results.push(await run(measured, results.length));
  if (isLarge) say(`The runs took ${results.map(({ durations }) => `${sum(Object.values(durations))} s`).join(', ')}.`);
  return {
    passed: sum(results.map(({ passed }) => passed)),
    failed: sum(results.map(({ failed }) => failed)),
    skipped: sum(results.map(({ skipped }) => skipped)),
    durations: Object.assign({}, ...results.map(({ durations }) => durations)),
    failures: results.flatMap(({ failures }) => failures),
    note: results.flatMap(({ note }) => note ?? []).join(' '),
  };
}

/** Others of fuzz hold no event loop for half of the limit, even on a machine with twenty processes at work. */
const measuresCpu = /^test\/(linear\/|maximum\/|fuzz\/report-rules\.|providers\/answer-json\.)/;
const shards = 3;
const shardFilesMin = 6;

/** The first run speaks as it goes; what the others have to say follows as they end. */
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
    ...['--reporter', join(import.meta.dirname, 'reporter.ts')],
    ...['--require', join(import.meta.dirname, 'seed.ts')],
    ...args,
  ];
  const child = spawn(process.execPath, mocha, {
    cwd: root,
    stdio: ['ignore', output, output, 'ipc'],
    // Measured files are one run more.
    env: { [portsPartVariable]: `${shard}/${shards + 1}`, ...env, EVERPOST_TEST_RESULT: resultFile },
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
    const result = JSON.parse(readFileSync(file, 'utf8')) as Result;
    if (code === 0 || result.failed > 0) return result;
    return { ...result, failed: result.failed + 1, note: `Mocha failed outside any test (${how}).` };
  } catch {
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      durations: {},
      failures: [],
      note: `The run ended before its end (${how}).`,
    };
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

function sum(numbers: number[]): number {
  return Math.round(numbers.reduce((all, one) => all + one, 0));
}
