import { spawn } from 'node:child_process';
import type { Mutation } from './mutation.ts';

/** hung: stopped by us, so something waited for what never came. */
export type TestsEnd = 'passed' | 'failed' | 'hung' | 'ran none';

const PATIENCE_MS = 240_000;

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
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output = (output + chunk).slice(-10_000);
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
      resolve(isHung ? 'hung' : endOf(output));
    });
  });
}

function endOf(output: string): TestsEnd {
  const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  if (failed === '0') return passed === '0' ? 'ran none' : 'passed';
  return 'failed';
}
