import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import type { MochaOptions, Runner } from 'mocha';
import type { Durations } from './test-shards.ts';

const Mocha = createRequire(import.meta.url)('mocha') as typeof import('mocha');

/** Mocha's spec reporter, which also notes the counts for the last line of `npm test`, and how long each file took. */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    let passed = 0;
    let failed = 0;
    let skipped = 0;
    const durations = timeFiles(runner);
    const repeated: string[] = [];
    runner.on('pass', () => passed++);
    runner.on('pending', () => skipped++);
    runner.on('fail', () => failed++);
    // Nothing is retried by default. With --retries or this.retries(), a failed try still fails the run.
    runner.on('retry', (test, error: Error) => {
      failed++;
      repeated.push(`${test.fullTitle()}\n    ${error.message.slice(0, 500)}`);
    });
    runner.once('end', () => {
      writeFileSync(process.env.EVERPOST_TEST_RESULT ?? '', JSON.stringify({ passed, failed, skipped, durations }));
      if (repeated.length > 0)
        console.log(`Failed and tried again:\n${repeated.map((title) => `  ${title}\n`).join('')}`);
    });
  }
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
