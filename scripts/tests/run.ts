import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { variableName, variables } from '../../schemas/config.ts';
import { bundleConsole } from '../../stack/bundles/console-bundle.ts';
import { bundleWorkflows } from '../../stack/bundles/workflow-bundle.ts';
import { newLifetime, stopOnSignals } from '../../stack/lifetime.ts';
import { say, seconds } from '../../stack/output.ts';
import { startServers } from '../../stack/servers/all.ts';
import type { ServerName } from '../../stack/settings.ts';
import { makeTestFolder } from './folder.ts';
import { logOf, type Result, type Run, runMocha } from './mocha.ts';
import { type Failure, judge, readKnown, secondTries } from './settle.ts';
import { readDurations, recordDurations, shardsOf } from './shards.ts';
import { isOfRest, isSampled, promiseOf } from './tiers.ts';

const root = join(import.meta.dirname, '../..');
/** Each file drops a database of some two hundred files: kept for 300 s, they use up the descriptors of mongod. */
const historySeconds = 30;
/** Of the random cases. */
const usualSeed = '20261123';
/** Writes down how long the files of the whole suite took. */
const recordOption = '--record';
const restOption = '--rest';

/** For fast development: servers that are running already, by the variable that names them. */
const given: Record<string, ServerName> = {
  TEST_MONGODB_URL: 'mongodb',
  TEST_REDIS_URL: 'redis',
  TEST_TEMPORAL_ADDRESS: 'temporal',
};

