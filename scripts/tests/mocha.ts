import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Lifetime } from '../../stack/lifetime.ts';
import { portsPartVariable } from '../../stack/ports.ts';
import { describeExit } from '../../stack/processes/child.ts';
import type { Failure } from './settle.ts';
import type { Durations } from './shards.ts';

const root = join(import.meta.dirname, '../..');
/** A test takes seconds at most, but other processes may have the processor for as long. */
const testTimeoutMs = 90_000;

export interface Result {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly durations: Durations;
  readonly failures: readonly Failure[];
}

export interface Run {
  readonly folder: string;
  readonly lifetime: Lifetime;
  readonly env: NodeJS.ProcessEnv;
  /** Which of the ports and logs are its own. */
  readonly part: number;
  readonly parts: number;
}

export const logOf = ({ folder, part }: Pick<Run, 'folder' | 'part'>) => join(folder, `output-${part}.txt`);

/** The first run speaks as it goes; what the others have to say follows as they end. */
export function runMocha(args: readonly string[], { folder, lifetime, env, part, parts }: Run): Promise<Result> {
  const resultFile = join(folder, `result-${part}.json`);
  const mocha = [
    ...[join(root, 'node_modules/mocha/bin/mocha.js'), '--timeout', `${testTimeoutMs}`, '--exit'],
    ...['--reporter', join(import.meta.dirname, 'reporter.ts')],
    ...['--require', join(import.meta.dirname, 'seed.ts')],
    ...(process.stdout.isTTY ? ['--color'] : []),
    ...args,
  ];
  // A file, since a pipe would stay open as long as anything that a test has started.
  const log = openSync(logOf({ folder, part }), 'w+');
  const child = spawn(process.execPath, mocha, {
    cwd: root,
    stdio: ['ignore', log, log, 'ipc'],
    env: { [portsPartVariable]: `${part}/${parts}`, ...env, EVERPOST_TEST_RESULT: resultFile },
  });
  // Processes that a test has forked exit when their parent is gone.
  lifetime.add({ stop: async () => void child.kill('SIGKILL') });
  let shown = 0;
  const show = () => {
    shown = showFrom(log, shown);
  };
  const following = part === 0 ? setInterval(show, SHOW_MS) : undefined;
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      clearInterval(following);
      show();
      closeSync(log);
      resolve(readResult(resultFile, code, describeExit(code, signal)));
    });
  });
}

const SHOW_MS = 250;

/** Shows what was added to a log, and answers where it ends now. */
function showFrom(log: number, from: number): number {
  const bytes = Buffer.alloc(65_536);
  let at = from;
  for (let n = readSync(log, bytes, 0, bytes.length, at); n > 0; n = readSync(log, bytes, 0, bytes.length, at)) {
    process.stdout.write(Buffer.from(bytes.subarray(0, n)));
    at += n;
  }
  return at;
}

/** A run that ends before its end, or fails outside any test, counts as one failure more. */
function readResult(file: string, code: number | null, how: string): Result {
  try {
    const result = JSON.parse(readFileSync(file, 'utf8')) as Result;
    if (code === 0 || result.failed > 0) return result;
    return failedOutside(result, `Mocha failed outside any test (${how}).`);
  } catch {
    const none: Result = { passed: 0, failed: 0, skipped: 0, durations: {}, failures: [] };
    return failedOutside(none, `The run ended before its end (${how}).`);
  }
}

function failedOutside(result: Result, text: string): Result {
  const failures = [...result.failures, { file: null, title: 'A run', text }];
  return { ...result, failed: result.failed + 1, failures };
}
