import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { Mutation } from './mutation.ts';

/** hung: stopped by us, or by Mocha, so something waited for what never came. */
export interface TestsEnd {
  readonly how: 'passed' | 'failed' | 'failed in a hook' | 'hung' | 'ran none';
  /** The first test that failed and what it says, or the last lines of a run without one; '' when it passed. */
  readonly reason: string;
}

const PATIENCE_MS = 240_000;
const OUTPUT_MAX = 20_000;
const REASON_MAX = 300;

/** Runs the tests of a mutation in a copy, against servers that run already. */
export function runTests(
  folder: string,
  { tests, grep }: Pick<Mutation, 'tests' | 'grep'>,
  env: NodeJS.ProcessEnv,
): Promise<TestsEnd> {
  const args = ['stack/main.ts', 'test', ...tests, '--bail', ...(grep ? ['--grep', grep] : [])];
  const servers = {
    TEST_MONGODB_URL: env.MONGODB_URL,
    TEST_REDIS_URL: env.REDIS_URL,
    TEST_TEMPORAL_ADDRESS: env.TEMPORAL_ADDRESS,
  };
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, ...servers },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-OUTPUT_MAX);
    });
  // An interrupted drill leaves no tests running.
  const stop = () => void child.kill('SIGTERM');
  process.once('exit', stop);
  let isHung = false;
  const timer = setTimeout(() => {
    isHung = true;
    stop();
  }, PATIENCE_MS);
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(timer);
      process.off('exit', stop);
      resolve(endOf(stripVTControlCharacters(output), isHung));
    });
  });
}

/** Reads what the tests have printed. */
export function endOf(output: string, isHung = false): TestsEnd {
  const reason = reasonIn(output);
  if (isHung || /Timeout of \d+ms exceeded/.test(reason)) return { how: 'hung', reason };
  // Before a test has said anything: on a busy machine, or without servers.
  if (/^\d+\) .* hook (for|in) "/.test(reason)) return { how: 'failed in a hook', reason };
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
  if (failed === '0') return passed === '0' ? { how: 'ran none', reason } : { how: 'passed', reason: '' };
  return { how: 'failed', reason };
}

function reasonIn(output: string): string {
  const [, first] = /^ +\d+ failing\n([\s\S]*?)(?:^ +at .+:\d+\)?$|^Tests took)/m.exec(output) ?? [];
  const lines = first ?? output.trim().split('\n').slice(-5).join('\n');
  return lines.replace(/\s+/g, ' ').trim().slice(0, REASON_MAX);
}