/** Runs a tier of the suite, or the files named, against private servers with throw-away data. */
export async function main(args: string[]): Promise<void> {
  const began = Date.now();
  const lifetime = newLifetime();
  stopOnSignals(lifetime, 130);
  const folder = makeTestFolder();
  lifetime.add({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  try {
    const known = readKnown(readFileSync(join(root, 'test/unsettled.md'), 'utf8'));
    const env = cleanEnvironment();
    const { files, options, isWhole, isRecorded, cases } = readArgs(args);
    const kinds = Object.entries(given).flatMap(([variable, kind]) => (process.env[variable] ? [] : [kind]));
    const isLarge = files.length >= shardFilesMin;
    const startsWorkers = isLarge || files.some((file) => file.startsWith('test/lab/'));
    const [servers, ...bundles] = await Promise.all([
      startServers({
        ...{ dataDir: folder, kinds, env, historySeconds, say, equalPriority: true },
        onStarted: (server) => lifetime.add(server),
      }),
      // Many of a large run's tests start workers and APIs, a drill some ten.
      startsWorkers ? bundleWorkflows(folder) : {},
      isLarge ? bundleConsole(folder) : {},
    ]);
    const suite = {
      ...{ ...env, ...givenServers(), ...servers.environment, ...bundles[0], ...bundles[1], DATA_DIR: folder },
      // Halves the CPU time that a process of ours takes to start; kept for the next run, file by file.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/everpost-compiled'),
      FUZZ_SEED: process.env.FUZZ_SEED ?? usualSeed,
      EVERPOST_TEST_CASES: cases,
    };
    const parts: Parts = { folder, lifetime, env: suite, parts: shards + 2 };
    const first = await runShards(files, options, parts);
    if (isRecorded && first.failed === 0) recordDurations(first.durations);
    // Again at the end: the output of the runs is long, and where only its end is kept, failures are there.
    const texts = first.failures.map((one) => `${one.file ?? 'No file'}: ${one.title}\n${one.text}`);
    if (texts.length > 0) console.log(`\nFailures:\n\n${texts.join('\n\n')}\n`);
    const result: Settled = isWhole ? await settle(first, known, parts) : first;
    say(`Tests took ${seconds(began)} with everything.`);
    if (lifetime.stopping) return;
    await lifetime.stop();
    const unsettled = result.unsettled ? `, ${result.unsettled} unsettled` : '';
    console.log(`${result.passed} passed, ${result.failed} failed${unsettled}${skippedNote(result.skipped)}`);
    process.exit(result.failed > 0 || result.passed === 0 ? 1 : 0);
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}

type Parts = Omit<Run, 'part'>;
type Settled = Result & { readonly unsettled?: number };

/** Runs each file that failed once more, alone, after all others. Its first failure stays in a file. */
async function settle(result: Result, known: ReadonlySet<string>, parts: Parts): Promise<Settled> {
  if (result.failed === 0 || parts.lifetime.stopping) return result;
  const files = secondTries(result.failures, (file) => promiseOf(readFileSync(join(root, file), 'utf8')) !== null);
  if (!files) return result;
  const passed: string[] = [];
  for (const file of files) {
    say(`${file} runs once more, alone.`);
    const again = await runMocha([file], { ...parts, part: parts.parts - 1 });
    if (again.failed === 0 && again.passed > 0) passed.push(file);
  }
  const alone = result.failures.filter(({ file }) => file && passed.includes(file));
  const { lines, isAccepted } = judge(alone, known);
  for (const line of lines) console.log(line);
  if (!isAccepted || passed.length < files.length) return result;
  return { ...result, failed: 0, unsettled: result.failed };
}

/** A file for each, with the seed and the output of its run, so that its cause can be found. */
function keepFailures(failures: readonly Failure[], output: string, seed: string | undefined): void {
  if (failures.length > 0) mkdirSync(failuresFolder, { recursive: true });
  for (const [index, { file, title, text }] of failures.entries()) {
    const name = `${(file ?? 'run').replaceAll('/', '-')}-${index}.txt`;
    const kept = [`${new Date().toISOString()}, FUZZ_SEED=${seed}`, title, text, '', output].join('\n');
    writeFileSync(join(failuresFolder, name), kept);
  }
}

const failuresFolder = join(root, '.test-failures');

/** A suite that was not run must not look like one that passed. */
function skippedNote(skipped: number): string {
  const reason = process.env.EVERPOST_SKIP_BROWSER ? ': EVERPOST_SKIP_BROWSER leaves out what needs a browser' : '';
  return skipped > 0 ? `, ${skipped} SKIPPED${reason}` : '';
}

/** `--rest` is the other tier: what does not have to run at every change. Files that are named try all of their random cases. */
function readArgs(args: string[]) {
  const named = args.filter((arg) => arg.endsWith('.ts'));
  const options = args.filter((arg) => !named.includes(arg) && arg !== recordOption && arg !== restOption);
  if (named.length > 0) return { files: named, options, isWhole: false, isRecorded: false, cases: 'all' };
  const isRest = args.includes(restOption);
  const isOfTier = (file: string) => isOfRest(file) === isRest || (isRest && isSampled(file));
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter(isOfTier);
  const cases = isRest ? 'all' : 'some';
  return {
    files: files.sort(),
    options,
    isWhole: options.length === 0,
    isRecorded: args.includes(recordOption),
    cases,
  };
}

/**
 * Much of a test is waiting, so three runs share two cores and the servers; each test file has a database and a prefix of its own.
 * Tests that measure CPU time run alone afterwards: with shared caches the same work takes half as long again.
 */
async function runShards(files: string[], options: string[], parts: Parts): Promise<Result> {
  const isLarge = files.length >= shardFilesMin;
  const measured = isLarge ? files.filter((file) => measuresCpu.test(file)) : [];
  const shared = files.filter((file) => !measured.includes(file));
  const run = async (some: string[], part: number) => {
    const result = await runMocha([...options, ...some], { ...parts, part });
    if (isLarge) keepFailures(result.failures, readFileSync(logOf({ ...parts, part }), 'utf8'), parts.env.FUZZ_SEED);
    return result;
  };
  const sharedOut = shardsOf(shared, isLarge ? shards : 1, readDurations()).filter((some) => some.length > 0);
  const results = await Promise.all(sharedOut.map(run));
  if (measured.length > 0 && !parts.lifetime.stopping) results.push(await run(measured, shards));
  if (isLarge) say(`The runs took ${results.map(({ durations }) => `${sum(Object.values(durations))} s`).join(', ')}.`);
  return {
    passed: sum(results.map(({ passed }) => passed)),
    failed: sum(results.map(({ failed }) => failed)),
    skipped: sum(results.map(({ skipped }) => skipped)),
    durations: Object.assign({}, ...results.map(({ durations }) => durations)),
    failures: results.flatMap(({ failures }) => failures),
  };
}

/** Others of fuzz hold no event loop for half of the limit, even on a machine with twenty processes at work. */
const measuresCpu = /^test\/(linear\/|maximum\/|fuzz\/report-rules\.|providers\/answer-json\.)/;
const shards = 3;
const shardFilesMin = 6;

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
