import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { MochaOptions, Runnable, Runner } from 'mocha';
import type { Failure } from './settle.ts';
import type { Durations } from './shards.ts';

const Mocha = createRequire(import.meta.url)('mocha') as typeof import('mocha');

/** Mocha's spec reporter, which also notes the counts for the last line of `npm test`, and how long each file took. */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    let passed = 0;
    let failed = 0;
    let skipped = 0;
    const durations = timeFiles(runner);
    const failures: Failure[] = [];
    runner.on('pass', () => passed++);
    runner.on('pending', () => skipped++);
    runner.on('fail', (test, error: Error) => {
      failed++;
      failures.push(failureOf(test, error));
    });
    // Nothing is retried by default. With --retries or this.retries(), a failed try still fails the run.
    runner.on('retry', (test, error: Error) => {
      failed++;
      const failure = failureOf(test, error);
      failures.push({ ...failure, text: `${failure.text}\n  (tried again)` });
    });
    runner.once('end', () => {
      const result = { passed, failed, skipped, durations, failures };
      writeFileSync(process.env.EVERPOST_TEST_RESULT ?? '', JSON.stringify(result));
    });
  }
}

/** Short enough for the end of the output of all runs. */
function failureOf(test: Runnable, error: Error): Failure {
  return {
    file: test.file ? relative(process.cwd(), test.file) : null,
    title: test.fullTitle(),
    text: indent(withCauses(error).slice(0, failureLength)),
  };
}

/** A property fails with its case; what was expected of that is the cause. The cause first: a case may be long. */
function withCauses(error: Error): string {
  const own = `${error.stack ?? error.message ?? error}`;
  return error.cause instanceof Error ? `${withCauses(error.cause)}\nthe cause of:\n${own}` : own;
}

const failureLength = 3_000;

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}

/** Seconds with hooks, of all suites of a file. */
function timeFiles(runner: Runner): Durations {
  const durations: Durations = {};
  let began = 0;
  runner.on('suite', ({ parent }) => {
    if (parent?.root) began = performance.now();
  });
  runner.on('suite end', ({ parent, file }) => {
    if (!parent?.root || !file) return;
    const name = relative(process.cwd(), file);
    durations[name] = (durations[name] ?? 0) + (performance.now() - began) / 1_000;
  });
  return durations;
}
